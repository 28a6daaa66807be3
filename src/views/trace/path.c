// SPDX-License-Identifier: Apache-2.0
/* views/trace/path.c: the critical path of each step. It is walked backwards from the end of the step's window, always to
 * what the current position had to wait for: a stream waits for its launch, its previous activity, or another stream; a
 * synchronising call waits for the device; a thread waits for what runs in it, or for another thread. What is on the path
 * determines the step's length; the rest ran in parallel. */
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/step_marks.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/spans/doubts.h"
#include "views/trace/facts.h"
#include "views/trace/path.h"

#include <math.h>

#define EVENT_WAIT_NS 10000 /* an activity that starts this soon after one of another stream waited for it, */
#define OWN_WAIT_NS 5000    /* unless the previous one in its own stream, or its launch, ended this soon before it */

/* The span that ends last among those that end at or before a time; TFP_NONE: none. */
static uint32_t last_ended(const tfp_path *t, const uint32_t *list, tfp_range of, int64_t at)
{
    const uint32_t *items = list + of.first;
    size_t after;
    TFP_LOWER_BOUND(after, 0, of.count, tfp_span_end(t->x->s, items[after]) <= at);
    return after ? items[after - 1] : TFP_NONE;
}

/* ---- the walk ---- */

typedef struct place { /* the position of the walk: on a device when `activity`, otherwise on a thread */
    uint32_t activity, lane;
    int64_t at;
} place;

static const char *const class_names[] = { "host", "synchronize", "launch", "gap", "compute", "communication", "copy" };

/* Adds a section of the path to the row of its class and name. */
static bool take(tfp_path *t, uint32_t span, unsigned class, int64_t from, int64_t to)
{
    if (to <= from) return true;
    tfp_strid name = span == TFP_NONE ? TFP_NONE : t->x->s->name[span];
    tfp_path_row *row = TFP_GROUP(&t->rows, t->unit, class, name);
    if (!row) return false;
    if (t->rows.added) {
        *row = (tfp_path_row){ .rank = t->x->units[t->unit].rank,
                               .class = tfp_str_of(class_names[class]),
                               .name = name == TFP_NONE ? TFP_STR("(nothing recorded)") : tfp_text(t->x->p, name),
                               .unit = t->unit,
                               .kind = class,
                               .activity = name };
        row->profilers = class <= TFP_PATH_SYNCHRONIZE && tfp_name_says(row->name) & TFP_NAME_PROFILER;
    }
    tfp_fold_add(&row->ns, to - from);
    int64_t begin = t->begins[t->unit];
    if (row->profilers || from < begin) row->lost_ns += (row->profilers || to < begin ? to : begin) - from;
    return true;
}

/* The end of an activity's launch. An activity may start before the launching call returns: then the call counts up to that
 * start, unless it continues until the activity has ended, so that it waited for earlier work of the stream. If clocks
 * contradict each other there is no launch. */
static int64_t end_of_launch(const tfp_span_columns *s, uint32_t span, int64_t begin, int64_t before_end)
{
    uint32_t launch = s->launch[span];
    if (launch == TFP_NONE || s->start_ns[launch] > begin) return INT64_MIN;
    int64_t end = tfp_span_end(s, launch);
    if (end >= tfp_span_end(s, span) && before_end > s->start_ns[launch]) return s->start_ns[launch];
    return end < begin ? end : begin;
}

/* Moves before an activity: to whichever ended last of its launch, the previous activity in its stream, and one of
 * another stream. */
