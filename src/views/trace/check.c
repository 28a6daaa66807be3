// SPDX-License-Identifier: Apache-2.0
/* views/trace/check.c: the table `check`: findings about a trace's data, from the readers and the join, and those that need
 * all files. A finding does not exclude anything from other tables. */
#include "model/graphs.h"
#include "model/span_names.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "views/core/coverage.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/spans/doubts.h"
#include "views/spans/nest.h"
#include "views/trace/tables.h"

#include <stdio.h>

typedef struct row {
    tfp_str severity, what;
    uint32_t weight; /* of the severity: 0 is the most severe */
    int64_t count;
    tfp_str first;
} row;

typedef struct checks {
    tfp_report *r;
    tfp_trace_index x;
    TFP_VEC(row) rows;
} checks;

static bool add(checks *t, const char *severity, const char *what, int64_t count, tfp_str first)
{
    if (!count) return true;
    uint32_t weight = strcmp(severity, "error") == 0 ? 0 : strcmp(severity, "warning") == 0 ? 1 : 2;
    return tfp_push(&t->rows, ((row){ tfp_str_of(severity), tfp_str_of(what), weight, count, first }));
}

/* ---- spans that cross ---- */

static bool is_host_op(const tfp_span_columns *s, uint32_t span)
{
    return s->kind[span] == TFP_SPAN_OP || s->kind[span] == TFP_SPAN_CALL;
}

static int64_t tolerance_of(const checks *t, uint32_t span)
{
    uint32_t process = tfp_lanes_of(t->x.p)->at[t->x.s->lane[span]].process;
    return process == TFP_NONE ? 0 : tfp_events_of(t->x.p)->processes.at[process].tolerance_ns;
}

/* Reports host ops of one thread that begin inside another one and end after it. */
static bool check_nesting(checks *t)
{
    const tfp_span_columns *s = t->x.s;
    uint32_t *items = TFP_NEW(tfp_arena_of(t->r), uint32_t, s->size + 1),
             *open = TFP_NEW(tfp_arena_of(t->r), uint32_t, s->size + 1);
    size_t count = 0, depth = 0;
    int64_t crossed = 0;
    tfp_str first = { "", 0 };
    if (!items || !open) return false;
    for (uint32_t i = 0; i < s->size; i++)
        if (is_host_op(s, i)) items[count++] = i;
    if (!tfp_order_nested(items, count, s)) return false;
    for (size_t i = 0; i < count; i++) {
        uint32_t span = items[i];
        if (i && s->lane[items[i - 1]] != s->lane[span]) depth = 0;
        while (depth && tfp_span_end(s, open[depth - 1]) <= s->start_ns[span]) depth--;
        if (depth && tfp_span_end(s, span) > tfp_add(tfp_span_end(s, open[depth - 1]), tolerance_of(t, span), NULL) &&
            tfp_span_end(s, open[depth - 1]) > tfp_add(s->start_ns[span], tolerance_of(t, span), NULL)) {
            if (!crossed++) first = tfp_span_name(t->x.p, span);
        }
        open[depth++] = span;
    }
    return add(t, "warning", "host ops of one thread that overlap without nesting", crossed, first);
}

/* Reports frames that were cut. Annotations and Python frames cross others even in correct traces. */
static bool check_cuts(checks *t)
{
    tfp_nest nest;
    if (!tfp_nest_of(t->x.p, tfp_arena_of(t->r), &nest)) return false;
    tfp_str first = nest.crossings ? tfp_span_name(t->x.p, nest.first) : TFP_STR("");
    return add(t, "info", "spans of one thread that cross (calls, code and lines cut Python frames there)",
               nest.crossings, first);
}

/* ---- launches ---- */

