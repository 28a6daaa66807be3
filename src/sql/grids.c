// SPDX-License-Identifier: Apache-2.0
/* sql/grids.c: the tables of a trace as SQLite's virtual tables. A report of each profile is built when a query names
 * the table first, and ends with the query; a profile that has no trace has no rows. */
#include "sql/grids.h"
#include "sql/cells.h"
#include "sql/rows.h"
#include "views/core/coverage.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

enum { GRIDS = 20 };

static const struct {
    const char *name; /* `steps` lists the steps of every profile: the rows of the view are its devices */
    const tfp_view *view;
} grids[GRIDS] = { { "step_devices", &tfp_view_steps },
                   { "kernel", &tfp_view_kernel },
                   { "transfer", &tfp_view_transfer },
                   { "wait", &tfp_view_wait },
                   { "check", &tfp_view_check },
                   { "findings", &tfp_view_findings },
                   { "attribution", &tfp_view_attribution },
                   { "coverage", &tfp_view_coverage },
                   { "held", &tfp_view_held },
                   { "phases", &tfp_view_phases },
                   { "whatif", &tfp_view_whatif },
                   { "limits", &tfp_view_limits_op },
                   { "limits_module", &tfp_view_limits_module },
                   { "limits_layer", &tfp_view_limits_layer },
                   { "limits_line", &tfp_view_limits_line },
                   { "limits_kernel", &tfp_view_limits_kernel },
                   { "limits_shape", &tfp_view_limits_shape },
                   { "limits_chain", &tfp_view_limits_chain },
                   { "op", &tfp_view_op },
                   { "scope", &tfp_view_scope } };

typedef struct grid_table {
    sqlite3_vtab base;
    sql_session *session;
    tfp_report **reports; /* by profile; NULL: the profile has no such report */
    size_t grid;
} grid_table;

typedef struct grid_cursor {
    sqlite3_vtab_cursor base;
    size_t profile, row;
    sqlite3_int64 number;
    tfp_buf text;
} grid_cursor;

static const grid_table *table_of(const grid_cursor *c) { return (const grid_table *)c->base.pVtab; }

/* ---- columns ---- */

bool sql_is_grid(const char *name)
{
    for (size_t i = 0; i < GRIDS; i++)
        if (strcasecmp(name, grids[i].name) == 0) return true;
    return false;
}

static bool is_tree(size_t grid) { return !tfp_report_kinds[grids[grid].view->kind].table; }

/* A column of one table; the first is the profile. */
static bool column_at(size_t grid, size_t i, tfp_table_column *out)
{
    *out =
        (tfp_table_column){ .name = "profile", .type = TFP_CELL_TEXT, .help = "the profile it is in: the file's name" };
    if (i == 0) return true;
    if (is_tree(grid)) return sql_row_column_at(i - 1, out);
    const tfp_table_column *c = grids[grid].view->columns;
    while (c->name && --i) c++;
    *out = *c;
    return c->name != NULL;
}

bool sql_grid_column_at(size_t i, const char **table, tfp_table_column *out)
{
    for (size_t t = 0; t < GRIDS; t++)
        for (size_t c = 0; column_at(t, c, out); c++)
            if (!i--) return *table = grids[t].name, true;
    return false;
}

static void declaration(size_t grid, tfp_buf *b)
{
    tfp_table_column c;
    tfp_buf_text(b, "CREATE TABLE x(");
    for (size_t i = 0; column_at(grid, i, &c); i++)
        tfp_buf_printf(b, "%s\"%s\" %s", i ? "," : "", c.name, sql_type_name((char)c.type));
    tfp_buf_add(b, ")", 2);
}

/* ---- life ---- */

static void free_table(grid_table *t)
{
    for (size_t i = 0; t->reports && i < t->session->data.count; i++) tfp_report_free(t->reports[i]);
    free(t->reports);
    free(t);
}

/* Notes how much of the devices' time is attributed to the model, because rows of op, scope and kernel mislead without
 * it. Once for a query: over all profiles, of the first table that tells it. */
static bool tell_attributed(const sql_session *s, tfp_report *const *reports)
{
    if (!s->answer || tfp_report_note_of(s->answer, TFP_NOTE_ATTRIBUTED)) return true;
    return tfp_attributed_note_over(s->answer, reports, s->data.count, NULL) == TFP_OK;
}

static void take_filter(tfp_options *o, const tfp_options *asked, int which)
{
    tfp_filter_free(o->filters[which]);
    o->filters[which] = tfp_filter_keep(asked->filters[which]);
}

static void take_asked(tfp_options *o, const tfp_options *asked)
{
    o->part.range = asked->part.range;
    take_filter(o, asked, TFP_F_HOME);
    take_filter(o, asked, TFP_F_LIBRARY);
}

/* A missing trace is not an error of the query; running out of memory is. */
static int build_reports(grid_table *t)
{
    const sql_data *d = &t->session->data;
    t->reports = calloc(d->count + 1, sizeof *t->reports);
    tfp_options *o = tfp_options_new();
    int rc = t->reports && o ? SQLITE_OK : SQLITE_NOMEM;
    if (o) take_asked(o, t->session->asked);
    for (size_t i = 0; i < d->count && !rc; i++) {
        const tfp_view *view = grids[t->grid].view;
        tfp_status s = is_tree(t->grid) ? sql_rows_build(d->sources[i].p, view, o->part.range, &t->reports[i])
                                        : tfp_view_build(d->sources[i].p, view, o, &t->reports[i], NULL);
        if (s == TFP_NOMEM || s == TFP_LIMIT) rc = SQLITE_NOMEM;
    }
    if (!rc && !tell_attributed(t->session, t->reports)) rc = SQLITE_NOMEM;
    tfp_options_free(o);
    return rc;
}

