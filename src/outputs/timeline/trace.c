// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/trace.c: writes a recorded trace as a Chrome trace: the calls view over time. A process for each device
 * and for the host of each rank, a lane for each thread and stream; arrows from launches to the launched activities and from
 * forward operators to their backward ones. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "outputs/timeline/timeline.h"
#include "views/core/handle.h"

typedef struct trace {
    const tfp_report *r;
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_trace_out *t;
    uint32_t *pid; /* by lane */
    uint8_t *used; /* by lane: whether a span in it is shown */
    int64_t arrows;
} trace;

static bool shown(const trace *x, uint32_t span) { return tfp_step_takes(tfp_step_of(x->r), x->s->step[span]); }

static void put_int(tfp_json *j, const char *key, int64_t n)
{
    tfp_json_key(j, key);
    tfp_json_int(j, n);
}
static void put_place(trace *x, uint32_t lane)
{
    put_int(&x->t->j, "pid", x->pid[lane]);
    put_int(&x->t->j, "tid", lane);
}
static void put_time(trace *x, const char *key, int64_t ns)
{
    tfp_json_key(&x->t->j, key);
    tfp_json_thousandths(&x->t->j, ns);
}

/* ---- processes and lanes ---- */

bool tfp_shown_lanes(const tfp_report *r, uint32_t **process_of, uint8_t **used)
{
    const tfp_profile *p = tfp_profile_of(r);
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_map64 by_device = { 0 };
    size_t count = tfp_lanes_of(p)->size;
    *process_of = calloc(count + 1, sizeof **process_of);
    *used = calloc(count + 1, 1);
    bool ok = *process_of && *used;
    for (uint32_t i = 0; ok && i < s->size; i++)
        if (tfp_step_takes(tfp_step_of(r), s->step[i])) (*used)[s->lane[i]] = 1;
    for (uint32_t i = 0; ok && i < count; i++) {
        const tfp_lane *lane = &tfp_lanes_of(p)->at[i];
        uint64_t key = (uint64_t)lane->process << 32 | lane->device;
        uint32_t at = tfp_map64_get(&by_device, key);
        if (at == TFP_NONE) ok = tfp_map64_put(&by_device, key, at = i);
        (*process_of)[i] = at;
    }
    tfp_map64_free(&by_device);
    return ok;
}

static void put_process(trace *x, uint32_t pid)
{
    const tfp_lane *lane = &tfp_lanes_of(x->p)->at[pid];
    char rank[40] = "";
    tfp_buf before = { .data = rank, .capacity = sizeof rank - 1 };
    if (lane->process != TFP_NONE && tfp_events_of(x->p)->processes.at[lane->process].rank >= 0 &&
        tfp_events_of(x->p)->processes.size > 1) {
        tfp_buf_text(&before, "rank:");
        tfp_buf_int(&before, tfp_events_of(x->p)->processes.at[lane->process].rank);
        tfp_buf_char(&before, '/');
        rank[before.size] = '\0';
    }
    tfp_trace_process(x->t, pid, rank, tfp_text(x->p, lane->device), "");
}

static void put_lane(trace *x, uint32_t lane)
{
    const tfp_lane *l = &tfp_lanes_of(x->p)->at[lane];
    tfp_json *j = &x->t->j;
    tfp_json_open(j, '{');
    tfp_json_key(j, "args");
    tfp_json_open(j, '{');
    tfp_json_str_at(j, "name", tfp_text(x->p, l->label ? l->label : l->name));
    tfp_json_close(j, '}');
    tfp_json_text_at(j, "name", "thread_name");
    tfp_json_text_at(j, "ph", "M");
    put_place(x, lane);
    tfp_json_close(j, '}');
    tfp_sink_flush_if_full(x->t->sink);
}

static bool put_lanes(trace *x)
{
    size_t count = tfp_lanes_of(x->p)->size;
    uint8_t *written = calloc(count + 1, 1);
    for (uint32_t i = 0; written && i < count; i++) {
        if (!x->used[i]) continue;
        if (!written[x->pid[i]]) put_process(x, x->pid[i]);
        written[x->pid[i]] = 1;
        put_lane(x, i);
    }
    free(written);
    return written != NULL;
}

/* ---- spans ---- */

static void put_span(trace *x, uint32_t i)
{
    tfp_json *j = &x->t->j;
    tfp_buf room = { 0 };
    bool instant = x->s->marks[i] & TFP_MARK_INSTANT;
    tfp_json_open(j, '{');
    tfp_json_text_at(j, "cat", tfp_span_op_type(x->s->kind[i]));
    if (!instant) put_time(x, "dur", x->s->duration_ns[i]);
    tfp_json_str_at(j, "name", tfp_trace_name(x->t, tfp_text(x->p, x->s->name[i]), &room));
    tfp_json_text_at(j, "ph", instant ? "i" : "X");
    put_place(x, x->s->lane[i]);
    if (instant) tfp_json_text_at(j, "s", "t");
    put_time(x, "ts", x->s->start_ns[i]);
    tfp_json_close(j, '}');
    tfp_buf_free(&room);
    tfp_sink_flush_if_full(x->t->sink);
}

/* ---- arrows ---- */

static void put_end(trace *x, const char *what, bool begin, uint32_t span)
{
    tfp_json *j = &x->t->j;
    tfp_json_open(j, '{');
    if (!begin) tfp_json_text_at(j, "bp", "e");
    tfp_json_text_at(j, "cat", what);
    put_int(j, "id", x->arrows);
    tfp_json_text_at(j, "name", what);
    tfp_json_text_at(j, "ph", begin ? "s" : "f");
    put_place(x, x->s->lane[span]);
    put_time(x, "ts", x->s->start_ns[span]);
    tfp_json_close(j, '}');
}

static void put_arrow(trace *x, const char *what, uint32_t from, uint32_t to)
{
    if (!shown(x, from) || !shown(x, to)) return;
    if ((size_t)x->arrows >= TFP_TIMELINE_FLOWS) {
        x->t->flows_cut = true;
        return;
    }
    put_end(x, what, true, from);
    put_end(x, what, false, to);
    x->arrows++;
    tfp_sink_flush_if_full(x->t->sink);
}

static void put_arrows(trace *x)
{
    static const char *const kinds[] = { [TFP_FLOW_LAUNCH] = "launch",
                                         [TFP_FLOW_BACKWARD] = "backward",
                                         [TFP_FLOW_PRODUCER] = "producer",
                                         [TFP_FLOW_OTHER] = "flow" };
    for (uint32_t i = 0; i < x->s->size && !x->t->sink->status; i++)
        if (x->s->launch[i] != TFP_NONE) put_arrow(x, kinds[TFP_FLOW_LAUNCH], x->s->launch[i], i);
    for (size_t i = 0; i < tfp_events_of(x->p)->flows.size && !x->t->sink->status; i++) {
        const tfp_flow *f = &tfp_events_of(x->p)->flows.at[i];
        put_arrow(x, kinds[f->kind], f->from, f->to);
    }
}

tfp_status tfp_timeline_trace(const tfp_report *r, tfp_trace_out *t, tfp_error *err)
{
    trace x = { .r = r, .p = tfp_profile_of(r), .s = &tfp_events_of(tfp_profile_of(r))->spans, .t = t };
    bool ok = tfp_shown_lanes(r, &x.pid, &x.used) && put_lanes(&x);
    for (uint32_t i = 0; ok && i < x.s->size && !t->sink->status; i++)
        if (shown(&x, i)) put_span(&x, i);
    if (ok) put_arrows(&x);
    free(x.pid);
    free(x.used);
    return ok ? TFP_OK : tfp_nomem(err);
}
