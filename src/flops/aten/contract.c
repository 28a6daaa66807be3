// SPDX-License-Identifier: Apache-2.0
/* flops/aten/contract.c: contractions of any shape: matmul, tensordot, einsum. They count the multiply-adds of the products
 * (mm, bmm) of which PyTorch makes them; where nothing is summed it only multiplies elements. */
#include "flops/aten/count.h"

/* ---- two tensors ---- */

/* Dims before the last two are broadcast; a vector is a matrix of one row or column. */
tfp_aten_cost tfp_aten_count_matmul(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    const tfp_aten_input *x = arg(c, 0), *y = arg(c, 1);
    int64_t rows = x->rank == 1 ? 1 : dim(x, -2), columns = y->rank == 1 ? 1 : dim(y, -1), batch = 1;
    if (x->rank < 1 || y->rank < 1 || dim(x, -1) != (y->rank == 1 ? dim(y, 0) : dim(y, -2))) return unknown;
    for (int back = 3; back <= x->rank || back <= y->rank; back++) {
        int64_t a = back <= x->rank ? dim(x, -back) : 1, b = back <= y->rank ? dim(y, -back) : 1;
        if (a != b && a != 1 && b != 1) return unknown;
        batch = tfp_times(batch, a == 1 ? b : a);
    }
    int64_t out = tfp_times(batch, tfp_times(rows, columns));
    return tfp_aten_products(c, tfp_times(out, dim(x, -1)), out);
}

/* ---- products: their sizes, for the operators and for their traffic ---- */

bool tfp_aten_product_of(const tfp_aten_input *a, const tfp_aten_input *b, tfp_factors *f)
{
    bool vector = b->rank == 1,
         ranks = (a->rank == 2 && b->rank >= 1 && b->rank <= 2) || (a->rank == 3 && b->rank == 3);
    *f = (tfp_factors){ a->rank == 3 ? dim(a, 0) : 1, dim(a, -2), vector ? 1 : dim(b, -1), dim(a, -1) };
    return a->tensor && b->tensor && ranks && f->k == (vector ? dim(b, 0) : dim(b, -2));
}

bool tfp_aten_linear_of(const tfp_aten_input *x, const tfp_aten_input *weights, tfp_factors *f)
{
    *f = (tfp_factors){ 1, product(x, 0, x->rank - 1), dim(weights, 0), dim(weights, 1) };
    return x->tensor && x->rank > 0 && weights->rank == 2 && dim(x, -1) == dim(weights, 1);
}

/* [m, k] x [g, k, n]; [m, k] x [k, n] in groups of k; [g, m, k] x [k, n] in groups of n; [g, m, k] x [g, k, n]. */
bool tfp_aten_grouped_of(const tfp_aten_input *a, const tfp_aten_input *b, tfp_factors *f)
{
    bool ranks = a->tensor && b->tensor && a->rank >= 2 && a->rank <= 3 && b->rank >= 2 && b->rank <= 3;
    *f = (tfp_factors){ a->rank == 3 && b->rank == 3 ? dim(a, 0) : 1, dim(a, -2), dim(b, -1), dim(a, -1) };
    return ranks && f->k == dim(b, -2);
}

tfp_aten_cost tfp_aten_count_grouped(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    tfp_factors f;
    (void)r;
    if (!tfp_aten_grouped_of(arg(c, 0), arg(c, 1), &f)) return unknown;
    return tfp_aten_products(c, tfp_times(tfp_times(f.b, f.m), tfp_times(f.k, f.n)), UNKNOWN);
}

/* Sums over the dims of x that argument 2 lists. */
tfp_aten_cost tfp_aten_count_tensordot(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    const tfp_aten_input *x = arg(c, 0), *y = arg(c, 1);
    int64_t dims[TFP_ATEN_RANK], inner = 1;
    int count = tfp_aten_numbers(arg(c, 2), dims, TFP_ATEN_RANK);
    if (!arg(c, 2)->value.size || !x->tensor || !y->tensor) return unknown;
    for (int i = 0; i < count; i++) {
        if (dims[i] < -TFP_ATEN_RANK || dims[i] >= TFP_ATEN_RANK) return unknown;
        inner = tfp_times(inner, dim(x, (int)dims[i]));
    }
    int64_t all = tfp_times(elements(x), elements(y));
    return tfp_aten_products(c, all < 0 || inner < 1 ? UNKNOWN : all / inner, UNKNOWN);
}

tfp_aten_cost tfp_aten_count_inner(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    (void)r;
    const tfp_aten_input *x = arg(c, 0), *y = arg(c, 1);
    int64_t all = tfp_times(elements(x), elements(y)), inner = dim(x, -1);
    return tfp_aten_products(c, all < 0 || inner < 1 ? UNKNOWN : all / inner, UNKNOWN);
}

