// SPDX-License-Identifier: Apache-2.0
/* views/trace/host_waits.c: finds calls and spans in which the host waits, by their names. Used by the table `wait` and the critical path. */
#include "model/span_names.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "views/core/handle.h"
#include "views/trace/facts.h"

enum { UNKNOWN, OUTSIDE, INSIDE }; /* position of a span relative to a wait */

static bool waits_for_data(tfp_str name)
{
    size_t loader = tfp_str_find(name, TFP_STR("DataLoader"));
    if (tfp_str_has(name, TFP_STR("enumerate(DataLoader)")) || tfp_str_has(name, TFP_STR("IteratorGetNext")))
        return true;
    if (loader == SIZE_MAX) return false;
    return tfp_str_has((tfp_str){ name.data + loader, name.size - loader }, TFP_STR("__next__"));
}

static bool has_any(tfp_str name, const char *const *words)
{
    for (; *words; words++)
        if (tfp_str_has(name, tfp_str_of(*words))) return true;
    return false;
}

/* Finds ops of TensorFlow's runtime that wait for another op's result; by op type or, without a graph, by the node's
 * name. */
static unsigned cause_of_run(tfp_str op)
{
    static const char *const data[] = { "IteratorGetNext", NULL };
    static const char *const queues[] = { "Dequeue", "Enqueue", "dequeue", "enqueue", "Unstage", NULL };
    static const char *const barriers[] = { "TakeMany", "AccumulatorTakeGradient", "Barrier", NULL };
    static const char *const locks[] = { "MutexLock", NULL };
    if (has_any(op, data)) return TFP_WAITS_DATA;
    if (has_any(op, queues)) return TFP_WAITS_QUEUE;
    if (has_any(op, barriers)) return TFP_WAITS_BARRIER;
    return has_any(op, locks) ? TFP_WAITS_LOCK : TFP_WAITS_NOT;
}

bool tfp_trace_waits(const tfp_trace_index *x, uint32_t call)
{
    return x->s->marks[call] & TFP_MARK_WAITS || tfp_call_synchronizes(tfp_span_name(x->p, call));
}

static unsigned cause_of_name(const tfp_trace_index *x, tfp_str name, bool call)
{
    if (call) return tfp_call_synchronizes(name) ? TFP_WAITS_SYNCHRONIZE : TFP_WAITS_NOT;
    if (tfp_trace_is_runs(x)) return cause_of_run(name);
    if (tfp_str_eq(name, TFP_STR("aten::item")) || tfp_str_eq(name, TFP_STR("aten::_local_scalar_dense")))
        return TFP_WAITS_ITEM;
    return waits_for_data(name) ? TFP_WAITS_DATA : TFP_WAITS_NOT;
}

/* Finds why each host span waits; a name is looked at once as a call, and once as any other span. */
static bool find_waits(tfp_report *r, const tfp_trace_index *x, uint8_t *waits)
{
    enum { UNSEEN = 0xff };
    size_t names = tfp_strings_of(x->p)->count + 1;
    uint8_t *known = TFP_NEW(tfp_arena_of(r), uint8_t, 2 * names);
    if (!known) return false;
    memset(known, UNSEEN, 2 * names);
    for (uint32_t i = 0; i < x->s->size; i++) {
        uint32_t kind = x->s->kind[i];
        bool call = kind == TFP_SPAN_CALL;
        if (!call && kind != TFP_SPAN_OP && kind != TFP_SPAN_ANNOTATION) continue;
        uint8_t *cause = &known[2 * (size_t)x->s->name[i] + call];
        if (*cause == UNSEEN) *cause = (uint8_t)cause_of_name(x, tfp_span_name(x->p, i), call);
        waits[i] = x->s->marks[i] & TFP_MARK_WAITS ? TFP_WAITS_SYNCHRONIZE : *cause;
    }
    return true;
}

/* Whether a span or one around it is a wait. Results are stored for all spans on the way, so each is looked at once. */
static uint8_t find_place(const tfp_trace_index *x, const uint8_t *waits, uint8_t *places, uint32_t span)
{
    uint32_t at = span;
    uint8_t found = OUTSIDE;
    for (; at != TFP_NONE; at = x->s->parent[at]) {
        if (places[at] != UNKNOWN) {
            found = places[at];
            break;
        }
        if (waits[at]) {
            found = INSIDE;
            break;
        }
    }
    for (uint32_t i = span; i != at; i = x->s->parent[i]) places[i] = found;
    return found;
}

const uint8_t *tfp_host_waits(tfp_report *r, const tfp_trace_index *x)
{
    size_t count = x->s->size;
    uint8_t *waits = TFP_NEW(tfp_arena_of(r), uint8_t, count + 1),
            *places = TFP_NEW(tfp_arena_of(r), uint8_t, count + 1);
    uint8_t *outer = TFP_NEW(tfp_arena_of(r), uint8_t, count + 1);
    if (!waits || !places || !outer || !find_waits(r, x, waits)) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = x->s->parent[i];
        if (waits[i] && (parent == TFP_NONE || find_place(x, waits, places, parent) != INSIDE)) outer[i] = waits[i];
    }
    return outer;
}
