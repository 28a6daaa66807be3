// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow_stream.c: a report in Arrow's stream format: messages that describe the columns and each batch, as
 * FlatBuffers, and the batches' buffers after them. https://arrow.apache.org/docs/format/Columnar.html */
#include "outputs/core/output.h"
#include "outputs/data/arrow.h"
#include "wire/flat.h"

enum { VERSION_5 = 4, SCHEMA = 1, RECORD_BATCH = 3 }; /* MetadataVersion, MessageHeader */
enum { T_INT = 2, T_FLOAT = 3, T_UTF8 = 5, T_BOOL = 6 };

/* ---- messages ---- */

/* Starts a message; the table that is written next is its header. */
static tfp_flat_table start_message(tfp_buf *b, int header, int64_t body)
{
    tfp_flat_field fields[] = { { 2, VERSION_5 }, { 1, header }, TFP_FLAT_REFERENCE, { 8, body } };
    tfp_flat_start(b);
    tfp_flat_table t = tfp_flat_put_table(b, fields, 4);
    tfp_flat_refer(b, 0, t.at);
    return t;
}

/* Sends the marker, the size and the description; what follows begins at a multiple of eight bytes. */
static void send_message(tfp_sink *s, tfp_buf *b)
{
    while (b->size % 8 && !b->failed) tfp_buf_char(b, 0);
    tfp_flat_put_number(&s->buf, -1, 4);
    tfp_flat_put_number(&s->buf, (int64_t)b->size, 4);
    tfp_sink_write(s, (tfp_str){ b->data, b->size });
}

/* ---- the schema ---- */

static int put_type(tfp_buf *b, const char *format, size_t *at)
{
    tfp_flat_field whole[] = { { 4, 64 }, { 1, 1 } }, real[] = { { 2, 2 } }; /* bits, signed; DOUBLE */
    switch (*format) {
    case 'l': *at = tfp_flat_put_table(b, whole, 2).at; return T_INT;
    case 'g': *at = tfp_flat_put_table(b, real, 1).at; return T_FLOAT;
    case 'b': *at = tfp_flat_put_table(b, NULL, 0).at; return T_BOOL;
    default: *at = tfp_flat_put_table(b, NULL, 0).at; return T_UTF8;
    }
}

static void put_pair(tfp_buf *b, size_t place, tfp_str key, tfp_str value)
{
    tfp_flat_field fields[] = { TFP_FLAT_REFERENCE, TFP_FLAT_REFERENCE };
    tfp_flat_table t = tfp_flat_put_table(b, fields, 2);
    tfp_flat_refer(b, place, t.at);
    tfp_flat_refer(b, t.fields[0], tfp_flat_put_string(b, key));
    tfp_flat_refer(b, t.fields[1], tfp_flat_put_string(b, value));
}

/* The unit in the C interface's metadata, which arrow.c writes: one pair, "unit" and its name. */
static tfp_str unit_of(const struct ArrowSchema *field)
{
    enum { AT = 4 + 4 + 4 };
    int32_t size;
    if (!field->metadata) return (tfp_str){ 0 };
    memcpy(&size, field->metadata + AT, sizeof size);
    return (tfp_str){ field->metadata + AT + 4, (size_t)size };
}

static void put_field(tfp_buf *b, size_t place, const struct ArrowSchema *field)
{
    tfp_str unit = unit_of(field);
    tfp_flat_field fields[] = { TFP_FLAT_REFERENCE,
                                { 1, (field->flags & ARROW_FLAG_NULLABLE) != 0 },
                                { 1, 0 },
                                TFP_FLAT_REFERENCE,
                                { 0, 0 },
                                TFP_FLAT_REFERENCE,
                                unit.data ? TFP_FLAT_REFERENCE : (tfp_flat_field){ 0, 0 } };
    tfp_flat_table t = tfp_flat_put_table(b, fields, 7);
    size_t type;
    tfp_flat_refer(b, place, t.at);
    tfp_flat_refer(b, t.fields[0], tfp_flat_put_string(b, tfp_str_of(field->name)));
    int kind = put_type(b, field->format, &type);
    if (!b->failed) b->data[t.fields[2]] = (char)kind;
    tfp_flat_refer(b, t.fields[3], type);
    tfp_flat_refer(b, t.fields[5], tfp_flat_put_list(b, 0, 4)); /* children: some readers want a list */
    if (!unit.data) return;
    size_t list = tfp_flat_put_list(b, 1, 4);
    tfp_flat_refer(b, t.fields[6], list);
    put_pair(b, list + 4, TFP_STR("unit"), unit);
}

static bool put_schema(tfp_sink *s, const struct ArrowSchema *schema)
{
    tfp_buf b = { 0 };
    tfp_flat_field fields[] = { { 2, 0 }, TFP_FLAT_REFERENCE }; /* little-endian; the fields */
    tfp_flat_table message = start_message(&b, SCHEMA, 0), t = tfp_flat_put_table(&b, fields, 2);
    tfp_flat_refer(&b, message.fields[2], t.at);
    size_t list = tfp_flat_put_list(&b, (size_t)schema->n_children, 4);
    tfp_flat_refer(&b, t.fields[1], list);
    for (int64_t i = 0; i < schema->n_children; i++) put_field(&b, list + 4 + 4 * (size_t)i, schema->children[i]);
    send_message(s, &b);
    bool ok = !b.failed;
    tfp_buf_free(&b);
    return ok;
}

