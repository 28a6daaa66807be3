// SPDX-License-Identifier: Apache-2.0
/* fleet/duckdb.c: answers an SQL query over an index with the program duckdb, which may read the index and nothing else. Its answer is
 * JSON: an array of the columns' names and types, then an array of rows. */
#include "fleet/duckdb.h"
#include "base/io.h"
#include "options/options.h"
#include "views/core/grid.h"
#include "views/core/report.h"
#include "wire/jsonscan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MOST = 512 << 20, CELLS_MOST = 5000000 };

bool tfp_duckdb_is_index(const char *path)
{
    char mark[PATH_MAX];
    int n = snprintf(mark, sizeof mark, "%s/_tfprof.json", path);
    return n > 0 && (size_t)n < sizeof mark && tfp_exists(mark);
}

/* ---- the script ---- */

/* Escapes a text for use in SQL's quotes. */
static void put_escaped(tfp_buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') tfp_buf_char(b, '\'');
        tfp_buf_char(b, *text);
    }
}

static void put_view(tfp_buf *b, const char *out, const char *table, const char *rest)
{
    tfp_buf_printf(b, "CREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet('", table);
    put_escaped(b, out);
    tfp_buf_printf(b, "/%s/*.parquet')%s;\n", table, rest);
}

void tfp_duckdb_put_view(tfp_buf *b, const char *out, const char *table) { put_view(b, out, table, ""); }

static bool has_table(const char *out, const char *table)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", out, table);
    return n > 0 && (size_t)n < sizeof path && tfp_is_folder(path);
}

/* The tables of tfprof watch. Rows of two of them are written again: the last one of each key counts. */
static const struct {
    const char *name, *last;
} watch_tables[] = {
    { "watch_steps", "" },
    { "watch_findings",
      " QUALIFY row_number() OVER (PARTITION BY run, kind, since ORDER BY ended DESC NULLS LAST, found) = 1" },
    { "watch_jobs", " QUALIFY row_number() OVER (PARTITION BY run ORDER BY samples DESC, ended DESC NULLS LAST) = 1" },
};

void tfp_duckdb_put_views(tfp_buf *b, const char *out)
{
    for (int t = 0; t < TFP_FLEET_TABLES; t++)
        if (has_table(out, tfp_fleet_tables[t].name)) tfp_duckdb_put_view(b, out, tfp_fleet_tables[t].name);
    for (size_t i = 0; i < sizeof watch_tables / sizeof *watch_tables; i++)
        if (has_table(out, watch_tables[i].name)) put_view(b, out, watch_tables[i].name, watch_tables[i].last);
}

/* query() takes exactly one SELECT, so nothing can be written. */
static void put_script(tfp_buf *b, const char *out, const char *sql)
{
    tfp_duckdb_put_views(b, out);
    tfp_buf_text(b, "SET TimeZone='UTC';\nSET allowed_directories=['");
    put_escaped(b, out);
    tfp_buf_text(
        b, "/'];\nSET enable_external_access=false;\nSET lock_configuration=true;\nDESCRIBE SELECT * FROM query('");
    put_escaped(b, sql);
    tfp_buf_text(b, "');\nSELECT * FROM query('");
    put_escaped(b, sql);
    tfp_buf_text(b, "');\n");
}

/* ---- the process ---- */

typedef struct answer {
    tfp_buf out, err;
    int status; /* exit status from waitpid */
    bool full, stopped;
} answer;

