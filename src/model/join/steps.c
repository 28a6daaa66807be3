// SPDX-License-Identifier: Apache-2.0
/* model/join/steps.c: finds the step of each moment. A process's steps come from the first kind of marks that it has.
 * Windows may overlap, and a moment in several of them belongs to the one that starts last. So time is cut into parts
 * that belong to one step each, and moments are looked up by binary search. */
#include "base/threads.h"
#include "model/join/steps.h"
#include "model/span_names.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "model/trace/scan.h"
#include "query/order.h"

typedef tfp_step_finder finder;

/* ---- windows ---- */

void tfp_step_add(finder *f, int64_t number, tfp_strid device, int64_t start_ns, int64_t end_ns)
{
    tfp_join *x = f->x;
    tfp_step_window w = { .step = tfp_build_step(x->b, number, true),
                          .process = f->process,
                          .device = device,
                          .start_ns = start_ns,
                          .end_ns = end_ns };
    tfp_join_keep(x, tfp_push(&f->found, w));
}

/* Whether the name of a mark tells its step's number, which is then once on a thread. */
static bool names_number(const tfp_join *x, uint32_t span)
{
    tfp_str name = tfp_text(x->p, x->t->spans.name[span]);
    return name.size && name.data[name.size - 1] >= '0' && name.data[name.size - 1] <= '9';
}

/* Whether a mark begins the numbers again: its number was there, other steps followed, or it was on the same thread, and
 * all have ended. */
static bool begins_again(const finder *f, const tfp_map64 *by_number, int64_t number, uint32_t span, int64_t ended_ns)
{
    const tfp_span_columns *s = &f->x->t->spans;
    uint32_t at = tfp_map64_get(by_number, (uint64_t)number), first = tfp_step_mark_at(f, 0)->span;
    if (at == TFP_NONE || s->start_ns[span] < ended_ns) return false;
    bool same = s->lane[span] == s->lane[first] && s->name[span] == s->name[first] && names_number(f->x, span);
    return at + 1 < f->found.size || same;
}

typedef enum numbering { COUNT_ONLY, OF_MARKS, FROM_0 } numbering;

/* Adds the steps of the marks, which are sorted by start, unless they are only counted. Returns how often the numbers
 * begin again. */
static size_t add_marked(finder *f, numbering how)
{
    bool renumber = how == FROM_0;
    const tfp_span_columns *s = &f->x->t->spans;
    tfp_map64 by_number = { 0 };
    int64_t counted = 0, ended_ns = INT64_MIN;
    size_t again = 0;
    f->found.size = 0;
    bool any_long = false; /* then marks that begin and never end are no steps */
    for (size_t i = 0; i < f->count && !any_long; i++) any_long = s->duration_ns[tfp_step_mark_at(f, i)->span] > 0;
    for (size_t i = 0; i < f->count && !f->x->b->status; i++) {
        const tfp_step_mark *m = tfp_step_mark_at(f, i);
        if (any_long && !s->duration_ns[m->span] && s->marks[m->span] & TFP_MARK_CLAMPED) continue;
        int64_t number = m->number >= 0 ? m->number : counted++, end = tfp_span_end(s, m->span);
        if (begins_again(f, &by_number, number, m->span, ended_ns)) {
            again++;
            if (renumber) tfp_map64_clear(&by_number);
            tfp_restart at = { f->process, s->start_ns[m->span], false };
            if (renumber) tfp_join_keep(f->x, tfp_push(&f->x->restarts, at));
        }
        if (end > ended_ns) ended_ns = end;
        uint32_t at = tfp_map64_get(&by_number, (uint64_t)number);
        if (at != TFP_NONE) {
            if (end > f->found.at[at].end_ns) f->found.at[at].end_ns = end;
            continue;
        }
        tfp_join_keep(f->x, tfp_map64_put(&by_number, (uint64_t)number, (uint32_t)f->found.size));
        if (how == COUNT_ONLY)
            tfp_join_keep(f->x, tfp_push(&f->found, ((tfp_step_window){ .end_ns = end })));
        else
            tfp_step_add(f, renumber ? (int64_t)f->found.size : number, 0, s->start_ns[m->span], end);
    }
    tfp_map64_free(&by_number);
    return again;
}

/* Spans with the same number are one step; marks without a number get numbers from 0, and so do all if the numbers begin
 * again, as in recordings that were appended to each other. */
static void marked(finder *f)
{
    bool again = add_marked(f, COUNT_ONLY) > 0;
    if (!f->x->b->status) add_marked(f, again ? FROM_0 : OF_MARKS);
}

