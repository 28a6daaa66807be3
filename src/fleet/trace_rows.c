// SPDX-License-Identifier: Apache-2.0
/* fleet/trace_rows.c: rows from the tables of a trace: steps, kernels, collectives, transfers, memory, findings. Most columns have the
 * same name in both. */
#include "fleet/views.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "names/copies.h"
#include "query/groups.h"
#include "views/core/findings.h"
#include "views/core/grid.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdio.h>

/* ---- cells of a report's table ---- */

tfp_str tfp_fleet_text_at(const tfp_report *r, const char *name, size_t row)
{
    const tfp_table_column *c = tfp_grid_find(r->grid, name);
    return c && c->texts && !tfp_cell_absent(c, row) ? c->texts[row] : (tfp_str){ 0 };
}

double tfp_fleet_real_at(const tfp_report *r, const char *name, size_t row)
{
    const tfp_table_column *c = tfp_grid_find(r->grid, name);
    double x;
    return c && tfp_cell_real_at(c, row, &x) ? x : NAN;
}

static int64_t int_at(const tfp_report *r, const char *name, size_t row)
{
    const tfp_table_column *c = tfp_grid_find(r->grid, name);
    return c && c->ints && !tfp_cell_absent(c, row) ? c->ints[row] : TFP_ABSENT;
}

static void put_int(tfp_batch *b, int64_t n) { tfp_batch_int_if(b, n != TFP_ABSENT, n); }

/* Copies the report's cell with the name of the batch's next column. */
static void put_same(tfp_batch *b, const tfp_report *r, size_t row)
{
    const tfp_table_column *c = &b->columns[b->at];
    if (c->type == TFP_CELL_TEXT)
        tfp_batch_text(b, tfp_fleet_text_at(r, c->name, row));
    else if (c->type == TFP_CELL_REAL)
        tfp_batch_real(b, tfp_fleet_real_at(r, c->name, row));
    else
        put_int(b, int_at(r, c->name, row));
}

static void put_rest(tfp_batch *b, const tfp_report *r, size_t row)
{
    do put_same(b, r, row);
    while (b->at);
}

/* Writes "gpu:0"; with several ranks in a file "rank:3/gpu:0", as in the names of their lanes. */
static void put_device(tfp_batch *b, const tfp_report *r, size_t row)
{
    tfp_str device = tfp_fleet_text_at(r, "device", row);
    int64_t rank = int_at(r, "rank", row);
    char text[600];
    int n = rank == TFP_ABSENT ? -1
                               : snprintf(text, sizeof text, "rank:%lld/%.*s", (long long)rank,
                                          (int)(device.size < 500 ? device.size : 500), device.data);
    tfp_batch_text(b, n < 0 ? device : (tfp_str){ text, (size_t)n });
}

/* ---- steps ---- */

typedef struct step_sum {
    int64_t step, devices;
    double start_us, end_us, duration_us;
} step_sum;

/* Adds a step. If devices have different windows, the step lasts from the first start to the last end. Where the host
 * runs ahead of devices, it takes as long as on the slowest one. */
static bool add_step(const tfp_report *r, size_t row, int64_t step, tfp_groups *steps)
{
    step_sum *x = TFP_GROUP(steps, (uint64_t)step);
    double start = tfp_fleet_real_at(r, "start_us", row), duration = tfp_fleet_real_at(r, "duration_us", row),
           end = start + duration;
    if (!x) return false;
    if (int_at(r, "paces", row) == 1) duration = tfp_fleet_real_at(r, "step_us", row), end = start + duration;
    if (!x->devices++) {
        *x = (step_sum){ step, 1, start, end, duration };
        return true;
    }
    if (start >= x->start_us && end <= x->end_us) return true;
    if (start < x->start_us) x->start_us = start;
    if (end > x->end_us) x->end_us = end;
    x->duration_us = x->end_us - x->start_us;
    return true;
}

