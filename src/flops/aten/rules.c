// SPDX-License-Identifier: Apache-2.0
/* flops/aten/rules.c: how PyTorch's operators are counted; the table itself is rules.def, one row a formula. Functions
 * of one element count as in TensorFlow's registry (src/flops/rules/math/math.c), so that models of both can be
 * compared. Products, convolutions and attention count as in torch.utils.flop_counter: two operations for each
 * multiply-add. */
#include "flops/aten/count.h"

static tfp_aten_cost steps(const tfp_aten_call *c, int64_t flops, int64_t out)
{
    return (tfp_aten_cost){ flops, 0, tfp_aten_moved(c, out) };
}

/* ---- elements ---- */

/* Elements of argument `of`. */
static tfp_aten_cost each_in(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    int64_t n = elements(arg(c, r->of));
    return steps(c, tfp_times(r->each, n), n);
}

/* The result of a reduction is taken to be negligibly small. */
static tfp_aten_cost reduced(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    return steps(c, tfp_times(r->each, elements(arg(c, 0))), 0);
}

/* Elements of the shape that all tensors broadcast to. */
static int64_t broadcast(const tfp_aten_call *c)
{
    int64_t n = 1;
    bool any = false;
    for (int back = 1; back <= TFP_ATEN_RANK; back++) {
        int64_t most = 1;
        for (int i = 0; i < c->count; i++) {
            const tfp_aten_input *in = &c->in[i];
            if (in->list) return UNKNOWN;
            any |= in->tensor;
            int64_t d = in->tensor && in->rank >= back ? in->dims[in->rank - back] : 1;
            if (d < 0) return UNKNOWN;
            if (d != 1) most = d;
        }
        n = tfp_times(n, most);
    }
    return any ? n : UNKNOWN;
}

static tfp_aten_cost each_out(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    int64_t n = broadcast(c);
    return steps(c, tfp_times(r->each, n), n);
}

/* Lists of tensors, as optimizers take them: counts the elements of the first list. */
static tfp_aten_cost each_listed(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    int64_t n = arg(c, 0)->list ? arg(c, 0)->elements : UNKNOWN;
    return (tfp_aten_cost){ tfp_times(r->each, n), 0, UNKNOWN };
}

/* ---- products ---- */

static tfp_aten_cost product_cost(const tfp_aten_call *c, bool known, const tfp_factors *f)
{
    int64_t out = known ? tfp_times(tfp_times(f->b, f->m), f->n) : UNKNOWN;
    return known ? tfp_aten_products(c, tfp_times(out, f->k), out) : unknown;
}

/* A product of two matrices, a matrix and a vector, or of a batch of matrices, the first of them at `each`. */
static tfp_aten_cost count_product(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    tfp_factors f;
    return product_cost(c, tfp_aten_product_of(arg(c, (int)r->each), arg(c, (int)r->each + 1), &f), &f);
}

static tfp_aten_cost count_dot(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    return tfp_aten_products(c, elements(arg(c, r->of)), 1);
}

static tfp_aten_cost count_outer(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    int64_t n = tfp_times(elements(arg(c, (int)r->each)), elements(arg(c, (int)r->each + 1)));
    return steps(c, r->each ? tfp_times(2, n) : n, n);
}

static tfp_aten_cost count_linear(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    tfp_factors f;
    (void)r;
    return product_cost(c, tfp_aten_linear_of(arg(c, 0), arg(c, 1), &f), &f);
}

/* ---- convolutions ---- */

typedef struct window {
    int64_t stride[TFP_ATEN_RANK], padding[TFP_ATEN_RANK], dilation[TFP_ATEN_RANK];
} window;

/* Positions of the window in all dimensions together. */
static int64_t places(const tfp_aten_input *x, const tfp_aten_input *w, const window *v)
{
    int64_t n = 1;
    for (int i = 0; i < x->rank - 2; i++)
        n = tfp_times(n, tfp_window_positions(&(tfp_window_axis){ dim(x, i + 2), dim(w, i + 2), v->stride[i],
                                                                  v->dilation[i], tfp_times(2, v->padding[i]) }));
    return n;
}

