// SPDX-License-Identifier: Apache-2.0
/* watches.c: the public functions of watch: settings, a run that joins recorder, judge and store, and the tables of a store. */
#include "tfprof/watch.h"
#include "views/core/handle.h"
#include "fleet/duckdb.h"
#include "schema/reads.h"
#include "watch/record/record.h"
#include "watch/store/bands.h"
#include "watch/store/show.h"
#include "watch/store/store.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { KINDS = 5, ONCE_SECONDS = 6, RINGS_MOST = 20, CAPTURES_MOST = 20, PACES = 64, SHOWN_MOST = 10000 };
static const char *const kinds[KINDS] = { "late", "slow", "hang", "change", "ended" };

/* Steps of a job since the last tick. */
typedef struct pace {
    tfp_watch_pace shown;
    double sum_us;
    int64_t steps;
} pace;

struct tfp_watch {
    tfp_watch_settings settings;
    TFP_VEC(char *) selectors;
    char *dir;
    tfp_watch_fn fn;
    void *ctx;
    tfp_watch_capture_fn capture;
    void *capture_ctx;
    bool once;
    int64_t ring_s, keep_days;
    size_t found[KINDS];
    pace paces[PACES];
    size_t pace_count;
};

tfp_watch *tfp_watch_new(void)
{
    tfp_watch *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->settings.rate = 20;
    w->ring_s = 30;
    w->keep_days = 14;
    return w;
}

void tfp_watch_free(tfp_watch *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->selectors.size; i++) free(w->selectors.at[i]);
    tfp_vec_free(&w->selectors);
    free(w->dir);
    free(w);
}

void tfp_watch_on_row(tfp_watch *w, tfp_watch_fn fn, void *ctx)
{
    if (!w) return;
    w->fn = fn;
    w->ctx = ctx;
}

void tfp_watch_on_capture(tfp_watch *w, tfp_watch_capture_fn fn, void *ctx)
{
    if (!w) return;
    w->capture = fn;
    w->capture_ctx = ctx;
}

tfp_status tfp_watch_select(tfp_watch *w, const char *selector, tfp_error *err)
{
    tfp_error_clear(err);
    if (!w || !selector || !*selector) return tfp_fail(err, TFP_BADARG, "no watch, or an empty selector");
    char *copy = strdup(selector);
    bool kept = copy && tfp_push(&w->selectors, copy);
    if (kept) return TFP_OK;
    free(copy);
    return tfp_nomem(err);
}

/* ---- settings ---- */

static tfp_status wrong(tfp_error *err, const char *name, const char *value, const char *must)
{
    return tfp_fail(err, TFP_BADARG, "--%s '%s': must be %s", name, value ? value : "", must);
}

/* Seconds of 60s, 5m, 2h; 0: it is none. */
static double seconds_of(const char *value)
{
    char *end;
    if (!isdigit((unsigned char)*value)) return 0;
    double n = strtod(value, &end);
    double unit = !strcmp(end, "s") ? 1 : !strcmp(end, "m") ? 60 : !strcmp(end, "h") ? 3600 : 0;
    return isfinite(n) && n * unit <= 1e9 ? n * unit : 0;
}

static tfp_status set_number(tfp_watch *w, const char *name, const char *value, tfp_error *err)
{
    const struct {
        const char *name, *must;
        int64_t least, most;
        int64_t *to;
    } numbers[] = { { "ring", "seconds from 0 to 300", 0, 300, &w->ring_s },
                    { "keep", "days from 1 to 36500", 1, 36500, &w->keep_days } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t n;
        if (strcmp(name, numbers[i].name) != 0) continue;
        if (!tfp_parse_int64(tfp_str_of(value), &n) || n < numbers[i].least || n > numbers[i].most)
            return wrong(err, name, value, numbers[i].must);
        *numbers[i].to = n;
        return TFP_OK;
    }
    return tfp_fail(err, TFP_BADARG, "watch has no setting '%s'", name);
}

static tfp_status set_text(char **to, const char *value, tfp_error *err)
{
    char *copy = strdup(value);
    if (!copy) return tfp_nomem(err);
    free(*to);
    *to = copy;
    return TFP_OK;
}

