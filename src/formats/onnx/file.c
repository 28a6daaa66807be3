// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/file.c: reads models in ONNX: ModelProto. The file is read in windows; the values of big tensors are
 * skipped, and so are files beside it that hold values. The graph is collected first, because initializers and shapes
 * come after the nodes that use them. Uses base, wire, model. Message layout: onnx.proto of github.com/onnx/onnx. */
#include "formats/files/format.h"
#include "formats/onnx/onnx.h"
#include "model/tables/profile.h"

enum { PEEKED = 1 << 20, HEAD_FIELD = 64 << 10 };

/* ---- walking the file: messages that are bigger than memory are entered in place ---- */

typedef struct walker {
    tfp_onnx_model *m;
    tfp_input *in;
    tfp_error *err;
} walker;

/* Reads the next field of a message that ends at byte `end`; false at its end, or with *s set. */
static bool next_field(walker *x, uint64_t end, tfp_field *f, uint64_t *size, tfp_status *s)
{
    uint64_t at = tfp_input_at(x->in);
    if (*s || at >= end) return false;
    *s = tfp_wire_peek_input(x->in, f, size, x->err);
    if (!*s && *size > end - at)
        *s = tfp_fail(x->err, TFP_BADFILE, "byte %llu: a field that ends past the end of its message",
                      (unsigned long long)at);
    return !*s;
}

/* Reads a whole length-delimited field into memory; afterwards the position is after it. */
static tfp_status take(walker *x, const tfp_field *f, uint64_t size, tfp_str *out)
{
    tfp_status s = tfp_input_peek(x->in, (size_t)size, out, x->err);
    if (!s && out->size < size) s = tfp_fail(x->err, TFP_BADFILE, "cut short");
    if (s) return s;
    *out = (tfp_str){ out->data + (size - f->bytes.size), f->bytes.size };
    return TFP_OK;
}

/* Enters a field: the position is then at its first byte; gives where it ends. */
static tfp_status enter(walker *x, const tfp_field *f, uint64_t size, uint64_t *end)
{
    *end = tfp_input_at(x->in) + size;
    return tfp_input_skip(x->in, (size_t)(size - f->bytes.size), x->err);
}

/* Reads a big TensorProto: only its small fields are kept. */
static tfp_status big_initializer(walker *x, const tfp_field *f, uint64_t size)
{
    uint64_t end, part;
    tfp_buf head = { 0 };
    tfp_status s = enter(x, f, size, &end);
    for (tfp_field g; next_field(x, end, &g, &part, &s);) {
        tfp_str bytes;
        if (part && part <= HEAD_FIELD) {
            s = tfp_input_peek(x->in, (size_t)part, &bytes, x->err);
            if (!s) tfp_buf_add(&head, bytes.data, (size_t)part);
        }
        if (!s) s = tfp_wire_skip_input(x->in, &g, part, x->err);
    }
    if (!s && head.failed) s = tfp_nomem(x->err);
    if (!s) s = tfp_onnx_add_initializer(x->m, (tfp_str){ head.data ? head.data : "", head.size }, x->err);
    tfp_buf_free(&head);
    return s;
}

static tfp_status graph_field(walker *x, const tfp_field *f, uint64_t size)
{
    tfp_str bytes;
    if (f->type != TFP_BYTES) return tfp_wire_skip_input(x->in, f, size, x->err);
    if (f->number == 5 && size > PEEKED) return big_initializer(x, f, size);
    bool wanted = f->number == 1 || f->number == 5 || (f->number >= 11 && f->number <= 13);
    tfp_status s = wanted ? take(x, f, size, &bytes) : TFP_OK;
    if (!s && f->number == 1) tfp_put_bytes_always(&x->m->nodes, 1, bytes);
    if (!s && f->number == 5)
        s = tfp_within(x->err, tfp_onnx_add_initializer(x->m, bytes, x->err), "initializer %zu", x->m->weights.size);
    if (!s && wanted && f->number >= 11)
        s = tfp_within(x->err, tfp_onnx_add_info(x->m, bytes, f->number == 11, x->err), "value info");
    if (f->number == 15) tfp_build_warn(x->m->b, "sparse initializers, left out", TFP_STR(""));
    return s ? s : tfp_wire_skip_input(x->in, f, size, x->err);
}

