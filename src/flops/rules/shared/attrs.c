// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/attrs.c: the attributes of the current node. Files are not trusted: an attribute that is absent or
 * of another kind gives the fallback. */
#include "flops/rules/shared/rule.h"

static const tfp_program_attr *find(const tfp_op *op, const char *name, tfp_attr_kind kind)
{
    const tfp_program_attr *a = tfp_program_attr_find(op->profile, op->program, op->node, name);
    return a && a->kind == kind ? a : NULL;
}

bool tfp_attr_given(const tfp_op *op, const char *name)
{
    return tfp_program_attr_find(op->profile, op->program, op->node, name) != NULL;
}

int64_t tfp_attr_int(const tfp_op *op, const char *name, int64_t fallback)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_INT);
    return a ? a->number : fallback;
}

double tfp_attr_real(const tfp_op *op, const char *name, double fallback)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_REAL);
    return a ? a->real : fallback;
}

bool tfp_attr_bool(const tfp_op *op, const char *name, bool fallback)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_BOOL);
    return a ? a->number != 0 : fallback;
}

int tfp_attr_type(const tfp_op *op, const char *name, int fallback)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_TYPE);
    return a ? (int)a->number : fallback;
}

tfp_str tfp_attr_text(const tfp_op *op, const char *name, const char *fallback)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_TEXT);
    return a ? a->text : tfp_str_of(fallback);
}

tfp_str tfp_attr_function(const tfp_op *op, const char *name)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_FUNCTION);
    return a ? a->text : (tfp_str){ "", 0 };
}

tfp_dims tfp_attr_shape(const tfp_op *op, const char *name)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_SHAPE);
    return a ? a->shape : TFP_ANY_DIMS;
}

const tfp_attr_tensor *tfp_attr_const(const tfp_op *op, const char *name)
{
    const tfp_program_attr *a = find(op, name, TFP_ATTR_TENSOR);
    return a ? a->tensor : NULL;
}

const tfp_attr_list *tfp_attr_members(const tfp_op *op, const char *name)
{
    static const tfp_attr_list empty;
    const tfp_program_attr *a = find(op, name, TFP_ATTR_LIST);
    return a ? a->list : &empty;
}

size_t tfp_attr_numbers(const tfp_op *op, const char *name, int64_t *out, size_t most)
{
    const tfp_attr_list *list = tfp_attr_members(op, name);
    for (size_t i = 0; i < list->number_count && i < most; i++) out[i] = list->numbers[i];
    return list->number_count;
}
