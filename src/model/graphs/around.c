// SPDX-License-Identifier: Apache-2.0
/* model/graphs/around.c: what is around each span of a trace. When PyTorch's engine runs the backward pass in another thread, the
 * spans there get the places of their forward operators. */
#include "model/graphs/around.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/profile.h"
#include "model/tables/stats.h"

enum { STACK_MOST = 256 }; /* most frames of a stack, innermost ones; Python's own limit is 1000 */
enum { NOT_LOOKED_AT = 0xff };
enum { INSIDE = 0x80, RANK = 0x7f }; /* parts of collector.rank */

tfp_strid tfp_around_string(tfp_around *c, tfp_strid id)
{
    if (c->own) return id;
    if (c->string[id] == TFP_NONE) c->string[id] = tfp_build_made_string(c->b, tfp_text(c->p, id));
    return c->string[id];
}

/* ---- what stands around a span ---- */

static bool frame_of(const tfp_around *c, uint32_t span, tfp_python_frame *f)
{
    return c->s->kind[span] == TFP_SPAN_FRAME && tfp_python_frame_of(tfp_text(c->p, c->s->name[span]), f);
}

tfp_strid tfp_around_line(tfp_around *c, uint32_t span)
{
    tfp_python_frame f;
    tfp_strid *line = &c->line[c->s->name[span]];
    if (*line != TFP_NONE || !frame_of(c, span, &f)) return *line;
    tfp_code_frame own = { .file = tfp_build_made_string(c->b, f.file),
                           .function = tfp_build_made_string(c->b, f.function),
                           .line = f.line };
    return *line = c->b->status ? 0 : tfp_line_name(c->b, &own);
}

static unsigned bits_of_frame(tfp_around *c, uint32_t span)
{
    tfp_python_frame f;
    uint8_t *bits = &c->bits[c->s->name[span]];
    if (*bits == NOT_LOOKED_AT)
        *bits = frame_of(c, span, &f) ? (uint8_t)tfp_whose_frame(&c->whose, f.file, f.function) : 0;
    return *bits;
}

/* A text among the stats of a span, as a string of the builder, without ".kd"; 0: none. */
tfp_strid tfp_around_text(tfp_around *c, uint32_t span, tfp_strid key)
{
    const tfp_stat *stat = tfp_typed_stat(c->p->events, span, key, TFP_STAT_TEXT);
    return stat ? tfp_build_made_string(c->b, tfp_kernel_plain(tfp_text(c->p, (tfp_strid)stat->value.text))) : 0;
}

static bool is_named(tfp_asked what, unsigned kind)
{
    if (kind == TFP_SPAN_MODULE) return true;
    if (what == TFP_ASK_MODULES) return false;
    return kind == TFP_SPAN_OP || (what == TFP_ASK_INNER && kind == TFP_SPAN_ANNOTATION);
}

/* What is around an operator that begins a backward pass: what is around the forward operator. */
static uint32_t around_backward(tfp_around *c, tfp_asked what, uint32_t span, uint32_t above)
{
    uint32_t forward = c->forward[span];
    if (forward == TFP_NONE || what == TFP_ASK_OP || what == TFP_ASK_DIMS) return above;
    if (what == TFP_ASK_LINE || what == TFP_ASK_FRAME)
        return above != TFP_AROUND_NOTHING ? above : tfp_ask(c, what, c->nest.parent[forward]);
    uint32_t modules = tfp_ask(c, TFP_ASK_MODULES, c->s->parent[forward]);
    return what == TFP_ASK_MODULES ? modules : tfp_graph_place_below(c->b, modules, c->backward);
}

