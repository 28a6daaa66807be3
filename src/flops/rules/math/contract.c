// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/contract.c: contractions: Einsum by its equation, XLA's general product and convolution by their
 * numbered dimensions. A contraction of two operands takes one multiply-add for each combination of all its indices. */
#include "flops/rules/shared/rule.h"
#include "wire/proto.h"

#include <math.h>

/* ---- Einsum: the equation ---- */

enum { EQUATION_MAX = 512 };
enum { LABELS = 256, DOTS = '.' }; /* a label is a byte; '.' stands for all dims of the ellipsis */
#define IN_RESULT UINT32_MAX       /* as "last operand with this label" */
#define NO_DOTS SIZE_MAX           /* as "position of the ellipsis" */

typedef struct einsum {
    int64_t size[LABELS]; /* of each index */
    bool used[LABELS];
    uint32_t last[LABELS];       /* the last operand with this label */
    int64_t wide[TFP_RANK_MOST]; /* dims of the ellipses, broadcast; the last dim first */
    int wide_rank;               /* or TFP_RANK_UNKNOWN */
    char text[EQUATION_MAX];     /* the equation without blanks */
    tfp_str operands, result;    /* its sides */
    const char *wrong;
} einsum;

/* Takes the text before `end` off *rest; false when there is no `end`, and then takes all of it. */
static bool cut(tfp_str *rest, const char *end, tfp_str *part)
{
    size_t size = strlen(end);
    *part = *rest;
    for (size_t i = 0; i + size <= rest->size; i++) {
        if (memcmp(rest->data + i, end, size) != 0) continue;
        part->size = i;
        *rest = (tfp_str){ rest->data + i + size, rest->size - i - size };
        return true;
    }
    rest->size = 0;
    return false;
}

static size_t find_dots(einsum *e, tfp_str labels)
{
    size_t at = NO_DOTS, periods = 0;
    for (size_t i = 0; i < labels.size; i++)
        if (labels.data[i] == DOTS && periods++ == 0) at = i;
    bool ellipsis = periods == 3 && at + 3 <= labels.size && memcmp(labels.data + at, "...", 3) == 0;
    if (periods && !ellipsis) e->wrong = "periods that are no ellipsis";
    return at;
}

static void use_label(einsum *e, char label, int64_t size, uint32_t operand)
{
    int64_t *known = &e->size[(uint8_t)label];
    if (!e->used[(uint8_t)label]) *known = size;
    if (*known >= 0 && size >= 0 && *known != size) e->wrong = "an index with two sizes";
    *known = tfp_either_count(*known, size);
    e->used[(uint8_t)label] = true;
    e->last[(uint8_t)label] = operand;
}

/* The ellipsis of one operand: dims [from, from + count), broadcast to those of the others. */
static void use_dots(einsum *e, tfp_dims in, size_t from, int count, uint32_t operand)
{
    use_label(e, DOTS, TFP_DIM_UNKNOWN, operand);
    if (in.rank < 0) e->wide_rank = TFP_RANK_UNKNOWN;
    if (e->wide_rank < 0) return;
    for (int k = 0; k < count; k++) {
        int64_t a = k < e->wide_rank ? e->wide[k] : 1, b = in.at[(int)from + count - 1 - k];
        if (a > 1 && b >= 0 && b != 1 && a != b) e->wrong = "dims of ellipses that cannot be broadcast";
        e->wide[k] = a == 1 ? b : b == 1 ? a : a > 1 ? a : b > 1 ? b : a == b ? a : TFP_DIM_UNKNOWN;
    }
    if (count > e->wide_rank) e->wide_rank = count;
}

static void use_operand(einsum *e, tfp_str labels, tfp_dims in, uint32_t operand)
{
    size_t dots = find_dots(e, labels), named = labels.size - (dots == NO_DOTS ? 0 : 3);
    if (e->wrong) return;
    bool fits = in.rank < 0 || (dots == NO_DOTS ? named == (size_t)in.rank : named <= (size_t)in.rank);
    if (!fits) {
        e->wrong = "an operand of another rank than its labels";
        return;
    }
    for (size_t i = 0; i < labels.size; i++) {
        if (i == dots)
            i += 2;
        else if (in.rank < 0)
            use_label(e, labels.data[i], TFP_DIM_UNKNOWN, operand);
        else if (i < dots)
            use_label(e, labels.data[i], in.at[i], operand);
        else
            use_label(e, labels.data[i], tfp_dim(in, (int)i - (int)labels.size), operand);
    }
    if (dots != NO_DOTS) use_dots(e, in, dots, in.rank < 0 ? 0 : in.rank - (int)named, operand);
}

