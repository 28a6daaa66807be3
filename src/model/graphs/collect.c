// SPDX-License-Identifier: Apache-2.0
/* model/graphs/collect.c: collects the graphs that were captured while a trace was recorded. Between the begin and the
 * end of a capture a thread's launches run nothing; they show the modules, ops and frames around each node of the
 * graph. In: a joined trace. Out: rows of the builder's tables. Answers are stored per span, so the work is linear in
 * the spans. When a whole network is captured, PyTorch's engine runs the backward pass in another thread: its launches
 * belong to the capture too, and get the places of their forward operators. */
#include "model/graphs/parts.h"
#include "model/nest.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/profile.h"
#include "model/tables/stats.h"
#include "query/order.h"

enum { STACK_MOST = 256 }; /* most frames of a stack, innermost ones; Python's own limit is 1000 */
enum { NOT_LOOKED_AT = 0xff };
enum { INSIDE = 0x80, RANK = 0x7f }; /* parts of collector.rank */
#define NOTHING (TFP_NONE - 1)

/* What may be asked about a span and those around it; the answers are: */
typedef enum asked {
    MODULES, /* places: the modules */
    OUTER,   /* modules and ops */
    INNER,   /* places, with annotations that began within the capture */
    OP,      /* spans: the nearest op */
    FRAME,   /* the nearest frame of Python */
    LINE,    /* spans: the frame that is the line of those around */
    DIMS,    /* strings: the shapes of the nearest op that has some */
    ASKED
} asked;

typedef struct interval { /* a capture: spans of one thread, in nesting order */
    uint32_t begin, first, end;
    int64_t end_ns;
    bool beside; /* another capture of the process overlaps, so calls of other threads cannot be assigned */
} interval;

typedef struct collector {
    tfp_builder *b;
    const tfp_profile *p;
    const tfp_span_columns *s;
    bool own;
    tfp_arena arena;
    tfp_nest nest;
    uint8_t *active; /* for each span: whether it is a call that launched something */
    /* for each span: if its children run in backward operators, the forward operator of the outermost of these;
     * otherwise TFP_NONE */
    uint32_t *forward;
    tfp_strid backward;       /* the string "backward" */
    TFP_VEC(uint32_t) others; /* calls within backward operators that may belong to a capture, by process and start */
    TFP_VEC(uint32_t) calls;  /* calls of one capture */
    uint32_t *known[ASKED];   /* for each span: the answer; TFP_NONE: not asked yet */
    uint32_t *trace;          /* for each span that is a frame: index in the builder's traces */
    uint8_t *rank;            /* for each span: parts of the state of its LINE */
    uint8_t *bits;            /* for each string that names a frame: TFP_FRAME_...; NOT_LOOKED_AT */
    tfp_strid *line;          /* the same: its line; TFP_NONE: not made */
    tfp_whose whose;
    tfp_strid *string;      /* for each string: the builder's string; TFP_NONE: none */
    int64_t begin_ns;       /* begin of the current capture */
    tfp_strid kernel, dims; /* keys of stats */
    TFP_VEC(uint32_t) path;
    TFP_VEC(interval) captures;
} collector;

static tfp_strid string_of(collector *c, tfp_strid id)
{
    if (c->own) return id;
    if (c->string[id] == TFP_NONE) c->string[id] = tfp_build_made_string(c->b, tfp_text(c->p, id));
    return c->string[id];
}

/* ---- what stands around a span ---- */

static bool frame_of(const collector *c, uint32_t span, tfp_python_frame *f)
{
    return c->s->kind[span] == TFP_SPAN_FRAME && tfp_python_frame_of(tfp_text(c->p, c->s->name[span]), f);
}

static tfp_strid line_of_frame(collector *c, uint32_t span)
{
    tfp_python_frame f;
    tfp_strid *line = &c->line[c->s->name[span]];
    if (*line != TFP_NONE || !frame_of(c, span, &f)) return *line;
    tfp_code_frame own = { .file = tfp_build_made_string(c->b, f.file),
                           .function = tfp_build_made_string(c->b, f.function),
                           .line = f.line };
    return *line = c->b->status ? 0 : tfp_line_name(c->b, &own);
}

static unsigned bits_of_frame(collector *c, uint32_t span)
{
    tfp_python_frame f;
    uint8_t *bits = &c->bits[c->s->name[span]];
    if (*bits == NOT_LOOKED_AT)
        *bits = frame_of(c, span, &f) ? (uint8_t)tfp_whose_frame(&c->whose, f.file, f.function) : 0;
    return *bits;
}

