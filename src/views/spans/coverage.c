// SPDX-License-Identifier: Apache-2.0
/* views/spans/coverage.c: computes the coverage of core/coverage.h. The host's total time is that of its threads in
 * spans (operations, annotations, modules, Python frames; not steps), added up over threads; the devices' total time
 * is the self time of their activities. */
#include "model/graphs.h"

#include "model/join/cut.h"
#include "model/order.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/trace/scan.h"
#include "options/options.h"
#include "options/regex.h"
#include "options/units.h"
#include "views/core/statistics.h"
#include "views/core/coverage.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/view.h"
#include "views/spans/doubts.h"
#include "views/spans/trace.h"
#include "views/spans/waiting.h"

#include <stdio.h>
#include <stdlib.h>

static void add_rest(tfp_cover *c, const char *why, int64_t ns)
{
    if (ns <= 0 || c->rest_count == TFP_COVER_RESTS) return;
    c->rest[c->rest_count++] = (tfp_cover_rest){ why, ns };
}

/* ---- what a graph replays ---- */

static bool is_of_graph(const tfp_report *r, uint32_t span)
{
    const tfp_span_columns *s = &tfp_events_of(r->profile)->spans;
    uint32_t launch = s->launch[span];
    if (launch == TFP_NONE || s->path[span]) return false;
    return tfp_is_graph_launch(tfp_text(r->profile, s->name[launch]));
}

bool tfp_is_replayed(const tfp_report *r, uint32_t span)
{
    return tfp_span_attribution(r->profile, span).certainty == TFP_SURE_BY_NONE && is_of_graph(r, span);
}

bool tfp_is_replayed_without_line(const tfp_report *r, uint32_t span)
{
    return tfp_events_of(r->profile)->spans.trace[span] == TFP_NONE && is_of_graph(r, span);
}

/* ---- all time, by spans ---- */

typedef struct tally { /* sums; an activity is counted in the first that applies */
    int64_t device_all, replayed, unlaunched, outside, placeless, launched;
    int64_t host_all, called; /* called: the part of it inside operations or Python frames */
    int64_t ops;
    size_t waiting_threads;
} tally;

/* What a stored sum contains is counted in it. */
static bool on_host(const tfp_span_columns *s, uint32_t i)
{
    return s->kind[i] >= TFP_SPAN_OP && s->kind[i] <= TFP_SPAN_FRAME &&
           (s->kind[i] != TFP_SPAN_ANNOTATION || !(s->marks[i] & TFP_MARK_HELD));
}

/* Whether the report includes a step. A mean does not include work outside steps. */
static bool takes(const tfp_report *r, uint32_t step)
{
    if (r->step.which != TFP_STEP_MEAN) return tfp_step_takes(r->step, step);
    return step != TFP_NONE && tfp_executions_of(r->profile)->steps.at[step].listed && tfp_step_takes(r->step, step);
}

static bool counts(const tfp_report *r, const tfp_span_columns *s, uint32_t span)
{
    return tfp_cut_takes(r->profile, span) && takes(r, s->step[span]);
}
bool tfp_coverage_counts(const tfp_report *r, uint32_t span)
{
    return counts(r, &tfp_events_of(r->profile)->spans, span);
}

/* The part of a span after the end of those before it; spans come by start. */
static int64_t behind(int64_t *end, int64_t start, int64_t to)
{
    int64_t from = start > *end ? start : *end;
    if (to <= from) return 0;
    *end = to;
    return to - from;
}

/* Adds up host time. Frames cross operators, so parents do not show what is inside them; unions per lane do. */
static bool tally_host(const tfp_report *r, tally *t)
{
    const tfp_profile *p = r->profile;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_span_order order;
    bool shows_all = r->about->rows_are == TFP_ROWS_OF_CALLS, ok = tfp_span_order_of(p, &order);
    tfp_waiting w = { 0 };
    tfp_arena arena = { 0 };
    ok = ok && (shows_all || tfp_waiting_of(p, r->cut, &arena, &w));
    t->waiting_threads = w.waiting_threads;
    for (size_t lane = 0; ok && lane < tfp_lanes_of(p)->size; lane++) {
        int64_t all_end = INT64_MIN, called_end = INT64_MIN;
        if (tfp_lanes_of(p)->at[lane].role != TFP_ROLE_THREAD) continue;
        if (w.waits && w.threads[lane] == TFP_THREAD_WAITS) continue;
        for (uint32_t k = order.lane_first[lane]; k < order.lane_first[lane + 1]; k++) {
            uint32_t i = order.items[k];
            bool called = s->kind[i] <= TFP_SPAN_CALL || tfp_is_frame(p, i);
            if (!on_host(s, i) || !counts(r, s, i)) continue;
            int64_t start = tfp_cut_start(r->cut, p, i), end = tfp_cut_end(r->cut, p, i);
            t->host_all = tfp_add(t->host_all, behind(&all_end, start, end), NULL);
            if (called) t->called = tfp_add(t->called, behind(&called_end, start, end), NULL);
            int64_t waits = tfp_waits_uncounted(p, &w, i) ? -w.own_ns[i] : 0;
            t->host_all = tfp_add(t->host_all, waits, NULL);
            t->called = tfp_add(t->called, waits, NULL);
        }
    }
    tfp_span_order_free(&order);
    tfp_arena_free(&arena);
    return ok;
}

