// SPDX-License-Identifier: Apache-2.0
/* model/join/calls.c: finds steps of a trace without marks, from the calls that begin them: Keras' step functions, or
 * roots. Many such calls return before their work is done, and the work runs on other threads. So the host's work is
 * added up from the beginning of a call to the next beginning, and compared with the work during the call. */
#include "model/join/steps.h"
#include "model/span_names.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/step_marks.h"
#include "query/order.h"

typedef struct call {
    uint32_t span;  /* index in spans */
    tfp_strid name; /* name of the called function */
    int64_t start_ns, end_ns;
    int64_t returns_ns; /* when the surrounding call returns, at the earliest when this one ends */
    int64_t inside_ns;  /* self times of the host ops that start during the call */
    int64_t work_ns;    /* and of those that start before the next call */
    /* work_end_ns: when the last of these ops ends; inside_end_ns: the same for ops that start before the call
     * returns */
    int64_t inside_end_ns, work_end_ns;
} call;

typedef struct calls {
    tfp_step_finder *f;
    TFP_VEC(call) at; /* outermost calls of one thread, sorted by start */
} calls;

/* ---- which calls ---- */

typedef struct lane_sum { /* of the outermost marks of one thread */
    bool any;
    int64_t start_ns, end_ns; /* start and end of the last one */
    int64_t ns;
} lane_sum;

/* The thread on which the outermost marks take longest. If two marks start together, the longer contains the
 * other. */
static uint32_t longest_lane(const tfp_step_finder *f, lane_sum *lanes)
{
    const tfp_span_columns *s = &f->x->t->spans;
    uint32_t best = TFP_NONE;
    for (size_t i = 0; i < f->count; i++) {
        uint32_t span = tfp_step_mark_at(f, i)->span, lane = s->lane[span];
        lane_sum *l = &lanes[lane];
        int64_t end_ns = tfp_span_end(s, span);
        if (l->any && end_ns <= l->end_ns) continue;
        if (l->any && s->start_ns[span] == l->start_ns) l->ns = tfp_add(l->ns, l->start_ns - l->end_ns, NULL);
        *l = (lane_sum){ true, s->start_ns[span], end_ns, tfp_add(l->ns, s->duration_ns[span], NULL) };
        if (best == TFP_NONE || l->ns > lanes[best].ns) best = lane;
    }
    return best;
}

#define LEVELS 8 /* TensorFlow has three spans between the call of a function and its run */

/* Finds the call of a function. A run of a function has the function's name and returns with the call, which is a span
 * around the run. */
static void find_function(tfp_join *x, const tfp_step_mark *m, call *c)
{
    const tfp_span_columns *s = &x->t->spans;
    tfp_str name;
    tfp_strid around = m->group;
    int64_t end_ns = m->end_ns;
    uint32_t span = s->parent[m->span];
    if (s->marks[m->span] & TFP_MARK_INSTANT) span = TFP_NONE; /* an instant runs nothing */
    for (int i = 0; i < LEVELS && !around && span != TFP_NONE; i++, span = s->parent[span]) {
        if (!tfp_function_called(tfp_text(x->p, s->name[span]), &name)) continue;
        around = s->name[span];
        end_ns = tfp_span_end(s, span);
    }
    if (!around || !tfp_function_called(tfp_text(x->p, around), &name)) return;
    c->name = tfp_build_string(x->b, name);
    if (end_ns > c->returns_ns) c->returns_ns = end_ns;
}

/* A function that runs on several devices has a root for each of them in one call; together they count as that call. */
static bool of_last(call *last, int64_t start_ns, int64_t end_ns)
{
    if (start_ns == last->start_ns || end_ns > last->returns_ns) return false;
    last->end_ns = last->inside_end_ns = last->work_end_ns = end_ns;
    return true;
}

/* Adds the marks of a thread. If two marks start together, the longer comes first and contains the other. */
static bool take(calls *c, uint32_t lane)
{
    tfp_join *x = c->f->x;
    const tfp_span_columns *s = &x->t->spans;
    for (size_t i = 0; i < c->f->count; i++) {
        const tfp_step_mark *m = tfp_step_mark_at(c->f, i);
        int64_t end_ns = tfp_span_end(s, m->span);
        call *last = c->at.size ? &c->at.at[c->at.size - 1] : NULL;
        if (s->lane[m->span] != lane || (last && end_ns <= last->end_ns)) continue;
        if (last && of_last(last, s->start_ns[m->span], end_ns)) continue;
        call one = { .span = m->span,
                     .name = s->name[m->span],
                     .start_ns = s->start_ns[m->span],
                     .end_ns = end_ns,
                     .returns_ns = end_ns,
                     .inside_end_ns = end_ns,
                     .work_end_ns = end_ns };
        if (m->source == TFP_STEPS_ROOTS) find_function(x, m, &one);
        if (last && last->start_ns == one.start_ns)
            *last = one;
        else if (!tfp_push(&c->at, one))
            return false;
    }
    return true;
}