/* Whether a call launches something, except kernels and graphs that are missing: those have a row of their own. */
static bool launches(tfp_str name, bool lost)
{
    tfp_call_meaning means = lost ? tfp_call_means(name) : TFP_CALL_OTHER;
    if (means == TFP_CALL_LAUNCHES || means == TFP_CALL_REPLAYS) return false;
    return tfp_str_has(name, TFP_STR("Launch")) || tfp_str_has(name, TFP_STR("Memcpy")) ||
           tfp_str_has(name, TFP_STR("Memset"));
}

typedef struct tally {
    int64_t count;
    tfp_str first;
} tally;

static void note(const checks *t, tally *n, uint32_t span)
{
    if (!n->count++) n->first = tfp_span_name(t->x.p, span);
}

/* Reports launches of graphs whose kernels have no place, and how many of them fit no capture. */
static bool check_graphs(checks *t)
{
    const tfp_span_columns *s = t->x.s;
    enum { PLACELESS = 1, UNMATCHED = 2 };
    uint8_t *seen = TFP_NEW(tfp_arena_of(t->r), uint8_t, s->size + 1);
    tally placeless = { 0, { "", 0 } }, unmatched = placeless;
    bool eager = tfp_captures_of(t->x.p)->passes.size > 0;
    if (!seen) return false;
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || !tfp_is_replayed(t->r, i)) continue;
        bool no_match = tfp_span_attribution(t->x.p, i).reason == TFP_NO_MATCH;
        uint8_t *of = &seen[s->launch[i]], what = no_match ? UNMATCHED : PLACELESS;
        if (!(*of & what)) note(t, no_match ? &unmatched : &placeless, s->launch[i]);
        *of |= what;
    }
    return add(t, "warning",
               "graph launches whose kernels count at the launch, because no capture of the graph gives their places",
               placeless.count, placeless.first) &&
           add(t, "warning",
               eager ? "graph launches that fit no capture and no pass of the run without graphs (--eager_path): is it "
                       "of another model or "
                       "version?"
                     : "graph launches that match no graph of the capture: is it of another model or version?",
               unmatched.count, unmatched.first);
}

static bool check_launches(checks *t)
{
    const tfp_span_columns *s = t->x.s;
    uint8_t *launched = TFP_NEW(tfp_arena_of(t->r), uint8_t, s->size + 1);
    uint8_t *has_calls = TFP_NEW(tfp_arena_of(t->r), uint8_t, t->x.unit_count + 1);
    tally unlaunched = { 0, { "", 0 } }, idle = unlaunched, early = unlaunched;
    bool lost = tfp_events_of(t->x.p)->doubts.size > 0;
    if (!launched || !has_calls) return false;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t unit = tfp_trace_unit_of(&t->x, i), launch = s->launch[i];
        if (unit != TFP_NONE && s->kind[i] == TFP_SPAN_CALL) has_calls[unit] = 1;
        if (launch == TFP_NONE) continue;
        launched[launch] = 1;
        if (s->start_ns[i] < s->start_ns[launch]) note(t, &early, i);
    }
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t unit = tfp_trace_unit_of(&t->x, i);
        if (unit == TFP_NONE || !has_calls[unit]) continue; /* launches were not recorded, as for a TPU or CPU */
        if (s->kind[i] == TFP_SPAN_ACTIVITY && s->launch[i] == TFP_NONE) note(t, &unlaunched, i);
        if (s->kind[i] == TFP_SPAN_CALL && !launched[i] && launches(tfp_span_name(t->x.p, i), lost)) note(t, &idle, i);
    }
    return add(t, "warning", "device activities without a launch", unlaunched.count, unlaunched.first) &&
           add(t, "info", "launches without a device activity", idle.count, idle.first) &&
           add(t, "warning", "device activities that start before their launch: the clocks disagree", early.count,
               early.first);
}

static bool check_doubts(checks *t)
{
    for (unsigned kind = 0; kind < TFP_DOUBT_KINDS; kind++) {
        tfp_doubt_sum sum;
        tfp_step_choice all = { .which = TFP_STEP_ALL };
        if (!tfp_doubt_sum_of(t->x.p, all, kind, &sum)) continue;
        const char *severity, *what = tfp_doubt_check(kind, &severity);
        if (!add(t, severity, what, sum.count, tfp_text(t->x.p, sum.name))) return false;
    }
    return true;
}