/* The sum for an activity with a place of its own, or for a node. */
static int64_t *of_place(tally *t, tfp_str path)
{
    if (tfp_str_eq(path, TFP_STR("(no op)"))) return &t->unlaunched;
    return tfp_str_begins(path, TFP_STR("(hlo)/")) ? &t->placeless : &t->launched;
}

static void add_activity(tally *t, const tfp_report *r, uint32_t i)
{
    const tfp_profile *p = r->profile;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    uint32_t owner = s->owner[i];
    int64_t ns = s->self_ns[i];
    t->device_all = tfp_add(t->device_all, ns, NULL);
    int64_t *to = &t->launched;
    if (tfp_is_replayed(r, i))
        to = &t->replayed;
    else if (s->path[i])
        to = of_place(t, tfp_text(p, s->path[i]));
    else if (owner == TFP_NONE)
        to = &t->unlaunched;
    else if (s->kind[owner] == TFP_SPAN_CALL && s->attribution[i] == TFP_NONE)
        to = &t->outside;
    *to = tfp_add(*to, ns, NULL);
}

static bool tally_spans(const tfp_report *r, tally *t)
{
    const tfp_profile *p = r->profile;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    bool frames = false;
    int64_t outer = 0;
    for (uint32_t i = 0; i < s->size; i++) {
        tfp_lane_role role = tfp_lanes_of(p)->at[s->lane[i]].role;
        if (!counts(r, s, i)) continue;
        if (s->kind[i] == TFP_SPAN_ACTIVITY && role == TFP_ROLE_STREAM) add_activity(t, r, i);
        if (!on_host(s, i) || role != TFP_ROLE_THREAD) continue;
        if (s->kind[i] <= TFP_SPAN_CALL) t->ops = tfp_add(t->ops, s->self_ns[i], NULL);
        if (s->parent[i] == TFP_NONE)
            outer = tfp_add(outer, tfp_cut_end(r->cut, p, i) - tfp_cut_start(r->cut, p, i), NULL);
        frames |= tfp_is_frame(p, i);
    }
    if (frames) return tally_host(r, t);
    t->host_all = outer;
    t->called = t->ops;
    return true;
}

/* ---- all time, by executions: where only sums are stored, and for files that are no traces of events ---- */

static void tally_execs(const tfp_report *r, tally *t)
{
    const tfp_profile *p = r->profile;
    for (size_t node = 0; node < tfp_graph_of(p)->nodes.size; node++) {
        int64_t *to = of_place(t, tfp_text(p, tfp_graph_of(p)->nodes.at[node].name));
        for (TFP_EACH(tfp_executions_of(p)->execs, i, tfp_graph_of(p)->nodes.at[node].exec_first)) {
            const tfp_exec *x = &tfp_executions_of(p)->execs.at[i];
            if (!takes(r, x->step)) continue;
            t->device_all = tfp_add(t->device_all, x->accelerator_ns, NULL);
            *to = tfp_add(*to, x->accelerator_ns, NULL);
            t->ops = tfp_add(t->ops, x->cpu_ns, NULL);
        }
    }
    t->host_all = t->ops;
}

/* Adds the spans that are stored singly, and the sums of the others. */
static bool add_host(const tfp_report *r, tally *t)
{
    tally single = { 0 };
    if (!tally_spans(r, &single)) return false;
    t->host_all = single.host_all;
    for (uint32_t step = TFP_NONE, i = 0; i <= tfp_executions_of(r->profile)->steps.size; step = i++)
        if (takes(r, step)) t->host_all = tfp_add(t->host_all, tfp_scan_outer_ns(r->profile, step), NULL);
    return true;
}

