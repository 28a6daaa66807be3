// SPDX-License-Identifier: Apache-2.0
/* model/join/doubts.c: finds what a trace's own data puts in doubt: launches whose work is missing. Runs after launches and steps are
 * known. A trace in which nothing is odd costs one look at each activity and each call. */
#include "model/join/doubts.h"
#include "model/join/timeline.h"
#include "model/span_names.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "query/order.h"

#include <stdlib.h>

typedef struct capture { /* a time in which launches go into a graph and run nothing */
    uint32_t process;
    int64_t start_ns, end_ns;
} capture;

typedef struct of_process {
    int64_t keyless; /* activities without a launch whose correlation is unknown */
    int64_t lost;    /* launches whose work is missing */
    int64_t surplus; /* activities beyond the first of a launch, which may be those of others with its number */
    size_t host_ops;
    tfp_strid device; /* of its first stream with work; 0: none yet */
    bool streams;     /* it has several streams with work */
    bool numbered;    /* its launches have numbers of their own */
    bool joined;      /* arrows or other numbers join some launches to their work */
    bool devices;     /* it has several devices with work */
    tfp_timeline timeline;
    int64_t first_call_ns, last_call_ns; /* first start and last end of launches */
    int64_t synced_ns;                   /* first end of a call that waits for a device */
    int64_t queued_since_ns;             /* the work of what was launched later may still wait in a queue at the end */
} of_process;

typedef struct of_lane {
    int64_t end_ns, launched_ns; /* last end of an activity, last start of a launch that has one */
} of_lane;

typedef struct doubter {
    tfp_join *x;
    const tfp_span_columns *s;
    uint8_t
        *means; /* for each string: what a call of that name does, plus one (0: not looked at), and the bits below */
    uint8_t *launched; /* for each span: an activity has it, or a call in it, as its launch */
    of_process *processes;
    of_lane *lanes;
    TFP_VEC(uint32_t) launches, begins, ends, syncs; /* calls */
    tfp_waits waits, slow, compilers;                /* slow: activities whose launch takes long */
    uint8_t *active;                                 /* for each step: whether a device works in it */
    TFP_VEC(capture) captures;
    tfp_map64 rows, lengths; /* process and step -> row; lengths: of activities without a duration */
} doubter;

enum { MEANING = 15, LOOKED_AT = 16, COMPILES = 32 };

static tfp_call_meaning meaning_of(const doubter *d, uint32_t span)
{
    uint8_t *known = &d->means[d->s->name[span]];
    if (!(*known & MEANING)) *known |= (uint8_t)(tfp_call_means(tfp_text(d->x->p, d->s->name[span])) + 1);
    return (tfp_call_meaning)((*known & MEANING) - 1);
}

static bool compiles(const doubter *d, uint32_t span)
{
    uint8_t *known = &d->means[d->s->name[span]];
    if (!(*known & LOOKED_AT)) *known |= LOOKED_AT | (tfp_compiles(tfp_text(d->x->p, d->s->name[span])) ? COMPILES : 0);
    return *known & COMPILES;
}

/* ---- spans ---- */

static of_process *process_of(const doubter *d, uint32_t span) { return &d->processes[tfp_span_process(d->x, span)]; }

static void collect_launch(doubter *d, uint32_t span)
{
    of_process *p = process_of(d, span);
    int64_t end = tfp_span_end(d->s, span);
    if (d->s->start_ns[span] < p->first_call_ns) p->first_call_ns = d->s->start_ns[span];
    if (end > p->last_call_ns) p->last_call_ns = end;
    if (d->s->correlation[span]) *(d->s->correlation[span] & TFP_BIG_KEY ? &p->joined : &p->numbered) = true;
    tfp_join_keep(d->x, tfp_push(&d->launches, span));
}

static void note_sync(doubter *d, uint32_t call)
{
    int64_t end = tfp_span_end(d->s, call);
    if (end < process_of(d, call)->synced_ns) process_of(d, call)->synced_ns = end;
}

static void collect_call(doubter *d, uint32_t span)
{
    bool ok = true;
    switch (meaning_of(d, span)) {
    case TFP_CALL_LAUNCHES:
    case TFP_CALL_REPLAYS: collect_launch(d, span); break;
    case TFP_CALL_BEGINS_CAPTURE: ok = tfp_push(&d->begins, span); break;
    case TFP_CALL_ENDS_CAPTURE: ok = tfp_push(&d->ends, span); break;
    case TFP_CALL_WAITS:
        if (!tfp_str_has(tfp_text(d->x->p, d->s->name[span]), TFP_STR("Event"))) note_sync(d, span);
        ok = (d->s->duration_ns[span] < TFP_LONG_NS || tfp_push(&d->waits, span)) && tfp_push(&d->syncs, span);
        break;
    default: break;
    }
    tfp_join_keep(d->x, ok);
}

