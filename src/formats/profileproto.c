/* formats/profileproto.c: a ProfileProto, tfprof's own file (profile_N), becomes a whole profile.
 * In: a file in windows, one node at a time. Out: calls on a tfp_builder; nothing is printed.
 * Nodes come before the strings that their traces name, and inputs may name nodes that come later: traces and inputs wait in
 * a reader until the end. Most nodes share few traces, so a trace is looked up by its bytes and decoded once.
 * Uses base, wire, model. Message layout: tensorflow/core/profiler/tfprof_log.proto, profile.proto fields by number. */
#include "formats/format.h"
#include "formats/sniff.h"
#include "wire/proto.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct node_ref { /* a node of the file, in the order of its rows in the profile */
    int64_t key;
    uint32_t trace; /* -> traces, TFP_NONE */
    uint32_t edge_first, edge_count;
    bool lost; /* another one took its place */
} node_ref;

typedef struct edge {
    int64_t source; /* a key; later the name */
    int32_t position, output_index;
} edge;

typedef struct raw_trace {
    tfp_str bytes; /* in the reader's arena */
    uint64_t base; /* where in the file */
    size_t node;   /* the first that has it */
    uint32_t row;  /* -> the profile's traces, once decoded */
} raw_trace;

typedef struct exec_ref {
    uint32_t node, exec; /* the last node that ran in a step, and its execution */
} exec_ref;

typedef struct memo { /* the last text and what it was: devices repeat from node to node */
    tfp_str text;
    uint32_t id;
} memo;

typedef struct output {
    int32_t slot;
    uint32_t shape, place; /* place: in the file */
} output;

typedef struct step_ref {
    int64_t id;
    uint32_t step; /* + 1; 0: none yet */
} step_ref;

typedef struct reader {
    tfp_builder *b;
    tfp_profile *p;
    tfp_arena arena;
    TFP_VEC(node_ref) nodes;
    TFP_VEC(edge) edges;
    TFP_VEC(edge) sources; /* of the node being read: source key and output index */
    TFP_VEC(raw_trace) traces;
    TFP_VEC(exec_ref) execs; /* by step */
    TFP_VEC(output) outputs;  /* of the node being read */
    TFP_VEC(tfp_str) buffers; /* of the run being read */
    TFP_VEC(int64_t) shape; /* of the node being read */
    TFP_VEC(int64_t) dims;  /* of one output */
    TFP_VEC(tfp_code_frame) frames;
    tfp_map64 node_by_key, trace_by_hash, string_by_id, lane_by_name;
    TFP_VEC(uint32_t) node_by_small_key; /* keys below small_keys, as all of them should be */
    uint64_t small_keys;
    tfp_buf attrs;
    memo device, host, type;
    step_ref step_of[16]; /* by the last bits of its number */
    memo lanes[TFP_LANE_ACCELERATOR + 1];
    tfp_wire fault;         /* the first one below a node, with its place in the file */
    const char *window;     /* the entry being read, and where in the file it stands: */
    uint64_t window_at;
    size_t first_row; /* of the profile's nodes */
    bool no_memory;
    bool key_twice; /* the table of names must be made anew */
} reader;

static void reader_free(reader *r)
{
    tfp_arena_free(&r->arena);
    tfp_vec_free(&r->nodes);
    tfp_vec_free(&r->edges);
    tfp_vec_free(&r->sources);
    tfp_vec_free(&r->traces);
    tfp_vec_free(&r->execs);
    tfp_vec_free(&r->outputs);
    tfp_vec_free(&r->buffers);
    tfp_vec_free(&r->shape);
    tfp_vec_free(&r->dims);
    tfp_vec_free(&r->frames);
    tfp_map64_free(&r->node_by_key);
    tfp_vec_free(&r->node_by_small_key);
    tfp_map64_free(&r->trace_by_hash);
    tfp_map64_free(&r->string_by_id);
    tfp_map64_free(&r->lane_by_name);
    tfp_buf_free(&r->attrs);
}

/* What stands inside a node is read by functions that take its bytes and leave a fault here, once a message: a wire whose
 * address is handed on would have to live in memory, field by field. The fault is asked for once a node. */
static void keep_fault(reader *r, tfp_wire w, const char *place)
{
    if (!w.fault || r->fault.fault) return;
    r->fault = w;
    r->fault.fault_at += r->window_at + (uint64_t)((const char *)w.start - r->window);
    r->fault.place = place;
}
#define END(r, w, place)                                                                                               \
    do {                                                                                                               \
        if (__builtin_expect((w).fault != NULL, 0)) keep_fault((r), (w), (place));                                     \
    } while (0)

