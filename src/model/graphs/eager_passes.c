// SPDX-License-Identifier: Apache-2.0
/* model/graphs/eager_passes.c: the passes of a run without graphs: its steps; else from one call of its first outermost module to the next;
 * else all of it. In: a joined trace. Out: rows of the builder's tables. */
#include "model/graphs/around.h"
#include "model/graphs/eager.h"
#include "model/tables/step_marks.h"

#define STACKS                                                                                                         \
    "its launches have neither Python frames nor modules: record it with torch.profiler.profile(with_stack=True, "     \
    "with_modules=True)"

typedef struct runner {
    tfp_builder *b;
    tfp_around around;
    const tfp_span_columns *s;
    TFP_VEC(uint32_t) items; /* activities */
    TFP_VEC(uint32_t) calls; /* of the first outermost module, by start */
    uint64_t *key;           /* for each span */
    uint64_t *pass;          /* for each span: the number of its pass; UINT64_MAX: none */
} runner;

tfp_strid tfp_eager_name(tfp_builder *b, tfp_str name)
{
    tfp_str plain = tfp_kernel_plain(name);
    if (tfp_str_begins(plain, TFP_STR("triton_"))) plain = tfp_kernel_stem(plain);
    return tfp_build_made_string(b, plain);
}

bool tfp_eager_phases(const tfp_profile *p, tfp_map64 *out)
{
    for (size_t i = 0; i < p->events->windows.size; i++) {
        const tfp_step_window *w = &p->events->windows.at[i];
        if (!tfp_map64_put(out, (uint64_t)w->process << 32 | w->step, w->phase)) return false;
    }
    return true;
}

static uint32_t from_of(const runner *x, uint32_t span) { return x->s->launch[span]; }

/* Refuses a run that itself replays graphs. */
static tfp_status check(runner *x, const tfp_profile *p, tfp_error *err)
{
    double all = 0, lost = 0;
    size_t launched = 0;
    for (uint32_t i = 0; i < x->s->size; i++) {
        if (x->s->kind[i] != TFP_SPAN_ACTIVITY || x->s->launch[i] == TFP_NONE) continue;
        bool graph = tfp_is_graph_launch(tfp_text(p, x->s->name[x->s->launch[i]]));
        launched += !graph;
        all += (double)x->s->self_ns[i];
        if (graph && tfp_span_attribution(p, i).certainty == TFP_SURE_BY_NONE) lost += (double)x->s->self_ns[i];
    }
    if (lost > all / 2)
        return tfp_fail(
            err, TFP_BADFILE,
            "runs under CUDA or HIP graphs itself: record the run without them (SGLang: --disable-cuda-graph; "
            "vLLM: enforce_eager=True)");
    return launched ? TFP_OK : tfp_fail(err, TFP_BADFILE, "no activity of a device with its launch");
}

static bool by_start(runner *x, uint32_t *items, size_t count, bool launches)
{
    for (size_t i = 0; i < count; i++)
        x->key[items[i]] = (uint64_t)x->s->start_ns[launches ? from_of(x, items[i]) : items[i]] ^ UINT64_C(1) << 63;
    return tfp_sort_keys(items, count, x->key);
}

/* Finds the calls of the first outermost module. */
static bool find_calls(runner *x)
{
    uint32_t first = TFP_NONE;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < x->s->size; i++) {
            if (x->s->kind[i] != TFP_SPAN_MODULE) continue;
            uint32_t up = x->s->parent[i];
            if (tfp_ask(&x->around, TFP_ASK_MODULES, i) == 0) continue;
            if (up != TFP_NONE && tfp_ask(&x->around, TFP_ASK_MODULES, up)) continue;
            if (!round && (first == TFP_NONE || x->s->start_ns[i] < x->s->start_ns[first])) first = i;
            if (round && x->s->name[i] == x->s->name[first] && !tfp_push(&x->calls, i)) return false;
        }
    return by_start(x, x->calls.at, x->calls.size, false);
}

/* Sets the pass of each activity. */
static bool find_passes(runner *x, const tfp_profile *p)
{
    bool steps = false, marked = p->events->step_marks.size; /* else all of it is one step */
    for (size_t i = 0; i < x->items.size && marked && !steps; i++)
        steps = x->s->step[from_of(x, x->items.at[i])] != TFP_NONE;
    if (!steps && !find_calls(x)) return false;
    for (size_t i = 0; i < x->items.size; i++) {
        uint32_t span = x->items.at[i], from = from_of(x, span), step = x->s->step[from];
        uint64_t pass = 0;
        if (steps)
            pass = step == TFP_NONE ? UINT64_MAX : (uint64_t)p->lanes->at[x->s->lane[from]].process << 32 | step;
        else if (x->calls.size) {
            size_t at;
            TFP_LOWER_BOUND(at, 0, x->calls.size, x->s->start_ns[x->calls.at[at]] <= x->s->start_ns[from]);
            pass = at ? at : UINT64_MAX;
        }
        x->pass[span] = pass;
    }
    return by_start(x, x->items.at, x->items.size, true) && tfp_sort_keys(x->items.at, x->items.size, x->pass);
}

