// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/series.c: adds up the rows of an index, part by part, by job, operation and day. */
#include "fleet/trend/series.h"
#include "fleet/index/index.h"
#include "fleet/index/parts.h"
#include "query/order.h"

/* clang-format off */
#define PLAIN(title, kind) { .name = title, .type = TFP_CELL_##kind, .unit = TFP_LABEL }
static const tfp_table_column run_columns[] = { PLAIN("run", TEXT), PLAIN("steps", INT), PLAIN("truncated", BOOL) };
static const tfp_table_column step_columns[] = {
    PLAIN("run", TEXT), PLAIN("job", TEXT), PLAIN("date", DATE), PLAIN("duration_us", REAL)
};
static const tfp_table_column op_columns[] = {
    PLAIN("run", TEXT), PLAIN("job", TEXT), PLAIN("date", DATE), PLAIN("in_steps_us", REAL), PLAIN("op", TEXT)
};
static const tfp_table_column watch_columns[] = {
    PLAIN("run", TEXT), PLAIN("job", TEXT), PLAIN("date", DATE), PLAIN("duration_us", REAL), PLAIN("steps", INT)
};
/* clang-format on */
enum { RUN, STEPS, TRUNCATED };
enum { JOB = 1, DATE, MICROS, OP, COUNT = OP };

static uint64_t run_of(const tfp_batch *b, size_t row)
{
    return tfp_known_run(tfp_cell_text(b, b->columns[RUN].cells[row]));
}

static bool add_run(tfp_fleet_series *s, const tfp_batch *b, size_t row)
{
    const tfp_table_column *c = b->columns;
    if (c[RUN].absent[row] || c[STEPS].absent[row] || (!c[TRUNCATED].absent[row] && c[TRUNCATED].cells[row]))
        return true;
    int64_t steps = (int64_t)c[STEPS].cells[row];
    return steps <= 0 || steps >= UINT32_MAX - 1 || tfp_map64_put(&s->steps, run_of(b, row), (uint32_t)steps);
}

static bool series_of(tfp_fleet_series *s, tfp_str job, tfp_str op, uint32_t *out)
{
    tfp_series one = { tfp_intern(&s->names.table, job), op.data ? tfp_intern(&s->names.table, op) : TFP_NONE };
    if (one.job == TFP_NONE || (op.data && one.op == TFP_NONE)) return false;
    tfp_series *x = TFP_GROUP(&s->series, one.job, one.op);
    if (!x) return false;
    *x = one;
    *out = (uint32_t)(x - (tfp_series *)s->series.rows);
    return true;
}

/* Adds to a day of a series; dates have 32 bits in the files. */
static bool add_to_day(tfp_fleet_series *s, uint32_t series, int64_t date, double micros, double runs)
{
    tfp_day *x = TFP_GROUP(&s->days, series, (uint32_t)date);
    if (x) *x = (tfp_day){ series, (int32_t)date, x->sum + micros, x->runs + runs };
    return x != NULL;
}

static bool add_time(tfp_fleet_series *s, const tfp_batch *b, size_t row, tfp_str op, bool of_a_step)
{
    const tfp_table_column *c = b->columns;
    if (c[RUN].absent[row] || c[JOB].absent[row] || c[DATE].absent[row] || c[MICROS].absent[row]) return true;
    uint32_t steps = tfp_map64_get(&s->steps, run_of(b, row)), series;
    double micros = tfp_cell_real(c[MICROS].cells[row]);
    tfp_str job = tfp_cell_text(b, c[JOB].cells[row]);
    if (steps == TFP_NONE || !(micros >= 0 && micros < 1e300)) return true;
    if (s->job && !tfp_filter_matches(s->job, job)) return true;
    if (!series_of(s, job, op, &series)) return false;
    return add_to_day(s, series, (int64_t)c[DATE].cells[row], micros / steps, of_a_step ? 1.0 / steps : 1);
}

static bool add_step(tfp_fleet_series *s, const tfp_batch *b, size_t row)
{
    return add_time(s, b, row, (tfp_str){ 0 }, true);
}

static bool add_op(tfp_fleet_series *s, const tfp_batch *b, size_t row)
{
    if (b->columns[OP].absent[row]) return true;
    tfp_str op = tfp_cell_text(b, b->columns[OP].cells[row]);
    return (s->op && !tfp_filter_matches(s->op, op)) || add_time(s, b, row, op, false);
}