/* The answer to TFP_ASK_LINE. */
static uint32_t line_below(tfp_around *c, uint32_t span, uint32_t above)
{
    uint32_t around = c->nest.parent[span];
    unsigned rank = around == TFP_NONE ? 0 : c->rank[around];
    if (around != TFP_NONE && c->known[TFP_ASK_LINE][around] != above)
        rank = TFP_RANK_OWN; /* of the forward operator */
    tfp_stack_line line = { above, rank & RANK, rank & INSIDE };
    if (c->s->kind[span] == TFP_SPAN_FRAME) line = tfp_stack_below(line, bits_of_frame(c, span), span);
    c->rank[span] = (uint8_t)(line.rank | (line.inside ? INSIDE : 0));
    return line.at;
}

/* The answer for a span, given the answer for the span around it in `above`. */
static uint32_t answer(tfp_around *c, tfp_asked what, uint32_t span, uint32_t above)
{
    if (c->s->kind[span] == TFP_SPAN_OP) above = around_backward(c, what, span, above);
    tfp_python_frame f;
    unsigned kind = c->s->kind[span];
    switch (what) {
    case TFP_ASK_OP: return kind == TFP_SPAN_OP ? span : above;
    case TFP_ASK_FRAME: return frame_of(c, span, &f) ? span : above;
    case TFP_ASK_LINE: return line_below(c, span, above);
    case TFP_ASK_DIMS: {
        tfp_strid dims = kind == TFP_SPAN_OP ? tfp_around_text(c, span, c->dims) : 0;
        return dims ? dims : above;
    }
    default:
        return is_named(what, kind) ? tfp_graph_place_below(c->b, above, tfp_around_string(c, c->s->name[span]))
                                    : above;
    }
}

static uint32_t around(const tfp_around *c, tfp_asked what, uint32_t span)
{
    return what == TFP_ASK_FRAME || what == TFP_ASK_LINE ? c->nest.parent[span] : c->s->parent[span];
}