/* Positions of a convolution's arguments. transposed: -1 when there is no such argument. */
typedef struct conv_arguments {
    int stride, padding, dilation, transposed;
} conv_arguments;

/* With padding="same" there is a place for each element that the stride does not skip. */
static int64_t same_places(const tfp_aten_input *x, const int64_t *stride)
{
    int64_t n = 1;
    for (int i = 2; i < x->rank; i++) {
        if (dim(x, i) < 0 || stride[i - 2] < 1) return UNKNOWN;
        n = tfp_times(n, dim(x, i) / stride[i - 2] + (dim(x, i) % stride[i - 2] != 0));
    }
    return n;
}

/* Window positions of a forward convolution of `x` with `w`. A transposed one puts the window at each element of its
 * input. */
static int64_t conv_places(const tfp_aten_call *c, const tfp_aten_input *x, const tfp_aten_input *w, conv_arguments a)
{
    window v;
    int count = x->rank - 2;
    if (!x->tensor || !w->tensor || x->rank < 3 || x->rank != w->rank) return UNKNOWN;
    if (a.transposed >= 0 && !arg(c, a.transposed)->value.size) return UNKNOWN;
    if (a.transposed >= 0 && tfp_str_eq(arg(c, a.transposed)->value, TFP_STR("True"))) return product(x, 2, x->rank);
    tfp_str padding = arg(c, a.padding)->value;
    bool valid = tfp_str_eq(padding, TFP_STR("valid"));
    for (int i = 0; valid && i < count; i++) v.padding[i] = 0;
    if (!tfp_aten_spread(arg(c, a.stride), v.stride, count)) return UNKNOWN;
    if (tfp_str_eq(padding, TFP_STR("same"))) return same_places(x, v.stride);
    if ((!valid && !tfp_aten_spread(arg(c, a.padding), v.padding, count)) ||
        !tfp_aten_spread(arg(c, a.dilation), v.dilation, count))
        return UNKNOWN;
    return places(x, w, &v);
}

/* The image; one image without a batch gets a batch of 1. */
static tfp_aten_input images_of(const tfp_aten_call *c)
{
    tfp_aten_input x = *arg(c, 0);
    if (!x.tensor || x.rank + 1 != arg(c, 1)->rank || x.rank >= TFP_ATEN_RANK) return x;
    memmove(x.dims + 1, x.dims, (size_t)x.rank++ * sizeof *x.dims);
    x.dims[0] = 1;
    return x;
}

/* The bytes written are known for plain convolutions only. */
static tfp_aten_cost conv_cost(const tfp_aten_call *c, int64_t at, int transposed)
{
    const tfp_aten_input image = images_of(c), *x = &image, *w = arg(c, 1);
    bool turned = transposed >= 0 && tfp_str_eq(arg(c, transposed)->value, TFP_STR("True"));
    int64_t out = turned ? UNKNOWN : tfp_times(tfp_times(dim(x, 0), dim(w, 0)), at);
    return tfp_aten_products(c, tfp_convolution_macs(elements(w), dim(x, 0), at), out);
}

static tfp_aten_cost count_convolution(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    tfp_aten_input x = images_of(c);
    return conv_cost(c, conv_places(c, &x, arg(c, 1), (conv_arguments){ 3, 4, 5, 6 }), 6);
}
/* The arguments from `each` on are stride, padding, dilation; of library kernels (`of` 1) padding, stride, dilation. */
static tfp_aten_cost count_plain_conv(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    int at = (int)r->each;
    conv_arguments arguments = { at + r->of, at + 1 - r->of, at + 2, -1 };
    tfp_aten_input x = images_of(c);
    return conv_cost(c, conv_places(c, &x, arg(c, 1), arguments), -1);
}
/* Each element of the input meets the weights of its channel. */
static tfp_aten_cost count_conv_transpose(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    tfp_aten_input x = images_of(c);
    const tfp_aten_input *w = arg(c, 1);
    bool fits = x.tensor && w->tensor && x.rank == w->rank && x.rank > 2;
    return tfp_aten_products(c, fits ? tfp_convolution_macs(elements(w), dim(&x, 0), product(&x, 2, x.rank)) : UNKNOWN,
                             UNKNOWN);
}

