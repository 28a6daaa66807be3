// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/pattern.c: shape rules written as text, for ops whose shapes follow from names of dimensions:
 *
 *     "nd, n, d -> _d, _, d"       inputs -> outputs, one item each
 *     "kT, k, () -> _T"            T: the remaining dimensions, any number of them
 *     "Bmn, Bmk -> Bnk"            B: those before the last two
 *
 * a-z: a dimension; a name that occurs twice stands for equal dimensions.
 * A-Z: the rest of a shape (alone: all of it; outputs may have several in a row).
 * 0-9: a dimension of that size. _: any dimension. (): a scalar. *: any shape.
 * <k>: a dimension that the attribute k tells; <k=3>: 3 without the attribute. $k: the shape in attribute k.
 * n+, n-: a dimension of one more or one less, of outputs only.
 * @ before an item: the shape that the resource holds. 2@V: a handle of shape 2 that holds a V; the output of the kind
 * holds what the input held.
 * #S: the input's elements are the shape S; #k: its one element is the dimension k; #hw: its elements are h and w.
 * = in place of an output: as the rule's `first` has set it.
 * ... after an item: all further outputs are like it.
 * Further inputs are ignored, further outputs stay unknown. */
#include "base/dtype.h"
#include "flops/rules/shared/rule.h"

#include <math.h>
#include <stdio.h>

enum { NAMES = 26, ITEM_MAX = 8, ATTR_MAX = 40 };

typedef struct names {
    tfp_op *op;
    int64_t dim[NAMES];
    tfp_dims rest[NAMES];
    const tfp_held *held; /* of the handle among the inputs */
} names;

/* The next item of a side; false at its end. */
static bool next_item(const char **at, tfp_str *out)
{
    const char *p = *at;
    while (*p == ' ' || *p == ',') p++;
    size_t n = strcspn(p, " ,");
    *at = p + n;
    *out = (tfp_str){ p, n };
    return n > 0 && *p != '-';
}