/* Copies the equation. ONNX's has blanks that mean nothing; in TensorFlow's a blank is a label like others. */
static tfp_str copied(einsum *e, tfp_str equation, bool onnx)
{
    size_t size = 0;
    for (size_t i = 0; i < equation.size; i++) {
        if (onnx && equation.data[i] == ' ') continue;
        if (size == EQUATION_MAX - LABELS) { /* the rest is for a result that the equation leaves out */
            e->wrong = "a long equation";
            break;
        }
        e->text[size++] = equation.data[i];
    }
    return (tfp_str){ e->text, size };
}

/* Without "->" the result has the ellipsis and the letters that occur once, in alphabetical order. */
static tfp_str usual_result(einsum *e)
{
    char *at = e->text + e->operands.size, *end = at;
    if (tfp_str_find(e->operands, TFP_STR("...")) != SIZE_MAX)
        for (int i = 0; i < 3; i++) *end++ = DOTS;
    for (int label = 'A'; label <= 'z'; label++) {
        size_t count = 0;
        for (size_t i = 0; i < e->operands.size; i++) count += e->operands.data[i] == label;
        if (count == 1) *end++ = (char)label;
    }
    return (tfp_str){ at, (size_t)(end - at) };
}

/* Reads the equation and the operands; sets e->wrong when they do not fit. */
static void read_einsum(const tfp_op *op, einsum *e)
{
    memset(e, 0, sizeof *e);
    tfp_str labels;
    bool onnx = !tfp_attr_given(op, "T"); /* TensorFlow's nodes always have their type */
    e->result = copied(e, tfp_attr_text(op, "equation", ""), onnx);
    if (!cut(&e->result, "->", &e->operands)) {
        e->result = usual_result(e);
        if (!onnx) e->wrong = "an equation without a result";
    }
    bool more = true;
    uint32_t operand = 0;
    for (tfp_str rest = e->operands; more && !e->wrong; operand++) {
        more = cut(&rest, ",", &labels);
        use_operand(e, labels, tfp_in(op, operand), operand);
    }
    if (operand != op->in_count || more) e->wrong = e->wrong ? e->wrong : "operands and equation of different number";
    for (size_t i = 0; i < e->result.size; i++) e->last[(uint8_t)e->result.data[i]] = IN_RESULT;
    if (!e->used[DOTS]) return;
    e->size[DOTS] = e->wide_rank < 0 ? TFP_DIM_UNKNOWN : tfp_elements((tfp_dims){ e->wide_rank, e->wide });
}

static void einsum_shape(tfp_op *op)
{
    einsum e;
    int64_t dims[TFP_RANK_MOST];
    int rank = 0;
    read_einsum(op, &e);
    size_t dots = find_dots(&e, e.result);
    bool wide = dots != NO_DOTS;
    if (!wide && e.wide_rank > 0) e.wrong = "an ellipsis that the result lacks";
    if (wide && e.wide_rank < 0 && !e.wrong) return;
    for (size_t i = 0; i < e.result.size && !e.wrong; i++) {
        int count = i == dots ? e.wide_rank : 1;
        uint8_t label = (uint8_t)e.result.data[i];
        if (rank + count > TFP_RANK_MOST) return;
        if (i != dots && !e.used[label]) e.wrong = "a result with an index of no operand";
        if (i != dots) dims[rank] = e.size[label];
        for (int k = 0; i == dots && k < count; k++) dims[rank + k] = e.wide[count - 1 - k];
        rank += count;
        if (i == dots) i += 2;
    }
    if (e.wrong)
        tfp_wrong(op, e.wrong);
    else
        tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

/* ---- Einsum: the count ---- */

static int64_t all_choices(const einsum *e, const bool *labels)
{
    int64_t n = 1;
    for (int i = 0; i < LABELS; i++)
        if (labels[i]) n = tfp_times(n, e->size[i]);
    return n;
}

/* One operand is only summed. Several are multiplied from left to right; an index that neither a later operand nor the
 * result has is summed at once. */
static tfp_cost count_einsum(const tfp_op *op)
{
    einsum e;
    bool have[LABELS] = { false };
    int64_t macs = 0;
    read_einsum(op, &e);
    if (e.wrong) return tfp_cost_of(TFP_UNKNOWN);
    if (op->in_count < 2) {
        int64_t in = all_choices(&e, e.used), out = tfp_out_size(op, 0);
        return tfp_cost_of(in >= 0 && out > in ? 0 : tfp_minus(in, out));
    }
    tfp_str labels, rest = e.operands;
    for (uint32_t operand = 0; operand < op->in_count; operand++) {
        cut(&rest, ",", &labels);
        for (size_t i = 0; i < labels.size; i++) have[(uint8_t)labels.data[i]] = true;
        if (operand > 0) macs = tfp_plus(macs, all_choices(&e, have));
        for (int i = 0; i < LABELS && operand > 0; i++) have[i] &= e.last[i] > operand;
    }
    return tfp_cost_macs(macs);
}

/* ---- XLA: dimensions by their numbers, in a message of its own ---- */

typedef struct numbers {
    int64_t at[TFP_RANK_MOST];
    int count;
} numbers;

/* Reads a repeated int64 field of a message; false when one is not a dim of that rank. */
static bool read_numbers(tfp_str message, uint32_t field, int rank, numbers *out)
{
    tfp_wire w = tfp_wire_start(message);
    out->count = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != field) continue;
        uint64_t value;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &value);) {
            if (out->count == TFP_RANK_MOST || value >= (uint64_t)rank) return false;
            out->at[out->count++] = (int64_t)value;
        }
    }
    return !w.fault;
}

