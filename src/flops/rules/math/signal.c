// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/signal.c: Fourier transforms, and sound. A complex transform of n points takes 5 * n * log2(n)
 * operations, as FFTW's benchmark counts, and a real one half of that; with several dims n is the number of all
 * points. */
#include "flops/rules/shared/layers.h"
#include "flops/rules/shared/rule.h"

#include <math.h>

/* ---- Fourier transforms: shapes; `per`: how many dims a row transforms, 0 when an input gives the number ---- */

static void fft(tfp_op *op) { tfp_set(op, 0, tfp_at_least(op, tfp_in(op, 0), (int)op->rule->per)); }

/* Element k of input 1, the length of the transform along a dim. */
static bool length_at(const tfp_op *op, int64_t k, int64_t *out)
{
    const double *x = tfp_in_elements(op, 1);
    if (!x || k < 0 || k >= tfp_in_size(op, 1)) return false;
    if (!(x[k] >= 0 && x[k] <= INT32_MAX) || x[k] != floor(x[k])) return false;
    *out = (int64_t)x[k];
    return true;
}

/* The innermost dims become the lengths asked for; the transform of a real signal keeps n / 2 + 1 of the last one. */
static void real_fft(tfp_op *op, bool forward)
{
    int dims = (int)op->rule->per;
    tfp_dims out = tfp_at_least(op, tfp_in(op, 0), dims);
    tfp_merge(op, tfp_in(op, 1), tfp_vector_of(op, dims));
    for (int k = 0; k < dims && out.rank >= dims; k++) {
        int64_t length = TFP_DIM_UNKNOWN;
        if (length_at(op, k, &length) && forward && k == dims - 1 && length != 0) length = length / 2 + 1;
        out = tfp_with_dim(op, out, k - dims, length);
    }
    tfp_set(op, 0, out);
}
static void rfft(tfp_op *op) { real_fft(op, true); }
static void irfft(tfp_op *op) { real_fft(op, false); }

/* ---- Fourier transforms: counts ---- */

/* halves * 2.5 * n * log2(n) for each of `batch`, truncated; exact for powers of two. */
static int64_t transform(int64_t batch, int64_t n, int halves)
{
    if (n < 0) return TFP_UNKNOWN;
    double each = n < 2 ? 0 : 2.5 * halves * (double)n * log2((double)n);
    return each < 9007199254740992.0 ? tfp_times(batch, (int64_t)each) : TFP_UNKNOWN;
}

/* Elements of all but the innermost dims. */
static int64_t outer(tfp_dims d, int dims)
{
    return d.rank < dims ? TFP_UNKNOWN : tfp_elements((tfp_dims){ d.rank - dims, d.at });
}

static tfp_cost count_fft(const tfp_op *op)
{
    int dims = (int)op->rule->per;
    tfp_dims in = tfp_in(op, 0);
    int64_t n = in.rank < dims ? TFP_UNKNOWN : tfp_elements((tfp_dims){ dims, in.at + (in.rank - dims) });
    return tfp_cost_of(transform(outer(in, dims), n, 2));
}

static tfp_cost count_real_fft(const tfp_op *op)
{
    int dims = (int)op->rule->per;
    int64_t n = 1, length;
    for (int k = 0; k < dims; k++) n = tfp_times(n, length_at(op, k, &length) ? length : TFP_UNKNOWN);
    return tfp_cost_of(transform(outer(tfp_in(op, 0), dims), n, 1));
}

/* Input 1 holds the lengths, input 2 the dims to transform. */
static tfp_cost count_nd(const tfp_op *op, int halves)
{
    tfp_dims in = tfp_in(op, 0);
    const double *axes = tfp_in_elements(op, 2);
    int64_t count = tfp_in_size(op, 2), n = 1, batch = 1, length;
    bool used[TFP_RANK_MOST] = { false };
    if (!axes || in.rank < 0) return tfp_cost_of(TFP_UNKNOWN);
    for (int64_t k = 0; k < count; k++) {
        if (!(axes[k] >= -in.rank && axes[k] < in.rank) || axes[k] != floor(axes[k])) return tfp_cost_of(TFP_UNKNOWN);
        used[(int)axes[k] + (axes[k] < 0 ? in.rank : 0)] = true;
        n = tfp_times(n, length_at(op, k, &length) ? length : TFP_UNKNOWN);
    }
    for (int i = 0; i < in.rank; i++) batch = tfp_times(batch, used[i] ? 1 : in.at[i]);
    return tfp_cost_of(transform(batch, n, halves));
}
static tfp_cost count_fft_nd(const tfp_op *op) { return count_nd(op, 2); }
static tfp_cost count_real_fft_nd(const tfp_op *op) { return count_nd(op, 1); }

/* ---- sound ---- */