/* The module whose spans take longest. */
static tfp_strid longest_module(finder *f)
{
    const tfp_span_columns *s = &f->x->t->spans;
    tfp_map64 by_name = { 0 };
    TFP_VEC(int64_t) time = { 0 };
    tfp_strid best = 0;
    int64_t most = -1;
    for (size_t i = 0; i < f->count && !f->x->b->status; i++) {
        const tfp_step_mark *m = tfp_step_mark_at(f, i);
        uint32_t at = tfp_map64_get(&by_name, m->group);
        if (at == TFP_NONE) {
            at = (uint32_t)time.size;
            if (!tfp_join_keep(f->x, tfp_push(&time, 0) && tfp_map64_put(&by_name, m->group, at))) break;
        }
        time.at[at] = tfp_add(time.at[at], m->run ? m->busy_ns : s->duration_ns[m->span], NULL);
    }
    for (size_t i = 0; i < f->count && !f->x->b->status; i++) {
        tfp_strid group = tfp_step_mark_at(f, i)->group;
        int64_t its = time.at[tfp_map64_get(&by_name, group)];
        if (its > most) most = its, best = group;
    }
    tfp_map64_free(&by_name);
    tfp_vec_free(&time);
    return best;
}

/* Lets each step of the host end where the next one begins: the time between two runs belongs to a step, too. Windows of
 * devices are their runs; `steps` tells the time between them beside these. */
static void close_gaps(finder *f)
{
    for (size_t i = 0; i + 1 < f->found.size; i++) /* sorted by start */
        if (!f->found.at[i].device && !f->found.at[i + 1].device) f->found.at[i].end_ns = f->found.at[i + 1].start_ns;
}

/* Finds runs of one module: a run is identified by its number over all devices; without a number each span is a run on
 * its own device. */
static void modules(finder *f)
{
    tfp_join *x = f->x;
    const tfp_span_columns *s = &x->t->spans;
    tfp_strid module = longest_module(f);
    tfp_map64 by_run = { 0 }, counted = { 0 }; /* of one device */
    for (size_t i = 0; i < f->count && !x->b->status; i++) {
        const tfp_step_mark *m = tfp_step_mark_at(f, i);
        if (m->group != module) continue;
        tfp_strid device = m->run ? 0 : x->p->lanes->at[s->lane[m->span]].device;
        int64_t end = m->run ? m->end_ns : tfp_span_end(s, m->span);
        uint32_t at = m->run ? tfp_map64_get(&by_run, m->run) : TFP_NONE;
        if (at != TFP_NONE) {
            if (end > f->found.at[at].end_ns) f->found.at[at].end_ns = end;
            continue;
        }
        uint32_t number = tfp_map64_get(&counted, device);
        number = number == TFP_NONE ? 0 : number;
        bool ok = tfp_map64_put(&counted, device, number + 1);
        if (m->run) ok = ok && tfp_map64_put(&by_run, m->run, (uint32_t)f->found.size);
        tfp_join_keep(x, ok);
        tfp_step_add(f, m->number >= 0 ? m->number : (int64_t)number, device, s->start_ns[m->span], end);
    }
    tfp_map64_free(&by_run);
    tfp_map64_free(&counted);
    close_gaps(f);
}

/* The range from the first start to the last end of a process's spans. */
static bool extent(const tfp_join *x, uint32_t process, int64_t *start_ns, int64_t *end_ns)
{
    const tfp_span_columns *s = &x->t->spans;
    bool any = false;
    for (uint32_t i = 0; i < x->count; i++) {
        if (s->kind[i] == TFP_SPAN_OTHER || tfp_span_process(x, i) != process) continue;
        if (!any || s->start_ns[i] < *start_ns) *start_ns = s->start_ns[i];
        if (!any || tfp_span_end(s, i) > *end_ns) *end_ns = tfp_span_end(s, i);
        any = true;
    }
    for (size_t i = 0; i < x->t->compact->lanes.size; i++) {
        uint32_t lane = x->t->compact->lanes.at[i].lane;
        tfp_extent e = tfp_scan_extent(x->p, lane, 0);
        if (e.end_ns < e.start_ns || x->p->lanes->at[lane].process != process) continue;
        if (!any || e.start_ns < *start_ns) *start_ns = e.start_ns;
        if (!any || e.end_ns > *end_ns) *end_ns = e.end_ns;
        any = true;
    }
    return any;
}

