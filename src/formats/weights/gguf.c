// SPDX-License-Identifier: Apache-2.0
/* formats/weights/gguf.c: files of weights of llama.cpp: GGUF, versions 2 and 3. The header's values are skipped; the
 * tensors' names, shapes and types are read, and their sizes follow from the type. Layout: ggml-org/ggml, docs/gguf.md;
 * sizes: gguf-py, constants.py. */
#include "formats/weights/weights.h"
#include "model/builder.h"

enum { DIMS_MOST = 8, NEST_MOST = 16, TEXT_MOST = 1 << 20 };

typedef struct gguf_type {
    uint8_t number;
    const char *name;
    uint16_t block, bytes; /* elements of a block, and bytes of a block */
} gguf_type;

/* clang-format off */
static const gguf_type types[] = {
    { 0, "F32", 1, 4 },         { 1, "F16", 1, 2 },         { 2, "Q4_0", 32, 18 },      { 3, "Q4_1", 32, 20 },
    { 6, "Q5_0", 32, 22 },      { 7, "Q5_1", 32, 24 },      { 8, "Q8_0", 32, 34 },      { 9, "Q8_1", 32, 40 },
    { 10, "Q2_K", 256, 84 },    { 11, "Q3_K", 256, 110 },   { 12, "Q4_K", 256, 144 },   { 13, "Q5_K", 256, 176 },
    { 14, "Q6_K", 256, 210 },   { 15, "Q8_K", 256, 292 },   { 16, "IQ2_XXS", 256, 66 }, { 17, "IQ2_XS", 256, 74 },
    { 18, "IQ3_XXS", 256, 98 }, { 19, "IQ1_S", 256, 50 },   { 20, "IQ4_NL", 32, 18 },   { 21, "IQ3_S", 256, 110 },
    { 22, "IQ2_S", 256, 82 },   { 23, "IQ4_XS", 256, 136 }, { 24, "I8", 1, 1 },         { 25, "I16", 1, 2 },
    { 26, "I32", 1, 4 },        { 27, "I64", 1, 8 },        { 28, "F64", 1, 8 },        { 29, "IQ1_M", 256, 56 },
    { 30, "BF16", 1, 2 },       { 34, "TQ1_0", 256, 54 },   { 35, "TQ2_0", 256, 66 },   { 39, "MXFP4", 32, 17 },
    { 40, "NVFP4", 64, 36 },    { 41, "Q1_0", 128, 18 },
};
/* clang-format on */

typedef struct reader {
    tfp_builder *b;
    tfp_input *in;
    tfp_error *err;
    tfp_status status;
    uint64_t data_end; /* end of the tensors, from the beginning of the data */
} reader;

static uint64_t number(reader *r, size_t bytes)
{
    tfp_str s = { 0 };
    uint64_t n = 0;
    if (!r->status) r->status = tfp_input_peek(r->in, bytes, &s, r->err);
    if (!r->status && s.size < bytes)
        r->status = tfp_fail(r->err, TFP_BADFILE, "byte %llu: cut short", (unsigned long long)tfp_input_at(r->in));
    for (size_t i = bytes; !r->status && i-- > 0;) n = n << 8 | (unsigned char)s.data[i];
    if (!r->status) r->status = tfp_input_skip(r->in, bytes, r->err);
    return r->status ? 0 : n;
}

static void skip(reader *r, uint64_t bytes)
{
    if (!r->status && bytes > tfp_input_left(r->in))
        r->status = tfp_fail(r->err, TFP_BADFILE, "byte %llu: a length past the end of the file",
                             (unsigned long long)tfp_input_at(r->in));
    while (bytes && !r->status) {
        tfp_str s;
        size_t part = bytes < 65536 ? (size_t)bytes : 65536;
        r->status = tfp_input_peek(r->in, part, &s, r->err);
        if (!r->status) r->status = tfp_input_skip(r->in, part, r->err);
        bytes -= part;
    }
}

/* Bytes of a header value; 0: a text or an array. */
static size_t size_of_value(uint64_t type)
{
    static const uint8_t sizes[] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };
    return type < sizeof sizes ? sizes[type] : 0;
}

