// SPDX-License-Identifier: Apache-2.0
/* flops/fold/values.c: values of known tensors: their elements as numbers, in the limits of their type. */
#include "flops/fold/fold.h"
#include "formats/checkpoint/tensor.h"

#include <math.h>

#define BEYOND 9007199254740992.0 /* 2^53: above it doubles cannot represent every integer */

const double *tfp_fold_in(const tfp_op *op, uint32_t i)
{
    if (!op->importer) return tfp_in_elements(op, i);
    return i < op->in_count && op->in[i].limit == TFP_ANY_USE ? tfp_in_all(op, i) : NULL;
}

double *tfp_fold_new(tfp_op *op, uint32_t i)
{
    bool floats = i < op->out_count && tfp_dtype_of(op->out[i].dtype)->class == TFP_DTYPE_FLOAT;
    return floats && tfp_out_size(op, i) > TFP_FOLD_FLOATS_MAX ? NULL : tfp_new_elements(op, i);
}

double tfp_fold_exact(int dtype, double x)
{
    tfp_dtype_class class = tfp_dtype_of(dtype)->class;
    bool integer = class == TFP_DTYPE_INT || class == TFP_DTYPE_UINT;
    return integer && !(x > -BEYOND && x < BEYOND) ? NAN : x;
}

static double fit_integer(const tfp_dtype *d, double x)
{
    bool wide = d->bits > 53;
    double most = wide ? BEYOND : ldexp(1, d->class == TFP_DTYPE_INT ? d->bits - 1 : d->bits);
    double least = d->class == TFP_DTYPE_UINT ? 0 : wide ? -BEYOND + 1 : -most;
    return x >= least && x < most && x == floor(x) ? x : (double)NAN;
}

double tfp_fold_fit(int dtype, double x)
{
    const tfp_dtype *d = tfp_dtype_of(dtype);
    if (isnan(x)) return NAN; /* one NaN pattern, because elements are compared byte by byte */
    switch (d->class) {
    case TFP_DTYPE_INT:
    case TFP_DTYPE_UINT: return fit_integer(d, x);
    case TFP_DTYPE_BOOL: return x != 0;
    case TFP_DTYPE_FLOAT: return d->size == 8 ? x : d->size == 4 ? (double)(float)x : (double)NAN;
    default: return NAN;
    }
}

void tfp_fold_unflatten(int64_t k, tfp_dims d, int64_t *at)
{
    for (int i = d.rank; i-- > 0;) {
        at[i] = d.at[i] > 0 ? k % d.at[i] : 0;
        if (d.at[i] > 0) k /= d.at[i];
    }
}

int64_t tfp_fold_flatten(tfp_dims d, const int64_t *at)
{
    int64_t k = 0;
    for (int i = 0; i < d.rank; i++) k = k * d.at[i] + at[i];
    return k;
}

int64_t tfp_fold_broadcast(tfp_dims in, tfp_dims out, int64_t k)
{
    int64_t place = 0, step = 1;
    for (int i = 1; i <= in.rank && i <= out.rank; i++) {
        int64_t dim = in.at[in.rank - i], of = out.at[out.rank - i];
        int64_t at = of > 0 ? k % of : 0;
        if (of > 0) k /= of;
        if (dim > 1) place += at % dim * step;
        if (dim > 0) step *= dim;
    }
    return place;
}