static bool ends_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_event_tables *t = ctx;
    return tfp_span_end(&t->spans, t->step_marks.at[a].span) < tfp_span_end(&t->spans, t->step_marks.at[b].span);
}

/* Each of these marks ends a step; the first step begins with the trace. */
static void optimizers(finder *f)
{
    tfp_join *x = f->x;
    int64_t from = 0, end = 0;
    uint32_t *by_end = malloc((f->count + 1) * sizeof *by_end);
    if (tfp_join_keep(x, by_end && extent(x, f->process, &from, &end))) {
        memcpy(by_end, f->marks, f->count * sizeof *by_end);
        tfp_join_keep(x, tfp_sort(by_end, f->count, ends_before, x->t));
        for (size_t i = 0; i < f->count && !x->b->status; i++) {
            end = tfp_span_end(&x->t->spans, x->t->step_marks.at[by_end[i]].span);
            tfp_step_add(f, (int64_t)i, 0, from, end);
            from = end;
        }
    }
    free(by_end);
}

static void whole(finder *f)
{
    int64_t start = 0, end = 0;
    if (extent(f->x, f->process, &start, &end)) tfp_step_add(f, 0, 0, start, end);
}

/* ---- parts ---- */

static const tfp_sort_key by_start[] = { TFP_UP(tfp_step_window, device), TFP_UP(tfp_step_window, start_ns), { 0 } };

static void add_part(tfp_join *x, int64_t start_ns, int64_t end_ns, uint32_t step)
{
    if (end_ns > start_ns) tfp_join_keep(x, tfp_push(&x->windows.parts, ((tfp_step_part){ start_ns, end_ns, step })));
}

/* Cuts the windows of one process and device into parts, by start: a later window hides earlier ones until it ends. */
static void cut_parts(tfp_join *x, const tfp_step_window *w, size_t count)
{
    uint32_t *open = malloc((count + 1) * sizeof *open);
    size_t depth = 0;
    int64_t at = 0; /* parts are made up to here */
    (void)tfp_join_keep(x, open != NULL);
    for (size_t i = 0; open && i <= count && !x->b->status; i++) {
        int64_t next = i < count ? w[i].start_ns : INT64_MAX;
        while (depth && at < next) {
            const tfp_step_window *top = &w[open[depth - 1]];
            int64_t end = top->end_ns < next ? top->end_ns : next;
            add_part(x, at, end, top->step);
            if (end > at) at = end;
            if (top->end_ns <= next) depth--;
        }
        if (i == count) break;
        if (!depth || next > at) at = next;
        open[depth++] = (uint32_t)i;
    }
    free(open);
}

/* Sorts the windows, and makes the parts of each device. */
static void settle(finder *f)
{
    tfp_join *x = f->x;
    size_t count = f->found.size;
    size_t first = x->t->windows.size;
    bool ok =
        tfp_order_rows(f->found.at, sizeof *f->found.at, count, by_start) && tfp_reserve(&x->t->windows, first + count);
    if (!tfp_join_keep(x, ok)) count = 0;
    for (size_t i = 0; i < count; i++) x->t->windows.at[x->t->windows.size++] = f->found.at[i];
    const tfp_step_window *w = count ? x->t->windows.at + first : NULL;
    for (size_t i = 0, end; i < count && !x->b->status; i = end) {
        for (end = i + 1; end < count && w[end].device == w[i].device;) end++;
        tfp_step_parts list = { f->process, w[i].device, x->windows.parts.size, 0 };
        cut_parts(x, w + i, end - i);
        list.count = x->windows.parts.size - list.first;
        uint64_t key = (uint64_t)f->process << 32 | list.device;
        tfp_join_keep(x, tfp_map64_put(&x->windows.list_by_device, key, (uint32_t)x->windows.lists.size) &&
                             tfp_push(&x->windows.lists, list));
    }
}

static const tfp_step_parts *parts_of(const tfp_join *x, uint32_t process, tfp_strid device)
{
    uint32_t list = tfp_map64_get(&x->windows.list_by_device, (uint64_t)process << 32 | device);
    return list == TFP_NONE ? NULL : &x->windows.lists.at[list];
}

tfp_step_cursor tfp_step_cursor_start(const tfp_join *x, uint32_t process, tfp_strid device)
{
    return (tfp_step_cursor){ .x = x, .process = process, .device = device, .step = TFP_NONE };
}

