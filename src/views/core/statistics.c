// SPDX-License-Identifier: Apache-2.0
/* views/core/statistics.c: the runs of nodes, and statistics over the runs in a row. */
#include "model/join/cut.h"
#include "model/join/join.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "options/options.h"
#include "query/order.h"
#include "views/core/kinds.h"
#include "views/core/report.h"
#include "views/core/statistics.h"
#include "views/core/view.h"

#include <math.h>
#include <stdlib.h>

/* ---- runs of a trace ---- */

typedef struct finder {
    const tfp_report *r;
    struct tfp_statistics *out;
    tfp_arena arena;
    uint32_t *run;     /* for each span: its run; TFP_NONE: none */
    uint8_t *on_host;  /* for each node: whether it ran on the host in some step */
    uint32_t *of_lane; /* for each lane: the last activity */
} finder;

static uint32_t add_run(finder *f, uint32_t node, int64_t ns)
{
    bool ok = f->out->runs.size < TFP_NONE - 1 && tfp_push(&f->out->runs, ((tfp_node_run){ node, ns }));
    return ok ? (uint32_t)f->out->runs.size - 1 : TFP_NONE;
}

static void add_time(finder *f, uint32_t run, int64_t ns)
{
    int64_t *sum = &f->out->runs.at[run].ns;
    *sum = tfp_add(*sum, ns, NULL);
}

static bool takes_step(const tfp_report *r, uint32_t step)
{
    if (r->step.which == TFP_STEP_MEAN && (step == TFP_NONE || !tfp_executions_of(r->profile)->steps.at[step].listed))
        return false;
    return tfp_step_takes(r->step, step);
}

static bool counts(const finder *f, uint32_t span, bool activities)
{
    const tfp_profile *p = f->r->profile;
    tfp_runs runs = tfp_runs_of_span(p, span);
    return (runs.kind == TFP_SPAN_ACTIVITY) == activities && tfp_runs_count(p, &runs);
}

static bool is_taken(const finder *f, uint32_t span)
{
    return tfp_cut_takes(f->r->profile, span) && takes_step(f->r, tfp_events_of(f->r->profile)->spans.step[span]);
}

/* Adds an activity to the run that launched it, or to the run that it continues. If its node also ran on the host, the activity
 * is no run of its own, as in `occurrence`. */
static bool add_activity(finder *f, uint32_t span)
{
    const tfp_span_columns *s = &tfp_events_of(f->r->profile)->spans;
    uint32_t node = s->node[span], owner = s->owner[span], *last = &f->of_lane[s->lane[span]];
    uint32_t from = owner != TFP_NONE && s->node[owner] == node ? owner : TFP_NONE;
    if (from == TFP_NONE && s->marks[span] & TFP_MARK_CONTINUES && *last != TFP_NONE && s->node[*last] == node)
        from = *last;
    *last = span;
    if (!is_taken(f, span)) return true;
    uint32_t run = from == TFP_NONE ? TFP_NONE : f->run[from];
    if (run != TFP_NONE)
        add_time(f, run, s->self_ns[span]);
    else if (!f->on_host[node] && (run = add_run(f, node, s->self_ns[span])) == TFP_NONE)
        return false;
    f->run[span] = run;
    return true;
}

static bool find_in_trace(finder *f)
{
    const tfp_profile *p = f->r->profile;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    f->run = TFP_NEW(&f->arena, uint32_t, s->size + 1);
    f->on_host = TFP_NEW(&f->arena, uint8_t, tfp_graph_of(p)->nodes.size + 1);
    f->of_lane = TFP_NEW(&f->arena, uint32_t, tfp_lanes_of(p)->size + 1);
    if (!f->run || !f->on_host || !f->of_lane) return false;
    memset(f->run, 0xff, s->size * sizeof *f->run); /* TFP_NONE */
    memset(f->of_lane, 0xff, tfp_lanes_of(p)->size * sizeof *f->of_lane);
    for (uint32_t i = 0; i < s->size; i++) {
        if (!counts(f, i, false)) continue;
        f->on_host[s->node[i]] = 1;
        if (is_taken(f, i) && (f->run[i] = add_run(f, s->node[i], s->self_ns[i])) == TFP_NONE) return false;
    }
    for (uint32_t i = 0; i < s->size; i++)
        if (counts(f, i, true) && !add_activity(f, i)) return false;
    return true;
}

/* ---- runs of TensorFlow's files ---- */

static const tfp_sort_key by_start[] = { TFP_UP(tfp_span, start_ns), { 0 } };

