// SPDX-License-Identifier: Apache-2.0
/* model/append.c: the rows of a piece of a file become rows of the profile: strings are interned again by the hashes that
 * they have already, and numbers of rows move by as many rows as there are. */
#include "model/append.h"
#include "model/model.h"

bool tfp_piece_start(tfp_profile *piece, unsigned keep, size_t limit)
{
    *piece = (tfp_profile){ .keep = keep, .arena.limit = limit };
    return tfp_strtab_init(&piece->strings, NULL) == TFP_OK;
}

void tfp_piece_clear(tfp_profile *piece)
{
    tfp_strtab_clear(&piece->strings);
    size_t limit = piece->arena.limit;
    tfp_arena_free(&piece->arena);
    piece->arena.limit = limit;
    piece->nodes.size = piece->types.size = piece->outputs.size = piece->shapes.size = piece->dims.size = 0;
    piece->steps.size = piece->execs.size = piece->lanes.size = piece->attrs.size = piece->warnings.size = 0;
    piece->details.size = piece->spans.size = piece->memories.size = piece->buffers.size = piece->allocations.size = 0;
    piece->node_by_name.size = 0;
    tfp_map64_clear(&piece->types_by_node);
    tfp_map64_clear(&piece->step_by_id);
    tfp_map64_clear(&piece->lane_by_name);
    piece->name_twice = false;
    piece->has = 0;
}

void tfp_piece_free(tfp_profile *piece)
{
    tfp_vec_free(&piece->nodes);
    tfp_vec_free(&piece->types);
    tfp_vec_free(&piece->outputs);
    tfp_vec_free(&piece->shapes);
    tfp_vec_free(&piece->dims);
    tfp_vec_free(&piece->steps);
    tfp_vec_free(&piece->execs);
    tfp_vec_free(&piece->lanes);
    tfp_vec_free(&piece->details);
    tfp_vec_free(&piece->spans);
    tfp_vec_free(&piece->memories);
    tfp_vec_free(&piece->buffers);
    tfp_vec_free(&piece->allocations);
    tfp_vec_free(&piece->attrs);
    tfp_vec_free(&piece->warnings);
    tfp_vec_free(&piece->node_by_name);
    tfp_map64_free(&piece->types_by_node);
    tfp_map64_free(&piece->step_by_id);
    tfp_map64_free(&piece->lane_by_name);
    tfp_strtab_free(&piece->strings);
    tfp_arena_free(&piece->arena);
}

void tfp_placement_free(tfp_placement *at)
{
    tfp_vec_free(&at->strings);
    tfp_vec_free(&at->steps);
    tfp_vec_free(&at->lanes);
    tfp_vec_free(&at->hashes);
}

size_t tfp_append_memory(const tfp_profile *p, const tfp_profile *piece)
{
    size_t own = tfp_profile_memory(p), more = tfp_profile_memory(piece);
    return own + more + ((size_t)8 << 20); /* arenas grow by blocks */
}

/* ---- rows ---- */

/* Room for `more` rows. Tables that grow grow to what the whole input will fill if it goes on like this, at most to eight
 * times what they hold: to move a table costs all threads a stop. */
static bool make_room(tfp_builder *b, const tfp_placement *at, void **rows, size_t *capacity, size_t need, size_t item)
{
    if (b->status) return false;
    if (need <= *capacity) return true;
    double times = at->scale < 1 ? 1 : at->scale > 8 ? 8 : at->scale;
    size_t wanted = (size_t)((double)need * times);
    if (need < TFP_NONE - 1 && (tfp_grow(rows, capacity, wanted, item) || tfp_grow(rows, capacity, need, item)))
        return true;
    b->status = TFP_NOMEM;
    return false;
}
#define MAKE_ROOM(b, at, table, more)                                                                                  \
    make_room((b), (at), (void **)&(b)->p->table.at, &(b)->p->table.capacity, (b)->p->table.size + (more),             \
              sizeof *(b)->p->table.at)

static uint32_t moved(uint32_t row, size_t by) { return row == TFP_NONE ? TFP_NONE : (uint32_t)(row + by); }

