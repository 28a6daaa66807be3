// SPDX-License-Identifier: Apache-2.0
/* outputs/data/profile_proto.c: the profile itself as a ProfileProto, from which TensorFlow's tfprof and tfprof give the
 * same answers. Message: tensorflow/core/profiler/tfprof_log.proto.
 * Each node is encoded in memory, which gives its size, and then goes to the sink. */
#include "model/tables/about.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "outputs/core/output.h"
#include "wire/proto.h"

#include <stdlib.h>

typedef struct writer {
    const tfp_profile *p;
    tfp_sink *sink;
    tfp_buf node;         /* the current ProfileNode */
    tfp_map64 string_ids; /* strid -> index in strings: the numbers of id_to_string */
    TFP_VEC(tfp_strid) strings;
    TFP_VEC(uint32_t) sorted; /* types of a node, lanes of an execution */
    TFP_VEC(tfp_str) names;
    tfp_map64 seen;      /* id of a source -> its index in sources: one output index for each */
    uint32_t *lane_rank; /* rank of each lane by name */
    bool own_ids;        /* node ids are unique and not negative */
    bool nomem;
} writer;

static int64_t id_of(const writer *w, uint32_t node)
{
    return w->own_ids ? tfp_graph_of(w->p)->nodes.at[node].id : (int64_t)node;
}

/* Ids from a file need not be unique; if they are not, indexes are used instead. */
static bool check_ids(writer *w)
{
    tfp_map64 ids = { 0 };
    w->own_ids = true;
    bool ok = true;
    for (uint32_t i = 0; ok && w->own_ids && i < tfp_graph_of(w->p)->nodes.size; i++) {
        int64_t id = tfp_graph_of(w->p)->nodes.at[i].id;
        if (id < 0 || tfp_map64_get(&ids, (uint64_t)id) != TFP_NONE)
            w->own_ids = false;
        else
            ok = tfp_map64_put(&ids, (uint64_t)id, i);
    }
    tfp_map64_free(&ids);
    return ok;
}

static void put_text(writer *w, uint32_t number, tfp_strid id)
{
    if (id) tfp_put_string(&w->node, number, tfp_text(w->p, id));
}

static void put_dims(writer *w, uint32_t number, uint32_t shape)
{
    if (shape == TFP_NONE) return;
    const tfp_shape *s = &tfp_graph_of(w->p)->shapes.at[shape];
    if (s->count) tfp_put_packed_ints(&w->node, number, tfp_graph_of(w->p)->dims.at + s->first, s->count);
}

/* An entry of a map from number to number. */
static void put_pair(writer *w, uint32_t number, int64_t key, int64_t value)
{
    size_t at = tfp_put_open(&w->node, number);
    tfp_put_int_always(&w->node, 1, key);
    tfp_put_int_always(&w->node, 2, value);
    tfp_put_close(&w->node, at);
}

/* ---- the node ---- */

/* inputs and src_output_index; an input that names no node of the profile has no id and is left out. */
static void put_inputs(writer *w, const tfp_node *n)
{
    const tfp_profile *p = w->p;
    tfp_map64_free(&w->seen);
    for (TFP_EACH(tfp_graph_of(p)->inputs, i, n->input_first))
        if (tfp_graph_of(p)->inputs.at[i].node != TFP_NONE)
            put_pair(w, 2, tfp_graph_of(p)->inputs.at[i].position, id_of(w, tfp_graph_of(p)->inputs.at[i].node));
    for (TFP_EACH(tfp_graph_of(p)->inputs, i, n->input_first)) {
        const tfp_input_edge *e = &tfp_graph_of(p)->inputs.at[i];
        if (e->node == TFP_NONE || tfp_map64_get(&w->seen, e->node) != TFP_NONE) continue;
        if (!tfp_map64_put(&w->seen, e->node, 0)) w->nomem = true;
        put_pair(w, 14, id_of(w, e->node), e->output_index);
    }
}

static bool sort_types(writer *w, const tfp_node *n)
{
    w->sorted.size = 0;
    for (TFP_EACH(tfp_graph_of(w->p)->types, t, n->type_first))
        if (!tfp_push(&w->sorted, tfp_graph_of(w->p)->types.at[t].name)) return false;
    return tfp_sort_strings(w->sorted.at, w->sorted.size, tfp_strings_of(w->p)->strings);
}

