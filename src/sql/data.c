// SPDX-License-Identifier: Apache-2.0
/* sql/data.c: finds rows by number, by owner and by the value of a cell, in the arrays of several profiles. */
#include "flops/core/parameters.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "query/order.h"
#include "sql/grids.h"

#define HASH_SEED UINT64_C(0x9e3779b97f4a7c15)

/* The rows of a table of the model. */
static tfp_rows *rows_in(const tfp_profile *p, tfp_table_id id) { return tfp_table_at(&tfp_schema_tables[id], p); }

static uint32_t word_at(const char *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return n;
}

/* ---- numbers ---- */

/* The stats of a trace's spans: one row for each span, though equal sets are stored once. */
static size_t count_args(const tfp_profile *p)
{
    const tfp_event_tables *t = tfp_events_of(p);
    size_t n = 0;
    for (size_t i = 0; i < t->spans.size; i++)
        if (t->spans.stats[i] != TFP_NONE) n += t->stat_sets.at[t->spans.stats[i]].count;
    return n;
}

static size_t rows_of(const tfp_profile *p, sql_table_id table, bool first)
{
    if (table == SQL_PROFILES) return 1;
    if (table == SQL_SPANS) return tfp_details_of(p)->spans.size + tfp_events_of(p)->spans.size;
    if (table == SQL_SPAN_ARGS) return count_args(p);
    if (table != SQL_COLUMNS) return rows_in(p, sql_tables[table].model)->size;
    size_t n = 0;
    for (int t = 0; first && t < SQL_TABLE_COUNT; t++)
        for (const sql_column *c = sql_tables[t].columns; c->name; c++) n++;
    const char *of;
    tfp_table_column more;
    for (size_t i = 0; first && sql_grid_column_at(i, &of, &more); i++) n++;
    return n;
}

static bool has_name(const sql_data *d, size_t before, tfp_str name)
{
    for (size_t i = 0; i < before; i++)
        if (tfp_str_eq(name, d->sources[i].name)) return true;
    return false;
}

/* The given name, or that of the first file, with a number if the name is taken; as UTF-8. No data: memory is out. */
static tfp_str name_source(sql_data *d, size_t at, const char *said)
{
    tfp_buf b = { 0 };
    tfp_str name = { NULL, 0 };
    tfp_escape(&b, tfp_str_of(said ? said : tfp_first_source(d->sources[at].p)));
    size_t size = b.size;
    for (size_t n = 2; !b.failed; n++) {
        name = tfp_buf_copy(&b, &d->arena);
        if (said || !name.data || !has_name(d, at, name)) break;
        b.size = size;
        tfp_buf_printf(&b, " (%zu)", n);
    }
    if (b.failed) name.data = NULL;
    tfp_buf_free(&b);
    return name;
}

tfp_status sql_data_start(sql_data *d, const tfp_profile *const *p, const char *const *names, size_t count,
                          tfp_error *err)
{
    *d = (sql_data){ .count = count };
    d->sources = calloc(count, sizeof *d->sources);
    if (!d->sources) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) {
        sql_source *s = &d->sources[i];
        s->p = p[i];
        s->name = name_source(d, i, names ? names[i] : NULL);
        if (!s->name.data) return tfp_nomem(err);
        if (has_name(d, i, s->name)) return tfp_fail(err, TFP_BADARG, "two profiles have the name '%s'", s->name.data);
        if (tfp_parameters_once(s->p)) {
            tfp_parameter_counts *c = TFP_NEW(&d->arena, tfp_parameter_counts, 1);
            tfp_status failed = c ? tfp_parameters(s->p, &d->arena, c, err) : tfp_nomem(err);
            if (failed) return failed;
            s->parameters = c;
        }
        for (int t = 0; t < SQL_TABLE_COUNT; t++) {
            size_t n = rows_of(s->p, (sql_table_id)t, i == 0);
            s->base[t] = d->rows[t];
            if (n >= TFP_NONE - d->rows[t]) return tfp_fail(err, TFP_LIMIT, "too many %s", sql_tables[t].name);
            d->rows[t] += (uint32_t)n;
        }
    }
    return TFP_OK;
}

void sql_data_end(sql_data *d)
{
    free(d->sources);
    tfp_arena_free(&d->arena);
}

