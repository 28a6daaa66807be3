// SPDX-License-Identifier: Apache-2.0
/* flops/fold/index.c: constant folding of ops that read or write at indexes, and of ops that make new arrays. */
#include "flops/fold/fold.h"

#include <math.h>

/* ---- by indexes ---- */

typedef struct gathering {
    tfp_dims in, indices;
    const double *index;
    int axis, batch;
} gathering;

/* The output's dims: those before the axis, those of the indexes after the batch, those after the axis. */
static int64_t gathered_place(const void *ctx, const int64_t *at)
{
    const gathering *g = ctx;
    int inner = g->indices.rank - g->batch;
    int64_t which = 0, k = 0, from;
    for (int i = 0; i < g->batch; i++) which = which * g->indices.at[i] + at[i];
    for (int i = 0; i < inner; i++) which = which * g->indices.at[g->batch + i] + at[g->axis + i];
    if (which >= tfp_elements(g->indices) || !tfp_whole(g->index[which], &from)) return -1;
    for (int i = 0; i < g->in.rank; i++) {
        int64_t x = i < g->axis ? at[i] : i == g->axis ? from : at[i - 1 + inner];
        if (x < 0 || x >= g->in.at[i]) return -1;
        k = k * g->in.at[i] + x;
    }
    return k;
}

static void gather(tfp_op *op, int64_t axis, int64_t batch)
{
    gathering g = { tfp_in(op, 0), tfp_in(op, 1), tfp_fold_in(op, 1), 0, 0 };
    if (!g.index || !tfp_dims_known(g.in) || !tfp_fold_axis(axis, g.in.rank, &g.axis)) return;
    if (batch < 0) batch += g.indices.rank;
    if (batch < 0 || batch > g.indices.rank || batch > g.axis) return;
    g.batch = (int)batch;
    if (tfp_out(op, 0).rank != g.in.rank - 1 + g.indices.rank - g.batch) return;
    tfp_fold_rearrange(op, tfp_fold_in(op, 0), tfp_out(op, 0), gathered_place, &g);
}

static void fold_gather(tfp_op *op) { gather(op, 0, 0); }

static void fold_gather_v2(tfp_op *op)
{
    int64_t axis;
    if (tfp_fold_in(op, 2) && tfp_in_int(op, 2, &axis)) gather(op, axis, tfp_attr_int(op, "batch_dims", 0));
}

static void fold_invert_permutation(tfp_op *op)
{
    const double *in = tfp_in_all(op, 0) ? tfp_fold_in(op, 0) : NULL;
    int64_t n = tfp_out_size(op, 0);
    double *out = in && n == tfp_in_size(op, 0) ? tfp_fold_new(op, 0) : NULL;
    for (int64_t i = 0; out && i < n; i++) out[i] = NAN;
    for (int64_t i = 0; out && i < n; i++) {
        int64_t to = tfp_in_at(op, 0, i);
        if (to >= 0 && to < n) out[to] = (double)i;
    }
}

static bool some_known(const tfp_op *op, uint32_t first)
{
    for (uint32_t i = first; i < op->in_count; i++)
        if (tfp_fold_in(op, i)) return true;
    return false;
}

/* Writes the rows of the data to the positions in the indexes; the last row for a position wins. */
static void fold_dynamic_stitch(tfp_op *op)
{
    uint32_t count = op->in_count / 2;
    int64_t rows = tfp_dim(tfp_out(op, 0), 0), n = tfp_out_size(op, 0);
    for (uint32_t i = 0; i < count; i++)
        if (!tfp_in_all(op, i) && tfp_in_size(op, i) != 0) return;
    double *out = rows > 0 && some_known(op, count) ? tfp_fold_new(op, 0) : NULL;
    int64_t row = out ? n / rows : 0;
    for (int64_t k = 0; k < n && out; k++) out[k] = NAN;
    for (uint32_t i = 0; i < count && out; i++) {
        const double *data = tfp_fold_in(op, count + i);
        int64_t indexes = tfp_in_size(op, i);
        if (tfp_in_size(op, count + i) != tfp_times(indexes, row)) data = NULL;
        for (int64_t k = 0; k < indexes * row; k++) {
            int64_t to = tfp_in_at(op, i, k / row);
            if (to >= 0 && to < rows) out[to * row + k % row] = data ? data[k] : (double)NAN;
        }
    }
}