_Noreturn static void become_duckdb(const char *program, const char *script, int out, int err)
{
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0) dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execlp(program, program, "-init", "/dev/null", "-bail", "-json", "-c", script, (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

/* Reads from the pipe; false at its end. */
static bool take_some(int fd, tfp_buf *to)
{
    char piece[1 << 16];
    ssize_t n = tfp_read_some(fd, piece, sizeof piece);
    if (n > 0) tfp_buf_add(to, piece, (size_t)n);
    return n > 0 && !to->failed;
}

static void collect(answer *a, int out, int err, const tfp_options *o)
{
    struct pollfd fds[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
    tfp_buf *to[2] = { &a->out, &a->err };
    while ((fds[0].fd >= 0 || fds[1].fd >= 0) && !a->full && !a->stopped) {
        if (poll(fds, 2, 200) > 0)
            for (int i = 0; i < 2; i++)
                if (fds[i].fd >= 0 && fds[i].revents && !take_some(fds[i].fd, to[i])) fds[i].fd = -1;
        a->full = a->out.size > ANSWER_MOST || a->err.size > (1 << 20);
        a->stopped = o && o->query.query_fn && o->query.query_fn(o->query.query_ctx, a->out.size, 0);
    }
}

static tfp_status run(const char *script, const tfp_options *o, answer *a, tfp_error *err)
{
    const char *own = getenv("TFPROF_DUCKDB"), *program = own && *own ? own : "duckdb";
    int out[2], errors[2];
    if (pipe2(out, O_CLOEXEC) != 0) return tfp_fail_errno(err, "cannot make a pipe");
    if (pipe2(errors, O_CLOEXEC) != 0) {
        close(out[0]), close(out[1]);
        return tfp_fail_errno(err, "cannot make a pipe");
    }
    pid_t pid = fork();
    if (pid == 0) become_duckdb(program, script, out[1], errors[1]);
    close(out[1]), close(errors[1]);
    if (pid > 0) collect(a, out[0], errors[0], o);
    close(out[0]), close(errors[0]);
    if (pid < 0) return tfp_fail_errno(err, "cannot start duckdb");
    if (a->full || a->stopped) kill(pid, SIGKILL);
    while (waitpid(pid, &a->status, 0) < 0 && errno == EINTR) continue;
    if (a->stopped) return tfp_fail(err, TFP_CANCELLED, "interrupted");
    if (a->full) return tfp_fail(err, TFP_LIMIT, "query: an answer of more than %d MB", ANSWER_MOST >> 20);
    if (WIFEXITED(a->status) && (WEXITSTATUS(a->status) == 127 || WEXITSTATUS(a->status) == 126))
        return tfp_fail(err, TFP_BADFILE,
                        "SQL over an index needs the program duckdb, which is not installed: pip install duckdb-cli "
                        "(or set TFPROF_DUCKDB)");
    return a->out.failed || a->err.failed ? tfp_nomem(err) : TFP_OK;
}

/* Returns duckdb's message as one line. */
static tfp_status fail_sql(const answer *a, tfp_error *err)
{
    tfp_str text = { a->err.data ? a->err.data : "", a->err.size };
    size_t size = text.size < 1000 ? text.size : 1000, kept = 0;
    char line[1001];
    for (size_t i = 0; i < size; i++) line[kept++] = text.data[i] == '\n' ? ' ' : text.data[i];
    while (kept && line[kept - 1] == ' ') kept--;
    return tfp_fail(err, TFP_BADFILE, "query: %.*s", (int)kept, kept ? line : "duckdb ended without an answer");
}

/* ---- the answer ---- */

typedef TFP_VEC(tfp_table_column) columns;

static char type_of(tfp_str name)
{
    static const char *const ints[] = { "BIGINT",  "INTEGER",  "SMALLINT",  "TINYINT",  "UBIGINT", "UINTEGER",
                                        "HUGEINT", "UHUGEINT", "USMALLINT", "UTINYINT", NULL };
    for (const char *const *i = ints; *i; i++)
        if (tfp_str_eq(name, tfp_str_of(*i))) return 'i';
    if (tfp_str_eq(name, TFP_STR("DOUBLE")) || tfp_str_eq(name, TFP_STR("FLOAT")) ||
        (tfp_str_begins(name, TFP_STR("DECIMAL")) && !tfp_str_has(name, TFP_STR("["))))
        return 'r';
    return tfp_str_eq(name, TFP_STR("BOOLEAN")) ? 'b' : 's';
}

static tfp_str decoded(tfp_report *r, tfp_str raw)
{
    tfp_buf b = { 0 };
    tfp_jscan_decode(raw, &b);
    return tfp_buf_move(&b, &r->arena);
}

/* Reads objects with column_name and column_type. */
static bool read_columns(tfp_report *r, tfp_jscan *j, columns *out)
{
    bool ok = tfp_jscan_take(j, '[', "no array");
    for (bool first = true; ok && tfp_jscan_item(j, first); first = false) {
        tfp_jscan_text key;
        tfp_jscan_value v;
        tfp_str name = { "", 0 }, type = { "", 0 };
        ok = tfp_jscan_take(j, '{', "no object");
        for (bool one = true; ok && tfp_jscan_member(j, one, &key); one = false) {
            tfp_jscan_value_of(j, &v);
            if (tfp_str_eq(key.raw, TFP_STR("column_name"))) name = decoded(r, v.text.raw);
            if (tfp_str_eq(key.raw, TFP_STR("column_type"))) type = v.text.raw;
        }
        ok = ok && name.data &&
             tfp_push(out, ((tfp_table_column){ .name = name.data, .type = type_of(type), .unit = TFP_LABEL }));
    }
    return ok && !j->fault;
}

/* All columns grow together, by doubling. */
static bool room(tfp_table_column *c, size_t count)
{
    void **cells = c->type == 'r' ? (void **)&c->reals : c->type == 's' ? (void **)&c->texts : (void **)&c->ints;
    size_t size = c->type == 's' ? sizeof(tfp_str) : sizeof(int64_t);
    void *more = realloc(*cells, count * size);
    if (more) *cells = more;
    uint8_t *absent = realloc(c->absent, count);
    if (absent) c->absent = absent;
    return more && absent;
}

/* duckdb writes numbers of more than 64 bits, such as sums of integers, as strings. */
static tfp_jscan_value as_number(const tfp_jscan_value *v)
{
    tfp_jscan_value n = *v;
    char text[64];
    tfp_str raw = v->text.raw;
    if (v->kind != TFP_JSCAN_STRING || raw.size >= sizeof text) return n;
    memcpy(text, raw.data, raw.size);
    text[raw.size] = '\0';
    char *end;
    n.real = strtod(text, &end);
    if (tfp_parse_int64(raw, &n.number))
        n.kind = TFP_JSCAN_INT;
    else if (end != text && !*end)
        n.kind = TFP_JSCAN_REAL;
    return n;
}

static bool put_cell(tfp_report *r, tfp_table_column *c, size_t row, const tfp_jscan_value *given, tfp_str from)
{
    tfp_jscan_value had = c->type == 's' ? *given : as_number(given);
    const tfp_jscan_value *v = &had;
    bool number = v->kind == TFP_JSCAN_INT || v->kind == TFP_JSCAN_REAL || v->kind == TFP_JSCAN_BOOL;
    double real = v->kind == TFP_JSCAN_REAL ? v->real : (double)v->number;
    c->absent[row] = v->kind == TFP_JSCAN_NULL || (c->type != 's' && !number) || (c->type == 'r' && isnan(real));
    if (c->type == 's') {
        while (from.size && (unsigned char)from.data[0] <= ' ') from.data++, from.size--;
        c->texts[row] = c->absent[row]                ? (tfp_str){ 0 }
                        : v->kind == TFP_JSCAN_STRING ? decoded(r, v->text.raw)
                                                      : decoded(r, from);
        return c->absent[row] || c->texts[row].data;
    }
    if (c->type == 'r')
        c->reals[row] = c->absent[row] ? 0 : real;
    else
        c->ints[row] = v->kind != TFP_JSCAN_REAL ? v->number
                       : real >= 0x1p63          ? INT64_MAX
                       : real < -0x1p63          ? INT64_MIN
                                                 : (int64_t)real;
    return true;
}

static bool read_row(tfp_report *r, tfp_jscan *j, columns *out, size_t row)
{
    tfp_jscan_text key;
    size_t i = 0;
    bool ok = tfp_jscan_take(j, '{', "no object");
    for (bool one = true; ok && tfp_jscan_member(j, one, &key); one = false, i++) {
        tfp_jscan_value v;
        const char *from = j->at;
        tfp_jscan_value_of(j, &v);
        ok = i < out->size && put_cell(r, &out->at[i], row, &v, (tfp_str){ from, (size_t)(j->at - from) });
    }
    return ok && i == out->size;
}

static bool read_rows(tfp_report *r, tfp_jscan *j, columns *out, size_t *count)
{
    size_t capacity = 0;
    bool ok = tfp_jscan_take(j, '[', "no array");
    for (bool first = true; ok && tfp_jscan_item(j, first); first = false) {
        if (*count == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            for (size_t i = 0; ok && i < out->size; i++) ok = room(&out->at[i], capacity);
        }
        ok = ok && *count * out->size < CELLS_MOST && read_row(r, j, out, (*count)++);
    }
    return ok && !j->fault;
}

/* Copies the columns into the report's arena. */
static bool keep(tfp_report *r, columns *from, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < from->size; i++) {
        tfp_table_column c = from->at[i], mine = c;
        ok = ok && tfp_column_room(&mine, &r->arena, count) && tfp_push(&r->grid->columns, mine);
        for (size_t row = 0; ok && row < count; row++) {
            mine.absent[row] = c.absent[row];
            if (c.reals) mine.reals[row] = c.reals[row];
            if (c.texts) mine.texts[row] = c.texts[row];
            if (c.ints) mine.ints[row] = c.ints[row];
        }
        free(c.reals);
        free(c.texts);
        free(c.ints);
        free(c.absent);
    }
    r->grid->row_count = count;
    return ok;
}

static tfp_status take_answer(tfp_report *r, const answer *a, tfp_error *err)
{
    columns c = { 0 };
    size_t count = 0;
    tfp_jscan j = tfp_jscan_start((tfp_str){ a->out.data ? a->out.data : "", a->out.size });
    bool ok = read_columns(r, &j, &c) && (tfp_jscan_peek(&j) != '[' || read_rows(r, &j, &c, &count));
    bool full = count * c.size >= CELLS_MOST;
    bool kept = keep(r, &c, ok ? count : 0);
    tfp_vec_free(&c);
    if (full) return tfp_fail(err, TFP_LIMIT, "query: more than %d cells", CELLS_MOST);
    if (!ok) return fail_sql(a, err);
    return kept ? tfp_grid_arrange(r, err) : tfp_nomem(err);
}

tfp_status tfp_duckdb_query(const char *out, const char *sql, const tfp_options *o, tfp_report **report, tfp_error *err)
{
    char whole[PATH_MAX];
    tfp_buf script = { 0 };
    answer a = { 0 };
    *report = NULL;
    if (!realpath(out, whole)) return tfp_within_file(err, tfp_fail_errno(err, "cannot open"), out);
    tfp_report *r = tfp_report_new("query", o);
    tfp_status s = r ? TFP_OK : tfp_nomem(err);
    put_script(&script, whole, sql);
    tfp_buf_char(&script, '\0');
    if (!s && script.failed) s = tfp_nomem(err);
    if (!s) s = run(script.data, o, &a, err);
    if (!s && !(WIFEXITED(a.status) && WEXITSTATUS(a.status) == 0)) s = fail_sql(&a, err);
    if (!s) s = take_answer(r, &a, err);
    tfp_buf_free(&script);
    tfp_buf_free(&a.out);
    tfp_buf_free(&a.err);
    return tfp_report_give(r, s, report);
}
