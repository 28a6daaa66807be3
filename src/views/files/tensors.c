// SPDX-License-Identifier: Apache-2.0
/* views/files/tensors.c: summarizes one tensor of a checkpoint: its kinds of values and their distribution. */
#include "model/tables/read.h"
#include "model/tensors.h"
#include "query/order.h"
#include "views/core/handle.h"

#include <math.h>

#define ELEMENTS_MOST ((int64_t)16 << 20) /* most elements, because they are read completely, as doubles */

static double value_at(const tfp_tensor *t, size_t i)
{
    return t->kind == TFP_VALUES_DOUBLE ? t->doubles[i] : (double)t->ints[i];
}

/* Counts finite values and finds their minimum, maximum and mean; the mean is updated step by step, so that no sum
 * overflows. */
static void sum_up(const tfp_tensor *t, tfp_tensor_summary *out)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < t->count; i++) {
        double x = value_at(t, i);
        if (out->shown < TFP_TENSOR_SHOWN) out->first[out->shown++] = x;
        if (isnan(x)) out->nans++;
        if (isinf(x)) out->infinities++;
        if (!isfinite(x)) continue;
        if (x == 0) out->zeros++;
        if (!out->finite || x < out->least) out->least = x;
        if (!out->finite || x > out->most) out->most = x;
        double more = x - mean;
        mean += more / (double)++out->finite;
        squares += more * (x - mean);
    }
    out->mean = mean;
    out->deviation = out->finite ? sqrt(squares / (double)out->finite) : 0;
}

static void fill_bins(const tfp_tensor *t, tfp_tensor_summary *out)
{
    double width = out->most / TFP_TENSOR_BINS - out->least / TFP_TENSOR_BINS;
    for (size_t i = 0; i < t->count; i++) {
        double x = value_at(t, i);
        if (!isfinite(x)) continue;
        double at = width > 0 ? x / width - out->least / width : 0;
        size_t bin = at < TFP_TENSOR_BINS ? (size_t)(at > 0 ? at : 0) : TFP_TENSOR_BINS - 1;
        out->bins[bin]++;
    }
}

static void put_shape(const int64_t *dims, size_t rank, tfp_tensor_summary *out)
{
    tfp_buf b = { .data = out->shape, .capacity = sizeof out->shape - 1 };
    out->elements = 1;
    for (size_t i = 0; i < rank; i++) {
        if (b.size + 24 < sizeof out->shape) {
            if (i) tfp_buf_char(&b, 'x');
            tfp_buf_int(&b, dims[i]);
        }
        out->elements = tfp_mul(out->elements, dims[i], NULL);
    }
    out->shape[b.size] = '\0';
}

static bool find(const tfp_checkpoint *c, tfp_str name, size_t *at)
{
    size_t i, count = tfp_checkpoint_count(c);
    TFP_LOWER_BOUND(i, 0, count, tfp_str_cmp(tfp_checkpoint_name(c, i), name) < 0);
    *at = i;
    return i < count && tfp_str_eq(tfp_checkpoint_name(c, i), name);
}

tfp_status tfp_tensor_summarise(const tfp_profile *p, const char *name, tfp_tensor_summary *out, tfp_error *err)
{
    tfp_error_clear(err);
    if (!p || !tfp_is_finished(p) || !name || !out)
        return tfp_fail(err, TFP_BADARG, "no finished profile, or no tensor's name");
    *out = (tfp_tensor_summary){ .dtype = "?" };
    size_t at, rank;
    if (!tfp_checkpoint_of(p) || !find(tfp_checkpoint_of(p), tfp_str_of(name), &at))
        return tfp_fail(err, TFP_NOTFOUND, "no tensor '%.1000s'", name);
    const int64_t *dims = tfp_checkpoint_dims(tfp_checkpoint_of(p), at, &rank);
    out->dtype = tfp_dtype_name(tfp_checkpoint_dtype(tfp_checkpoint_of(p), at));
    put_shape(dims, rank, out);
    if (out->elements > ELEMENTS_MOST)
        return tfp_fail(err, TFP_LIMIT, "'%.1000s' has %lld values: more than %lld are not looked at", name,
                        (long long)out->elements, (long long)ELEMENTS_MOST);
    tfp_tensor t = { 0 };
    tfp_status s = tfp_checkpoint_read(tfp_checkpoint_of(p), tfp_str_of(name), &t, err);
    if (!s && (t.kind == TFP_VALUES_DOUBLE || t.kind == TFP_VALUES_INT)) {
        out->numbers = 1;
        sum_up(&t, out);
        fill_bins(&t, out);
    }
    tfp_tensor_free(&t);
    return s;
}
