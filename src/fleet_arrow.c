// SPDX-License-Identifier: Apache-2.0
/* fleet_arrow.c: the public functions that read files as a table without an index: a stream of Arrow batches, which reads one file
 * after another as it is pulled; and the list of files in folders, with the facts about them in paths and sidecars. */
#include "fleets.h"
#include "outputs/data/arrow_parts.h"

#include <errno.h>
#include <sys/stat.h>

enum {
    ENOUGH_ROWS = 8192,
    ENOUGH_TEXT = 8 << 20
}; /* a batch ends after the file with which it reaches one of these limits */

typedef enum fail_on { FAIL_NEVER, FAIL_MISSING, FAIL_ANY } fail_on;

typedef struct pulled {
    tfp_index_settings settings;
    tfp_fleet_table_id table;
    TFP_VEC(size_t) chosen;             /* numbers of the selected columns */
    tfp_batch tables[TFP_FLEET_TABLES]; /* rows that were read but not passed on yet */
    tfp_texts texts[TFP_FLEET_TABLES];
    tfp_batch view;      /* the selected columns of the table; its cells are borrowed */
    size_t row;          /* the next row of `view` to pass on */
    tfp_fleet_rows rows; /* rows of one file */
    tfp_buf packed;
    tfp_pool *pool; /* NULL: files are read in this process */
    bool apart;     /* files are read in other processes */
    fail_on fails;
    tfp_fleet_next_fn next;
    void *ctx;
    bool ended;
    const tfp_fleet_file *file; /* the file of the pool's job */
    tfp_fleet_result result;
    tfp_error error;
} pulled;

/* ---- settings ---- */

static tfp_status wrong(tfp_error *err, const char *name, const char *value, const char *must)
{
    return tfp_fail(err, TFP_BADARG, "%s: '%s' must be %s", name, value, must);
}

static tfp_status choose(pulled *p, const char *names, tfp_error *err)
{
    const tfp_fleet_schema *t = &tfp_fleet_tables[p->table];
    p->chosen.size = 0;
    for (const char *at = names; *at;) {
        size_t size = strcspn(at, ","), i = 0;
        while (i < t->count && !tfp_str_eq((tfp_str){ at, size }, tfp_str_of(t->columns[i].name))) i++;
        if (i == t->count) return tfp_fail(err, TFP_BADARG, "table %s has no column %.*s", t->name, (int)size, at);
        if (!tfp_push(&p->chosen, i)) return tfp_nomem(err);
        at += size + (at[size] == ',');
    }
    return TFP_OK;
}

static tfp_status set_number(const char *name, const char *value, int64_t least, int64_t *out, tfp_error *err)
{
    if (tfp_parse_int64(tfp_str_of(value), out) && *out >= least) return TFP_OK;
    return wrong(err, name, value, "a number of bytes from 1048576 on, or of seconds from 1 on");
}

static tfp_status set(pulled *p, const char *name, const char *value, tfp_error *err)
{
    if (!value) return tfp_fail(err, TFP_BADARG, "%s: no value", name);
    if (strcmp(name, "path") == 0) return tfp_fleet_rules_pattern(&p->settings.rules, value, err);
    if (strcmp(name, "sidecar") == 0)
        return tfp_fleet_rules_sidecar(&p->settings.rules, value) ? TFP_OK : tfp_nomem(err);
    if (strcmp(name, "columns") == 0) return choose(p, value, err);
    if (strcmp(name, "memory") == 0) return set_number(name, value, 1 << 20, &p->settings.memory, err);
    if (strcmp(name, "timeout") == 0) return set_number(name, value, 1, &p->settings.timeout_s, err);
    if (strcmp(name, "apart") == 0) {
        p->apart = strcmp(value, "1") == 0;
        return TFP_OK;
    }
    if (strcmp(name, "fail-on") != 0) return tfp_fail(err, TFP_BADARG, "no setting '%s'", name);
    p->fails = strcmp(value, "any") == 0 ? FAIL_ANY : FAIL_MISSING;
    return strcmp(value, "any") == 0 || strcmp(value, "missing") == 0 ? TFP_OK
                                                                      : wrong(err, name, value, "any or missing");
}

