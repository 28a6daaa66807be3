// SPDX-License-Identifier: Apache-2.0
/* watch/store/bands.c: sums of steps by process and part of time. Parts begin at multiples of their length, which is
 * doubled when there are too many of them, so that one pass over the rows is enough whatever time they cover. */
#include "watch/store/bands.h"
#include "fleet/rows.h"
#include "query/groups.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "watch/store/show.h"

#include <math.h>

enum { COUNT = 240, COUNT_LEAST = 10, COUNT_MOST = 2000, RUNS_MOST = 512, TIMES = 9 };
#define FIRST_US 1000000 /* length of a part at first */

/* Times of a row that are summed up, in the order of the table's columns. */
static const size_t times[TIMES] = { offsetof(tfp_watch_step, duration_us),  offsetof(tfp_watch_step, wait_us),
                                     offsetof(tfp_watch_step, input_us),     offsetof(tfp_watch_step, gc_us),
                                     offsetof(tfp_watch_step, lock_us),      offsetof(tfp_watch_step, storage_us),
                                     offsetof(tfp_watch_step, throttled_us), offsetof(tfp_watch_step, compute_us),
                                     offsetof(tfp_watch_step, run_delay_us) };

typedef struct band { /* of a process in a part of time */
    uint32_t run;
    int64_t part; /* number of its beginning, in lengths since 1970 */
    int64_t steps, late_steps;
    double weight, sums[TIMES], late;
} band;

typedef struct process {
    tfp_strid run, job, host;
    int64_t rank, pid;
    uint32_t order;
} process;

typedef struct bands {
    tfp_str job; /* no data: all */
    int64_t from, to, count;
    int64_t length_us, first, last; /* numbers of the first and last part; none: first > last */
    size_t left_out;                /* rows of further processes */
    tfp_texts texts;
    tfp_groups runs, parts;
} bands;

/* ---- settings ---- */

static tfp_status set(bands *b, const char *name, const char *value, tfp_error *err)
{
    int64_t n, *number = !strcmp(name, "from") ? &b->from : !strcmp(name, "to") ? &b->to : NULL;
    if (strcmp(name, "job") == 0) {
        b->job = tfp_str_of(value);
        return TFP_OK;
    }
    if (!strcmp(name, "count")) number = &b->count;
    if (!number) return tfp_fail(err, TFP_BADARG, "bands have no setting '%s'", name);
    if (!tfp_parse_int64(tfp_str_of(value), &n) || n < 0)
        return tfp_fail(err, TFP_BADARG, "%s '%s': must be a number from 0 on", name, value);
    *number = n;
    if (b->count < COUNT_LEAST || b->count > COUNT_MOST)
        return tfp_fail(err, TFP_BADARG, "count '%s': must be a number from %d to %d", value, COUNT_LEAST, COUNT_MOST);
    return TFP_OK;
}

/* ---- sums ---- */

static void add(band *to, const band *more)
{
    to->steps = tfp_add(to->steps, more->steps, NULL);
    to->late_steps += more->late_steps;
    to->late += more->late;
    to->weight += more->weight;
    for (size_t i = 0; i < TIMES; i++) to->sums[i] += more->sums[i];
}

static bool put(bands *b, const band *one)
{
    band *to = TFP_GROUP(&b->parts, one->run, (uint64_t)one->part);
    if (!to) return false;
    to->run = one->run;
    to->part = one->part;
    add(to, one);
    return true;
}

/* Doubles the length of the parts. False: out of memory. */
static bool double_length(bands *b)
{
    tfp_groups old = b->parts;
    bool ok = true;
    b->parts = (tfp_groups){ .row_size = sizeof(band) };
    b->length_us *= 2;
    b->first /= 2;
    b->last /= 2;
    for (size_t i = 0; i < old.count && ok; i++) {
        band one = ((const band *)old.rows)[i];
        one.part /= 2;
        ok = put(b, &one);
    }
    tfp_groups_free(&old);
    return ok;
}

