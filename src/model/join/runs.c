// SPDX-License-Identifier: Apache-2.0
/* model/join/runs.c: makes a trace of events from the executions of RunMetadata and ProfileProto. Devices' lanes become
 * streams and host lanes; executions become host ops, launches and activities; each step becomes a mark. A device may
 * record an activity in several lanes (one for all of its kernels, the stream's own, one for copies); it is counted
 * once, from the device's most precise lane. */
#include "model/builder.h"
#include "model/event_builder.h"
#include "model/join/runs.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "query/order.h"

#include <stdlib.h>

enum { ROWS_MOST = 256 }; /* most host lanes of one device: overlapping ops are put into different lanes */

typedef struct source_lane { /* a lane of the source profile */
    tfp_run_use use;
    uint32_t device; /* index in devices */
    uint32_t lane;   /* index in the trace's lanes; TFP_NONE: not made yet. Host lanes are packed into rows instead. */
} source_lane;

typedef struct run_device {
    tfp_strid name; /* name in the trace: "gpu:0", "worker:0/cpu:0" */
    bool has_stream, stream_copies, has_memcpy;
    TFP_VEC(uint32_t) rows; /* indexes in the trace's lanes */
    TFP_VEC(int64_t) row_end;
} run_device;

typedef struct run { /* a span of an execution, or a transfer */
    int64_t start_ns, duration_ns;
    uint32_t lane;     /* index in source lanes */
    uint32_t node;     /* index in the source's nodes; TFP_NONE: a transfer */
    uint32_t transfer; /* index in run_transfers; TFP_NONE: none */
    uint32_t key;      /* joins a launch with its activities; 0: none */
} run;

typedef struct maker {
    const tfp_profile *p;
    tfp_builder b; /* builds the trace */
    uint32_t process;
    source_lane *lanes;
    TFP_VEC(run_device) devices;
    TFP_VEC(run) runs;
    tfp_map64 device_by_name;
    tfp_map64 received;       /* step << 32 | tensor: set if a RecvTensor reports it */
    tfp_map64 receiving_node; /* nodes whose runs are transfers */
    int64_t *step_start, *step_end;
    tfp_strid key_bytes, key_accessed, key_collective, key_group;
    uint32_t next_key;
} maker;

static bool keep(maker *m, bool ok)
{
    if (!ok && !m->b.status) m->b.status = TFP_NOMEM;
    return !m->b.status;
}

bool tfp_has_runs(const tfp_profile *p)
{
    return !p->events->processes.size && (p->detail->spans.size || p->detail->run_transfers.size);
}

/* ---- devices ---- */

static uint32_t find_device(maker *m, tfp_str name)
{
    tfp_strid id = tfp_build_string(&m->b, name);
    uint32_t at = tfp_map64_get(&m->device_by_name, id);
    if (at != TFP_NONE || m->b.status) return at;
    at = (uint32_t)m->devices.size;
    run_device d = { .name = id };
    return keep(m, tfp_push(&m->devices, d) && tfp_map64_put(&m->device_by_name, id, at)) ? at : TFP_NONE;
}

static void read_lanes(maker *m)
{
    size_t count = m->p->lanes->size;
    m->lanes = calloc(count + 1, sizeof *m->lanes);
    if (!keep(m, m->lanes != NULL)) return;
    for (size_t i = 0; i < count && !m->b.status; i++) {
        const tfp_lane *l = &m->p->lanes->at[i];
        m->lanes[i] = (source_lane){ .use = l->use, .lane = TFP_NONE };
        m->lanes[i].device = find_device(m, tfp_text(m->p, l->place));
    }
}

/* ---- runs ---- */

static void add_run(maker *m, const run *r)
{
    source_lane *l = &m->lanes[r->lane];
    if (l->use == TFP_USE_NONE || r->start_ns <= 0 || m->b.status)
        return; /* a span without a time only tells the device of a node */
    run_device *d = &m->devices.at[l->device];
    d->has_stream |= l->use == TFP_USE_STREAM;
    d->has_memcpy |= l->use == TFP_USE_MEMCPY;
    d->stream_copies |= l->use == TFP_USE_STREAM && r->transfer != TFP_NONE;
    keep(m, tfp_push(&m->runs, *r));
}

static const tfp_sort_key by_start[] = { TFP_UP(run, start_ns), { 0 } };

/* Joins the activities of an execution to its last launch before them. The runs of one execution are at the end of the
 * list. */