/* A text among the stats of a span, as a string of the builder, without ".kd"; 0: none. */
static tfp_strid text_stat(collector *c, uint32_t span, tfp_strid key)
{
    const tfp_stat *stat = tfp_typed_stat(c->p->events, span, key, TFP_STAT_TEXT);
    return stat ? tfp_build_made_string(c->b, tfp_kernel_plain(tfp_text(c->p, (tfp_strid)stat->value.text))) : 0;
}

static bool is_named(asked what, unsigned kind)
{
    if (kind == TFP_SPAN_MODULE) return true;
    if (what == MODULES) return false;
    return kind == TFP_SPAN_OP || (what == INNER && kind == TFP_SPAN_ANNOTATION);
}

static uint32_t ask(collector *c, asked what, uint32_t span);

/* What is around an operator that begins a backward pass: what is around the forward operator. */
static uint32_t around_backward(collector *c, asked what, uint32_t span, uint32_t above)
{
    uint32_t forward = c->forward[span];
    if (forward == TFP_NONE || what == OP || what == DIMS) return above;
    if (what == LINE || what == FRAME) return above != NOTHING ? above : ask(c, what, c->nest.parent[forward]);
    uint32_t modules = ask(c, MODULES, c->s->parent[forward]);
    return what == MODULES ? modules : tfp_graph_place_below(c->b, modules, c->backward);
}

/* The answer to LINE. */
static uint32_t line_below(collector *c, uint32_t span, uint32_t above)
{
    uint32_t around = c->nest.parent[span];
    unsigned rank = around == TFP_NONE ? 0 : c->rank[around];
    if (around != TFP_NONE && c->known[LINE][around] != above) rank = TFP_RANK_OWN; /* of the forward operator */
    tfp_stack_line line = { above, rank & RANK, rank & INSIDE };
    if (c->s->kind[span] == TFP_SPAN_FRAME) line = tfp_stack_below(line, bits_of_frame(c, span), span);
    c->rank[span] = (uint8_t)(line.rank | (line.inside ? INSIDE : 0));
    return line.at;
}

/* The answer for a span, given the answer for the span around it in `above`. */
static uint32_t answer(collector *c, asked what, uint32_t span, uint32_t above)
{
    if (c->s->kind[span] == TFP_SPAN_OP) above = around_backward(c, what, span, above);
    tfp_python_frame f;
    unsigned kind = c->s->kind[span];
    switch (what) {
    case OP: return kind == TFP_SPAN_OP ? span : above;
    case FRAME: return frame_of(c, span, &f) ? span : above;
    case LINE: return line_below(c, span, above);
    case DIMS: {
        tfp_strid dims = kind == TFP_SPAN_OP ? text_stat(c, span, c->dims) : 0;
        return dims ? dims : above;
    }
    default: return is_named(what, kind) ? tfp_graph_place_below(c->b, above, string_of(c, c->s->name[span])) : above;
    }
}

static uint32_t around(const collector *c, asked what, uint32_t span)
{
    return what == FRAME || what == LINE ? c->nest.parent[span] : c->s->parent[span];
}

static uint32_t ask(collector *c, asked what, uint32_t span)
{
    uint32_t *known = c->known[what], found = what == OP || what == FRAME || what == LINE ? NOTHING : 0;
    /* around_backward calls this function again, but only one level deep: the forward operator is in no backward
     * operator */
    size_t base = c->path.size;
    for (; span != TFP_NONE; span = around(c, what, span)) {
        if (what == INNER &&
            c->s->start_ns[span] <=
                c->begin_ns) { /* annotations that began before the capture tell nothing about the model */
            what = OUTER;
            known = c->known[OUTER];
        }
        if (known[span] != TFP_NONE) {
            found = known[span];
            break;
        }
        if (!tfp_push(&c->path, span)) {
            c->b->status = TFP_NOMEM;
            return found;
        }
    }
    while (c->path.size > base) {
        span = c->path.at[--c->path.size];
        if (what == OUTER && c->s->start_ns[span] > c->begin_ns) what = INNER;
        found = answer(c, what, span, found);
        c->known[what][span] = found;
    }
    return found;
}