static void find_calls(calls *c)
{
    tfp_join *x = c->f->x;
    lane_sum *lanes = calloc(x->p->lanes->size + 1, sizeof *lanes);
    if (tfp_join_keep(x, lanes != NULL)) tfp_join_keep(x, take(c, longest_lane(c->f, lanes)));
    free(lanes);
}

/* ---- the work of the calls ---- */

/* The last call that does not start later; NULL when all start later. `near` is the result of the last search, because
 * ops come by start. */
static call *call_at(const calls *c, size_t *near, int64_t at_ns)
{
    const call *all = c->at.at;
    size_t from = 0, count = c->at.size, later;
    if (*near < count && all[*near].start_ns <= at_ns) {
        if (*near + 1 == count || all[*near + 1].start_ns > at_ns) return &c->at.at[*near];
        from = *near + 1;
    }
    TFP_LOWER_BOUND(later, from, count, all[later].start_ns <= at_ns);
    *near = later ? later - 1 : 0;
    return later ? &c->at.at[later - 1] : NULL;
}

static void add_op(const calls *c, size_t *near, int64_t start_ns, int64_t duration_ns, int64_t self_ns)
{
    call *of = call_at(c, near, start_ns);
    int64_t end_ns = tfp_add(start_ns, duration_ns, NULL);
    if (!of) return;
    of->work_ns = tfp_add(of->work_ns, self_ns, NULL);
    if (start_ns < of->end_ns) of->inside_ns = tfp_add(of->inside_ns, self_ns, NULL);
    if (end_ns > of->work_end_ns) of->work_end_ns = end_ns;
    if (start_ns < of->returns_ns && end_ns > of->inside_end_ns) of->inside_end_ns = end_ns;
}

/* Adds the host ops of one thread, which has spans or compact rows. */
static void add_lane(const calls *c, uint32_t lane)
{
    const tfp_join *x = c->f->x;
    const tfp_span_columns *s = &x->t->spans;
    size_t near = 0;
    for (uint32_t k = x->lane_first[lane]; k < x->lane_first[lane + 1]; k++) {
        uint32_t i = x->order[k];
        if (tfp_is_host_op(s->kind[i])) add_op(c, &near, s->start_ns[i], s->duration_ns[i], s->self_ns[i]);
    }
    for (tfp_lane_rows r = tfp_lane_rows_of(x->t, tfp_compact_lane_of(x->t, lane)); tfp_lane_rows_next(&r);)
        if (tfp_is_host_op(r.kind->kind)) add_op(c, &near, r.start_ns, r.duration_ns, r.self_ns);
}

/* Threads that prepare input work for later steps, so they are skipped. */
static void add_work(const calls *c)
{
    const tfp_join *x = c->f->x;
    for (uint32_t lane = 0; lane < x->p->lanes->size; lane++) {
        const tfp_lane *l = &x->p->lanes->at[lane];
        if (l->process == c->f->process && l->role == TFP_ROLE_THREAD && !tfp_is_input_thread(tfp_text(x->p, l->label)))
            add_lane(c, lane);
    }
}

/* The number of calls that are followed by another one; after the last call anything may come. */
static size_t followed(const calls *c) { return c->at.size > 1 ? c->at.size - 1 : c->at.size; }

/* Whether most calls have more work after them than in them. */
static bool asynchronous(const calls *c)
{
    size_t count = 0, behind = 0;
    for (size_t i = 0; i < followed(c); i++) {
        const call *one = &c->at.at[i];
        count += one->work_ns > 0;
        behind += one->inside_ns < one->work_ns / 2;
    }
    return behind > count / 2;
}

/* ---- the end of the last call ---- */

typedef struct launched { /* activities launched at `from_ns` or later, but before `before_ns` */
    const tfp_join *x;
    uint32_t process;
    int64_t from_ns, before_ns, end_ns;
} launched;

static void add_activity(launched *l, uint32_t correlation, int64_t start_ns, int64_t duration_ns)
{
    if (start_ns < l->from_ns) return;
    int64_t at_ns = start_ns;
    tfp_join_launch_start(l->x, l->process, correlation, &at_ns);
    int64_t end_ns = tfp_add(start_ns, duration_ns, NULL);
    if (at_ns >= l->from_ns && at_ns < l->before_ns && end_ns > l->end_ns) l->end_ns = end_ns;
}

