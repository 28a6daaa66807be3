// SPDX-License-Identifier: Apache-2.0
/* outputs/data/proto.c: a report as the proto that TensorFlow's tfprof returns: GraphNodeProto (scope, graph),
 * MultiGraphNodeProto (op, code) or AdviceProto, serialized.
 * A message contains its children and begins with its length. So each row's own fields are encoded once to learn their
 * size, sizes are summed from the last row up to the root, and then everything is written from the root down: no
 * recursion and no copying, however deep the tree. Shapes, which many inputs share, are encoded once. Field numbers:
 * tensorflow/core/profiler/tfprof_output.proto. */
#include "base/dtype.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tensors.h"
#include "options/columns.h"
#include "outputs/core/output.h"
#include "views/core/findings.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "wire/proto.h"

#include <stdio.h>
#include <stdlib.h>

enum { GRAPH_CHILDREN = 12, GROUP_CHILDREN = 11 };

/* Types for which TFProfTensorProto has values. */

/* Fields go into a buffer, and from there to the sink; without a sink they are only counted. */
typedef struct coder {
    const tfp_report *r;
    const tfp_profile *p;
    tfp_sink *sink;
    tfp_buf scratch, head;
    tfp_buf *b;    /* the sink's or scratch */
    uint64_t size; /* counted */
    tfp_arena arena;
    tfp_str *shapes; /* by shape: its TensorShapeProto, encoded on first use */
    const tfp_number *numbers[TFP_V_COUNT];
    size_t number_count;
} coder;

static void settle(coder *c)
{
    if (c->sink)
        tfp_sink_flush_if_full(c->sink);
    else
        c->size += c->b->size, c->b->size = 0;
}

/* A TensorShapeProto; an unknown shape sets unknown_rank. */
static tfp_str encode_shape(coder *c, uint32_t shape)
{
    const tfp_shape *s = shape == TFP_NONE ? NULL : &tfp_graph_of(c->p)->shapes.at[shape];
    if (!s || s->count == 0) return TFP_STR("\x18\x01"); /* unknown_rank: true */
    if (c->shapes[shape].data) return c->shapes[shape];
    c->head.size = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        size_t dim = tfp_put_open(&c->head, 2);
        tfp_put_int(&c->head, 1, tfp_graph_of(c->p)->dims.at[s->first + i]);
        tfp_put_close(&c->head, dim);
    }
    char *copy = tfp_arena_copy(&c->arena, (tfp_str){ c->head.data, c->head.size });
    if (!copy)
        c->head.failed = true;
    else
        c->shapes[shape] = (tfp_str){ copy, c->head.size };
    return copy ? c->shapes[shape] : TFP_STR("");
}

/* The size of an entry of input_shapes, without its own tag and length. */
static size_t entry_size(int32_t position, tfp_str shape)
{
    return 1 + tfp_varint_size((uint64_t)(int64_t)position) + 1 + tfp_varint_size(shape.size) + shape.size;
}

/* The size of the bytes that put_node writes. */
static uint64_t node_size(coder *c, uint32_t node)
{
    const tfp_node *n = &tfp_graph_of(c->p)->nodes.at[node];
    uint64_t size = 0;
    c->head.size = 0;
    if (n->device) tfp_put_string(&c->head, 10, tfp_text(c->p, n->device));
    size += c->head.size;
    for (TFP_EACH(tfp_graph_of(c->p)->inputs, i, n->input_first)) {
        const tfp_input_edge *e = &tfp_graph_of(c->p)->inputs.at[i];
        size_t entry = entry_size(e->position, encode_shape(c, tfp_input_shape(c->p, e)));
        size += 2 + tfp_varint_size(entry) + entry;
    }
    return size;
}

