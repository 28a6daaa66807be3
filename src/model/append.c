// SPDX-License-Identifier: Apache-2.0
/* model/append.c: appends the rows of a file's piece to the profile. Strings are interned again, with the hashes that
 * they have already, and row numbers are shifted by the rows that are there. */
#include "model/append.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "schema/schema.h"

/* The tables of a piece whose rows are copied. Those from DETAILS on are kept with TFP_READS_RUNS only. */
static const tfp_table_id copied[] = {
    TFP_TABLE_NODES,     TFP_TABLE_TYPES,    TFP_TABLE_OUTPUTS, TFP_TABLE_SHAPES,
    TFP_TABLE_DIMS,      TFP_TABLE_EXECS,    TFP_TABLE_ATTRS,   TFP_TABLE_DETAILS,
    TFP_TABLE_RUN_SPANS, TFP_TABLE_MEMORIES, TFP_TABLE_BUFFERS, TFP_TABLE_ALLOCATIONS
};

static tfp_rows *rows_of(const tfp_profile *p, tfp_table_id t) { return tfp_table_at(&tfp_schema_tables[t], p); }

bool tfp_piece_start(tfp_profile *piece, unsigned keep, size_t limit)
{
    *piece = (tfp_profile){ .reads = keep, .arena.limit = limit };
    return tfp_profile_tables_new(piece) && tfp_strtab_init(&piece->strings, NULL) == TFP_OK;
}

void tfp_piece_clear(tfp_profile *piece)
{
    tfp_strtab_clear(&piece->strings);
    size_t limit = piece->arena.limit;
    tfp_arena_free(&piece->arena);
    piece->arena.limit = limit;
    tfp_tables_clear(piece);
    piece->about.name_twice = false;
    piece->about.has = 0;
}

void tfp_piece_free(tfp_profile *piece)
{
    if (!piece->graph) return;
    tfp_tables_free(piece);
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
static bool make_room(tfp_builder *b, const tfp_placement *at, tfp_rows *to, size_t more, size_t item)
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

/* Where a piece's rows are in the profile. */
typedef struct shift {
    const tfp_profile *piece;
    const tfp_placement *at;
    size_t before[TFP_TABLES]; /* rows that the tables had before the piece was added */
} shift;

/* Sets one reference in each of the rows that were copied: `map` has the new numbers, otherwise they move by `by`. */
static void move_numbers(char *row, size_t count, size_t item, const uint32_t *map, size_t by)
{
    for (size_t i = 0; i < count; i++, row += item) {
        uint32_t number;
        memcpy(&number, row, sizeof number);
        number = map ? map[number] : number == TFP_NONE ? TFP_NONE : (uint32_t)(number + by);
        memcpy(row, &number, sizeof number);
    }
}

/* The same for references to rows of the table `to`. Those to a table without rows in the piece are all TFP_NONE. */
static void move_refs(const shift *x, tfp_table_id to, char *row, size_t count, size_t item)
{
    const uint32_t *map = to == TFP_TABLE_STEPS ? x->at->steps.at : to == TFP_TABLE_LANES ? x->at->lanes.at : NULL;
    if (map || rows_of(x->piece, to)->size) move_numbers(row, count, item, map, x->before[to]);
}

static void append_table(tfp_builder *b, const shift *x, tfp_table_id id)
{
    const tfp_schema_table *t = &tfp_schema_tables[id];
    const tfp_rows *from = rows_of(x->piece, id);
    tfp_rows *to = rows_of(b->p, id);
    size_t count = from->size, item = t->item;
    if (!count || !make_room(b, x->at, to, count, item)) return;
    char *first = (char *)to->at + to->size * item;
    memcpy(first, from->at, count * item);
    to->size += count;
    for (const tfp_schema_column *c = t->columns; c->name; c++) {
        if (c->rule == TFP_RULE_STRING) move_numbers(first + c->at, count, item, x->at->strings.at, 0);
        if (c->rule == TFP_RULE_ROW || c->rule == TFP_RULE_ROW_OR_NONE || c->rule == TFP_RULE_RANGE)
            move_refs(x, (tfp_table_id)c->arg, first + c->at, count, item);
    }
    if (t->chain.there) move_refs(x, id, first + t->chain.next, count, item);
    for (int k = 0; k < TFP_TABLES; k++) {
        const tfp_schema_chain *chain = &tfp_schema_tables[k].chain;
        if (!chain->there || chain->owner != id) continue;
        move_refs(x, (tfp_table_id)k, first + chain->first, count, item);
        move_refs(x, (tfp_table_id)k, first + chain->last, count, item);
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
    shift x = { .piece = piece, .at = at };
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) x.before[copied[i]] = rows_of(p, copied[i])->size;
    at->node_first = (uint32_t)p->graph->nodes.size;
    append_steps(b, piece, at);
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        if (copied[i] < TFP_TABLE_DETAILS || p->reads & TFP_READS_RUNS) append_table(b, &x, copied[i]);
    append_many_types(b, piece, at);
    keep_attrs(b, x.before[TFP_TABLE_ATTRS]);
    for (size_t i = x.before[TFP_TABLE_NODES]; i < p->graph->nodes.size && !b->status; i++)
        tfp_build_name(b, p->graph->nodes.at[i].name, (uint32_t)i);
    for (size_t i = 0; i < piece->files->warnings.size; i++) {
        const tfp_warning *w = &piece->files->warnings.at[i];
        tfp_build_warn_many(b, w->what, tfp_str_of(w->first), w->count);
    }
    p->about.has |= piece->about.has;
    p->about.name_twice |= piece->about.name_twice;
}
