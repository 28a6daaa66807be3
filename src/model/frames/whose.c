// SPDX-License-Identifier: Apache-2.0
/* model/frames/whose.c: what the spans of a trace show about whose code its frames are: packages in which modules of the model live,
 * and functions that watch ops. In: spans with their nesting. Out: facts, by which frames get their bits. */
#include "model/frames/whose.h"
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

enum { WATCHED = 3 }; /* a function that calls so many ops, each with the same function inside, watches them */

/* What the name of a frame says: bits. */
enum { LOOKED_AT = 1, FRAME = 2, CALLS_MODULE = 4, CALLS_OP = 8, FORWARD = 16 };
/* What is around a span: bits. */
enum { UNDER_MODULE = 1, UNDER_CALL = 2, UNDER_OP = 4 };

typedef struct watcher { /* a function, and the first function inside of the ops that it calls */
    uint32_t caller, inner;
    uint32_t ops[WATCHED]; /* their names */
    uint32_t count;
} watcher;

typedef struct gatherer {
    tfp_whose *w;
    const tfp_profile *p;
    const tfp_span_columns *s;
    const tfp_nest *n;
    tfp_nest own;     /* when the caller has none */
    uint8_t *name_is; /* for each string */
    uint8_t *around;  /* for each span */
    uint32_t *caller; /* for each span: the name of the frame that calls the op, or of the innermost frame */
    TFP_VEC(watcher) watchers;
    tfp_map64 watcher_by_names;
} gatherer;

static uint64_t key_of(tfp_str file, tfp_str function)
{
    uint64_t words[] = { tfp_hash(file.data, file.size), tfp_hash(function.data, function.size) };
    return tfp_hash(words, sizeof words);
}

static bool is_known(const tfp_whose *w, tfp_str file, tfp_str function)
{
    return w && w->facts.count && tfp_map64_get(&w->facts, key_of(file, function)) != TFP_NONE;
}

static bool add(tfp_whose *w, tfp_str file, tfp_str function)
{
    if (is_known(w, file, function)) return true;
    return tfp_push(&w->seen, ((tfp_code_seen){ file, function })) &&
           tfp_map64_put(&w->facts, key_of(file, function), 0);
}

/* ---- frames ---- */

/* Whether torch calls ops, or what stands in for them, in this file. */
static bool is_file_of_ops(tfp_str file)
{
    static const char *const parts[] = { "torch/_ops.py", "torch/_library/", "torch/overrides.py" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t at = tfp_str_find(file, tfp_str_of(parts[i]));
        if (at != SIZE_MAX && (!at || file.data[at - 1] == '/')) return true;
    }
    return false;
}

bool tfp_whose_opens(const tfp_whose *w, tfp_str file, tfp_str function)
{
    return tfp_str_eq(function, TFP_STR("__torch_function__")) || tfp_str_eq(function, TFP_STR("__torch_dispatch__")) ||
           (function.size && is_known(w, file, function));
}

unsigned tfp_whose_frame(const tfp_whose *w, tfp_str file, tfp_str function)
{
    tfp_code_kind kind = tfp_code_kind_of(file);
    bool own = kind == TFP_CODE_OWN || (kind == TFP_CODE_INSTALLED && is_known(w, tfp_package_of(file), TFP_STR("")));
    bool op = is_file_of_ops(file) || tfp_whose_opens(w, file, function);
    return (own ? TFP_FRAME_OWN : 0) | (op ? TFP_FRAME_OP : 0) | (tfp_is_known_library(file) ? 0 : TFP_FRAME_LAST);
}

/* ---- facts of a trace ---- */

static bool frame_of(const gatherer *g, uint32_t name, tfp_python_frame *f)
{
    return tfp_python_frame_of(tfp_text(g->p, name), f);
}

static unsigned look_at(const gatherer *g, uint32_t name)
{
    tfp_python_frame f;
    unsigned known = g->name_is[name];
    if (known) return known;
    g->name_is[name] = LOOKED_AT;
    if (!frame_of(g, name, &f)) return LOOKED_AT;
    bool calls = tfp_str_eq(f.function, TFP_STR("_call_impl")) || tfp_str_eq(f.function, TFP_STR("_wrapped_call_impl"));
    bool forward = tfp_str_eq(f.function, TFP_STR("forward")) && tfp_code_kind_of(f.file) == TFP_CODE_INSTALLED;
    bool op = is_file_of_ops(f.file) && tfp_str_ends(f.file, TFP_STR("torch/_ops.py"));
    known = LOOKED_AT | FRAME | (calls ? CALLS_MODULE : 0) | (op ? CALLS_OP : 0) | (forward ? FORWARD : 0);
    g->name_is[name] = (uint8_t)known;
    return known;
}

static uint32_t watcher_of(gatherer *g, uint32_t caller, uint32_t inner)
{
    uint64_t key = (uint64_t)caller << 32 | inner;
    uint32_t at = tfp_map64_get(&g->watcher_by_names, key);
    if (at != TFP_NONE) return at;
    at = (uint32_t)g->watchers.size;
    bool ok =
        tfp_push(&g->watchers, ((watcher){ caller, inner, { 0 }, 0 })) && tfp_map64_put(&g->watcher_by_names, key, at);
    return ok ? at : TFP_NONE;
}