/* ---- ranks and steps ---- */

static tfp_str number_text(checks *t, int64_t n)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%lld", (long long)n);
    const char *copy = tfp_arena_copy(tfp_arena_of(t->r), (tfp_str){ text, (size_t)size });
    return copy ? (tfp_str){ copy, (size_t)size } : TFP_STR("");
}

static bool check_ranks(checks *t)
{
    tfp_rank_census census;
    if (!tfp_rank_census_of(t->r, &t->x, &census)) return false;
    return add(t, "warning", "files of a rank that another file has too (duplicate ranks)", census.doubles,
               number_text(t, census.first_double)) &&
           add(t, "info", "ranks of the job that no file has (missing ranks)", census.missing,
               number_text(t, census.first_missing));
}

static bool check_steps(checks *t)
{
    const tfp_event_tables *e = tfp_events_of(t->x.p);
    int64_t counts[TFP_STEPS_NONE + 1] = { 0 };
    for (size_t i = 0; i < e->processes.size; i++)
        if (e->processes.at[i].steps <= TFP_STEPS_NONE) counts[e->processes.at[i].steps]++;
    for (unsigned i = 0; i <= TFP_STEPS_NONE; i++)
        if (tfp_stand_in(i) && !add(t, "info", tfp_stand_in(i), counts[i], TFP_STR(""))) return false;
    return true;
}

/* ---- the table ---- */

static bool collect(checks *t)
{
    const tfp_profile *p = t->x.p;
    for (size_t i = 0; i < tfp_events_of(p)->findings.size; i++) {
        const tfp_data_finding *f = &tfp_events_of(p)->findings.at[i];
        if (!add(t, f->severity, f->what, f->count, tfp_text(p, f->first))) return false;
    }
    return check_doubts(t) && check_nesting(t) && check_cuts(t) && check_launches(t) && check_graphs(t) &&
           check_ranks(t) && check_steps(t);
}

/* Equally severe ones by their texts, so that the order does not depend on how the files were added. */
static const tfp_sort_key worst_first[] = { TFP_UP(row, weight), TFP_UP(row, what), { 0 } };

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(row, "severity", TEXT, LABEL, severity, "error: numbers are wrong because of it; warning: some may be; info: good to know."),
    TFP_COLUMN(row, "what", TEXT, LABEL, what, "What was found."),
    TFP_COLUMN(row, "count", INT, NUMBER, count, "How often."),
    TFP_COLUMN(row, "first", TEXT, LABEL, first, "The first example."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static tfp_status build(tfp_report *r, tfp_error *err)
{
    checks t = { .r = r };
    tfp_status s = tfp_trace_index_new(r, &t.x, err);
    const row *sorted =
        !s && collect(&t) ? tfp_ordered(tfp_arena_of(r), t.rows.at, sizeof *sorted, t.rows.size, worst_first) : NULL;
    if (!s && !sorted) s = tfp_nomem(err);
    tfp_row_table table = { columns, sorted, sizeof *sorted, t.rows.size, 0 };
    if (!s) s = tfp_grid_of(r, &table, err);
    if (!s) tfp_table_of(r)->sentences = true;
    /* Only people get this note, which says that all is well: for programs a note would look like a warning. */
    bool people = tfp_is_aligned(r) && strcmp(tfp_options_of(r)->to.format, "text") == 0;
    if (!s && !t.rows.size && people) s = tfp_report_note_add(r, TFP_NOTE_DATA_FINE, err, "nothing odd in the data");
    tfp_vec_free(&t.rows);
    return s;
}

const tfp_view tfp_view_check = {
    "check",
    "Findings on the data of a trace: spans that cross, missing launches, clocks, ranks, steps.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS,
    columns,
};