/* Remembers that memory ran out; asked once a node. */
static bool ok(reader *r, bool success)
{
    if (!success) r->no_memory = true;
    return success;
}

static void warn_number(reader *r, const char *what, int64_t number)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)number);
    tfp_build_warn(r->b, what, (tfp_str){ text, (size_t)size });
}

/* The node with that key, as far as the file was read. Keys are the numbers from 0 on in any file that was not made to
 * do harm: those stand in a plain array, which may grow with the file but no further. */
static uint32_t find_key(const reader *r, int64_t key)
{
    if ((uint64_t)key >= r->small_keys) return tfp_map64_get(&r->node_by_key, (uint64_t)key);
    return (uint64_t)key < r->node_by_small_key.size ? r->node_by_small_key.at[key] : TFP_NONE;
}

static bool put_key(reader *r, int64_t key, uint32_t node)
{
    if ((uint64_t)key >= r->small_keys) return tfp_map64_put(&r->node_by_key, (uint64_t)key, node);
    size_t size = r->node_by_small_key.size;
    if ((size_t)key >= size) {
        if (!tfp_reserve(&r->node_by_small_key, (size_t)key + 1)) return false;
        memset(r->node_by_small_key.at + size, 0xff, ((size_t)key + 1 - size) * sizeof(uint32_t)); /* TFP_NONE */
        r->node_by_small_key.size = (size_t)key + 1;
    }
    r->node_by_small_key.at[key] = node;
    return true;
}

/* Counts, times and sizes that cannot be negative. */
static int64_t positive(reader *r, int64_t v, const char *what)
{
    if (v >= 0) return v;
    warn_number(r, what, v);
    return 0;
}

#define BYTES(r, v) positive((r), (v), "negative byte counts, taken as 0")
#define TIME(r, v) positive((r), (v), "negative times, taken as 0")

static tfp_strid text_of(reader *r, memo *m, tfp_str text)
{
    if (!m->text.data || !tfp_str_eq(m->text, text)) {
        m->id = tfp_build_string(r->b, text);
        m->text = tfp_text(r->p, m->id);
    }
    return m->id;
}

/* A key or value of a map entry is read by number: 1 is the key, 2 the value, and either may be missing. */
typedef struct int_pair {
    int64_t key, value;
} int_pair;

static int_pair read_int_pair(reader *r, tfp_str bytes, const char *place)
{
    int_pair pair = { 0, 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) pair.key = tfp_field_int(&w, &f);
        else if (f.number == 2) pair.value = tfp_field_int(&w, &f);
    }
    END(r, w, place);
    return pair;
}

/* ---- executions: ExecProfile ---- */

/* The lane of that name that counts as `kind`: by the map in which its times stand, not by its name. */
static uint32_t find_lane(reader *r, tfp_str name, tfp_lane_kind kind)
{
    memo *m = &r->lanes[kind];
    if (m->text.data && tfp_str_eq(m->text, name)) return m->id;
    tfp_strid id = tfp_build_string(r->b, name);
    uint64_t key = (uint64_t)id * 4 + kind;
    uint32_t lane = tfp_map64_get(&r->lane_by_name, key);
    if (lane == TFP_NONE) {
        size_t before = r->p->lanes.size;
        lane = tfp_build_lane(r->b, name);
        if (lane == TFP_NONE) return TFP_NONE;
        tfp_lane *row = &r->p->lanes.at[lane];
        if (row->kind != kind && r->p->lanes.size > before) {
            row->kind = kind;
        } else if (row->kind != kind) { /* both kinds under one name */
            if (!ok(r, tfp_push(&r->p->lanes, ((tfp_lane){ id, kind })))) return TFP_NONE;
            lane = (uint32_t)r->p->lanes.size - 1;
        }
        ok(r, tfp_map64_put(&r->lane_by_name, key, lane));
    }
    *m = (memo){ tfp_text(r->p, id), lane };
    return lane;
}

/* Tuple: [start, duration] */
static void read_time(reader *r, tfp_str bytes, uint32_t exec, uint32_t lane)
{
    int64_t values[2] = { 0, 0 };
    size_t count = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        uint64_t v;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v);)
            if (count < 2) values[count++] = (int64_t)v;
    }
    END(r, w, "times");
    if (w.fault || lane == TFP_NONE) return;
    if (count < 2) tfp_build_warn(r->b, "times without start and duration, left out", TFP_STR(""));
    else tfp_build_span(r->b, exec, lane, TIME(r, values[0]), TIME(r, values[1]));
}

