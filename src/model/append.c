// SPDX-License-Identifier: Apache-2.0
/* model/append.c: appends the rows of a file's piece to the profile. Strings are interned again, with the hashes that
 * they have already, and row numbers are shifted by the rows that are there. */
#include "model/append.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"

bool tfp_piece_start(tfp_profile *piece, unsigned keep, size_t limit)
{
    *piece = (tfp_profile){ .keep = keep, .arena.limit = limit };
    return tfp_profile_tables_new(piece) && tfp_strtab_init(&piece->strings, NULL) == TFP_OK;
}

void tfp_piece_clear(tfp_profile *piece)
{
    tfp_strtab_clear(&piece->strings);
    size_t limit = piece->arena.limit;
    tfp_arena_free(&piece->arena);
    piece->arena.limit = limit;
    piece->graph->nodes.size = piece->graph->types.size = piece->graph->outputs.size = piece->graph->shapes.size =
        piece->graph->dims.size = 0;
    piece->runs->steps.size = piece->runs->execs.size = piece->lanes->size = piece->graph->attrs.size =
        piece->files->warnings.size = 0;
    piece->detail->details.size = piece->detail->spans.size = piece->detail->memories.size =
        piece->detail->buffers.size = piece->detail->allocations.size = 0;
    piece->graph->node_by_name.size = 0;
    tfp_map64_clear(&piece->graph->types_by_node);
    tfp_map64_clear(&piece->runs->step_by_id);
    tfp_map64_clear(&piece->detail->lane_by_name);
    piece->about.name_twice = false;
    piece->about.has = 0;
}

void tfp_piece_free(tfp_profile *piece)
{
    if (!piece->graph) return;
    tfp_vec_free(&piece->graph->nodes);
    tfp_vec_free(&piece->graph->types);
    tfp_vec_free(&piece->graph->outputs);
    tfp_vec_free(&piece->graph->shapes);
    tfp_vec_free(&piece->graph->dims);
    tfp_vec_free(&piece->runs->steps);
    tfp_vec_free(&piece->runs->execs);
    tfp_vec_free(piece->lanes);
    tfp_vec_free(&piece->detail->details);
    tfp_vec_free(&piece->detail->spans);
    tfp_vec_free(&piece->detail->memories);
    tfp_vec_free(&piece->detail->buffers);
    tfp_vec_free(&piece->detail->allocations);
    tfp_vec_free(&piece->graph->attrs);
    tfp_vec_free(&piece->files->warnings);
    tfp_vec_free(&piece->graph->node_by_name);
    tfp_map64_free(&piece->graph->types_by_node);
    tfp_map64_free(&piece->runs->step_by_id);
    tfp_map64_free(&piece->detail->lane_by_name);
    tfp_strtab_free(&piece->strings);
    tfp_arena_free(&piece->arena);
    tfp_profile_tables_free(piece);
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
    return own + more + ((size_t)8 << 20); /* arenas grow in blocks */
}

/* ---- rows ---- */

/* Makes room for `more` rows. A table that must grow gets the size that the whole input will need at this rate, at most
 * eight times its contents, because moving a table stops all threads. */
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
    for (size_t i = 0; i < piece->runs->steps.size; i++) {
        uint32_t step = tfp_build_step(b, piece->runs->steps.at[i].id, piece->runs->steps.at[i].listed);
        if (!tfp_push(&at->steps, step)) b->status = TFP_NOMEM;
    }
}

static void append_types(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->graph->types.size;
    if (!MAKE_ROOM(b, at, graph->types, piece->graph->types.size)) return;
    for (size_t i = 0; i < piece->graph->types.size; i++) {
        tfp_type t = piece->graph->types.at[i];
        p->graph->types.at[first + i] = (tfp_type){ at->strings.at[t.name], moved(t.next, first) };
    }
    p->graph->types.size += piece->graph->types.size;
    const tfp_map64 *many = &piece->graph->types_by_node;
    for (size_t i = 0; many->count && i < many->slot_count; i++) {
        if (!many->values[i]) continue;
        uint64_t node = at->node_first + (many->keys[i] >> 32), type = at->strings.at[(uint32_t)many->keys[i]];
        if (!tfp_map64_put(&p->graph->types_by_node, node << 32 | type, 0)) b->status = TFP_NOMEM;
    }
}

static void append_shapes(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->graph->dims.size;
    if (!MAKE_ROOM(b, at, graph->dims, piece->graph->dims.size) ||
        !MAKE_ROOM(b, at, graph->shapes, piece->graph->shapes.size))
        return;
    if (piece->graph->dims.size)
        memcpy(p->graph->dims.at + first, piece->graph->dims.at, piece->graph->dims.size * sizeof *p->graph->dims.at);
    p->graph->dims.size += piece->graph->dims.size;
    for (size_t i = 0; i < piece->graph->shapes.size; i++) {
        tfp_shape s = piece->graph->shapes.at[i];
        s.first += (uint32_t)first;
        p->graph->shapes.at[p->graph->shapes.size++] = s;
    }
}

static void append_outputs(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at, size_t first_shape)
{
    tfp_profile *p = b->p;
    size_t first = p->graph->outputs.size;
    if (!MAKE_ROOM(b, at, graph->outputs, piece->graph->outputs.size)) return;
    for (size_t i = 0; i < piece->graph->outputs.size; i++) {
        tfp_output o = piece->graph->outputs.at[i];
        p->graph->outputs.at[first + i] = (tfp_output){ o.slot, moved(o.shape, first_shape), moved(o.next, first) };
    }
    p->graph->outputs.size += piece->graph->outputs.size;
}