static void put_types(writer *w, const tfp_node *n)
{
    if (!sort_types(w, n)) w->nomem = true;
    for (size_t i = 0; i < w->sorted.size; i++) tfp_put_string(&w->node, 5, tfp_text(w->p, w->sorted.at[i]));
}

static int64_t string_number(writer *w, tfp_strid id)
{
    uint32_t at = tfp_map64_get(&w->string_ids, id);
    if (at != TFP_NONE) return at;
    at = (uint32_t)w->strings.size;
    if (!tfp_push(&w->strings, id) || !tfp_map64_put(&w->string_ids, id, at)) w->nomem = true;
    return at;
}

static void put_trace(writer *w, uint32_t trace)
{
    const tfp_trace *t = &tfp_code_of(w->p)->traces.at[trace];
    size_t code = tfp_put_open(&w->node, 10);
    for (uint32_t i = 0; i < t->count; i++) {
        const tfp_code_frame *f = &tfp_code_of(w->p)->frames.at[tfp_code_of(w->p)->trace_frames.at[t->first + i]];
        size_t at = tfp_put_open(&w->node, 1);
        tfp_put_int(&w->node, 2, f->line);
        tfp_put_int(&w->node, 5, f->function_line);
        tfp_put_int(&w->node, 6, string_number(w, f->file));
        tfp_put_int(&w->node, 7, string_number(w, f->function));
        /* 0 is the number of "none", for a line that was not recorded */
        tfp_put_int(&w->node, 8, f->text ? string_number(w, f->text) : 0);
        tfp_put_close(&w->node, at);
    }
    tfp_put_close(&w->node, code);
}

/* Kept attributes are written as they were read. Otherwise the one that advise needs is made. */
static void put_attrs(writer *w, const tfp_node *n)
{
    if (n->attrs != TFP_NONE) {
        tfp_wire in = tfp_wire_start(tfp_graph_of(w->p)->attrs.at[n->attrs]);
        for (tfp_field f; tfp_wire_next(&in, &f);)
            if (f.type == TFP_BYTES) tfp_put_bytes_always(&w->node, 11, f.bytes);
    } else if (n->data_format) {
        size_t at = tfp_put_open(&w->node, 11), value;
        tfp_put_bytes(&w->node, 1, TFP_STR("data_format"));
        value = tfp_put_open(&w->node, 2);
        tfp_put_bytes(&w->node, 2, tfp_text(w->p, n->data_format));
        tfp_put_close(&w->node, value);
        tfp_put_close(&w->node, at);
    }
}

static void put_outputs(writer *w, const tfp_node *n)
{
    for (TFP_EACH(tfp_graph_of(w->p)->outputs, o, n->output_first)) {
        size_t at = tfp_put_open(&w->node, 15), value;
        tfp_put_int_always(&w->node, 1, tfp_graph_of(w->p)->outputs.at[o].slot);
        value = tfp_put_open(&w->node, 2);
        put_dims(w, 1, tfp_graph_of(w->p)->outputs.at[o].shape);
        tfp_put_close(&w->node, value);
        tfp_put_close(&w->node, at);
    }
}

/* ---- its executions ---- */

static bool lane_less(const void *ctx, uint32_t a, uint32_t b)
{
    const writer *w = ctx;
    return w->lane_rank[tfp_details_of(w->p)->spans.at[a].lane] < w->lane_rank[tfp_details_of(w->p)->spans.at[b].lane];
}

/* w->sorted: an execution's spans grouped by lane, lanes by name. */
static void sort_spans(writer *w, const tfp_exec_detail *d)
{
    w->sorted.size = 0;
    for (TFP_EACH(tfp_details_of(w->p)->spans, i, d->span_first))
        if (!tfp_push(&w->sorted, i)) w->nomem = true;
    if (!tfp_sort(w->sorted.at, w->sorted.size, lane_less, w)) w->nomem = true;
}

static uint32_t sorted_lane(const writer *w, size_t i) { return tfp_details_of(w->p)->spans.at[w->sorted.at[i]].lane; }

