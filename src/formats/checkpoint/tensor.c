// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/tensor.c: a table of tensor types, and the conversion of values from a file's bytes to wide
 * numbers. In: raw elements, or a TensorProto. Out: doubles, int64s or strings. Uses base, wire. Numbers and fields:
 * tensorflow/core/framework/types.proto, tensor.proto. */
#include "formats/checkpoint/tensor.h"

#include "base/dtype.h"
#include "wire/proto.h"

#include <math.h>
#include <stdlib.h>

/* clang-format off */
static const tfp_dtype dtypes[TFP_DT_LAST + 1] = {
    /*       name                    class               size field bits bias style */
    [TFP_DT_FLOAT]              = { "float32",             TFP_DTYPE_FLOAT,     4,   5,    8,   0,   TFP_FLOAT_IEEE },
    [TFP_DT_DOUBLE]             = { "float64",             TFP_DTYPE_FLOAT,     8,   6,    11,  0,   TFP_FLOAT_IEEE },
    [TFP_DT_INT32]              = { "int32",               TFP_DTYPE_INT,       4,   7,    32,  0,   0 },
    [TFP_DT_UINT8]              = { "uint8",               TFP_DTYPE_UINT,      1,   7,    8,   0,   0 },
    [TFP_DT_INT16]              = { "int16",               TFP_DTYPE_INT,       2,   7,    16,  0,   0 },
    [TFP_DT_INT8]               = { "int8",                TFP_DTYPE_INT,       1,   7,    8,   0,   0 },
    [TFP_DT_STRING]             = { "string",              TFP_DTYPE_STRING,    0,   8,    0,   0,   0 },
    [TFP_DT_COMPLEX64]          = { "complex64",           TFP_DTYPE_COMPLEX,   8,   9,    8,   0,   TFP_FLOAT_IEEE },
    [TFP_DT_INT64]              = { "int64",               TFP_DTYPE_INT,       8,   10,   64,  0,   0 },
    [TFP_DT_BOOL]               = { "bool",                TFP_DTYPE_BOOL,      1,   11,   8,   0,   0 },
    [TFP_DT_QINT8]              = { "qint8",               TFP_DTYPE_INT,       1,   7,    8,   0,   0 },
    [TFP_DT_QUINT8]             = { "quint8",              TFP_DTYPE_UINT,      1,   7,    8,   0,   0 },
    [TFP_DT_QINT32]             = { "qint32",              TFP_DTYPE_INT,       4,   7,    32,  0,   0 },
    [TFP_DT_BFLOAT16]           = { "bfloat16",            TFP_DTYPE_FLOAT,     2,   13,   8,   127, TFP_FLOAT_IEEE },
    [TFP_DT_QINT16]             = { "qint16",              TFP_DTYPE_INT,       2,   7,    16,  0,   0 },
    [TFP_DT_QUINT16]            = { "quint16",             TFP_DTYPE_UINT,      2,   7,    16,  0,   0 },
    [TFP_DT_UINT16]             = { "uint16",              TFP_DTYPE_UINT,      2,   7,    16,  0,   0 },
    [TFP_DT_COMPLEX128]         = { "complex128",          TFP_DTYPE_COMPLEX,   16,  12,   11,  0,   TFP_FLOAT_IEEE },
    [TFP_DT_HALF]               = { "float16",             TFP_DTYPE_FLOAT,     2,   13,   5,   15,  TFP_FLOAT_IEEE },
    [TFP_DT_RESOURCE]           = { "resource",            TFP_DTYPE_OPAQUE,    0,   0,    0,   0,   0 },
    [TFP_DT_VARIANT]            = { "variant",             TFP_DTYPE_OPAQUE,    0,   0,    0,   0,   0 },
    [TFP_DT_UINT32]             = { "uint32",              TFP_DTYPE_UINT,      4,   16,   32,  0,   0 },
    [TFP_DT_UINT64]             = { "uint64",              TFP_DTYPE_UINT,      8,   17,   64,  0,   0 },
    [TFP_DT_FLOAT8_E5M2]        = { "float8_e5m2",         TFP_DTYPE_FLOAT,     1,   18,   5,   15,  TFP_FLOAT_IEEE },
    [TFP_DT_FLOAT8_E4M3FN]      = { "float8_e4m3fn",       TFP_DTYPE_FLOAT,     1,   18,   4,   7,   TFP_FLOAT_FN },
    [TFP_DT_FLOAT8_E4M3FNUZ]    = { "float8_e4m3fnuz",     TFP_DTYPE_FLOAT,     1,   18,   4,   8,   TFP_FLOAT_FNUZ },
    [TFP_DT_FLOAT8_E4M3B11FNUZ] = { "float8_e4m3b11fnuz",  TFP_DTYPE_FLOAT,     1,   18,   4,   11,  TFP_FLOAT_FNUZ },
    [TFP_DT_FLOAT8_E5M2FNUZ]    = { "float8_e5m2fnuz",     TFP_DTYPE_FLOAT,     1,   18,   5,   16,  TFP_FLOAT_FNUZ },
    [TFP_DT_INT4]               = { "int4",                TFP_DTYPE_INT,       1,   7,    4,   0,   0 },
    [TFP_DT_UINT4]              = { "uint4",               TFP_DTYPE_UINT,      1,   7,    4,   0,   0 },
    [TFP_DT_INT2]               = { "int2",                TFP_DTYPE_INT,       1,   7,    2,   0,   0 },
    [TFP_DT_UINT2]              = { "uint2",               TFP_DTYPE_UINT,      1,   7,    2,   0,   0 },
    [TFP_DT_FLOAT4_E2M1FN]      = { "float4_e2m1fn",       TFP_DTYPE_FLOAT,     1,   18,   2,   1,   TFP_FLOAT_FINITE },
};
/* clang-format on */