/* Skips a value. Arrays may contain arrays, so the items left of each open one are kept on a stack. */
static void skip_value(reader *r, uint64_t type)
{
    enum { TEXT = 8, ARRAY = 9 };
    struct {
        uint64_t type, left;
    } open[NEST_MOST] = { { type, 1 } };
    size_t depth = 1;
    while (depth && !r->status) {
        uint64_t kind = open[depth - 1].type, *left = &open[depth - 1].left;
        if (!*left) {
            depth--;
        } else if (size_of_value(kind)) {
            if (*left > tfp_input_left(r->in)) *left = UINT64_MAX / 16; /* skip fails then */
            skip(r, *left * size_of_value(kind));
            *left = 0;
        } else if (kind == TEXT) {
            (*left)--;
            skip(r, number(r, 8));
        } else if (kind == ARRAY && depth < NEST_MOST) {
            (*left)--;
            open[depth].type = number(r, 4);
            open[depth].left = number(r, 8);
            depth++;
        } else {
            r->status = tfp_fail(r->err, TFP_BADFILE, "byte %llu: a value of an unknown type",
                                 (unsigned long long)tfp_input_at(r->in));
        }
    }
}

static const gguf_type *type_of(uint64_t number)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].number == number) return &types[i];
    return NULL;
}

static void read_tensor(reader *r, tfp_buf *name)
{
    int64_t dims[DIMS_MOST], elements;
    tfp_weight_row row = { .dims = dims };
    uint64_t size = number(r, 8);
    tfp_str text;
    if (!r->status && (size > tfp_input_left(r->in) || size > TEXT_MOST))
        r->status = tfp_fail(r->err, TFP_BADFILE, "a tensor's name is longer than the file");
    if (!r->status) r->status = tfp_input_peek(r->in, (size_t)size, &text, r->err);
    if (r->status) return;
    name->size = 0;
    tfp_buf_add(name, text.data, (size_t)size);
    if (name->failed) r->status = tfp_nomem(r->err);
    skip(r, size);
    row.name = (tfp_str){ name->data ? name->data : "", name->size };
    row.dim_count = (size_t)number(r, 4);
    if (!r->status && row.dim_count > DIMS_MOST)
        r->status = tfp_fail(r->err, TFP_BADFILE, "a tensor of %zu dimensions", row.dim_count);
    for (size_t i = row.dim_count; !r->status && i-- > 0;) { /* the file has the innermost first */
        uint64_t n = number(r, 8);
        dims[i] = n > INT64_MAX ? -1 : (int64_t)n;
    }
    uint64_t kind = number(r, 4), offset = number(r, 8);
    const gguf_type *t = type_of(kind);
    if (r->status) return;
    bool fits = tfp_weight_elements(dims, row.dim_count, &elements);
    if (!t) tfp_build_warn(r->b, "tensors of an unknown type, whose bytes do not count", row.name);
    row.type = tfp_str_of(t ? t->name : "unknown");
    row.bytes = t && fits ? tfp_mul(elements / t->block, t->bytes, NULL) : 0;
    if (offset < INT64_MAX && offset + (uint64_t)row.bytes > r->data_end) r->data_end = offset + (uint64_t)row.bytes;
    r->status = tfp_weight_add(r->b, &row, r->err);
}

static void check_version(reader *r)
{
    uint64_t version;
    skip(r, 4);
    version = number(r, 4);
    if (r->status) return;
    if (version == 0x02000000 || version == 0x03000000)
        r->status = tfp_fail(r->err, TFP_BADFILE, "a big-endian GGUF file, which is not read");
    else if (version < 2)
        r->status = tfp_fail(r->err, TFP_BADFILE, "version %llu of GGUF, which is not read: convert it again",
                             (unsigned long long)version);
    else if (version > 3)
        tfp_build_warn(r->b, "a version of GGUF that is newer than 3", TFP_STR(""));
}

static tfp_status read_gguf(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b, .in = in, .err = err };
    tfp_buf name = { 0 };
    check_version(&r);
    uint64_t tensors = number(&r, 8), values = number(&r, 8);
    /* a value takes at least 13 bytes, a tensor 24 */
    if (!r.status && (values > tfp_input_left(in) / 13 || tensors > tfp_input_left(in) / 24))
        r.status = tfp_fail(err, TFP_BADFILE, "it claims more values or tensors than it has room for");
    for (uint64_t i = 0; i < values && !r.status; i++) {
        skip(&r, number(&r, 8));
        skip_value(&r, number(&r, 4));
    }
    for (uint64_t i = 0; i < tensors && !r.status; i++) read_tensor(&r, &name);
    if (!r.status && r.data_end > tfp_input_left(in))
        tfp_build_warn(b, "bytes of tensors past the end of the file: it is cut short", TFP_STR(""));
    tfp_buf_free(&name);
    return r.status ? r.status : tfp_builder_status(b, err);
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    return tfp_str_begins(head, TFP_STR("GGUF")) ? 95 : 0;
}

const tfp_format tfp_format_gguf = {
    .name = "gguf",
    .help = "weights of llama.cpp (GGUF): names, shapes and types of the tensors, quantised ones too",
    .probe = probe,
    .read = read_gguf,
};
