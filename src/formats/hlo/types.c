// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/types.c: types of arrays: bits of an element, elements, bytes. */
#include "formats/hlo/hlo.h"

static const struct {
    const char *name;
    uint8_t type, bits;
    bool is_float;
    const char *rate; /* the type whose peak rate applies to its multiplications, if tables of devices have one */
} types[] = {
    { "pred", TFP_HLO_PRED, 8, false, NULL },
    { "s1", TFP_HLO_S1, 1, false, NULL },
    { "s2", TFP_HLO_S2, 2, false, NULL },
    { "s4", TFP_HLO_S4, 4, false, NULL },
    { "s8", TFP_HLO_S8, 8, false, NULL },
    { "s16", TFP_HLO_S16, 16, false, NULL },
    { "s32", TFP_HLO_S32, 32, false, NULL },
    { "s64", TFP_HLO_S64, 64, false, NULL },
    { "u1", TFP_HLO_U1, 1, false, NULL },
    { "u2", TFP_HLO_U2, 2, false, NULL },
    { "u4", TFP_HLO_U4, 4, false, NULL },
    { "u8", TFP_HLO_U8, 8, false, NULL },
    { "u16", TFP_HLO_U16, 16, false, NULL },
    { "u32", TFP_HLO_U32, 32, false, NULL },
    { "u64", TFP_HLO_U64, 64, false, NULL },
    { "f16", TFP_HLO_F16, 16, true, "f16" },
    { "bf16", TFP_HLO_BF16, 16, true, "bf16" },
    { "f32", TFP_HLO_F32, 32, true, "f32" },
    { "f64", TFP_HLO_F64, 64, true, NULL },
    { "c64", TFP_HLO_C64, 64, true, NULL },
    { "c128", TFP_HLO_C128, 128, true, NULL },
    { "f8e5m2", TFP_HLO_F8E5M2, 8, true, "f8" },
    { "f8e4m3fn", TFP_HLO_F8E4M3FN, 8, true, "f8" },
    { "f8e4m3b11fnuz", TFP_HLO_F8E4M3B11FNUZ, 8, true, "f8" },
    { "f8e5m2fnuz", TFP_HLO_F8E5M2FNUZ, 8, true, "f8" },
    { "f8e4m3fnuz", TFP_HLO_F8E4M3FNUZ, 8, true, "f8" },
    { "f8e4m3", TFP_HLO_F8E4M3, 8, true, "f8" },
    { "f8e3m4", TFP_HLO_F8E3M4, 8, true, "f8" },
    { "f4e2m1fn", TFP_HLO_F4E2M1FN, 4, true, NULL },
    { "f8e8m0fnu", TFP_HLO_F8E8M0FNU, 8, true, NULL },
    { "token", TFP_HLO_TOKEN, 0, false, NULL },
    { "opaque", TFP_HLO_OPAQUE, 0, false, NULL },
    { NULL, 0, 0, false, NULL }, /* other types */
};
#define TYPE_COUNT (sizeof types / sizeof *types - 1)

uint32_t tfp_hlo_type_named(tfp_str name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (tfp_str_eq(name, tfp_str_of(types[i].name))) return types[i].type;
    return 0;
}

static size_t row_of(uint32_t type)
{
    size_t i = 0;
    while (i < TYPE_COUNT && types[i].type != type) i++;
    return i;
}

unsigned tfp_hlo_type_bits(uint32_t type) { return types[row_of(type)].bits; }
bool tfp_hlo_type_is_float(uint32_t type) { return types[row_of(type)].is_float; }
const char *tfp_hlo_float_name(uint32_t type) { return types[row_of(type)].rate; }

int64_t tfp_hlo_elements(const tfp_hlo_module *m, const tfp_hlo_array *a)
{
    int64_t n = 1;
    bool clamped = false;
    for (uint32_t i = 0; i < a->dim_count; i++) {
        int64_t d = m->dims.at[a->dim_first + i];
        if (d < 0) return TFP_UNKNOWN;
        n = tfp_mul(n, d, &clamped);
    }
    return clamped ? TFP_UNKNOWN : n;
}

int64_t tfp_hlo_bytes(const tfp_hlo_module *m, uint32_t shape)
{
    if (shape == TFP_NONE) return TFP_UNKNOWN;
    const tfp_hlo_shape *s = &m->shapes.at[shape];
    int64_t bytes = 0;
    bool clamped = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const tfp_hlo_array *a = &m->arrays.at[s->first + i];
        int64_t n = tfp_hlo_elements(m, a), bits = tfp_hlo_type_bits(a->type);
        if (a->type == TFP_HLO_TOKEN || a->type == TFP_HLO_OPAQUE) continue;
        if (n < 0 || !bits) return TFP_UNKNOWN;
        bits = tfp_mul(n, bits, &clamped);
        bytes = tfp_add(bytes, bits / 8 + (bits % 8 != 0), &clamped);
    }
    return clamped ? TFP_UNKNOWN : bytes;
}