/* A node's fields besides its numbers: its device and the shapes of its inputs. */
static void put_node(coder *c, uint32_t node)
{
    const tfp_node *n = &tfp_graph_of(c->p)->nodes.at[node];
    if (n->device) tfp_put_string(c->b, 10, tfp_text(c->p, n->device));
    for (TFP_EACH(tfp_graph_of(c->p)->inputs, i, n->input_first)) {
        const tfp_input_edge *e = &tfp_graph_of(c->p)->inputs.at[i];
        tfp_str shape = encode_shape(c, tfp_input_shape(c->p, e));
        tfp_put_tag(c->b, 16, TFP_BYTES);
        tfp_put_varint(c->b, entry_size(e->position, shape));
        tfp_put_int_always(c->b, 1, e->position);
        tfp_put_bytes_always(c->b, 2, shape);
        settle(c);
    }
}

/* TensorFlow keeps floats after printing them with six significant digits. */
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
    if (t->count && t->kind == TFP_VALUES_DOUBLE && (t->dtype == TFP_DT_FLOAT || t->dtype == TFP_DT_DOUBLE))
        put_doubles(b, t);
    if (t->count && t->kind == TFP_VALUES_INT && (t->dtype == TFP_DT_INT32 || t->dtype == TFP_DT_INT64))
        tfp_put_packed_ints(b, 3, t->ints, t->count);
    for (size_t i = 0; t->kind == TFP_VALUES_STRING && i < t->count; i++) tfp_put_string(b, 4, t->strings[i]);
    tfp_put_close(b, at);
}

/* A GraphNodeProto's fields except its children. */
static void put_graph_row(coder *c, uint32_t row)
{
    const tfp_report *r = c->r;
    const tfp_row *x = &r->tree->rows.at[row];
    tfp_put_string(c->b, 1, x->name);
    for (size_t i = 0; i < c->number_count; i++) {
        const tfp_number *f = c->numbers[i];
        if (f->graph_own) tfp_put_int(c->b, f->graph_own, tfp_whole(f->value, tfp_own(r, row, f->value)));
        if (f->graph_total) tfp_put_int(c->b, f->graph_total, tfp_whole(f->value, tfp_total(r, row, f->value)));
    }
    if (x->tensor != TFP_NONE) put_tensor(c->b, 15, r->tree->tensors.at[x->tensor]);
    settle(c);
    if (x->node == TFP_NONE) return;
    if (c->sink)
        put_node(c, x->node);
    else
        c->size += node_size(c, x->node);
}

static void put_member_numbers(coder *c, uint32_t node)
{
    tfp_node_stats stats;
    tfp_node_stats_at(c->p, node, c->r->step, &stats);
    tfp_put_string(&c->head, 1, tfp_text(c->p, tfp_graph_of(c->p)->nodes.at[node].name));
    for (size_t i = 0; i < c->number_count; i++) {
        const tfp_number *f = c->numbers[i];
        int64_t v = tfp_whole(f->value, tfp_node_value(c->r, node, &stats, f->value));
        if (f->graph_own) tfp_put_int(&c->head, f->graph_own, v);
        if (f->graph_total) tfp_put_int(&c->head, f->graph_total, v);
    }
}

/* A node of a frame or an op type: its totals are its own. */
static void put_member(coder *c, uint32_t node)
{
    uint64_t size = node_size(c, node);
    c->head.size = 0;
    put_member_numbers(c, node);
    size += c->head.size;
    tfp_put_tag(c->b, 10, TFP_BYTES);
    tfp_put_varint(c->b, size);
    if (c->sink) {
        tfp_buf_add(c->b, c->head.data, c->head.size);
        put_node(c, node);
    } else {
        c->size += size;
    }
    settle(c);
}

/* A MultiGraphNodeProto's fields except its children. */
static void put_group_row(coder *c, uint32_t row)
{
    const tfp_report *r = c->r;
    const tfp_row *x = &r->tree->rows.at[row];
    tfp_put_string(c->b, 1, x->name);
    for (size_t i = 0; i < c->number_count; i++) {
        const tfp_number *f = c->numbers[i];
        if (f->group_own) tfp_put_int(c->b, f->group_own, tfp_whole(f->value, tfp_own(r, row, f->value)));
        if (f->group_total) tfp_put_int(c->b, f->group_total, tfp_whole(f->value, tfp_total(r, row, f->value)));
    }
    settle(c);
    for (uint32_t i = 0; i < x->member_count; i++) put_member(c, r->tree->members[x->member_first + i]);
}