static bool tally_of(const tfp_report *r, tally *t)
{
    const tfp_profile *p = r->profile;
    *t = (tally){ 0 };
    if (tfp_events_of(p)->processes.size && !tfp_only_sums(p)) return tally_spans(r, t);
    tally_execs(r, t);
    t->called = t->ops;
    return !tfp_events_of(p)->processes.size || add_host(r, t);
}

/* ---- what rows explain ---- */

static int64_t rest_of(const tfp_cover *c)
{
    int64_t rest = tfp_add(c->all_ns, -c->explained_ns, NULL);
    for (size_t i = 0; i < c->rest_count; i++) rest = tfp_add(rest, -c->rest[i].ns, NULL);
    return rest;
}

/* Limits sums: spans that cross would explain more than the total. */
static void settle(tfp_cover *c, const char *why)
{
    if (c->explained_ns > c->all_ns) c->explained_ns = c->all_ns;
    int64_t rest = rest_of(c);
    for (size_t i = c->rest_count; i-- > 0 && rest < 0;) {
        int64_t less = -rest < c->rest[i].ns ? -rest : c->rest[i].ns;
        c->rest[i].ns -= less;
        rest += less;
    }
    while (c->rest_count && !c->rest[c->rest_count - 1].ns) c->rest_count--;
    add_rest(c, why, rest);
}

static void by_nodes(const tfp_report *r, const tally *t, tfp_coverage *c)
{
    bool scope = r->about->rows_are == TFP_ROWS_OF_SCOPES;
    c->host.explained_ns = t->ops;
    add_rest(&c->host, "in Python between operations", t->called - t->ops);
    settle(&c->host, "in annotations and modules, outside of their operations");
    add_rest(&c->device, "under a graph replay", t->replayed);
    add_rest(&c->device, "without a launch in the trace", t->unlaunched);
    add_rest(&c->device, "launched outside of all operations", t->outside);
    if (scope) add_rest(&c->device, "in instructions without a place in the model", t->placeless);
    c->device.explained_ns = t->launched + (scope ? 0 : t->placeless);
    settle(&c->device, "unknown");
}

static void by_lines(const tally *t, const tfp_explained *x, tfp_coverage *c)
{
    c->host.explained_ns = x->host_ns;
    settle(&c->host, x->why_not);
    c->device.explained_ns = x->device_ns;
    add_rest(&c->device, "under a graph replay", t->replayed);
    add_rest(&c->device, "without a launch in the trace", t->unlaunched);
    settle(&c->device, x->why_not);
}

/* `calls` shows everything. */
static void by_calls(const tally *t, tfp_coverage *c)
{
    c->host.explained_ns = t->host_all;
    add_rest(&c->device, "under a graph replay", t->replayed);
    add_rest(&c->device, "without a launch in the trace", t->unlaunched);
    c->device.explained_ns = t->device_all - t->replayed - t->unlaunched;
}

/* ---- the note ---- */

/* Writes "96%", or "under 1%" for a part that would be rounded to 0. */
static void put_share(tfp_buf *b, int64_t part, int64_t all)
{
    double share = 100 * (double)part / (double)all;
    if (part > 0 && share < 1)
        tfp_buf_text(b, "under 1%");
    else if (part < all && share > 99)
        tfp_buf_printf(b, "%.1f%%", share > 99.9 ? 99.9 : share);
    else
        tfp_buf_printf(b, "%.0f%%", share);
}

static void put_cover(tfp_buf *b, const tfp_report *r, const tfp_cover *c, const char *whose)
{
    put_share(b, c->explained_ns, c->all_ns);
    tfp_buf_printf(b, " of the %s time of ", whose);
    if (r->covered->coverage.of_mean)
        tfp_buf_text(b, "all steps");
    else
        tfp_format_real(b, TFP_MICROS, (double)c->all_ns / 1000);
    size_t told = 0;
    for (size_t i = 0; i < c->rest_count; i++) {
        bool small = 100 * (double)c->rest[i].ns < (double)c->all_ns; /* the JSON form contains these too */
        if (small && c->rest_count > 1) continue;
        tfp_buf_text(b, told++ ? ", " : " (");
        put_share(b, c->rest[i].ns, c->all_ns);
        tfp_buf_printf(b, " %s", c->rest[i].why);
    }
    if (told) tfp_buf_char(b, ')');
}

/* Whether everything is explained. In TensorFlow's own files nearly everything has a call stack, so there is nothing to
 * report. */
