// SPDX-License-Identifier: Apache-2.0
/* sql/guard.c: limits what SQL may do, because it may come from anyone. Statements other than SELECT are refused,
 * tables that are not ours, functions that are not known to be harmless, and values, texts and statements of
 * unreasonable size. Time and memory are checked while a query runs. */
#include "sql/guard.h"
#include "sql/grids.h"

/* ---- permitted statements ---- */

/* Functions of SQLite that have no outside effect and take little time for small inputs (unlike
 * printf('%.2147483647c')). In alphabetical order. */
static const char *const functions[] = {
    "abs",        "acos",       "acosh",      "asin",  "asinh",       "atan",       "atan2",   "atanh",
    "avg",        "ceil",       "ceiling",    "char",  "coalesce",    "cos",        "cosh",    "count",
    "cume_dist",  "degrees",    "dense_rank", "exp",   "first_value", "floor",      "glob",    "group_concat",
    "hex",        "ifnull",     "iif",        "instr", "lag",         "last_value", "lead",    "length",
    "like",       "likelihood", "likely",     "ln",    "log",         "log10",      "log2",    "lower",
    "ltrim",      "max",        "min",        "mod",   "nth_value",   "ntile",      "nullif",  "percent_rank",
    "pi",         "pow",        "power",      "quote", "radians",     "rank",       "replace", "round",
    "row_number", "rtrim",      "sign",       "sin",   "sinh",        "sqrt",       "substr",  "substring",
    "sum",        "tan",        "tanh",       "total", "trim",        "trunc",      "typeof",  "unicode",
    "unlikely",   "upper",
};

static bool is_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcasecmp(name, functions[i]) == 0) return true;
    return false;
}

static bool is_table(const char *name)
{
    for (int i = 0; i < SQL_TABLE_COUNT; i++)
        if (strcasecmp(name, sql_tables[i].name) == 0) return true;
    return sql_is_grid(name);
}