/* ---- owners ---- */

/* Sets the owner of the rows that a row of another table chains. */
static void own_chains(const sql_source *s, const tfp_schema_table *t, uint32_t *owners)
{
    const tfp_rows *items = tfp_table_at(t, s->p), *heads = rows_in(s->p, t->chain.owner);
    const char *head = heads->at;
    for (uint32_t i = 0; i < heads->size; i++, head += tfp_schema_tables[t->chain.owner].item)
        for (uint32_t at = word_at(head + t->chain.first); at != TFP_NONE;
             at = word_at((const char *)items->at + at * t->item + t->chain.next))
            owners[at] = i;
}

/* The same for frames, of which a call stack has a range. */
static void own_frames(const sql_source *s, uint32_t *owners)
{
    const tfp_code_tables *code = tfp_code_of(s->p);
    for (uint32_t i = 0; i < code->traces.size; i++)
        for (uint32_t k = 0; k < code->traces.at[i].count; k++) owners[code->traces.at[i].first + k] = i;
}

static bool own_source(sql_data *d, sql_source *s, sql_table_id table)
{
    const tfp_schema_table *t = &tfp_schema_tables[sql_tables[table].model];
    size_t count = rows_in(s->p, sql_tables[table].model)->size;
    uint32_t *owners = TFP_NEW(&d->arena, uint32_t, count + 1);
    if (!owners) return false;
    for (size_t i = 0; i < count; i++) owners[i] = TFP_NONE;
    if (t->chain.there)
        own_chains(s, t, owners);
    else
        own_frames(s, owners);
    /* a lane that an execution named without a time is kept for writing the profile again, but it is not a span */
    for (size_t i = 0; table == SQL_SPANS && i < count; i++)
        if (!tfp_details_of(s->p)->spans.at[i].start_ns && !tfp_details_of(s->p)->spans.at[i].duration_ns)
            owners[i] = TFP_NONE;
    s->owners[table] = owners;
    return true;
}

static bool place_args(sql_data *d, sql_source *s)
{
    const tfp_event_tables *t = tfp_events_of(s->p);
    s->args = TFP_NEW(&d->arena, uint32_t, t->spans.size + 1);
    if (!s->args) return false;
    s->args[0] = 0;
    for (size_t i = 0; i < t->spans.size; i++) {
        uint32_t set = t->spans.stats[i];
        s->args[i + 1] = s->args[i] + (set == TFP_NONE ? 0 : t->stat_sets.at[set].count);
    }
    return true;
}

bool sql_data_own(sql_data *d, sql_table_id table)
{
    for (size_t i = 0; table == SQL_SPAN_ARGS && i < d->count; i++)
        if (!d->sources[i].args && !place_args(d, &d->sources[i])) return false;
    for (int t = table; sql_tables[t].owner >= 0; t = sql_tables[t].owner)
        for (size_t i = 0; i < d->count; i++)
            if (!d->sources[i].owners[t] && !own_source(d, &d->sources[i], (sql_table_id)t)) return false;
    return true;
}

/* ---- rows ---- */

bool sql_find(const sql_data *d, sql_table_id table, uint32_t number, sql_row *out)
{
    if (number >= d->rows[table]) return false;
    /* the last source that begins at or before it, because empty sources come before */
    size_t after;
    TFP_LOWER_BOUND(after, 1, d->count, d->sources[after].base[table] <= number);
    const sql_source *s = &d->sources[after - 1];
    *out = (sql_row){ d, s, number - s->base[table] };
    if (table == SQL_SPANS && out->at >= tfp_details_of(s->p)->spans.size) return true;
    uint32_t at = out->at; /* the owner may have no owner itself: a repeated execution of a node */
    for (int t = table; sql_tables[t].owner >= 0 && at != TFP_NONE; t = sql_tables[t].owner) at = s->owners[t][at];
    return at != TFP_NONE;
}