static void put_times(writer *w, uint32_t number, size_t first, size_t last)
{
    size_t entry = tfp_put_open(&w->node, number), value;
    put_text(w, 1, tfp_lanes_of(w->p)->at[sorted_lane(w, first)].name);
    value = tfp_put_open(&w->node, 2);
    for (size_t i = first; i < last; i++) {
        const tfp_span *s = &tfp_details_of(w->p)->spans.at[w->sorted.at[i]];
        int64_t pair[] = { tfp_micros(s->start_ns), tfp_micros(s->duration_ns) };
        size_t tuple = tfp_put_open(&w->node, 1);
        tfp_put_packed_ints(&w->node, 1, pair, 2);
        tfp_put_close(&w->node, tuple);
    }
    tfp_put_close(&w->node, value);
    tfp_put_close(&w->node, entry);
}

/* accelerator_execs and cpu_execs by device, and the devices themselves. The message has no place for other lanes' times. */
static void put_spans(writer *w, const tfp_exec_detail *d)
{
    sort_spans(w, d);
    for (size_t i = 0, end; i < w->sorted.size; i = end) {
        uint32_t lane = sorted_lane(w, i);
        for (end = i; end < w->sorted.size && sorted_lane(w, end) == lane; end++) {}
        tfp_lane_kind kind = tfp_lanes_of(w->p)->at[lane].kind;
        if (kind != TFP_LANE_OTHER) put_times(w, kind == TFP_LANE_ACCELERATOR ? 4 : 5, i, end);
    }
    for (size_t i = 0; i < w->sorted.size; i++)
        if (i == 0 || sorted_lane(w, i) != sorted_lane(w, i - 1))
            tfp_put_string(&w->node, 6, tfp_text(w->p, tfp_lanes_of(w->p)->at[sorted_lane(w, i)].name));
}

static void put_memory(writer *w, const tfp_memory *m)
{
    tfp_buf *b = &w->node;
    size_t at = tfp_put_open(b, 7);
    tfp_put_int(b, 1, tfp_micros(m->at_ns));
    tfp_put_int(b, 2, m->host_temp_bytes);
    tfp_put_int(b, 3, m->host_persistent_bytes);
    tfp_put_int(b, 4, m->accelerator_temp_bytes);
    tfp_put_int(b, 5, m->accelerator_persistent_bytes);
    tfp_put_int(b, 6, m->requested_bytes);
    tfp_put_int(b, 7, m->peak_bytes);
    tfp_put_int(b, 8, m->residual_bytes);
    tfp_put_int(b, 9, m->output_bytes);
    tfp_put_int(b, 10, m->allocator_bytes_in_use);
    for (TFP_EACH(tfp_details_of(w->p)->buffers, i, m->buffer_first)) {
        const tfp_buffer *x = &tfp_details_of(w->p)->buffers.at[i];
        size_t entry = tfp_put_open(b, 11), value;
        tfp_put_int_always(b, 1, x->slot);
        value = tfp_put_open(b, 2);
        tfp_put_int(b, 1, x->bytes);
        tfp_put_int(b, 2, (int64_t)x->address);
        tfp_put_close(b, value);
        tfp_put_close(b, entry);
    }
    tfp_put_close(b, at);
}

static void put_exec(writer *w, uint32_t exec)
{
    tfp_buf *b = &w->node;
    const tfp_exec *x = &tfp_executions_of(w->p)->execs.at[exec];
    const tfp_exec_detail *d = tfp_detail(w->p, exec);
    size_t entry = tfp_put_open(b, 12), value;
    tfp_put_int_always(b, 1, tfp_executions_of(w->p)->steps.at[x->step].id);
    value = tfp_put_open(b, 2);
    tfp_put_int(b, 1, tfp_exec_runs(x));
    tfp_put_int(b, 2, tfp_micros(x->start_ns));
    tfp_put_int(b, 3, tfp_micros(x->end_ns));
    put_spans(w, d);
    for (TFP_EACH(tfp_details_of(w->p)->memories, m, d->memory_first))
        put_memory(w, &tfp_details_of(w->p)->memories.at[m]);
    for (TFP_EACH(tfp_details_of(w->p)->allocations, a, d->alloc_first)) {
        size_t at = tfp_put_open(b, 11);
        tfp_put_int(b, 1, tfp_micros(tfp_details_of(w->p)->allocations.at[a].at_ns));
        tfp_put_int(b, 2, tfp_details_of(w->p)->allocations.at[a].bytes);
        tfp_put_close(b, at);
    }
    tfp_put_close(b, value);
    tfp_put_close(b, entry);
}

/* ---- the message ---- */