static void add_without_length(doubter *d, uint32_t span)
{
    uint64_t key = (uint64_t)tfp_span_process(d->x, span) << 32 | d->s->step[span];
    uint32_t at = tfp_map64_get(&d->lengths, key);
    if (at == TFP_NONE) {
        tfp_doubt row = { .kind = TFP_DOUBT_NO_LENGTH,
                          .process = tfp_span_process(d->x, span),
                          .step = d->s->step[span],
                          .name = d->s->name[span] };
        at = (uint32_t)d->x->t->doubts.size;
        if (!tfp_join_keep(d->x, tfp_map64_put(&d->lengths, key, at) && tfp_push(&d->x->t->doubts, row))) return;
    }
    d->x->t->doubts.at[at].count++;
}

static bool is_gpu(const doubter *d, tfp_strid device)
{
    return tfp_str_begins(tfp_text(d->x->p, device), TFP_STR("gpu:"));
}

/* Whether an activity of no duration must have had one. A kernel of a file in whole microseconds may have taken less than
 * one. */
static bool lacks_length(const doubter *d, uint32_t span)
{
    bool kernel = d->s->class[span] == TFP_CLASS_COMPUTE && is_gpu(d, d->x->p->lanes->at[d->s->lane[span]].device);
    return d->s->marks[span] & TFP_MARK_CLAMPED || (kernel && d->s->start_ns[span] % 1000);
}

static void collect_activity(doubter *d, uint32_t span)
{
    uint32_t launch = d->s->launch[span];
    of_lane *lane = &d->lanes[d->s->lane[span]];
    if (d->s->step[span] != TFP_NONE) d->active[d->s->step[span]] = 1;
    int64_t end = tfp_span_end(d->s, span);
    if (end > lane->end_ns) lane->end_ns = end;
    if (!d->s->duration_ns[span] && lacks_length(d, span)) add_without_length(d, span);
    if (launch == TFP_NONE) {
        process_of(d, span)->keyless += !d->s->correlation[span] && d->s->class[span] != TFP_CLASS_COPY;
        return;
    }
    if (lane->launched_ns == INT64_MAX || d->s->start_ns[launch] > lane->launched_ns)
        lane->launched_ns = d->s->start_ns[launch];
    if (d->s->class[span] == TFP_CLASS_COPY && tfp_span_end(d->s, launch) >= end) note_sync(d, launch);
    if (d->s->duration_ns[launch] > TFP_LONG_NS && meaning_of(d, launch) == TFP_CALL_LAUNCHES)
        tfp_join_keep(d->x, tfp_push(&d->slow, span));
    process_of(d, span)->surplus += d->launched[launch] && meaning_of(d, launch) == TFP_CALL_LAUNCHES;
    d->launched[launch] = 1;
    uint32_t around =
        d->s->parent[launch]; /* of the runtime's call and the driver's call in it only one has the activity */
    if (around != TFP_NONE && d->s->kind[around] == TFP_SPAN_CALL) d->launched[around] = 1;
}

/* Whether the file names a call that waits as an activity's launch: nothing follows for the clock. */
static bool is_waited_for(const doubter *d, uint32_t span)
{
    uint32_t launch = d->s->kind[span] == TFP_SPAN_ACTIVITY ? d->s->launch[span] : TFP_NONE;
    return launch != TFP_NONE && meaning_of(d, launch) == TFP_CALL_WAITS;
}

static void collect(doubter *d)
{
    for (uint32_t i = 0; i < d->x->count && !d->x->b->status; i++) {
        unsigned kind = d->s->kind[i];
        bool asked = kind == TFP_SPAN_CALL || kind == TFP_SPAN_ACTIVITY;
        bool may_compile = kind == TFP_SPAN_OP || kind == TFP_SPAN_ANNOTATION || kind == TFP_SPAN_FRAME;
        if (may_compile && d->s->duration_ns[i] > TFP_LONG_NS && compiles(d, i))
            tfp_join_keep(d->x, tfp_push(&d->compilers, i));
        if ((!asked && kind != TFP_SPAN_OP) || tfp_span_process(d->x, i) >= d->x->t->processes.size) continue;
        process_of(d, i)->host_ops += kind != TFP_SPAN_ACTIVITY;
        if (!is_waited_for(d, i)) tfp_timeline_add(&process_of(d, i)->timeline, i);
        if (kind == TFP_SPAN_CALL)
            collect_call(d, i);
        else if (asked)
            collect_activity(d, i);
    }
}