static bool from_activity(tfp_path *t, place *p, int64_t start)
{
    const tfp_span_columns *s = t->x->s;
    uint32_t span = p->activity, launch = s->launch[span];
    int64_t begin = s->start_ns[span] > start ? s->start_ns[span] : start;
    if (!take(t, span, tfp_path_class(t, span), begin, p->at)) return false;
    uint32_t before = last_ended(t, t->lane_end, t->streams[s->lane[span]], begin);
    uint32_t other = last_ended(t, t->by_end, t->ends_of_unit[t->unit], begin);
    int64_t before_end = before == TFP_NONE || before == span ? INT64_MIN : tfp_span_end(t->x->s, before);
    int64_t launch_end = end_of_launch(s, span, begin, before_end);
    int64_t since = before_end > launch_end ? before_end : launch_end;
    int64_t other_end = other == TFP_NONE || other == span ? INT64_MIN : tfp_span_end(s, other);
    if (other_end > since && begin - other_end <= EVENT_WAIT_NS && since < begin - OWN_WAIT_NS) {
        before = other;
        since = before_end = other_end;
    }
    if (since == INT64_MIN) since = begin; /* neither is known: the path continues on the host */
    p->at = since > start ? since : start;
    if (!take(t, span, before_end > launch_end ? TFP_PATH_GAP : TFP_PATH_LAUNCH, p->at, begin)) return false;
    p->activity = before_end > launch_end ? before : TFP_NONE;
    if (p->activity == TFP_NONE && launch_end != INT64_MIN) p->lane = s->lane[launch];
    return true;
}

/* The piece of a thread at the moment just before a time, or the gap before it. */
static tfp_piece piece_before(const tfp_path *t, uint32_t lane, int64_t at)
{
    const tfp_range *of = &t->threads[lane];
    const tfp_piece *pieces = t->pieces + of->first;
    size_t i;
    TFP_LOWER_BOUND(i, 0, of->count, pieces[i].start < at);
    if (!i) return (tfp_piece){ INT64_MIN, at, TFP_NONE };
    tfp_piece found = pieces[i - 1];
    if (found.end >= at) return (tfp_piece){ found.start, at, found.span };
    return (tfp_piece){ found.end, at, TFP_NONE };
}

/* A synchronising call waited for the activity that ended last before the call's end, if that end was during the
 * call. */
static bool from_sync(tfp_path *t, place *p, const tfp_piece *now)
{
    uint32_t activity = last_ended(t, t->by_end, t->ends_of_unit[t->unit], p->at);
    if (activity == TFP_NONE || tfp_span_end(t->x->s, activity) <= now->start) return false;
    /* it has no duration: the path would return to the same place */
    if (t->x->s->start_ns[activity] >= p->at) return false;
    p->activity = activity;
    return true;
}

/* Any other call that returns after its own activity ended waited for it: a copy to memory that is not pinned, or a
 * kernel under CUDA_LAUNCH_BLOCKING. */
static bool from_own(tfp_path *t, place *p, const tfp_piece *now)
{
    enum { MOST = 32 }; /* most activities of other calls, which ended after it, that are skipped */
    const tfp_span_columns *s = t->x->s;
    tfp_range of = t->ends_of_unit[t->unit];
    int64_t begin = s->start_ns[now->span], end = p->at;
    for (size_t i = 0; i < MOST; i++) {
        uint32_t activity = last_ended(t, t->by_end, of, end);
        if (activity == TFP_NONE || tfp_span_end(s, activity) <= now->start) return false;
        if (s->launch[activity] == now->span && s->start_ns[activity] >= begin && s->start_ns[activity] < p->at) {
            p->activity = activity;
            return true;
        }
        end = tfp_span_end(s, activity) - 1;
    }
    return false;
}

/* A thread in which nothing runs, or only Python, waits for an op of another thread that ends meanwhile. */
static uint32_t awaited(const tfp_path *t, const place *p, const tfp_piece *now)
{
    uint32_t op = last_ended(t, t->ops, t->ops_of_unit[t->unit], p->at - 1);
    if (op == TFP_NONE || t->x->s->lane[op] == p->lane || tfp_span_end(t->x->s, op) <= now->start) return TFP_NONE;
    return t->x->s->start_ns[op] >= now->start || now->span == TFP_NONE ? op : TFP_NONE;
}

/* Whether a thread may wait for a device without a recorded call: TensorFlow's runtime records none while no thread runs; for
 * a device with unknown launches, such as a TPU, a thread may wait anywhere outside ops and calls. */