static bool has_number(const numbers *n, int64_t value)
{
    for (int i = 0; i < n->count; i++)
        if (n->at[i] == value) return true;
    return false;
}

/* ---- XlaDot: DotDimensionNumbers ---- */

typedef struct dot {
    numbers lhs_contracted, rhs_contracted, lhs_batch, rhs_batch;
} dot;

static bool read_dot(const tfp_op *op, dot *d)
{
    tfp_str message = tfp_attr_text(op, "dimension_numbers", "");
    int lhs = tfp_in(op, 0).rank, rhs = tfp_in(op, 1).rank;
    if (lhs < 0 || rhs < 0) return false;
    return read_numbers(message, 1, lhs, &d->lhs_contracted) && read_numbers(message, 2, rhs, &d->rhs_contracted) &&
           read_numbers(message, 3, lhs, &d->lhs_batch) && read_numbers(message, 4, rhs, &d->rhs_batch) &&
           d->lhs_contracted.count == d->rhs_contracted.count && d->lhs_batch.count == d->rhs_batch.count;
}

/* Appends the dims that are neither contracted nor batch dims. */
static int add_free(int64_t *dims, int rank, tfp_dims in, const numbers *contracted, const numbers *batch)
{
    for (int i = 0; i < in.rank; i++)
        if (!has_number(contracted, i) && !has_number(batch, i)) dims[rank++] = in.at[i];
    return rank;
}

static void dot_shape(tfp_op *op)
{
    tfp_dims a = tfp_in(op, 0), b = tfp_in(op, 1);
    int64_t dims[3 * TFP_RANK_MOST];
    int rank = 0;
    dot d;
    if (a.rank < 0 || b.rank < 0) return;
    if (tfp_wrong_if(op, !read_dot(op, &d), "dimension numbers that do not fit")) return;
    for (int i = 0; i < d.lhs_contracted.count; i++)
        tfp_merge_dim(op, a.at[d.lhs_contracted.at[i]], b.at[d.rhs_contracted.at[i]]);
    for (int i = 0; i < d.lhs_batch.count; i++)
        dims[rank++] = tfp_merge_dim(op, a.at[d.lhs_batch.at[i]], b.at[d.rhs_batch.at[i]]);
    rank = add_free(dims, rank, a, &d.lhs_contracted, &d.lhs_batch);
    rank = add_free(dims, rank, b, &d.rhs_contracted, &d.rhs_batch);
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

static tfp_cost count_dot(const tfp_op *op)
{
    tfp_dims a = tfp_in(op, 0), b = tfp_in(op, 1);
    int64_t macs = tfp_out_size(op, 0);
    dot d;
    if (!read_dot(op, &d)) return tfp_cost_of(TFP_UNKNOWN);
    for (int i = 0; i < d.lhs_contracted.count; i++)
        macs = tfp_times(macs, tfp_either_count(a.at[d.lhs_contracted.at[i]], b.at[d.rhs_contracted.at[i]]));
    return tfp_cost_macs(macs);
}

/* ---- XlaConv: ConvolutionDimensionNumbers ---- */

typedef struct conv {
    int64_t in_batch, kernel_in, kernel_out, out_batch, out_feature; /* dims */
    numbers in_space, kernel_space, out_space;
} conv;

/* A singular field; protobuf leaves out 0. */
static int64_t read_number(tfp_str message, uint32_t field)
{
    int64_t value = 0;
    tfp_wire w = tfp_wire_start(message);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == field && f.type == TFP_VARINT) value = (int64_t)f.value;
    return value;
}

static bool is_dim(int64_t dim, int rank) { return dim >= 0 && dim < rank; }