/* ---- batches ---- */

typedef struct buffer {
    const void *data;
    size_t size;
} buffer;

static size_t padding(size_t size) { return (8 - size % 8) % 8; }

/* The buffers of a column: validity, then values or bits, of text offsets and bytes. */
static size_t buffers_of(const struct ArrowArray *a, const char *format, buffer out[3])
{
    size_t rows = (size_t)a->length;
    int32_t text = 0;
    out[0] = (buffer){ a->buffers[0], a->buffers[0] ? (rows + 7) / 8 : 0 };
    if (*format == 'u') {
        memcpy(&text, (const int32_t *)a->buffers[1] + rows, sizeof text);
        out[1] = (buffer){ a->buffers[1], (rows + 1) * sizeof(int32_t) };
        out[2] = (buffer){ a->buffers[2], (size_t)text };
        return 3;
    }
    out[1] = (buffer){ a->buffers[1], *format == 'b' ? (rows + 7) / 8 : rows * 8 };
    return 2;
}

static void put_nodes(tfp_buf *b, size_t field, const struct ArrowArray *a)
{
    tfp_flat_refer(b, field, tfp_flat_put_list(b, (size_t)a->n_children, 8));
    for (int64_t i = 0; i < a->n_children; i++) {
        tfp_flat_put_number(b, a->children[i]->length, 8);
        tfp_flat_put_number(b, a->children[i]->null_count, 8);
    }
}

/* Writes the offsets of the buffers after the message; returns their total size. */
static int64_t put_places(tfp_buf *b, size_t field, const struct ArrowArray *a, const struct ArrowSchema *schema)
{
    buffer of[3];
    size_t count = 0, at = 0;
    for (int64_t i = 0; i < a->n_children; i++) count += buffers_of(a->children[i], schema->children[i]->format, of);
    tfp_flat_refer(b, field, tfp_flat_put_list(b, count, 8));
    for (int64_t i = 0; i < a->n_children; i++) {
        size_t n = buffers_of(a->children[i], schema->children[i]->format, of);
        for (size_t k = 0; k < n; k++) {
            tfp_flat_put_number(b, (int64_t)at, 8);
            tfp_flat_put_number(b, (int64_t)of[k].size, 8);
            at += of[k].size + padding(of[k].size);
        }
    }
    return (int64_t)at;
}

static bool put_batch(tfp_sink *s, const struct ArrowArray *a, const struct ArrowSchema *schema)
{
    tfp_buf b = { 0 };
    buffer of[3];
    tfp_flat_field fields[] = { { 8, a->length }, TFP_FLAT_REFERENCE, TFP_FLAT_REFERENCE };
    tfp_flat_table message = start_message(&b, RECORD_BATCH, 0), t = tfp_flat_put_table(&b, fields, 3);
    tfp_flat_refer(&b, message.fields[2], t.at);
    put_nodes(&b, t.fields[1], a);
    int64_t body = put_places(&b, t.fields[2], a, schema);
    for (size_t i = 0; i < 8 && !b.failed; i++) b.data[message.fields[3] + i] = (char)((uint64_t)body >> (8 * i));
    send_message(s, &b);
    for (int64_t i = 0; i < a->n_children; i++) {
        size_t n = buffers_of(a->children[i], schema->children[i]->format, of);
        for (size_t k = 0; k < n; k++) {
            tfp_sink_write(s, (tfp_str){ of[k].data, of[k].size });
            tfp_buf_fill(&s->buf, 0, padding(of[k].size));
        }
        tfp_sink_flush_if_full(s);
    }
    bool ok = !b.failed;
    tfp_buf_free(&b);
    return ok;
}

static bool put_stream(tfp_sink *s, struct ArrowArrayStream *stream, const struct ArrowSchema *schema)
{
    bool ok = put_schema(s, schema), more = true;
    while (ok && more) {
        struct ArrowArray a = { 0 };
        if (stream->get_next(stream, &a)) return false;
        more = a.release != NULL;
        if (!more) break;
        ok = put_batch(s, &a, schema);
        a.release(&a);
    }
    tfp_flat_put_number(&s->buf, -1, 4); /* the end */
    tfp_flat_put_number(&s->buf, 0, 4);
    return ok;
}

static tfp_status write_arrow(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    struct ArrowArrayStream stream = { 0 };
    struct ArrowSchema schema = { 0 };
    tfp_status status = tfp_arrow_export(r, TFP_ARROW_ROWS, TFP_ARROW_TEXT, &stream, err);
    if (status) return status;
    bool ok = stream.get_schema(&stream, &schema) == 0 && put_stream(s, &stream, &schema);
    if (schema.release) schema.release(&schema);
    stream.release(&stream);
    return ok ? TFP_OK : tfp_nomem(err);
}

const tfp_output_format tfp_output_arrow = {
    .name = "arrow",
    .help = "The rows as an Arrow stream, as pyarrow, polars and DuckDB read it.",
    .in_format_option = true,
    .write = write_arrow,
};