/* Moves to the part that contains the moment, or to the gap between two parts. */
static void seek(tfp_step_cursor *c, int64_t at_ns)
{
    const tfp_join *x = c->x;
    bool whole = x->t->processes.at[c->process].steps == TFP_STEPS_NONE;
    const tfp_step_parts *list = whole ? NULL : parts_of(x, c->process, c->device);
    const tfp_step_part *part = list && list->count ? x->windows.parts.at + list->first : NULL;
    size_t low; /* parts below `low` do not start later */
    TFP_LOWER_BOUND(low, 0, list ? list->count : 0, part[low].start_ns <= at_ns);
    bool inside = low && at_ns < part[low - 1].end_ns;
    c->step = whole ? tfp_find_step(x->p, 0) : inside ? part[low - 1].step : TFP_NONE;
    c->from_ns = inside ? part[low - 1].start_ns : low ? part[low - 1].end_ns : INT64_MIN;
    c->to_ns = inside ? part[low - 1].end_ns : list && low < list->count ? part[low].start_ns : INT64_MAX;
}

uint32_t tfp_step_cursor_at(tfp_step_cursor *c, int64_t at_ns)
{
    if (at_ns < c->from_ns || at_ns >= c->to_ns) seek(c, at_ns);
    return c->step;
}

uint32_t tfp_join_step_at(const tfp_join *x, uint32_t process, tfp_strid device, int64_t at_ns)
{
    tfp_step_cursor c = tfp_step_cursor_start(x, process, device);
    return tfp_step_cursor_at(&c, at_ns);
}

bool tfp_join_has_steps(const tfp_join *x, uint32_t process, tfp_strid device)
{
    return parts_of(x, process, device) != NULL;
}

/* ---- all of it ---- */

static void find_process(tfp_join *x, uint32_t process, uint32_t *marks, const uint64_t *keys)
{
    finder f = { .x = x, .process = process, .marks = marks };
    unsigned source = TFP_STEPS_NONE;
    void (*const find[])(finder *) = { marked, tfp_steps_of_functions, tfp_steps_of_roots, modules, optimizers, whole };
    for (uint32_t i = 0; i < x->t->step_marks.size; i++) {
        const tfp_step_mark *m = &x->t->step_marks.at[i];
        if (tfp_span_process(x, m->span) == process && m->source < source) source = m->source;
    }
    for (uint32_t i = 0; i < x->t->step_marks.size; i++) {
        const tfp_step_mark *m = &x->t->step_marks.at[i];
        if (tfp_span_process(x, m->span) == process && m->source == source) marks[f.count++] = i;
    }
    x->t->processes.at[process].steps = (uint8_t)source;
    if (tfp_join_keep(x, tfp_sort_keys(marks, f.count, keys))) find[source](&f);
    if (!x->b->status) settle(&f);
    tfp_vec_free(&f.found);
}

/* A step is not a span's parent, so the children of annotations that became steps get the span around it as parent. */
static void leave_roots_out(tfp_join *x)
{
    tfp_span_columns *s = &x->t->spans;
    for (size_t k = 0; k < x->count; k++) { /* parents come first */
        uint32_t i = x->order[k], parent = s->parent[i];
        if (parent != TFP_NONE && s->kind[parent] == TFP_SPAN_STEP) s->parent[i] = s->parent[parent];
    }
}

/* Sets the steps of host spans; runs in parallel, each row is written once. */
static void place_rows(void *ctx, size_t worker, size_t first, size_t end)
{
    const tfp_join *x = ctx;
    tfp_span_columns *s = &x->t->spans;
    tfp_step_cursor at = tfp_step_cursor_start(x, TFP_NONE, 0);
    (void)worker;
    for (size_t i = first; i < end; i++) {
        uint32_t process = tfp_span_process(x, (uint32_t)i);
        if (s->kind[i] == TFP_SPAN_ACTIVITY || process >= x->t->processes.size) continue;
        if (process != at.process) at = tfp_step_cursor_start(x, process, 0);
        s->step[i] = tfp_step_cursor_at(&at, s->start_ns[i]);
    }
}

/* ---- work in steps ---- */

typedef struct work {              /* work of a process */
    int64_t ns[2], in_steps_ns[2]; /* self times: [0] of host ops, [1] of activities */
} work;

static void add_work(work *w, unsigned kind, int64_t self_ns, bool in_step)
{
    bool activity = kind == TFP_SPAN_ACTIVITY;
    if (!activity && !tfp_is_host_op(kind)) return;
    w->ns[activity] = tfp_add(w->ns[activity], self_ns, NULL);
    if (in_step) w->in_steps_ns[activity] = tfp_add(w->in_steps_ns[activity], self_ns, NULL);
}