/* The innermost frames as a call stack of the builder. */
static uint32_t trace_of(collector *c, uint32_t frame)
{
    tfp_code_frame frames[STACK_MOST];
    size_t at = STACK_MOST;
    if (frame == NOTHING) return TFP_NONE;
    if (c->trace[frame] != TFP_NONE) return c->trace[frame];
    for (uint32_t i = frame; i != NOTHING && at > 0;) {
        tfp_python_frame f;
        if (frame_of(c, i, &f))
            frames[--at] = (tfp_code_frame){ .file = tfp_build_made_string(c->b, f.file),
                                             .function = tfp_build_made_string(c->b, f.function),
                                             .line = f.line };
        uint32_t above = c->nest.parent[i];
        i = above == TFP_NONE ? NOTHING : ask(c, FRAME, above);
    }
    if (c->b->status) return TFP_NONE;
    return c->trace[frame] = tfp_build_trace(c->b, frames + at, STACK_MOST - at);
}

/* ---- launches ---- */

static tfp_strid kernel_of(collector *c, uint32_t call, uint32_t op)
{
    tfp_strid told = text_stat(c, call, c->kernel);
    if (told) return told;
    tfp_str name = op == NOTHING ? TFP_STR("") : tfp_text(c->p, c->s->name[op]);
    return tfp_str_begins(name, TFP_STR("triton_")) ? tfp_build_made_string(c->b, tfp_kernel_plain(name)) : 0;
}

static tfp_graph_sign sign_of(collector *c, uint32_t call, uint32_t op)
{
    tfp_str name = tfp_text(c->p, c->s->name[call]);
    tfp_graph_sign sign = { .kind = (uint8_t)tfp_kind_of_name(name) };
    if (sign.kind != TFP_LAUNCHES_KERNEL) return sign;
    sign.kernel = kernel_of(c, call, op);
    if (sign.kernel) sign.kind = (uint8_t)tfp_kind_of_name(tfp_text(c->b->p, sign.kernel));
    if (op != NOTHING) sign.family = (uint8_t)tfp_family_of_op(tfp_text(c->p, c->s->name[op]));
    return sign;
}

static bool adds_node(const collector *c, uint32_t i)
{
    return c->s->kind[i] == TFP_SPAN_CALL && !c->active[i] && tfp_is_captured_call(tfp_text(c->p, c->s->name[i]));
}

static bool add_launch(collector *c, uint32_t call)
{
    uint32_t parent = c->s->parent[call], op = ask(c, OP, parent);
    tfp_captured_launch l = { .span = call, .call = TFP_NONE };
    l.modules = ask(c, MODULES, parent);
    l.place = ask(c, INNER, parent);
    l.op = string_of(c, c->s->name[op == NOTHING ? call : op]);
    if (op == NOTHING) l.place = tfp_graph_place_below(c->b, l.place, l.op);
    l.sign = sign_of(c, call, op);
    l.dims = ask(c, DIMS, parent);
    uint32_t line = ask(c, LINE, c->nest.parent[call]);
    l.line = line == NOTHING ? 0 : line_of_frame(c, line);
    l.trace = l.line ? trace_of(c, ask(c, FRAME, c->nest.parent[call])) : TFP_NONE;
    return !c->b->status && tfp_push(&c->b->p->captures->launches, l);
}

/* ---- launches of other threads ---- */

static uint32_t process_of(const collector *c, uint32_t span) { return c->p->lanes->at[c->s->lane[span]].process; }

static bool goes_before(const collector *c, uint32_t call, uint32_t process, int64_t start_ns)
{
    uint32_t own = process_of(c, call);
    return own != process ? own < process : c->s->start_ns[call] < start_ns;
}

/* Adds calls of other threads that belong to a capture: those in backward operators while nothing else is captured. */
static bool take_others(collector *c, const interval *of)
{
    uint32_t process = process_of(c, of->begin);
    size_t at;
    TFP_LOWER_BOUND(at, 0, c->others.size, goes_before(c, c->others.at[at], process, c->s->start_ns[of->begin]));
    for (; !of->beside && at < c->others.size; at++) {
        uint32_t i = c->others.at[at];
        if (process_of(c, i) != process || c->s->start_ns[i] > of->end_ns) break;
        if (c->s->lane[i] != c->s->lane[of->begin] && !tfp_push(&c->calls, i)) return false;
    }
    return true;
}

