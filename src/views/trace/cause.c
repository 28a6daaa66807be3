// SPDX-License-Identifier: Apache-2.0
/* views/trace/cause.c: what the host does while a device waits for it: the span in the gap that explains most. */
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "model/tables/lanes.h"
#include "model/tables/spans.h"
#include "views/spans/nest.h"
#include "views/trace/facts.h"

enum { ABOUT_GAP = 4 };

typedef struct part { /* part of the gap inside a span */
    uint32_t span;
    int64_t all_ns, own_ns; /* own: without the spans inside it */
} part;

typedef struct cause {
    tfp_trace_facts *f;
    const tfp_gap *g;
    tfp_nest nest;
    TFP_VEC(part) parts; /* parts of the launching thread */
    tfp_map64 by_span;
    /* a span of another thread, as its index: the one that covers most of the gap, the shortest if there are several; TFP_NONE:
     * none */
    uint32_t other;
    int64_t other_ns;
    uint32_t own; /* the innermost frame of the user's own code that covers most of the gap; TFP_NONE: none */
    int64_t own_ns;
} cause;

static int64_t within(const cause *c, uint32_t span)
{
    const tfp_span_columns *s = c->f->x.s;
    int64_t start = s->start_ns[span], end = tfp_add(start, c->nest.duration_ns[span], NULL);
    if (start < c->g->start) start = c->g->start;
    if (end > c->g->end) end = c->g->end;
    return end > start ? end - start : 0;
}

/* Whether a span of another thread shows work. Frames do not, because a thread that waits for work is inside one all the time.
 * In XPlane frames are annotations that begin with the tracer's sign. */
static bool works(const cause *c, uint32_t span)
{
    uint32_t kind = c->f->x.s->kind[span];
    if (tfp_str_begins(tfp_span_name(c->f->x.p, span), TFP_STR("$"))) return false;
    return kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL || kind == TFP_SPAN_ANNOTATION || kind == TFP_SPAN_MODULE;
}

/* Whether a span is as long as the recording, so that it only shows that there is one. */
static bool is_whole(const cause *c, uint32_t span)
{
    const tfp_trace_unit *u = &c->f->x.units[c->g->unit];
    return c->f->x.s->duration_ns[span] >= (u->end_ns - u->origin_ns) / 100 * 99;
}

/* Whether a frame of XPlane is of the user's own code. */
static bool is_own(const cause *c, uint32_t span)
{
    tfp_python_frame f;
    tfp_str name = tfp_span_name(c->f->x.p, span);
    if (c->f->x.s->kind[span] != TFP_SPAN_ANNOTATION || !tfp_is_frame(c->f->x.p, span)) return false;
    return tfp_python_frame_of(name, &f) && !tfp_is_library_file(tfp_path_of_bare_file(f.file));
}

/* Keeps the frame of the user's own code, on any thread of the rank, that covers most of the gap, the innermost of those that cover nearly
 * as much. Frames that are much longer than
 * the gap do other work, too, such as the loop over the steps. */
static void note_own(cause *c, uint32_t span, int64_t ns)
{
    const tfp_span_columns *s = c->f->x.s;
    int64_t gap = c->g->end - c->g->start;
    if (ns < gap / 4 || s->duration_ns[span] / ABOUT_GAP > gap || !is_own(c, span)) return;
    if (tfp_trace_unit_of(&c->f->x, span) != c->g->unit) return;
    bool inner = c->own != TFP_NONE && s->duration_ns[span] <= s->duration_ns[c->own];
    if (c->own != TFP_NONE && (inner ? ns / 4 * 5 < c->own_ns : ns <= c->own_ns / 4 * 5)) return;
    c->own = span;
    c->own_ns = ns;
}

static bool add(cause *c, uint32_t span)
{
    const tfp_span_columns *s = c->f->x.s;
    int64_t ns = within(c, span);
    unsigned kind = s->kind[span];
    if (!ns) return true;
    note_own(c, span, ns);
    if (s->lane[span] == c->g->thread) {
        if (kind == TFP_SPAN_STEP || kind == TFP_SPAN_OTHER || kind == TFP_SPAN_ACTIVITY) return true;
        return tfp_map64_put(&c->by_span, span, (uint32_t)c->parts.size) &&
               tfp_push(&c->parts, ((part){ span, ns, ns }));
    }
    bool thread = tfp_lanes_of(c->f->x.p)->at[s->lane[span]].role == TFP_ROLE_THREAD;
    if (!(works(c, span) || (kind == TFP_SPAN_OTHER && thread))) return true;
    if (tfp_trace_unit_of(&c->f->x, span) != c->g->unit || is_whole(c, span)) return true;
    bool more = ns == c->other_ns ? s->duration_ns[span] < s->duration_ns[c->other] : ns > c->other_ns;
    if (c->other != TFP_NONE && !more) return true;
    c->other = span;
    c->other_ns = ns;
    return true;
}