tfp_status tfp_watch_set(tfp_watch *w, const char *name, const char *value, tfp_error *err)
{
    tfp_error_clear(err);
    if (!w || !name) return tfp_fail(err, TFP_BADARG, "no watch, or no setting's name");
    if (strcmp(name, "once") == 0) {
        w->once = true;
        return TFP_OK;
    }
    if (!value) return wrong(err, name, value, "given");
    if (strcmp(name, "dir") == 0)
        return *value ? set_text(&w->dir, value, err) : wrong(err, "o", value, "the name of a folder");
    if (strcmp(name, "for") == 0) {
        w->settings.seconds = seconds_of(value);
        return w->settings.seconds > 0 ? TFP_OK : wrong(err, name, value, "a time such as 60s, 5m or 2h");
    }
    if (strcmp(name, "attach") == 0) {
        w->settings.attach = strcmp(value, "once") == 0;
        return w->settings.attach ? TFP_OK : wrong(err, name, value, "once");
    }
    if (strcmp(name, "rate") == 0) {
        char *end;
        w->settings.rate = strtod(value, &end);
        return *value && !*end && w->settings.rate >= 1 && w->settings.rate <= 100
                   ? TFP_OK
                   : wrong(err, name, value, "looks a second, from 1 to 100");
    }
    return set_number(w, name, value, err);
}

/* ---- a run ---- */

typedef struct run {
    tfp_watch *w;
    watch_store store;
    watch_rows rows; /* the first SHOWN_MOST findings, because a watch may last for months; with "once" jobs */
    size_t not_shown;
    bool stopped;
} run;

static tfp_status nomem_if(bool failed, tfp_error *err) { return failed ? tfp_nomem(err) : TFP_OK; }

static void count_pace(tfp_watch *w, const tfp_watch_step *row)
{
    char program[sizeof w->paces->shown.program];
    size_t i = 0;
    if (row->steps == TFP_ABSENT || row->steps <= 0) return;
    tfp_text_give(row->job, program, sizeof program);
    while (i < w->pace_count && strcmp(w->paces[i].shown.program, program) != 0) i++;
    if (i == PACES) return;
    pace *p = &w->paces[i];
    if (i == w->pace_count) {
        *p = (pace){ .steps = 0 };
        tfp_text_give(row->run, p->shown.run, sizeof p->shown.run);
        memcpy(p->shown.program, program, sizeof program);
        w->pace_count++;
    }
    p->sum_us += row->duration_us;
    p->steps += row->steps;
    p->shown.seconds = p->sum_us / (double)p->steps / 1e6;
}

int tfp_watch_pace_of(const tfp_watch *w, size_t i, tfp_watch_pace *out)
{
    if (!w || !out || i >= w->pace_count) return 0;
    *out = w->paces[i].shown;
    return 1;
}

static tfp_status take_step(void *ctx, const tfp_watch_step *row, tfp_error *err)
{
    run *x = ctx;
    count_pace(x->w, row);
    return nomem_if(!watch_store_put(&x->store, TFP_WATCH_STEPS, row), err);
}

static void tell(run *x, const tfp_report *columns, const char *text, const char *json)
{
    if (x->w->fn && x->w->fn(x->w->ctx, columns, text, json)) x->stopped = true;
}

static tfp_status take_finding(void *ctx, const tfp_watch_rank *rank, tfp_watch_finding *row, tfp_error *err)
{
    run *x = ctx;
    tfp_buf text = { 0 }, json = { 0 };
    (void)rank;
    for (int i = 0; i < KINDS && row->ended == TFP_ABSENT; i++)
        x->w->found[i] += tfp_str_eq(row->kind, tfp_str_of(kinds[i]));
    bool ok = watch_store_put(&x->store, TFP_WATCH_FINDINGS, row);
    if (x->rows.size >= SHOWN_MOST)
        x->not_shown++;
    else if (ok && !x->w->once)
        ok = watch_rows_add(&x->rows, row);
    watch_finding_line(row, &text);
    watch_row_json(TFP_WATCH_FINDINGS, row, NULL, &json);
    tfp_buf_char(&text, '\0');
    tfp_buf_char(&json, '\0');
    ok = ok && !text.failed && !json.failed;
    if (ok) tell(x, NULL, text.data, json.data);
    tfp_buf_free(&text);
    tfp_buf_free(&json);
    return nomem_if(!ok, err);
}

