// SPDX-License-Identifier: Apache-2.0
/* flops/aten/work.c: the cost of a trace's calls, with each piece of work counted once. The count of an operator with a formula
 * includes the calls inside it; an operator composed of others (linear, conv2d) counts only when none of those was recorded.
 * Calls with the same name and the same arguments are worked out once. */
#include "flops/aten/aten.h"
#include "model/model.h"

enum { BELOW_ANY = 1, BELOW_COUNTED = 2, COVER_KNOWN = 4, STRONG = 8 };

typedef struct worker {
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_aten_work *out;
    tfp_strid dims, types, values;
    const tfp_aten_rule **rule; /* by string: the operator's */
    uint8_t *looked;            /* by string: whether its rule was looked up */
    uint8_t *flags;             /* by span */
    tfp_map64 set_by_call;      /* name << 32 | stats -> out->sets */
    TFP_VEC(tfp_aten_set) sets;
    TFP_VEC(uint32_t) path;
    tfp_aten_call call;
} worker;

bool tfp_aten_recorded(const tfp_profile *p)
{
    return p->events.spans.size && tfp_strtab_find(&p->strings, TFP_STR("Input Dims")) != TFP_NONE;
}

/* ---- one call ---- */

static const tfp_aten_rule *rule_of(worker *x, tfp_strid name)
{
    if (!x->looked[name]) {
        x->looked[name] = 1;
        x->rule[name] = tfp_aten_find(tfp_text(x->p, name));
    }
    return x->rule[name];
}

static tfp_str stat_text(const worker *x, const tfp_stat_set *set, tfp_strid key)
{
    for (uint32_t i = 0; i < set->count && key != TFP_NONE; i++) {
        const tfp_stat *stat = &x->p->events.stats.at[set->first + i];
        if (stat->key == key && stat->type == TFP_STAT_TEXT) return tfp_text(x->p, (tfp_strid)stat->value.text);
    }
    return (tfp_str){ "", 0 };
}

static tfp_aten_set work_out(worker *x, const tfp_aten_rule *rule, uint32_t stats)
{
    tfp_aten_set set = { { TFP_ATEN_UNKNOWN, TFP_ATEN_UNKNOWN, TFP_ATEN_UNKNOWN }, TFP_FLOAT_OTHER };
    if (stats == TFP_NONE) return set;
    const tfp_stat_set *s = &x->p->events.stat_sets.at[stats];
    if (!tfp_aten_read(&x->call, stat_text(x, s, x->dims), stat_text(x, s, x->types), stat_text(x, s, x->values)))
        return set;
    set.type = tfp_aten_type(&x->call);
    if (rule) set.cost = rule->count(&x->call, rule);
    if (set.cost.flops < 0) set.cost.bytes = tfp_aten_input_bytes(&x->call); /* a lower bound: the inputs */
    return set;
}

/* Returns an index into out->sets; TFP_NONE when memory runs out. */
static uint32_t set_of(worker *x, uint32_t span, const tfp_aten_rule *rule)
{
    uint64_t key = (uint64_t)x->s->name[span] << 32 | x->s->stats[span];
    uint32_t at = tfp_map64_get(&x->set_by_call, key);
    if (at != TFP_NONE) return at;
    tfp_aten_set none = { { 0, 0, 0 }, TFP_FLOAT_OTHER };
    tfp_aten_set set = rule && !rule->count ? none : work_out(x, rule, x->s->stats[span]);
    at = (uint32_t)x->sets.size;
    return tfp_push(&x->sets, set) && tfp_map64_put(&x->set_by_call, key, at) ? at : TFP_NONE;
}

/* ---- the spans around and inside a call ---- */

/* Marks every span around this one as containing an operator with a formula. */
static void mark_above(worker *x, uint32_t span, uint8_t bits)
{
    for (uint32_t at = x->s->parent[span]; at != TFP_NONE && (x->flags[at] & bits) != bits; at = x->s->parent[at])
        x->flags[at] |= bits;
}

/* Finds the outermost counted operator around a span. The answer is kept for every span on the way, so that all spans
 * together cost one walk. */