const tfp_dtype *tfp_dtype_of(int dtype)
{
    static const tfp_dtype unknown = { "?", TFP_DTYPE_OPAQUE, 0, 0, 0, 0, TFP_FLOAT_IEEE };
    return dtype >= 0 && dtype <= TFP_DT_LAST && dtypes[dtype].name ? &dtypes[dtype] : &unknown;
}

const char *tfp_dtype_name(int dtype) { return tfp_dtype_of(dtype)->name; }

/* ---- a tensor's own memory ---- */

struct tfp_tensor_block {
    struct tfp_tensor_block *next;
    max_align_t data[];
};

void *tfp_tensor_alloc(tfp_tensor *t, size_t size)
{
    struct tfp_tensor_block *b = size < SIZE_MAX / 2 ? malloc(sizeof *b + size) : NULL;
    if (!b) return NULL;
    b->next = t->owned;
    t->owned = b;
    return b->data;
}

void tfp_tensor_free(tfp_tensor *t)
{
    if (!t) return;
    for (struct tfp_tensor_block *b = t->owned, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *t = (tfp_tensor){ 0 };
}

bool tfp_dims_count(const int64_t *dims, size_t count, uint64_t *out)
{
    int64_t product = 1;
    bool zero = false, clamped = false;
    for (size_t i = 0; i < count; i++) {
        if (dims[i] < 0) return false;
        if (dims[i] == 0)
            zero = true;
        else
            product = tfp_mul(product, dims[i], &clamped);
    }
    *out = zero ? 0 : (uint64_t)product;
    return !clamped;
}

tfp_status tfp_tensor_shape(tfp_tensor *t, int dtype, const int64_t *dims, size_t dim_count, tfp_error *err)
{
    uint64_t count;
    *t = (tfp_tensor){ .dtype = dtype, .dim_count = dim_count };
    if (!tfp_dims_count(dims, dim_count, &count)) return tfp_fail(err, TFP_BADFILE, "impossible shape");
    const tfp_dtype *d = tfp_dtype_of(dtype);
    uint64_t size = d->size ? d->size : sizeof(tfp_str);
    if (d->class != TFP_DTYPE_OPAQUE && count > TFP_TENSOR_MAX / size)
        return tfp_fail(err, TFP_LIMIT, "%llu elements of %s: more than %llu MB", (unsigned long long)count, d->name,
                        (unsigned long long)(TFP_TENSOR_MAX >> 20));
    t->dims = tfp_tensor_alloc(t, dim_count * sizeof *dims);
    if (!t->dims) return tfp_nomem(err);
    if (dim_count) memcpy(t->dims, dims, dim_count * sizeof *dims);
    t->count = (size_t)count;
    return TFP_OK;
}

size_t tfp_tensor_unit(int dtype)
{
    switch (tfp_dtype_of(dtype)->class) {
    case TFP_DTYPE_OPAQUE: return 0;
    case TFP_DTYPE_STRING: return sizeof(tfp_str);
    case TFP_DTYPE_COMPLEX: return 2 * sizeof(double);
    default: return sizeof(int64_t);
    }
}

/* Bool and complex numbers have values but no kind, so only callers that know the type may look. */
void *tfp_tensor_values(tfp_tensor *t)
{
    size_t bytes;
    if (__builtin_mul_overflow(t->count, tfp_tensor_unit(t->dtype), &bytes)) return NULL;
    void *values = tfp_tensor_alloc(t, bytes);
    if (!values) return NULL;
    switch (tfp_dtype_of(t->dtype)->class) {
    case TFP_DTYPE_FLOAT: t->kind = TFP_VALUES_DOUBLE; /* fall through */
    case TFP_DTYPE_COMPLEX: t->doubles = values; break;
    case TFP_DTYPE_INT:
    case TFP_DTYPE_UINT: t->kind = TFP_VALUES_INT; /* fall through */
    case TFP_DTYPE_BOOL: t->ints = values; break;
    case TFP_DTYPE_STRING:
        t->kind = TFP_VALUES_STRING;
        t->strings = values;
        break;
    case TFP_DTYPE_OPAQUE: break;
    }
    return values;
}

/* ---- one value from its bits ---- */

static uint64_t load(const uint8_t *at, unsigned size, bool big_endian)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++) v |= (uint64_t)at[big_endian ? size - 1 - i : i] << (8 * i);
    return v;
}