static void read_field(const sql_row *row, sql_table_id table, const sql_column *c, sql_cell *out)
{
    const tfp_schema_table *t = &tfp_schema_tables[sql_tables[table].model];
    const tfp_rows *rows = tfp_table_at(t, row->in->p);
    const char *field = (const char *)rows->at + row->at * t->item + c->at;
    uint32_t n;
    int32_t small;
    out->type = 'i';
    switch (c->kind) {
    case SQL_INT64: memcpy(&out->i, field, sizeof out->i); break;
    case SQL_MICROS:
        memcpy(&out->i, field, sizeof out->i);
        out->i = tfp_micros(out->i);
        break;
    case SQL_REAL:
        out->type = 'r';
        memcpy(&out->r, field, sizeof out->r);
        break;
    case SQL_BYTE: out->i = (uint8_t)*field; break;
    case SQL_INT32:
        memcpy(&small, field, sizeof small);
        out->i = small;
        break;
    case SQL_INDEX:
        n = word_at(field);
        out->i = (int64_t)row->in->base[c->row] + n;
        if (n == TFP_NONE) out->type = 0;
        break;
    default:
        n = word_at(field);
        out->type = n ? 's' : 0;
        out->s = tfp_text(row->in->p, n);
    }
}

/* SQL texts are UTF-8 without NUL bytes, so other names are escaped as in reports. */
static void make_valid(tfp_buf *text, sql_cell *out)
{
    if (out->type != 's' || out->made || (tfp_utf8_valid(out->s) && !memchr(out->s.data, 0, out->s.size))) return;
    tfp_escape(text, out->s);
    out->made = true;
    out->s = (tfp_str){ text->data, text->size };
}

void sql_read(const sql_row *row, sql_table_id table, const sql_column *c, tfp_buf *text, sql_cell *out)
{
    text->size = 0;
    *out = (sql_cell){ 0 };
    switch (c->kind) {
    case SQL_KEY:
        out->type = 'i';
        out->i = (int64_t)row->in->base[table] + row->at;
        break;
    case SQL_OWNER:
        out->type = 'i';
        out->i = (int64_t)row->in->base[c->row] + row->in->owners[table][row->at];
        break;
    case SQL_PROFILE:
        out->type = 's';
        out->s = row->in->name;
        break;
    case SQL_MADE: c->make(row, text, out); break;
    default: read_field(row, table, c, out);
    }
    make_valid(text, out);
}

/* ---- rows by a cell ---- */

uint64_t sql_hash(const sql_cell *c)
{
    if (c->type == 's') return tfp_hash(c->s.data, c->s.size);
    uint64_t n = (uint64_t)c->i * HASH_SEED;
    return n ^ n >> 32;
}

/* Sorts rows by their hashes: counts them, then places them. */
static void place_rows(sql_index *x, const uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] != TFP_NONE) x->start[slots[i]]++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= x->mask + 1; i++) {
        sum += x->start[i];
        x->start[i] = sum; /* the end of the slot; its rows are placed from there backwards */
    }
    for (uint32_t i = count; i-- > 0;)
        if (slots[i] != TFP_NONE) x->rows[--x->start[slots[i]]] = i;
}

static bool build_index(sql_data *d, sql_index *x, sql_table_id table, const sql_column *c, tfp_buf *text)
{
    uint32_t count = d->rows[table], size = 1;
    while (size < count && size < 1u << 31) size *= 2;
    uint32_t *slots = malloc((count + (size_t)1) * sizeof *slots);
    if (!slots) return false;
    x->mask = size - 1;
    for (uint32_t i = 0; i < count; i++) {
        sql_row row;
        sql_cell cell = { 0 };
        if (sql_find(d, table, i, &row)) sql_read(&row, table, c, text, &cell);
        slots[i] = cell.type ? (uint32_t)sql_hash(&cell) & x->mask : TFP_NONE;
    }
    uint32_t *start = TFP_NEW(&d->arena, uint32_t, (size_t)size + 1);
    x->rows = TFP_NEW(&d->arena, uint32_t, (size_t)count + 1);
    bool ok = start && x->rows && !text->failed;
    if (ok) {
        x->start = start;
        place_rows(x, slots, count);
    }
    free(slots);
    return ok;
}

const sql_index *sql_data_index(sql_data *d, sql_table_id table, int column)
{
    sql_index *x = &d->indexes[table][column];
    if (x->start) return x;
    tfp_buf text = { 0 };
    bool ok = build_index(d, x, table, &sql_tables[table].columns[column], &text);
    tfp_buf_free(&text);
    return ok ? x : NULL;
}