/* An entry of accelerator_execs or cpu_execs: device name -> ExecTime */
static void read_times(reader *r, tfp_str bytes, uint32_t exec, tfp_lane_kind kind)
{
    tfp_str name = { "", 0 }, value = name;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) name = tfp_field_bytes(&w, &f);
        else if (f.number == 2) value = tfp_field_bytes(&w, &f);
    }
    END(r, w, "execs of a device");
    uint32_t lane = w.fault ? TFP_NONE : find_lane(r, name, kind);
    tfp_wire times = tfp_wire_start(value);
    for (tfp_field f; tfp_wire_next(&times, &f);)
        if (f.number == 1) read_time(r, tfp_field_bytes(&times, &f), exec, lane);
    END(r, times, "execs of a device");
}

/* A device that an execution names beside those with times, such as one stream of a GPU: kept as an empty span, so that
 * it is known where the node was. */
static void read_device(reader *r, tfp_str name, uint32_t exec)
{
    for (int kind = TFP_LANE_CPU; kind <= TFP_LANE_ACCELERATOR; kind++)
        if (r->lanes[kind].text.data && tfp_str_eq(r->lanes[kind].text, name)) return;
    if (tfp_device_is_canonical(name) || tfp_str_has(name, TFP_STR("stream:all"))) return;
    uint32_t lane = find_lane(r, name, TFP_LANE_OTHER);
    if (lane != TFP_NONE) tfp_build_span(r->b, exec, lane, 0, 0);
}

/* An entry of output_memory: slot -> Memory */
static void read_buffer(reader *r, tfp_str bytes, uint32_t memory)
{
    int32_t slot = 0;
    int64_t size = 0;
    uint64_t address = 0;
    tfp_str value = { "", 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) slot = tfp_field_int32(&w, &f);
        else if (f.number == 2) value = tfp_field_bytes(&w, &f);
    }
    END(r, w, "output_memory");
    tfp_wire v = tfp_wire_start(value);
    for (tfp_field f; tfp_wire_next(&v, &f);) {
        if (f.number == 1) size = tfp_field_int(&v, &f);
        else if (f.number == 2) address = tfp_field_uint(&v, &f);
    }
    END(r, v, "output_memory");
    if (memory != TFP_NONE) tfp_build_buffer(r->b, memory, slot, BYTES(r, size), address);
}

/* ExecMemory */
static void read_memory(reader *r, tfp_str bytes, uint32_t exec)
{
    int64_t v[11] = { 0 }; /* by field number */
    r->buffers.size = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number >= 1 && f.number <= 10) v[f.number] = BYTES(r, tfp_field_int(&w, &f));
        else if (f.number == 11) ok(r, tfp_push(&r->buffers, tfp_field_bytes(&w, &f)));
    }
    END(r, w, "memory_execs");
    tfp_memory m = { .next = TFP_NONE, .buffer_first = TFP_NONE, .buffer_last = TFP_NONE, .at_us = v[1],
                     .host_temp_bytes = v[2], .host_persistent_bytes = v[3], .accelerator_temp_bytes = v[4],
                     .accelerator_persistent_bytes = v[5], .requested_bytes = v[6], .peak_bytes = v[7],
                     .residual_bytes = v[8], .output_bytes = v[9], .allocator_bytes_in_use = v[10] };
    uint32_t memory = tfp_build_memory(r->b, exec, &m);
    for (size_t i = 0; i < r->buffers.size; i++) read_buffer(r, r->buffers.at[i], memory);
}

static uint32_t find_step(reader *r, int64_t id)
{
    step_ref *s = &r->step_of[id & 15];
    if (s->step && s->id == id) return s->step - 1;
    uint32_t step = tfp_build_step(r->b, id, false);
    if (step != TFP_NONE) *s = (step_ref){ id, step + 1 };
    return step;
}

