// SPDX-License-Identifier: Apache-2.0
/* flops/aten/call.c: parses the arguments of one operator's call from the texts that Kineto writes: lists of lists of
 * numbers for shapes, lists of words for types and values. */
#include "flops/aten/count.h"
#include "wire/jsonscan.h"

/* ---- shapes ---- */

/* Reads "[8, 16]"; its '[' is next. */
static void read_shape(tfp_jscan *j, tfp_aten_input *in)
{
    int64_t dim;
    in->elements = 1;
    j->at++;
    for (bool first = true; tfp_jscan_item(j, first); first = false) {
        if (!tfp_jscan_integer(j, &dim) || dim < 0) dim = TFP_ATEN_UNKNOWN;
        if (in->rank < TFP_ATEN_RANK) in->dims[in->rank] = dim;
        in->elements = in->rank < TFP_ATEN_RANK ? tfp_times(in->elements, dim) : TFP_ATEN_UNKNOWN;
        in->rank++;
    }
    if (in->rank > TFP_ATEN_RANK) in->rank = TFP_ATEN_RANK;
}

/* Reads "[[8, 16], [4]]": the character after the first '[' tells whether it is a list of tensors. */
static void read_argument(tfp_jscan *j, tfp_aten_input *in)
{
    tfp_jscan ahead = *j;
    ahead.at++;
    if (tfp_jscan_peek(&ahead) != '[') {
        read_shape(j, in);
        return;
    }
    in->list = true;
    const char *start = j->at++;
    for (bool first = true; tfp_jscan_item(j, first); first = false) {
        tfp_aten_input one = { 0 };
        if (tfp_jscan_peek(j) != '[') {
            tfp_jscan_skip(j);
            continue;
        }
        read_shape(j, &one);
        in->elements = tfp_plus(in->elements, one.elements);
        if (one.rank == 2) in->matrices = tfp_plus(in->matrices, one.elements);
    }
    in->shapes = (tfp_str){ start, (size_t)(j->at - start) };
}

/* Reads the numbers of a list whose '[' is next into `out`; returns how many there are, or -1: no list of numbers. */
static int read_strides(tfp_jscan *j, int64_t out[TFP_ATEN_RANK])
{
    int n = 0;
    bool numbers = true;
    j->at++;
    for (bool first = true; tfp_jscan_item(j, first); first = false) {
        int64_t stride;
        bool number = tfp_jscan_integer(j, &stride);
        numbers &= number;
        if (number && n < TFP_ATEN_RANK) out[n++] = stride;
    }
    return numbers && !j->fault ? n : -1;
}

int tfp_aten_listed(const tfp_aten_input *in, tfp_aten_input *out, int most)
{
    tfp_jscan j = tfp_jscan_start(in->shapes), strides = tfp_jscan_start(in->spans);
    int n = 0;
    if (!in->list || !in->shapes.size || tfp_jscan_peek(&j) != '[') return 0;
    j.at++;
    bool strided = in->spans.size && tfp_jscan_peek(&strides) == '[';
    if (strided) strides.at++;
    for (bool first = true; tfp_jscan_item(&j, first); first = false) {
        tfp_aten_input one = { .tensor = true };
        if (tfp_jscan_peek(&j) != '[') return 0;
        read_shape(&j, &one);
        strided = strided && tfp_jscan_item(&strides, first) && tfp_jscan_peek(&strides) == '[';
        if (strided) one.strided = read_strides(&strides, one.strides) == one.rank;
        if (n < most) out[n] = one;
        n++;
    }
    return j.fault ? 0 : n;
}

static void read_dims(tfp_jscan *j, tfp_aten_call *c)
{
    j->at++;
    for (bool first = true; tfp_jscan_item(j, first); first = false) {
        tfp_aten_input scratch = { 0 }, *in = c->count < TFP_ATEN_INPUTS ? &c->in[c->count] : &scratch;
        *in = scratch;
        if (tfp_jscan_peek(j) == '[')
            read_argument(j, in);
        else
            tfp_jscan_skip(j);
        c->count += c->count < TFP_ATEN_INPUTS;
    }
}

/* ---- types and values ---- */

