// SPDX-License-Identifier: Apache-2.0
/* flops/aten/traffic_products.c: what products, convolutions and attention compute, read and write, and their shapes as
 * texts. Causal attention counts the pairs that exist. */
#include "flops/aten/traffic_rules.h"

static void unknown_size(tfp_traffic_work *w) { w->t->bytes = w->t->flops = UNKNOWN; }

/* ---- products ---- */

static bool factors_of(const tfp_traffic_rule *r, const tfp_aten_call *c, tfp_factors *out)
{
    int first = r->how & 1;
    if (r->of == tfp_traffic_linear) return tfp_aten_linear_of(arg(c, 0), arg(c, 1), out);
    return (r->of == tfp_traffic_grouped ? tfp_aten_grouped_of : tfp_aten_product_of)(arg(c, first), arg(c, first + 1),
                                                                                      out);
}

static void write_product(tfp_traffic_work *w, const tfp_factors *f, unsigned type)
{
    int64_t dims[3] = { f->b, f->m, f->n };
    bool batched = f->b != 1;
    w->t->flops = tfp_times(tfp_times(2, tfp_times(f->b, f->m)), tfp_times(f->n, f->k));
    tfp_traffic_reads_all(w);
    tfp_traffic_writes(w, batched ? 3 : 2, batched ? dims : dims + 1, type);
}

void tfp_traffic_multiply(tfp_traffic_work *w, int how)
{
    const tfp_aten_input *a = arg(w->c, how & 1);
    tfp_factors f;
    if (!factors_of(&(tfp_traffic_rule){ .of = tfp_traffic_multiply, .how = how }, w->c, &f)) {
        unknown_size(w);
        return;
    }
    unsigned type = how & SCALED_TYPE ? tfp_traffic_type(w->c, 6, a->scalar_type) : a->scalar_type;
    w->t->type = a->type;
    write_product(w, &f, type == TFP_SCALAR_INT8 ? TFP_SCALAR_INT32 : type);
}

/* Groups of rows, columns or summed dimensions, which argument 2 divides: [m, k] x [g, k, n], [g, m, k] x [k, n], [m, k] x [k, n]: the last
 * has a result for each group. */
void tfp_traffic_grouped(tfp_traffic_work *w, int how)
{
    (void)how;
    const tfp_aten_input *a = arg(w->c, 0), *b = arg(w->c, 1);
    bool flat = a->rank == 2 && b->rank == 2, both = a->rank == 3 && b->rank == 3;
    int64_t groups = flat ? dim(arg(w->c, 2), 0) : both ? dim(a, 0) : 1;
    tfp_factors f;
    if (!factors_of(&(tfp_traffic_rule){ .of = tfp_traffic_grouped }, w->c, &f) || groups < 0) {
        unknown_size(w);
        return;
    }
    int64_t dims[3] = { groups, f.m, f.n };
    w->t->type = a->type;
    w->t->flops = tfp_times(tfp_times(2, tfp_times(f.b, f.m)), tfp_times(f.n, f.k));
    tfp_traffic_reads_all(w);
    tfp_traffic_writes(w, flat || both ? 3 : 2, flat || both ? dims : dims + 1, a->scalar_type);
}

void tfp_traffic_linear(tfp_traffic_work *w, int how)
{
    tfp_factors f;
    if (!factors_of(&(tfp_traffic_rule){ .of = tfp_traffic_linear, .how = how }, w->c, &f)) {
        unknown_size(w);
        return;
    }
    w->t->type = arg(w->c, 0)->type;
    write_product(w, &f, arg(w->c, 0)->scalar_type);
}

/* ---- convolutions ---- */

enum { SPACE = 3 }; /* most spatial dimensions */

typedef struct window {
    int count; /* spatial dimensions */
    int64_t stride[SPACE], padding[SPACE], dilation[SPACE], groups;
    bool transposed;
    tfp_aten_input image; /* with a batch */
    const tfp_aten_input *weights;
} window;

static bool window_of(const tfp_aten_call *c, int how, window *out)
{
    static const struct {
        int image, stride, padding, dilation, transposed, groups;
    } places[] = {
        { 0, 3, 4, 5, -1, 6 }, { 0, 3, 2, 4, -1, 5 }, { 0, 4, 3, 5, -1, 6 }, { 1, 4, 5, 6, 7, 9 }, { 0, 3, 4, 5, 6, 8 }
    };
    int at = how < PLAIN ? 4 : how - PLAIN;
    *out = (window){ .weights = arg(c, places[at].image + 1) };
    const tfp_aten_input *x = arg(c, places[at].image), *w = out->weights;
    if (!x->tensor || !w->tensor || w->rank < 3 || w->rank > 2 + SPACE) return false;
    out->image = *x;
    if (x->rank + 1 == w->rank) { /* one image without a batch */
        memmove(out->image.dims + 1, x->dims, (size_t)x->rank * sizeof *x->dims);
        out->image.dims[0] = 1;
        out->image.rank++;
    }
    out->count = w->rank - 2;
    if (places[at].transposed >= 0) out->transposed = tfp_str_eq(arg(c, places[at].transposed)->value, TFP_STR("True"));
    return out->image.rank == w->rank && tfp_aten_spread(arg(c, places[at].stride), out->stride, out->count) &&
           tfp_aten_spread(arg(c, places[at].padding), out->padding, out->count) &&
           tfp_aten_spread(arg(c, places[at].dilation), out->dilation, out->count) &&
           tfp_parse_int64(arg(c, places[at].groups)->value, &out->groups) && out->groups > 0;
}

