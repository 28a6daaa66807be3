/* outputs/proto.c: a report as the proto that TensorFlow's tfprof returns: GraphNodeProto (scope, graph),
 * MultiGraphNodeProto (op, code) or AdviceProto, serialized.
 * A message holds its children, and begins with its length. So each row's own fields are encoded once to learn their
 * size, sizes are summed from the last row up to the root, and then everything is written from the root down: no
 * recursion and no copying, however deep the tree. Numbers: tensorflow/core/profiler/tfprof_output.proto. */
#include "outputs/fields.h"
#include "outputs/output.h"
#include "wire/proto.h"

#include <stdio.h>
#include <stdlib.h>

enum { GRAPH_CHILDREN = 12, GROUP_CHILDREN = 11 };

/* What TFProfTensorProto has values for. */
enum { DT_FLOAT = 1, DT_DOUBLE = 2, DT_INT32 = 3, DT_STRING = 7, DT_INT64 = 9 };

/* Readers refuse strings that are no UTF-8: such names go as they are shown. */
static void put_string(tfp_buf *b, uint32_t number, tfp_str s)
{
    if (tfp_utf8_valid(s)) {
        tfp_put_bytes_always(b, number, s);
        return;
    }
    size_t at = tfp_put_open(b, number);
    tfp_escape(b, s);
    tfp_put_close(b, at);
}

static size_t varint_size(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7) n++;
    return n;
}

/* A TensorShapeProto; an unknown shape says so. */
static void put_shape(tfp_buf *b, uint32_t number, const tfp_profile *p, uint32_t shape)
{
    size_t at = tfp_put_open(b, number);
    const tfp_shape *s = shape == TFP_NONE ? NULL : &p->shapes.at[shape];
    if (!s || s->count == 0) tfp_put_int(b, 3, 1);
    for (uint32_t i = 0; s && i < s->count; i++) {
        size_t dim = tfp_put_open(b, 2);
        tfp_put_int(b, 1, p->dims.at[s->first + i]);
        tfp_put_close(b, dim);
    }
    tfp_put_close(b, at);
}

/* What a node brings beyond its numbers: its device and the shapes of its inputs. */
static void put_node(tfp_buf *b, const tfp_profile *p, uint32_t node)
{
    const tfp_node *n = &p->nodes.at[node];
    if (n->device) put_string(b, 10, tfp_text(p, n->device));
    for (TFP_EACH(inputs, i, n->input_first, p)) {
        const tfp_input_edge *e = &p->inputs.at[i];
        size_t at = tfp_put_open(b, 16);
        tfp_put_int_always(b, 1, e->position);
        put_shape(b, 2, p, tfp_input_shape(p, e));
        tfp_put_close(b, at);
    }
}

/* TensorFlow sends floats through a stream of six significant digits before it keeps them. */
static double six_digits(double d)
{
    char text[40];
    snprintf(text, sizeof text, "%g", d);
    return strtod(text, NULL);
}

static void put_doubles(tfp_buf *b, const tfp_tensor *t)
{
    tfp_put_tag(b, 2, TFP_BYTES);
    tfp_put_varint(b, (uint64_t)t->count * 8);
    for (size_t i = 0; i < t->count; i++) {
        double d = six_digits(t->doubles[i]);
        uint64_t bits;
        unsigned char little[8];
        memcpy(&bits, &d, 8);
        for (int k = 0; k < 8; k++) little[k] = (unsigned char)(bits >> 8 * k);
        tfp_buf_add(b, little, 8);
    }
}

static void put_tensor(tfp_buf *b, uint32_t number, const tfp_tensor *t)
{
    size_t at = tfp_put_open(b, number);
    tfp_put_int(b, 1, t->dtype);
    if (t->count && t->kind == TFP_VALUES_DOUBLE && (t->dtype == DT_FLOAT || t->dtype == DT_DOUBLE)) put_doubles(b, t);
    if (t->count && t->kind == TFP_VALUES_INT && (t->dtype == DT_INT32 || t->dtype == DT_INT64))
        tfp_put_packed_ints(b, 3, t->ints, t->count);
    for (size_t i = 0; t->kind == TFP_VALUES_STRING && i < t->count; i++) put_string(b, 4, t->strings[i]);
    tfp_put_close(b, at);
}

/* A GraphNodeProto's fields but for its children. */
static void put_graph_row(tfp_buf *b, const tfp_report *r, uint32_t row)
{
    const tfp_row *x = &r->rows.at[row];
    put_string(b, 1, x->name);
    for (int i = 0; i < TFP_ROW_FIELD_COUNT; i++) {
        const tfp_row_field *f = &tfp_row_fields[i];
        if (f->graph_own) tfp_put_int(b, f->graph_own, tfp_own(r, row, f->value));
        if (f->graph_total) tfp_put_int(b, f->graph_total, tfp_total(r, row, f->value));
    }
    if (x->node != TFP_NONE) put_node(b, r->profile, x->node);
    if (x->tensor != TFP_NONE) put_tensor(b, 15, r->tensors.at[x->tensor]);
}