/* -1: as in the file. */
static void decode_wav(tfp_op *op)
{
    int64_t samples = tfp_attr_int(op, "desired_samples", -1), channels = tfp_attr_int(op, "desired_channels", -1);
    tfp_merge_rank(op, tfp_in(op, 0), 0);
    if (samples < -1 || channels < -1) tfp_wrong(op, "a negative number of samples or channels");
    tfp_set(op, 0, tfp_matrix_of(op, samples, channels));
    tfp_set(op, 1, TFP_SCALAR_DIMS);
}

/* Points of the transform of one window: the next power of two; unknown for an invalid window. */
static int64_t window_points(const tfp_op *op)
{
    int64_t window = tfp_attr_int(op, "window_size", 0), points = 1;
    if (window <= 1 || window > INT32_MAX) return TFP_UNKNOWN;
    while (points < window) points *= 2;
    return points;
}

static void spectrogram(tfp_op *op)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 2);
    int64_t window = tfp_attr_int(op, "window_size", 0), stride = tfp_attr_int(op, "stride", 0);
    int64_t length = tfp_dim(in, 0), points = window_points(op), windows = TFP_DIM_UNKNOWN;
    if (tfp_wrong_if(op, points < 0 || stride < 1, "an impossible window or stride")) return;
    if (length >= 0) windows = length < window ? 0 : 1 + (length - window) / stride;
    tfp_set(op, 0, tfp_shape_of(op, (int64_t[]){ tfp_dim(in, 1), windows, 1 + points / 2 }, 3));
}

/* For each window: its weights, the transform, two squares and a sum for each output, and a root if asked for. */
static tfp_cost count_spectrogram(const tfp_op *op)
{
    tfp_dims out = tfp_out(op, 0);
    int64_t windows = out.rank == 3 ? tfp_times(out.at[0], out.at[1]) : TFP_UNKNOWN;
    int64_t weights = tfp_times(windows, tfp_attr_int(op, "window_size", 0));
    int64_t sizes = tfp_times(tfp_attr_bool(op, "magnitude_squared", false) ? 3 : 4, tfp_elements(out));
    return tfp_cost_of(tfp_plus(tfp_plus(weights, transform(windows, window_points(op), 1)), sizes));
}

/* For each frame: each line of the spectrum is rooted, weighted and added to two filters; each filter goes through a
 * logarithm; all filters contribute to each coefficient. */
static tfp_cost count_mfcc(const tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t lines = tfp_elements(in), filters = tfp_attr_int(op, "filterbank_channel_count", 40);
    int64_t all_filters = tfp_times(filters, outer(in, 1));
    int64_t macs = tfp_plus(tfp_times(2, lines), tfp_times(filters, tfp_out_size(op, 0)));
    return tfp_cost_mixed(macs, tfp_plus(lines, all_filters));
}

/* The last members of rows in the table below. */
#define FFTW "FFTW's convention"
#define COMPLEX(dims) count_fft, dims, "5 * n * log2(n) a transform", FFTW
#define REAL(dims) count_real_fft, dims, "5/2 * n * log2(n) a transform", FFTW

const tfp_op_rule tfp_rules_signal[] = {
    { "FFT IFFT RiscFft BatchFFT BatchIFFT", fft, COMPLEX(1) },
    { "FFT2D IFFT2D BatchFFT2D BatchIFFT2D", fft, COMPLEX(2) },
    { "FFT3D IFFT3D BatchFFT3D BatchIFFT3D", fft, COMPLEX(3) },
    { "RFFT", rfft, REAL(1) },
    { "RFFT2D", rfft, REAL(2) },
    { "RFFT3D", rfft, REAL(3) },
    { "IRFFT", irfft, REAL(1) },
    { "IRFFT2D", irfft, REAL(2) },
    { "IRFFT3D", irfft, REAL(3) },
    { "FFTND IFFTND", TFP_SHAPE("Bn -> Bn"), count_fft_nd, 0, "5 * n * log2(n) a transform", FFTW },
    { "RFFTND IRFFTND", TFP_SHAPE("Bn -> Bn"), count_real_fft_nd, 0, "5/2 * n * log2(n) a transform", FFTW },

    { "DecodeWav", decode_wav, TFP_MOVES },
    { "EncodeWav", TFP_SHAPE("__, () -> ()"), TFP_MOVES },
    { "AudioSpectrogram", spectrogram, count_spectrogram, 0,
      "per window: size + 5/2 * n * log2(n) + 3 (a root: 4) * outputs", FFTW ", and the sizes of complex numbers" },
    { "Mfcc", TFP_SHAPE("ab_, () -> ab<dct_coefficient_count=13>"), count_mfcc, 0,
      "per frame: 5 * lines + filters + 2 * filters * coefficients", "filter bank, logarithms, cosine transform" },
    { NULL },
};