/* The execution of the node in that step: a step that comes twice starts anew, as in a map. */
static uint32_t start_exec(reader *r, uint32_t node, int64_t step_id)
{
    uint32_t step = find_step(r, step_id);
    if (step == TFP_NONE) return TFP_NONE;
    while (r->execs.size <= step)
        if (!ok(r, tfp_push(&r->execs, ((exec_ref){ TFP_NONE, TFP_NONE })))) return TFP_NONE;
    exec_ref *last = &r->execs.at[step];
    if (last->node != node) {
        *last = (exec_ref){ node, tfp_build_new_exec(r->b, node, step) };
        return last->exec;
    }
    if (last->exec == TFP_NONE) return TFP_NONE; /* no memory for it */
    warn_number(r, "steps that come twice in one node, the last kept", step_id);
    tfp_build_exec_again(r->b, last->exec);
    return last->exec;
}

/* ExecProfile */
static void read_exec_fields(reader *r, tfp_str bytes, uint32_t exec)
{
    tfp_exec *x = &r->p->execs.at[exec]; /* no execution is added meanwhile */
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: x->run_count = positive(r, tfp_field_int(&w, &f), "negative run counts, taken as 0"); break;
        case 2: x->start_us = TIME(r, tfp_field_int(&w, &f)); break;
        case 3: x->end_us = TIME(r, tfp_field_int(&w, &f)); break;
        case 4: read_times(r, tfp_field_bytes(&w, &f), exec, TFP_LANE_ACCELERATOR); break;
        case 5: read_times(r, tfp_field_bytes(&w, &f), exec, TFP_LANE_CPU); break;
        case 6: read_device(r, tfp_field_bytes(&w, &f), exec); break;
        case 7: read_memory(r, tfp_field_bytes(&w, &f), exec); break;
        case 11: {
            int_pair record = read_int_pair(r, tfp_field_bytes(&w, &f), "allocations");
            tfp_build_allocation(r->b, exec, TIME(r, record.key), record.value);
            break;
        }
        }
    }
    END(r, w, "execs");
    if (x->end_us >= x->start_us) return;
    tfp_build_warn(r->b, "ends before their starts, moved to them", TFP_STR(""));
    x->end_us = x->start_us;
}

/* An entry of execs: step -> ExecProfile */
static void read_exec(reader *r, tfp_str bytes, uint32_t node)
{
    int64_t step = 0;
    tfp_str value = { "", 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) step = tfp_field_int(&w, &f);
        else if (f.number == 2) value = tfp_field_bytes(&w, &f);
    }
    END(r, w, "execs");
    uint32_t exec = w.fault ? TFP_NONE : start_exec(r, node, step);
    if (exec != TFP_NONE) read_exec_fields(r, value, exec);
}

/* ---- nodes: ProfileNode ---- */

/* The trace with these bytes, seen before or new. */
static uint32_t find_trace(reader *r, tfp_str bytes, size_t node)
{
    if (!bytes.size) return TFP_NONE;
    uint64_t base = r->window_at + (uint64_t)(bytes.data - r->window);
    for (uint64_t key = tfp_hash(bytes.data, bytes.size);; key++) {
        uint32_t at = tfp_map64_get(&r->trace_by_hash, key);
        if (at != TFP_NONE && tfp_str_eq(r->traces.at[at].bytes, bytes)) return at;
        if (at != TFP_NONE) continue;
        raw_trace t = { { tfp_arena_copy(&r->arena, bytes), bytes.size }, base, node, TFP_NONE };
        at = (uint32_t)r->traces.size;
        bool room = ok(r, t.bytes.data && tfp_push(&r->traces, t) && tfp_map64_put(&r->trace_by_hash, key, at));
        return room ? at : TFP_NONE;
    }
}

/* An entry of output_shapes: slot -> Tuple; no numbers mean that nothing is known. */
static void read_output(reader *r, tfp_str bytes)
{
    int32_t slot = 0;
    tfp_str value = { "", 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) slot = tfp_field_int32(&w, &f);
        else if (f.number == 2) value = tfp_field_bytes(&w, &f);
    }
    END(r, w, "output_shapes");
    r->dims.size = 0;
    tfp_wire tuple = tfp_wire_start(value);
    for (tfp_field f; tfp_wire_next(&tuple, &f);) {
        uint64_t v;
        if (f.number != 1) continue;
        for (tfp_packed p = tfp_packed_start(&tuple, &f, TFP_VARINT); tfp_packed_next(&tuple, &p, &v);)
            ok(r, tfp_push(&r->dims, (int64_t)v));
    }
    END(r, tuple, "output_shapes");
    uint32_t shape = tfp_build_shape(r->b, r->dims.at, r->dims.size, false);
    if (shape != TFP_NONE) ok(r, tfp_push(&r->outputs, ((output){ slot, shape, (uint32_t)r->outputs.size })));
}