static bool find_cover(worker *x, uint32_t span)
{
    uint32_t at = span, cover = TFP_NONE;
    for (x->path.size = 0; at != TFP_NONE && !(x->flags[at] & COVER_KNOWN); at = x->s->parent[at])
        if (!tfp_push(&x->path, at)) return false;
    if (at != TFP_NONE) cover = x->out->cover[at] == TFP_NONE && x->flags[at] & STRONG ? at : x->out->cover[at];
    while (x->path.size) {
        at = x->path.at[--x->path.size];
        x->flags[at] |= COVER_KNOWN;
        x->out->cover[at] = cover;
        if (cover == TFP_NONE && x->flags[at] & STRONG) cover = at;
    }
    return true;
}

/* ---- the passes ---- */

static bool known(const worker *x, uint32_t span) { return x->sets.at[x->out->set[span]].cost.flops >= 0; }

static bool find_costs(worker *x)
{
    for (uint32_t i = 0; i < x->s->size; i++) {
        x->out->set[i] = x->out->cover[i] = TFP_NONE;
        if (x->s->kind[i] != TFP_SPAN_OP) continue;
        const tfp_aten_rule *rule = rule_of(x, x->s->name[i]);
        if ((x->out->set[i] = set_of(x, i, rule)) == TFP_NONE) return false;
        if (rule && rule->count && !rule->parts && known(x, i)) x->flags[i] |= STRONG;
    }
    return true;
}

static void find_parts(worker *x)
{
    for (uint32_t i = 0; i < x->s->size; i++) {
        if (x->out->set[i] == TFP_NONE || !known(x, i)) continue;
        mark_above(x, i, rule_of(x, x->s->name[i])->count ? BELOW_ANY | BELOW_COUNTED : BELOW_ANY);
    }
}

/* Nodes of autograd's graph only wrap the operators they call; a name without a namespace is no operator. */
static bool is_frame(tfp_str name)
{
    tfp_str autograd = TFP_STR("autograd::"), torch = TFP_STR("torch::autograd::");
    if (!tfp_str_has(name, TFP_STR("::")) || tfp_str_has(name, TFP_STR("Backward0"))) return true;
    return (name.size > autograd.size && memcmp(name.data, autograd.data, autograd.size) == 0) ||
           (name.size > torch.size && memcmp(name.data, torch.data, torch.size) == 0);
}

tfp_aten_state tfp_aten_state_of(tfp_str name, const tfp_aten_rule *rule, const tfp_aten_place *at)
{
    if (at->covered) return TFP_ATEN_INSIDE;
    if (!rule) return at->any_below || is_frame(name) ? TFP_ATEN_PARTS : TFP_ATEN_NO_FORMULA;
    if (at->known && !(rule->parts && at->counted_below)) return TFP_ATEN_COUNTED;
    return at->counted_below ? TFP_ATEN_PARTS : TFP_ATEN_NO_SHAPE;
}

static tfp_aten_state state_of(worker *x, uint32_t i)
{
    if (x->s->kind[i] != TFP_SPAN_OP) return TFP_ATEN_NONE;
    const tfp_aten_rule *rule = rule_of(x, x->s->name[i]);
    tfp_aten_place at = { .covered = x->out->cover[i] != TFP_NONE,
                          .known = known(x, i),
                          .any_below = x->flags[i] & BELOW_ANY,
                          .counted_below = x->flags[i] & BELOW_COUNTED };
    return tfp_aten_state_of(tfp_text(x->p, x->s->name[i]), rule, &at);
}

bool tfp_aten_work_out(const tfp_profile *p, tfp_aten_work *out)
{
    const tfp_strtab *strings = &p->strings;
    worker x = { .p = p,
                 .s = &p->events.spans,
                 .out = out,
                 .dims = tfp_strtab_find(strings, TFP_STR("Input Dims")),
                 .types = tfp_strtab_find(strings, TFP_STR("Input type")),
                 .values = tfp_strtab_find(strings, TFP_STR("Concrete Inputs")) };
    *out = (tfp_aten_work){ 0 };
    size_t count = x.s->size + 1;
    out->set = malloc(count * sizeof *out->set);
    out->cover = malloc(count * sizeof *out->cover);
    out->state = calloc(count, 1);
    x.flags = calloc(count, 1);
    x.rule = malloc((strings->count + 1) * sizeof *x.rule);
    x.looked = calloc(strings->count + 1, 1);
    bool ok = out->set && out->cover && out->state && x.flags && x.rule && x.looked && find_costs(&x);
    if (ok) find_parts(&x);
    for (uint32_t i = 0; ok && i < x.s->size; i++) {
        ok = find_cover(&x, i);
        if (ok) out->state[i] = (uint8_t)state_of(&x, i);
    }
    out->sets = x.sets.at;
    free(x.flags);
    free(x.rule);
    free(x.looked);
    tfp_map64_free(&x.set_by_call);
    tfp_vec_free(&x.path);
    if (!ok) tfp_aten_work_free(out);
    return ok;
}