/* Gradients of the input and of the weights, where output_mask asks for them; each costs as much as the forward
 * pass. */
static tfp_aten_cost count_convolution_backward(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    const tfp_aten_input *grad = arg(c, 0), *x = arg(c, 1), *w = arg(c, 2);
    tfp_str mask = arg(c, 10)->value, turned = arg(c, 7)->value;
    bool input = tfp_str_has(mask, TFP_STR("[True")), weights = tfp_str_has(mask, TFP_STR(", True,"));
    if (!mask.size || !turned.size) return unknown;
    const tfp_aten_input *at = tfp_str_eq(turned, TFP_STR("True")) ? x : grad;
    int64_t one = tfp_convolution_macs(elements(w), dim(grad, 0), at->rank > 2 ? product(at, 2, at->rank) : UNKNOWN);
    int64_t out = tfp_plus(input ? elements(x) : 0, weights ? elements(w) : 0);
    return tfp_aten_products(c, tfp_times(one, input + weights), out);
}

/* ---- attention ---- */

/* `of` is the position of the queries, `each` 1 backward; shapes are batch, heads, length, width, or any batch before
 * length and width. */
static tfp_aten_cost count_attention(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    const tfp_aten_input *q = arg(c, r->of), *k = arg(c, r->of + 1), *v = arg(c, r->of + 2);
    int last = q->rank - 1;
    if (last < 1 || k->rank != q->rank || v->rank != q->rank) return unknown;
    int64_t scores = tfp_times(product(q, 0, last), dim(k, last - 1)),
            out = tfp_times(product(q, 0, last), dim(v, last));
    if (r->each) out = tfp_plus(elements(q), tfp_plus(elements(k), elements(v)));
    return tfp_aten_products(c, tfp_attention_macs(scores, dim(q, last), dim(v, last), r->each), out);
}

/* ---- norms, pooling, cells, embeddings ---- */

static tfp_aten_cost count_batch_norm(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    const tfp_aten_input *x = arg(c, 0);
    tfp_str training = arg(c, 5)->value;
    if (!training.size) return unknown;
    bool yes = tfp_str_eq(training, TFP_STR("True"));
    return steps(c, tfp_times(yes ? r->each : 2, elements(x)), elements(x));
}

/* One operation for each element of each window. Arguments: window 1, stride 2 (empty: the window), padding 3, dilation
 * 4 or none; `of`: whether to round up. */
static tfp_aten_cost count_pool(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    const tfp_aten_input *x = arg(c, 0);
    window v;
    tfp_aten_input w = { .tensor = true, .rank = x->rank };
    int64_t size[TFP_ATEN_RANK], looked = 1;
    int count = x->rank == 4 || x->rank == 5 ? x->rank - 2 : 0;
    if (!count || !tfp_aten_spread(arg(c, 1), size, count) || !tfp_aten_spread(arg(c, 3), v.padding, count))
        return unknown;
    if (!tfp_str_eq(arg(c, r->of)->value, TFP_STR("False"))) return unknown; /* the last windows may be cut */
    if (!tfp_aten_spread(arg(c, 2), v.stride, count)) memcpy(v.stride, size, sizeof size);
    for (int i = 0; i < count; i++) v.dilation[i] = 1;
    if (r->of > 4 && !tfp_aten_spread(arg(c, 4), v.dilation, count)) return unknown;
    for (int i = 0; i < count; i++) {
        w.dims[i + 2] = size[i];
        looked = tfp_times(looked, size[i]);
    }
    int64_t out = tfp_times(product(x, 0, 2), places(x, &w, &v));
    return steps(c, tfp_times(out, looked), out);
}
/* Each weight counts once for each step of each sequence; in the backward pass twice (each = 2). Tensors 1 and 2 are
 * the weights. */