static int by_slot(const void *a, const void *b)
{
    const output *x = a, *y = b;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* Outputs in order of their slots; of two for one slot the last in the file. */
static void build_outputs(reader *r, uint32_t node)
{
    output *o = r->outputs.at;
    size_t count = r->outputs.size;
    bool sorted = true;
    for (size_t i = 1; i < count; i++) sorted &= o[i - 1].slot < o[i].slot;
    if (!sorted) qsort(o, count, sizeof *o, by_slot);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && o[i].slot == o[i + 1].slot)
            warn_number(r, "outputs that come twice in one node, the last kept", o[i].slot);
        else tfp_build_output(r->b, node, o[i].slot, o[i].shape);
    }
}

/* Inputs wait until all nodes are known. Here the node's own two maps are joined: position -> source, and source -> which
 * of its outputs. Both maps are short, but not in a file that means harm: then a table is made. */
static int32_t output_index_of(reader *r, tfp_map64 *table, int64_t source)
{
    size_t count = r->sources.size;
    if (count > 8) {
        uint32_t at = tfp_map64_get(table, (uint64_t)source);
        return at == TFP_NONE ? 0 : r->sources.at[at].output_index;
    }
    for (size_t i = count; i-- > 0;)
        if (r->sources.at[i].source == source) return r->sources.at[i].output_index;
    return 0;
}

static int by_position(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->output_index < y->output_index ? -1 : 1; /* where it stood, see below */
}

/* Brings the node's inputs into the order of their positions; of two for one position the last in the file stays. */
static void sort_edges(reader *r, node_ref *n)
{
    size_t count = r->edges.size - n->edge_first, kept = 0;
    bool sorted = true;
    if (!count) return;
    edge *edges = r->edges.at + n->edge_first;
    for (size_t i = 1; i < count; i++) sorted &= edges[i - 1].position < edges[i].position;
    if (!sorted) {
        for (size_t i = 0; i < count; i++) edges[i].output_index = (int32_t)i;
        qsort(edges, count, sizeof *edges, by_position);
    }
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && edges[i].position == edges[i + 1].position)
            warn_number(r, "input positions that come twice in one node, the last kept", edges[i].position);
        else edges[kept++] = edges[i];
    }
    r->edges.size = n->edge_first + kept;
    n->edge_count = (uint32_t)kept;
}

static void finish_edges(reader *r, node_ref *n)
{
    tfp_map64 table = { 0 };
    sort_edges(r, n);
    for (size_t i = 0; r->sources.size > 8 && i < r->sources.size; i++)
        ok(r, tfp_map64_put(&table, (uint64_t)r->sources.at[i].source, (uint32_t)i));
    for (uint32_t i = 0; i < n->edge_count; i++) {
        edge *e = &r->edges.at[n->edge_first + i];
        e->output_index = output_index_of(r, &table, e->source);
    }
    tfp_map64_free(&table);
}

/* An entry of attrs: name -> AttrValue. All of them are kept as they are for writing the profile again, one is read. */
static void read_attr(reader *r, tfp_str bytes, uint32_t node)
{
    tfp_str name = { "", 0 }, value = name;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) name = tfp_field_bytes(&w, &f);
        else if (f.number == 2) value = tfp_field_bytes(&w, &f);
    }
    END(r, w, "attrs");
    tfp_str text = { "", 0 };
    tfp_wire v = tfp_wire_start(value);
    for (tfp_field f; tfp_wire_next(&v, &f);)
        if (f.number == 2) text = tfp_field_bytes(&v, &f);
    END(r, v, "attrs");
    if (tfp_str_eq(name, TFP_STR("data_format")))
        tfp_build_row(r->b, node)->data_format = tfp_build_string(r->b, text);
    if (r->p->keep & TFP_KEEP_ATTRS) tfp_put_bytes_always(&r->attrs, 11, bytes);
}

static void push_edge(reader *r, int_pair pair, bool of_input)
{
    if (of_input) ok(r, tfp_push(&r->edges, ((edge){ pair.value, (int32_t)pair.key, 0 })));
    else ok(r, tfp_push(&r->sources, ((edge){ pair.key, 0, (int32_t)pair.value })));
}

/* The row needs the name and the operation first. They come before what is long in a node; a file where they come again
 * is seen to later. */