static void free_pulled(pulled *p)
{
    tfp_pool_free(p->pool);
    tfp_fleet_rules_free(&p->settings.rules);
    for (int i = 0; i < TFP_FLEET_TABLES; i++) {
        tfp_batch_free(&p->tables[i]);
        tfp_texts_free(&p->texts[i]);
    }
    free(p->view.columns);
    tfp_vec_free(&p->chosen);
    tfp_fleet_rows_free(&p->rows);
    tfp_buf_free(&p->packed);
    free(p);
}

static tfp_status start(pulled *p, const char *table, const char *const *settings, tfp_error *err)
{
    p->table = tfp_fleet_find(tfp_str_of(table));
    if (p->table == TFP_FLEET_TABLES)
        return tfp_fail(err, TFP_NOTFOUND, "no table %s (runs, steps, step_devices, ops ...)", table);
    p->settings.tables = TFP_FLEET_BIT(p->table);
    p->settings.jobs = 1;
    p->settings.timeout_s = 300;
    p->settings.read = tfp_fleets_read;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < tfp_fleet_tables[p->table].count && !s; i++)
        if (!tfp_push(&p->chosen, i)) s = tfp_nomem(err);
    for (; settings && settings[0] && !s; settings += 2) s = set(p, settings[0], settings[1], err);
    bool ok = s || tfp_fleet_rows_start(&p->rows, p->settings.tables);
    for (int i = 0; i < TFP_FLEET_TABLES && ok && !s; i++)
        ok = tfp_texts_start(&p->texts[i]) && tfp_fleet_batch(&p->tables[i], (tfp_fleet_table_id)i, &p->texts[i]);
    ok = ok && (p->view.columns = calloc(p->chosen.size + 1, sizeof *p->view.columns));
    p->view.column_count = p->chosen.size;
    for (size_t i = 0; i < p->chosen.size && ok; i++)
        p->view.columns[i] = tfp_fleet_tables[p->table].columns[p->chosen.at[i]];
    if (!s && !ok) s = tfp_nomem(err);
    return !s && p->apart ? tfp_pool_new(&p->settings, &p->pool, err) : s;
}

/* ---- one file ---- */

static tfp_status fail(pulled *p, const tfp_fleet_file *f, tfp_fleet_code code, tfp_str message, int signal,
                       int64_t attempts)
{
    bool ends = p->fails == FAIL_ANY || (p->fails == FAIL_MISSING && code == TFP_FLEET_MISSING);
    if (ends)
        return tfp_fail(&p->error, TFP_BADFILE, "%.*s: %s: %.*s", (int)f->path.size, f->path.data,
                        tfp_fleet_codes[code], (int)message.size, message.data);
    tfp_fleet_failure row = { .path = f->path,
                              .message = message,
                              .size = f->size,
                              .mtime_us = f->mtime_us,
                              .code = code,
                              .signal = signal,
                              .attempts = attempts };
    if (p->table == TFP_FLEET_FAILURES) tfp_fleet_put_failure(&p->tables[TFP_FLEET_FAILURES], &row);
    return p->tables[TFP_FLEET_FAILURES].failed ? tfp_nomem(&p->error) : TFP_OK;
}

static tfp_status take(void *ctx, const tfp_pool_result *r, tfp_error *err)
{
    pulled *p = ctx;
    if (r->code == TFP_FLEET_RUN) return tfp_fleet_unpack(r->rows, p->tables, err);
    return fail(p, p->file, r->code, r->message, r->signal, r->attempts);
}