static tfp_status take_job(void *ctx, const tfp_watch_job *row, tfp_error *err)
{
    run *x = ctx;
    bool ok = watch_store_put(&x->store, TFP_WATCH_JOBS, row);
    if (ok && x->w->once) ok = watch_rows_add(&x->rows, row);
    return nomem_if(!ok, err);
}

/* Makes a profile of a trace, and keeps at most RINGS_MOST such files. */
static tfp_status take_cut(void *ctx, const char *name, tfp_str trace, tfp_error *err)
{
    run *x = ctx;
    char path[PATH_MAX + 300];
    tfp_profile *p = tfp_profile_new();
    snprintf(path, sizeof path, "%s/%s", x->store.path, name);
    tfp_status s = p ? tfp_profile_keep(p, TFP_READS_RUNS | TFP_READS_ATTRS | TFP_READS_PROGRAM) : tfp_nomem(err);
    if (!s) s = tfp_profile_add_bytes(p, NULL, "ring.json", trace.data, trace.size, err);
    if (!s) s = tfp_profile_finish(p, err);
    if (!s) s = tfp_profile_save_file(p, path, err);
    tfp_profile_free(p);
    watch_rings_expire(x->store.rings, RINGS_MOST);
    return s;
}

static tfp_status take_capture(void *ctx, const int64_t *pids, size_t count, const char *name, tfp_error *err)
{
    run *x = ctx;
    char path[PATH_MAX + 300];
    (void)err;
    if (!watch_captures_open(&x->store, CAPTURES_MOST)) return TFP_OK;
    snprintf(path, sizeof path, "%s/%s", x->store.path, name);
    x->w->capture(x->w->capture_ctx, pids, count, path);
    return TFP_OK;
}

static tfp_status take_tick(void *ctx, tfp_error *err)
{
    run *x = ctx;
    tell(x, NULL, NULL, NULL);
    for (size_t i = 0; i < x->w->pace_count; i++) x->w->paces[i].sum_us = 0, x->w->paces[i].steps = 0;
    return watch_store_tick(&x->store, err);
}

static void take_line(void *ctx, const char *line) { tell(ctx, NULL, line, NULL); }

static bool stops(void *ctx)
{
    run *x = ctx;
    return x->stopped;
}

static tfp_status begin(run *x, tfp_error *err)
{
    tfp_report *columns = NULL;
    tfp_watch_table_id table = x->w->once ? TFP_WATCH_JOBS : TFP_WATCH_FINDINGS;
    if (!watch_rows_start(&x->rows, table)) return tfp_nomem(err);
    if (!x->w->once) {
        tfp_status s = watch_store_open(&x->store, x->w->dir, err);
        if (s) return s;
        x->store.keep_days = x->w->keep_days;
        watch_parts_expire(x->store.folder, x->store.keep_days);
    }
    columns = tfp_report_of_table(NULL, tfp_watch_tables[table].name);
    tfp_status s = columns ? watch_rows_show(NULL, table, columns, err) : tfp_nomem(err);
    if (!s) tell(x, columns, NULL, NULL);
    tfp_report_free(columns);
    return s;
}

static tfp_status verdict_of(tfp_report *r, const tfp_watch *w, tfp_error *err)
{
    tfp_report *hang = NULL;
    if (tfp_live_hang((const char *const *)w->selectors.at, w->selectors.size, NULL, &hang, NULL)) return TFP_OK;
    bool ok = watch_show_verdict(r, hang);
    tfp_report_free(hang);
    return ok ? TFP_OK : tfp_nomem(err);
}

static tfp_status note_not_shown(tfp_report *r, size_t count, tfp_error *err)
{
    tfp_buf note = { 0 };
    tfp_buf_printf(&note, "%zu later findings are not shown: they are in the store\n", count);
    tfp_status s = watch_show_notes(r, &note, err);
    tfp_buf_free(&note);
    return s;
}