void tfp_append_strings(tfp_builder *b, const tfp_profile *piece, tfp_placement *at)
{
    size_t count = piece->strings.count;
    if (!tfp_reserve(&at->strings, count) || !tfp_reserve(&at->hashes, count)) b->status = TFP_NOMEM;
    if (b->status) return;
    tfp_strtab_hashes(&piece->strings, at->hashes.at);
    for (size_t i = 0; i < count; i++) {
        at->strings.at[i] = tfp_intern_hashed(&b->p->strings, piece->strings.strings[i], at->hashes.at[i]);
        if (at->strings.at[i] == TFP_NONE) b->status = TFP_NOMEM;
    }
    at->strings.size = count;
}

static void append_steps(tfp_builder *b, const tfp_profile *piece, tfp_placement *at)
{
    at->steps.size = 0;
    for (size_t i = 0; i < piece->steps.size; i++) {
        uint32_t step = tfp_build_step(b, piece->steps.at[i].id, piece->steps.at[i].listed);
        if (!tfp_push(&at->steps, step)) b->status = TFP_NOMEM;
    }
}

static void append_types(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->types.size;
    if (!MAKE_ROOM(b, at, types, piece->types.size)) return;
    for (size_t i = 0; i < piece->types.size; i++) {
        tfp_type t = piece->types.at[i];
        p->types.at[first + i] = (tfp_type){ at->strings.at[t.name], moved(t.next, first) };
    }
    p->types.size += piece->types.size;
    const tfp_map64 *many = &piece->types_by_node;
    for (size_t i = 0; many->count && i < many->slot_count; i++) {
        if (!many->values[i]) continue;
        uint64_t node = at->node_first + (many->keys[i] >> 32), type = at->strings.at[(uint32_t)many->keys[i]];
        if (!tfp_map64_put(&p->types_by_node, node << 32 | type, 0)) b->status = TFP_NOMEM;
    }
}

static void append_shapes(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->dims.size;
    if (!MAKE_ROOM(b, at, dims, piece->dims.size) || !MAKE_ROOM(b, at, shapes, piece->shapes.size)) return;
    if (piece->dims.size) memcpy(p->dims.at + first, piece->dims.at, piece->dims.size * sizeof *p->dims.at);
    p->dims.size += piece->dims.size;
    for (size_t i = 0; i < piece->shapes.size; i++) {
        tfp_shape s = piece->shapes.at[i];
        s.first += (uint32_t)first;
        p->shapes.at[p->shapes.size++] = s;
    }
}

static void append_outputs(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at, size_t first_shape)
{
    tfp_profile *p = b->p;
    size_t first = p->outputs.size;
    if (!MAKE_ROOM(b, at, outputs, piece->outputs.size)) return;
    for (size_t i = 0; i < piece->outputs.size; i++) {
        tfp_output o = piece->outputs.at[i];
        p->outputs.at[first + i] = (tfp_output){ o.slot, moved(o.shape, first_shape), moved(o.next, first) };
    }
    p->outputs.size += piece->outputs.size;
}

static void append_execs(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->execs.size;
    if (!MAKE_ROOM(b, at, execs, piece->execs.size)) return;
    for (size_t i = 0; i < piece->execs.size; i++) {
        tfp_exec *x = &p->execs.at[first + i];
        *x = piece->execs.at[i];
        x->step = at->steps.at[x->step];
        x->next = moved(x->next, first);
    }
    p->execs.size += piece->execs.size;
}

static void append_spans(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->spans.size;
    if (!MAKE_ROOM(b, at, spans, piece->spans.size)) return;
    for (size_t i = 0; i < piece->spans.size; i++) {
        tfp_span s = piece->spans.at[i];
        s.lane = at->lanes.at[s.lane];
        s.next = moved(s.next, first);
        p->spans.at[p->spans.size++] = s;
    }
}

static void append_memories(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->memories.size, first_buffer = p->buffers.size;
    if (!MAKE_ROOM(b, at, memories, piece->memories.size) || !MAKE_ROOM(b, at, buffers, piece->buffers.size)) return;
    for (size_t i = 0; i < piece->memories.size; i++) {
        tfp_memory m = piece->memories.at[i];
        m.next = moved(m.next, first);
        m.buffer_first = moved(m.buffer_first, first_buffer);
        m.buffer_last = moved(m.buffer_last, first_buffer);
        p->memories.at[p->memories.size++] = m;
    }
    for (size_t i = 0; i < piece->buffers.size; i++) {
        tfp_buffer row = piece->buffers.at[i];
        row.next = moved(row.next, first_buffer);
        p->buffers.at[p->buffers.size++] = row;
    }
}