static void join_launches(maker *m, size_t first)
{
    size_t count = m->runs.size - first;
    bool launches = false;
    for (size_t i = first; i < m->runs.size; i++) launches |= m->lanes[m->runs.at[i].lane].use == TFP_USE_LAUNCH;
    if (!launches || m->b.status) return;
    uint32_t *order = malloc(count * sizeof *order), key = 0;
    for (uint32_t i = 0; order && i < count; i++) order[i] = i;
    if (keep(m, order && tfp_order_items(order, count, by_start, m->runs.at + first, sizeof(run)))) {
        for (size_t i = 0; i < count; i++) {
            run *r = &m->runs.at[first + order[i]];
            tfp_run_use use = m->lanes[r->lane].use;
            if (use == TFP_USE_LAUNCH) key = tfp_build_key(&m->b, m->process, 0, m->next_key++);
            if (use != TFP_USE_HOST) r->key = key;
        }
    }
    free(order);
}

static void widen(maker *m, uint32_t step, int64_t start, int64_t end)
{
    if (start <= 0) return;
    if (!m->step_start[step] || start < m->step_start[step]) m->step_start[step] = start;
    if (end > m->step_end[step]) m->step_end[step] = end;
}

/* A tensor from another machine is reported by the runtime (RecvTensor) and by the op that waited for it: only the
 * first counts. */
static void find_receivers(maker *m)
{
    const tfp_profile *p = m->p;
    for (size_t i = 0; i < p->detail->run_transfers.size && !m->b.status; i++) {
        const tfp_run_transfer *t = &p->detail->run_transfers.at[i];
        bool runtime = t->node == TFP_NONE;
        uint64_t key = runtime ? (uint64_t)t->step << 32 | t->name : t->node;
        keep(m, tfp_map64_put(runtime ? &m->received : &m->receiving_node, key, 1));
    }
}

static bool told_by_runtime(const maker *m, const tfp_run_transfer *t)
{
    return t->node != TFP_NONE && tfp_map64_get(&m->received, (uint64_t)t->step << 32 | t->name) != TFP_NONE;
}

static void collect(maker *m)
{
    const tfp_profile *p = m->p;
    m->step_start = calloc(p->runs->steps.size + 1, sizeof *m->step_start);
    m->step_end = calloc(p->runs->steps.size + 1, sizeof *m->step_end);
    if (!keep(m, m->step_start && m->step_end)) return;
    find_receivers(m);
    for (uint32_t n = 0; n < p->graph->nodes.size && !m->b.status; n++) {
        if (tfp_map64_get(&m->receiving_node, n) != TFP_NONE) continue;
        for (TFP_EACH(p->runs->execs, e, p->graph->nodes.at[n].exec_first)) {
            size_t first = m->runs.size;
            for (TFP_EACH(p->detail->spans, s, tfp_detail(p, e)->span_first)) {
                const tfp_span *span = &p->detail->spans.at[s];
                run r = { span->start_ns, span->duration_ns, span->lane, n, TFP_NONE, 0 };
                if (m->lanes[span->lane].use != TFP_USE_NONE)
                    widen(m, p->runs->execs.at[e].step, r.start_ns, tfp_add(r.start_ns, r.duration_ns, NULL));
                add_run(m, &r);
            }
            join_launches(m, first);
        }
    }
    for (uint32_t i = 0; i < p->detail->run_transfers.size && !m->b.status; i++) {
        const tfp_run_transfer *t = &p->detail->run_transfers.at[i];
        if (told_by_runtime(m, t)) continue;
        run r = { t->start_ns, t->duration_ns, t->lane, TFP_NONE, i, 0 };
        widen(m, t->step, t->start_ns, tfp_add(t->start_ns, t->duration_ns, NULL));
        add_run(m, &r);
    }
}

/* ---- events ---- */

static uint32_t new_lane(maker *m, const run_device *d, tfp_lane_role role, const char *format, tfp_str rest,
                         size_t number)
{
    tfp_buf name = { 0 };
    tfp_buf_str(&name, tfp_text(m->b.p, d->name));
    tfp_buf_printf(&name, format, (int)rest.size, rest.data, number);
    uint32_t lane = keep(m, !name.failed)
                        ? tfp_build_event_lane(&m->b, m->process, role, (tfp_str){ name.data, name.size }, TFP_STR(""))
                        : TFP_NONE;
    tfp_buf_free(&name);
    if (lane != TFP_NONE) m->b.p->lanes->at[lane].device = d->name; /* the name may contain a slash of its own */
    return lane;
}