/* Decodes a float of 16 bits or fewer: sign, exponent, mantissa. */
static double small_float(const tfp_dtype *d, uint32_t bits)
{
    unsigned width = d->style == TFP_FLOAT_FINITE ? 4 : 8 * d->size, fraction_bits = width - 1 - d->bits;
    uint32_t ones = (1u << d->bits) - 1, fraction_ones = (1u << fraction_bits) - 1;
    uint32_t exponent = bits >> fraction_bits & ones, fraction = bits & fraction_ones;
    double sign = bits >> (width - 1) & 1 ? -1 : 1;
    if (d->style == TFP_FLOAT_IEEE && exponent == ones) return fraction ? copysign(NAN, sign) : sign * INFINITY;
    if (d->style == TFP_FLOAT_FN && exponent == ones && fraction == fraction_ones) return copysign(NAN, sign);
    if (d->style == TFP_FLOAT_FNUZ && sign < 0 && exponent == 0 && fraction == 0) return NAN;
    int scale = (exponent ? (int)exponent : 1) - d->bias - (int)fraction_bits;
    if (exponent) fraction |= fraction_ones + 1;
    return sign * ldexp((double)fraction, scale);
}

static double to_double(const tfp_dtype *d, uint64_t bits)
{
    if (d->bits == 11) {
        double v;
        memcpy(&v, &bits, sizeof v);
        return v;
    }
    if (d->bias == 0) {
        uint32_t low = (uint32_t)bits;
        float v;
        memcpy(&v, &low, sizeof v);
        return (double)v;
    }
    return small_float(d, (uint32_t)bits);
}

/* Masks the bits that do not count: a byte that holds an int4 may have anything in its other half. */
static int64_t to_int(const tfp_dtype *d, uint64_t bits)
{
    if (d->class == TFP_DTYPE_BOOL) return bits != 0;
    if (d->bits == 64) return (int64_t)bits;
    uint64_t sign = (uint64_t)1 << (d->bits - 1), low = bits & (2 * sign - 1);
    return d->class == TFP_DTYPE_INT ? (int64_t)(low ^ sign) - (int64_t)sign : (int64_t)low;
}