static uint32_t start_node(reader *r, tfp_str bytes)
{
    tfp_str name = { "", 0 }, op = name;
    unsigned seen = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; seen != 3 && tfp_wire_next(&w, &f);) {
        if (f.number == 1) name = tfp_field_bytes(&w, &f), seen |= 1;
        else if (f.number == 9) op = tfp_field_bytes(&w, &f), seen |= 2;
    }
    END(r, w, NULL);
    return w.fault ? TFP_NONE : tfp_build_node(r->b, name, op, false);
}

/* Of two names the last counts; the profile's table of names is made anew when that happens. */
static void read_name(reader *r, tfp_node *n, tfp_str name)
{
    if (tfp_str_eq(name, tfp_text(r->p, n->name))) return;
    n->name = tfp_build_string(r->b, name);
    r->key_twice = true;
}

static void read_op(reader *r, tfp_node *n, tfp_str op)
{
    if (!tfp_str_eq(op, tfp_text(r->p, n->op))) n->op = tfp_build_string(r->b, op);
}

static void read_type(reader *r, uint32_t node, tfp_str type)
{
    tfp_strid op = tfp_build_row(r->b, node)->op;
    bool is_op = tfp_str_eq(type, tfp_text(r->p, op));
    tfp_build_type(r->b, node, is_op ? op : text_of(r, &r->type, type));
}

static void read_node_fields(reader *r, tfp_str bytes, uint32_t node, node_ref *ref)
{
    tfp_node *n = tfp_build_row(r->b, node); /* no node is added meanwhile */
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: read_name(r, n, tfp_field_bytes(&w, &f)); break;
        case 2: push_edge(r, read_int_pair(r, tfp_field_bytes(&w, &f), "inputs"), true); break;
        case 4: {
            uint64_t v;
            for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v);)
                ok(r, tfp_push(&r->shape, (int64_t)v));
            break;
        }
        case 5: read_type(r, node, tfp_field_bytes(&w, &f)); break;
        case 6: n->device = text_of(r, &r->device, tfp_field_bytes(&w, &f)); break;
        case 7: n->host_device = text_of(r, &r->host, tfp_field_bytes(&w, &f)); break;
        case 8: n->float_ops = positive(r, tfp_field_int(&w, &f), "negative float operations, taken as 0"); break;
        case 9: read_op(r, n, tfp_field_bytes(&w, &f)); break;
        case 10: ref->trace = find_trace(r, tfp_field_bytes(&w, &f), r->nodes.size); break;
        case 11: read_attr(r, tfp_field_bytes(&w, &f), node); break;
        case 12: read_exec(r, tfp_field_bytes(&w, &f), node); break;
        case 13: n->id = tfp_field_int(&w, &f); break;
        case 14: push_edge(r, read_int_pair(r, tfp_field_bytes(&w, &f), "src_output_index"), false); break;
        case 15: read_output(r, tfp_field_bytes(&w, &f)); break;
        }
    }
    END(r, w, NULL);
}

/* What makes one node of what was read of it. */
static void finish_node(reader *r, uint32_t node, node_ref *ref)
{
    finish_edges(r, ref);
    build_outputs(r, node);
    if (r->shape.size) {
        uint32_t shape = tfp_build_shape(r->b, r->shape.at, r->shape.size, false);
        tfp_build_row(r->b, node)->shape = shape;
    }
    if (r->attrs.size) tfp_build_attrs(r->b, node, (tfp_str){ r->attrs.data, r->attrs.size });
}

static tfp_status add_key(reader *r, uint32_t node, node_ref ref, tfp_error *err)
{
    if (tfp_build_row(r->b, node)->id != ref.key)
        warn_number(r, "nodes whose id differs from the number that inputs know them by", ref.key);
    uint32_t at = (uint32_t)r->nodes.size, before = find_key(r, ref.key);
    if (before != TFP_NONE) {
        warn_number(r, "node numbers that come twice, the last kept", ref.key);
        r->nodes.at[before].lost = r->key_twice = true;
    }
    return tfp_push(&r->nodes, ref) && put_key(r, ref.key, at) ? TFP_OK : tfp_nomem(err);
}