static bool add(runner *x, const tfp_profile *p, uint32_t span)
{
    uint32_t launch = from_of(x, span);
    tfp_captured_launch l = { .span = launch, .call = TFP_NONE };
    tfp_around_place(&x->around, launch, x->s->parent[launch], &l);
    uint32_t op = tfp_ask(&x->around, TFP_ASK_OP, x->s->parent[launch]);
    tfp_str name = tfp_text(p, x->s->name[span]);
    l.sign.kernel = tfp_eager_name(x->b, name);
    l.sign.kind = (uint8_t)tfp_kind_of_name(name);
    if (op != TFP_AROUND_NOTHING) l.sign.family = (uint8_t)tfp_family_of_op(tfp_text(p, x->s->name[op]));
    return !x->b->status && tfp_push(&x->b->p->captures->eager, l);
}

static bool same(const tfp_captured_launch *a, const tfp_captured_launch *b)
{
    return memcmp(&a->sign, &b->sign, sizeof a->sign) == 0 && a->place == b->place && a->line == b->line &&
           a->trace == b->trace;
}

/* Adds the launches from `first` on as a pass, unless there is an equal one. */
static bool add_pass(tfp_graph_tables *g, uint32_t first, unsigned phase)
{
    tfp_eager_pass pass = { .first = first, .count = (uint32_t)g->eager.size - first, .phase = (uint8_t)phase };
    for (size_t i = 0; i < g->passes.size; i++) {
        const tfp_eager_pass *p = &g->passes.at[i];
        bool equal = p->count == pass.count && p->phase == pass.phase;
        for (uint32_t k = 0; equal && k < p->count; k++)
            equal = same(&g->eager.at[p->first + k], &g->eager.at[first + k]);
        if (equal) return g->eager.size = first, true;
    }
    return !pass.count || tfp_push(&g->passes, pass);
}

static bool has_places(const tfp_graph_tables *g, size_t from)
{
    bool differ = false, any = false;
    for (size_t i = from; i < g->eager.size; i++) {
        const tfp_captured_launch *a = &g->eager.at[from], *l = &g->eager.at[i];
        any |= l->line || l->modules;
        differ |= l->line != a->line || l->modules != a->modules;
    }
    return any && (differ || g->eager.size == from + 1);
}

static bool collect(runner *x, const tfp_profile *p)
{
    tfp_graph_tables *g = x->b->p->captures;
    tfp_map64 phases = { 0 };
    bool ok = tfp_eager_phases(p, &phases);
    for (uint32_t i = 0; ok && i < x->s->size; i++)
        if (x->s->kind[i] == TFP_SPAN_ACTIVITY && x->s->launch[i] != TFP_NONE &&
            !tfp_is_graph_launch(tfp_text(p, x->s->name[x->s->launch[i]])))
            ok = tfp_push(&x->items, i);
    ok = ok && find_passes(x, p);
    for (size_t i = 0, end; ok && i < x->items.size; i = end) {
        uint64_t pass = x->pass[x->items.at[i]];
        uint32_t first = (uint32_t)g->eager.size, phase = tfp_map64_get(&phases, pass);
        for (end = i; ok && end < x->items.size && x->pass[x->items.at[end]] == pass; end++)
            ok = pass == UINT64_MAX || add(x, p, x->items.at[end]);
        ok = ok && (pass == UINT64_MAX || add_pass(g, first, phase == TFP_NONE ? 0 : phase));
    }
    tfp_map64_free(&phases);
    return ok;
}

tfp_status tfp_eager_collect(tfp_builder *b, const tfp_profile *from, tfp_error *err)
{
    const tfp_span_columns *s = &from->events->spans;
    runner x = { .b = b, .s = s, .around = { .b = b, .p = from, .s = s, .begin_ns = INT64_MAX } };
    size_t first = b->p->captures->eager.size;
    tfp_status status = check(&x, from, err);
    if (status) return status;
    x.key = malloc((s->size + 1) * sizeof *x.key);
    x.pass = malloc((s->size + 1) * sizeof *x.pass);
    bool ok = x.key && x.pass && tfp_around_start(&x.around) && collect(&x, from);
    if (!ok) status = tfp_nomem(err);
    if (!status && !has_places(b->p->captures, first)) status = tfp_fail(err, TFP_BADFILE, STACKS);
    free(x.key);
    free(x.pass);
    tfp_vec_free(&x.items);
    tfp_vec_free(&x.calls);
    tfp_around_free(&x.around);
    return status;
}