static bool may_wait(const tfp_path *t, const tfp_piece *now)
{
    uint32_t kind = now->span == TFP_NONE ? TFP_SPAN_NONE : t->x->s->kind[now->span];
    if (t->launched[t->unit]) return tfp_trace_is_runs(t->x) && kind == TFP_SPAN_NONE;
    return kind != TFP_SPAN_OP && kind != TFP_SPAN_CALL;
}

/* Continues the path on a device, at the last activity that ended during the wait and after the awaited op. */
static bool from_device(tfp_path *t, place *p, const tfp_piece *now, uint32_t op)
{
    uint32_t activity = last_ended(t, t->by_end, t->ends_of_unit[t->unit], p->at);
    if (!may_wait(t, now) || activity == TFP_NONE || t->x->s->start_ns[activity] >= p->at) return false;
    int64_t end = tfp_span_end(t->x->s, activity);
    if (end <= now->start || (op != TFP_NONE && tfp_span_end(t->x->s, op) > end)) return false;
    p->activity = activity;
    return true;
}

static bool from_thread(tfp_path *t, place *p, uint32_t step_lane, int64_t start)
{
    const tfp_span_columns *s = t->x->s;
    tfp_piece now = p->lane == TFP_NONE ? (tfp_piece){ INT64_MIN, p->at, TFP_NONE } : piece_before(t, p->lane, p->at);
    int64_t begin = now.start > start ? now.start : start;
    uint32_t kind = now.span == TFP_NONE ? TFP_SPAN_NONE : s->kind[now.span], op = TFP_NONE;
    bool synchronizes = kind == TFP_SPAN_CALL && tfp_trace_waits(t->x, now.span);
    if (kind == TFP_SPAN_CALL && (synchronizes ? from_sync(t, p, &now) : from_own(t, p, &now))) {
        int64_t end = tfp_span_end(t->x->s, p->activity) > start ? tfp_span_end(t->x->s, p->activity) : start;
        bool ok = take(t, now.span, synchronizes ? TFP_PATH_SYNCHRONIZE : TFP_PATH_HOST, end, p->at);
        p->at = end;
        return ok;
    }
    if (kind != TFP_SPAN_OP && kind != TFP_SPAN_CALL) op = awaited(t, p, &now);
    if (from_device(t, p, &now, op)) {
        int64_t end = tfp_span_end(s, p->activity) > start ? tfp_span_end(s, p->activity) : start;
        bool ok = take(t, now.span, TFP_PATH_HOST, end, p->at);
        p->at = end;
        return ok;
    }
    if (op != TFP_NONE) {
        int64_t end = tfp_span_end(t->x->s, op) > start ? tfp_span_end(t->x->s, op) : start;
        bool ok = take(t, now.span, TFP_PATH_HOST, end, p->at);
        p->at = end;
        p->lane = s->lane[op];
        return ok;
    }
    if (now.span == TFP_NONE && p->lane != step_lane) { /* what another thread did before let this one begin */
        p->lane = step_lane;
        return true;
    }
    bool ok = take(t, now.span, TFP_PATH_HOST, begin, p->at);
    p->at = begin;
    return ok;
}

static bool walk(tfp_path *t, uint32_t step_lane, int64_t start, int64_t end)
{
    place p = { TFP_NONE, step_lane, end };
    /* limit of steps: time never increases, and the thread changes at most once at each moment */
    size_t most = 4 * (t->x->s->size + 16);
    while (p.at > start && most-- > 0)
        if (!(p.activity != TFP_NONE ? from_activity(t, &p, start) : from_thread(t, &p, step_lane, start)))
            return false;
    return true;
}

/* ---- windows ---- */

static bool walk_window(tfp_path *t, const tfp_step_window *w, int64_t end)
{
    if (end <= w->start_ns || !tfp_step_takes(tfp_step_of(t->r), w->step) || !t->works[t->unit]) return true;
    uint32_t step_lane = t->step_lane[t->unit]; /* TFP_NONE: nothing was recorded on the host */
    t->step_count[t->unit]++;
    if (!tfp_push(&t->windows, ((tfp_piece){ w->start_ns, end, t->unit }))) return false;
    t->path_ns[t->unit] = tfp_add(t->path_ns[t->unit], end - w->start_ns, NULL);
    return walk(t, step_lane, w->start_ns, end);
}

