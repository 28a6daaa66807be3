// SPDX-License-Identifier: Apache-2.0
/* sql/vtab.c: gives SQLite the tables of tables.h. A comparison of a column with `=` finds its rows by number or
 * through an index, which is made at first use, so that joins are not quadratic. */
#include "model/tables/read.h"
#include "sql/vtab.h"
#include "sql/cells.h"

typedef struct table { /* of a connection */
    sqlite3_vtab base;
    sql_session *session;
    sql_table_id id;
} table;

typedef struct cursor {
    sqlite3_vtab_cursor base;
    sql_row row;
    const uint32_t *rows; /* the numbers to show, or NULL: at, at + 1 ... */
    uint32_t at, end;
    tfp_buf text; /* for the text of a computed cell */
} cursor;

/* How a cursor finds its rows; xBestIndex passes it to xFilter. */
enum { SCAN, BY_NUMBER, BY_CELL /* + column */ };

static sql_data *data_of(cursor *c) { return &((table *)c->base.pVtab)->session->data; }
static const sql_api *api_of(cursor *c) { return ((table *)c->base.pVtab)->session->api; }

/* ---- life ---- */

static void declaration(const sql_table *t, tfp_buf *b)
{
    tfp_buf_text(b, "CREATE TABLE x(");
    for (const sql_column *c = t->columns; c->name; c++) {
        if (c != t->columns) tfp_buf_char(b, ',');
        tfp_buf_text(b, c->name);
        tfp_buf_text(b, c->type == 'i' ? " INTEGER" : c->type == 'r' ? " REAL" : c->type == 's' ? " TEXT" : "");
    }
    tfp_buf_add(b, ")", 2);
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out, char **message)
{
    (void)argc, (void)argv;
    const sql_module *m = aux;
    sql_session *s = m->session;
    const sql_table *about = &sql_tables[m->table];
    bool detail = about->model != SQL_COMPUTED && tfp_schema_tables[about->model].keep == TFP_READS_RUNS;
    for (size_t i = 0; detail && i < s->data.count; i++) {
        if (tfp_reads_of(s->data.sources[i].p) & TFP_READS_RUNS) continue;
        *message = s->api->mprintf("no %s: the profile was read without them", about->name);
        return SQLITE_ERROR;
    }
    tfp_buf b = { 0 };
    declaration(about, &b);
    s->declaring = true;
    int rc = b.failed || !sql_data_own(&s->data, m->table) ? SQLITE_NOMEM : s->api->declare_vtab(db, b.data);
    s->declaring = false;
    tfp_buf_free(&b);
    table *t = rc ? NULL : calloc(1, sizeof *t);
    if (!t) return rc ? rc : SQLITE_NOMEM;
    t->session = s;
    t->id = m->table;
    *out = &t->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *t)
{
    free(t);
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
    (void)t;
    cursor *c = calloc(1, sizeof *c);
    if (!c) return SQLITE_NOMEM;
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;
    tfp_buf_free(&c->text);
    free(c);
    return SQLITE_OK;
}

/* ---- how a query finds its rows ---- */

/* The approximate number of rows for one value of a column. */
static double rows_a_value(const sql_data *d, sql_table_id id, const sql_column *c)
{
    double rows = d->rows[id], values = 10;
    if (c->kind == SQL_OWNER || c->kind == SQL_INDEX) values = d->rows[c->row];
    if (c->kind == SQL_PROFILE) values = (double)d->count;
    if (strcmp(c->name, "step") == 0) values = d->rows[SQL_STEPS];
    if (strcmp(c->name, "node") == 0) values = d->rows[SQL_NODES];
    if (strcmp(c->name, "span") == 0 || strcmp(c->name, "parent") == 0) values = d->rows[SQL_SPANS];
    if (strcmp(c->name, "name") == 0) values = d->rows[SQL_NODES];
    return rows / (values < 1 ? 1 : values) + 1;
}

static int way_of(const sql_column *columns, int column)
{
    if (column < 0 || columns[column].kind == SQL_KEY) return BY_NUMBER;
    return BY_CELL + column;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    table *t = (table *)base;
    const sql_column *columns = sql_tables[t->id].columns;
    const sql_data *d = &t->session->data;
    int chosen = -1;
    double best = d->rows[t->id] + 1.0;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *k = &info->aConstraint[i];
        if (!k->usable || k->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
        if (k->iColumn >= 0 && (columns[k->iColumn].type == 'r' || columns[k->iColumn].type == 'v')) continue;
        /* only in the collation BINARY equal texts have equal bytes */
        const char *collation = t->session->api->vtab_collation(info, i);
        if (collation && strcmp(collation, "BINARY") != 0) continue;
        double rows = way_of(columns, k->iColumn) == BY_NUMBER ? 1 : rows_a_value(d, t->id, &columns[k->iColumn]);
        if (chosen >= 0 && rows >= best) continue;
        best = rows;
        chosen = i;
    }
    info->idxNum = chosen < 0 ? SCAN : way_of(columns, info->aConstraint[chosen].iColumn);
    if (chosen >= 0) info->aConstraintUsage[chosen].argvIndex = 1;
    info->idxFlags = info->idxNum == BY_NUMBER ? SQLITE_INDEX_SCAN_UNIQUE : 0;
    info->estimatedRows = (sqlite3_int64)best;
    info->estimatedCost = best;
    return SQLITE_OK;
}