static bool put_steps(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    size_t count = r->grid->row_count;
    tfp_batch *steps = &rows->tables[TFP_FLEET_STEPS], *b = &rows->tables[TFP_FLEET_STEP_DEVICES];
    tfp_groups sums = { .row_size = sizeof(step_sum) };
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        int64_t step;
        bool one = tfp_parse_int64(tfp_fleet_text_at(r, "step", i), &step);
        if (int_at(r, "paces", i) == TFP_STEP_IN_DOUBT) continue; /* findings of `check` tell it */
        if (one) ok = add_step(r, i, step, &sums);
        tfp_fleet_put_key(b, run);
        put_int(b, one ? step : TFP_ABSENT);
        put_device(b, r, i);
        put_rest(b, r, i);
    }
    for (const step_sum *x = sums.rows, *last = x + sums.count; ok && x < last; x++) {
        tfp_fleet_put_key(steps, run);
        tfp_batch_int(steps, x->step);
        tfp_batch_real(steps, x->start_us);
        tfp_batch_real(steps, x->duration_us);
    }
    tfp_groups_free(&sums);
    return ok;
}

/* ---- kernels ---- */

/* The sum of rows with one name and class over several ranks. */
typedef struct kernel_sum {
    tfp_str name, class, ops;
    int64_t count, bytes;
    double total_us, min_us, max_us, occupied_us, known_us;
} kernel_sum;

static void add_kernel(kernel_sum *x, const tfp_report *r, size_t row)
{
    double total = tfp_fleet_real_at(r, "total_us", row), min = tfp_fleet_real_at(r, "min_us", row),
           max = tfp_fleet_real_at(r, "max_us", row);
    double occupancy = tfp_fleet_real_at(r, "occupancy", row);
    int64_t bytes = int_at(r, "bytes", row);
    x->min_us = x->count && x->min_us < min ? x->min_us : min;
    x->max_us = x->count && x->max_us > max ? x->max_us : max;
    x->count = tfp_add(x->count, int_at(r, "count", row), NULL);
    x->total_us += total;
    if (bytes != TFP_ABSENT) x->bytes = x->bytes == TFP_ABSENT ? bytes : tfp_add(x->bytes, bytes, NULL);
    if (isnan(occupancy)) return;
    x->occupied_us += occupancy * total;
    x->known_us += total;
}

static void put_kernel(tfp_batch *b, const tfp_fleet_run *run, const kernel_sum *x)
{
    tfp_fleet_put_key(b, run);
    tfp_batch_text(b, x->name);
    tfp_batch_text(b, x->class);
    tfp_batch_int(b, x->count);
    tfp_batch_real(b, x->total_us);
    tfp_batch_real(b, x->min_us);
    tfp_batch_real(b, x->max_us);
    put_int(b, x->bytes);
    tfp_batch_real(b, x->known_us > 0 ? x->occupied_us / x->known_us : NAN);
    tfp_batch_text(b, x->ops);
}

static bool put_kernels(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    tfp_groups sums = { .row_size = sizeof(kernel_sum) };
    tfp_arena arena = { 0 };
    tfp_strtab texts = { 0 };
    bool ok = !tfp_strtab_init(&texts, &arena);
    for (size_t i = 0; i < r->grid->row_count && ok; i++) {
        tfp_str name = tfp_fleet_text_at(r, "name", i), class = tfp_fleet_text_at(r, "class", i);
        tfp_strid ids[] = { tfp_intern(&texts, name), tfp_intern(&texts, class) };
        ok = ids[0] != TFP_NONE && ids[1] != TFP_NONE;
        kernel_sum *x = ok ? TFP_GROUP(&sums, ids[0], ids[1]) : NULL;
        if (!(ok = x != NULL)) break;
        if (!x->class.data)
            *x = (kernel_sum){
                .name = name, .class = class, .ops = tfp_fleet_text_at(r, "ops", i), .bytes = TFP_ABSENT
            };
        add_kernel(x, r, i);
    }
    for (const kernel_sum *x = sums.rows, *last = x + sums.count; ok && x < last; x++)
        put_kernel(&rows->tables[TFP_FLEET_KERNELS], run, x);
    tfp_groups_free(&sums);
    tfp_strtab_free(&texts);
    tfp_arena_free(&arena);
    return ok;
}

/* ---- collectives and copies ---- */

/* These are the kinds of copies; every other kind is a collective. */
static bool is_copy(tfp_str kind)
{
    static const char *const kinds[] = { "set", "copy", "infeed", "outfeed", "MEMCPY", NULL };
    for (const char *const *k = kinds; *k; k++)
        if (tfp_str_begins(kind, tfp_str_of(*k))) return true;
    return tfp_direction_at_start(kind) != TFP_UNKNOWN_DIRECTION;
}