static tfp_status read_node(reader *r, tfp_str bytes, int64_t key, tfp_error *err)
{
    node_ref ref = { .key = key, .trace = TFP_NONE, .edge_first = (uint32_t)r->edges.size };
    uint32_t node = start_node(r, bytes);
    r->sources.size = r->attrs.size = r->shape.size = r->outputs.size = 0;
    if (node != TFP_NONE) {
        tfp_build_row(r->b, node)->id = 0; /* a zero is not written */
        read_node_fields(r, bytes, node, &ref);
        if (!r->fault.fault) finish_node(r, node, &ref);
    }
    if (r->fault.fault) return tfp_wire_failed(r->fault, err);
    if (r->no_memory || r->attrs.failed) return tfp_nomem(err);
    tfp_status s = tfp_builder_status(r->b, err);
    return s ? s : add_key(r, node, ref, err);
}

/* ---- the message itself: ProfileProto ---- */

/* An entry of nodes: key -> ProfileNode */
static tfp_status read_node_entry(reader *r, tfp_wire w, tfp_error *err)
{
    int64_t key = 0;
    tfp_str node = { (const char *)w.start, 0 };
    r->window = node.data;
    r->window_at = w.base;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) key = tfp_field_int(&w, &f);
        else if (f.number == 2) node = tfp_field_bytes(&w, &f);
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s) s = read_node(r, node, key, err);
    return tfp_within(err, s, "node %zu", r->nodes.size);
}

/* An entry of id_to_string */
static tfp_status read_string(reader *r, tfp_wire w, tfp_error *err)
{
    int64_t key = 0;
    tfp_str text = { "", 0 };
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) key = tfp_field_int(&w, &f);
        else if (f.number == 2) text = tfp_field_bytes(&w, &f);
    }
    tfp_status s = tfp_within(err, tfp_wire_end(&w, err), "id_to_string");
    if (s) return s;
    return ok(r, tfp_map64_put(&r->string_by_id, (uint64_t)key, tfp_build_string(r->b, text))) ? TFP_OK : tfp_nomem(err);
}

static void read_steps(reader *r, tfp_wire *w, const tfp_field *f)
{
    uint64_t v;
    for (tfp_packed p = tfp_packed_start(w, f, TFP_VARINT); tfp_packed_next(w, &p, &v);) {
        if ((int64_t)v < 0) warn_number(r, "negative step numbers, which cannot be asked for", (int64_t)v);
        tfp_build_step(r->b, (int64_t)v, true);
    }
}

static tfp_status read_top(reader *r, tfp_input *in, const tfp_field *f, tfp_error *err)
{
    tfp_wire w = tfp_input_wire(in, f);
    switch (f->number) {
    case 1: {
        tfp_wire entry = tfp_field_message(&w, f);
        return w.fault ? tfp_wire_end(&w, err) : read_node_entry(r, entry, err);
    }
    case 2: r->p->has_code |= tfp_field_bool(&w, f); break;
    case 3: read_steps(r, &w, f); break;
    case 4: {
        tfp_wire entry = tfp_field_message(&w, f);
        return w.fault ? tfp_wire_end(&w, err) : read_string(r, entry, err);
    }
    }
    return tfp_wire_end(&w, err);
}

/* ---- the end: traces, duplicates, inputs ---- */

/* The string with that id; 0 is "none" by convention, whether the table says so or not. */
static tfp_strid string_of(reader *r, int64_t id)
{
    tfp_strid text = tfp_map64_get(&r->string_by_id, (uint64_t)id);
    if (text != TFP_NONE) return text;
    if (id) warn_number(r, "strings of code traces that are missing, taken as none", id);
    return tfp_build_string(r->b, TFP_STR("none"));
}

static void read_frame(reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_code_frame frame = { 0 };
    int64_t file = 0, function = 0, text = 0;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 2: frame.line = tfp_field_int32(&w, &f); break;
        case 5: frame.function_line = tfp_field_int32(&w, &f); break;
        case 6: file = tfp_field_int(&w, &f); break;
        case 7: function = tfp_field_int(&w, &f); break;
        case 8: text = tfp_field_int(&w, &f); break;
        }
    }
    tfp_wire_join(outer, &w, "trace");
    if (outer->fault) return;
    frame.file = string_of(r, file);
    frame.function = string_of(r, function);
    frame.text = text ? string_of(r, text) : 0;
    ok(r, tfp_push(&r->frames, frame));
}

static tfp_status read_trace(reader *r, raw_trace *t, tfp_error *err)
{
    tfp_wire w = tfp_wire_start_at(t->bytes, t->base);
    r->frames.size = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) read_frame(r, &w, &f);
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && r->frames.size) t->row = tfp_build_trace(r->b, r->frames.at, r->frames.size);
    return s;
}