void tfp_aten_work_free(tfp_aten_work *w)
{
    free(w->set);
    free(w->cover);
    free(w->state);
    free(w->sets);
    *w = (tfp_aten_work){ 0 };
}

/* ---- executions ---- */

static uint32_t outside_step(const tfp_profile *p)
{
    for (uint32_t i = 0; i < p->steps.size; i++)
        if (!p->steps.at[i].listed && p->steps.at[i].id < 0) return i;
    return TFP_NONE;
}

/* ---- what graphs replay: calls that the capture recorded ---- */

enum { CALLS_AROUND = 64 }; /* ops around a launch that may have a count */

void tfp_aten_count_captured(tfp_graph_tables *g, const tfp_profile *p, const tfp_aten_work *w, size_t from)
{
    for (size_t i = from; i < g->launches.size; i++) {
        tfp_captured_launch *l = &g->launches.at[i];
        uint32_t op = l->span;
        for (unsigned k = 0; op != TFP_NONE && w->state[op] != TFP_ATEN_COUNTED; k++)
            op = k < CALLS_AROUND ? p->events.spans.parent[op] : TFP_NONE;
        if (op == TFP_NONE) continue;
        l->counted = (uint32_t)(g->counted + op);
        l->float_ops = w->sets[w->set[op]].cost.flops;
    }
}

typedef struct sums {
    const tfp_profile *p;
    tfp_map64 by_step; /* node << 32 | step -> executions; made when a node's are not asked for in their order */
    bool indexed;
    uint32_t *last; /* by node: the execution that was asked for last; TFP_NONE */
    uint32_t outside;
    int64_t *of; /* by execution */
} sums;

static bool index_execs(sums *x)
{
    const tfp_profile *p = x->p;
    for (uint32_t node = 0; !x->indexed && node < p->nodes.size; node++)
        for (TFP_EACH(execs, e, p->nodes.at[node].exec_first, p))
            if (!tfp_map64_put(&x->by_step, (uint64_t)node << 32 | p->execs.at[e].step, e)) return false;
    return x->indexed = true;
}

/* Most spans come in the order of steps, as the executions of a node do. False without memory. */
static bool find_exec(sums *x, uint32_t node, uint32_t step, uint32_t *exec)
{
    const tfp_profile *p = x->p;
    uint32_t last = x->last[node], first = p->nodes.at[node].exec_first;
    if (last != TFP_NONE && p->execs.at[last].step == step) return *exec = last, true;
    uint32_t next = last == TFP_NONE ? first : p->execs.at[last].next;
    if (next == TFP_NONE || p->execs.at[next].step != step) next = first;
    *exec = next;
    if (next != TFP_NONE && p->execs.at[next].step != step) {
        if (!index_execs(x)) return false;
        *exec = tfp_map64_get(&x->by_step, (uint64_t)node << 32 | step);
    }
    if (*exec != TFP_NONE) x->last[node] = *exec;
    return true;
}

static bool add_sum(sums *x, uint32_t span, int64_t flops)
{
    const tfp_span_columns *s = &x->p->events.spans;
    uint32_t step = s->step[span] == TFP_NONE ? x->outside : s->step[span], exec;
    if (s->node[span] == TFP_NONE) return true;
    if (!find_exec(x, s->node[span], step, &exec)) return false;
    if (exec != TFP_NONE) x->of[exec] = tfp_add(x->of[exec], flops, NULL);
    return true;
}