static bool add_graph(collector *c, const interval *of)
{
    tfp_graph_tables *g = c->b->p->captures;
    uint32_t process = c->p->lanes->at[c->s->lane[of->begin]].process;
    tfp_captured_graph graph = { .first = (uint32_t)g->launches.size, .owner = tfp_graph_owner(c->p, process, c->own) };
    c->begin_ns = c->s->start_ns[of->begin];
    c->calls.size = 0;
    for (uint32_t k = of->first; k < of->end; k++)
        if (adds_node(c, c->nest.order[k]) && !tfp_push(&c->calls, c->nest.order[k])) return false;
    size_t own = c->calls.size;
    if (!take_others(c, of)) return false;
    if (c->calls.size > own &&
        !tfp_order_items(c->calls.at, c->calls.size, (tfp_sort_key[]){ TFP_UP_IN(c->s->start_ns), { 0 } }, NULL, 0))
        return false;
    for (size_t k = 0; k < c->calls.size; k++)
        if (g->launches.size >= TFP_NONE - 1 || !add_launch(c, c->calls.at[k])) return false;
    graph.count = (uint32_t)g->launches.size - graph.first;
    return g->captured.size < TFP_NONE - 1 && tfp_push(&g->captured, graph);
}

/* ---- captures ---- */

static bool find_captures(collector *c)
{
    interval open = { TFP_NONE, 0, 0 };
    for (uint32_t k = 0; k < c->s->size; k++) {
        uint32_t i = c->nest.order[k];
        if (open.begin != TFP_NONE && c->s->lane[open.begin] != c->s->lane[i]) open.begin = TFP_NONE;
        if (c->s->kind[i] != TFP_SPAN_CALL || c->p->lanes->at[c->s->lane[i]].process >= c->p->events->processes.size)
            continue;
        tfp_str name = tfp_text(c->p, c->s->name[i]);
        bool ends = tfp_str_has(name, TFP_STR("StreamEndCapture"));
        if (ends && open.begin != TFP_NONE) {
            open.end = k;
            open.end_ns = c->s->start_ns[i];
            if (!tfp_push(&c->captures, open)) return false;
        }
        if (ends) open.begin = TFP_NONE;
        if (tfp_begins_capture(name)) open = (interval){ i, k + 1, 0 };
    }
    return true;
}

static bool earlier(const void *ctx, uint32_t a, uint32_t b)
{
    const collector *c = ctx;
    return c->s->start_ns[c->captures.at[a].begin] < c->s->start_ns[c->captures.at[b].begin];
}

/* Finds overlapping captures of one process; `order` sorts them by start. */
static bool find_beside(collector *c, const uint32_t *order)
{
    size_t processes = c->p->events->processes.size + 1;
    uint32_t *last = malloc(processes * sizeof *last); /* for each process: the earlier capture that ends last */
    if (!last) return false;
    memset(last, 0xff, processes * sizeof *last); /* TFP_NONE */
    for (size_t k = 0; k < c->captures.size; k++) {
        interval *of = &c->captures.at[order[k]];
        uint32_t *before = &last[process_of(c, of->begin)];
        bool beside = *before != TFP_NONE && c->captures.at[*before].end_ns > c->s->start_ns[of->begin];
        if (beside) of->beside = c->captures.at[*before].beside = true;
        if (*before == TFP_NONE || of->end_ns > c->captures.at[*before].end_ns) *before = order[k];
    }
    free(last);
    return true;
}

/* ---- backward operators ---- */

/* Finds the last forward operator for each sequence number. */
static bool find_forwards(collector *c, tfp_map64 *forwards)
{
    for (uint32_t i = 0; i < c->s->size; i++) {
        if (c->s->kind[i] != TFP_SPAN_OP || !c->s->sequence[i] || c->s->marks[i] & TFP_MARK_BACKWARD) continue;
        uint64_t key = (uint64_t)process_of(c, i) << 32 | c->s->sequence[i];
        uint32_t known = tfp_map64_get(forwards, key);
        if (known != TFP_NONE && c->s->start_ns[known] > c->s->start_ns[i]) continue;
        if (!tfp_map64_put(forwards, key, i)) return false;
    }
    return true;
}

/* Finds the spans in backward operators, the calls in them, and for outermost backward operators the forward operator,
 * if that is itself in no backward operator. */
static bool find_backwards(collector *c)
{
    tfp_map64 forwards = { 0 };
    uint8_t *inside = calloc(c->s->size + 1, 1);
    bool ok = inside && find_forwards(c, &forwards);
    for (uint32_t k = 0; ok && k < c->s->size; k++) {
        uint32_t i = c->nest.order[k], parent = c->s->parent[i];
        bool op = c->s->kind[i] == TFP_SPAN_OP && c->s->marks[i] & TFP_MARK_BACKWARD;
        inside[i] = (parent != TFP_NONE && inside[parent]) || op;
        if (op && !(parent != TFP_NONE && inside[parent]))
            c->forward[i] = tfp_map64_get(&forwards, (uint64_t)process_of(c, i) << 32 | c->s->sequence[i]);
        if (inside[i] && adds_node(c, i)) ok = tfp_push(&c->others, i);
    }
    for (uint32_t i = 0; ok && i < c->s->size; i++)
        if (c->forward[i] != TFP_NONE && inside[c->forward[i]]) c->forward[i] = TFP_NONE;
    tfp_map64_free(&forwards);
    free(inside);
    return ok;
}

