// SPDX-License-Identifier: Apache-2.0
/* outputs/data/json_grid.c: a table as JSON: one flat list with an object for each row, or JSON lines; docs/json.md
 * describes it. */
#include "outputs/data/json_grid.h"
#include "options/units.h"
#include "views/core/coverage.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"

typedef struct writer {
    const tfp_report *r;
    tfp_sink *sink;
    tfp_json j;
} writer;

void tfp_json_notes(tfp_json *j, const tfp_report *r)
{
    if (r->notes.size == 0) return;
    tfp_json_key(j, "notes");
    tfp_json_open(j, '[');
    for (size_t i = 0; i < r->notes.size; i++) tfp_json_text(j, r->notes.at[i].text);
    tfp_json_close(j, ']');
    tfp_json_key(j, "note_codes");
    tfp_json_open(j, '[');
    for (size_t i = 0; i < r->notes.size; i++) tfp_json_text(j, tfp_note_kinds[r->notes.at[i].code].name);
    tfp_json_close(j, ']');
}

void tfp_json_place(tfp_json *j, const tfp_report *r, uint32_t row)
{
    const tfp_row *x = &r->tree->rows.at[row];
    tfp_json_int_at(j, "row", row);
    tfp_json_key(j, "parent");
    row ? tfp_json_int(j, x->parent) : tfp_json_null(j);
    tfp_json_int_at(j, "depth", x->depth);
}

static void put_cover(tfp_json *j, const char *key, const tfp_cover *c)
{
    tfp_json_key(j, key);
    tfp_json_open(j, '{');
    tfp_json_key(j, "all_us");
    tfp_json_thousandths(j, c->all_ns);
    tfp_json_key(j, "explained_us");
    tfp_json_thousandths(j, c->explained_ns);
    tfp_json_key(j, "share");
    tfp_json_double(j, (double)c->explained_ns / (double)c->all_ns);
    tfp_json_key(j, "rest");
    tfp_json_open(j, '[');
    for (size_t i = 0; i < c->rest_count; i++) {
        tfp_json_open(j, '{');
        tfp_json_text_at(j, "why", c->rest[i].why);
        tfp_json_key(j, "us");
        tfp_json_thousandths(j, c->rest[i].ns);
        tfp_json_close(j, '}');
    }
    tfp_json_close(j, ']');
    tfp_json_close(j, '}');
}

void tfp_json_coverage(tfp_json *j, const tfp_report *r)
{
    const tfp_coverage *c = &r->covered->coverage;
    if (!c->device.all_ns && !c->host.all_ns) return;
    tfp_json_key(j, "coverage");
    tfp_json_open(j, '{');
    if (c->device.all_ns) put_cover(j, "device", &c->device);
    if (c->host.all_ns) put_cover(j, "host", &c->host);
    tfp_json_close(j, '}');
}

/* A key made from any name. */
static void put_key(tfp_json *j, const char *name)
{
    tfp_json_str(j, tfp_str_of(name));
    tfp_buf_char(j->out, ':');
    j->comma = false;
}

static const char *type_name(char type)
{
    switch (type) {
    case 'i': return "int";
    case 'r': return "real";
    case 'b': return "bool";
    default: return "text";
    }
}

/* The value of a cell or a fact; `text` is unescaped. */
static void put_value(tfp_json *j, bool there, tfp_cell_type type, const tfp_cell *value, tfp_str text)
{
    if (!there)
        tfp_json_null(j);
    else if (type == TFP_CELL_TEXT)
        tfp_json_str(j, text);
    else if (type == TFP_CELL_REAL)
        tfp_json_double(j, value->real);
    else if (type == TFP_CELL_BOOL)
        tfp_json_bool(j, value->number != 0);
    else
        tfp_json_int(j, value->number);
}

static void put_facts(writer *w)
{
    if (w->r->facts.size == 0) return;
    tfp_json_key(&w->j, "summary");
    tfp_json_open(&w->j, '{');
    for (size_t i = 0; i < w->r->facts.size; i++) {
        const tfp_fact *f = &w->r->facts.at[i];
        tfp_json_key(&w->j, f->name);
        put_value(&w->j, !f->absent, f->type, &(tfp_cell){ .number = f->number, .real = f->real }, f->text);
    }
    tfp_json_close(&w->j, '}');
}