static tfp_strid keep(bands *b, tfp_str text) { return tfp_intern(&b->texts.table, text.data ? text : TFP_STR("")); }

/* *run: the number of the row's process; TFP_NONE: there are too many. False: out of memory. */
static bool run_of(bands *b, const tfp_watch_step *row, uint32_t *run)
{
    process one = { keep(b, row->run), keep(b, row->job), keep(b, row->host), row->rank, row->pid, 0 };
    if (one.run == TFP_NONE || one.job == TFP_NONE || one.host == TFP_NONE) return false;
    process *p = TFP_GROUP(&b->runs, one.run);
    if (!p) return false;
    if (b->runs.added) *p = one;
    *run = tfp_group_index(&b->runs, p);
    if (*run >= RUNS_MOST) *run = TFP_NONE;
    return true;
}

static tfp_status take(void *ctx, tfp_watch_table_id table, const void *bytes, tfp_error *err)
{
    bands *b = ctx;
    const tfp_watch_step *row = bytes;
    band one = { 0 };
    (void)table;
    if (row->start < b->from || row->start > b->to || isnan(row->duration_us)) return TFP_OK;
    if (b->job.data && !tfp_str_eq(b->job, row->job)) return TFP_OK;
    if (!run_of(b, row, &one.run)) return tfp_nomem(err);
    if (one.run == TFP_NONE) {
        b->left_out++;
        return TFP_OK;
    }
    one.part = row->start / b->length_us;
    one.steps = row->steps == TFP_ABSENT ? 0 : row->steps;
    one.weight = one.steps > 0 ? (double)one.steps : 1;
    for (size_t i = 0; i < TIMES; i++) {
        double us;
        memcpy(&us, (const char *)row + times[i], sizeof us);
        if (!isnan(us)) one.sums[i] = us;
    }
    if (!isnan(row->late_us)) one.late = row->late_us, one.late_steps = 1;
    if (b->first > b->last) b->first = b->last = one.part;
    if (one.part < b->first) b->first = one.part;
    if (one.part > b->last) b->last = one.part;
    while (b->last - b->first >= b->count) {
        if (!double_length(b)) return tfp_nomem(err);
        one.part /= 2;
    }
    return put(b, &one) ? TFP_OK : tfp_nomem(err);
}

/* ---- the table ---- */

typedef struct band_row {
    tfp_str run, job, host, start;
    int64_t rank, pid, steps, order, part;
    double length_us, late_us, means[TIMES];
} band_row;

/* clang-format off */
#define MEAN(column, at, help) TFP_COLUMN(band_row, column, REAL, MICROS, means[at], help)
static const tfp_table_column columns[] = {
    TFP_COLUMN(band_row, "run", TEXT, LABEL, run, "The process, as in watch_steps."),
    TFP_COLUMN(band_row, "job", TEXT, LABEL, job, "File name of the job's program."),
    TFP_COLUMN(band_row, "host", TEXT, LABEL, host, "The host."),
    TFP_COLUMN(band_row, "rank", INT, LABEL, rank, "The rank."),
    TFP_COLUMN(band_row, "pid", INT, LABEL, pid, "Number of the process."),
    TFP_COLUMN(band_row, "start", TEXT, LABEL, start, "When the part of time begins, UTC."),
    TFP_COLUMN(band_row, "length_us", REAL, MICROS, length_us, "Length of the part, the same in all rows."),
    TFP_COLUMN(band_row, "steps", INT, NUMBER, steps, "Steps that began in it; 0: windows without known steps."),
    TFP_COLUMN(band_row, "late_us", REAL, MICROS, late_us, "Mean arrival after the median rank."),
    MEAN("duration_us", 0, "Mean step, as all times that follow; or a window."),
    MEAN("wait_us", 1, "In collectives and waits."),
    MEAN("input_us", 2, "In the loader, in reads and sleeps before the forward."),
    MEAN("gc_us", 3, "In the garbage collector of Python."),
    MEAN("lock_us", 4, "In locks and queues."),
    MEAN("storage_us", 5, "Waiting for storage."),
    MEAN("throttled_us", 6, "Throttled by the limit of its cgroup."),
    MEAN("compute_us", 7, "The rest."),
    MEAN("run_delay_us", 8, "Main thread runnable, but not running."),
    { .name = NULL },
};
/* clang-format on */

