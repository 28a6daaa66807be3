// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/types.c: values by name, ONNX's element types, and the output types of its operators. Source:
 * onnx/onnx.proto and docs/Operators.md of github.com/onnx/onnx. */
#include "formats/onnx/onnx.h"

enum { FLOAT = 1, INT32 = 3, UINT8 = 4, INT64 = 9, BOOL = 10 }; /* numbers of TensorFlow's DataType */

/* clang-format off */
static const tfp_onnx_type types[] = {
    [1] = { "FLOAT", 32, 1, true },            [2] = { "UINT8", 8, 4, true },          [3] = { "INT8", 8, 6, true },
    [4] = { "UINT16", 16, 17, false },         [5] = { "INT16", 16, 5, false },        [6] = { "INT32", 32, 3, false },
    [7] = { "INT64", 64, 9, false },           [8] = { "STRING", 0, 7, false },        [9] = { "BOOL", 8, 10, false },
    [10] = { "FLOAT16", 16, 19, true },        [11] = { "DOUBLE", 64, 2, true },       [12] = { "UINT32", 32, 22, false },
    [13] = { "UINT64", 64, 23, false },        [14] = { "COMPLEX64", 64, 8, true },    [15] = { "COMPLEX128", 128, 18, true },
    [16] = { "BFLOAT16", 16, 14, true },       [17] = { "FLOAT8E4M3FN", 8, 25, true }, [18] = { "FLOAT8E4M3FNUZ", 8, 26, true },
    [19] = { "FLOAT8E5M2", 8, 24, true },      [20] = { "FLOAT8E5M2FNUZ", 8, 28, true }, [21] = { "UINT4", 4, 30, true },
    [22] = { "INT4", 4, 29, true },            [23] = { "FLOAT4E2M1", 4, 0, true },    [24] = { "FLOAT8E8M0", 8, 0, true },
    [25] = { "UINT2", 2, 0, true },            [26] = { "INT2", 2, 0, true },
};

/* Operators whose output type is not that of the first input. */
static const struct {
    const char *ops; /* names with blanks between them */
    int dtype;       /* 0: the type of input `from` */
    uint32_t from, output;
} made[] = {
    { " Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor Not IsNaN IsInf ", BOOL, 0, 0 },
    { " Shape Size ArgMax ArgMin NonZero NonMaxSuppression ", INT64, 0, 0 },
    { " MatMulInteger ConvInteger ", INT32, 0, 0 },
    { " Where CastLike ", 0, 1, 0 },
    { " DequantizeLinear ", 0, 1, 0 },
    { " QuantizeLinear ", 0, 2, 0 },
    { " QLinearConv QLinearMatMul ", 0, 7, 0 },
    { " OneHot ", 0, 2, 0 },
    { " DynamicQuantizeLinear ", UINT8, 0, 0 },
    { " DynamicQuantizeLinear ", FLOAT, 0, 1 },
    { " DynamicQuantizeLinear ", UINT8, 0, 2 },
    { " Dropout ", BOOL, 0, 1 },
    { " MaxPool TopK ", INT64, 0, 1 },
};
/* clang-format on */

const tfp_onnx_type *tfp_onnx_type_of(uint64_t number)
{
    static const tfp_onnx_type unknown = { "?", 0, 0, false };
    bool known = number < sizeof types / sizeof *types && types[number].name;
    return known ? &types[number] : &unknown;
}

static bool is_among(tfp_str op, const char *ops)
{
    size_t size = strlen(ops);
    for (size_t i = 1; i + op.size < size; i++)
        if (ops[i - 1] == ' ' && ops[i + op.size] == ' ' && memcmp(ops + i, op.data, op.size) == 0) return op.size > 0;
    return false;
}

int tfp_onnx_output_type(tfp_str op, uint32_t output, const int *in, size_t in_count, int told)
{
    if (told) return told;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        if (made[i].output != output || !is_among(op, made[i].ops)) continue;
        if (made[i].dtype) return made[i].dtype;
        return made[i].from < in_count ? in[made[i].from] : 0;
    }
    return in_count ? in[0] : 0;
}

tfp_onnx_value *tfp_onnx_value_of(tfp_onnx_model *m, tfp_strid name)
{
    uint32_t at = tfp_map64_get(&m->value_of, name);
    if (at != TFP_NONE) return &m->values.at[at];
    at = (uint32_t)m->values.size;
    if (!tfp_push(&m->values, ((tfp_onnx_value){ .name = name, .node = TFP_NONE })) ||
        !tfp_map64_put(&m->value_of, name, at))
        return m->no_memory = true, NULL;
    return &m->values.at[at];
}