static void put_node(writer *w, uint32_t node)
{
    const tfp_node *n = &tfp_graph_of(w->p)->nodes.at[node];
    w->node.size = 0;
    put_text(w, 1, n->name);
    put_inputs(w, n);
    put_dims(w, 4, n->shape);
    put_types(w, n);
    put_text(w, 6, n->device);
    put_text(w, 7, n->host_device);
    tfp_put_int(&w->node, 8, n->float_ops);
    put_text(w, 9, n->op);
    if (n->trace != TFP_NONE) put_trace(w, n->trace);
    put_attrs(w, n);
    for (TFP_EACH(tfp_executions_of(w->p)->execs, e, n->exec_first)) put_exec(w, e);
    tfp_put_int(&w->node, 13, id_of(w, node));
    put_outputs(w, n);
    if (w->node.failed) w->nomem = true;
}

/* nodes: an entry of a map from id to ProfileNode, around the message in w->node. */
static void put_node_entry(writer *w, int64_t id)
{
    tfp_buf *b = &w->sink->buf;
    char room[16];
    tfp_buf key = { .data = room, .capacity = sizeof room }, length = key;
    char other[16];
    length.data = other;
    tfp_put_int_always(&key, 1, id);
    tfp_put_tag(&length, 2, TFP_BYTES);
    tfp_put_varint(&length, w->node.size);
    tfp_put_tag(b, 1, TFP_BYTES);
    tfp_put_varint(b, key.size + length.size + w->node.size);
    tfp_buf_add(b, key.data, key.size);
    tfp_buf_add(b, length.data, length.size);
    tfp_buf_add(b, w->node.data, w->node.size);
    tfp_sink_flush_if_full(w->sink);
}

static void put_steps(writer *w)
{
    TFP_VEC(int64_t) ids = { 0 };
    for (size_t i = 0; i < tfp_executions_of(w->p)->steps.size; i++)
        if (tfp_executions_of(w->p)->steps.at[i].listed && !tfp_push(&ids, tfp_executions_of(w->p)->steps.at[i].id))
            w->nomem = true;
    if (ids.size) qsort(ids.at, ids.size, sizeof *ids.at, tfp_by_int);
    if (ids.size) tfp_put_packed_ints(&w->sink->buf, 3, ids.at, ids.size);
    tfp_vec_free(&ids);
}

static void put_strings(writer *w)
{
    tfp_buf *b = &w->sink->buf;
    for (size_t i = 0; i < w->strings.size; i++) {
        size_t at = tfp_put_open(b, 4);
        tfp_put_int_always(b, 1, (int64_t)i);
        tfp_put_string(b, 2, i == 0 ? TFP_STR("none") : tfp_text(w->p, w->strings.at[i]));
        tfp_put_close(b, at);
        tfp_sink_flush_if_full(w->sink);
    }
}

static bool rank_lanes(writer *w)
{
    size_t n = tfp_lanes_of(w->p)->size;
    w->lane_rank = malloc((n + 1) * sizeof *w->lane_rank);
    uint32_t *order = malloc((n + 1) * sizeof *order);
    bool ok = w->lane_rank && order && tfp_rank_lanes(w->p, order, w->lane_rank);
    free(order);
    return ok;
}

/* Index 0 of the strings is TensorFlow's "none"; no text of the profile gets it. */
static bool start(writer *w) { return check_ids(w) && rank_lanes(w) && tfp_push(&w->strings, TFP_NONE); }

tfp_status tfp_write_profile_proto(const tfp_profile *p, tfp_sink *s, tfp_error *err)
{
    writer w = { .p = p, .sink = s };
    bool ok = start(&w);
    for (uint32_t i = 0; ok && i < tfp_graph_of(p)->nodes.size && !w.nomem && !s->status; i++) {
        put_node(&w, i);
        put_node_entry(&w, id_of(&w, i));
    }
    if (ok) {
        tfp_put_int(&s->buf, 2, tfp_has(p, TFP_HAS_CODE));
        put_steps(&w);
        put_strings(&w);
        tfp_put_int(&s->buf, 5, tfp_about_of(p)->miss_accelerator_stream);
    }
    ok = ok && !w.nomem;
    tfp_buf_free(&w.node);
    tfp_map64_free(&w.string_ids);
    tfp_map64_free(&w.seen);
    tfp_vec_free(&w.strings);
    tfp_vec_free(&w.sorted);
    tfp_vec_free(&w.names);
    free(w.lane_rank);
    return ok ? TFP_OK : tfp_nomem(err);
}