static const tfp_sort_key by_rank[] = {
    TFP_UP(band_row, job), TFP_UP(band_row, rank), TFP_UP(band_row, order), TFP_UP(band_row, part), { 0 }
};

static tfp_str copy(tfp_report *r, tfp_str text)
{
    const char *at = tfp_arena_copy(tfp_arena_of(r), text);
    return (tfp_str){ at, at ? text.size : 0 };
}

static bool fill_row(tfp_report *r, const bands *b, const band *one, band_row *to)
{
    const process *p = (const process *)b->runs.rows + one->run;
    char time[TFP_TIME_TEXT];
    to->run = copy(r, tfp_strtab_get(&b->texts.table, p->run));
    to->job = copy(r, tfp_strtab_get(&b->texts.table, p->job));
    to->host = copy(r, tfp_strtab_get(&b->texts.table, p->host));
    to->start = copy(r, tfp_fleet_time(TFP_CELL_TIME, one->part * b->length_us, false, time));
    to->rank = p->rank;
    to->pid = p->pid;
    to->steps = one->steps;
    to->order = one->run;
    to->part = one->part;
    to->length_us = (double)b->length_us;
    to->late_us = one->late_steps ? one->late / (double)one->late_steps : NAN;
    for (size_t i = 0; i < TIMES; i++) to->means[i] = round(one->sums[i] / one->weight);
    return to->run.data && to->job.data && to->host.data && to->start.data;
}

static tfp_status show(const bands *b, tfp_report *r, tfp_error *err)
{
    band_row *rows = tfp_arena_zero(tfp_arena_of(r), b->parts.count + 1, sizeof *rows);
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < b->parts.count; i++)
        if (!fill_row(r, b, (const band *)b->parts.rows + i, &rows[i])) return tfp_nomem(err);
    if (!tfp_order_rows(rows, sizeof *rows, b->parts.count, by_rank)) return tfp_nomem(err);
    if (b->left_out && tfp_report_note_add(r, TFP_NOTE_RECORDING, err,
                                           "%zu rows of more than %d processes are left out: name a job or a time",
                                           b->left_out, RUNS_MOST))
        return tfp_nomem(err);
    tfp_status s = tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, b->parts.count, 0 }, err);
    return s ? s : tfp_grid_arrange(r, err);
}

tfp_status watch_bands_of(const char *dir, const char *const *settings, const tfp_options *o, tfp_report **out,
                          tfp_error *err)
{
    bands b = { .to = INT64_MAX, .count = COUNT, .length_us = FIRST_US, .first = 1 };
    tfp_buf notes = { 0 };
    tfp_status s = TFP_OK;
    b.runs.row_size = sizeof(process);
    b.parts.row_size = sizeof(band);
    for (size_t i = 0; settings && settings[i] && !s; i += 2)
        if (settings[i + 1]) s = set(&b, settings[i], settings[i + 1], err);
    tfp_report *r = s ? NULL : tfp_report_new("watch_bands", o);
    if (!s) s = r && tfp_texts_start(&b.texts) ? TFP_OK : tfp_nomem(err);
    if (!s) s = watch_store_read(dir, TFP_WATCH_STEPS, take, &b, &notes, err);
    if (!s) s = watch_show_notes(r, &notes, err);
    if (!s) s = show(&b, r, err);
    tfp_groups_free(&b.runs);
    tfp_groups_free(&b.parts);
    tfp_texts_free(&b.texts);
    tfp_buf_free(&notes);
    return tfp_report_give(r, s, out);
}