static tfp_status read_apart(pulled *p, const tfp_fleet_file *f)
{
    char path[PATH_MAX];
    if (f->path.size >= sizeof path) return fail(p, f, TFP_FLEET_UNREADABLE, TFP_STR("the path is too long"), 0, 1);
    memcpy(path, f->path.data, f->path.size);
    path[f->path.size] = '\0';
    tfp_index_walk_file file = { f->file, path, f->size, f->mtime_us };
    p->file = f;
    tfp_status s = tfp_pool_give(p->pool, 0, &file, &p->error);
    while (!s && tfp_pool_is_busy(p->pool)) s = tfp_pool_wait(p->pool, take, p, &p->error);
    return s;
}

static tfp_status read_here(pulled *p, const tfp_fleet_file *f)
{
    tfp_fleets_read(&p->settings.rules, f, &p->rows, &p->result);
    if (p->result.code != TFP_FLEET_RUN) {
        tfp_str message = { p->result.error.text, p->result.error.size };
        return fail(p, f, p->result.code, message.size ? message : TFP_STR("not enough memory"), 0, 1);
    }
    p->packed.size = 0;
    tfp_fleet_pack(&p->rows, &p->packed);
    if (p->packed.failed || !tfp_fleet_rows_clear(&p->rows)) return tfp_nomem(&p->error);
    return tfp_fleet_unpack((tfp_str){ p->packed.data, p->packed.size }, p->tables, &p->error);
}