/* The size of the result in a spatial dimension; of a transposed convolution without what is added to its output. */
static int64_t size_after(const window *v, int i)
{
    tfp_window_axis a = { dim(&v->image, i + 2), dim(v->weights, i + 2), v->stride[i], v->dilation[i],
                          tfp_times(2, v->padding[i]) };
    if (!v->transposed || a.stride < 1) return tfp_window_positions(&a);
    int64_t whole = tfp_plus(tfp_times(a.size - 1, a.stride), tfp_plus(tfp_times(a.dilation, a.window - 1), 1));
    return tfp_minus(whole, a.padding);
}

void tfp_traffic_convolution(tfp_traffic_work *w, int how)
{
    window v;
    int64_t dims[2 + SPACE], places = 1;
    if (!window_of(w->c, how, &v)) {
        unknown_size(w);
        return;
    }
    dims[0] = dim(&v.image, 0);
    dims[1] = v.transposed ? tfp_times(dim(v.weights, 1), v.groups) : dim(v.weights, 0);
    for (int i = 0; i < v.count; i++) {
        dims[i + 2] = size_after(&v, i);
        places = tfp_times(places, v.transposed ? dim(&v.image, i + 2) : dims[i + 2]);
    }
    w->t->flops = tfp_times(2, tfp_convolution_macs(elements(v.weights), dims[0], places));
    tfp_traffic_reads(w, arg(w->c, 0));
    tfp_traffic_reads(w, arg(w->c, 1));
    if (how < CUDNN || how == MIOPEN) tfp_traffic_reads(w, arg(w->c, 2)); /* the bias */
    tfp_traffic_writes(w, v.count + 2, dims, v.image.scalar_type);
}

/* Gradients of the input and of the weights, where the mask asks for them. */
void tfp_traffic_convolution_backward(tfp_traffic_work *w, int how)
{
    window v;
    const tfp_aten_input *grad = arg(w->c, 0);
    tfp_str mask = arg(w->c, 10)->value;
    if (!window_of(w->c, how, &v) || grad->rank != v.image.rank || !mask.size) {
        unknown_size(w);
        return;
    }
    bool input = tfp_str_has(mask, TFP_STR("[True")), weights = tfp_str_has(mask, TFP_STR(", True,"));
    const tfp_aten_input *at = v.transposed ? &v.image : grad;
    int64_t one = tfp_convolution_macs(elements(v.weights), dim(grad, 0), product(at, 2, at->rank));
    w->t->flops = tfp_times(2 * (input + weights), one);
    for (int i = 0; i < 3; i++) tfp_traffic_reads(w, arg(w->c, i));
    tfp_traffic_writes_as(w, arg(w->c, input ? 1 : 2));
    if (input && weights)
        w->t->bytes = tfp_plus(w->t->bytes, tfp_times(elements(v.weights), tfp_scalar_bytes(v.weights->scalar_type)));
}

/* ---- attention ---- */

typedef struct heads {
    int64_t batch, heads, kv_heads, queries, keys, width, value_width;
    bool causal;
} heads;

/* `first`: the argument with the queries. */
static bool heads_of(const tfp_aten_call *c, int first, int how, heads *out)
{
    const tfp_aten_input *q = arg(c, first), *k = arg(c, first + 1), *v = arg(c, first + 2),
                         *sign = arg(c, how & ARGUMENT);
    bool length_first = how & LENGTH_FIRST;
    int head = length_first ? 2 : 1, length = length_first ? 1 : 2;
    if (!q->tensor || q->rank != 4 || k->rank != 4 || v->rank != 4) return false;
    *out =
        (heads){ dim(q, 0), dim(q, head), dim(k, head), dim(q, length), dim(k, length), dim(q, 3), dim(v, 3), false };
    int64_t mask = 0;
    bool yes = tfp_str_eq(sign->value, TFP_STR("True")) || (tfp_parse_int64(sign->value, &mask) && mask == 1);
    out->causal = yes && out->queries == out->keys;
    return true;
}

/* Pairs of a query and a key, over all heads. */
static int64_t pairs_of(const heads *h)
{
    int64_t pairs = tfp_times(h->queries, h->keys), all = tfp_times(h->batch, h->heads);
    if (h->causal && pairs > 0) pairs = (pairs + h->queries) / 2;
    return tfp_times(all, pairs);
}

