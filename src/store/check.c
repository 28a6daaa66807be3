// SPDX-License-Identifier: Apache-2.0
/* store/check.c: checks that need several columns: ranges of rows stay within a table, parents come before their
 * children. Then it builds the parts of the model that are not columns: chains, maps, values of attributes. */
#include "model/builder.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"
#include "store/store.h"
#include "wire/proto.h"

static tfp_store_fault wrong(tfp_store_file *f, tfp_table_id table, const char *column)
{
    f->table = tfp_schema_tables[table].name;
    f->column = column;
    return TFP_STORE_WRONG;
}

/* ---- checks ---- */

/* Ranges must lie in their table, and no row may be in two, because otherwise a small file could cause endless work. */
static tfp_store_fault check_ranges(tfp_store_file *f, tfp_table_id id, const tfp_schema_column *c)
{
    const tfp_schema_table *t = &tfp_schema_tables[id];
    const tfp_rows *rows = tfp_store_at(t, f->p, &f->values);
    uint64_t sum = 0, size = f->rows[c->arg];
    const char *at = (const char *)rows->at + c->at;
    for (size_t i = 0; i < rows->size; i++, at += t->item) {
        uint32_t first, count;
        memcpy(&first, at, sizeof first);
        memcpy(&count, at + sizeof first, sizeof count);
        sum += count;
        if ((uint64_t)first + count > size || sum > size) return wrong(f, id, c->name);
    }
    return TFP_STORE_FINE;
}

static tfp_store_fault check_all_ranges(tfp_store_file *f)
{
    tfp_store_fault fault = TFP_STORE_FINE;
    for (size_t i = 0; i < TFP_TABLES; i++)
        for (size_t k = 0; f->rows[i] && !fault && k < tfp_schema_tables[i].column_count; k++)
            if (tfp_schema_tables[i].columns[k].rule == TFP_RULE_RANGE)
                fault = check_ranges(f, (tfp_table_id)i, &tfp_schema_tables[i].columns[k]);
    return fault;
}

/* A parent must come before its children in the order of its lane, so that no span is its own ancestor. */
static bool comes_before(const tfp_span_columns *s, uint32_t a, uint32_t b)
{
    if (s->lane[a] != s->lane[b]) return false;
    if (s->start_ns[a] != s->start_ns[b]) return s->start_ns[a] < s->start_ns[b];
    if (s->duration_ns[a] != s->duration_ns[b]) return s->duration_ns[a] > s->duration_ns[b];
    return a < b;
}

static bool of_trace(const tfp_profile *p, uint32_t lane) { return p->lanes->at[lane].process != TFP_NONE; }

static tfp_store_fault check_events(tfp_store_file *f)
{
    const tfp_profile *p = f->p;
    const tfp_span_columns *s = &p->events->spans;
    for (uint32_t i = 0; i < s->size; i++) {
        if (!of_trace(p, s->lane[i])) return wrong(f, TFP_TABLE_SPANS, "lane");
        if (s->parent[i] != TFP_NONE && !comes_before(s, s->parent[i], i)) return wrong(f, TFP_TABLE_SPANS, "parent");
    }
    for (size_t i = 0; i < p->events->memory.size; i++)
        if (!of_trace(p, p->events->memory.at[i].lane)) return wrong(f, TFP_TABLE_MEMORY_EVENTS, "lane");
    return TFP_STORE_FINE;
}

static bool sound_stats(const tfp_profile *p, const tfp_stat *stats, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (stats[i].type == TFP_STAT_TEXT && stats[i].value.text >= p->strings.count) return false;
    return true;
}

/* Attributes are written into profiles unchanged, so readers must accept them: entries of a name and a value. */
static bool sound_entry(tfp_str entry)
{
    tfp_str value = { "", 0 };
    tfp_wire w = tfp_wire_start(entry);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) (void)tfp_field_bytes(&w, &f);
        if (f.number == 2) value = tfp_field_bytes(&w, &f);
    }
    tfp_wire v = tfp_wire_start(value);
    for (tfp_field f; tfp_wire_next(&v, &f);) continue;
    return tfp_wire_end(&w, NULL) == TFP_OK && tfp_wire_end(&v, NULL) == TFP_OK;
}