static tfp_status read_graph(walker *x, const tfp_field *f, uint64_t size)
{
    uint64_t end, part;
    tfp_status s = enter(x, f, size, &end);
    x->m->has_graph = true;
    for (tfp_field g; next_field(x, end, &g, &part, &s);) s = graph_field(x, &g, part);
    return s ? s : tfp_onnx_status(x->m, x->err);
}

static tfp_status read_model(walker *x)
{
    uint64_t end = x->in->total, size;
    tfp_status s = TFP_OK;
    for (tfp_field f; next_field(x, end, &f, &size, &s);) {
        if (f.number == 7 && f.type == TFP_BYTES)
            s = tfp_within(x->err, read_graph(x, &f, size), "graph");
        else
            s = tfp_wire_skip_input(x->in, &f, size, x->err);
    }
    return s;
}

static void model_free(tfp_onnx_model *m)
{
    tfp_buf_free(&m->nodes);
    tfp_buf_free(&m->infos);
    tfp_buf_free(&m->tensors);
    tfp_vec_free(&m->values);
    tfp_vec_free(&m->weights);
    tfp_vec_free(&m->dims);
    tfp_map64_free(&m->value_of);
}

static tfp_status read_onnx(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_onnx_model m = { .b = b };
    walker x = { &m, in, err };
    tfp_status s = tfp_input_check_size(in, err);
    if (!s) s = read_model(&x);
    if (!s && !m.has_graph) s = tfp_fail(err, TFP_BADFILE, "a model without a graph: it is cut short, or no ONNX");
    if (!s) s = tfp_onnx_build(&m, err);
    model_free(&m);
    b->p->about.graph_file = tfp_arena_copy(&b->p->arena, tfp_str_of(b->file));
    return s || b->p->about.graph_file ? s : tfp_nomem(err);
}

/* ---- recognizing such a file: no field marks it, so all of its first fields must fit a ModelProto ---- */

static bool is_text(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if ((unsigned char)s.data[i] < ' ') return false;
    return s.size < 1000;
}

/* Whether `bytes` begins a graph. In `head` a length-delimited field may go past the end: true then, with *cut. */
static bool is_graph_begun(tfp_str bytes)
{
    tfp_wire w = tfp_wire_start(bytes);
    const uint8_t *at = w.at;
    uint64_t tag;
    if (!bytes.size) return true;
    if (!tfp_wire_varint(&w, &at, &tag)) return false;
    uint64_t number = tag >> 3; /* node, name, initializer, doc_string, input, output, value_info .. */
    return (tag & 7) == TFP_BYTES && (number == 1 || number == 2 || number == 5 || (number >= 10 && number <= 16));
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    tfp_wire w = tfp_wire_start(head);
    bool version = false;
    while (w.at < w.end) {
        const uint8_t *at = w.at;
        uint64_t tag, size;
        if (!tfp_wire_varint(&w, &at, &tag)) return 0;
        uint64_t number = tag >> 3;
        if (number == 1 || number == 5) { /* ir_version, model_version */
            if ((tag & 7) != TFP_VARINT || !tfp_wire_varint(&w, &at, &size)) return 0;
            version |= number == 1 && size > 0 && size < 1000;
            w.at = at;
            continue;
        }
        if ((tag & 7) != TFP_BYTES || !version || !tfp_wire_varint(&w, &at, &size)) return 0;
        size_t left = (size_t)(w.end - at), have = size < left ? (size_t)size : left;
        tfp_str bytes = { (const char *)at, have };
        if (number == 7) return is_graph_begun(bytes) ? 92 : 0;
        bool text = number == 2 || number == 3 || number == 4 || number == 6;
        if (size > left || (text ? !is_text(bytes) : number != 8 && number != 14 && number != 25)) return 0;
        w.at = at + have;
    }
    return 0;
}

const tfp_format tfp_format_onnx = {
    .name = "onnx",
    .help = "models in ONNX: nodes, shapes, parameters and float operations",
    .probe = probe,
    .read = read_onnx,
};