static bool put_transfers(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    for (size_t i = 0; i < r->grid->row_count; i++) {
        bool copy = is_copy(tfp_fleet_text_at(r, "kind", i));
        tfp_batch *b = &rows->tables[copy ? TFP_FLEET_TRANSFERS : TFP_FLEET_COLLECTIVES];
        tfp_fleet_put_key(b, run);
        put_same(b, r, i);
        put_device(b, r, i);
        put_rest(b, r, i);
    }
    return true;
}

/* ---- memory ---- */

static const tfp_fact *numbered_fact(const tfp_report *r, const char *name, unsigned number)
{
    char text[40];
    snprintf(text, sizeof text, "%s_%u", name, number);
    for (size_t i = 0; i < r->facts.size; i++)
        if (strcmp(r->facts.at[i].name, text) == 0) return &r->facts.at[i];
    return NULL;
}

static void put_peak(tfp_batch *b, const tfp_fleet_run *run, const tfp_report *r, unsigned number)
{
    static const char before_row[] = "(held before the recording)";
    const tfp_fact *peak = numbered_fact(r, "peak_bytes", number), *before = numbered_fact(r, "before_bytes", number);
    tfp_str device = tfp_str_of(peak->label + strlen("peak of "));
    int64_t row = -1, any = -1;
    for (size_t i = 0; i < r->grid->row_count && row < 0; i++) { /* rows are sorted: the first one holds most memory */
        if (!tfp_str_eq(tfp_fleet_text_at(r, "device", i), device)) continue;
        any = (int64_t)i;
        if (!tfp_str_eq(tfp_fleet_text_at(r, "op", i), tfp_str_of(before_row))) row = (int64_t)i;
    }
    tfp_fleet_put_key(b, run);
    tfp_batch_text(b, device);
    tfp_batch_int(b, peak->number);
    tfp_batch_real(b, any < 0 ? NAN : tfp_fleet_real_at(r, "at_us", (size_t)any));
    tfp_batch_text(b, row < 0 ? (tfp_str){ 0 } : tfp_fleet_text_at(r, "op", (size_t)row));
    put_int(b, row < 0 ? TFP_ABSENT : int_at(r, "bytes", (size_t)row));
    put_int(b, before && !before->absent ? before->number : TFP_ABSENT);
}

static bool put_peaks(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    enum { DEVICES_TOLD = 64 };
    for (unsigned n = 1; n <= DEVICES_TOLD; n++)
        if (numbered_fact(r, "peak_bytes", n)) put_peak(&rows->tables[TFP_FLEET_MEMORY_PEAKS], run, r, n);
    return true;
}

/* Memory that was estimated from nodes is left out, because it was not measured. */
static bool has_memory(const tfp_profile *p)
{
    return tfp_events_of(p)->memory.size || tfp_details_of(p)->allocations.size;
}

/* ---- findings ---- */

static bool put_advice(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    tfp_batch *b = &rows->tables[TFP_FLEET_FINDINGS];
    for (size_t i = 0; i < r->findings.size; i++) {
        tfp_fleet_put_key(b, run);
        tfp_batch_text(b, TFP_STR("advise"));
        tfp_batch_none(b);
        tfp_batch_text(b, r->tree->rows.at[r->findings.at[i].checker].name);
        tfp_batch_text(b, r->findings.at[i].text);
        tfp_batch_none(b);
    }
    return true;
}

static bool put_checks(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    tfp_batch *b = &rows->tables[TFP_FLEET_FINDINGS];
    for (size_t i = 0; i < r->grid->row_count; i++) {
        tfp_fleet_put_key(b, run);
        tfp_batch_text(b, TFP_STR("check"));
        tfp_batch_text(b, tfp_fleet_text_at(r, "severity", i));
        tfp_batch_none(b);
        tfp_batch_text(b, tfp_fleet_text_at(r, "what", i));
        put_int(b, int_at(r, "count", i));
    }
    return true;
}

/* ---- limits ---- */

/* The sum of the operators of one class. */
typedef struct limit_sum {
    tfp_str class;
    double device_us, not_judged_us, ideal_us, loss_us, latency_us;
    bool judged;
} limit_sum;