/* ---- einsum ---- */

enum {
    LABELS = 128 + TFP_ATEN_RANK,
    DOTS = 128,
    OPERANDS_MAX = 16
}; /* from DOTS on: dims of the ellipsis, the last first */

typedef struct labels {
    bool has[LABELS];
} labels;

typedef struct einsum {
    int64_t size[LABELS];
    labels operand[OPERANDS_MAX], result;
    int count;
} einsum;

/* The next letter of an equation, or '.' for an ellipsis; 0 at the end or at a comma. */
static int next_letter(tfp_str *s)
{
    while (s->size && s->data[0] == ' ') s->data++, s->size--;
    if (!s->size || s->data[0] == ',' || s->data[0] == '-') return 0;
    int c = (unsigned char)s->data[0];
    size_t n = c == '.' ? 3 : 1;
    if (n > s->size) return 0;
    *s = (tfp_str){ s->data + n, s->size - n };
    return c < 128 ? c : 0;
}

static bool use(einsum *e, labels *of, int label, int64_t size)
{
    if (size < 0 || (e->size[label] > 1 && size > 1 && e->size[label] != size)) return false;
    if (size > e->size[label]) e->size[label] = size;
    return of->has[label] = true;
}

static bool read_operand(einsum *e, tfp_str *s, const tfp_aten_input *in, labels *of)
{
    tfp_str ahead = *s;
    int named = 0, at = 0, c;
    for (int k; (k = next_letter(&ahead));) named += k != '.';
    if (named > in->rank) return false;
    while ((c = next_letter(s))) {
        int wide = in->rank - named;
        if (c != '.' && !use(e, of, c, dim(in, at++))) return false;
        for (int k = 0; c == '.' && k < wide; k++, at++)
            if (!use(e, of, DOTS + wide - 1 - k, dim(in, at))) return false;
    }
    return at == in->rank;
}

/* Without "->" the result has the ellipsis and the letters that occur once. */
static void usual_result(einsum *e, tfp_str operands)
{
    for (int c = 0; c < DOTS; c++) {
        size_t n = 0;
        for (size_t i = 0; i < operands.size; i++) n += operands.data[i] == c;
        e->result.has[c] = n == 1 && c != ',' && c != ' ' && c != '.';
    }
    for (int c = DOTS; c < LABELS; c++) e->result.has[c] = true;
}

static bool read_einsum(const tfp_aten_call *c, einsum *e)
{
    tfp_aten_input in[OPERANDS_MAX];
    tfp_str s = arg(c, 0)->value, whole = s;
    size_t arrow = tfp_str_find(s, TFP_STR("->"));
    memset(e, 0, sizeof *e);
    e->count = tfp_aten_listed(arg(c, 1), in, OPERANDS_MAX);
    if (!s.size || e->count < 1 || e->count > OPERANDS_MAX) return false;
    for (int i = 0; i < e->count; i++) {
        if (!read_operand(e, &s, &in[i], &e->operand[i])) return false;
        if (s.size && s.data[0] == ',' && i + 1 < e->count) s = (tfp_str){ s.data + 1, s.size - 1 };
    }
    if (arrow == SIZE_MAX) return usual_result(e, whole), s.size == 0;
    s = (tfp_str){ whole.data + arrow + 2, whole.size - arrow - 2 };
    for (int k; (k = next_letter(&s));) {
        if (k != '.') e->result.has[k] = true;
        for (int i = DOTS; k == '.' && i < LABELS; i++) e->result.has[i] = true;
    }
    return true;
}

/* Operands are contracted from left to right. A label that only one side has, and nothing later needs, is summed before the
 * product. */
tfp_aten_cost tfp_aten_count_einsum(const tfp_aten_call *c, const tfp_aten_rule *r)
{
    einsum e;
    int64_t macs = 0, multiplied = 0;
    (void)r;
    if (!read_einsum(c, &e)) return unknown;
    labels left = e.operand[0];
    for (int i = 1; i < e.count; i++) {
        int64_t all = 1;
        bool sums = false;
        for (int k = 0; k < LABELS; k++) {
            bool later = e.result.has[k], right = e.operand[i].has[k];
            for (int n = i + 1; n < e.count; n++) later |= e.operand[n].has[k];
            bool both = left.has[k] && right;
            if (both || (later && (left.has[k] || right))) all = tfp_times(all, e.size[k]);
            sums |= both && !later;
            left.has[k] = later && (left.has[k] || right);
        }
        *(sums ? &macs : &multiplied) = tfp_plus(sums ? macs : multiplied, all);
    }
    tfp_aten_cost cost = tfp_aten_products(c, macs, UNKNOWN);
    cost.flops = tfp_plus(cost.flops, multiplied);
    return cost;
}
