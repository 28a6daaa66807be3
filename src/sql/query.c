// SPDX-License-Identifier: Apache-2.0
/* sql/query.c: tfp_query: runs one SELECT over the tables of tables.h and stores its result as a grid. */
#include "flops/core/parameters.h"
#include "model/join/remark.h"
#include "model/program.h"
#include "model/tables/read.h"
#include "sql/bind.h"
#include "sql/grids.h"
#include "sql/near.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/own_frame.h"
#include "views/core/report.h"
#include "views/core/view.h"
#include "views/timeline/range.h"

#include <stdio.h>

enum { CELL_MOST = 5000000 };
#define TEXTS_MOST ((size_t)256 << 20)

/* ---- what SQLite gives, until the types of the columns are known ---- */

typedef struct value {
    char type; /* 'i', 'r', 's', or 0: NULL */
    union {
        int64_t i;
        double r;
        tfp_str s;
    } as;
} value;

typedef struct result {
    sql_session *session;
    tfp_report *r;
    sqlite3_stmt *statement;
    TFP_VEC(value) values; /* row by row */
    size_t columns, rows;
} result;

/* Converts SQLite's error into a status, with SQLite's words as the message. */
static tfp_status failed(sql_session *s, int rc, tfp_error *err)
{
    switch (s->stopped) {
    case TFP_CANCELLED: return tfp_fail(err, TFP_CANCELLED, "interrupted");
    case TFP_LIMIT: return tfp_fail(err, TFP_LIMIT, "query: longer than -time_limit %g seconds", s->seconds);
    case TFP_NOMEM:
        return tfp_fail(err, TFP_LIMIT, "query: needs more than %d MB in addition to its result",
                        SQL_MEMORY_MOST >> 20);
    default: break;
    }
    if ((rc & 0xff) == SQLITE_NOMEM) return tfp_nomem(err);
    if (strcmp(s->api->errmsg(s->db), "not authorized") == 0) /* SQLite's message if guard.c refused something */
        return tfp_fail(err, TFP_BADARG, "query: only SELECT over the tables of profiles is answered");
    char hint[SQL_HINT_MAX];
    const char *message = s->api->errmsg(s->db);
    sql_near(message, s->text, hint);
    return tfp_fail(err, (rc & 0xff) == SQLITE_TOOBIG ? TFP_LIMIT : TFP_BADARG, "query: %s%s", message, hint);
}

static tfp_status too_many(tfp_error *err)
{
    return tfp_fail(err, TFP_LIMIT, "query: the result is too big: ask for fewer rows (LIMIT) or columns");
}

static tfp_status take_text(result *x, int column, value *v, tfp_error *err)
{
    const sql_api *a = x->session->api;
    const char *text = (const char *)a->column_text(x->statement, column);
    v->as.s.size = text ? (size_t)a->column_bytes(x->statement, column) : 0;
    if (x->r->arena.used + v->as.s.size > TEXTS_MOST) return too_many(err);
    v->as.s.data = text ? tfp_arena_copy(&x->r->arena, (tfp_str){ text, v->as.s.size }) : NULL;
    return v->as.s.data ? TFP_OK : tfp_nomem(err);
}

static tfp_status take_row(result *x, tfp_error *err)
{
    const sql_api *a = x->session->api;
    if (x->values.size + x->columns > CELL_MOST) return too_many(err);
    for (int i = 0; i < (int)x->columns; i++) {
        value v = { 0 };
        tfp_status s = TFP_OK;
        switch (a->column_type(x->statement, i)) {
        case SQLITE_INTEGER:
            v.type = 'i';
            v.as.i = a->column_int64(x->statement, i);
            break;
        case SQLITE_FLOAT:
            v.type = 'r';
            v.as.r = a->column_double(x->statement, i);
            break;
        case SQLITE_NULL: break;
        default: v.type = 's'; s = take_text(x, i, &v, err);
        }
        if (s) return s;
        if (!tfp_push(&x->values, v)) return tfp_nomem(err);
    }
    x->rows++;
    return TFP_OK;
}

/* ---- the grid ---- */

static const value *value_at(const result *x, size_t row, size_t column)
{
    return &x->values.at[row * x->columns + column];
}