/* Adds the spans of an execution that ran several times, such as the body of a loop. Each host span is a run, together with the
 * accelerators' work from its start to the start of the next one. */
static bool add_spans(finder *f, uint32_t node, uint32_t exec)
{
    const tfp_profile *p = f->r->profile;
    TFP_VEC(uint32_t) order = { 0 };
    bool ok = true;
    uint32_t run = TFP_NONE;
    for (TFP_EACH(tfp_details_of(p)->spans, s, tfp_detail(p, exec)->span_first))
        if (ok && tfp_lanes_of(p)->at[tfp_details_of(p)->spans.at[s].lane].kind != TFP_LANE_OTHER)
            ok = tfp_push(&order, s);
    ok = ok && tfp_order_items(order.at, order.size, by_start, tfp_details_of(p)->spans.at, sizeof(tfp_span));
    bool host = false;
    for (size_t i = 0; i < order.size && ok; i++)
        host |= tfp_lanes_of(p)->at[tfp_details_of(p)->spans.at[order.at[i]].lane].kind == TFP_LANE_CPU;
    for (size_t i = 0; i < order.size && ok; i++) {
        const tfp_span *span = &tfp_details_of(p)->spans.at[order.at[i]];
        bool begins = !host || run == TFP_NONE || tfp_lanes_of(p)->at[span->lane].kind == TFP_LANE_CPU;
        if (begins)
            ok = (run = add_run(f, node, span->duration_ns)) != TFP_NONE;
        else
            add_time(f, run, span->duration_ns);
    }
    tfp_vec_free(&order);
    return ok;
}

/* false: only the sum of the runs is known. */
static bool knows_runs(const tfp_profile *p, uint32_t exec)
{
    return tfp_executions_of(p)->execs.at[exec].run_count <= 1 || tfp_detail(p, exec)->span_first != TFP_NONE;
}

static tfp_status find_in_executions(finder *f, tfp_error *err)
{
    const tfp_profile *p = f->r->profile;
    for (uint32_t node = 0; node < tfp_graph_of(p)->nodes.size; node++)
        for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[node].exec_first)) {
            const tfp_exec *x = &tfp_executions_of(p)->execs.at[e];
            if (!x->run_count || !takes_step(f->r, x->step)) continue;
            if (!knows_runs(p, e)) {
                tfp_str name = tfp_text(p, tfp_graph_of(p)->nodes.at[node].name);
                return tfp_fail(err, TFP_NOTFOUND, "only the sum of the %lld runs of %.*s is known, not each of them",
                                (long long)x->run_count, name.size < 200 ? (int)name.size : 200, name.data);
            }
            bool ok = x->run_count > 1 ? add_spans(f, node, e)
                                       : add_run(f, node, tfp_add(x->cpu_ns, x->accelerator_ns, NULL)) != TFP_NONE;
            if (!ok) return tfp_nomem(err);
        }
    return TFP_OK;
}

/* ---- which columns, and why not ---- */

bool tfp_rows_of_samples(const tfp_report *r)
{
    bool calls = r->about->rows_are == TFP_ROWS_OF_CALLS && !tfp_events_of(r->profile)->spans.size;
    return tfp_samples_of(r->profile)->samples.size && (calls || r->about->rows_are == TFP_ROWS_OF_CODE);
}

/* Why the report's rows have only sums; NULL: their runs are those of nodes. */
static const char *only_sums(const tfp_report *r)
{
    const tfp_profile *p = r->profile;
    if (r->options->compat10) return "-compat 1.0 knows sums only";
    if (tfp_rows_of_samples(r)) return "sampled stacks are sums of samples, not runs";
    if (r->about->rows_are == TFP_ROWS_OF_CALLS ||
        (r->about->rows_are == TFP_ROWS_OF_CODE && tfp_events_of(p)->processes.size))
        return "rows of calls and of lines are sums over operations: op, scope and graph have their runs";
    return NULL;
}

tfp_status tfp_statistics_start(tfp_report *r, tfp_error *err)
{
    struct tfp_statistics *s = TFP_NEW(&r->arena, struct tfp_statistics, 1);
    const char *asked = NULL;
    if (!s) return tfp_nomem(err);
    for (int i = 0; i < tfp_column_count && s->count < TFP_STATISTICS_MAX; i++) {
        bool statistic = tfp_columns[i].kind == TFP_COLUMN_IS_STATISTIC;
        if (!statistic || !tfp_options_asks_for(r->options, (tfp_column_id)i)) continue;
        if (!asked) asked = tfp_columns[i].name;
        s->columns[s->count++] = (tfp_column_id)i;
    }
    if (!s->count) return TFP_OK;
    r->tree->statistics = s;
    const char *why = only_sums(r);
    finder f = { .r = r, .out = s };
    tfp_status status = TFP_OK;
    if (why)
        status = tfp_fail(err, TFP_NOTFOUND, "%s", why);
    else if (!tfp_events_of(r->profile)->processes.size)
        status = find_in_executions(&f, err);
    else if (!find_in_trace(&f))
        status = tfp_nomem(err);
    tfp_arena_free(&f.arena);
    return status ? tfp_within(err, status, "%s", asked) : TFP_OK;
}