/* The captured launch that an activity certainly is, and that has a count; NULL. */
static const tfp_captured_launch *counted_launch(const tfp_event_tables *t, uint32_t span)
{
    if (t->spans.attribution[span] == TFP_NONE) return NULL;
    const tfp_attribution *a = &t->attributions.at[t->spans.attribution[span]];
    bool sure = a->certainty == TFP_SURE_BY_UNIQUE || a->certainty == TFP_SURE_BY_ORDER;
    if (!sure || a->captured == TFP_NONE) return NULL;
    const tfp_captured_launch *l = &t->graphs.launches.at[a->captured];
    return l->counted == TFP_NONE ? NULL : l;
}

/* Whether the kernels of each captured call come launch by launch. latest: by call, one above a launch; of zeros. */
static bool in_order(const tfp_event_tables *t, uint32_t *latest)
{
    for (uint32_t i = 0; i < t->spans.size; i++) {
        const tfp_captured_launch *l = counted_launch(t, i);
        if (l && t->spans.launch[i] + 1 < latest[l->counted]) return false;
        if (l) latest[l->counted] = t->spans.launch[i] + 1;
    }
    return true;
}

/* A captured call counts once a replay, however many kernels it launched. */
static bool add_replays(sums *x)
{
    const tfp_event_tables *t = &x->p->events;
    size_t calls = t->graphs.counted + t->spans.size + 1;
    if (!t->graphs.launches.size) return true;
    tfp_map64 seen = { 0 }; /* launch and call, where they come in no order */
    uint32_t *latest = calloc(calls, sizeof *latest);
    bool ok = latest != NULL, ordered = ok && in_order(t, latest);
    if (ok) memset(latest, 0, calls * sizeof *latest);
    for (uint32_t i = 0; ok && i < t->spans.size; i++) {
        const tfp_captured_launch *l = counted_launch(t, i);
        if (!l || t->spans.launch[i] + 1 == latest[l->counted]) continue;
        uint64_t key = (uint64_t)t->spans.launch[i] << 32 | l->counted;
        latest[l->counted] = t->spans.launch[i] + 1;
        if (!ordered && tfp_map64_get(&seen, key) != TFP_NONE) continue;
        ok = (ordered || tfp_map64_put(&seen, key, 0)) && add_sum(x, i, l->float_ops);
    }
    tfp_map64_free(&seen);
    free(latest);
    return ok;
}

static bool add_calls(sums *x, tfp_graph_tables *g)
{
    tfp_aten_work w = { 0 };
    const tfp_span_columns *s = &x->p->events.spans;
    if (!tfp_aten_recorded(x->p)) return true;
    if (!tfp_aten_work_out(x->p, &w)) return false;
    tfp_aten_count_captured(g, x->p, &w, g->file_launches); /* the trace is its own capture */
    for (size_t i = g->file_launches; i < g->launches.size; i++) { /* a captured call computes nothing */
        uint32_t op = g->launches.at[i].counted;
        if (op != TFP_NONE) w.state[op - g->counted] = TFP_ATEN_INSIDE;
    }
    bool ok = true;
    for (uint32_t i = 0; i < s->size; i++)
        ok = ok && (w.state[i] != TFP_ATEN_COUNTED || add_sum(x, i, w.sets[w.set[i]].cost.flops));
    tfp_aten_work_free(&w);
    return ok;
}

bool tfp_aten_count_execs(tfp_profile *p)
{
    sums x = { .p = p, .outside = outside_step(p) };
    if (!tfp_aten_recorded(p) && !p->events.graphs.launches.size) return true;
    x.of = calloc(p->execs.size + 1, sizeof *x.of);
    x.last = malloc((p->nodes.size + 1) * sizeof *x.last);
    bool ok = x.of && x.last;
    if (ok) memset(x.last, 0xff, p->nodes.size * sizeof *x.last); /* TFP_NONE */
    ok = ok && add_calls(&x, &p->events.graphs) && add_replays(&x);
    for (size_t i = 0; ok && i < p->execs.size; i++)
        if (x.of[i]) p->execs.at[i].float_ops = x.of[i];
    free(x.of);
    free(x.last);
    tfp_map64_free(&x.by_step);
    return ok;
}
