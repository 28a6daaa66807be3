// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/pattern.c: shape rules written as text, for ops whose shapes follow from names of dimensions:
 *
 *     "nd, n, d -> _d, _, d"       inputs -> outputs, one item each
 *     "kT, k, () -> _T"            T: the remaining dimensions, any number of them
 *
 * a-z: a dimension; a name that occurs twice stands for equal dimensions.
 * A-Z: the rest of a shape (alone: all of it; outputs may have several in a row).
 * 0-9: a dimension of that size. _: any dimension. (): a scalar. *: any shape.
 * @ before an item: the shape that the resource holds.
 * #S: the input's elements are the shape S; #k: its one element is the dimension k.
 * Further inputs are ignored, further outputs stay unknown. */
#include "base/dtype.h"
#include "flops/rules/shared/rule.h"

enum { NAMES = 26, ITEM_MOST = 8 };

typedef struct names {
    tfp_op *op;
    int64_t dim[NAMES];
    tfp_dims rest[NAMES];
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

static tfp_dims held_or_shape(const tfp_op *op, uint32_t i)
{
    const tfp_held *held = tfp_in_held(op, i);
    if (held && held->dtype) return held->shape;
    return tfp_in_type(op, i) == TFP_DT_RESOURCE ? TFP_ANY_DIMS : tfp_in(op, i);
}

/* Binds the item's name to the numbers in the input. */
static void bind_value(names *n, uint32_t i, char name)
{
    tfp_op *op = n->op;
    if (is_rest(name)) {
        tfp_merge_rank(op, tfp_in(op, i), 1);
        n->rest[name - 'A'] = tfp_merge(op, n->rest[name - 'A'], tfp_in_as_shape(op, i));
        return;
    }
    int64_t value;
    if (!is_name(name) || !tfp_in_int(op, i, &value)) return;
    if (value < 0) tfp_wrong(op, "a negative size");
    n->dim[name - 'a'] = tfp_merge_dim(op, n->dim[name - 'a'], value);
}

static void bind(names *n, uint32_t i, tfp_str item)
{
    if (item.data[0] == '#') {
        bind_value(n, i, item.data[1]);
        return;
    }
    bool held = item.data[0] == '@';
    tfp_dims d = held ? held_or_shape(n->op, i) : tfp_in(n->op, i);
    if (held) item = (tfp_str){ item.data + 1, item.size - 1 };
    if (item.data[0] == '*') return;
    if (item.data[0] == '(') {
        tfp_merge_rank(n->op, d, 0);
        return;
    }
    bool open = is_rest(item.data[item.size - 1]);
    int fixed = (int)item.size - open;
    d = open ? tfp_at_least(n->op, d, fixed) : tfp_merge_rank(n->op, d, fixed);
    if (n->op->wrong) return;
    for (int k = 0; k < fixed; k++) {
        char c = item.data[k];
        if (is_name(c)) n->dim[c - 'a'] = tfp_merge_dim(n->op, n->dim[c - 'a'], tfp_dim(d, k));
        if (c >= '0' && c <= '9') tfp_merge_dim(n->op, c - '0', tfp_dim(d, k));
    }
    if (!open) return;
    tfp_dims *rest = &n->rest[item.data[fixed] - 'A'];
    *rest = tfp_merge(n->op, *rest, tfp_part(n->op, d, fixed, TFP_TO_END));
}

static tfp_dims made(const names *n, tfp_str item)
{
    if (item.data[0] == '*') return TFP_ANY_DIMS;
    tfp_dims d = TFP_SCALAR_DIMS;
    int64_t dims[ITEM_MOST];
    int fixed = 0;
    for (size_t k = 0; k < item.size; k++) {
        char c = item.data[k];
        if (is_rest(c)) {
            d = tfp_joined(n->op, tfp_joined(n->op, d, tfp_shape_of(n->op, dims, fixed)), n->rest[c - 'A']);
            fixed = 0;
        } else if (c != '(' && c != ')' && fixed < ITEM_MOST) {
            dims[fixed++] = is_name(c) ? n->dim[c - 'a'] : c == '_' ? TFP_DIM_UNKNOWN : c - '0';
        }
    }
    return tfp_joined(n->op, d, tfp_shape_of(n->op, dims, fixed));
}

void tfp_shape_pattern(tfp_op *op, const char *pattern)
{
    names n = { .op = op };
    tfp_str item;
    for (int i = 0; i < NAMES; i++) {
        n.dim[i] = TFP_DIM_UNKNOWN;
        n.rest[i] = TFP_ANY_DIMS;
    }
    for (uint32_t i = 0; next_item(&pattern, &item); i++) bind(&n, i, item);
    if (op->wrong) return;
    for (uint32_t i = 0; next_item(&pattern, &item); i++) tfp_set(op, i, made(&n, item));
}

void tfp_shape_by_pattern(tfp_op *op) { tfp_shape_pattern(op, op->rule->pattern); }
