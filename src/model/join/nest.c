// SPDX-License-Identifier: Apache-2.0
/* model/join/nest.c: finds which span encloses which. The spans of a lane are visited by start, with a stack of those
 * that may still contain others. A span that ends no later than a later-starting one can be dropped: whatever it
 * contains, the other contains too, and more closely. So the ends on the stack increase towards its bottom, and the
 * innermost container is found by binary search. Plain Python frames are no containers here, because they often cross
 * operators; model/nest.c nests with them. */
#include "model/join/join.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"

typedef struct container {
    /* its end; if it sticks out of its own container, the container's end, so that the tolerance does not add up */
    int64_t end_ns;
    uint32_t span;
    uint32_t place; /* position in the order of the lane */
} container;
typedef struct stack {
    TFP_VEC(container) at;
} stack;

/* The topmost container that ends at `end_ns` or later; NULL: there is none. */
static const container *find(const stack *s, int64_t end_ns)
{
    size_t holding = tfp_spans_holding(s->at.at, s->at.size, sizeof *s->at.at, end_ns);
    return holding ? &s->at.at[holding - 1] : NULL;
}

static bool push(stack *s, container c)
{
    while (s->at.size && s->at.at[s->at.size - 1].end_ns <= c.end_ns) s->at.size--;
    return tfp_push(&s->at, c);
}

/* The least end of a container for a span, which may stick out by the tolerance. */
static int64_t least_end(int64_t start_ns, int64_t duration_ns, int64_t tolerance_ns)
{
    int64_t inside = tfp_add(start_ns, duration_ns > 0, NULL);
    int64_t whole = tfp_add(tfp_add(start_ns, duration_ns, NULL), -tolerance_ns, NULL);
    return inside > whole ? inside : whole;
}

typedef struct sweep {
    tfp_join *x;
    stack known, other; /* other: spans of unknown kind, which contain only such spans */
    int64_t tolerance_ns;
    bool device; /* a device lane with nested activities */
} sweep;

/* With times rounded to whole microseconds, two spans may seem to overlap. They follow each other if the second is at
 * least as much outside the first as inside, and is not shorter. */
static bool is_neighbour(const tfp_span_columns *s, const container *c, uint32_t span)
{
    int64_t outside = tfp_span_end(s, span) - c->end_ns, duration = s->duration_ns[span];
    return outside > 0 && outside >= duration - outside && duration >= s->duration_ns[c->span];
}

static const container *container_of(const sweep *w, uint32_t span)
{
    const tfp_span_columns *s = &w->x->t->spans;
    int64_t end = least_end(s->start_ns[span], s->duration_ns[span], w->tolerance_ns);
    const container *c = find(&w->known, end);
    /* the next container on the stack ends later, so the span does not stick out of that one */
    if (c && is_neighbour(s, c, span)) c = c > w->known.at.at ? c - 1 : NULL;
    if (s->kind[span] == TFP_SPAN_OTHER) {
        const container *o = find(&w->other, end);
        if (o && (!c || o->place > c->place)) c = o;
    }
    return c;
}

/* Counts a host op that begins inside another one of its thread and ends after it: one of those from `c` on, which end before it. */
static void note_crossing(const sweep *w, const container *c, const container *end_of, uint32_t span)
{
    const tfp_span_columns *s = &w->x->t->spans;
    int64_t end = tfp_add(tfp_span_end(s, span), -w->tolerance_ns, NULL),
            start = tfp_add(s->start_ns[span], w->tolerance_ns, NULL);
    for (; c < end_of && tfp_span_end(s, c->span) > start; c++) {
        if (tfp_span_end(s, c->span) >= end || !tfp_is_host_op(s->kind[c->span])) continue;
        w->x->crossings[tfp_span_process(w->x, span)]++;
        return;
    }
}

static void take_off(tfp_span_columns *s, uint32_t span, int64_t duration_ns)
{
    s->self_ns[span] = tfp_add(s->self_ns[span], -duration_ns, NULL);
}

static void visit(sweep *w, uint32_t span, uint32_t place)
{
    tfp_join *x = w->x;
    tfp_span_columns *s = &x->t->spans;
    unsigned kind = s->kind[span];
    s->self_ns[span] = s->duration_ns[span];
    if (kind == TFP_SPAN_ACTIVITY && !w->device) return;
    const container *around = container_of(w, span), *top = w->known.at.at + w->known.at.size;
    if (w->known.at.size && around < top - 1 && !w->device && tfp_is_host_op(kind))
        note_crossing(w, around && around >= w->known.at.at ? around + 1 : w->known.at.at, top, span);
    uint32_t parent = around ? around->span : TFP_NONE;
    if (w->device) {
        if (kind != TFP_SPAN_ACTIVITY) return;
        if (parent != TFP_NONE) take_off(s, parent, s->duration_ns[span]);
    } else {
        s->parent[span] = parent;
        if (parent != TFP_NONE) {
            x->op_above[span] = tfp_is_host_op(s->kind[parent]) ? parent : x->op_above[parent];
            x->cpu_op_above[span] = s->kind[parent] == TFP_SPAN_OP ? parent : x->cpu_op_above[parent];
        }
        if (tfp_is_host_op(kind) && x->op_above[span] != TFP_NONE)
            take_off(s, x->op_above[span], s->duration_ns[span]);
        else if (kind == TFP_SPAN_OTHER && parent != TFP_NONE && s->kind[parent] == TFP_SPAN_OTHER)
            take_off(s, parent, s->duration_ns[span]);
    }
    if (kind == TFP_SPAN_STEP || kind == TFP_SPAN_FRAME || s->marks[span] & TFP_MARK_INSTANT) return;
    int64_t ends = tfp_span_end(s, span);
    container c = { around && around->end_ns < ends ? around->end_ns : ends, span, place };
    tfp_join_keep(x, push(kind == TFP_SPAN_OTHER ? &w->other : &w->known, c));
}