static void append_execs(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->runs->execs.size;
    if (!MAKE_ROOM(b, at, runs->execs, piece->runs->execs.size)) return;
    for (size_t i = 0; i < piece->runs->execs.size; i++) {
        tfp_exec *x = &p->runs->execs.at[first + i];
        *x = piece->runs->execs.at[i];
        x->step = at->steps.at[x->step];
        x->next = moved(x->next, first);
    }
    p->runs->execs.size += piece->runs->execs.size;
}

static void append_spans(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->detail->spans.size;
    if (!MAKE_ROOM(b, at, detail->spans, piece->detail->spans.size)) return;
    for (size_t i = 0; i < piece->detail->spans.size; i++) {
        tfp_span s = piece->detail->spans.at[i];
        s.lane = at->lanes.at[s.lane];
        s.next = moved(s.next, first);
        p->detail->spans.at[p->detail->spans.size++] = s;
    }
}

static void append_memories(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->detail->memories.size, first_buffer = p->detail->buffers.size;
    if (!MAKE_ROOM(b, at, detail->memories, piece->detail->memories.size) ||
        !MAKE_ROOM(b, at, detail->buffers, piece->detail->buffers.size))
        return;
    for (size_t i = 0; i < piece->detail->memories.size; i++) {
        tfp_memory m = piece->detail->memories.at[i];
        m.next = moved(m.next, first);
        m.buffer_first = moved(m.buffer_first, first_buffer);
        m.buffer_last = moved(m.buffer_last, first_buffer);
        p->detail->memories.at[p->detail->memories.size++] = m;
    }
    for (size_t i = 0; i < piece->detail->buffers.size; i++) {
        tfp_buffer row = piece->detail->buffers.at[i];
        row.next = moved(row.next, first_buffer);
        p->detail->buffers.at[p->detail->buffers.size++] = row;
    }
}

static void append_allocations(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t first = p->detail->allocations.size;
    if (!MAKE_ROOM(b, at, detail->allocations, piece->detail->allocations.size)) return;
    for (size_t i = 0; i < piece->detail->allocations.size; i++) {
        tfp_allocation row = piece->detail->allocations.at[i];
        row.next = moved(row.next, first);
        p->detail->allocations.at[p->detail->allocations.size++] = row;
    }
}

/* Appends the details of one execution. A profile that keeps details has a row of them for each execution. */
static void append_details(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t spans = p->detail->spans.size, memories = p->detail->memories.size,
           allocations = p->detail->allocations.size;
    if (!(p->keep & TFP_KEEP_MEMORY) || !MAKE_ROOM(b, at, detail->details, piece->detail->details.size)) return;
    for (size_t i = 0; i < piece->detail->details.size; i++) {
        tfp_exec_detail d = piece->detail->details.at[i];
        d.span_first = moved(d.span_first, spans);
        d.span_last = moved(d.span_last, spans);
        d.memory_first = moved(d.memory_first, memories);
        d.memory_last = moved(d.memory_last, memories);
        d.alloc_first = moved(d.alloc_first, allocations);
        d.alloc_last = moved(d.alloc_last, allocations);
        p->detail->details.at[p->detail->details.size++] = d;
    }
    append_spans(b, piece, at);
    append_memories(b, piece, at);
    append_allocations(b, piece, at);
}

static void append_attrs(tfp_builder *b, const tfp_profile *piece)
{
    for (size_t i = 0; i < piece->graph->attrs.size && !b->status; i++) {
        tfp_str encoded = piece->graph->attrs.at[i];
        char *copy = tfp_arena_copy(&b->p->arena, encoded);
        if (!copy || !tfp_push(&b->p->graph->attrs, ((tfp_str){ copy, encoded.size }))) b->status = TFP_NOMEM;
    }
}

/* The sizes, before the piece is added, of the tables that nodes refer to. */
typedef struct ends {
    size_t types, execs, outputs, shapes, attrs;
} ends;

static void append_nodes(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at, const ends *e)
{
    tfp_profile *p = b->p;
    const uint32_t *strings = at->strings.at;
    if (!MAKE_ROOM(b, at, graph->nodes, piece->graph->nodes.size)) return;
    for (size_t i = 0; i < piece->graph->nodes.size; i++) {
        tfp_node n = piece->graph->nodes.at[i];
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
        p->graph->nodes.at[p->graph->nodes.size++] = n;
        tfp_build_name(b, n.name, (uint32_t)p->graph->nodes.size - 1);
    }
}

void tfp_append_piece(tfp_builder *b, const tfp_profile *piece, tfp_placement *at)
{
    tfp_profile *p = b->p;
    ends e = { p->graph->types.size, p->runs->execs.size, p->graph->outputs.size, p->graph->shapes.size,
               p->graph->attrs.size };
    at->node_first = (uint32_t)p->graph->nodes.size;
    append_steps(b, piece, at);
    if (b->status) return;
    append_types(b, piece, at);
    append_shapes(b, piece, at);
    append_outputs(b, piece, at, e.shapes);
    append_execs(b, piece, at);
    append_details(b, piece, at);
    append_attrs(b, piece);
    append_nodes(b, piece, at, &e);
    for (size_t i = 0; i < piece->files->warnings.size; i++) {
        const tfp_warning *w = &piece->files->warnings.at[i];
        tfp_build_warn_many(b, w->what, tfp_str_of(w->first), w->count);
    }
    p->about.has |= piece->about.has;
    p->about.name_twice |= piece->about.name_twice;
}