static const struct {
    const char *name;
    tfp_scalar_type scalar;
    tfp_float_type type;
} type_words[] = { { "float", TFP_SCALAR_FLOAT, TFP_FLOAT_FP32 },
                   { "double", TFP_SCALAR_DOUBLE, TFP_FLOAT_OTHER },
                   { "c10::Half", TFP_SCALAR_HALF, TFP_FLOAT_FP16 },
                   { "c10::BFloat16", TFP_SCALAR_BFLOAT16, TFP_FLOAT_BF16 },
                   { "long int", TFP_SCALAR_INT64, TFP_FLOAT_OTHER },
                   { "long", TFP_SCALAR_INT64, TFP_FLOAT_OTHER },
                   { "int", TFP_SCALAR_INT32, TFP_FLOAT_OTHER },
                   { "short", TFP_SCALAR_INT16, TFP_FLOAT_OTHER },
                   { "short int", TFP_SCALAR_INT16, TFP_FLOAT_OTHER },
                   { "bool", TFP_SCALAR_BOOL, TFP_FLOAT_OTHER },
                   { "char", TFP_SCALAR_INT8, TFP_FLOAT_OTHER },
                   { "signed char", TFP_SCALAR_INT8, TFP_FLOAT_OTHER },
                   { "unsigned char", TFP_SCALAR_UINT8, TFP_FLOAT_OTHER },
                   { "c10::complex<float>", TFP_SCALAR_COMPLEX_FLOAT, TFP_FLOAT_OTHER },
                   { "c10::complex<double>", TFP_SCALAR_COMPLEX_DOUBLE, TFP_FLOAT_OTHER },
                   { "c10::Float8_e4m3fn", TFP_SCALAR_FLOAT8_E4M3FN, TFP_FLOAT_FP8 },
                   { "c10::Float8_e5m2", TFP_SCALAR_FLOAT8_E5M2, TFP_FLOAT_FP8 },
                   { "c10::Float8_e4m3fnuz", TFP_SCALAR_FLOAT8_E4M3FNUZ, TFP_FLOAT_FP8 },
                   { "c10::Float8_e5m2fnuz", TFP_SCALAR_FLOAT8_E5M2FNUZ, TFP_FLOAT_FP8 },
                   { "c10::qint8", TFP_SCALAR_QINT8, TFP_FLOAT_OTHER },
                   { "c10::quint8", TFP_SCALAR_QUINT8, TFP_FLOAT_OTHER } };

int tfp_scalar_bytes(unsigned scalar_type)
{
    static const uint8_t bytes[TFP_SCALAR_TYPES] = { 1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1,
                                                     4, 2, 0, 0, 0, 0, 0, 0, 0, 1, 1,  1, 1 };
    return scalar_type < TFP_SCALAR_TYPES ? bytes[scalar_type] : 0;
}

/* Leaves the element size 0 for arguments that are no tensors and for unknown types. */
static void read_type(tfp_aten_input *in, tfp_str type)
{
    in->bytes = 0;
    in->scalar_type = TFP_SCALAR_TYPES;
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++) {
        if (!tfp_str_eq(type, tfp_str_of(type_words[i].name))) continue;
        in->scalar_type = (uint8_t)type_words[i].scalar;
        in->bytes = tfp_scalar_bytes(type_words[i].scalar);
        in->type = type_words[i].type;
        return;
    }
}

/* Type names of arguments that are no tensors. */
static bool no_tensor(tfp_str type) { return !type.size || tfp_is_word(type, "Scalar ScalarList GenericList"); }

typedef void (*take_fn)(tfp_aten_input *in, tfp_str text);
static void take_type(tfp_aten_input *in, tfp_str type)
{
    read_type(in, type);
    in->tensor = !in->list && !no_tensor(type) && !tfp_str_eq(type, TFP_STR("TensorList"));
}
static void take_value(tfp_aten_input *in, tfp_str value) { in->value = value; }