static tfp_aten_cost count_layer(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    const tfp_aten_input *x = arg(c, 0);
    int64_t steps_of_all = x->rank == 3 ? product(x, 0, 2) : UNKNOWN;
    int64_t weights = tfp_plus(elements(arg(c, 1)), elements(arg(c, 2)));
    return tfp_aten_products(c, tfp_times(r->each, tfp_times(steps_of_all, weights)), UNKNOWN);
}
/* As count_layer, with the weights in a list. */
static tfp_aten_cost count_layers(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    const tfp_aten_input *x = arg(c, 0), *w = arg(c, 1);
    int64_t all = x->rank == 3 ? product(x, 0, 2) : UNKNOWN;
    return tfp_aten_products(c, tfp_times(r->each, tfp_times(all, w->list ? w->matrices : UNKNOWN)), UNKNOWN);
}

/* Layers of steps as torch.nn has them: (input, state, weights), or with packed steps (data, sizes, state, weights). */
static tfp_aten_cost count_recurrent(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    const tfp_aten_input *x = arg(c, 0), *w = arg(c, 3)->list ? arg(c, 3) : arg(c, 2);
    if (!x->tensor || x->rank < 2 || !w->list) return unknown;
    return tfp_aten_products(c, tfp_times(product(x, 0, x->rank - 1), w->matrices), UNKNOWN);
}
/* One step: (input, state, weights of both). */
static tfp_aten_cost count_cell(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    const tfp_aten_input *x = arg(c, 0);
    int64_t rows = x->tensor && x->rank > 0 ? product(x, 0, x->rank - 1) : UNKNOWN;
    return tfp_aten_products(c, tfp_times(rows, tfp_plus(elements(arg(c, 2)), elements(arg(c, 3)))), UNKNOWN);
}

/* ---- the table ---- */

#define EACH_IN(n, meaning) each_in, n, false, #n " * n(in0)", meaning
#define EACH_OUT(n, meaning) each_out, n, false, #n " * n(out)", meaning
#define REDUCED(n, meaning) reduced, n, false, #n " * n(in0)", meaning
#define LISTED(n, meaning) each_listed, n, false, #n " * n(first list)", meaning
static const tfp_aten_rule rules[] = {
#include "flops/aten/rules.def"
};

/* Operators of torch.distributed, by their own names and by those that compiled programs use. */
static bool is_collective(tfp_str name)
{
    static const char *const spaces[] = { "c10d::", "_c10d_functional::", "c10d_functional::" };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (tfp_str_begins(name, tfp_str_of(spaces[i]))) return true;
    return false;
}

const void *tfp_aten_row(tfp_str name, const void *rows, size_t count, size_t row_size, bool *in_place)
{
    tfp_str space = TFP_STR("aten::");
    *in_place = false;
    if (name.size <= space.size || name.size > 100 || !tfp_str_begins(name, space)) return NULL;
    name = (tfp_str){ name.data + space.size, name.size - space.size };
    for (int i = 0; i < 2; i++) {
        *in_place = i > 0;
        for (size_t k = 0; k < count; k++) {
            const char *const *names = (const void *)((const char *)rows + k * row_size);
            if (tfp_is_word(name, *names)) return names;
        }
        if (name.data[name.size - 1] != '_' || --name.size == 0) break;
    }
    return NULL;
}

const tfp_aten_rule *tfp_aten_find(tfp_str name)
{
    static const tfp_aten_rule collective = { .names = "", .formula = "0", .meaning = "moves data between processes" };
    bool in_place;
    if (tfp_str_eq(name, TFP_STR("higher_order::flex_attention"))) name = TFP_STR("aten::_flex_attention");
    if (is_collective(name)) return &collective;
    return tfp_aten_row(name, rules, sizeof rules / sizeof *rules, sizeof *rules, &in_place);
}
