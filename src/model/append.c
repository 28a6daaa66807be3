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

/* ---- the tables of a piece ---- */

typedef enum table {
    NODES,
    TYPES,
    OUTPUTS,
    SHAPES,
    DIMS,
    EXECS,
    ATTRS,
    DETAILS, /* this table and those after it are kept with TFP_KEEP_MEMORY only */
    SPANS,
    MEMORIES,
    BUFFERS,
    ALLOCATIONS,
    TABLES,
    STRINGS = TABLES, /* no tables, but what rows refer to by numbers that the placement maps */
    STEPS,
    LANES
} table;

/* Any TFP_VEC. It may alias them: for the compiler each TFP_VEC is a type of its own. */
typedef struct __attribute__((may_alias)) rows {
    void *at;
    size_t size, capacity;
} rows;

static rows *rows_of(const tfp_profile *p, table t)
{
    switch (t) {
    case NODES: return (rows *)&p->graph->nodes;
    case TYPES: return (rows *)&p->graph->types;
    case OUTPUTS: return (rows *)&p->graph->outputs;
    case SHAPES: return (rows *)&p->graph->shapes;
    case DIMS: return (rows *)&p->graph->dims;
    case EXECS: return (rows *)&p->runs->execs;
    case ATTRS: return (rows *)&p->graph->attrs;
    case DETAILS: return (rows *)&p->detail->details;
    case SPANS: return (rows *)&p->detail->spans;
    case MEMORIES: return (rows *)&p->detail->memories;
    case BUFFERS: return (rows *)&p->detail->buffers;
    case ALLOCATIONS: return (rows *)&p->detail->allocations;
    default: return NULL;
    }
}

/* A field of a row that is the number of a row, a string, a step or a lane. */
typedef struct ref {
    table of;
    size_t at;
    table to;
} ref;

/* clang-format off */
#define REF(table, type, field, to) { table, offsetof(type, field), to }
static const ref refs[] = {
    REF(NODES, tfp_node, name, STRINGS), REF(NODES, tfp_node, op, STRINGS), REF(NODES, tfp_node, device, STRINGS),
    REF(NODES, tfp_node, host_device, STRINGS), REF(NODES, tfp_node, graph_device, STRINGS),
    REF(NODES, tfp_node, data_format, STRINGS), REF(NODES, tfp_node, type_first, TYPES), REF(NODES, tfp_node, type_last, TYPES),
    REF(NODES, tfp_node, exec_first, EXECS), REF(NODES, tfp_node, exec_last, EXECS), REF(NODES, tfp_node, output_first, OUTPUTS),
    REF(NODES, tfp_node, output_last, OUTPUTS), REF(NODES, tfp_node, shape, SHAPES), REF(NODES, tfp_node, attrs, ATTRS),
    REF(TYPES, tfp_type, name, STRINGS), REF(TYPES, tfp_type, next, TYPES),
    REF(OUTPUTS, tfp_output, shape, SHAPES), REF(OUTPUTS, tfp_output, next, OUTPUTS),
    REF(SHAPES, tfp_shape, first, DIMS),
    REF(EXECS, tfp_exec, step, STEPS), REF(EXECS, tfp_exec, next, EXECS),
    REF(DETAILS, tfp_exec_detail, span_first, SPANS), REF(DETAILS, tfp_exec_detail, span_last, SPANS),
    REF(DETAILS, tfp_exec_detail, memory_first, MEMORIES), REF(DETAILS, tfp_exec_detail, memory_last, MEMORIES),
    REF(DETAILS, tfp_exec_detail, alloc_first, ALLOCATIONS), REF(DETAILS, tfp_exec_detail, alloc_last, ALLOCATIONS),
    REF(SPANS, tfp_span, lane, LANES), REF(SPANS, tfp_span, next, SPANS),
    REF(MEMORIES, tfp_memory, next, MEMORIES), REF(MEMORIES, tfp_memory, buffer_first, BUFFERS),
    REF(MEMORIES, tfp_memory, buffer_last, BUFFERS),
    REF(BUFFERS, tfp_buffer, next, BUFFERS),
    REF(ALLOCATIONS, tfp_allocation, next, ALLOCATIONS),
};
static const size_t sizes[TABLES] = {
    [NODES] = sizeof(tfp_node), [TYPES] = sizeof(tfp_type), [OUTPUTS] = sizeof(tfp_output), [SHAPES] = sizeof(tfp_shape),
    [DIMS] = sizeof(int64_t), [EXECS] = sizeof(tfp_exec), [ATTRS] = sizeof(tfp_str), [DETAILS] = sizeof(tfp_exec_detail),
    [SPANS] = sizeof(tfp_span), [MEMORIES] = sizeof(tfp_memory), [BUFFERS] = sizeof(tfp_buffer),
    [ALLOCATIONS] = sizeof(tfp_allocation),
};
/* clang-format on */

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
    for (int i = 0; i < TABLES; i++) rows_of(piece, (table)i)->size = 0;
    piece->runs->steps.size = piece->lanes->size = piece->files->warnings.size = piece->graph->node_by_name.size = 0;
    tfp_map64_clear(&piece->graph->types_by_node);
    tfp_map64_clear(&piece->runs->step_by_id);
    tfp_map64_clear(&piece->detail->lane_by_name);
    piece->about.name_twice = false;
    piece->about.has = 0;
}