static int connect_grid(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
    (void)argc, (void)argv, (void)message;
    const sql_grid_module *m = aux;
    sql_session *s = m->session;
    tfp_buf b = { 0 };
    declaration(m->grid, &b);
    s->declaring = true;
    int rc = b.failed ? SQLITE_NOMEM : s->api->declare_vtab(db, b.data);
    s->declaring = false;
    tfp_buf_free(&b);
    grid_table *t = rc ? NULL : calloc(1, sizeof *t);
    if (!t) return rc ? rc : SQLITE_NOMEM;
    t->session = s;
    t->grid = m->grid;
    rc = build_reports(t);
    if (rc) {
        free_table(t);
        return rc;
    }
    *out = &t->base;
    return SQLITE_OK;
}

static int disconnect_grid(sqlite3_vtab *t)
{
    free_table((grid_table *)t);
    return SQLITE_OK;
}

static int open_grid(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
    (void)t;
    grid_cursor *c = calloc(1, sizeof *c);
    if (!c) return SQLITE_NOMEM;
    *out = &c->base;
    return SQLITE_OK;
}

static int close_grid(sqlite3_vtab_cursor *base)
{
    grid_cursor *c = (grid_cursor *)base;
    tfp_buf_free(&c->text);
    free(c);
    return SQLITE_OK;
}

/* ---- rows: always all of them, in order ---- */

static size_t rows_of(const tfp_report *r)
{
    return !r ? 0 : tfp_kind_of(r)->table ? tfp_table_of(r)->row_count : tfp_row_count(r);
}

static int best_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const grid_table *t = (const grid_table *)base;
    double rows = 1;
    for (size_t i = 0; i < t->session->data.count; i++) rows += (double)rows_of(t->reports[i]);
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = rows;
    return SQLITE_OK;
}

/* Moves on to the next existing row, or past the last profile. */
static void settle(grid_cursor *c)
{
    const grid_table *t = table_of(c);
    while (c->profile < t->session->data.count && c->row >= rows_of(t->reports[c->profile])) {
        c->profile++;
        c->row = 0;
    }
}

static int start_grid(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
    (void)plan, (void)text, (void)argc, (void)argv;
    grid_cursor *c = (grid_cursor *)base;
    c->profile = c->row = 0;
    c->number = 0;
    settle(c);
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
    grid_cursor *c = (grid_cursor *)base;
    c->row++;
    c->number++;
    settle(c);
    return SQLITE_OK;
}

static int past_end(sqlite3_vtab_cursor *base)
{
    const grid_cursor *c = (const grid_cursor *)base;
    return c->profile >= table_of(c)->session->data.count;
}

/* SQL texts are UTF-8 without NUL bytes, so others are escaped as in reports. */
static void make_valid(sql_cell *cell, tfp_buf *text)
{
    if (tfp_utf8_valid(cell->s) && (!cell->s.size || !memchr(cell->s.data, 0, cell->s.size))) return;
    text->size = 0;
    tfp_escape(text, cell->s);
    cell->s = (tfp_str){ text->data, text->size };
    cell->made = true;
}

/* NULL: a table without `rank`. */
static void put_grid_cell(const tfp_table_column *c, size_t row, sql_cell *out)
{
    if (!c || tfp_cell_absent(c, row)) return;
    out->type = c->type == TFP_CELL_BOOL ? 'i' : (char)c->type;
    if (c->texts) out->s = c->texts[row];
    if (c->reals) out->r = c->reals[row];
    if (c->ints) out->i = c->ints[row];
}

static int give_cell(sqlite3_vtab_cursor *base, sqlite3_context *context, int i)
{
    grid_cursor *c = (grid_cursor *)base;
    const grid_table *t = table_of(c);
    const tfp_report *r = t->reports[c->profile];
    sql_cell cell = { 0 };
    if (i == 0) {
        cell = (sql_cell){ .type = 's', .s = t->session->data.sources[c->profile].name };
    } else if (is_tree(t->grid)) {
        sql_row_cell_at(r, c->row, (size_t)i - 1, &cell);
    } else {
        put_grid_cell(tfp_grid_find(tfp_table_of(r), grids[t->grid].view->columns[i - 1].name), c->row, &cell);
    }
    if (cell.type == 's') make_valid(&cell, &c->text);
    sql_give(t->session->api, context, &cell, c->text.failed);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((const grid_cursor *)base)->number;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect_grid,
    .xBestIndex = best_plan,
    .xDisconnect = disconnect_grid,
    .xOpen = open_grid,
    .xClose = close_grid,
    .xFilter = start_grid,
    .xNext = next_row,
    .xEof = past_end,
    .xColumn = give_cell,
    .xRowid = row_id,
};

_Static_assert((int)GRIDS <= (int)SQL_GRID_MOST, "a session has a module for each");

int sql_grids_register(sql_session *s)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < GRIDS && !rc; i++) {
        s->grids[i] = (sql_grid_module){ s, i };
        rc = s->api->create_module(s->db, grids[i].name, &module, &s->grids[i]);
    }
    return rc;
}