/* The one type that holds all cells: text before real before integer. An empty column has its table's declared type. */
static tfp_cell_type type_of(const result *x, size_t column)
{
    char type = 0;
    for (size_t row = 0; row < x->rows; row++) {
        char t = value_at(x, row, column)->type;
        if (t == 's' || (t == 'r' && type != 's') || (t && !type)) type = t;
    }
    if (type) return type;
    const char *declared = x->session->api->column_decltype(x->statement, (int)column);
    return declared && strcmp(declared, "INTEGER") == 0 ? 'i' : 's';
}

/* Writes numbers in a text column in SQLite's form. */
static bool write_number(tfp_arena *arena, const value *v, tfp_str *out)
{
    char text[40];
    int n = v->type == 'i' ? snprintf(text, sizeof text, "%lld", (long long)v->as.i)
                           : snprintf(text, sizeof text, "%.15g", v->as.r);
    *out = (tfp_str){ tfp_arena_copy(arena, (tfp_str){ text, (size_t)n }), (size_t)n };
    return out->data != NULL;
}

static bool fill_column(const result *x, size_t column, tfp_table_column *c)
{
    tfp_arena *arena = &x->r->arena;
    if (!tfp_column_room(c, arena, x->rows)) return false;
    for (size_t row = 0; row < x->rows; row++) {
        const value *v = value_at(x, row, column);
        if (!v->type) {
            if (!c->absent && !(c->absent = TFP_NEW(arena, uint8_t, x->rows))) return false;
            c->absent[row] = 1;
            c->whole = false;
            if (c->texts) c->texts[row] = TFP_STR("");
        } else if (c->type == 'i') {
            c->ints[row] = v->as.i;
        } else if (c->type == 'r') {
            c->reals[row] = v->type == 'r' ? v->as.r : (double)v->as.i;
        } else if (v->type == 's') {
            c->texts[row] = v->as.s;
        } else if (!write_number(arena, v, &c->texts[row])) {
            return false;
        }
    }
    return true;
}

/* The column's name from SQL, escaped, with a number appended if the name is taken. */
static const char *name_of(const result *x, size_t column)
{
    const char *said = x->session->api->column_name(x->statement, (int)column), *name = NULL;
    tfp_buf b = { 0 };
    if (!said) return NULL;
    tfp_escape(&b, tfp_str_of(said));
    size_t size = b.size;
    for (size_t n = 2; !b.failed; n++) {
        name = tfp_buf_copy(&b, &x->r->arena).data;
        if (!name || !tfp_grid_find(x->r->grid, name)) break;
        b.size = size;
        tfp_buf_printf(&b, "_%zu", n);
    }
    bool ok = !b.failed;
    tfp_buf_free(&b);
    return ok ? name : NULL;
}

static tfp_status make_grid(const result *x, tfp_error *err)
{
    tfp_grid *g = x->r->grid;
    g->row_count = x->rows;
    for (size_t i = 0; i < x->columns; i++) {
        tfp_table_column c = { .name = name_of(x, i), .type = type_of(x, i), .unit = TFP_LABEL, .whole = true };
        if (!c.name || !fill_column(x, i, &c) || !tfp_push(&g->columns, c)) return tfp_nomem(err);
    }
    return TFP_OK;
}

/* ---- one query ---- */

static tfp_status open_session(sql_session *s, const tfp_options *o, tfp_error *err)
{
    s->progress = o->query.query_fn;
    s->progress_ctx = o->query.query_ctx;
    s->seconds = o->query.time_limit;
    s->asked = o;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
    sql_guard_start(s);
    int rc = s->api->open_v2(":memory:", &s->db, flags, NULL);
    if (!rc) rc = sql_vtab_register(s);
    if (!rc) rc = sql_grids_register(s);
    if (!rc) rc = sql_guard_set(s);
    if (!rc) return TFP_OK;
    return s->db ? failed(s, rc, err) : tfp_nomem(err);
}

/* Prepares the single statement of the text; comments may follow. */
static tfp_status prepare(result *x, const char *sql, tfp_error *err)
{
    sql_session *s = x->session;
    const char *rest = sql;
    sqlite3_stmt *more = NULL;
    int rc = s->api->prepare_v2(s->db, sql, -1, &x->statement, &rest);
    if (rc) return failed(s, rc, err);
    if (!x->statement) return tfp_fail(err, TFP_BADARG, "query: no statement; it begins with SELECT");
    rc = s->api->prepare_v2(s->db, rest, -1, &more, NULL);
    s->api->finalize(more);
    if (rc == SQLITE_NOMEM) return tfp_nomem(err);
    if (rc || more) return tfp_fail(err, TFP_BADARG, "query: one statement at a time");
    x->columns = (size_t)s->api->column_count(x->statement);
    return TFP_OK;
}

