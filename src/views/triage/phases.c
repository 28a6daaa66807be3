// SPDX-License-Identifier: Apache-2.0
/* views/triage/phases.c: the table `phases` of queries: the steps of each phase on each rank, with their requests, tokens and
 * time. Steps that are in no mean count in no rate. */
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/view.h"
#include "views/spans/doubts.h"
#include "views/spans/trace.h"
#include "views/trace/tables.h"
#include "views/triage/triage.h"

#include <math.h>

typedef struct sums {                  /* of a phase on a rank */
    int64_t steps, requests, tokens;   /* TFP_ABSENT: unknown */
    int64_t timed_steps, timed_tokens; /* of the steps that are not in doubt */
    int64_t paced, paced_ns;           /* rows that tell how long a step takes, and their sum */
    int64_t device_ns, busy_ns;        /* busy: of steps that are not in doubt, over all devices */
    int64_t devices;
    tfp_covered covered; /* of the device that is being measured */
    tfp_strid largest;
    int64_t largest_ns;
    uint32_t unit;
    tfp_phase phase;
} sums;

typedef struct kernel_sum {
    uint32_t sums; /* index in the groups of sums */
    tfp_strid name;
    int64_t ns;
} kernel_sum;

typedef struct phases {
    tfp_report *r;
    const tfp_trace_index *x;
    tfp_map64 phase_of; /* unit << 32 | step -> index in the groups of sums, times 2, plus 1 if it is in no doubt */
    tfp_groups sums, kernels;
    bool whole;   /* steps without a phase count, too */
    bool unknown; /* most steps are in doubt */
} phases;

static void plus(int64_t *to, int64_t n)
{
    *to = *to == TFP_ABSENT || n == TFP_ABSENT ? TFP_ABSENT : tfp_add(*to, n, NULL);
}

static tfp_phase phase_named(tfp_str name)
{
    for (int i = TFP_PHASE_NONE + 1; i < TFP_PHASES && name.data; i++)
        if (tfp_str_eq(name, tfp_str_of(tfp_phase_name((tfp_phase)i)))) return (tfp_phase)i;
    return TFP_PHASE_NONE;
}

/* Adds a row of `steps`; `first`: of the first device of its rank, whose rows tell what is the same on all. */
static bool add_step(phases *t, const tfp_step_row *row, bool first)
{
    tfp_phase phase = phase_named(row->served.phase);
    if ((!phase && !t->whole) || row->step_at == TFP_NONE) return true;
    sums *s = TFP_GROUP(&t->sums, row->unit, phase);
    if (!s) return false;
    s->unit = row->unit;
    s->phase = phase;
    if (first) {
        plus(&s->steps, 1);
        plus(&s->requests, row->served.requests);
        plus(&s->tokens, row->served.tokens);
        if (row->paces >= 0) plus(&s->timed_steps, 1), plus(&s->timed_tokens, row->served.tokens);
    }
    if (row->paces > 0) plus(&s->paced_ns, row->step_ns), s->paced++;
    return tfp_map64_put(&t->phase_of, (uint64_t)row->unit << 32 | row->step_at,
                         2 * tfp_group_index(&t->sums, s) + (row->paces >= 0));
}

/* Adds the activities of a device, which come by start. */
static bool add_device(phases *t, const tfp_trace_device *d)
{
    const tfp_trace_index *x = t->x;
    sums *all = t->sums.rows;
    for (size_t i = 0; i < t->sums.count; i++) all[i].covered = (tfp_covered){ 0 };
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = x->items[d->first + i], step = x->s->step[span];
        if (step == TFP_NONE || tfp_lanes_of(x->p)->at[x->s->lane[span]].role == TFP_ROLE_ASYNC) continue;
        uint32_t at = tfp_map64_get(&t->phase_of, (uint64_t)d->unit << 32 | step);
        if (at == TFP_NONE) continue;
        kernel_sum *k = TFP_GROUP(&t->kernels, at / 2, x->s->name[span]);
        if (!k) return false;
        *k = (kernel_sum){ at / 2, x->s->name[span], tfp_add(k->ns, x->s->self_ns[span], NULL) };
        if (at & 1) tfp_covered_add(&all[at / 2].covered, x->s->start_ns[span], tfp_span_end(x->s, span));
    }
    for (size_t i = 0; i < t->sums.count; i++) {
        if (all[i].unit != d->unit) continue;
        plus(&all[i].busy_ns, all[i].covered.length);
        all[i].devices++;
    }
    return true;
}

static bool add_activities(phases *t)
{
    sums *all = t->sums.rows;
    for (size_t i = 0; i < t->x->device_count; i++)
        if (!t->x->devices[i].host && !add_device(t, &t->x->devices[i])) return false;
    const kernel_sum *k = t->kernels.rows;
    for (size_t i = 0; i < t->kernels.count; i++) {
        sums *s = &all[k[i].sums];
        plus(&s->device_ns, k[i].ns);
        if (k[i].ns > s->largest_ns) s->largest_ns = k[i].ns, s->largest = k[i].name;
    }
    return true;
}