/* An allocation belongs to the innermost host op at its time. */
static void visit_memory(sweep *w, tfp_memory_event *m)
{
    const container *c = find(&w->known, m->at_ns);
    m->span = TFP_NONE;
    if (c) m->span = tfp_is_host_op(w->x->t->spans.kind[c->span]) ? c->span : w->x->op_above[c->span];
    if (!m->asked_by_op || m->span == TFP_NONE || w->x->t->spans.kind[m->span] != TFP_SPAN_CALL) return;
    if (w->x->cpu_op_above[m->span] != TFP_NONE) m->span = w->x->cpu_op_above[m->span];
}

static void sweep_lane(sweep *w, uint32_t lane, const uint32_t *memory, size_t memory_count)
{
    tfp_join *x = w->x;
    const tfp_lane *l = &x->p->lanes->at[lane];
    tfp_memory_event *events = x->t->memory.at;
    if (l->process >= x->t->processes.size) return; /* a lane of RunMetadata, whose spans have nodes already */
    w->known.at.size = w->other.at.size = 0;
    w->tolerance_ns = x->t->processes.at[l->process].tolerance_ns;
    tfp_str name = tfp_text(x->p, l->name);
    w->device = l->role == TFP_ROLE_STREAM && name.size > 4 && memcmp(name.data, "tpu:", 4) == 0;
    size_t m = 0;
    for (uint32_t i = x->lane_first[lane]; i < x->lane_first[lane + 1] && !x->b->status; i++) {
        uint32_t span = x->order[i];
        while (m < memory_count && events[memory[m]].at_ns < x->t->spans.start_ns[span])
            visit_memory(w, &events[memory[m++]]);
        visit(w, span, i);
    }
    while (m < memory_count) visit_memory(w, &events[memory[m++]]);
}

/* Sorts memory events by lane and time. */
static bool order_memory(tfp_join *x, uint32_t *order, uint32_t *lane_first)
{
    size_t count = x->t->memory.size, lanes = x->p->lanes->size;
    uint64_t *keys = calloc(count + 1, sizeof *keys);
    uint32_t *by_time = malloc((count + 1) * sizeof *by_time);
    bool ok = keys && by_time;
    for (uint32_t i = 0; ok && i < count; i++) {
        keys[i] = (uint64_t)x->t->memory.at[i].at_ns ^ UINT64_C(1) << 63;
        by_time[i] = i;
        lane_first[x->t->memory.at[i].lane + 2]++;
    }
    ok = ok && tfp_sort_keys(by_time, count, keys);
    for (size_t i = 2; i <= lanes; i++) lane_first[i] += lane_first[i - 1];
    for (size_t i = 0; ok && i < count; i++) order[lane_first[x->t->memory.at[by_time[i]].lane + 1]++] = by_time[i];
    free(keys);
    free(by_time);
    return ok;
}

void tfp_join_nest(tfp_join *x)
{
    size_t lanes = x->p->lanes->size, bytes = (x->count + 1) * sizeof(uint32_t);
    uint32_t *memory = malloc((x->t->memory.size + 1) * sizeof *memory);
    uint32_t *memory_first = calloc(lanes + 2, sizeof *memory_first);
    sweep w = { .x = x };
    x->op_above = malloc(bytes);
    x->cpu_op_above = malloc(bytes);
    x->crossings = calloc(x->t->processes.size + 1, sizeof *x->crossings);
    if (tfp_join_keep(x, memory && memory_first && x->op_above && x->cpu_op_above && x->crossings) &&
        tfp_join_keep(x, order_memory(x, memory, memory_first))) {
        memset(x->op_above, 0xff, bytes); /* TFP_NONE */
        memset(x->cpu_op_above, 0xff, bytes);
        for (uint32_t lane = 0; lane < lanes && !x->b->status; lane++)
            sweep_lane(&w, lane, memory + memory_first[lane], memory_first[lane + 1] - memory_first[lane]);
    }
    for (size_t i = 0; i < x->count && !x->b->status; i++)
        if (x->t->spans.self_ns[i] < 0) x->t->spans.self_ns[i] = 0;
    free(x->op_above); /* the join's arrays are large, so each is freed as soon as no stage needs it */
    x->op_above = NULL;
    tfp_vec_free(&w.known.at);
    tfp_vec_free(&w.other.at);
    free(memory);
    free(memory_first);
}