/* ---- captures of graphs ---- */

/* By process and start. */
static bool call_before(const void *ctx, uint32_t a, uint32_t b)
{
    const doubter *d = ctx;
    uint32_t p = tfp_span_process(d->x, a), q = tfp_span_process(d->x, b);
    return p != q ? p < q : d->s->start_ns[a] < d->s->start_ns[b];
}

/* Pairs the begins and ends of each process's captures. A capture that the recording cut goes on to its end. */
static bool find_captures(doubter *d)
{
    const tfp_span_columns *s = d->s;
    size_t b = 0, e = 0;
    if (!tfp_sort(d->begins.at, d->begins.size, call_before, d) || !tfp_sort(d->ends.at, d->ends.size, call_before, d))
        return false;
    while (b < d->begins.size || e < d->ends.size) {
        uint32_t first = b < d->begins.size ? tfp_span_process(d->x, d->begins.at[b]) : TFP_NONE,
                 other = e < d->ends.size ? tfp_span_process(d->x, d->ends.at[e]) : TFP_NONE;
        uint32_t process = first < other ? first : other;
        int64_t since = INT64_MIN;
        for (size_t open = 0;;) {
            bool begins = b < d->begins.size && tfp_span_process(d->x, d->begins.at[b]) == process;
            bool ends = e < d->ends.size && tfp_span_process(d->x, d->ends.at[e]) == process;
            if (!begins && !ends) {
                if (open && !tfp_push(&d->captures, ((capture){ process, since, INT64_MAX }))) return false;
                break;
            }
            if (begins && (!ends || s->start_ns[d->begins.at[b]] < s->start_ns[d->ends.at[e]])) {
                if (!open++) since = s->start_ns[d->begins.at[b]];
                b++;
                continue;
            }
            if (open <= 1 && !tfp_push(&d->captures, ((capture){ process, since, tfp_span_end(s, d->ends.at[e]) })))
                return false;
            open -= open > 0;
            e++;
        }
    }
    return true;
}

static bool is_captured(const doubter *d, uint32_t call)
{
    uint32_t process = tfp_span_process(d->x, call);
    const capture *all = d->captures.at, *c;
    size_t later; /* captures of a process do not overlap */
    TFP_LOWER_BOUND(later, 0, d->captures.size,
                    all[later].process < process ||
                        (all[later].process == process && all[later].start_ns <= d->s->start_ns[call]));
    c = later ? &all[later - 1] : NULL;
    return c && c->process == process && d->s->start_ns[call] < c->end_ns;
}

/* ---- launches whose work is missing ---- */

static bool is_inner(const doubter *d, uint32_t call)
{
    uint32_t around = d->s->parent[call];
    return around != TFP_NONE && d->s->kind[around] == TFP_SPAN_CALL;
}

static uint64_t row_key(const doubter *d, uint32_t call)
{
    bool replays = meaning_of(d, call) == TFP_CALL_REPLAYS;
    return (uint64_t)(tfp_span_process(d->x, call) << 1 | replays) << 32 | d->s->step[call];
}

static tfp_doubt *row_of(doubter *d, uint32_t call, uint64_t key)
{
    uint32_t at = tfp_map64_get(&d->rows, key);
    if (at == TFP_NONE) {
        tfp_doubt row = { .kind = key >> 32 & 1 ? TFP_DOUBT_LOST_REPLAYS : TFP_DOUBT_LOST_KERNELS,
                          .process = tfp_span_process(d->x, call),
                          .step = (uint32_t)key,
                          .name = d->s->name[call] };
        at = (uint32_t)d->x->t->doubts.size;
        if (!tfp_join_keep(d->x, tfp_map64_put(&d->rows, key, at) && tfp_push(&d->x->t->doubts, row))) return NULL;
    }
    return &d->x->t->doubts.at[at];
}

static void add_lost(doubter *d, uint32_t call)
{
    tfp_doubt *row = row_of(d, call, row_key(d, call));
    if (!row) return;
    row->count++;
}