static void add_limit(limit_sum *x, const tfp_report *r, size_t row)
{
    double ideal = tfp_fleet_real_at(r, "ideal_us", row), latency = tfp_fleet_real_at(r, "latency_us", row);
    x->device_us += tfp_fleet_real_at(r, "device_us", row);
    x->not_judged_us += tfp_fleet_real_at(r, "not_judged_us", row);
    if (!isnan(latency)) x->latency_us += latency;
    if (isnan(ideal)) return;
    x->judged = true;
    x->ideal_us += ideal;
    x->loss_us += tfp_fleet_real_at(r, "loss_us", row);
}

static double real_fact(const tfp_report *r, const char *name)
{
    for (size_t i = 0; i < r->facts.size; i++)
        if (strcmp(r->facts.at[i].name, name) == 0) return r->facts.at[i].absent ? NAN : r->facts.at[i].real;
    return NAN;
}

/* run: the facts of the whole run; NULL: the row is of a class. */
static void put_limit(tfp_batch *b, const tfp_fleet_run *run, const limit_sum *x, const tfp_report *facts)
{
    static const char *const names[] = { "mfu", "bandwidth_use", "step_us", "bound_us" };
    double judged = x->device_us - x->not_judged_us;
    tfp_fleet_put_key(b, run);
    tfp_batch_text(b, x->class);
    tfp_batch_real(b, x->device_us);
    tfp_batch_real(b, x->not_judged_us);
    tfp_batch_real(b, x->judged ? x->ideal_us : NAN);
    tfp_batch_real(b, x->judged ? x->loss_us : NAN);
    tfp_batch_real(b, x->judged ? x->latency_us : NAN);
    tfp_batch_real(b, x->judged && judged > 0 ? x->ideal_us / judged : NAN);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        tfp_batch_real(b, facts ? real_fact(facts, names[i]) : NAN);
}

static bool put_limits(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    enum { CLASSES = 16 };
    limit_sum all = { 0 }, of[CLASSES] = { 0 };
    size_t count = 0;
    tfp_batch *b = &rows->tables[TFP_FLEET_LIMITS];
    for (size_t i = 0; i < r->grid->row_count; i++) {
        tfp_str class = tfp_fleet_text_at(r, "class", i);
        size_t at = 0;
        while (at < count && !tfp_str_eq(of[at].class, class)) at++;
        if (at == CLASSES) at--; /* there are ten classes */
        if (at == count) of[count++].class = class;
        add_limit(&of[at], r, i);
        add_limit(&all, r, i);
    }
    put_limit(b, run, &all, r);
    for (size_t i = 0; i < count; i++) put_limit(b, run, &of[i], NULL);
    return true;
}

static bool has_shapes(const tfp_profile *p) { return tfp_profile_has(p, TFP_HAS_SHAPES); }

/* ---- the views ---- */

static const char *const by_op[] = { "by", "op", NULL }, *const json[] = { "format", "json", NULL }; /* all columns */

const tfp_fleet_source tfp_fleet_of_tables[] = {
    { TFP_FLEET_BIT(TFP_FLEET_STEPS) | TFP_FLEET_BIT(TFP_FLEET_STEP_DEVICES), &tfp_view_steps, NULL, NULL, put_steps },
    { TFP_FLEET_BIT(TFP_FLEET_KERNELS), &tfp_view_kernel, NULL, NULL, put_kernels },
    { TFP_FLEET_BIT(TFP_FLEET_COLLECTIVES) | TFP_FLEET_BIT(TFP_FLEET_TRANSFERS), &tfp_view_transfer, NULL, NULL,
      put_transfers },
    { TFP_FLEET_BIT(TFP_FLEET_MEMORY_PEAKS), &tfp_view_memory, by_op, has_memory, put_peaks },
    { TFP_FLEET_BIT(TFP_FLEET_FINDINGS), &tfp_view_advise, NULL, NULL, put_advice },
    { TFP_FLEET_BIT(TFP_FLEET_FINDINGS), &tfp_view_check, NULL, NULL, put_checks },
    { TFP_FLEET_BIT(TFP_FLEET_LIMITS), &tfp_view_limits, json, has_shapes, put_limits },
    { 0, NULL, NULL, NULL, NULL },
};
