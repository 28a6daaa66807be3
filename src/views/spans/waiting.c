// SPDX-License-Identifier: Apache-2.0
/* views/spans/waiting.c: finds the frames that wait by their names, and judges threads by how much of their time that is. */
#include "views/spans/waiting.h"
#include "model/order.h"
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/step_marks.h"
#include "views/spans/trace.h"

#include <stdlib.h>

#define WORK_OF_WAITERS 0.05 /* a thread that works for less of its time only waits */

typedef struct open_span {
    uint32_t span;
    int64_t end_ns; /* its end, cut at the end of the span around it */
} open_span;

/* The sums of a lane. */
typedef struct thread_sums {
    int64_t waits_ns, works_ns;
} thread_sums;

/* ---- frames ---- */

static bool nests(const tfp_profile *p, uint32_t i)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    bool kind = s->kind[i] == TFP_SPAN_OP || s->kind[i] == TFP_SPAN_CALL || tfp_is_frame(p, i);
    return kind && !(s->marks[i] & TFP_MARK_INSTANT);
}

/* Marks the frames that wait; each name is looked at once. *any: there is one. */
static bool mark(const tfp_profile *p, tfp_waiting *out, bool *any)
{
    enum { UNSEEN = 0xff };
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    size_t names = tfp_strings_of(p)->count + 1;
    uint8_t *known = malloc(names);
    if (!known) return false;
    memset(known, UNSEEN, names);
    *any = false;
    for (uint32_t i = 0; i < s->size; i++) {
        if (!tfp_is_frame(p, i)) continue;
        uint8_t *wait = &known[s->name[i]];
        if (*wait == UNSEEN) *wait = (uint8_t)tfp_frame_waits(tfp_text(p, s->name[i]));
        out->waits[i] = *wait;
        *any |= *wait != TFP_FRAME_WORKS;
    }
    free(known);
    return true;
}

/* Computes own times by a stack for each lane. */
static bool take_own_times(const tfp_profile *p, const tfp_cut *cut, tfp_waiting *out)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_span_order order;
    open_span *open = malloc((s->size + 1) * sizeof *open);
    bool ok = tfp_span_order_of(p, &order) && open;
    uint32_t lane = TFP_NONE;
    size_t depth = 0;
    for (size_t k = 0; ok && k < s->size; k++) {
        uint32_t i = order.items[k];
        if (!nests(p, i)) continue;
        if (s->lane[i] != lane) depth = 0;
        lane = s->lane[i];
        int64_t start = tfp_cut_start(cut, p, i), end = tfp_cut_end(cut, p, i);
        while (depth && open[depth - 1].end_ns <= start) depth--;
        if (depth && end > open[depth - 1].end_ns) end = open[depth - 1].end_ns;
        int64_t ns = end > start ? end - start : 0;
        out->own_ns[i] = ns;
        if (depth) out->own_ns[open[depth - 1].span] -= ns;
        open[depth++] = (open_span){ i, end };
    }
    free(open);
    tfp_span_order_free(&order);
    return ok;
}

/* ---- threads ---- */

static void mark_leaders(const tfp_profile *p, const thread_sums *sums, uint32_t *best, tfp_waiting *out)
{
    const tfp_event_tables *e = tfp_events_of(p);
    const tfp_lane_list *lanes = tfp_lanes_of(p);
    for (size_t i = 0; i < e->processes.size; i++) best[i] = TFP_NONE;
    for (uint32_t lane = 0; lane < lanes->size; lane++) {
        uint32_t process = lanes->at[lane].process;
        if (process >= e->processes.size || lanes->at[lane].role != TFP_ROLE_THREAD) continue;
        bool more = best[process] == TFP_NONE || sums[lane].works_ns > sums[best[process]].works_ns;
        if (more && tfp_add(sums[lane].works_ns, sums[lane].waits_ns, NULL) > 0) best[process] = lane;
    }
    for (size_t i = 0; i < e->processes.size; i++)
        if (best[i] != TFP_NONE) out->threads[best[i]] = TFP_THREAD_LEADS;
    for (size_t i = 0; i < e->step_marks.size; i++) {
        uint32_t lane = e->spans.lane[e->step_marks.at[i].span];
        if (lanes->at[lane].role == TFP_ROLE_THREAD) out->threads[lane] = TFP_THREAD_LEADS;
    }
}

static bool judge_threads(const tfp_profile *p, tfp_waiting *out)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    size_t lanes = tfp_lanes_of(p)->size;
    thread_sums *sums = calloc(lanes + 1, sizeof *sums);
    uint32_t *best = malloc((tfp_events_of(p)->processes.size + 1) * sizeof *best);
    bool ok = sums && best;
    for (uint32_t i = 0; ok && i < s->size; i++) {
        if (!nests(p, i)) continue;
        thread_sums *to = &sums[s->lane[i]];
        int64_t *ns = out->waits[i] ? &to->waits_ns : &to->works_ns;
        if (out->own_ns[i] > 0) *ns = tfp_add(*ns, out->own_ns[i], NULL);
    }
    if (ok) mark_leaders(p, sums, best, out);
    for (size_t lane = 0; ok && lane < lanes; lane++) {
        double waits = (double)sums[lane].waits_ns, all = waits + (double)sums[lane].works_ns;
        if (out->threads[lane] == TFP_THREAD_LEADS || waits <= 0 || waits < (1 - WORK_OF_WAITERS) * all) continue;
        out->threads[lane] = TFP_THREAD_WAITS;
        out->waiting_threads++;
    }
    free(sums);
    free(best);
    return ok;
}

bool tfp_waiting_of(const tfp_profile *p, const tfp_cut *cut, tfp_arena *arena, tfp_waiting *out)
{
    size_t count = tfp_events_of(p)->spans.size;
    bool any = false;
    *out = (tfp_waiting){ .waits = TFP_NEW(arena, uint8_t, count + 1),
                          .threads = TFP_NEW(arena, uint8_t, tfp_lanes_of(p)->size + 1) };
    if (!out->waits || !out->threads || !mark(p, out, &any)) return false;
    if (!any) {
        *out = (tfp_waiting){ 0 };
        return true;
    }
    out->own_ns = TFP_NEW(arena, int64_t, count + 1);
    return out->own_ns && take_own_times(p, cut, out) && judge_threads(p, out);
}

bool tfp_waits_uncounted(const tfp_profile *p, const tfp_waiting *w, uint32_t span)
{
    if (!w->waits) return false;
    switch ((tfp_thread_role)w->threads[tfp_events_of(p)->spans.lane[span]]) {
    case TFP_THREAD_WAITS: return true;
    case TFP_THREAD_WORKS: return w->waits[span] != 0;
    case TFP_THREAD_LEADS: break;
    }
    return false;
}