/* Walks the windows from the last to the first; each ends where the next begins, so no time is walked twice. */
static bool walk_all(tfp_path *t)
{
    const tfp_step_window *windows = tfp_events_of(t->x->p)->windows.at, *next = NULL;
    uint32_t last_unit = TFP_NONE;
    tfp_unit_windows by_unit;
    if (!tfp_windows_by_unit(tfp_arena_of(t->r), t->x, &by_unit)) return false;
    for (size_t i = by_unit.first[t->x->unit_count]; i-- > 0;) {
        const tfp_step_window *w = &windows[by_unit.order[i]];
        t->unit = t->x->unit_of_process[w->process];
        if (t->unit != last_unit) next = NULL;
        last_unit = t->unit;
        if (next && next->step == w->step) continue; /* a step has a window on each device but is walked only once */
        if (!walk_window(t, w, next && next->start_ns < w->end_ns ? next->start_ns : w->end_ns)) return false;
        next = w;
    }
    return true;
}

/* ---- the table ---- */

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(tfp_path_row, "rank", INT, NUMBER, rank, "Rank in the job, or the position of the file if it names no rank.", TFP_SHOWN_RANKS),
    TFP_COLUMN(tfp_path_row, "class", TEXT, LABEL, class, "host, synchronize, launch (from the end of the call to the start of the activity), compute, communication, copy, gap (between two activities)."),
    TFP_COLUMN(tfp_path_row, "name", TEXT, LABEL, name, "The op, call or kernel; of a launch or gap the activity that came after it."),
    TFP_COLUMN(tfp_path_row, "count", INT, NUMBER, ns.count, "Stretches of the path, in all steps."),
    TFP_COLUMN(tfp_path_row, "total_us", REAL, MICROS, total_us, "Their length on the path of one step, as the mean over the steps."),
    TFP_COLUMN(tfp_path_row, "share", REAL, SHARE, share, "total_us divided by the length of the path, which is the length of the step."),
    TFP_COLUMN(tfp_path_row, "gain_us", REAL, MICROS, gain_us, "The most by which the mean step would become shorter if this took no time; for the first ten rows. It leaves the time that the busiest device would still work. It is 0 for the profiler's own work and, in a trace without steps, for time before the device begins. Where most steps are in doubt none is known."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static const tfp_sort_key longest_first[] = { TFP_UP(tfp_path_row, unit), TFP_DOWN(tfp_path_row, ns.total), { 0 } };

static tfp_status make_grid(tfp_path *t, tfp_error *err)
{
    size_t count;
    tfp_path_row *sorted = tfp_groups_end(&t->rows, tfp_arena_of(t->r), longest_first, &count);
    if (!sorted) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) {
        tfp_path_row *out = &sorted[i];
        double total = (double)out->ns.total, steps = (double)t->step_count[out->unit];
        out->share = t->path_ns[out->unit] ? total / (double)t->path_ns[out->unit] : NAN;
        out->total_us = steps > 0 ? total / 1000 / steps : NAN;
        out->gain_us = NAN;
    }
    tfp_doubted_steps doubted;
    if (!tfp_doubted_steps_of(t->r, t->x, &doubted)) return tfp_nomem(err);
    if (!doubted.most && !tfp_path_gains(t, sorted, count)) return tfp_nomem(err);
    tfp_row_table table = { columns, sorted, sizeof *sorted, count, tfp_trace_shown(t->x) };
    return tfp_grid_of(t->r, &table, err);
}

tfp_status tfp_trace_path(tfp_report *r, const tfp_trace_index *x, tfp_error *err)
{
    tfp_path t = { .r = r, .x = x, .rows.row_size = sizeof(tfp_path_row) };
    t.rows.failed = !tfp_path_lists(&t) || !walk_all(&t);
    tfp_status s = make_grid(&t, err);
    tfp_vec_free(&t.windows);
    return s;
}