void tfp_statistics_free(struct tfp_statistics *s)
{
    if (s) tfp_vec_free(&s->runs);
}

bool tfp_statistics_room(const tfp_report *r, tfp_values *v, tfp_arena *arena, size_t count)
{
    for (size_t k = 0; r->tree->statistics && k < r->tree->statistics->count; k++) {
        if (!(v->of_runs[k] = TFP_NEW(arena, double, count + 1))) return false;
        for (size_t i = 0; i < count; i++) v->of_runs[k][i] = NAN;
    }
    return true;
}

size_t tfp_statistics_at(const tfp_report *r, tfp_column_id column)
{
    for (size_t k = 0; r->tree->statistics && k < r->tree->statistics->count; k++)
        if (r->tree->statistics->columns[k] == column) return k;
    return SIZE_MAX;
}

/* ---- statistics of slots ---- */

typedef struct filler {
    const tfp_report *r;
    const tfp_run_slots *slots;
    uint32_t *slot;  /* for each item; TFP_NONE: it has none */
    uint32_t *first; /* for each slot: its first run; with one more element at the end */
    tfp_ranked runs; /* sorted by slot */
} filler;

static uint32_t slot_of(const filler *f, const tfp_node_run *run)
{
    uint32_t item = f->r->tree->reach[run->node].row;
    if (item == TFP_NONE || item >= f->slots->items || (f->slots->counts && !f->slots->counts[item])) return TFP_NONE;
    return f->slot[item];
}

static bool order_runs(filler *f, tfp_arena *arena)
{
    const struct tfp_statistics *s = f->r->tree->statistics;
    const tfp_run_slots *x = f->slots;
    f->slot = TFP_NEW(arena, uint32_t, x->items + 1);
    f->first = TFP_NEW(arena, uint32_t, x->count + 2);
    int64_t *ns = TFP_NEW(arena, int64_t, s->runs.size + 1);
    if (!f->slot || !f->first || !ns) return false;
    memset(f->slot, 0xff, x->items * sizeof *f->slot); /* TFP_NONE */
    for (size_t i = 0; i < x->count; i++) f->slot[x->item[i]] = (uint32_t)i;
    uint32_t *start = f->first + 1; /* counts are stored one index further, because filling moves them back */
    size_t count = 0;
    for (size_t i = 0; i < s->runs.size; i++) {
        uint32_t slot = slot_of(f, &s->runs.at[i]);
        if (slot != TFP_NONE) start[slot + 1]++, count++;
    }
    for (size_t i = 1; i <= x->count; i++) start[i] += start[i - 1];
    for (size_t i = 0; i < s->runs.size; i++) {
        uint32_t slot = slot_of(f, &s->runs.at[i]);
        if (slot != TFP_NONE) ns[start[slot]++] = s->runs.at[i].ns;
    }
    return tfp_ranked_new(&f->runs, arena, ns, count);
}

static double told(const tfp_column *c, const tfp_ranked_part *runs)
{
    return tfp_ranked_size(runs) ? c->statistic(runs) / 1000 : NAN;
}

bool tfp_statistics_fill(const tfp_report *r, const tfp_run_slots *slots, tfp_values *own, tfp_values *total)
{
    tfp_arena arena = { 0 };
    filler f = { .r = r, .slots = slots };
    if (!r->tree->statistics) return true;
    bool ok = order_runs(&f, &arena);
    for (size_t i = 0; i < slots->count && ok; i++) {
        tfp_ranked_part mine = { &f.runs, f.first[i], f.first[i + 1] };
        tfp_ranked_part all = { &f.runs, f.first[i], f.first[slots->end[i]] };
        for (size_t k = 0; k < r->tree->statistics->count; k++) {
            const tfp_column *c = &tfp_columns[r->tree->statistics->columns[k]];
            own->of_runs[k][slots->item[i]] = told(c, &mine);
            total->of_runs[k][slots->total_by_slot ? i : slots->item[i]] = told(c, &all);
        }
    }
    tfp_arena_free(&arena);
    return ok;
}