/* A row of the device that is free at that time: ops of one device overlap, but do not nest. */
static uint32_t host_row(maker *m, run_device *d, const run *r)
{
    size_t at = 0;
    int64_t end = tfp_add(r->start_ns, r->duration_ns, NULL);
    while (at < d->rows.size && d->row_end.at[at] > r->start_ns) at++;
    if (at >= ROWS_MOST) at = ROWS_MOST - 1;
    if (at == d->rows.size) {
        uint32_t lane = new_lane(m, d, TFP_ROLE_THREAD, "/%.*srow:%zu", TFP_STR(""), at);
        if (lane == TFP_NONE || !keep(m, tfp_push(&d->rows, lane) && tfp_push(&d->row_end, end))) return TFP_NONE;
    }
    if (end > d->row_end.at[at]) d->row_end.at[at] = end;
    return d->rows.at[at];
}

static uint32_t stream_of(maker *m, const run_device *d, source_lane *l, uint32_t source)
{
    tfp_str name = tfp_text(m->p, m->p->lanes->at[source].name);
    if (l->lane == TFP_NONE) l->lane = new_lane(m, d, TFP_ROLE_STREAM, "/%.*s", tfp_str_last_part(name), 0);
    return l->lane;
}

/* Whether activities (copies, or all others) of the device are counted from a lane with this use. */
static bool counts(const run_device *d, tfp_run_use use, bool copy)
{
    if (!copy) return use == TFP_USE_STREAM || (use == TFP_USE_ALL && !d->has_stream);
    if (use == TFP_USE_STREAM) return true;
    if (use == TFP_USE_MEMCPY) return !d->stream_copies;
    return use == TFP_USE_ALL && !d->stream_copies && !d->has_memcpy;
}

static uint32_t stats_of(maker *m, const tfp_run_transfer *t, bool remote)
{
    tfp_stat stats[4] = { { 0 } };
    size_t count = 0;
    if (remote) {
        tfp_buf pair = { 0 };
        tfp_buf_str(&pair, tfp_text(m->p, t->from));
        tfp_buf_text(&pair, " -> ");
        tfp_buf_str(&pair, tfp_text(m->p, t->to));
        tfp_strid kind = tfp_build_string(&m->b, tfp_text(m->p, t->kind));
        tfp_strid group = keep(m, !pair.failed) ? tfp_build_string(&m->b, (tfp_str){ pair.data, pair.size }) : 0;
        tfp_buf_free(&pair);
        stats[count++] = (tfp_stat){ .key = m->key_collective, .type = TFP_STAT_TEXT, .value.text = kind };
        stats[count++] = (tfp_stat){ .key = m->key_group, .type = TFP_STAT_TEXT, .value.text = group };
    }
    if (t->bytes >= 0)
        stats[count++] = (tfp_stat){ .key = remote ? m->key_accessed : m->key_bytes,
                                     .type = TFP_STAT_INT,
                                     .value.number = t->bytes };
    return tfp_build_stats(&m->b, stats, count);
}

static void add_transfer(maker *m, const run *r, tfp_event *e)
{
    const tfp_run_transfer *t = &m->p->detail->run_transfers.at[r->transfer];
    bool remote = e->kind == TFP_SPAN_OP || e->kind == TFP_SPAN_CALL;
    e->name = tfp_build_string(&m->b, tfp_text(m->p, t->kind));
    e->path = tfp_build_string(&m->b, tfp_text(m->p, t->name));
    e->op = e->name;
    e->class = remote ? TFP_CLASS_COMMUNICATION : TFP_CLASS_COPY;
    if (tfp_str_has(tfp_text(m->p, t->kind), TFP_STR("MEMSET"))) e->class = TFP_CLASS_SET;
    e->stats = stats_of(m, t, remote);
}

static void add_event(maker *m, const run *r)
{
    source_lane *l = &m->lanes[r->lane];
    run_device *d = &m->devices.at[l->device];
    tfp_event e = { .start_ns = r->start_ns, .duration_ns = r->duration_ns, .stats = TFP_NONE, .trace = TFP_NONE };
    bool host = l->use == TFP_USE_HOST || l->use == TFP_USE_LAUNCH,
         copy = r->transfer != TFP_NONE || l->use == TFP_USE_MEMCPY;
    if (!host && !counts(d, l->use, copy)) return;
    e.lane = host ? host_row(m, d, r) : stream_of(m, d, l, r->lane);
    e.kind = !host ? TFP_SPAN_ACTIVITY : l->use == TFP_USE_LAUNCH && r->key ? TFP_SPAN_CALL : TFP_SPAN_OP;
    e.correlation = r->key;
    if (r->transfer != TFP_NONE) {
        add_transfer(m, r, &e);
    } else {
        const tfp_node *n = &m->p->graph->nodes.at[r->node];
        e.path = tfp_build_string(&m->b, tfp_text(m->p, n->name));
        e.op = e.name = tfp_build_string(&m->b, tfp_text(m->p, n->op ? n->op : n->name));
        if (copy) e.class = TFP_CLASS_COPY;
    }
    if (e.lane != TFP_NONE) tfp_build_event(&m->b, &e);
}