/* When the last activity launched by the call ends; `least` when none ends later. */
static int64_t launched_end(tfp_step_finder *f, int64_t from_ns, int64_t before_ns, int64_t least)
{
    tfp_join *x = f->x;
    const tfp_span_columns *s = &x->t->spans;
    launched l = { x, f->process, from_ns, before_ns, least };
    if (!tfp_join_keep(x, tfp_join_map_calls(x))) return least;
    for (uint32_t i = 0; i < x->count; i++)
        if (s->kind[i] == TFP_SPAN_ACTIVITY && tfp_span_process(x, i) == f->process)
            add_activity(&l, s->correlation[i], s->start_ns[i], s->duration_ns[i]);
    for (size_t k = 0; k < x->t->compact->lanes.size; k++) {
        const tfp_compact_lane *lane = &x->t->compact->lanes.at[k];
        if (lane->nesting == TFP_NESTING_HOST || x->p->lanes->at[lane->lane].process != f->process) continue;
        for (tfp_lane_rows r = tfp_lane_rows_of(x->t, lane); tfp_lane_rows_next(&r);)
            add_activity(&l, r.correlation, r.start_ns, r.duration_ns);
    }
    return l.end_ns;
}

/* The end of the last call's work: work that was begun before the call returned. If its return is unknown, everything
 * until the end counts. */
static int64_t last_end(tfp_step_finder *f, const call *c, bool apart)
{
    bool open = apart && c->returns_ns == c->end_ns;
    return launched_end(f, c->start_ns, open ? INT64_MAX : c->returns_ns, open ? c->work_end_ns : c->inside_end_ns);
}

/* ---- steps ---- */

/* Adds steps from the start of a call to the start of the next one. `name`: only calls with this name; NULL: all
 * calls. */
static void add_apart(tfp_step_finder *f, const calls *c, const tfp_strid *name, bool apart)
{
    const call *before = NULL;
    int64_t counted = 0;
    for (size_t i = 0; i < c->at.size && !f->x->b->status; i++) {
        const call *one = &c->at.at[i];
        if (name && one->name != *name) continue;
        if (before) tfp_step_add(f, counted++, 0, before->start_ns, one->start_ns);
        before = one;
    }
    if (before && !f->x->b->status) tfp_step_add(f, counted, 0, before->start_ns, last_end(f, before, apart));
}

void tfp_steps_of_functions(tfp_step_finder *f)
{
    calls c = { .f = f };
    find_calls(&c);
    if (!f->x->b->status) {
        add_work(&c);
        add_apart(f, &c, NULL, asynchronous(&c));
    }
    tfp_vec_free(&c.at);
}

/* The name of the calls with most work; if no work was recorded, of the calls that take longest. */
static tfp_strid most_work(const calls *c, bool apart)
{
    tfp_join *x = c->f->x;
    TFP_VEC(int64_t) sums = { 0 };
    tfp_map64 by_name = { 0 };
    tfp_strid best = 0;
    int64_t most = -1, work = 0;
    for (size_t i = 0; i < followed(c); i++) work = tfp_add(work, c->at.at[i].work_ns, NULL);
    for (size_t i = 0; i < followed(c); i++) {
        const call *one = &c->at.at[i];
        uint32_t at = tfp_map64_get(&by_name, one->name);
        if (at == TFP_NONE) {
            at = (uint32_t)sums.size;
            if (!tfp_join_keep(x, tfp_push(&sums, 0) && tfp_map64_put(&by_name, one->name, at))) break;
        }
        int64_t its = !work ? one->end_ns - one->start_ns : apart ? one->work_ns : one->inside_ns;
        sums.at[at] = tfp_add(sums.at[at], its, NULL);
    }
    for (size_t i = 0; i < followed(c) && !x->b->status; i++) {
        int64_t its = sums.at[tfp_map64_get(&by_name, c->at.at[i].name)];
        if (its > most) most = its, best = c->at.at[i].name;
    }
    tfp_map64_free(&by_name);
    tfp_vec_free(&sums);
    return best;
}

/* Makes each root a step, so that it is no longer an annotation. */
static void add_roots(tfp_step_finder *f, const calls *c, tfp_strid name)
{
    tfp_span_columns *s = &f->x->t->spans;
    int64_t counted = 0;
    for (size_t i = 0; i < c->at.size && !f->x->b->status; i++) {
        const call *one = &c->at.at[i];
        if (one->name != name) continue;
        if (s->kind[one->span] == TFP_SPAN_ANNOTATION) {
            s->kind[one->span] = TFP_SPAN_STEP;
            s->self_ns[one->span] = s->duration_ns[one->span];
            f->x->windows.are_roots = true;
        }
        tfp_step_add(f, counted++, 0, one->start_ns, one->end_ns);
    }
}

void tfp_steps_of_roots(tfp_step_finder *f)
{
    calls c = { .f = f };
    find_calls(&c);
    if (!f->x->b->status) {
        add_work(&c);
        bool apart = asynchronous(&c);
        tfp_strid name = most_work(&c, apart);
        if (apart)
            add_apart(f, &c, &name, apart);
        else
            add_roots(f, &c, name);
    }
    tfp_vec_free(&c.at);
}
