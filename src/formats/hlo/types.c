// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/types.c: types of arrays: bits of an element, elements, bytes. */
#include "formats/hlo/hlo.h"

/* clang-format off */
static const struct {
    const char *name;
    uint8_t type, bits;
    bool is_float;
} types[] = { /* PrimitiveType of xla_data.proto */
    { "pred", 1, 8, false }, { "s2", 26, 2, false }, { "s4", 21, 4, false }, { "s8", 2, 8, false },
    { "s16", 3, 16, false }, { "s32", 4, 32, false }, { "s64", 5, 64, false }, { "u2", 27, 2, false },
    { "u4", 22, 4, false }, { "u8", 6, 8, false }, { "u16", 7, 16, false }, { "u32", 8, 32, false },
    { "u64", 9, 64, false }, { "f16", 10, 16, true }, { "bf16", 16, 16, true }, { "f32", 11, 32, true },
    { "f64", 12, 64, true }, { "c64", 15, 64, true }, { "c128", 18, 128, true }, { "f8e5m2", 19, 8, true },
    { "f8e4m3fn", 20, 8, true }, { "f8e4m3b11fnuz", 23, 8, true }, { "f8e5m2fnuz", 24, 8, true },
    { "f8e4m3fnuz", 25, 8, true }, { "f8e4m3", 28, 8, true }, { "f8e3m4", 29, 8, true }, { "s1", 30, 1, false },
    { "u1", 31, 1, false }, { "f4e2m1fn", 32, 4, true }, { "f8e8m0fnu", 33, 8, true },
    { "token", TFP_HLO_TOKEN, 0, false }, { "opaque", TFP_HLO_OPAQUE, 0, false },
};
/* clang-format on */
#define TYPE_COUNT (sizeof types / sizeof *types)

uint32_t tfp_hlo_type_named(tfp_str name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (tfp_str_eq(name, tfp_str_of(types[i].name))) return types[i].type;
    return 0;
}

unsigned tfp_hlo_type_bits(uint32_t type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == type) return types[i].bits;
    return 0;
}

bool tfp_hlo_type_is_float(uint32_t type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (types[i].type == type) return types[i].is_float;
    return false;
}

int64_t tfp_hlo_elements(const tfp_hlo_module *m, const tfp_hlo_array *a)
{
    int64_t n = 1;
    bool clamped = false;
    for (uint32_t i = 0; i < a->dim_count; i++) {
        int64_t d = m->dims.at[a->dim_first + i];
        if (d < 0) return TFP_HLO_UNKNOWN;
        n = tfp_mul(n, d, &clamped);
    }
    return clamped ? TFP_HLO_UNKNOWN : n;
}

int64_t tfp_hlo_bytes(const tfp_hlo_module *m, uint32_t shape)
{
    if (shape == TFP_NONE) return TFP_HLO_UNKNOWN;
    const tfp_hlo_shape *s = &m->shapes.at[shape];
    int64_t bytes = 0;
    bool clamped = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const tfp_hlo_array *a = &m->arrays.at[s->first + i];
        int64_t n = tfp_hlo_elements(m, a), bits = tfp_hlo_type_bits(a->type);
        if (a->type == TFP_HLO_TOKEN || a->type == TFP_HLO_OPAQUE) continue;
        if (n < 0 || !bits) return TFP_HLO_UNKNOWN;
        bits = tfp_mul(n, bits, &clamped);
        bytes = tfp_add(bytes, bits / 8 + (bits % 8 != 0), &clamped);
    }
    return clamped ? TFP_HLO_UNKNOWN : bytes;
}