static bool in_process(const void *ctx, uint32_t a, uint32_t b)
{
    const collector *c = ctx;
    uint32_t x = process_of(c, a), y = process_of(c, b);
    return x != y ? x < y : c->s->start_ns[a] < c->s->start_ns[b];
}

/* Finds out whose the code is, and keeps it for the lines of reports. */
static bool find_whose(collector *c)
{
    if (!tfp_whose_kept(&c->whose, c->b->p)) return false;
    size_t kept = c->whose.seen.size;
    if (!tfp_whose_gather(&c->whose, c->p, &c->nest)) return false;
    for (size_t i = kept; i < c->whose.seen.size && !c->own && !c->b->status; i++) {
        tfp_seen_code x = { .file = tfp_build_made_string(c->b, c->whose.seen.at[i].file),
                            .function = tfp_build_made_string(c->b, c->whose.seen.at[i].function) };
        tfp_build_keep(c->b, tfp_push(&c->b->p->code->seen, x));
    }
    return !c->b->status;
}

static bool start(collector *c)
{
    size_t spans = c->s->size + 1, strings = c->p->strings.count + 1;
    bool ok = tfp_nest_of(c->p, &c->arena, &c->nest);
    c->active = TFP_NEW(&c->arena, uint8_t, spans);
    c->trace = TFP_NEW(&c->arena, uint32_t, spans);
    c->forward = TFP_NEW(&c->arena, uint32_t, spans);
    c->rank = TFP_NEW(&c->arena, uint8_t, spans);
    c->bits = TFP_NEW(&c->arena, uint8_t, strings);
    c->line = TFP_NEW(&c->arena, tfp_strid, strings);
    c->string = TFP_NEW(&c->arena, tfp_strid, strings);
    for (unsigned i = 0; i < ASKED; i++) {
        c->known[i] = TFP_NEW(&c->arena, uint32_t, spans);
        ok = ok && c->known[i];
        if (ok) memset(c->known[i], 0xff, spans * sizeof *c->known[i]); /* TFP_NONE */
    }
    if (!ok || !c->active || !c->trace || !c->forward || !c->line || !c->string || !c->rank || !c->bits) return false;
    memset(c->trace, 0xff, spans * sizeof *c->trace);
    memset(c->forward, 0xff, spans * sizeof *c->forward);
    memset(c->line, 0xff, strings * sizeof *c->line);
    memset(c->bits, NOT_LOOKED_AT, strings);
    memset(c->string, 0xff, strings * sizeof *c->string);
    for (uint32_t i = 0; i < c->s->size; i++)
        if (c->s->launch[i] != TFP_NONE) c->active[c->s->launch[i]] = 1;
    c->kernel = tfp_strtab_find(&c->p->strings, TFP_STR("kernel"));
    c->dims = tfp_strtab_find(&c->p->strings, TFP_STR("Input Dims"));
    c->backward = tfp_build_string(c->b, TFP_STR("backward"));
    return find_whose(c) && find_backwards(c) && tfp_sort(c->others.at, c->others.size, in_process, c);
}

bool tfp_graphs_collect(tfp_builder *b, const tfp_profile *from, bool own)
{
    collector c = { .b = b, .p = from, .s = &from->events->spans, .own = own };
    bool ok = start(&c) && find_captures(&c);
    uint32_t *order = ok ? TFP_NEW(&c.arena, uint32_t, c.captures.size + 1) : NULL;
    for (uint32_t i = 0; order && i < c.captures.size; i++) order[i] = i;
    ok = order && tfp_sort(order, c.captures.size, earlier, &c) && find_beside(&c, order);
    for (size_t i = 0; ok && i < c.captures.size; i++) ok = add_graph(&c, &c.captures.at[order[i]]);
    tfp_whose_free(&c.whose);
    tfp_vec_free(&c.path);
    tfp_vec_free(&c.others);
    tfp_vec_free(&c.calls);
    tfp_vec_free(&c.captures);
    tfp_arena_free(&c.arena);
    return ok && !b->status;
}