/* ---- many values ---- */

static bool is_floating(const tfp_dtype *d) { return d->class == TFP_DTYPE_FLOAT || d->class == TFP_DTYPE_COMPLEX; }

tfp_status tfp_widen(int dtype, tfp_str bytes, bool big_endian, size_t count, void *to, tfp_error *err)
{
    const tfp_dtype *d = tfp_dtype_of(dtype);
    if (d->size == 0 || bytes.size % d->size || bytes.size / d->size != count)
        return tfp_fail(err, TFP_BADFILE, "%zu bytes for %zu elements of %s", bytes.size, count, d->name);
    unsigned size = d->class == TFP_DTYPE_COMPLEX ? d->size / 2 : d->size;
    const uint8_t *at = (const uint8_t *)bytes.data, *end = at + bytes.size;
    if (is_floating(d)) {
        double *v = to;
        if (size == 4 && !big_endian) /* fast path for most tensors */
            for (; at < end; at += 4) *v++ = to_double(d, load(at, 4, false));
        else
            for (; at < end; at += size) *v++ = to_double(d, load(at, size, big_endian));
    } else {
        int64_t *v = to;
        for (; at < end; at += size) *v++ = to_int(d, load(at, size, big_endian));
    }
    return TFP_OK;
}

/* State of reading a TensorProto. */
typedef struct reading {
    const tfp_dtype *d;
    void *to;
    size_t room, used; /* both in values; a complex number takes two */
} reading;

/* Counts a value; if there is room, gives its place. Too many values are reported at the end. */
static bool place(reading *r, size_t *at)
{
    *at = r->used++;
    return *at < r->room;
}

static void add_number(reading *r, uint64_t bits)
{
    size_t at;
    if (!place(r, &at)) return;
    if (is_floating(r->d))
        ((double *)r->to)[at] = to_double(r->d, bits);
    else
        ((int64_t *)r->to)[at] = to_int(r->d, bits);
}

static tfp_wire_type wire_type_of(uint8_t field)
{
    switch (field) {
    case 5: /* float_val */
    case 9: /* scomplex_val */ return TFP_FIXED32;
    case 6: /* double_val */
    case 12: /* dcomplex_val */ return TFP_FIXED64;
    default: return TFP_VARINT;
    }
}

/* Reads the field that holds this type's values. */
static void read_values(reading *r, tfp_wire *w, const tfp_field *f)
{
    size_t at;
    uint64_t bits;
    if (r->d->class == TFP_DTYPE_STRING) {
        tfp_str s = tfp_field_bytes(w, f);
        if (place(r, &at)) ((tfp_str *)r->to)[at] = s;
    } else if (r->d->field == 18) { /* float8_val: one byte per value */
        tfp_str s = tfp_field_bytes(w, f);
        for (size_t i = 0; i < s.size; i++) add_number(r, (uint8_t)s.data[i]);
    } else {
        for (tfp_packed p = tfp_packed_start(w, f, wire_type_of(r->d->field)); tfp_packed_next(w, &p, &bits);)
            add_number(r, bits);
    }
}

tfp_status tfp_widen_proto(int dtype, tfp_str proto, size_t count, void *to, tfp_error *err)
{
    reading r = { .d = tfp_dtype_of(dtype), .to = to, .room = count };
    size_t per_element = r.d->class == TFP_DTYPE_COMPLEX ? 2 : 1;
    tfp_str content = { 0 };
    tfp_wire w = tfp_wire_start(proto);
    r.room *= per_element;
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        if (f.number == 4)
            content = tfp_field_bytes(&w, &f); /* tensor_content */
        else if (f.number == r.d->field)
            read_values(&r, &w, &f);
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (s) return s;
    if (r.used == 0 && content.size && r.d->size) return tfp_widen(dtype, content, false, count, to, err);
    if (r.used == r.room) return TFP_OK;
    return tfp_fail(err, TFP_BADFILE, "%zu values for %zu elements of %s", r.used / per_element, count, r.d->name);
}