static int authorize(void *ctx, int action, const char *a, const char *b, const char *database, const char *trigger)
{
    (void)database, (void)trigger;
    sql_session *s = ctx;
    if (s->declaring) return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    /* without a column: the rows are only counted, also those of a WITH table */
    case SQLITE_READ:
        s->parameters |= a && b && strcasecmp(a, "nodes") == 0 && strcasecmp(b, "parameters") == 0;
        return (a && is_table(a)) || (b && !*b) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION: return b && is_function(b) ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

/* ---- time and memory ---- */

enum { TICK = 50 }; /* SQLite instructions between two checks */

/* Nonzero stops the query. */
static int on_tick(void *ctx)
{
    sql_session *s = ctx;
    s->ticks++;
    if (s->progress && s->progress(s->progress_ctx, s->ticks * TICK, 0))
        s->stopped = TFP_CANCELLED;
    else if (s->api->memory_used() - s->memory_before > SQL_MEMORY_MOST)
        s->stopped = TFP_NOMEM;
    else if (s->seconds > 0 && (double)(tfp_now_ns() - s->started_ns) > s->seconds * 1e9)
        s->stopped = TFP_LIMIT;
    return s->stopped != TFP_OK;
}

void sql_guard_start(sql_session *s)
{
    s->started_ns = tfp_now_ns();
    s->memory_before = s->api->memory_used();
}

/* ---- functions whose time would be the product of two texts ---- */

static tfp_str text_of(const sql_api *a, sqlite3_value *v)
{
    const unsigned char *text = a->value_text(v);
    return (tfp_str){ (const char *)text, text ? (size_t)a->value_bytes(v) : 0 };
}

static const char *find_in(tfp_str in, tfp_str part) { return memmem(in.data, in.size, part.data, part.size); }

/* instr(X, Y): the position of Y in X, in characters from 1; 0: not found. */
static void instr(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const sql_api *a = sql_api_loaded();
    (void)argc;
    tfp_str in = text_of(a, argv[0]), part = text_of(a, argv[1]);
    if (!in.data || !part.data) return; /* NULL */
    const char *found = find_in(in, part);
    sqlite3_int64 place = found ? 1 : 0;
    for (const char *at = in.data; found && at < found; at++) place += ((unsigned char)*at & 0xc0) != 0x80;
    a->result_int64(context, place);
}

/* replace(X, Y, Z): X with every Y replaced by Z. */
static void replace(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const sql_api *a = sql_api_loaded();
    (void)argc;
    tfp_str in = text_of(a, argv[0]), part = text_of(a, argv[1]), by = text_of(a, argv[2]);
    if (!in.data || !part.data || !by.data) return;
    tfp_buf b = { 0 };
    const char *found;
    while (part.size && b.size <= SQL_TEXT_MOST && (found = find_in(in, part))) {
        tfp_buf_add(&b, in.data, (size_t)(found - in.data));
        tfp_buf_str(&b, by);
        in.size -= (size_t)(found - in.data) + part.size;
        in.data = found + part.size;
    }
    tfp_buf_str(&b, in);
    if (b.failed)
        a->result_error_nomem(context);
    else if (b.size > SQL_TEXT_MOST)
        a->result_error_toobig(context);
    else
        a->result_text(context, b.data ? b.data : "", (int)b.size, SQLITE_TRANSIENT);
    tfp_buf_free(&b);
}

static size_t character(tfp_str s)
{
    uint32_t code;
    size_t n = tfp_utf8(s, &code);
    return n ? n : 1;
}

static bool is_in(tfp_str set, const char *c, size_t size)
{
    for (size_t at = 0, n; at < set.size; at += n) {
        n = character((tfp_str){ set.data + at, set.size - at });
        if (n == size && memcmp(set.data + at, c, n) == 0) return true;
    }
    return false;
}

enum { TRIM_SET_MOST = 100 };

/* trim(X, Y), ltrim, rtrim: X without the characters of Y at both ends, or at one. */
static void trim(sqlite3_context *context, sqlite3_value **argv, bool left, bool right)
{
    const sql_api *a = sql_api_loaded();
    tfp_str x = text_of(a, argv[0]), set = text_of(a, argv[1]);
    if (!x.data || !set.data) return;
    if (set.size > TRIM_SET_MOST) {
        a->result_error(context, "trim: too many characters to trim", -1);
        return;
    }
    while (left && x.size) {
        size_t n = character(x);
        if (!is_in(set, x.data, n)) break;
        x.data += n;
        x.size -= n;
    }
    while (right && x.size) {
        size_t n = 1;
        while (n < x.size && n < 4 && ((unsigned char)x.data[x.size - n] & 0xc0) == 0x80) n++;
        if (!is_in(set, x.data + x.size - n, n)) break;
        x.size -= n;
    }
    a->result_text(context, x.data, (int)x.size, SQLITE_TRANSIENT);
}
static void trim_both(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    trim(context, argv, true, true);
}
static void trim_left(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    trim(context, argv, true, false);
}
static void trim_right(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    trim(context, argv, false, true);
}

static const struct {
    const char *name;
    int arguments;
    void (*call)(sqlite3_context *context, int argc, sqlite3_value **argv);
} own_functions[] = {
    { "instr", 2, instr },     { "replace", 3, replace },  { "trim", 2, trim_both },
    { "ltrim", 2, trim_left }, { "rtrim", 2, trim_right },
};

/* ---- all of it ---- */

static const struct {
    int what, most;
} limits[] = {
    { SQLITE_LIMIT_LENGTH, SQL_TEXT_MOST },
    { SQLITE_LIMIT_SQL_LENGTH, SQL_LENGTH_MOST },
    { SQLITE_LIMIT_COLUMN, 100 },
    { SQLITE_LIMIT_EXPR_DEPTH, 200 },
    { SQLITE_LIMIT_COMPOUND_SELECT, 50 },
    { SQLITE_LIMIT_VDBE_OP, 100000 },
    { SQLITE_LIMIT_FUNCTION_ARG, 32 },
    { SQLITE_LIMIT_ATTACHED, 0 },
    { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200 },
    { SQLITE_LIMIT_VARIABLE_NUMBER, 999 },
    { SQLITE_LIMIT_TRIGGER_DEPTH, 0 },
    { SQLITE_LIMIT_WORKER_THREADS, 0 },
};

/* Double quotes are for names only: a mistyped one must not become a text. */
static const struct {
    int what, on;
} switches[] = {
    { SQLITE_DBCONFIG_DEFENSIVE, 1 }, { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 }, { SQLITE_DBCONFIG_DQS_DML, 0 },
    { SQLITE_DBCONFIG_DQS_DDL, 0 },   { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
};

int sql_guard_set(sql_session *s)
{
    int rc = SQLITE_OK;
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    for (size_t i = 0; i < sizeof own_functions / sizeof *own_functions && !rc; i++)
        rc = s->api->create_function(s->db, own_functions[i].name, own_functions[i].arguments, flags, NULL,
                                     own_functions[i].call, NULL, NULL);
    for (size_t i = 0; i < sizeof switches / sizeof *switches && !rc; i++)
        rc = s->api->db_config(s->db, switches[i].what, switches[i].on, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) s->api->limit(s->db, limits[i].what, limits[i].most);
    /* temporary tables stay in memory: no file is ever written */
    if (!rc) rc = s->api->exec(s->db, "PRAGMA temp_store=2", NULL, NULL, NULL);
    if (!rc) rc = s->api->set_authorizer(s->db, authorize, s);
    s->api->progress_handler(s->db, TICK, on_tick, s);
    return rc;
}