static void take_from_parents(cause *c)
{
    for (size_t i = 0; i < c->parts.size; i++) {
        uint32_t around = c->nest.parent[c->parts.at[i].span];
        uint32_t at = around == TFP_NONE ? TFP_NONE : tfp_map64_get(&c->by_span, around);
        if (at != TFP_NONE) /* of spans that cross, the times add up */
            c->parts.at[at].own_ns = tfp_add(c->parts.at[at].own_ns, -c->parts.at[i].all_ns, NULL);
    }
}

/* Whether a function says less than the one that calls it: a built-in such as `next`, a context manager's frame, one that waits. */
static bool says_little(tfp_str name)
{
    return tfp_str_begins(name, TFP_STR("<built-in")) || tfp_str_begins(name, TFP_STR("contextlib.py(")) ||
           tfp_frame_waits(name);
}

static uint32_t caller_of(const cause *c, uint32_t span)
{
    uint32_t at = span;
    while (at != TFP_NONE && says_little(tfp_span_name(c->f->x.p, at))) at = c->nest.parent[at];
    return at != TFP_NONE && tfp_is_frame(c->f->x.p, at) ? at : span;
}

static void say(cause *c, tfp_stall_cover cover, uint32_t span, int64_t ns)
{
    int64_t gap = c->g->end - c->g->start;
    c->f->gaps.stall_cover = cover;
    c->f->gaps.stall_span = span;
    c->f->gaps.stall_share = gap > 0 ? (double)ns / (double)gap : 0;
}

/* Chooses the cause: one span whose own time is half of the gap; otherwise the shortest span around half of it; otherwise
 * one of another thread; otherwise what is at least a tenth of it. */
static void judge(cause *c)
{
    const tfp_span_columns *s = c->f->x.s;
    int64_t half = (c->g->end - c->g->start) / 2, sum = 0;
    const part *own = NULL, *around = NULL;
    for (size_t i = 0; i < c->parts.size; i++) {
        const part *p = &c->parts.at[i];
        if (p->own_ns > 0) sum = tfp_add(sum, p->own_ns, NULL);
        if (!own || p->own_ns > own->own_ns) own = p;
        bool inner = !around || s->duration_ns[p->span] <= s->duration_ns[around->span];
        if (p->all_ns >= half && inner) around = p;
    }
    bool weak = !(own && own->own_ns >= half) && !around && c->other_ns < half;
    if (c->own != TFP_NONE && (c->own_ns >= half || weak))
        say(c, TFP_STALL_ITSELF, c->own, c->own_ns);
    else if (own && own->own_ns >= half)
        say(c, TFP_STALL_ITSELF, caller_of(c, own->span), own->own_ns);
    else if (around)
        say(c, TFP_STALL_AROUND, around->span, around->all_ns);
    else if (c->other != TFP_NONE && c->other_ns >= half)
        say(c, TFP_STALL_OTHER, c->other, c->other_ns);
    else if (own && sum >= half / 5)
        say(c, TFP_STALL_SHORT, own->span, sum);
    else if (c->other != TFP_NONE && c->other_ns >= half / 5)
        say(c, TFP_STALL_OTHER, c->other, c->other_ns);
    else
        say(c, TFP_STALL_NOTHING, TFP_NONE, 0);
}

bool tfp_find_cause(tfp_trace_facts *f, const tfp_gap *g)
{
    cause c = { .f = f, .g = g, .other = TFP_NONE, .own = TFP_NONE };
    tfp_arena arena = { 0 };
    bool ok = tfp_nest_of(f->x.p, &arena, &c.nest);
    for (uint32_t i = 0; ok && i < f->x.s->size; i++) ok = add(&c, i);
    if (ok) {
        take_from_parents(&c);
        judge(&c);
    }
    tfp_arena_free(&arena);
    tfp_vec_free(&c.parts);
    tfp_map64_free(&c.by_span);
    return ok;
}