/* The first frame inside of an op, which the frame `caller` calls: a tool that watches ops has both in one file. */
static bool note_inner(gatherer *g, uint32_t caller, uint32_t span)
{
    tfp_python_frame outer, inner;
    uint32_t op = g->n->parent[span];
    while (op != TFP_NONE && g->s->kind[op] != TFP_SPAN_OP) op = g->n->parent[op];
    if (op == TFP_NONE || !frame_of(g, caller, &outer) || !frame_of(g, g->s->name[span], &inner)) return true;
    if (!tfp_str_eq(outer.file, inner.file)) return true;
    uint32_t at = watcher_of(g, caller, g->s->name[span]);
    if (at == TFP_NONE) return false;
    watcher *w = &g->watchers.at[at];
    for (uint32_t i = 0; i < w->count; i++)
        if (w->ops[i] == g->s->name[op]) return true;
    if (w->count == WATCHED) return true;
    w->ops[w->count++] = g->s->name[op];
    return w->count < WATCHED || add(g->w, outer.file, outer.function);
}

static bool visit_frame(gatherer *g, uint32_t span, unsigned around, uint32_t caller)
{
    uint32_t name = g->s->name[span];
    unsigned is = look_at(g, name);
    tfp_python_frame f;
    g->around[span] = (uint8_t)around;
    g->caller[span] = caller;
    if (!(is & FRAME)) return true; /* a built-in: as if it were not there */
    if (around & UNDER_MODULE && is & FORWARD && frame_of(g, name, &f) &&
        !add(g->w, tfp_package_of(f.file), TFP_STR("")))
        return false;
    g->around[span] = is & CALLS_MODULE ? around & UNDER_MODULE : 0;
    if (around & UNDER_OP && !note_inner(g, caller, span)) return false;
    if (!(around & UNDER_OP) && caller != TFP_NONE && (is & CALLS_OP || around & UNDER_CALL))
        g->around[span] |= UNDER_CALL; /* of the op that `caller` calls, perhaps through a function of torch */
    else
        g->caller[span] = name;
    return true;
}

static bool visit(gatherer *g, uint32_t span)
{
    uint32_t parent = g->n->parent[span], caller = parent == TFP_NONE ? TFP_NONE : g->caller[parent];
    unsigned around = parent == TFP_NONE ? 0 : g->around[parent];
    if (g->s->kind[span] == TFP_SPAN_FRAME) return visit_frame(g, span, around, caller);
    g->around[span] = (uint8_t)around;
    g->caller[span] = caller;
    if (g->s->kind[span] == TFP_SPAN_MODULE) g->around[span] |= UNDER_MODULE;
    if (g->s->kind[span] != TFP_SPAN_OP) return true;
    g->around[span] = (uint8_t)((around & UNDER_MODULE) | (around & UNDER_CALL ? UNDER_OP : 0));
    if (!(around & UNDER_CALL)) g->caller[span] = TFP_NONE;
    return true;
}

/* Whether any name of a frame may give a fact. */
static bool is_worth(const gatherer *g)
{
    for (uint32_t i = 0; i < g->s->size; i++)
        if (g->s->kind[i] == TFP_SPAN_FRAME && look_at(g, g->s->name[i]) & (CALLS_OP | FORWARD)) return true;
    return false;
}

static bool gather(gatherer *g)
{
    tfp_arena arena = { 0 };
    g->around = calloc(g->s->size + 1, sizeof *g->around);
    g->caller = malloc((g->s->size + 1) * sizeof *g->caller);
    bool ok = g->around && g->caller && (g->n || tfp_nest_of(g->p, &arena, &g->own));
    if (!g->n) g->n = &g->own;
    for (uint32_t k = 0; ok && k < g->s->size; k++) ok = visit(g, g->n->order[k]);
    tfp_arena_free(&arena);
    return ok;
}

bool tfp_whose_gather(tfp_whose *w, const tfp_profile *p, const tfp_nest *n)
{
    gatherer g = { .w = w, .p = p, .s = &p->events->spans, .n = n, .name_is = calloc(p->strings.count + 1, 1) };
    bool ok = g.name_is && (!is_worth(&g) || gather(&g));
    free(g.name_is);
    free(g.around);
    free(g.caller);
    tfp_vec_free(&g.watchers);
    tfp_map64_free(&g.watcher_by_names);
    return ok;
}

bool tfp_whose_kept(tfp_whose *w, const tfp_profile *p)
{
    bool ok = true;
    for (size_t i = 0; ok && i < p->code->seen.size; i++)
        ok = add(w, tfp_text(p, p->code->seen.at[i].file), tfp_text(p, p->code->seen.at[i].function));
    return ok;
}

void tfp_whose_free(tfp_whose *w)
{
    tfp_map64_free(&w->facts);
    tfp_vec_free(&w->seen);
}