tfp_status tfp_watch_run(tfp_watch *w, const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error own;
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!w || !out) return tfp_fail(err, TFP_BADARG, "no watch, or nowhere to put the report");
    if (!w->dir == !w->once)
        return tfp_fail(err, TFP_BADARG, "watch needs a folder for its tables, -o DIR, or --once without one");
    run x = { .w = w, .store = WATCH_STORE_NONE };
    const tfp_watch_taker to = { &x,        take_step, take_finding,
                                 take_job,  take_cut,  w->capture ? take_capture : NULL,
                                 take_tick, take_line, stops };
    tfp_watch_settings settings = w->settings;
    settings.words = (const char *const *)w->selectors.at;
    settings.word_count = w->selectors.size;
    if (w->once) settings.seconds = ONCE_SECONDS;
    memset(w->found, 0, sizeof w->found);
    w->pace_count = 0;
    tfp_error_clear(&own);
    tfp_status s = settings.attach ? tfp_run_folder(settings.run_folder, true, &own) : TFP_OK;
    if (!s) s = begin(&x, &own);
    settings.ring_s = w->once ? 0 : w->ring_s;
    settings.rings = x.store.rings;
    if (!s) s = tfp_watch_record(&settings, &to, &own);
    tfp_status closed = watch_store_close(&x.store, s ? NULL : &own);
    tfp_report *r = s ? NULL : tfp_report_new(tfp_watch_tables[x.rows.table].name, o);
    tfp_status made = s ? s : r ? watch_rows_show(&x.rows, x.rows.table, r, &own) : tfp_nomem(&own);
    if (!made && w->once) made = verdict_of(r, w, &own);
    if (!made && x.not_shown) made = note_not_shown(r, x.not_shown, &own);
    watch_rows_free(&x.rows);
    if (err) *err = own;
    made = tfp_report_give(r, made, out);
    return made ? made : closed;
}

size_t tfp_watch_found(const tfp_watch *w, const char *kind)
{
    for (int i = 0; w && kind && i < KINDS; i++)
        if (strcmp(kind, kinds[i]) == 0) return w->found[i];
    return 0;
}

/* ---- a store ---- */

static tfp_status keep_row(void *ctx, tfp_watch_table_id table, const void *row, tfp_error *err)
{
    (void)table;
    return nomem_if(!watch_rows_add(ctx, row), err);
}

tfp_status tfp_watch_show(const char *dir, const char *table, const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!dir || !table || !out) return tfp_fail(err, TFP_BADARG, "no folder, no table, or nowhere to put the report");
    tfp_watch_table_id id = tfp_watch_find(tfp_str_of(table));
    if (id == TFP_WATCH_TABLES)
        return tfp_fail(err, TFP_BADARG, "--table '%s': must be watch_steps, watch_findings or watch_jobs", table);
    watch_rows rows;
    tfp_buf notes = { 0 };
    tfp_report *r = tfp_report_new(tfp_watch_tables[id].name, o);
    tfp_status s = watch_rows_start(&rows, id) && r ? TFP_OK : tfp_nomem(err);
    if (!s) s = watch_store_read(dir, id, keep_row, &rows, &notes, err);
    if (!s) s = watch_show_notes(r, &notes, err);
    if (!s) s = watch_rows_show(&rows, id, r, err);
    watch_rows_free(&rows);
    tfp_buf_free(&notes);
    return tfp_report_give(r, s, out);
}

int tfp_is_watch(const char *path)
{
    char name[PATH_MAX];
    if (!path || !tfp_duckdb_is_index(path)) return 0;
    int n = snprintf(name, sizeof name, "%s/%s", path, tfp_watch_tables[TFP_WATCH_STEPS].name);
    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

tfp_status tfp_watch_bands(const char *dir, const char *const *settings, const tfp_options *o, tfp_report **out,
                           tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!dir || !out) return tfp_fail(err, TFP_BADARG, "no folder, or nowhere to put the report");
    return watch_bands_of(dir, settings, o, out, err);
}