/* The value as a cell of that type; a type of 0 equals nothing in the column. */
static void cell_of(const sql_api *a, sqlite3_value *v, char type, sql_cell *out)
{
    *out = (sql_cell){ 0 };
    int is = a->value_type(v);
    if (is == SQLITE_BLOB || is == SQLITE_NULL) return;
    if (type == 's') {
        const unsigned char *text = a->value_text(v);
        out->s = (tfp_str){ (const char *)text, (size_t)a->value_bytes(v) };
        out->type = text ? 's' : 0;
        return;
    }
    is = a->value_numeric_type(v);
    double real = is == SQLITE_FLOAT ? a->value_double(v) : 0;
    if (is == SQLITE_INTEGER)
        out->i = a->value_int64(v);
    else if (is == SQLITE_FLOAT && real >= -9223372036854775808.0 && real < 9223372036854775808.0 &&
             (double)(int64_t)real == real)
        out->i = (int64_t)real;
    else
        return;
    out->type = 'i';
}

static void find_number(cursor *c, sql_table_id id, const sql_cell *key)
{
    if (key->type != 'i' || key->i < 0 || key->i >= data_of(c)->rows[id]) return;
    c->at = (uint32_t)key->i;
    c->end = c->at + 1;
}

/* The rows of a profile are adjacent. */
static void find_profile(cursor *c, sql_table_id id, const sql_cell *key)
{
    const sql_data *d = data_of(c);
    for (size_t i = 0; i < d->count; i++) {
        if (key->type != 's' || !tfp_str_eq(key->s, d->sources[i].name)) continue;
        c->at = d->sources[i].base[id];
        c->end = i + 1 < d->count ? d->sources[i + 1].base[id] : d->rows[id];
    }
}

static bool find_cell(cursor *c, sql_table_id id, int column, const sql_cell *key)
{
    if (!key->type) return true;
    const sql_index *x = sql_data_index(data_of(c), id, column);
    if (!x) return false;
    uint32_t slot = (uint32_t)sql_hash(key) & x->mask;
    c->rows = x->rows;
    c->at = x->start[slot];
    c->end = x->start[slot + 1];
    return true;
}

/* Moves to the next row that exists, or to the end. */
static void settle(cursor *c)
{
    const table *t = (const table *)c->base.pVtab;
    while (c->at < c->end && !sql_find(&t->session->data, t->id, c->rows ? c->rows[c->at] : c->at, &c->row)) c->at++;
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc, sqlite3_value **argv)
{
    (void)text;
    cursor *c = (cursor *)base;
    sql_table_id id = ((table *)base->pVtab)->id;
    sql_cell key;
    bool ok = true;
    c->rows = NULL;
    c->at = c->end = 0;
    if (plan == SCAN || argc < 1) {
        c->end = data_of(c)->rows[id];
    } else if (plan == BY_NUMBER) {
        cell_of(api_of(c), argv[0], 'i', &key);
        find_number(c, id, &key);
    } else {
        const sql_column *column = &sql_tables[id].columns[plan - BY_CELL];
        cell_of(api_of(c), argv[0], column->type, &key);
        if (column->kind == SQL_PROFILE)
            find_profile(c, id, &key);
        else
            ok = find_cell(c, id, plan - BY_CELL, &key);
    }
    settle(c);
    return ok ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- rows ---- */

static int next(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;
    c->at++;
    settle(c);
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    const cursor *c = (const cursor *)base;
    return c->at >= c->end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int i)
{
    cursor *c = (cursor *)base;
    sql_table_id id = ((table *)base->pVtab)->id;
    sql_cell cell;
    sql_read(&c->row, id, &sql_tables[id].columns[i], &c->text, &cell);
    sql_give(api_of(c), context, &cell, c->text.failed);
    return SQLITE_OK;
}

static int row_number(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    const cursor *c = (const cursor *)base;
    *out = c->rows ? c->rows[c->at] : c->at;
    return SQLITE_OK;
}

/* Without xCreate the tables exist in every connection, and statements cannot create more of them. */
static const sqlite3_module module = {
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_number,
};

int sql_vtab_register(sql_session *s)
{
    int rc = SQLITE_OK;
    for (int i = 0; i < SQL_TABLE_COUNT && !rc; i++) {
        s->modules[i] = (sql_module){ s, (sql_table_id)i };
        rc = s->api->create_module(s->db, sql_tables[i].name, &module, &s->modules[i]);
    }
    return rc;
}
