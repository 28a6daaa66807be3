// SPDX-License-Identifier: Apache-2.0
/* flops/rules/onnx/folds.c: constant folding for ONNX: models compute shapes from shapes (Shape, Gather, Concat,
 * Reshape), whose numbers the rules of shapes need. Elements that are not known are NAN. */
#include "flops/fold/fold.h"
#include "flops/rules/onnx/onnx.h"

#include <math.h>

static void constant(tfp_op *op)
{
    tfp_fold_const(op);
    if (!op->out_count || op->out[0].elements || tfp_attr_const(op, "value")) return;
    const tfp_attr_list *ints = tfp_attr_members(op, "value_ints");
    bool one = tfp_attr_given(op, "value_int");
    double *out = one || ints->number_count ? tfp_fold_new(op, 0) : NULL;
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (int64_t i = 0; i < n; i++)
        out[i] = one                              ? (double)tfp_attr_int(op, "value_int", 0)
                 : (size_t)i < ints->number_count ? (double)ints->numbers[i]
                                                  : (double)NAN;
}

/* All elements equal the attribute's element, or 0 without it. */
static void of_shape(tfp_op *op)
{
    const tfp_attr_tensor *v = tfp_attr_const(op, "value");
    int64_t n = tfp_out_size(op, 0);
    double value = 0;
    if (v) { /* read like a constant of one element */
        tfp_known one = { .shape = v->shape };
        tfp_op of = *op;
        of.out = &one;
        of.out_count = 1;
        tfp_fold_const(&of);
        if (!one.elements || tfp_elements(v->shape) != 1) return;
        value = one.elements[0];
    }
    double *out = tfp_fold_new(op, 0);
    for (int64_t i = 0; out && i < n; i++) out[i] = value;
}

static void shape_of(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t start = tfp_attr_int(op, "start", 0), n = tfp_out_size(op, 0);
    if (start < 0) start = start + in.rank < 0 ? 0 : start + in.rank;
    double *out = in.rank >= 0 ? tfp_fold_new(op, 0) : NULL;
    for (int64_t i = 0; out && i < n; i++) {
        int64_t dim = start + i < in.rank ? in.at[start + i] : -1;
        out[i] = dim < 0 ? (double)NAN : tfp_fold_fit(9, (double)dim);
    }
}

/* Folds vectors only: the elements of all inputs, one after another. */
static void concat(tfp_op *op)
{
    int64_t n = tfp_out_size(op, 0), at = 0;
    double *out = tfp_out(op, 0).rank == 1 ? tfp_fold_new(op, 0) : NULL;
    for (uint32_t i = 0; out && i < op->in_count; i++) {
        const double *in = tfp_fold_in(op, i);
        int64_t part = tfp_in_size(op, i);
        for (int64_t k = 0; k < part && at < n; k++) out[at++] = in ? in[k] : (double)NAN;
        if (part < 0) break;
    }
    for (; out && at < n; at++) out[at] = NAN;
}

/* Folds a vector only; a negative index counts from the end. */
static void gather(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0), *index = tfp_fold_in(op, 1);
    int64_t size = tfp_dim(tfp_in(op, 0), 0), n = tfp_out_size(op, 0), k;
    if (!in || !index || tfp_in(op, 0).rank != 1 || n != tfp_in_size(op, 1)) return;
    double *out = tfp_fold_new(op, 0);
    for (int64_t i = 0; out && i < n; i++) {
        bool known = tfp_whole(index[i], &k);
        if (known && k < 0) k += size;
        out[i] = known && k >= 0 && k < size ? in[k] : (double)NAN;
    }
}

/* Folds a vector only, along its single axis. */
static void slice(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0);
    int64_t from[1], steps[1] = { 1 }, size = tfp_dim(tfp_in(op, 0), 0), n = tfp_out_size(op, 0);
    if (!in || tfp_in(op, 0).rank != 1 || tfp_onnx_numbers(op, "starts", 1, from, 1) != 1 || from[0] == INT64_MIN)
        return;
    if (tfp_onnx_given(op, 4) && (tfp_onnx_numbers(op, "steps", 4, steps, 1) != 1 || steps[0] == INT64_MIN)) return;
    int64_t at = from[0] < 0 ? from[0] < -size ? 0 : from[0] + size : from[0], last = steps[0] < 0 ? size - 1 : size;
    if (at > last) at = last;
    double *out = tfp_fold_new(op, 0);
    for (int64_t i = 0; out && i < n; i++) {
        int64_t k = tfp_add(at, tfp_mul(i, steps[0], NULL), NULL);
        out[i] = k >= 0 && k < size ? in[k] : (double)NAN;
    }
}

/* Repeats a single element. */
static void expand(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0);
    int64_t n = tfp_out_size(op, 0);
    if (!in || tfp_in_size(op, 0) != 1) return;
    double *out = tfp_fold_new(op, 0);
    for (int64_t i = 0; out && i < n; i++) out[i] = in[0];
}

static void product(tfp_op *op)
{
    const double *in = tfp_fold_in(op, 0);
    int64_t n = tfp_in_size(op, 0);
    double *out = in && tfp_out_size(op, 0) == 1 ? tfp_fold_new(op, 0) : NULL;
    if (out) out[0] = 1;
    for (int64_t i = 0; out && i < n; i++) out[0] *= in[i];
    if (out) out[0] = tfp_fold_fit(9, out[0]);
}

const tfp_fold_rule tfp_onnx_folds[] = {
    { "Constant Initializer", constant },
    { "ConstantOfShape", of_shape },
    { "Shape", shape_of },
    { "Identity Reshape Flatten Squeeze Unsqueeze", tfp_fold_same },
    { "Concat", concat },
    { "Gather", gather },
    { "Slice", slice },
    { "Expand", expand },
    { "ReduceProd", product },
    { NULL },
};

const tfp_onnx_same tfp_onnx_as_tensorflow[] = {
    { "Add", "Add" },
    { "Sub", "Sub" },
    { "Mul", "Mul" },
    { "Div", "Div" },
    { "Max", "Maximum" },
    { "Min", "Minimum" },
    { "Neg", "Neg" },
    { "Abs", "Abs" },
    { "Floor", "Floor" },
    { "Ceil", "Ceil" },
    { "Equal", "Equal" },
    { "Greater", "Greater" },
    { "Less", "Less" },
    { "And", "LogicalAnd" },
    { "Or", "LogicalOr" },
    { "Not", "LogicalNot" },
    { "Where", "Select" },
    { "Range", "Range" },
    { "Size", "Size" },
    { "Cast CastLike", "Cast" },
    { NULL },
};