static bool is_whole(const tfp_cover *c) { return (double)c->explained_ns >= 0.99 * (double)c->all_ns; }

static bool has_backward(const tfp_profile *p)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->marks[i] & TFP_MARK_BACKWARD) return true;
    return false;
}

static tfp_status add_note(tfp_report *r, tfp_error *err)
{
    const tfp_coverage *c = &r->covered->coverage;
    tfp_buf b = { 0 };
    if (!c->device.all_ns && !c->host.all_ns) return TFP_OK;
    if (!tfp_events_of(r->profile)->processes.size && is_whole(&c->device) && is_whole(&c->host)) return TFP_OK;
    tfp_buf_text(&b, "the rows explain ");
    if (c->device.all_ns) put_cover(&b, r, &c->device, "device");
    if (c->device.all_ns && c->host.all_ns) tfp_buf_text(&b, " and ");
    if (c->host.all_ns) put_cover(&b, r, &c->host, "host");
    if (r->about->rows_are == TFP_ROWS_OF_SCOPES && has_backward(r->profile))
        tfp_buf_text(&b, "; a scope holds the backward pass of its operations too, in rows named backward: tfprof "
                         "calls shows what was nested on threads");
    if (c->waiting_threads)
        tfp_buf_printf(&b, "; %zu thread%s that only wait%s %s not counted: tfprof wait", c->waiting_threads,
                       c->waiting_threads == 1 ? "" : "s", c->waiting_threads == 1 ? "s" : "",
                       c->waiting_threads == 1 ? "is" : "are");
    tfp_buf_char(&b, '\0');
    tfp_status s = b.failed ? tfp_nomem(err) : TFP_OK;
    if (!s) s = tfp_report_note_add(r, TFP_NOTE_COVERAGE, err, "%s", b.data);
    tfp_buf_free(&b);
    return s;
}

/* ---- the two ways in ---- */

/* Whether the report shows times, without filtering out anything that ran. */
static bool is_asked(const tfp_report *r)
{
    const tfp_options *o = r->options;
    const uint64_t times =
        UINT64_C(1) << TFP_C_MICROS | UINT64_C(1) << TFP_C_CPU_MICROS | UINT64_C(1) << TFP_C_ACCELERATOR_MICROS;
    return !o->compat10 && !o->compat_tensorflow && (o->select & times) && !tfp_rows_of_samples(r) &&
           tfp_filter_any(o->filters[TFP_F_ACCOUNT]);
}

tfp_status tfp_coverage_add(tfp_report *r, tfp_error *err)
{
    const tfp_explained *x = &r->covered->explained;
    if (!is_asked(r) || (!tfp_events_of(r->profile)->processes.size && !x->given)) return TFP_OK;
    tally t;
    if (!tally_of(r, &t)) return tfp_nomem(err);
    tfp_coverage *c = &r->covered->coverage;
    *c = (tfp_coverage){ .known = true,
                         .of_mean = r->step.which == TFP_STEP_MEAN,
                         .host.all_ns = t.host_all,
                         .device.all_ns = t.device_all,
                         .waiting_threads = t.waiting_threads };
    if (x->given) {
        c->rows_ns = tfp_add(tfp_add(x->host_ns, x->device_ns, NULL), x->replayed_ns, NULL);
        by_lines(&t, x, c);
    } else if (r->about->rows_are == TFP_ROWS_OF_CALLS)
        by_calls(&t, c);
    else
        by_nodes(r, &t, c);
    tfp_status s = add_note(r, err);
    if (s) return s;
    return r->step.which == TFP_STEP_MEAN ? tfp_note_doubts(r, r->profile, NULL, err) : tfp_note_lost(r, err);
}

/* Sums of extremely large times saturate, so a part may seem larger than the whole. */
static int64_t part_of(int64_t part, int64_t all)
{
    if (part > all) part = all;
    return part > 0 ? part : 0;
}

tfp_status tfp_coverage_less(tfp_report *r, const tfp_coverage *of, const tfp_explained *lost, tfp_error *err)
{
    if (!of->known) return TFP_OK;
    r->covered->coverage = *of;
    tfp_cover *host = &r->covered->coverage.host, *device = &r->covered->coverage.device;
    int64_t of_host = part_of(lost->host_ns, host->explained_ns);
    int64_t of_device = part_of(lost->device_ns, device->explained_ns);
    host->explained_ns -= of_host;
    device->explained_ns -= of_device;
    add_rest(host, lost->why_not, of_host);
    add_rest(device, lost->why_not, of_device);
    return add_note(r, err);
}