/* ---- steps of tfprof watch ---- */

typedef struct watched { /* the steps of a process on a day */
    uint32_t series;
    int64_t date;
    double sum, steps;
} watched;

/* A window without known steps is none. */
static bool add_watched(tfp_fleet_series *s, const tfp_batch *b, size_t row)
{
    const tfp_table_column *c = b->columns;
    uint32_t series;
    for (size_t i = RUN; i <= COUNT; i++)
        if (c[i].absent[row]) return true;
    tfp_str job = tfp_cell_text(b, c[JOB].cells[row]);
    double micros = tfp_cell_real(c[MICROS].cells[row]);
    int64_t steps = (int64_t)c[COUNT].cells[row], date = (int64_t)c[DATE].cells[row];
    if (steps <= 0 || !(micros >= 0 && micros < 1e300) || (s->job && !tfp_filter_matches(s->job, job))) return true;
    if (!series_of(s, job, (tfp_str){ 0 }, &series)) return false;
    watched *x = TFP_GROUP(&s->watched, run_of(b, row), (uint32_t)date);
    if (x) *x = (watched){ series, date, x->sum + micros, x->steps + (double)steps };
    return x != NULL;
}

/* Each process counts as one run, however many steps it made on a day. */
static bool end_watched(tfp_fleet_series *s)
{
    const watched *all = s->watched.rows;
    for (size_t i = 0; i < s->watched.count; i++)
        if (!add_to_day(s, all[i].series, all[i].date, all[i].sum / all[i].steps, 1)) return false;
    return true;
}

/* ---- the files ---- */

typedef bool add_fn(tfp_fleet_series *s, const tfp_batch *b, size_t row);

static tfp_status add_rows(tfp_fleet_series *s, const tfp_batch *b, add_fn *add, tfp_error *err)
{
    for (size_t i = 0; i < b->row_count; i++)
        if (!add(s, b, i)) return tfp_nomem(err);
    return TFP_OK;
}

static tfp_status add_runs(void *s, tfp_batch *b, tfp_error *err) { return add_rows(s, b, add_run, err); }
static tfp_status add_steps(void *s, tfp_batch *b, tfp_error *err) { return add_rows(s, b, add_step, err); }
static tfp_status add_ops(void *s, tfp_batch *b, tfp_error *err) { return add_rows(s, b, add_op, err); }

static tfp_status add_watch(void *s, tfp_batch *b, tfp_error *err) { return add_rows(s, b, add_watched, err); }

static const tfp_sort_key by_series[] = { TFP_UP(tfp_day, series), TFP_UP(tfp_day, date), { 0 } };

tfp_status tfp_series_read(tfp_fleet_series *s, const char *index, tfp_error *err)
{
    static const tfp_part_columns tables[] = {
        { TFP_FLEET_RUNS, NULL, run_columns, sizeof run_columns / sizeof *run_columns, add_runs },
        { TFP_FLEET_STEPS, NULL, step_columns, sizeof step_columns / sizeof *step_columns, add_steps },
        { TFP_FLEET_OPS, NULL, op_columns, sizeof op_columns / sizeof *op_columns, add_ops },
        { TFP_FLEET_STEPS, "watch_steps", watch_columns, sizeof watch_columns / sizeof *watch_columns, add_watch },
    };
    bool no_step = s->op != NULL; /* a filter for operations leaves out the series of whole steps */
    tfp_status status = tfp_texts_start(&s->names) ? TFP_OK : tfp_nomem(err);
    s->series.row_size = sizeof(tfp_series);
    s->days.row_size = sizeof(tfp_day);
    s->watched.row_size = sizeof(watched);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++)
        if (tables[i].table != TFP_FLEET_STEPS || !no_step) status = tfp_parts_each(index, &tables[i], s, err);
    if (!status && !end_watched(s)) status = tfp_nomem(err);
    if (!status && !tfp_order_rows(s->days.rows, s->days.row_size, s->days.count, by_series)) status = tfp_nomem(err);
    return status;
}

void tfp_series_free(tfp_fleet_series *s)
{
    tfp_texts_free(&s->names);
    tfp_groups_free(&s->series);
    tfp_groups_free(&s->days);
    tfp_groups_free(&s->watched);
    tfp_map64_free(&s->steps);
}
