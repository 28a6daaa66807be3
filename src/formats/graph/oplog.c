// SPDX-License-Identifier: Apache-2.0
/* formats/graph/oplog.c: an op log adds types, float operations and code traces to the graph's nodes. In: a file in
 * windows: an OpLogProto, or an OpLog of TensorFlow 1.0 to 1.2, whose traces contain their strings. Out: calls on a
 * tfp_builder; nothing is printed. Uses base, wire, model. Message layout: tensorflow/core/profiler/tfprof_log.proto
 * (1.0: contrib/tfprof). */
#include "formats/files/format.h"
#include "formats/graph/sniff.h"
#include "model/builder.h"
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/sources.h"
#include "wire/proto.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct reader {
    tfp_builder *b;
    tfp_map64 string_by_id; /* id_to_string -> string ids of the profile */
    TFP_VEC(tfp_code_frame) frames;
    size_t entries;
    bool no_memory;
} reader;

static tfp_strid string_of(reader *r, int64_t id)
{
    tfp_strid text = tfp_map64_get(&r->string_by_id, (uint64_t)id);
    if (text != TFP_NONE) return text;
    if (id) {
        char number[24];
        int size = snprintf(number, sizeof number, "%lld", (long long)id);
        tfp_build_warn(r->b, "strings of code traces that are missing, taken as none",
                       (tfp_str){ number, (size_t)size });
    }
    return tfp_build_string(r->b, TFP_STR("none"));
}

typedef struct frame_fields { /* CodeDef.Trace: texts in the old form, ids in today's */
    tfp_str file, function, text;
    int64_t file_id, function_id, text_id;
} frame_fields;

static tfp_strid choose(reader *r, tfp_str in_place, int64_t id)
{
    return in_place.size ? tfp_build_string(r->b, in_place) : string_of(r, id);
}

/* CodeDef.Trace */
static void read_frame(reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_code_frame frame = { 0 };
    frame_fields t = { { "", 0 }, { "", 0 }, { "", 0 }, 0, 0, 0 };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: t.file = tfp_field_bytes(&w, &f); break;
        case 2: frame.line = tfp_field_int32(&w, &f); break;
        case 3: t.function = tfp_field_bytes(&w, &f); break;
        case 4: t.text = tfp_field_bytes(&w, &f); break;
        case 5: frame.function_line = tfp_field_int32(&w, &f); break;
        case 6: t.file_id = tfp_field_int(&w, &f); break;
        case 7: t.function_id = tfp_field_int(&w, &f); break;
        case 8: t.text_id = tfp_field_int(&w, &f); break;
        }
    }
    tfp_wire_join(outer, &w, "traces");
    if (outer->fault) return;
    frame.file = choose(r, t.file, t.file_id);
    frame.function = choose(r, t.function, t.function_id);
    if (t.text.size || t.text_id) frame.text = choose(r, t.text, t.text_id);
    if (!tfp_push(&r->frames, frame)) r->no_memory = true;
}

/* Reads a CodeDef: the first trace of a node is kept. */
static void read_trace(reader *r, tfp_wire *outer, const tfp_field *field, uint32_t node)
{
    tfp_wire w = tfp_field_message(outer, field);
    r->frames.size = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) read_frame(r, &w, &f);
    tfp_wire_join(outer, &w, "code_def");
    if (outer->fault || node == TFP_NONE || !r->frames.size) return;
    tfp_build_has(r->b, TFP_HAS_CODE);
    if (tfp_build_row(r->b, node)->trace != TFP_NONE) return;
    uint32_t trace = tfp_build_trace(r->b, r->frames.at, r->frames.size);
    tfp_build_row(r->b, node)->trace = trace;
}

static void set_float_ops(reader *r, uint32_t node, int64_t float_ops)
{
    if (float_ops < 0)
        tfp_build_warn(r->b, "negative float operations, left out", TFP_STR(""));
    else if (float_ops)
        tfp_build_row(r->b, node)->float_ops = float_ops;
}