/* Counts a launch: in the row of its step, or where nothing is missing in the row outside of all steps. */
static void add_of(doubter *d, uint32_t call)
{
    uint64_t key = row_key(d, call);
    bool known = tfp_map64_get(&d->rows, key) != TFP_NONE;
    tfp_doubt *row = row_of(d, call, known ? key : key | TFP_NONE);
    if (row) row->of++;
}

/* Whether the recording could hold an activity of the launch. A call inside another counts there. */
static bool is_launch(const doubter *d, uint32_t call) { return !is_inner(d, call) && !is_captured(d, call); }

/* A stream that is busy nearly until the last call may still have work in its queue: all that was launched after its last activity. */
static void find_queues(doubter *d)
{
    const tfp_lane_list *lanes = d->x->p->lanes;
    for (size_t i = 0; i < lanes->size; i++) {
        of_process *p = lanes->at[i].process < d->x->t->processes.size ? &d->processes[lanes->at[i].process] : NULL;
        if (!p || p->last_call_ns < p->first_call_ns) continue;
        int64_t nearly = (p->last_call_ns - p->first_call_ns) / 50;
        bool busy = d->lanes[i].end_ns >= tfp_add(p->last_call_ns, -nearly, NULL);
        if (busy && d->lanes[i].launched_ns < p->queued_since_ns) p->queued_since_ns = d->lanes[i].launched_ns;
    }
}

static bool is_missing(const doubter *d, uint32_t call)
{
    const of_process *p = process_of(d, call);
    bool would_be_joined = d->s->correlation[call] || (p->joined && !p->numbered);
    return !d->launched[call] && would_be_joined && is_launch(d, call) && d->s->start_ns[call] <= p->queued_since_ns;
}

/* Activities that no number joins to a launch may be those that seem to be missing; so may be several with one launch,
 * where numbers are not those of launches. */
static bool has_lost(const of_process *p) { return p->lost > p->keyless + (p->numbered ? 0 : p->surplus); }

static void find_lost(doubter *d)
{
    bool any = false;
    find_queues(d);
    for (size_t i = 0; i < d->launches.size; i++) {
        of_process *p = process_of(d, d->launches.at[i]);
        p->lost += is_missing(d, d->launches.at[i]);
        any |= has_lost(p);
    }
    for (size_t i = 0; any && i < d->launches.size && !d->x->b->status; i++)
        if (has_lost(process_of(d, d->launches.at[i])) && is_missing(d, d->launches.at[i]))
            add_lost(d, d->launches.at[i]);
    for (size_t i = 0; any && i < d->launches.size && !d->x->b->status; i++)
        if (has_lost(process_of(d, d->launches.at[i])) && is_launch(d, d->launches.at[i])) add_of(d, d->launches.at[i]);
}

/* ---- clocks and recordings ---- */

/* Of the calls that wait, those that wait for all work of the process's device. Sorted by start. */
static size_t keep_syncs(doubter *d, uint32_t *calls, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const of_process *p = process_of(d, calls[i]);
        tfp_str name = tfp_text(d->x->p, d->s->name[calls[i]]);
        bool all = tfp_str_has(name, TFP_STR("DeviceSynchronize")) || tfp_str_has(name, TFP_STR("CtxSynchronize"));
        bool stream = !p->streams && tfp_str_has(name, TFP_STR("StreamSynchronize"));
        if ((all || stream) && !p->devices) calls[kept++] = calls[i];
    }
    return kept;
}

static void note_devices(doubter *d)
{
    const tfp_lane_list *lanes = d->x->p->lanes;
    for (size_t i = 0; i < lanes->size; i++) {
        const tfp_lane *lane = &lanes->at[i];
        if (lane->role != TFP_ROLE_STREAM || lane->process >= d->x->t->processes.size) continue;
        of_process *p = &d->processes[lane->process];
        if (d->lanes[i].end_ns == INT64_MIN) continue;
        p->streams = p->device != 0;
        p->devices |= p->device && p->device != lane->device;
        p->device = lane->device;
    }
}

static bool add_row(doubter *d, tfp_doubt_kind kind, uint32_t process, int64_t ns)
{
    uint32_t lane = d->x->first_lane[process];
    tfp_strid name = lane == TFP_NONE ? 0 : d->s->name[d->x->order[d->x->lane_first[lane]]];
    tfp_doubt row = { kind, process, TFP_NONE, name, 1, 0, ns };
    return tfp_join_keep(d->x, tfp_push(&d->x->t->doubts, row));
}