static void add_steps(maker *m)
{
    uint32_t lane =
        tfp_build_event_lane(&m->b, m->process, TFP_ROLE_DERIVED, TFP_STR("steps"), TFP_STR("steps of the session"));
    for (uint32_t i = 0; i < m->p->runs->steps.size && !m->b.status; i++) {
        const tfp_step *s = &m->p->runs->steps.at[i];
        if (!m->step_start[i] || !s->listed || s->id < 0) continue;
        tfp_event e = { .lane = lane, .kind = TFP_SPAN_STEP, .stats = TFP_NONE, .trace = TFP_NONE };
        e.name = tfp_build_string(&m->b, TFP_STR("step"));
        e.start_ns = m->step_start[i];
        e.duration_ns = m->step_end[i] - m->step_start[i];
        tfp_step_mark mark = { .span = tfp_build_event(&m->b, &e), .source = TFP_STEPS_MARKED, .number = s->id };
        tfp_build_step_mark(&m->b, &mark);
    }
}

/* ---- all of it ---- */

static void start(maker *m)
{
    const tfp_profile *p = m->p;
    tfp_profile *trace = m->b.p;
    trace->reads = 0;
    trace->arena.limit = p->arena.limit;
    for (size_t i = 0; i < p->files->sources.size && !m->b.status; i++) {
        char *copy = tfp_arena_copy(&trace->arena, tfp_str_of(p->files->sources.at[i]));
        keep(m, copy && tfp_push(&trace->files->sources, copy));
    }
    m->process = tfp_build_process(&m->b, &(tfp_process){ .rank = -1, .tasks = true });
    m->key_bytes = tfp_build_string(&m->b, TFP_STR("bytes"));
    m->key_accessed = tfp_build_string(&m->b, TFP_STR("bytes_accessed"));
    m->key_collective = tfp_build_string(&m->b, TFP_STR("Collective name"));
    m->key_group = tfp_build_string(&m->b, TFP_STR("Process Group Name"));
}

static void add_events(maker *m)
{
    uint32_t *order = malloc((m->runs.size + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < m->runs.size; i++) order[i] = i;
    if (keep(m, order && m->runs.size < TFP_NONE &&
                    tfp_order_items(order, m->runs.size, by_start, m->runs.at, sizeof(run))))
        for (size_t i = 0; i < m->runs.size && !tfp_builder_status(&m->b, NULL); i++)
            add_event(m, &m->runs.at[order[i]]);
    free(order);
    for (size_t i = 0; i < m->p->files->warnings.size; i++) {
        const tfp_warning *w = &m->p->files->warnings.at[i];
        if (w->what == tfp_lost_inputs) continue; /* a warning about the graph; a later file may still bring the node */
        tfp_build_data_finding(&m->b, "warning", w->what, (int64_t)w->count, tfp_str_of(w->first ? w->first : ""));
    }
}

tfp_status tfp_runs_trace(const tfp_profile *p, tfp_profile **out, tfp_error *err)
{
    maker m = { .p = p };
    *out = NULL;
    m.b = (tfp_builder){ .p = tfp_profile_new(), .file = tfp_first_source(p) };
    if (!m.b.p) return tfp_nomem(err);
    start(&m);
    read_lanes(&m);
    if (!m.b.status) collect(&m);
    if (!m.b.status) add_events(&m);
    if (!m.b.status) add_steps(&m);
    tfp_status s = tfp_builder_status(&m.b, err);
    if (!s) s = tfp_build_finish(&m.b, err);
    m.b.p->about.time_grain_ns = p->about.time_grain_ns;
    for (size_t i = 0; i < m.devices.size; i++) {
        tfp_vec_free(&m.devices.at[i].rows);
        tfp_vec_free(&m.devices.at[i].row_end);
    }
    tfp_vec_free(&m.devices);
    tfp_vec_free(&m.runs);
    tfp_map64_free(&m.device_by_name);
    tfp_map64_free(&m.received);
    tfp_map64_free(&m.receiving_node);
    free(m.lanes);
    free(m.step_start);
    free(m.step_end);
    if (s)
        tfp_profile_free(m.b.p);
    else
        *out = m.b.p;
    return s;
}