/* OpLogEntry */
static tfp_status read_entry(reader *r, tfp_wire w, tfp_error *err)
{
    tfp_str name = { "", 0 };
    int64_t float_ops = 0;
    tfp_wire again = w;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            name = tfp_field_bytes(&w, &f);
        else if (f.number == 2)
            float_ops = tfp_field_int(&w, &f);
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (s) return s;
    uint32_t node = tfp_build_find(r->b, name);
    if (node == TFP_NONE)
        tfp_build_warn(r->b, "entries of nodes that are not in the graph, left out", name);
    else
        set_float_ops(r, node, float_ops);
    for (tfp_field f; tfp_wire_next(&again, &f);) {
        if (f.number == 3) {
            tfp_str type = tfp_field_bytes(&again, &f);
            if (node != TFP_NONE) tfp_build_type(r->b, node, tfp_build_string(r->b, type));
        } else if (f.number == 4) {
            read_trace(r, &again, &f, node);
        }
    }
    if (!s) s = tfp_wire_end(&again, err);
    if (!s && r->no_memory) s = tfp_nomem(err);
    return s ? s : tfp_builder_status(r->b, err);
}

/* An entry of id_to_string */
static tfp_status read_string(reader *r, tfp_wire w, tfp_error *err)
{
    int64_t key = 0;
    tfp_str text = { "", 0 };
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            key = tfp_field_int(&w, &f);
        else if (f.number == 2)
            text = tfp_field_bytes(&w, &f);
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && !tfp_map64_put(&r->string_by_id, (uint64_t)key, tfp_build_string(r->b, text))) s = tfp_nomem(err);
    return s;
}

/* Reads the entries with one field number, in windows; other fields are skipped. */
static tfp_status read_fields(reader *r, tfp_input *in, uint32_t number, const char *what,
                              tfp_status (*read)(reader *r, tfp_wire w, tfp_error *err), tfp_error *err)
{
    tfp_status s = TFP_OK;
    tfp_field f;
    uint64_t size;
    r->entries = 0;
    while (!s && tfp_input_left(in)) {
        s = tfp_wire_peek_input(in, &f, &size, err);
        if (!s && (f.type == TFP_GROUP || f.number != number)) {
            s = tfp_wire_skip_input(in, &f, size, err);
        } else if (!s && tfp_wire_next_input(in, &f, &s, err)) {
            tfp_wire w = tfp_input_wire(in, &f), inner = tfp_field_message(&w, &f);
            s = w.fault ? tfp_wire_end(&w, err) : tfp_within(err, read(r, inner, err), "%s %zu", what, r->entries++);
        }
    }
    return s;
}

/* The table of strings comes after the entries that need it, so the message is read twice. */
static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    (void)kind; /* the old form and today's have the same field numbers */
    reader r = { .b = b };
    uint64_t start = tfp_input_at(in);
    tfp_progress_fn progress = in->progress;
    in->progress = NULL; /* only the second pass reports progress */
    tfp_status s = read_fields(&r, in, 2, "id_to_string", read_string, err);
    in->progress = progress;
    if (!s) s = tfp_input_seek(in, start, err);
    if (!s) s = read_fields(&r, in, 1, "log_entries", read_entry, err);
    if (!s) s = tfp_input_skip(in, 0, err); /* fields at the end were skipped: the rest of the file is consumed */
    if (!s && !r.entries) tfp_build_warn(b, "no data in it", TFP_STR(""));
    tfp_map64_free(&r.string_by_id);
    tfp_vec_free(&r.frames);
    return s;
}

static tfp_status read_op_log(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    return tfp_read_message(b, in, TFP_KINDS(TFP_KIND_OP_LOG), read_binary, err);
}

static int probe(tfp_str head, uint64_t total) { return tfp_sniff_score(head, total, TFP_KINDS(TFP_KIND_OP_LOG)); }

const tfp_format tfp_format_op_log = {
    .name = "op_log",
    .from = TFP_FROM_TENSORFLOW,
    .help = "OpLogProto, or the OpLog of TensorFlow 1.0: types, float operations and code traces of a graph's nodes",
    .stands = TFP_FORMAT_IS(FOLLOWS) | TFP_FORMAT_IS(PART),
    .probe = probe,
    .read = read_op_log,
};