/* Whether the times of a process's devices, or which recording its spans are of, are in doubt. Then nothing else is looked for. */
static bool check_process(doubter *d, uint32_t process, const uint32_t *syncs, size_t sync_count)
{
    of_process *p = &d->processes[process];
    if (is_gpu(d, p->device) && tfp_units_differ(&p->timeline)) return add_row(d, TFP_DOUBT_UNITS, process, 0);
    if (tfp_is_mixed(d->x, process, p->host_ops)) return add_row(d, TFP_DOUBT_MIXED, process, 0);
    tfp_join_keep(d->x, tfp_doubt_breaks(&p->timeline));
    int64_t ns = 0;
    tfp_join_keep(d->x, tfp_clocks_apart(&p->timeline, syncs, sync_count, &ns));
    return ns && add_row(d, TFP_DOUBT_CLOCKS, process, ns);
}

/* ---- the stage ---- */

void tfp_join_doubts(tfp_join *x)
{
    doubter d = { .x = x, .s = &x->t->spans };
    if (!x->count || tfp_has_compact(x->t)) return;
    d.means = calloc(x->p->strings.count + 1, 1);
    d.launched = calloc(x->count, 1);
    d.processes = calloc(x->t->processes.size + 1, sizeof *d.processes);
    for (size_t i = 0; d.processes && i < x->t->processes.size; i++)
        d.processes[i] = (of_process){
            .first_call_ns = INT64_MAX, .last_call_ns = INT64_MIN, .synced_ns = INT64_MAX, .queued_since_ns = INT64_MAX
        };
    d.lanes = malloc((x->p->lanes->size + 1) * sizeof *d.lanes);
    for (size_t i = 0; d.lanes && i < x->p->lanes->size; i++) d.lanes[i] = (of_lane){ INT64_MIN, INT64_MAX };
    d.active = calloc(x->p->runs->steps.size + 1, 1);
    bool ok = d.means && d.launched && d.processes && d.lanes && d.active;
    for (uint32_t i = 0; ok && i < x->t->processes.size; i++) ok = tfp_timeline_start(&d.processes[i].timeline, x, i);
    if (tfp_join_keep(x, ok)) collect(&d);
    if (!x->b->status) note_devices(&d);
    if (!x->b->status && d.launches.size && tfp_join_keep(x, find_captures(&d))) find_lost(&d);
    if (!x->b->status) tfp_join_keep(x, tfp_sort(d.waits.at, d.waits.size, call_before, &d));
    d.syncs.size = x->b->status ? 0 : keep_syncs(&d, d.syncs.at, d.syncs.size);
    tfp_join_keep(x, tfp_sort(d.syncs.at, d.syncs.size, call_before, &d));
    size_t window = 0, wait = 0, sync = 0;
    for (uint32_t i = 0; i < x->t->processes.size && !x->b->status; i++) { /* windows are in the order of processes */
        size_t first = window, first_wait = wait, first_sync = sync;
        while (sync < d.syncs.size && tfp_span_process(x, d.syncs.at[sync]) == i) sync++;
        while (wait < d.waits.size && tfp_span_process(x, d.waits.at[wait]) == i) wait++;
        while (window < x->t->windows.size && x->t->windows.at[window].process == i) window++;
        /* another clock, and work that is missing, explain a wait */
        bool doubted = check_process(&d, i, d.syncs.at ? d.syncs.at + first_sync : NULL, sync - first_sync);
        tfp_begin begin = { .waits = wait > first_wait ? d.waits.at + first_wait : NULL,
                            .wait_count = wait - first_wait,
                            .active = d.active,
                            .synced_ns = d.processes[i].synced_ns,
                            .windows = window > first ? x->t->windows.at + first : NULL,
                            .window_count = window - first };
        if (!doubted && !has_lost(&d.processes[i])) tfp_doubt_unrecorded(x, i, &begin);
    }
    if (!x->b->status && d.slow.size + d.compilers.size) tfp_doubt_loading(x, &d.slow, &d.compilers);
    for (size_t i = 0; d.processes && i < x->t->processes.size; i++) free(d.processes[i].timeline.parts);
    free(d.means);
    free(d.launched);
    free(d.processes);
    free(d.lanes);
    free(d.active);
    tfp_vec_free(&d.waits);
    tfp_vec_free(&d.slow);
    tfp_vec_free(&d.compilers);
    tfp_vec_free(&d.launches);
    tfp_vec_free(&d.begins);
    tfp_vec_free(&d.ends);
    tfp_vec_free(&d.syncs);
    tfp_vec_free(&d.captures);
    tfp_map64_free(&d.rows);
    tfp_map64_free(&d.lengths);
}