static void put_cells(writer *w, const tfp_grid *g, uint32_t row)
{
    for (size_t i = 0; i < g->columns.size; i++) {
        const tfp_table_column *c = &g->columns.at[i];
        tfp_cell cell = { .number = c->ints ? c->ints[row] : 0, .real = c->reals ? c->reals[row] : 0 };
        put_key(&w->j, c->name);
        put_value(&w->j, !tfp_cell_absent(c, row), c->type, &cell, c->texts ? c->texts[row] : TFP_STR(""));
    }
}

/* A table as a list of rows with its name as key. */
static void put_part(writer *w, const char *name, const tfp_grid *g)
{
    tfp_json_key(&w->j, name);
    tfp_json_open(&w->j, '[');
    for (uint32_t row = 0; row < g->row_count; row++) {
        tfp_json_open(&w->j, '{');
        put_cells(w, g, row);
        tfp_json_close(&w->j, '}');
        tfp_sink_flush_if_full(w->sink);
    }
    tfp_json_close(&w->j, ']');
}

/* The tables beside the report's own, and that one if it has a name. */
static void put_parts(writer *w)
{
    if (w->r->grid->key) put_part(w, w->r->grid->key, w->r->grid);
    for (size_t i = 0; i < w->r->parts.size; i++)
        if (w->r->parts.at[i].reader != TFP_PART_PEOPLE) put_part(w, w->r->parts.at[i].name, &w->r->parts.at[i].grid);
}

/* Whole names of kernels, and what people see for them. */
static void put_shorts(writer *w, const tfp_table_column *c, size_t count)
{
    tfp_json_key(&w->j, "short");
    tfp_json_open(&w->j, '[');
    for (size_t i = 0; i < count; i++) {
        tfp_json_str(&w->j, c->shorts[i]);
        tfp_sink_flush_if_full(w->sink);
    }
    tfp_json_close(&w->j, ']');
}

static void open_grid(writer *w)
{
    const tfp_report *r = w->r;
    tfp_json_open(&w->j, '{');
    tfp_json_text_at(&w->j, "schema", "tfprof.table");
    tfp_json_int_at(&w->j, "version", TFP_JSON_VERSION);
    tfp_json_text_at(&w->j, "view", r->view);
    tfp_json_notes(&w->j, r);
    tfp_json_coverage(&w->j, r);
    put_facts(w);
    put_parts(w);
    tfp_json_key(&w->j, "columns");
    tfp_json_open(&w->j, '[');
    for (size_t i = 0; i < r->grid->columns.size; i++) {
        const tfp_table_column *c = &r->grid->columns.at[i];
        tfp_json_open(&w->j, '{');
        tfp_json_text_at(&w->j, "name", c->name);
        tfp_json_text_at(&w->j, "type", type_name(c->type));
        tfp_json_text_at(&w->j, "unit", c->unit == TFP_LABEL ? NULL : tfp_unit_name(c->unit));
        if (c->shorts) put_shorts(w, c, r->grid->row_count);
        tfp_json_close(&w->j, '}');
    }
    tfp_json_close(&w->j, ']');
}

static void put_grid_row(writer *w, uint32_t row)
{
    const tfp_grid *g = w->r->grid;
    tfp_json_open(&w->j, '{');
    if (g->tree) {
        tfp_json_place(&w->j, w->r, row);
        tfp_json_str_at(&w->j, "name", w->r->tree->rows.at[row].name);
    }
    put_cells(w, g, row);
    tfp_json_close(&w->j, '}');
    tfp_sink_flush_if_full(w->sink);
}

void tfp_json_grid(const tfp_report *r, tfp_sink *s)
{
    writer w = { .r = r, .sink = s, .j = tfp_json_start(&s->buf) };
    open_grid(&w);
    tfp_json_key(&w.j, "rows");
    tfp_json_open(&w.j, '[');
    for (uint32_t row = 0; row < r->grid->row_count && !s->status; row++) put_grid_row(&w, row);
    tfp_json_close(&w.j, ']');
    tfp_json_close(&w.j, '}');
    tfp_buf_char(&s->buf, '\n');
}

void tfp_json_grid_lines(const tfp_report *r, tfp_sink *s)
{
    writer w = { .r = r, .sink = s, .j = tfp_json_start(&s->buf) };
    open_grid(&w);
    tfp_json_close(&w.j, '}');
    tfp_buf_char(&s->buf, '\n');
    for (uint32_t row = 0; row < r->grid->row_count && !s->status; row++) {
        w.j = tfp_json_start(&s->buf);
        put_grid_row(&w, row);
        tfp_buf_char(&s->buf, '\n');
    }
}