static tfp_phase_row row_of(const phases *t, const sums *s)
{
    tfp_phase_row out = { .rank = t->x->units[s->unit].rank,
                          .steps = s->steps,
                          .requests = s->requests,
                          .tokens = s->tokens,
                          .device_ns = s->device_ns,
                          .unit = s->unit,
                          .of = s->phase,
                          .step_us = NAN,
                          .tokens_per_second = NAN,
                          .busy_share = NAN,
                          .largest_share = NAN };
    if (s->phase) out.phase = tfp_str_of(tfp_phase_name(s->phase));
    if (s->paced) out.step_us = (double)s->paced_ns / 1000 / (double)s->paced;
    double us = out.step_us * (double)s->timed_steps;
    if (us > 0 && s->timed_tokens != TFP_ABSENT) out.tokens_per_second = (double)s->timed_tokens / us * 1e6;
    if (s->devices && us > 0 && !t->unknown) out.busy_share = (double)s->busy_ns / 1000 / us / (double)s->devices;
    if (s->largest_ns) {
        out.largest = tfp_text(t->x->p, s->largest);
        out.largest_share = (double)s->largest_ns / (double)s->device_ns;
    }
    return out;
}

tfp_status tfp_phase_rows(tfp_report *r, const tfp_trace_index *x, bool whole, tfp_phase_row **rows, size_t *count,
                          tfp_error *err)
{
    static const tfp_sort_key by_rank[] = { TFP_UP(tfp_phase_row, unit), TFP_UP(tfp_phase_row, of), { 0 } };
    phases t = {
        .r = r, .x = x, .whole = whole, .sums.row_size = sizeof(sums), .kernels.row_size = sizeof(kernel_sum)
    };
    tfp_step_row *steps;
    size_t step_count;
    tfp_doubted_steps doubted;
    tfp_status s = tfp_step_rows(r, x, &steps, &step_count, err);
    if (s) return s;
    bool ok = tfp_doubted_steps_of(r, x, &doubted);
    t.unknown = ok && doubted.most;
    uint32_t first = 0; /* the first device of the rank */
    for (size_t i = 0; i < step_count && ok; i++) {
        if (!i || steps[i].unit != steps[i - 1].unit) first = steps[i].device_at;
        ok = add_step(&t, &steps[i], steps[i].device_at == first);
    }
    ok = ok && add_activities(&t);
    *count = t.sums.count;
    *rows = TFP_NEW(tfp_arena_of(r), tfp_phase_row, *count + 1);
    for (size_t i = 0; i < *count && ok && *rows; i++) (*rows)[i] = row_of(&t, (const sums *)t.sums.rows + i);
    ok = ok && *rows && tfp_order_rows(*rows, sizeof **rows, *count, by_rank);
    tfp_map64_free(&t.phase_of);
    tfp_groups_free(&t.sums);
    tfp_groups_free(&t.kernels);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(tfp_phase_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN(tfp_phase_row, "phase", TEXT, LABEL, phase, "prefill, decode, mixed, verify, draft or idle."),
    TFP_COLUMN(tfp_phase_row, "steps", INT, NUMBER, steps, "How many steps are of it."),
    TFP_COLUMN(tfp_phase_row, "requests", INT, NUMBER, requests, "Sum of the requests in them."),
    TFP_COLUMN(tfp_phase_row, "tokens", INT, NUMBER, tokens, "Sum of the tokens that they read or made."),
    TFP_COLUMN(tfp_phase_row, "step_us", REAL, MICROS, step_us, "How long such a step takes: the mean."),
    TFP_COLUMN(tfp_phase_row, "tokens_per_second", REAL, NUMBER, tokens_per_second, "Tokens divided by the time of the steps."),
    TFP_COLUMN(tfp_phase_row, "device_us", NANO, MICROS, device_ns, "Time of all activities that the steps launched."),
    TFP_COLUMN(tfp_phase_row, "busy_share", REAL, SHARE, busy_share, "Share of the steps' time in which a device works."),
    TFP_COLUMN_KERNELS(tfp_phase_row, "largest", largest, "The kernel with most time on the device."),
    TFP_COLUMN(tfp_phase_row, "largest_share", REAL, SHARE, largest_share, "Its share of device_us."),
    { 0 },
};
/* clang-format on */

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    tfp_phase_row *rows;
    size_t count;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (!s) s = tfp_phase_rows(r, &x, false, &rows, &count, err);
    return s ? s : tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, tfp_trace_shown(&x) }, err);
}

const tfp_view tfp_view_phases = {
    "phases",
    "What a server did, phase by phase: steps, requests, tokens, and the time that they took.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS | TFP_NEEDS_EVENTS,
    columns,
    "no marker of a step tells a phase",
};