uint32_t tfp_ask(tfp_around *c, tfp_asked what, uint32_t span)
{
    uint32_t *known = c->known[what],
             found = what == TFP_ASK_OP || what == TFP_ASK_FRAME || what == TFP_ASK_LINE ? TFP_AROUND_NOTHING : 0;
    /* around_backward calls this function again, but only one level deep: the forward operator is in no backward
     * operator */
    size_t base = c->path.size;
    for (; span != TFP_NONE; span = around(c, what, span)) {
        if (what == TFP_ASK_INNER &&
            c->s->start_ns[span] <=
                c->begin_ns) { /* annotations that began before the capture tell nothing about the model */
            what = TFP_ASK_OUTER;
            known = c->known[TFP_ASK_OUTER];
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
        if (what == TFP_ASK_OUTER && c->s->start_ns[span] > c->begin_ns) what = TFP_ASK_INNER;
        found = answer(c, what, span, found);
        c->known[what][span] = found;
    }
    return found;
}

uint32_t tfp_around_trace(tfp_around *c, uint32_t frame)
{
    tfp_code_frame frames[STACK_MOST];
    size_t at = STACK_MOST;
    if (frame == TFP_AROUND_NOTHING) return TFP_NONE;
    if (c->trace[frame] != TFP_NONE) return c->trace[frame];
    for (uint32_t i = frame; i != TFP_AROUND_NOTHING && at > 0;) {
        tfp_python_frame f;
        if (frame_of(c, i, &f))
            frames[--at] = (tfp_code_frame){ .file = tfp_build_made_string(c->b, f.file),
                                             .function = tfp_build_made_string(c->b, f.function),
                                             .line = f.line };
        uint32_t above = c->nest.parent[i];
        i = above == TFP_NONE ? TFP_AROUND_NOTHING : tfp_ask(c, TFP_ASK_FRAME, above);
    }
    if (c->b->status) return TFP_NONE;
    return c->trace[frame] = tfp_build_trace(c->b, frames + at, STACK_MOST - at);
}

bool tfp_around_adds_node(const tfp_around *c, uint32_t i)
{
    return c->s->kind[i] == TFP_SPAN_CALL && !c->active[i] && tfp_is_captured_call(tfp_text(c->p, c->s->name[i]));
}

void tfp_around_place(tfp_around *c, uint32_t launch, uint32_t parent, tfp_captured_launch *l)
{
    uint32_t op = tfp_ask(c, TFP_ASK_OP, parent);
    l->modules = tfp_ask(c, TFP_ASK_MODULES, parent);
    l->place = tfp_ask(c, TFP_ASK_INNER, parent);
    l->op = tfp_around_string(c, c->s->name[op == TFP_AROUND_NOTHING ? launch : op]);
    if (op == TFP_AROUND_NOTHING) l->place = tfp_graph_place_below(c->b, l->place, l->op);
    l->dims = tfp_ask(c, TFP_ASK_DIMS, parent);
    uint32_t line = tfp_ask(c, TFP_ASK_LINE, c->nest.parent[launch]);
    l->line = line == TFP_AROUND_NOTHING ? 0 : tfp_around_line(c, line);
    l->trace = l->line ? tfp_around_trace(c, tfp_ask(c, TFP_ASK_FRAME, c->nest.parent[launch])) : TFP_NONE;
}

/* ---- backward operators ---- */

/* Finds the last forward operator for each sequence number. */
static bool find_forwards(tfp_around *c, tfp_map64 *forwards)
{
    for (uint32_t i = 0; i < c->s->size; i++) {
        if (c->s->kind[i] != TFP_SPAN_OP || !c->s->sequence[i] || c->s->marks[i] & TFP_MARK_BACKWARD) continue;
        uint64_t key = (uint64_t)tfp_around_process(c, i) << 32 | c->s->sequence[i];
        uint32_t known = tfp_map64_get(forwards, key);
        if (known != TFP_NONE && c->s->start_ns[known] > c->s->start_ns[i]) continue;
        if (!tfp_map64_put(forwards, key, i)) return false;
    }
    return true;
}

/* Finds the spans in backward operators, the calls in them, and for outermost backward operators the forward operator,
 * if that is itself in no backward operator. */
static bool find_backwards(tfp_around *c)
{
    tfp_map64 forwards = { 0 };
    uint8_t *inside = calloc(c->s->size + 1, 1);
    bool ok = inside && find_forwards(c, &forwards);
    for (uint32_t k = 0; ok && k < c->s->size; k++) {
        uint32_t i = c->nest.order[k], parent = c->s->parent[i];
        bool op = c->s->kind[i] == TFP_SPAN_OP && c->s->marks[i] & TFP_MARK_BACKWARD;
        inside[i] = (parent != TFP_NONE && inside[parent]) || op;
        if (op && !(parent != TFP_NONE && inside[parent]))
            c->forward[i] = tfp_map64_get(&forwards, (uint64_t)tfp_around_process(c, i) << 32 | c->s->sequence[i]);
        if (inside[i] && tfp_around_adds_node(c, i)) ok = tfp_push(&c->others, i);
    }
    for (uint32_t i = 0; ok && i < c->s->size; i++)
        if (c->forward[i] != TFP_NONE && inside[c->forward[i]]) c->forward[i] = TFP_NONE;
    tfp_map64_free(&forwards);
    free(inside);
    return ok;
}

static bool in_process(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_around *c = ctx;
    uint32_t x = tfp_around_process(c, a), y = tfp_around_process(c, b);
    return x != y ? x < y : c->s->start_ns[a] < c->s->start_ns[b];
}

/* Finds out whose the code is, and keeps it for the lines of reports. */
static bool find_whose(tfp_around *c)
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

bool tfp_around_start(tfp_around *c)
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
    for (unsigned i = 0; i < TFP_ASKS; i++) {
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

void tfp_around_free(tfp_around *c)
{
    tfp_whose_free(&c->whose);
    tfp_vec_free(&c->path);
    tfp_vec_free(&c->others);
    tfp_arena_free(&c->arena);
}