static void append_allocations(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->allocations.size;
    if (!MAKE_ROOM(b, at, allocations, piece->allocations.size)) return;
    for (size_t i = 0; i < piece->allocations.size; i++) {
        tfp_allocation row = piece->allocations.at[i];
        row.next = moved(row.next, first);
        p->allocations.at[p->allocations.size++] = row;
    }
}

/* The rows of one execution. In a profile that keeps them, each execution has one. */
static void append_details(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t spans = p->spans.size, memories = p->memories.size, allocations = p->allocations.size;
    if (!(p->keep & TFP_KEEP_MEMORY) || !MAKE_ROOM(b, at, details, piece->details.size)) return;
    for (size_t i = 0; i < piece->details.size; i++) {
        tfp_exec_detail d = piece->details.at[i];
        d.span_first = moved(d.span_first, spans);
        d.span_last = moved(d.span_last, spans);
        d.memory_first = moved(d.memory_first, memories);
        d.memory_last = moved(d.memory_last, memories);
        d.alloc_first = moved(d.alloc_first, allocations);
        d.alloc_last = moved(d.alloc_last, allocations);
        p->details.at[p->details.size++] = d;
    }
    append_spans(b, piece, at);
    append_memories(b, piece, at);
    append_allocations(b, piece, at);
}

static void append_attrs(tfp_builder *b, const tfp_profile *piece)
{
    for (size_t i = 0; i < piece->attrs.size && !b->status; i++) {
        tfp_str encoded = piece->attrs.at[i];
        char *copy = tfp_arena_copy(&b->p->arena, encoded);
        if (!copy || !tfp_push(&b->p->attrs, ((tfp_str){ copy, encoded.size }))) b->status = TFP_NOMEM;
    }
}

/* The ends, before the piece, of the tables that nodes point into. */
typedef struct ends {
    size_t types, execs, outputs, shapes, attrs;
} ends;

static void append_nodes(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at, const ends *e)
{
    tfp_profile *p = b->p;
    const uint32_t *strings = at->strings.at;
    if (!MAKE_ROOM(b, at, nodes, piece->nodes.size)) return;
    for (size_t i = 0; i < piece->nodes.size; i++) {
        tfp_node n = piece->nodes.at[i];
        n.name = strings[n.name];
        n.op = strings[n.op];
        n.device = strings[n.device];
        n.host_device = strings[n.host_device];
        n.graph_device = strings[n.graph_device];
        n.data_format = strings[n.data_format];
        n.type_first = moved(n.type_first, e->types);
        n.type_last = moved(n.type_last, e->types);
        n.exec_first = moved(n.exec_first, e->execs);
        n.exec_last = moved(n.exec_last, e->execs);
        n.output_first = moved(n.output_first, e->outputs);
        n.output_last = moved(n.output_last, e->outputs);
        n.shape = moved(n.shape, e->shapes);
        n.attrs = moved(n.attrs, e->attrs);
        p->nodes.at[p->nodes.size++] = n;
        tfp_build_name(b, n.name, (uint32_t)p->nodes.size - 1);
    }
}

void tfp_append_piece(tfp_builder *b, const tfp_profile *piece, tfp_placement *at)
{
    tfp_profile *p = b->p;
    ends e = { p->types.size, p->execs.size, p->outputs.size, p->shapes.size, p->attrs.size };
    at->node_first = (uint32_t)p->nodes.size;
    append_steps(b, piece, at);
    if (b->status) return;
    append_types(b, piece, at);
    append_shapes(b, piece, at);
    append_outputs(b, piece, at, e.shapes);
    append_execs(b, piece, at);
    append_details(b, piece, at);
    append_attrs(b, piece);
    append_nodes(b, piece, at, &e);
    for (size_t i = 0; i < piece->warnings.size; i++) {
        const tfp_warning *w = &piece->warnings.at[i];
        tfp_build_warn_many(b, w->what, tfp_str_of(w->first), w->count);
    }
    p->has |= piece->has;
    p->name_twice |= piece->name_twice;
}