void tfp_piece_free(tfp_profile *piece)
{
    if (!piece->graph) return;
    for (int i = 0; i < TABLES; i++) tfp_vec_free(rows_of(piece, (table)i));
    tfp_vec_free(&piece->runs->steps);
    tfp_vec_free(piece->lanes);
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
static bool make_room(tfp_builder *b, const tfp_placement *at, rows *to, size_t more, size_t item)
{
    size_t need = to->size + more;
    if (b->status) return false;
    if (need <= to->capacity) return true;
    double times = at->scale < 1 ? 1 : at->scale > 8 ? 8 : at->scale;
    size_t wanted = (size_t)((double)need * times);
    if (need < TFP_NONE - 1 &&
        (tfp_grow(&to->at, &to->capacity, wanted, item) || tfp_grow(&to->at, &to->capacity, need, item)))
        return true;
    b->status = TFP_NOMEM;
    return false;
}

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

/* Sets one reference in each of the rows that were copied: `map` has the new numbers, otherwise they move by `by`. */
static void move_refs(char *row, size_t count, size_t item, const uint32_t *map, size_t by)
{
    for (size_t i = 0; i < count; i++, row += item) {
        uint32_t number;
        memcpy(&number, row, sizeof number);
        number = map ? map[number] : number == TFP_NONE ? TFP_NONE : (uint32_t)(number + by);
        memcpy(row, &number, sizeof number);
    }
}

/* Copies the rows of a table. before: the sizes that the tables had before the piece was added. */
static void append_table(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at, table t,
                         const size_t before[TABLES])
{
    const rows *from = rows_of(piece, t);
    rows *to = rows_of(b->p, t);
    if (!from->size || !make_room(b, at, to, from->size, sizes[t])) return;
    char *first = (char *)to->at + to->size * sizes[t];
    memcpy(first, from->at, from->size * sizes[t]);
    to->size += from->size;
    for (const ref *r = refs; r < refs + sizeof refs / sizeof *refs; r++) {
        if (r->of != t) continue;
        const uint32_t *map = r->to == STRINGS ? at->strings.at
                              : r->to == STEPS ? at->steps.at
                              : r->to == LANES ? at->lanes.at
                                               : NULL;
        move_refs(first + r->at, from->size, sizes[t], map, r->to < TABLES ? before[r->to] : 0);
    }
}

/* Adds the types of nodes that have many, which a table finds. */
static void append_many_types(tfp_builder *b, const tfp_profile *piece, const tfp_placement *at)
{
    const tfp_map64 *many = &piece->graph->types_by_node;
    for (size_t i = 0; many->count && i < many->slot_count && !b->status; i++) {
        if (!many->values[i]) continue;
        uint64_t node = at->node_first + (many->keys[i] >> 32), type = at->strings.at[(uint32_t)many->keys[i]];
        tfp_build_keep(b, tfp_map64_put(&b->p->graph->types_by_node, node << 32 | type, 0));
    }
}

/* The texts of attributes point into the piece's arena, so they are copied. */
static void keep_attrs(tfp_builder *b, size_t before)
{
    for (size_t i = before; i < b->p->graph->attrs.size && !b->status; i++) {
        tfp_str *attr = &b->p->graph->attrs.at[i];
        attr->data = tfp_arena_copy(&b->p->arena, *attr);
        tfp_build_keep(b, attr->data != NULL);
    }
}

void tfp_append_piece(tfp_builder *b, const tfp_profile *piece, tfp_placement *at)
{
    tfp_profile *p = b->p;
    size_t before[TABLES];
    for (int i = 0; i < TABLES; i++) before[i] = rows_of(p, (table)i)->size;
    at->node_first = (uint32_t)p->graph->nodes.size;
    append_steps(b, piece, at);
    for (int i = 0; i < (p->keep & TFP_KEEP_MEMORY ? TABLES : DETAILS); i++)
        append_table(b, piece, at, (table)i, before);
    append_many_types(b, piece, at);
    keep_attrs(b, before[ATTRS]);
    for (size_t i = before[NODES]; i < p->graph->nodes.size && !b->status; i++)
        tfp_build_name(b, p->graph->nodes.at[i].name, (uint32_t)i);
    for (size_t i = 0; i < piece->files->warnings.size; i++) {
        const tfp_warning *w = &piece->files->warnings.at[i];
        tfp_build_warn_many(b, w->what, tfp_str_of(w->first), w->count);
    }
    p->about.has |= piece->about.has;
    p->about.name_twice |= piece->about.name_twice;
}