static tfp_status read_source(pulled *p, const tfp_fleet_source *from)
{
    struct stat st;
    tfp_fleet_file f = { .file = from->file,
                         .path = tfp_str_of(from->path   ? from->path
                                            : from->file ? from->file
                                                         : "<bytes>"),
                         .size = INT64_MIN,
                         .mtime_us = INT64_MIN };
    if (from->code) {
        tfp_fleet_code code = strcmp(from->code, "missing") == 0 ? TFP_FLEET_MISSING : TFP_FLEET_UNREADABLE;
        return fail(p, &f, code, tfp_str_of(from->message ? from->message : ""), 0, 1);
    }
    if (!f.file) {
        f.bytes = (tfp_str){ from->data ? from->data : "", from->size };
        f.size = (int64_t)from->size;
        return read_here(p, &f);
    }
    if (stat(f.file, &st) == 0) {
        f.size = st.st_size;
        f.mtime_us = (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000;
    }
    return p->pool ? read_apart(p, &f) : read_here(p, &f);
}

/* ---- the stream ---- */

/* Removes rows that were passed on. */
static bool empty(pulled *p)
{
    bool ok = true;
    for (int i = 0; i < TFP_FLEET_TABLES; i++) {
        tfp_batch_clear(&p->tables[i]);
        if (p->texts[i].table.count) ok = tfp_texts_clear(&p->texts[i]) && ok;
    }
    p->row = p->view.row_count = 0;
    return ok;
}

static tfp_status fill(pulled *p)
{
    tfp_batch *b = &p->tables[p->table];
    tfp_status s = empty(p) ? TFP_OK : tfp_nomem(&p->error);
    while (!s && !p->ended && b->row_count < ENOUGH_ROWS && p->texts[p->table].arena.used < ENOUGH_TEXT) {
        tfp_fleet_source from = { 0 };
        int more = p->next(p->ctx, &from);
        if (more < 0) return tfp_fail(&p->error, TFP_CANCELLED, "%s", from.message ? from.message : "no next source");
        if (more) s = read_source(p, &from);
        p->ended = !more;
    }
    p->view.row_count = b->row_count;
    p->view.texts = &p->texts[p->table];
    for (size_t i = 0; i < p->chosen.size; i++) p->view.columns[i] = b->columns[p->chosen.at[i]];
    return s;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    pulled *p = stream->private_data;
    *out = (struct ArrowArray){ 0 };
    tfp_error_clear(&p->error);
    tfp_status s = TFP_OK;
    while (!s && p->row == p->view.row_count && !p->ended) s = fill(p);
    if (!s && p->row < p->view.row_count) {
        tfp_arrow_rows t = tfp_arrow_rows_of(&p->view, TFP_ARROW_ROWS, TFP_ARROW_TEXT);
        s = tfp_arrow_next(&t, &p->row, out, &p->error);
    }
    if (s) p->ended = true;
    return s == TFP_NOMEM ? ENOMEM : s ? EIO : 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const pulled *p = stream->private_data;
    *out = (struct ArrowSchema){ 0 };
    return tfp_arrow_schema(out, p->view.columns, p->view.column_count) ? 0 : ENOMEM;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const pulled *p = stream->private_data;
    return p->error.size ? p->error.text : NULL;
}

static void release(struct ArrowArrayStream *stream)
{
    pulled *p = stream->private_data;
    p->next(p->ctx, NULL);
    free_pulled(p);
    stream->release = NULL;
}

tfp_status tfp_fleet_arrow(const char *table, const char *const *settings, tfp_fleet_next_fn next, void *ctx,
                           struct ArrowArrayStream *out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = (struct ArrowArrayStream){ 0 };
    if (!table || !next || !out) return tfp_fail(err, TFP_BADARG, "no table, no sources, or no stream");
    pulled *p = calloc(1, sizeof *p);
    tfp_status s = p ? start(p, table, settings, err) : tfp_nomem(err);
    if (s && p) free_pulled(p);
    if (s) return s;
    p->next = next;
    p->ctx = ctx;
    *out = (struct ArrowArrayStream){ get_schema, get_next, get_last_error, release, p };
    return TFP_OK;
}

/* ---- files and whose they are ---- */

tfp_status tfp_fleet_files(const char *const *sources, size_t count, const char *names, const char *sidecar,
                           tfp_fleet_file_fn fn, void *ctx, tfp_error *err)
{
    tfp_index_walk *w = NULL;
    tfp_index_walk_file f;
    tfp_error_clear(err);
    if (!sources || !fn) return tfp_fail(err, TFP_BADARG, "no sources, or nowhere to put the files");
    tfp_status s = tfp_index_walk_new(sources, count, names, sidecar, &w, err);
    while (!s && tfp_index_walk_next(w, &f, &s, err))
        if (fn(ctx, f.file, f.path, f.size, f.mtime_us)) s = tfp_fail(err, TFP_CANCELLED, "interrupted");
    tfp_index_walk_free(w);
    return s;
}

static tfp_status set_rules(tfp_fleet_rules *rules, const char *const *settings, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (; settings && settings[0] && !s; settings += 2) {
        if (strcmp(settings[0], "path") == 0)
            s = tfp_fleet_rules_pattern(rules, settings[1], err);
        else if (strcmp(settings[0], "sidecar") == 0)
            s = tfp_fleet_rules_sidecar(rules, settings[1]) ? TFP_OK : tfp_nomem(err);
        else
            s = tfp_fail(err, TFP_BADARG, "no setting '%s'", settings[0]);
    }
    return s;
}

tfp_status tfp_fleet_whose(const char *const *settings, const char *file, const char *path, tfp_fleet_field_fn fn,
                           void *ctx, tfp_error *err)
{
    static const char *const names[] = { "job", "date", "host", "rank" };
    tfp_fleet_rules rules = { 0 };
    tfp_fleet_identity id = { 0 };
    tfp_error_clear(err);
    if (!path || !fn) return tfp_fail(err, TFP_BADARG, "no path, or nowhere to put the fields");
    tfp_status s = set_rules(&rules, settings, err);
    if (!s && !tfp_fleet_identify(&rules, file, tfp_str_of(path), &id)) s = tfp_nomem(err);
    for (int i = 0; i < TFP_FIELD_FRAMEWORK && !s; i++)
        if (id.text[i].data) fn(ctx, names[i], id.text[i].data);
    tfp_fleet_identity_free(&id);
    tfp_fleet_rules_free(&rules);
    return s;
}