static bool read_conv(const tfp_op *op, conv *c)
{
    tfp_str message = tfp_attr_text(op, "dimension_numbers", "");
    int rank = tfp_in(op, 0).rank;
    if (rank < 2 || tfp_in(op, 1).rank != rank) return false;
    c->kernel_in = read_number(message, 3);
    c->kernel_out = read_number(message, 4);
    c->in_batch = read_number(message, 7);
    c->out_batch = read_number(message, 9);
    c->out_feature = read_number(message, 10);
    bool sound = is_dim(c->kernel_in, rank) && is_dim(c->kernel_out, rank) && is_dim(c->in_batch, rank) &&
                 is_dim(c->out_batch, rank) && is_dim(c->out_feature, rank);
    return sound && read_numbers(message, 6, rank, &c->kernel_space) && read_numbers(message, 11, rank, &c->in_space) &&
           read_numbers(message, 12, rank, &c->out_space) && c->in_space.count == rank - 2 &&
           c->kernel_space.count == rank - 2 && c->out_space.count == rank - 2;
}

/* Element k of input i, when it is a whole number of a sensible size. */
static bool setting(const tfp_op *op, uint32_t i, int64_t k, int64_t *out)
{
    const double *x = tfp_in_elements(op, i);
    if (!x || k >= tfp_in_size(op, i) || !(x[k] >= INT32_MIN && x[k] <= INT32_MAX) || x[k] != floor(x[k])) return false;
    *out = (int64_t)x[k];
    return true;
}

/* Places of the window along spatial dim k; dilation puts holes between elements. */
static int64_t window_places(const tfp_op *op, int64_t k, int64_t in, int64_t window)
{
    int64_t stride, low, high, in_dilation, window_dilation;
    bool known = setting(op, 2, k, &stride) && setting(op, 3, 2 * k, &low) && setting(op, 3, 2 * k + 1, &high) &&
                 setting(op, 4, k, &in_dilation) && setting(op, 5, k, &window_dilation);
    if (!known || in < 0 || window < 1 || stride < 1 || in_dilation < 1 || window_dilation < 1) return TFP_DIM_UNKNOWN;
    if (in > INT32_MAX || window > INT32_MAX) return TFP_DIM_UNKNOWN; /* prevents overflow below */
    int64_t across = (in == 0 ? 0 : (in - 1) * in_dilation + 1) + low + high;
    int64_t reach = (window - 1) * window_dilation + 1;
    return across < reach ? 0 : (across - reach) / stride + 1;
}

static void conv_shape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), kernel = tfp_in(op, 1);
    int64_t dims[TFP_RANK_MOST], groups = tfp_attr_int(op, "batch_group_count", 1);
    conv c;
    if (in.rank >= 0) tfp_set(op, 0, tfp_any_of_rank(op, in.rank));
    if (!read_conv(op, &c)) return;
    for (int i = 0; i < in.rank; i++) dims[i] = TFP_DIM_UNKNOWN;
    for (int k = 0; k < c.in_space.count; k++)
        dims[c.out_space.at[k]] = window_places(op, k, in.at[c.in_space.at[k]], kernel.at[c.kernel_space.at[k]]);
    dims[c.out_feature] = kernel.at[c.kernel_out];
    dims[c.out_batch] = tfp_over(in.at[c.in_batch], groups);
    tfp_set(op, 0, tfp_shape_of(op, dims, in.rank));
}

static tfp_cost count_conv(const tfp_op *op)
{
    tfp_dims kernel = tfp_in(op, 1);
    int64_t macs = tfp_out_size(op, 0);
    conv c;
    if (!read_conv(op, &c)) return tfp_cost_of(TFP_UNKNOWN);
    macs = tfp_times(macs, kernel.at[c.kernel_in]);
    for (int k = 0; k < c.kernel_space.count; k++) macs = tfp_times(macs, kernel.at[c.kernel_space.at[k]]);
    return tfp_cost_macs(macs);
}

/* The last members of rows in the table below. */
#define EINSUM                                                                                                         \
    count_einsum, 0, "2 * product of all indices",                                                                     \
        "a multiply-add for each combination of indices; several operands left to right"
#define DOT count_dot, 0, "2 * contracted dims * n(out)", "a multiply-add for each combination of indices"
#define CONV count_conv, 0, "2 * n(out) * window * input features of the kernel", "as Conv2D"

const tfp_op_rule tfp_rules_contract[] = {
    { "Einsum XlaEinsum _MklEinsum", einsum_shape, EINSUM },
    { "XlaDot XlaDotV2", dot_shape, DOT },
    { "XlaConv XlaConvV2", conv_shape, CONV },
    { NULL },
};