/* Reads a list of texts, one for each argument. */
static void read_texts(tfp_str list, tfp_aten_call *c, take_fn take)
{
    tfp_jscan j = tfp_jscan_start(list);
    if (!list.size || tfp_jscan_peek(&j) != '[') return;
    j.at++;
    int i = 0;
    for (bool first = true; i < c->count && tfp_jscan_item(&j, first); first = false, i++) {
        tfp_jscan_value v;
        tfp_jscan_value_of(&j, &v);
        if (j.fault) return;
        take(&c->in[i], v.kind == TFP_JSCAN_STRING ? v.text.raw : (tfp_str){ "", 0 });
    }
}

bool tfp_aten_read(tfp_aten_call *c, tfp_str dims, tfp_str types, tfp_str values)
{
    c->count = 0;
    tfp_jscan j = tfp_jscan_start(dims);
    if (!dims.size || tfp_jscan_peek(&j) != '[') return false;
    read_dims(&j, c);
    if (j.fault) return false;
    /* old traces have no types: an argument with dims is a tensor */
    for (int i = 0; i < c->count && !types.size; i++) c->in[i].tensor = !c->in[i].list && c->in[i].rank > 0;
    read_texts(types, c, take_type);
    read_texts(values, c, take_value);
    return true;
}

void tfp_aten_read_strides(tfp_aten_call *c, tfp_str strides)
{
    tfp_jscan j = tfp_jscan_start(strides);
    if (!strides.size || tfp_jscan_peek(&j) != '[') return;
    j.at++;
    int i = 0;
    for (bool first = true; i < c->count && tfp_jscan_item(&j, first); first = false, i++) {
        tfp_aten_input *in = &c->in[i];
        const char *from = j.at;
        if (tfp_jscan_peek(&j) != '[') {
            tfp_jscan_skip(&j);
        } else if (in->list) {
            tfp_jscan_skip(&j);
            in->spans = (tfp_str){ from, (size_t)(j.at - from) };
        } else {
            in->strided = read_strides(&j, in->strides) == in->rank && in->tensor;
        }
        if (j.fault) {
            in->strided = false;
            return;
        }
    }
}

tfp_float_type tfp_aten_type(const tfp_aten_call *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->in[i].tensor && c->in[i].type != TFP_FLOAT_OTHER) return c->in[i].type;
    return TFP_FLOAT_OTHER;
}

int tfp_aten_numbers(const tfp_aten_input *in, int64_t *out, int most)
{
    tfp_jscan j = tfp_jscan_start(in->value);
    int n = 0;
    if (!in->value.size) return 0;
    /* the scanner needs a byte after the number, so a plain number is parsed here */
    if (tfp_jscan_peek(&j) != '[') return tfp_parse_int64(in->value, &out[0]);
    j.at++;
    for (bool first = true; tfp_jscan_item(&j, first); first = false) {
        int64_t number;
        if (!tfp_jscan_integer(&j, &number)) return 0;
        if (n < most) out[n++] = number;
    }
    return j.fault ? 0 : n;
}

bool tfp_aten_spread(const tfp_aten_input *in, int64_t *out, int count)
{
    int n = tfp_aten_numbers(in, out, count);
    for (int i = n; n == 1 && i < count; i++) out[i] = out[0];
    return n == 1 || n == count;
}

/* ---- bytes: every tensor is read, and `out` elements of the first one's type are written ---- */

int64_t tfp_aten_moved(const tfp_aten_call *c, int64_t out)
{
    int64_t sum = 0;
    int bytes = 0;
    for (int i = 0; i < c->count; i++) {
        const tfp_aten_input *in = &c->in[i];
        if (in->list || (in->tensor && !in->bytes))
            return TFP_ATEN_UNKNOWN; /* traces do not record the types of a list's tensors */
        if (!in->tensor) continue;
        if (!bytes) bytes = in->bytes;
        sum = tfp_plus(sum, tfp_times(in->elements, in->bytes));
    }
    return bytes ? tfp_plus(sum, tfp_times(out, bytes)) : TFP_ATEN_UNKNOWN;
}

int64_t tfp_aten_input_bytes(const tfp_aten_call *c) { return tfp_aten_moved(c, 0); }

tfp_aten_cost tfp_aten_products(const tfp_aten_call *c, int64_t macs, int64_t out)
{
    return (tfp_aten_cost){ tfp_times(2, macs), macs, tfp_aten_moved(c, out) };
}