/* TensorScatterUpdate on a vector. */
static void fold_scatter(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0), *updates = tfp_fold_in(op, 2);
    tfp_dims indices = tfp_in(op, 1);
    int64_t n = tfp_out_size(op, 0), count = tfp_in_size(op, 2);
    if (!in || !updates || !tfp_fold_in(op, 1) || !tfp_in_all(op, 1) || tfp_out(op, 0).rank != 1) return;
    if (tfp_dim(indices, -1) != 1 || tfp_elements(indices) != count || n != tfp_in_size(op, 0)) return;
    double *out = tfp_fold_new(op, 0);
    if (out) memcpy(out, in, (size_t)n * sizeof *out);
    for (int64_t i = 0; out && i < count; i++) {
        int64_t to = tfp_in_at(op, 1, i);
        if (to >= 0 && to < n) out[to] = updates[i];
    }
}

/* ---- making ---- */

static void fold_fill(tfp_op *op)
{
    const double *value = tfp_fold_in(op, 1);
    bool use = value && tfp_in_size(op, 1) == 1 && !isnan(*value);
    double *out = use ? tfp_fold_new(op, 0) : NULL;
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (int64_t i = 0; i < n; i++) out[i] = *value;
}

static void fold_range(tfp_op *op)
{
    const double *start = tfp_fold_in(op, 0), *limit = tfp_fold_in(op, 1), *delta = tfp_fold_in(op, 2);
    int dtype = op->out_count ? op->out[0].dtype : 0;
    for (uint32_t i = 0; i < 3; i++)
        if (tfp_in_size(op, i) != 1) return;
    if (!start || !limit || !delta || *start != floor(*start) || *delta != floor(*delta)) return; /* exact steps only */
    double *out = tfp_fold_new(op, 0);
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (int64_t i = 0; i < n; i++) out[i] = tfp_fold_fit(dtype, *start + (double)i * *delta);
}

/* Folds only if every step is exact. */
static void fold_lin_space(tfp_op *op)
{
    const double *start = tfp_fold_in(op, 0), *stop = tfp_fold_in(op, 1);
    int64_t n = tfp_out_size(op, 0);
    bool known = start && stop && tfp_fold_in(op, 2) && n > 0 && tfp_in_size(op, 0) == 1;
    double *out = known && tfp_in_size(op, 1) == 1 ? tfp_fold_new(op, 0) : NULL;
    double step = n > 1 && known ? (*stop - *start) / (double)(n - 1) : 0;
    for (int64_t i = 0; out && i < n; i++) out[i] = step == floor(step) ? *start + (double)i * step : (double)NAN;
}

static void fold_one_hot(tfp_op *op)
{
    const double *index = tfp_fold_in(op, 0), *on = tfp_fold_in(op, 2), *off = tfp_fold_in(op, 3);
    tfp_dims d = tfp_out(op, 0);
    int64_t axis = tfp_attr_int(op, "axis", -1), n = tfp_elements(d);
    int at;
    if (!index || !on || !off || !tfp_fold_in(op, 1) || !tfp_fold_axis(axis, d.rank, &at) || n < 0) return;
    if (tfp_in_size(op, 2) != 1 || tfp_in_size(op, 3) != 1 || d.at[at] < 1) return;
    int64_t inner = tfp_fold_product(d, at + 1, d.rank), depth = d.at[at];
    double *out = n / depth == tfp_in_size(op, 0) ? tfp_fold_new(op, 0) : NULL;
    for (int64_t k = 0; out && k < n; k++) {
        double which = index[k / (depth * inner) * inner + k % inner];
        bool hot = which == (double)(k / inner % depth);
        out[k] = isnan(which) ? which : hot ? *on : *off;
    }
}

const tfp_fold_rule tfp_folds_index[] = {
    { "Fill", fold_fill, TFP_WHOLE(0) },
    { "Range", fold_range },
    { "LinSpace", fold_lin_space },
    { "OneHot", fold_one_hot },
    { "InvertPermutation", fold_invert_permutation },
    { "Gather", fold_gather },
    { "GatherV2", fold_gather_v2 },
    { "DynamicStitch ParallelDynamicStitch", fold_dynamic_stitch, TFP_WHOLE_ALL },
    { "TensorScatterUpdate", fold_scatter },
    { NULL },
};
