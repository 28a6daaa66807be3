// SPDX-License-Identifier: Apache-2.0
/* flops/fold/fold.c: constant folding of small tensors: the table of ops, constants, and shapes as values. */
#include "base/dtype.h"

#include "flops/fold/fold.h"
#include "formats/checkpoint/tensor.h"
#include "wire/proto.h"

#include <math.h>

/* Output i has the elements of input `from`, in the same order. */
static void share(tfp_op *op, uint32_t i, uint32_t from)
{
    if (i >= op->out_count || tfp_in_size(op, from) != tfp_out_size(op, i)) return;
    if (tfp_dims_known(tfp_out(op, i))) op->out[i].elements = tfp_fold_in(op, from);
}

/* ---- constants ---- */

/* How many values the field of this type has, and whether tensor_content holds them instead. */
static size_t count_values(const tfp_dtype *d, tfp_str proto, bool *content)
{
    size_t count = 0;
    *content = false;
    tfp_wire w = tfp_wire_start(proto);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        uint64_t value;
        if (f.number == 4) *content = tfp_field_bytes(&w, &f).size > 0;
        if (f.number != d->field) continue;
        tfp_wire_type type = d->field == 5 ? TFP_FIXED32 : d->field == 6 ? TFP_FIXED64 : TFP_VARINT;
        for (tfp_packed p = tfp_packed_start(&w, &f, type); tfp_packed_next(&w, &p, &value);) count++;
    }
    return w.fault ? SIZE_MAX : count;
}

/* When a tensor has fewer values than elements the last value repeats; none means zeros. */
static bool read_values(const tfp_attr_tensor *v, size_t count, void *to)
{
    bool content;
    size_t given = count_values(tfp_dtype_of(v->dtype), v->proto, &content);
    if (given == SIZE_MAX || given > count) return false;
    if (given == 0 && !content) return true;
    if (tfp_widen_proto(v->dtype, v->proto, given ? given : count, to, NULL)) return false;
    char *at = to; /* integers or doubles: 8 bytes each */
    for (size_t i = given; i < count && given; i++) memcpy(at + 8 * i, at + 8 * (given - 1), 8);
    return true;
}

/* Converts integers in place to doubles. */
static void to_doubles(int dtype, double *at, size_t count)
{
    bool is_unsigned = tfp_dtype_of(dtype)->class == TFP_DTYPE_UINT;
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        memcpy(&value, &at[i], sizeof value);
        at[i] = is_unsigned ? (double)(uint64_t)value : (double)value;
    }
}

void tfp_fold_const(tfp_op *op)
{
    const tfp_attr_tensor *v = tfp_attr_const(op, "value");
    if (!op->out_count || !v || !v->proto.size) return;
    const tfp_dtype *d = tfp_dtype_of(v->dtype);
    int64_t count = tfp_elements(v->shape);
    bool integers = d->class >= TFP_DTYPE_INT && d->class <= TFP_DTYPE_BOOL;
    bool fits = d->field == 5 || d->field == 6 || (integers && d->field != 18);
    if (!fits || !tfp_dims_equal(v->shape, tfp_out(op, 0))) return;
    double *out = tfp_fold_new(op, 0);
    if (!out) return;
    if (!read_values(v, (size_t)count, out))
        op->out[0].elements = NULL;
    else if (integers)
        to_doubles(v->dtype, out, (size_t)count);
}

/* ---- ops that rename a value ---- */

void tfp_fold_same(tfp_op *op) { share(op, 0, 0); }

static void fold_each_same(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) share(op, i, i);
}

/* Both outputs of a switch have the value of its input. */
static void fold_switch(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) share(op, i, 0);
}

static void fold_enter(tfp_op *op)
{
    share(op, 0, 0);
    if (op->out_count) op->out[0].limit = op->importer ? TFP_NO_FOLD : TFP_ANY_USE;
}

/* Makes a constant with the shape of the input. */
static void fold_like(tfp_op *op)
{
    double *out = tfp_fold_new(op, 0);
    int64_t n = out ? tfp_out_size(op, 0) : 0;
    for (int64_t i = 0; i < n; i++) out[i] = op->fold->number;
}

/* ---- shapes as values ---- */

/* Output i is the dims of a shape. Like TensorFlow, int32 excludes its largest number. */
static void shape_as_values(tfp_op *op, uint32_t i, tfp_dims shape)
{
    double *out = shape.rank >= 0 && tfp_out_size(op, i) == shape.rank ? tfp_fold_new(op, i) : NULL;
    bool narrow = i < op->out_count && op->out[i].dtype == TFP_DT_INT32;
    for (int k = 0; out && k < shape.rank; k++)
        out[k] = shape.at[k] < 0 || (narrow && shape.at[k] >= INT32_MAX)
                     ? (double)NAN
                     : tfp_fold_fit(TFP_DT_INT64, (double)shape.at[k]);
}

static void fold_shape(tfp_op *op) { shape_as_values(op, 0, tfp_in(op, 0)); }

static void fold_shape_n(tfp_op *op)
{
    bool computed = true;
    for (uint32_t i = 0; i < op->in_count; i++) computed = computed && tfp_fold_in(op, i);
    for (uint32_t i = 0; i < op->out_count; i++) {
        shape_as_values(op, i, tfp_in(op, i));
        op->out[i].limit = op->importer && !computed ? TFP_AS_SHAPE_ONLY : TFP_ANY_USE;
    }
}

static void fold_variable_shape(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    if (!held || !op->out_count) return;
    shape_as_values(op, 0, held->shape);
    op->out[0].limit = op->importer ? TFP_AS_SHAPE_ONLY : TFP_ANY_USE;
}

static void fold_number(tfp_op *op, int64_t number)
{
    double *out = number >= 0 && tfp_out_size(op, 0) == 1 ? tfp_fold_new(op, 0) : NULL;
    bool narrow = out && op->out[0].dtype == TFP_DT_INT32;
    if (out) *out = narrow && number >= INT32_MAX ? (double)NAN : tfp_fold_fit(TFP_DT_INT64, (double)number);
}

static void fold_rank(tfp_op *op) { fold_number(op, tfp_in(op, 0).rank); }

static void fold_size(tfp_op *op)
{
    if (!op->importer || tfp_dims_known(tfp_in(op, 0))) fold_number(op, tfp_in_size(op, 0));
}

const tfp_fold_rule tfp_folds_values[] = {
    { "Const HostConst", tfp_fold_const },
    { "Identity Snapshot StopGradient PreventGradient DebugGradientIdentity EnsureShape Reshape Squeeze ExpandDims",
      tfp_fold_same },
    { "IdentityN", fold_each_same },
    { "GuaranteeConst", tfp_fold_same, TFP_NEVER },
    { "Enter", fold_enter },
    { "Switch", fold_switch, TFP_NEVER },
    { "ZerosLike", fold_like, TFP_WHOLE(0) },
    { "OnesLike", fold_like, TFP_WHOLE(0), .number = 1 },
    { "Shape", fold_shape },
    { "ShapeN", fold_shape_n },
    { "VariableShape", fold_variable_shape },
    { "Rank", fold_rank },
    { "Size", fold_size },
    { NULL },
};