static void put_row(coder *c, uint32_t row)
{
    if (tfp_kind_of(c->r)->groups)
        put_group_row(c, row);
    else
        put_graph_row(c, row);
}

/* TensorFlow returns a list as a chain: each type is the only child of the one before. */
static uint32_t parent_of(const tfp_report *r, uint32_t row)
{
    return tfp_kind_of(r)->list ? row - 1 : r->tree->rows.at[row].parent;
}

/* sizes[row]: the size of the row's whole message, including everything below it. */
static void measure(coder *c, uint64_t *sizes)
{
    c->sink = NULL;
    c->b = &c->scratch;
    for (uint32_t i = 0; i < c->r->tree->rows.size; i++) {
        c->size = 0;
        put_row(c, i);
        sizes[i] = c->size;
    }
    for (uint32_t i = (uint32_t)c->r->tree->rows.size; i-- > 1;)
        sizes[parent_of(c->r, i)] += 1 + tfp_varint_size(sizes[i]) + sizes[i];
}

/* Children come after the other fields, so that rows can be written in their order: parents before children. */
static void write_rows(coder *c, tfp_sink *s, const uint64_t *sizes)
{
    c->sink = s;
    c->b = &s->buf;
    for (uint32_t i = 0; i < c->r->tree->rows.size && !s->status; i++) {
        if (i) {
            tfp_put_tag(c->b, tfp_kind_of(c->r)->groups ? GROUP_CHILDREN : GRAPH_CHILDREN, TFP_BYTES);
            tfp_put_varint(c->b, sizes[i]);
        }
        put_row(c, i);
    }
}

static tfp_status write_tree(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    coder c = { .r = r, .p = r->profile };
    c.number_count = tfp_numbers(c.numbers);
    uint64_t *sizes = malloc((r->tree->rows.size + 1) * sizeof *sizes);
    c.shapes = TFP_NEW(&c.arena, tfp_str, tfp_graph_of(r->profile)->shapes.size + 1);
    bool ok = sizes && c.shapes;
    if (ok) measure(&c, sizes);
    ok = ok && !c.scratch.failed && !c.head.failed;
    if (ok) write_rows(&c, s, sizes);
    ok = ok && !c.head.failed;
    free(sizes);
    tfp_buf_free(&c.scratch);
    tfp_buf_free(&c.head);
    tfp_arena_free(&c.arena);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* AdviceProto: a map from a checker's name to its reports. */
static void write_advice(const tfp_report *r, tfp_sink *s)
{
    for (uint32_t row = 1; row < r->tree->rows.size; row++) {
        size_t entry = tfp_put_open(&s->buf, 1);
        tfp_put_string(&s->buf, 1, r->tree->rows.at[row].name);
        size_t checker = tfp_put_open(&s->buf, 2);
        for (size_t i = 0; i < r->findings.size; i++)
            if (r->findings.at[i].checker == row) tfp_put_string(&s->buf, 2, r->findings.at[i].text);
        tfp_put_close(&s->buf, checker);
        tfp_put_close(&s->buf, entry);
        tfp_sink_flush_if_full(s);
    }
}

static tfp_status write_proto(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    if (tfp_kind_of(r)->table) return tfp_fail(err, TFP_BADARG, "%s has no proto", r->view);
    if (tfp_kind_of(r)->findings) return write_advice(r, s), TFP_OK;
    if ((r->values & TFP_V_ALL) != TFP_V_ALL) /* a 0 in place of a number would be silently wrong */
        return tfp_fail(err, TFP_BADARG,
                        "a proto needs every column: build the report with -proto_out or -format json");
    return write_tree(r, s, err);
}

const tfp_output_format tfp_output_proto = {
    .name = "proto",
    .help = "The serialized GraphNodeProto, MultiGraphNodeProto or AdviceProto that TensorFlow's tfprof returns.",
    .in_format_option = false,
    .write = write_proto,
};