static tfp_status finish_traces(reader *r, tfp_error *err)
{
    for (size_t i = 0; i < r->traces.size; i++) {
        raw_trace *t = &r->traces.at[i];
        tfp_status s = tfp_within(err, read_trace(r, t, err), "node %zu", t->node);
        if (s) return s;
    }
    for (size_t i = 0; i < r->nodes.size; i++) {
        uint32_t trace = r->nodes.at[i].trace;
        if (trace != TFP_NONE) r->p->nodes.at[r->first_row + i].trace = r->traces.at[trace].row;
    }
    return r->no_memory ? tfp_nomem(err) : tfp_builder_status(r->b, err);
}

/* Sources become names while every number still has its row. */
static void name_sources(reader *r)
{
    for (size_t i = 0; i < r->edges.size; i++) {
        edge *e = &r->edges.at[i];
        uint32_t source = find_key(r, e->source);
        if (source == TFP_NONE) warn_number(r, "inputs that name no node", e->source);
        e->source = source == TFP_NONE ? -1 : (int64_t)r->p->nodes.at[r->first_row + source].name;
    }
}

/* Of nodes with one number the last is kept, as in a map; then of those with one name the first. The rows of the others
 * go, so that no view meets them. */
static void drop_duplicates(reader *r)
{
    tfp_profile *p = r->p;
    size_t kept = 0;
    if (!r->key_twice && !p->name_twice) return;
    p->node_by_name.size = 0;
    for (size_t i = 0; i < r->nodes.size; i++) {
        tfp_node *n = &p->nodes.at[r->first_row + i];
        if (r->nodes.at[i].lost) continue;
        if (tfp_named_node(p, n->name) != TFP_NONE) {
            tfp_build_warn(r->b, "nodes of the same name, the first kept", tfp_text(p, n->name));
            continue;
        }
        tfp_build_name(r->b, n->name, (uint32_t)(r->first_row + kept));
        p->nodes.at[r->first_row + kept] = *n;
        r->nodes.at[kept++] = r->nodes.at[i];
    }
    r->nodes.size = kept;
    p->nodes.size = r->first_row + kept;
}

static void build_inputs(reader *r)
{
    for (size_t i = 0; i < r->nodes.size; i++) {
        const node_ref *n = &r->nodes.at[i];
        for (uint32_t k = 0; k < n->edge_count; k++) {
            const edge *e = &r->edges.at[n->edge_first + k];
            if (e->source < 0) continue;
            tfp_build_input(r->b, (uint32_t)(r->first_row + i), e->position, (tfp_strid)e->source, e->output_index);
        }
    }
}

/* A file that was cut between two of its fields looks whole, but for what came last in it. */
static void check_steps(reader *r)
{
    for (size_t i = 0; i < r->p->steps.size; i++) {
        const tfp_step *s = &r->p->steps.at[i];
        if (!s->listed) warn_number(r, "steps that ran but are not listed, which count in averages only", s->id);
    }
}

static tfp_status finish(reader *r, tfp_error *err)
{
    tfp_status s = finish_traces(r, err);
    if (s) return s;
    name_sources(r);
    drop_duplicates(r);
    build_inputs(r);
    check_steps(r);
    if (!r->nodes.size) tfp_build_warn(r->b, "no data in it", TFP_STR(""));
    return r->no_memory ? tfp_nomem(err) : tfp_builder_status(r->b, err);
}

static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    (void)kind; /* there is one only */
    reader r = { .b = b, .p = b->p, .first_row = b->p->nodes.size, .small_keys = in->total / 8 };
    tfp_status s = TFP_OK;
    for (tfp_field f; s == TFP_OK && tfp_wire_next_input(in, &f, &s, err);) s = read_top(&r, in, &f, err);
    if (!s) s = finish(&r, err);
    reader_free(&r);
    b->p->has_graph = b->p->has_profile = true;
    return s;
}

static tfp_status read_profile(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    if (b->p->nodes.size) return tfp_fail(err, TFP_BADARG, "a profile holds everything and stands alone");
    return tfp_read_message(b, in, TFP_KINDS(TFP_KIND_PROFILE), read_binary, err);
}

static int probe(tfp_str head, uint64_t total) { return tfp_sniff_score(head, total, TFP_KINDS(TFP_KIND_PROFILE)); }

const tfp_format tfp_format_profile = {
    .name = "profile",
    .help = "ProfileProto: a whole profile in one file, such as profile_10; stands alone, or with a checkpoint",
    .order = 0,
    .probe = probe,
    .read = read_profile,
};