static tfp_status run(result *x, const char *sql, tfp_error *err)
{
    sql_session *s = x->session;
    int rc = SQLITE_OK;
    tfp_status st = prepare(x, sql, err);
    if (!st) st = sql_bind(s, x->statement, &x->r->options->query.bindings, &rc, err);
    if (!st && rc) return failed(s, rc, err);
    rc = SQLITE_ROW;
    while (!st && (rc = s->api->step(x->statement)) == SQLITE_ROW) st = take_row(x, err);
    if (!st && rc != SQLITE_DONE) st = failed(s, rc, err);
    if (!st) st = make_grid(x, err);
    return st ? st : tfp_grid_arrange(x->r, err);
}

/* Notes the profiles whose `parameters` are not the elements of the model's variables. */
static tfp_status note_parameters(tfp_report *r, const sql_session *s, tfp_error *err)
{
    tfp_status st = TFP_OK;
    bool compat = r->options->compat_tensorflow || r->options->compat10;
    for (size_t i = 0; i < s->data.count && s->parameters && !compat && !st; i++) {
        const sql_source *from = &s->data.sources[i];
        if (from->parameters || !tfp_program_of(from->p)) continue;
        tfp_parameter_counts *c = TFP_NEW(&r->arena, tfp_parameter_counts, 1);
        st = c ? tfp_parameters(from->p, &r->arena, c, err) : tfp_nomem(err);
        char whose[200];
        snprintf(whose, sizeof whose, "%s%sparameters", s->data.count > 1 ? from->name.data : "",
                 s->data.count > 1 ? ": " : "");
        if (!st) st = tfp_parameters_note_difference(r, from->p, c, whose, "tfprof params", err);
    }
    return st;
}

static tfp_status query(tfp_report *r, sql_session *s, const char *sql, tfp_error *err)
{
    result x = { .session = s, .r = r };
    s->answer = r;
    s->text = sql;
    tfp_status st = open_session(s, r->options, err);
    if (!st) st = run(&x, sql, err);
    if (!st) st = note_parameters(r, s, err);
    if (!st && r->profile) st = tfp_note_home(r, err);
    if (x.statement) s->api->finalize(x.statement);
    tfp_vec_free(&x.values);
    if (s->db) s->api->close(s->db);
    return st;
}

/* Gives the profiles the steps of -step_marker. */
static tfp_status mark(tfp_report *r, const tfp_profile *const *p, size_t count, tfp_profile **marked,
                       const tfp_profile **use, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < count && !s; i++) {
        s = tfp_mark_steps(p[i], r->options, &r->arena, &marked[i], err);
        use[i] = marked[i] ? marked[i] : p[i];
    }
    return s;
}

tfp_status tfp_query(const tfp_profile *const *p, const char *const *names, size_t count, const char *sql,
                     const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !count || !sql || !out) return tfp_fail(err, TFP_BADARG, "no profile, or no query");
    for (size_t i = 0; i < count; i++)
        if (!p[i] || !tfp_is_finished(p[i])) return tfp_fail(err, TFP_BADARG, "no finished profile");
    for (size_t i = 0; i < count; i++)
        if (tfp_only_sums(p[i])) return tfp_no_spans(err);
    sql_session *s = calloc(1, sizeof *s);
    tfp_report *r = tfp_report_new("query", o);
    tfp_profile **marked = calloc(count, sizeof *marked);
    const tfp_profile **use = calloc(count, sizeof *use);
    tfp_status st = TFP_NOMEM;
    if (!s || !r || !marked || !use) {
        tfp_nomem(err);
        goto out;
    }
    r->profile = count == 1 ? p[0] : NULL;
    st = sql_api_load(&s->api, err);
    if (!st) st = sql_guard_size(sql, err);
    if (!st) st = mark(r, p, count, marked, use, err);
    if (!st) st = sql_data_start(&s->data, use, names, count, err);
    if (!st) st = query(r, s, sql, err);
out:
    if (s) sql_data_end(&s->data);
    for (size_t i = 0; marked && i < count; i++)
        if (marked[i]) tfp_remark_end(marked[i]);
    free(marked);
    free(use);
    free(s);
    return tfp_report_give(r, st, out);
}