static void work_of(const tfp_join *x, uint32_t process, work *w)
{
    const tfp_span_columns *s = &x->t->spans;
    for (uint32_t i = 0; i < x->count; i++)
        if (tfp_span_process(x, i) == process && x->p->lanes->at[s->lane[i]].role != TFP_ROLE_ASYNC)
            add_work(w, s->kind[i], s->self_ns[i], s->step[i] != TFP_NONE);
    for (size_t i = 0; i < x->t->compact->lanes.size; i++) {
        const tfp_compact_lane *f = &x->t->compact->lanes.at[i];
        if (x->p->lanes->at[f->lane].process != process || x->p->lanes->at[f->lane].role == TFP_ROLE_ASYNC) continue;
        for (size_t k = 0; k < f->sums.size; k++) {
            const tfp_compact_sum *g = &f->sums.at[k];
            add_work(w, x->t->compact->kinds.at[g->kind].kind, g->self_ns, g->step != TFP_NONE);
        }
    }
}

void tfp_join_work(tfp_join *x)
{
    for (uint32_t i = 0; i < x->t->processes.size; i++) {
        tfp_process *p = &x->t->processes.at[i];
        work w = { 0 };
        p->work_ns = p->work_in_steps_ns = 0;
        p->work_of_devices = false;
        if (p->steps == TFP_STEPS_MARKED || p->steps == TFP_STEPS_NONE) continue;
        work_of(x, i, &w);
        bool device = !tfp_join_has_steps(x, i, 0) || !w.ns[0];
        p->work_of_devices = device;
        p->work_ns = w.ns[device];
        p->work_in_steps_ns = w.in_steps_ns[device];
    }
}

/* ---- phases ---- */

/* Gives each step the phase of the first mark in it that tells one. `marks` has room for all marks; keys: their starts. */
static void find_phases(tfp_join *x, uint32_t *marks, const uint64_t *keys)
{
    tfp_map64 window_of = { 0 }; /* process << 32 | step -> window */
    size_t count = 0;
    tfp_step_phase phase;
    for (uint32_t i = 0; i < x->t->step_marks.size; i++) {
        const tfp_step_mark *m = &x->t->step_marks.at[i];
        bool host = x->p->lanes->at[x->t->spans.lane[m->span]].role == TFP_ROLE_THREAD;
        bool named = m->source == TFP_STEPS_MARKED || (m->source == TFP_STEPS_NAMED && host);
        if (named && tfp_step_phase_of(tfp_text(x->p, x->t->spans.name[m->span]), &phase)) marks[count++] = i;
    }
    bool ok = tfp_sort_keys(marks, count, keys);
    for (uint32_t i = 0; i < x->t->windows.size && ok && count; i++)
        ok = tfp_map64_put(&window_of, (uint64_t)x->t->windows.at[i].process << 32 | x->t->windows.at[i].step, i);
    for (size_t i = 0; i < count && tfp_join_keep(x, ok); i++) {
        uint32_t span = x->t->step_marks.at[marks[i]].span, process = tfp_span_process(x, span);
        uint32_t step = tfp_join_step_at(x, process, 0, x->t->spans.start_ns[span]);
        uint32_t at = tfp_map64_get(&window_of, (uint64_t)process << 32 | step);
        if (at == TFP_NONE || x->t->windows.at[at].phase) continue;
        tfp_step_phase_of(tfp_text(x->p, x->t->spans.name[span]), &phase);
        x->t->windows.at[at].phase = phase.phase;
        x->t->windows.at[at].requests = phase.requests;
        x->t->windows.at[at].tokens = phase.tokens;
    }
    tfp_map64_free(&window_of);
}

/* ---- the stage ---- */

void tfp_join_steps(tfp_join *x)
{
    size_t count = x->t->step_marks.size;
    tfp_span_columns *s = &x->t->spans;
    uint32_t *marks = malloc((count + 1) * sizeof *marks);
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    for (uint32_t i = 0; keys && i < count; i++)
        keys[i] = (uint64_t)s->start_ns[x->t->step_marks.at[i].span] ^ UINT64_C(1) << 63;
    if (tfp_join_keep(x, marks && keys))
        for (uint32_t i = 0; i < x->t->processes.size && !x->b->status; i++) find_process(x, i, marks, keys);
    if (!x->b->status) find_phases(x, marks, keys);
    free(marks);
    free(keys);
    if (!x->b->status) tfp_rows_run(tfp_rows_threads(x->count), x->count, place_rows, x);
    if (x->windows.are_roots && !x->b->status) leave_roots_out(x);
}
