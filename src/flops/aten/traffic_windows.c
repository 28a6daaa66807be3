// SPDX-License-Identifier: Apache-2.0
/* flops/aten/traffic_windows.c: what pooling, resizing and sorting read and write. */
#include "flops/aten/traffic_rules.h"

/* The numbers of an argument such as "[3, 3]" or "2", one for each of `count` dimensions; false: not recorded. */
static bool numbers_of(const tfp_aten_input *in, int count, int64_t *out)
{
    int64_t all[TFP_ATEN_RANK];
    int n = tfp_aten_numbers(in, all, TFP_ATEN_RANK);
    for (int i = 0; i < count; i++) out[i] = n ? all[n == 1 ? 0 : i] : 0;
    return n == 1 || n == count;
}

/* Places of a window along one dimension; with `ceil` a last one that begins inside, cut by the edge. */
static int64_t places_of(int64_t size, int64_t window, int64_t stride, int64_t padding, bool ceil)
{
    if (size < 0 || window < 1 || stride < 1 || padding < 0 || size > INT64_MAX / 4 || padding > window) return UNKNOWN;
    int64_t room = size + 2 * padding - window;
    if (room < 0) return UNKNOWN;
    int64_t n = (room + (ceil ? stride - 1 : 0)) / stride + 1;
    return ceil && (n - 1) * stride >= size + padding ? n - 1 : n;
}

/* Arguments: window 1, stride 2 (empty: the window), padding 3, with indexes dilation 4; then whether sizes are rounded up. */
void tfp_traffic_pool(tfp_traffic_work *w, int how)
{
    const tfp_aten_input *x = arg(w->c, 0);
    int n = how & ARGUMENT, first = x->rank - n;
    int64_t window[TFP_ATEN_RANK], stride[TFP_ATEN_RANK], padding[TFP_ATEN_RANK], dims[TFP_ATEN_RANK];
    bool indexes = how & WITH_INDEXES,
         known = x->tensor && first >= 0 && numbers_of(arg(w->c, 1), n, window) && numbers_of(arg(w->c, 3), n, padding);
    bool strided = known && numbers_of(arg(w->c, 2), n, stride);
    int64_t dilation[TFP_ATEN_RANK];
    if (known && indexes) known = numbers_of(arg(w->c, 4), n, dilation);
    bool ceil = tfp_str_eq(arg(w->c, indexes ? 5 : 4)->value, TFP_STR("True"));
    tfp_traffic_reads(w, x);
    for (int i = 0; known && i < x->rank; i++) {
        int at = i - first;
        if (at < 0) {
            dims[i] = x->dims[i];
            continue;
        }
        int64_t wide = indexes ? tfp_plus(tfp_times(dilation[at], window[at] - 1), 1) : window[at];
        dims[i] = places_of(x->dims[i], wide, strided ? stride[at] : window[at], padding[at], ceil);
        known = dims[i] >= 0;
    }
    if (!known) {
        w->t->bytes = UNKNOWN;
        return;
    }
    tfp_traffic_writes(w, x->rank, dims, x->scalar_type);
    if (indexes) w->t->bytes = tfp_plus(w->t->bytes, tfp_times(w->t->out.elements, 8));
}

/* Reads the gradient of the result (0), and the indexes where the rule has their argument; writes that of the input (1). */
void tfp_traffic_pool_backward(tfp_traffic_work *w, int how)
{
    tfp_traffic_reads(w, arg(w->c, 0));
    if (how & ARGUMENT) tfp_traffic_reads(w, arg(w->c, how & ARGUMENT));
    if (how & ARGUMENT && !arg(w->c, how & ARGUMENT)->tensor) w->t->bytes = UNKNOWN;
    tfp_traffic_writes_as(w, arg(w->c, 1));
}

/* The last dimensions of the result are argument 1. */
void tfp_traffic_resize(tfp_traffic_work *w, int how)
{
    const tfp_aten_input *x = arg(w->c, 0);
    int n = how & ARGUMENT, first = x->rank - n;
    int64_t dims[TFP_ATEN_RANK];
    tfp_traffic_reads(w, x);
    memcpy(dims, x->dims, sizeof dims);
    if (!x->tensor || first < 0 || !numbers_of(arg(w->c, 1), n, dims + first)) {
        w->t->bytes = UNKNOWN;
        return;
    }
    tfp_traffic_writes(w, x->rank, dims, x->scalar_type);
}

/* Values and their indexes. ARGUMENT of the rule: how many are kept, before the dimension; 0: all. */
void tfp_traffic_sort(tfp_traffic_work *w, int how)
{
    const tfp_aten_input *x = arg(w->c, 0);
    int64_t dims[TFP_ATEN_RANK], kept = 0, at = -1;
    int count = how & ARGUMENT;
    tfp_traffic_reads(w, x);
    memcpy(dims, x->dims, sizeof dims);
    bool known = x->tensor;
    if (known && count) {
        known = tfp_parse_int64(arg(w->c, count)->value, &kept);
        if (arg(w->c, count + 1)->value.size) known = known && tfp_parse_int64(arg(w->c, count + 1)->value, &at);
        if (at < 0) at += x->rank;
        known = known && at >= 0 && at < x->rank && kept >= 0 && kept <= x->dims[at];
        if (known) dims[at] = kept;
    }
    if (!known) {
        w->t->bytes = UNKNOWN;
        return;
    }
    tfp_traffic_writes(w, x->rank, dims, x->scalar_type);
    w->t->bytes = tfp_plus(w->t->bytes, tfp_times(w->t->out.elements, 8));
}