void tfp_traffic_attention(tfp_traffic_work *w, int how)
{
    heads h;
    const tfp_aten_input *q = arg(w->c, 0);
    if (!heads_of(w->c, 0, how, &h)) {
        unknown_size(w);
        return;
    }
    w->t->type = q->type;
    w->t->causal = h.causal;
    w->t->flops = tfp_times(2, tfp_attention_macs(pairs_of(&h), h.width, h.value_width, false));
    for (int i = 0; i < 3; i++) tfp_traffic_reads(w, arg(w->c, i));
    int64_t dims[4] = { q->dims[0], q->dims[1], q->dims[2], h.value_width };
    tfp_traffic_writes(w, 4, dims, q->scalar_type);
}

/* Gradients of queries, keys and values are written. */
void tfp_traffic_attention_backward(tfp_traffic_work *w, int how)
{
    heads h;
    if (!heads_of(w->c, 1, how, &h)) {
        unknown_size(w);
        return;
    }
    w->t->type = arg(w->c, 1)->type;
    w->t->causal = h.causal;
    w->t->flops = tfp_times(2, tfp_attention_macs(pairs_of(&h), h.width, h.value_width, true));
    for (int i = 0; i < 4; i++) tfp_traffic_reads(w, arg(w->c, i));
    tfp_traffic_reads(w, arg(w->c, how & OUT_LATER ? how & OUT_AT_6 ? 6 : 5 : 4)); /* the result of the forward pass */
    tfp_traffic_writes_as(w, arg(w->c, 1));
    w->t->bytes = tfp_plus(w->t->bytes, tfp_plus(w->t->in[2].bytes, w->t->in[3].bytes));
}

/* ---- shapes ---- */

static void put_numbers(tfp_buf *b, const char *name, const int64_t *at, int count)
{
    bool equal = true;
    for (int i = 1; i < count; i++) equal &= at[i] == at[0];
    tfp_buf_text(b, name);
    for (int i = 0; i < (equal ? 1 : count); i++) {
        if (i) tfp_buf_char(b, ',');
        tfp_buf_int(b, at[i]);
    }
}

static void put_dims(tfp_buf *b, const int64_t *dims, int count)
{
    for (int i = 0; i < count; i++) {
        if (i) tfp_buf_char(b, 'x');
        tfp_buf_int(b, dims[i]);
    }
}

static void put_convolution(const tfp_aten_call *c, int how, tfp_buf *b)
{
    window v;
    if (!window_of(c, how, &v)) return;
    put_dims(b, v.image.dims, v.image.rank);
    tfp_buf_char(b, '>');
    int64_t made = v.transposed ? tfp_times(dim(v.weights, 1), v.groups) : dim(v.weights, 0);
    tfp_buf_int(b, made);
    tfp_buf_char(b, 'x');
    put_dims(b, v.weights->dims + 2, v.count);
    put_numbers(b, " s", v.stride, v.count);
    put_numbers(b, " p", v.padding, v.count);
    put_numbers(b, " d", v.dilation, v.count);
    put_numbers(b, " g", &v.groups, 1);
}

static void put_attention(const tfp_traffic_rule *r, const tfp_aten_call *c, tfp_buf *b)
{
    heads h;
    if (!heads_of(c, r->of == tfp_traffic_attention_backward, r->how, &h)) return;
    int64_t lengths[] = { h.queries, h.keys, h.width };
    put_dims(b, (int64_t[]){ h.batch, h.heads }, 2);
    if (h.kv_heads != h.heads) {
        tfp_buf_char(b, '/');
        tfp_buf_int(b, h.kv_heads);
    }
    tfp_buf_char(b, 'x');
    put_dims(b, lengths, 3);
    if (h.causal) tfp_buf_text(b, " causal");
}

/* 'n': the last dimension has stride 1; else 't'; 0: unknown. */
static char order_of(const tfp_aten_input *in, int last)
{
    if (!in->strided || in->rank < 1) return 0;
    return in->strides[last < 0 ? last + in->rank : last] == 1 ? 'n' : 't';
}

static void put_product(const tfp_traffic_rule *r, const tfp_aten_call *c, tfp_buf *b, char transposed[3])
{
    tfp_factors f;
    bool of_linear = r->of == tfp_traffic_linear;
    int first = of_linear ? 0 : r->how & 1;
    if (!factors_of(r, c, &f)) return;
    int64_t dims[] = { f.b, f.m, f.n, f.k };
    put_dims(b, f.b == 1 ? dims + 1 : dims, f.b == 1 ? 3 : 4);
    transposed[0] = order_of(arg(c, first), -1);
    transposed[1] = order_of(arg(c, first + 1), of_linear ? 0 : -1); /* a linear layer's weights are turned */
    if (!transposed[0] || !transposed[1]) transposed[0] = 0;
}

void tfp_traffic_shape(const tfp_traffic_rule *r, const tfp_aten_call *c, tfp_buf *shape, char transposed[3])
{
    memset(transposed, 0, 3);
    if (!r) return;
    if (r->class == TFP_WORK_PRODUCT) put_product(r, c, shape, transposed);
    if (r->class == TFP_WORK_CONVOLUTION) put_convolution(c, r->how, shape);
    if (r->class == TFP_WORK_ATTENTION) put_attention(r, c, shape);
}