static bool sound_attrs(const tfp_profile *p)
{
    for (size_t i = 0; i < p->graph->attrs.size; i++) {
        tfp_wire w = tfp_wire_start(p->graph->attrs.at[i]);
        for (tfp_field f; tfp_wire_next(&w, &f);)
            if (f.number != 11 || !sound_entry(tfp_field_bytes(&w, &f))) return false;
        if (tfp_wire_end(&w, NULL)) return false;
    }
    return true;
}

/* The kinds of warnings are fixed texts of the program, and are shown without escaping. */
static bool sound_warnings(const tfp_profile *p)
{
    for (size_t i = 0; i < p->files->warnings.size; i++)
        if (!tfp_is_plain(tfp_str_of(p->files->warnings.at[i].what))) return false;
    return true;
}

/* The nodes of a program are those of its bodies, one body after another. */
static bool bodies_have_all_nodes(const tfp_program *g)
{
    size_t next = 0;
    for (size_t i = 0; i < g->bodies.size; i++) {
        if (g->bodies.at[i].node_first != next) return false;
        next += g->bodies.at[i].node_count;
    }
    return next == g->nodes.size;
}

static tfp_store_fault check_sizes(tfp_store_file *f)
{
    const tfp_profile *p = f->p;
    if (!f->rows[TFP_TABLE_SOURCES]) return wrong(f, TFP_TABLE_SOURCES, "");
    if (f->rows[TFP_TABLE_FORMATS] != f->rows[TFP_TABLE_SOURCES]) return wrong(f, TFP_TABLE_FORMATS, "");
    if (f->rows[TFP_TABLE_NODE_BY_NAME] > p->strings.count) return wrong(f, TFP_TABLE_NODE_BY_NAME, "");
    if (f->rows[TFP_TABLE_DETAILS] > f->rows[TFP_TABLE_EXECS]) return wrong(f, TFP_TABLE_DETAILS, "");
    if (f->rows[TFP_TABLE_PROGRAM_VALUES] != f->rows[TFP_TABLE_PROGRAM_ATTRS])
        return wrong(f, TFP_TABLE_PROGRAM_VALUES, "");
    if (p->sampled->samples.size && p->about.sample_type >= p->sampled->sample_types.size)
        return wrong(f, TFP_TABLE_PROFILE, "sample_type");
    if (p->about.time_grain_ns != 1 && p->about.time_grain_ns != 1000)
        return wrong(f, TFP_TABLE_PROFILE, "time_grain_ns");
    if (p->program && !f->rows[TFP_TABLE_PROGRAM_BODIES]) return wrong(f, TFP_TABLE_PROGRAM_BODIES, "");
    for (size_t i = 0; i < p->graph->shapes.size; i++)
        if (p->graph->shapes.at[i].count > TFP_RANK_MOST) return wrong(f, TFP_TABLE_SHAPES, "count");
    return TFP_STORE_FINE;
}

tfp_store_fault tfp_store_check(tfp_store_file *f)
{
    const tfp_event_tables *t = f->p->events;
    tfp_store_fault fault = check_sizes(f);
    if (!fault) fault = check_all_ranges(f);
    if (!fault && f->p->program && !bodies_have_all_nodes(f->p->program))
        fault = wrong(f, TFP_TABLE_PROGRAM_BODIES, "node_first");
    if (!fault) fault = check_events(f);
    if (!fault && !sound_warnings(f->p)) fault = wrong(f, TFP_TABLE_WARNINGS, "what");
    if (!fault && !sound_attrs(f->p)) fault = wrong(f, TFP_TABLE_ATTRS, "value");
    if (!fault && !sound_stats(f->p, t->stats.at, t->stats.size)) fault = wrong(f, TFP_TABLE_STATS, "value");
    if (!fault && !sound_stats(f->p, t->about.at, t->about.size)) fault = wrong(f, TFP_TABLE_ABOUT, "value");
    return fault;
}

/* ---- tables that are rebuilt ---- */