/* A node of a frame or an op type: its totals are its own. */
static void put_member(tfp_buf *b, const tfp_report *r, uint32_t node)
{
    const tfp_profile *p = r->profile;
    tfp_node_stats stats;
    tfp_node_stats_at(p, node, r->step, &stats);
    size_t at = tfp_put_open(b, 10);
    put_string(b, 1, tfp_text(p, p->nodes.at[node].name));
    for (int i = 0; i < TFP_ROW_FIELD_COUNT; i++) {
        const tfp_row_field *f = &tfp_row_fields[i];
        int64_t v = tfp_node_value(p, node, &stats, f->value);
        if (f->graph_own) tfp_put_int(b, f->graph_own, v);
        if (f->graph_total) tfp_put_int(b, f->graph_total, v);
    }
    put_node(b, p, node);
    tfp_put_close(b, at);
}

/* A MultiGraphNodeProto's fields but for its children. Members go to the sink one by one when there is one. */
static void put_group_row(tfp_buf *b, const tfp_report *r, uint32_t row, tfp_sink *sink, size_t *size)
{
    const tfp_row *x = &r->rows.at[row];
    put_string(b, 1, x->name);
    for (int i = 0; i < TFP_ROW_FIELD_COUNT; i++) {
        const tfp_row_field *f = &tfp_row_fields[i];
        if (f->group_own) tfp_put_int(b, f->group_own, tfp_own(r, row, f->value));
        if (f->group_total) tfp_put_int(b, f->group_total, tfp_total(r, row, f->value));
    }
    for (uint32_t i = 0; i < x->member_count; i++) {
        put_member(b, r, r->members[x->member_first + i]);
        if (sink) tfp_sink_flush_if_full(sink);
        else *size += b->size, b->size = 0;
    }
}

static bool is_group(const tfp_report *r) { return r->kind != TFP_REPORT_TREE; }

/* TensorFlow returns a list as a chain: each type is the only child of the one before. */
static uint32_t parent_of(const tfp_report *r, uint32_t row)
{
    return r->kind == TFP_REPORT_LIST ? row - 1 : r->rows.at[row].parent;
}

static size_t own_size(const tfp_report *r, uint32_t row, tfp_buf *scratch)
{
    size_t size = 0;
    scratch->size = 0;
    if (is_group(r)) put_group_row(scratch, r, row, NULL, &size);
    else put_graph_row(scratch, r, row);
    return size + scratch->size;
}

/* sizes[row]: the whole message of that row, all that is below it included. */
static tfp_status measure(const tfp_report *r, uint64_t *sizes, tfp_error *err)
{
    tfp_buf scratch = { 0 };
    for (uint32_t i = 0; i < r->rows.size && !scratch.failed; i++) sizes[i] = own_size(r, i, &scratch);
    bool failed = scratch.failed;
    tfp_buf_free(&scratch);
    if (failed) return tfp_nomem(err);
    for (uint32_t i = (uint32_t)r->rows.size; i-- > 1;) sizes[parent_of(r, i)] += 1 + varint_size(sizes[i]) + sizes[i];
    return TFP_OK;
}

/* Children stand after the other fields, so that rows can be written in their order: parents before children. */
static tfp_status write_tree(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    uint64_t *sizes = malloc((r->rows.size + 1) * sizeof *sizes);
    if (!sizes) return tfp_nomem(err);
    tfp_status status = measure(r, sizes, err);
    for (uint32_t i = 0; !status && i < r->rows.size && !s->status; i++) {
        if (i) {
            tfp_put_tag(&s->buf, is_group(r) ? GROUP_CHILDREN : GRAPH_CHILDREN, TFP_BYTES);
            tfp_put_varint(&s->buf, sizes[i]);
        }
        if (is_group(r)) put_group_row(&s->buf, r, i, s, NULL);
        else put_graph_row(&s->buf, r, i);
        tfp_sink_flush_if_full(s);
    }
    free(sizes);
    return status;
}

/* AdviceProto: a map from a checker's name to its reports. */
static void write_advice(const tfp_report *r, tfp_sink *s)
{
    for (uint32_t row = 1; row < r->rows.size; row++) {
        size_t entry = tfp_put_open(&s->buf, 1);
        put_string(&s->buf, 1, r->rows.at[row].name);
        size_t checker = tfp_put_open(&s->buf, 2);
        for (size_t i = 0; i < r->findings.size; i++)
            if (r->findings.at[i].checker == row) put_string(&s->buf, 2, r->findings.at[i].text);
        tfp_put_close(&s->buf, checker);
        tfp_put_close(&s->buf, entry);
        tfp_sink_flush_if_full(s);
    }
}

static tfp_status write_proto(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    if (r->kind != TFP_REPORT_FINDINGS) return write_tree(r, s, err);
    write_advice(r, s);
    return TFP_OK;
}

const tfp_output_format tfp_output_proto = {
    .name = "proto",
    .help = "The serialized GraphNodeProto, MultiGraphNodeProto or AdviceProto that TensorFlow's tfprof returns.",
    .in_format_option = false,
    .write = write_proto,
};