static bool is_rest(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_name(char c) { return c >= 'a' && c <= 'z'; }

static tfp_str behind(tfp_str text, size_t n) { return (tfp_str){ text.data + n, text.size - n }; }

/* Takes the next part off an item: one dimension, or the rest of a shape; false at its end. */
static bool next_part(tfp_str *item, tfp_str *part)
{
    if (!item->size) return false;
    size_t n = item->data[0] == '<' ? strcspn(item->data, ">") + 1 : 1;
    if (n < item->size && (item->data[n] == '+' || item->data[n] == '-')) n++;
    *part = (tfp_str){ item->data, n };
    *item = behind(*item, n);
    return true;
}

/* "k" or "k=3": the attribute's number. */
static int64_t told_by_attribute(const tfp_op *op, tfp_str text)
{
    char name[ATTR_MAX];
    int64_t fallback = TFP_DIM_UNKNOWN;
    size_t n = strcspn(text.data, "=>");
    if (text.data[n] == '=') tfp_parse_int64(behind(text, n + 1), &fallback);
    snprintf(name, sizeof name, "%.*s", (int)n, text.data);
    return tfp_attr_int(op, name, fallback);
}

/* What is known of a dimension. */
static int64_t value_of(const names *n, tfp_str part)
{
    char c = part.data[0], last = part.data[part.size - 1];
    int64_t dim = TFP_DIM_UNKNOWN;
    if (is_name(c)) dim = n->dim[c - 'a'];
    if (c >= '0' && c <= '9') dim = c - '0';
    if (c == '<') dim = told_by_attribute(n->op, (tfp_str){ part.data + 1, strcspn(part.data, ">") - 1 });
    if (last == '+') dim = tfp_plus(dim, 1);
    if (last == '-') dim = tfp_minus(dim, 1);
    return dim < 0 ? TFP_DIM_UNKNOWN : dim;
}

static tfp_dims held_or_shape(const tfp_op *op, uint32_t i)
{
    const tfp_held *held = tfp_in_held(op, i);
    if (held && held->dtype) return held->shape;
    return tfp_in_type(op, i) == TFP_DT_RESOURCE ? TFP_ANY_DIMS : tfp_in(op, i);
}

int64_t tfp_told_dim(tfp_op *op, uint32_t i, int64_t which)
{
    const double *elements = tfp_in_elements(op, i);
    int64_t count = tfp_in_size(op, i);
    if (!elements || which >= count) return TFP_DIM_UNKNOWN;
    for (int64_t k = 0; k < count; k++)
        if (isnan(elements[k]) && (op->importer || k == which)) return TFP_DIM_UNKNOWN;
    if (elements[which] >= -1 && elements[which] <= 0x1p53) return (int64_t)elements[which];
    tfp_wrong(op, "a size below zero");
    return TFP_DIM_UNKNOWN;
}

/* Binds the item's names to the numbers in the input. */
static void bind_values(names *n, uint32_t i, tfp_str item)
{
    tfp_op *op = n->op;
    char name = item.data[0];
    int64_t value;
    if (is_rest(name)) {
        tfp_merge_rank(op, tfp_in(op, i), 1);
        n->rest[name - 'A'] = tfp_merge(op, n->rest[name - 'A'], tfp_in_as_shape(op, i));
    } else if (item.size > 1) {
        tfp_merge_dim(op, tfp_dim(tfp_merge_rank(op, tfp_in(op, i), 1), 0), (int64_t)item.size);
        for (size_t k = 0; k < item.size; k++) n->dim[item.data[k] - 'a'] = tfp_told_dim(op, i, (int64_t)k);
    } else if (tfp_in_int(op, i, &value)) {
        if (value < 0) tfp_wrong(op, "a negative size");
        n->dim[name - 'a'] = tfp_merge_dim(op, n->dim[name - 'a'], value);
    }
}

/* Binds the item's names to the dimensions. */
static void bind_dims(names *n, tfp_dims d, tfp_str item)
{
    tfp_str part, left = item;
    int count = 0, rest = -1;
    if (item.data[0] == '*') return;
    if (item.data[0] == '(') {
        tfp_merge_rank(n->op, d, 0);
        return;
    }
    for (; next_part(&left, &part); count++)
        if (is_rest(part.data[0])) rest = count;
    d = rest >= 0 ? tfp_at_least(n->op, d, count - 1) : tfp_merge_rank(n->op, d, count);
    if (n->op->wrong) return;
    left = item;
    for (int k = 0; next_part(&left, &part); k++) {
        if (k == rest) continue;
        int64_t dim = tfp_dim(d, rest >= 0 && k > rest ? k - count : k);
        dim = tfp_merge_dim(n->op, value_of(n, part), dim);
        if (is_name(part.data[0])) n->dim[part.data[0] - 'a'] = dim;
    }
    if (rest < 0) return;
    tfp_dims *all = &n->rest[item.data[rest] - 'A'];
    *all = tfp_merge(n->op, *all, tfp_part(n->op, d, rest, rest + 1 == count ? TFP_TO_END : rest + 1 - count));
}

/* The part of an item before and behind its @, if it has one. */
static bool cut_held(tfp_str item, tfp_str *own, tfp_str *held)
{
    const char *at = memchr(item.data, '@', item.size);
    *own = at ? (tfp_str){ item.data, (size_t)(at - item.data) } : item;
    *held = behind(item, at ? own->size + 1 : item.size);
    return at != NULL;
}

static void bind(names *n, uint32_t i, tfp_str item)
{
    tfp_str own, held;
    if (item.data[0] == '#') {
        bind_values(n, i, behind(item, 1));
    } else if (!cut_held(item, &own, &held)) {
        bind_dims(n, tfp_in(n->op, i), item);
    } else if (!own.size) {
        bind_dims(n, held_or_shape(n->op, i), held);
    } else {
        n->held = tfp_in_held(n->op, i);
        bind_dims(n, tfp_in(n->op, i), own);
        if (n->held && !n->op->wrong) bind_dims(n, n->held->shape, held);
    }
}

static tfp_dims made(const names *n, tfp_str item)
{
    tfp_dims d = TFP_SCALAR_DIMS;
    int64_t dims[ITEM_MAX];
    int fixed = 0;
    if (item.data[0] == '*') return TFP_ANY_DIMS;
    if (item.data[0] == '(') return d;
    for (tfp_str part; next_part(&item, &part);) {
        if (is_rest(part.data[0])) {
            d = tfp_joined(n->op, tfp_joined(n->op, d, tfp_shape_of(n->op, dims, fixed)), n->rest[part.data[0] - 'A']);
            fixed = 0;
        } else if (fixed < ITEM_MAX) {
            dims[fixed++] = value_of(n, part);
        }
    }
    return tfp_joined(n->op, d, tfp_shape_of(n->op, dims, fixed));
}

static void set_output(names *n, uint32_t i, tfp_str item)
{
    tfp_str own, held;
    char name[ATTR_MAX];
    if (item.data[0] == '=') return;
    if (item.data[0] == '$') {
        snprintf(name, sizeof name, "%.*s", (int)item.size - 1, item.data + 1);
        tfp_set(n->op, i, tfp_attr_shape(n->op, name));
        return;
    }
    bool holds = cut_held(item, &own, &held);
    tfp_set(n->op, i, made(n, own));
    if (holds && n->held) tfp_set_held(n->op, i, made(n, held), n->held->dtype);
}

void tfp_shape_pattern(tfp_op *op, const char *pattern)
{
    names n = { .op = op };
    tfp_str item, dots = TFP_STR("...");
    for (int i = 0; i < NAMES; i++) {
        n.dim[i] = TFP_DIM_UNKNOWN;
        n.rest[i] = TFP_ANY_DIMS;
    }
    for (uint32_t i = 0; next_item(&pattern, &item); i++) bind(&n, i, item);
    if (op->wrong) return;
    for (uint32_t i = 0; next_item(&pattern, &item); i++) {
        bool all = tfp_str_ends(item, dots);
        if (all) item.size -= dots.size;
        set_output(&n, i, item);
        while (all && ++i < op->out_count) set_output(&n, i, item);
    }
}

void tfp_shape_by_pattern(tfp_op *op)
{
    const tfp_op_rule *rule = op->rule;
    if (rule->first) rule->first(op);
    tfp_shape_pattern(op, rule->pattern);
}