static void set_word(char *at, uint32_t n) { memcpy(at, &n, sizeof n); }

/* Chains the rows of each owner in their order, like the builder. */
static void chain_rows(tfp_store_file *f, tfp_table_id id)
{
    const tfp_schema_table *t = &tfp_schema_tables[id];
    const tfp_schema_chain *c = &t->chain;
    const tfp_schema_table *owners = &tfp_schema_tables[c->owner];
    size_t owner_count = f->rows[c->owner], item = owners->item;
    if (!owner_count) return;
    char *owner = ((tfp_rows *)tfp_store_at(owners, f->p, &f->values))->at;
    for (size_t i = 0; i < owner_count; i++) {
        set_word(owner + i * item + c->first, TFP_NONE);
        set_word(owner + i * item + c->last, TFP_NONE);
    }
    char *rows = ((tfp_rows *)tfp_store_at(t, f->p, &f->values))->at;
    for (uint32_t i = 0; i < f->rows[id]; i++) {
        uint32_t of = f->owners[id][i], last;
        set_word(rows + (size_t)i * t->item + c->next, TFP_NONE);
        if (of == TFP_NONE) continue;
        char *o = owner + (size_t)of * item;
        memcpy(&last, o + c->last, sizeof last);
        set_word(last == TFP_NONE ? o + c->first : rows + (size_t)last * t->item + c->next, i);
        set_word(o + c->last, i);
    }
}

/* Nodes with very many types need a table for lookups (builder.c). */
static bool map_types(tfp_profile *p)
{
    for (uint32_t n = 0; n < p->graph->nodes.size; n++)
        for (TFP_EACH(p->graph->types, t, p->graph->nodes.at[n].type_first))
            if (p->graph->nodes.at[n].type_last - p->graph->nodes.at[n].type_first >= TFP_FEW_TYPES &&
                !tfp_map64_put(&p->graph->types_by_node, (uint64_t)n << 32 | p->graph->types.at[t].name, 0))
                return false;
    return true;
}

static tfp_store_fault map_steps(tfp_store_file *f)
{
    tfp_profile *p = f->p;
    for (uint32_t i = 0; i < p->runs->steps.size; i++) {
        if (tfp_find_step(p, p->runs->steps.at[i].id) != TFP_NONE) return wrong(f, TFP_TABLE_STEPS, "id");
        if (!tfp_map64_put(&p->runs->step_by_id, (uint64_t)p->runs->steps.at[i].id, i)) return TFP_STORE_NO_MEMORY;
    }
    for (uint32_t i = 0; i < p->graph->run_shapes.size; i++) {
        const tfp_run_shape *r = &p->graph->run_shapes.at[i];
        if (!tfp_map64_put(&p->graph->run_shape_by_output, (uint64_t)r->node << 32 | (uint32_t)r->slot, i))
            return TFP_STORE_NO_MEMORY;
    }
    return map_types(p) ? TFP_STORE_FINE : TFP_STORE_NO_MEMORY;
}

static tfp_store_fault connect_program(tfp_store_file *f)
{
    tfp_program *g = f->p->program;
    tfp_store_fault fault = TFP_STORE_FINE;
    for (size_t i = 0; g && i < g->attrs.size && !fault; i++) {
        fault = tfp_store_take_value(&g->arena, f->values.rows.at[i], &g->attrs.at[i]);
        if (fault == TFP_STORE_WRONG) wrong(f, TFP_TABLE_PROGRAM_VALUES, "value");
    }
    for (uint32_t i = 1; g && i < g->bodies.size && !fault; i++) /* body 0 is the main graph, which has no name */
        if (!tfp_map64_put(&g->body_by_name, g->bodies.at[i].name, i)) fault = TFP_STORE_NO_MEMORY;
    return fault;
}

tfp_store_fault tfp_store_connect(tfp_store_file *f)
{
    for (size_t i = 0; i < TFP_TABLES; i++)
        if (tfp_schema_tables[i].chain.there) chain_rows(f, (tfp_table_id)i);
    tfp_store_fault fault = map_steps(f);
    return fault ? fault : connect_program(f);
}
