// SPDX-License-Identifier: Apache-2.0
/* flops/aten/work.c: the cost of a trace's calls, with each piece of work counted once. The count of an operator with a
 * formula includes the calls inside it; an operator composed of others (linear, conv2d) counts only when none of those
 * was recorded. Calls with the same name and the same arguments are worked out once. */
#include "flops/aten/aten.h"
#include "flops/aten/captured.h"
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"

enum { BELOW_ANY = 1, BELOW_COUNTED = 2, COVER_KNOWN = 4, STRONG = 8 };

typedef struct worker {
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_aten_work *out;
    tfp_strid dims, types, values;
    const tfp_aten_rule **rule; /* for each string: the rule of the operator of that name */
    uint8_t *looked;            /* for each string: whether its rule was looked up */
    uint8_t *flags;             /* for each span */
    tfp_map64 set_by_call;      /* name << 32 | stats -> index in out->sets */
    TFP_VEC(tfp_aten_set) sets;
    TFP_VEC(uint32_t) path;
    tfp_aten_call call;
} worker;

bool tfp_aten_has_shapes(const tfp_profile *p)
{
    return tfp_events_of(p)->spans.size && tfp_strtab_find(tfp_strings_of(p), TFP_STR("Input Dims")) != TFP_NONE;
}

bool tfp_aten_recorded(const tfp_profile *p) { return tfp_aten_has_shapes(p) || tfp_captures_of(p)->calls.size; }

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
        const tfp_stat *stat = &tfp_events_of(x->p)->stats.at[set->first + i];
        if (stat->key == key && stat->type == TFP_STAT_TEXT) return tfp_text(x->p, (tfp_strid)stat->value.text);
    }
    return (tfp_str){ "", 0 };
}

static tfp_aten_set work_out(worker *x, const tfp_aten_rule *rule, uint32_t stats)
{
    tfp_aten_set set = { { TFP_ATEN_UNKNOWN, TFP_ATEN_UNKNOWN, TFP_ATEN_UNKNOWN }, TFP_FLOAT_OTHER };
    if (stats == TFP_NONE) return set;
    const tfp_stat_set *s = &tfp_events_of(x->p)->stat_sets.at[stats];
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

/* Finds the outermost counted operator around a span. The answer is kept for every span on the way, so that all
 * searches together visit each span once. */
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
    const tfp_strtab *strings = tfp_strings_of(p);
    worker x = { .p = p,
                 .s = &tfp_events_of(p)->spans,
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

/* ---- calls while a graph was captured, and the first activity of each in each replay ---- */

_Static_assert(TFP_FLOAT_TYPES == (int)TFP_CALL_TYPES && TFP_ATEN_NO_FORMULA + 1 == (int)TFP_CALL_STATES,
               "the model knows how many there are");

enum { CALLS_AROUND = 64 }; /* how many ops around a launch are searched for a count */

/* The innermost operator with a count around a launch, else the innermost operator; TFP_NONE: none. */
static uint32_t operator_of(const tfp_profile *p, const tfp_aten_work *w, uint32_t span)
{
    uint32_t nearest = TFP_NONE;
    for (unsigned k = 0; span != TFP_NONE && k < CALLS_AROUND; k++, span = tfp_events_of(p)->spans.parent[span]) {
        if (w->state[span] == TFP_ATEN_COUNTED) return span;
        if (nearest == TFP_NONE && w->state[span] != TFP_ATEN_NONE) nearest = span;
    }
    return nearest;
}

static tfp_captured_call call_of(const tfp_aten_work *w, uint32_t span, bool own)
{
    const tfp_aten_set *set = &w->sets[w->set[span]];
    return (tfp_captured_call){ .float_ops = set->cost.flops,
                                .macs = set->cost.macs,
                                .bytes = set->cost.bytes,
                                .span = own ? span : TFP_NONE,
                                .type = (uint8_t)set->type,
                                .state = w->state[span] };
}

bool tfp_aten_count_captured(tfp_graph_tables *g, const tfp_profile *p, const tfp_aten_work *w, size_t from, bool own)
{
    tfp_map64 by_span = { 0 };
    bool ok = true;
    for (size_t i = from; ok && i < g->launches.size; i++) {
        tfp_captured_launch *l = &g->launches.at[i];
        uint32_t span = operator_of(p, w, l->span);
        if (span == TFP_NONE) continue;
        l->call = tfp_map64_get(&by_span, span);
        if (l->call != TFP_NONE) continue;
        l->call = (uint32_t)g->calls.size;
        ok = tfp_push(&g->calls, call_of(w, span, own)) && tfp_map64_put(&by_span, span, l->call);
    }
    tfp_map64_free(&by_span);
    return ok;
}

void tfp_aten_leave_captured(const tfp_profile *p, tfp_aten_work *w)
{
    const tfp_graph_tables *g = tfp_captures_of(p);
    for (size_t i = 0; i < g->calls.size; i++)
        if (g->calls.at[i].span != TFP_NONE) w->state[g->calls.at[i].span] = TFP_ATEN_INSIDE;
}

/* ---- replays ---- */

static uint32_t call_at(const tfp_profile *p, uint32_t span)
{
    const tfp_event_tables *t = tfp_events_of(p);
    if (!tfp_captures_of(p)->calls.size || t->spans.attribution[span] == TFP_NONE || t->spans.launch[span] == TFP_NONE)
        return TFP_NONE;
    const tfp_attribution *a = &t->attributions.at[t->spans.attribution[span]];
    bool sure = a->certainty == TFP_SURE_BY_UNIQUE || a->certainty == TFP_SURE_BY_ORDER;
    return sure ? a->call : TFP_NONE;
}

const tfp_captured_call *tfp_replayed_call(const tfp_profile *p, uint32_t span)
{
    uint32_t call = call_at(p, span);
    return call == TFP_NONE ? NULL : &tfp_captures_of(p)->calls.at[call];
}

/* Whether the kernels of each call come launch by launch. */
static bool in_order(const tfp_profile *p, uint32_t *latest)
{
    for (uint32_t i = 0; i < tfp_events_of(p)->spans.size; i++) {
        uint32_t call = call_at(p, i);
        if (call == TFP_NONE) continue;
        if (tfp_events_of(p)->spans.launch[i] + 1 < latest[call]) return false;
        latest[call] = tfp_events_of(p)->spans.launch[i] + 1;
    }
    return true;
}

bool tfp_replayed_begin(const tfp_profile *p, tfp_replayed *r)
{
    size_t calls = tfp_captures_of(p)->calls.size + 1;
    *r = (tfp_replayed){ .p = p, .latest = calloc(calls, sizeof *r->latest) };
    if (!r->latest) return false;
    r->ordered = in_order(p, r->latest);
    memset(r->latest, 0, calls * sizeof *r->latest);
    return true;
}

bool tfp_replayed_first(tfp_replayed *r, uint32_t span, int *first)
{
    uint32_t call = call_at(r->p, span), launch = tfp_events_of(r->p)->spans.launch[span];
    uint64_t key = (uint64_t)launch << 32 | call;
    *first = call != TFP_NONE && r->latest[call] != launch + 1;
    if (!*first) return true;
    r->latest[call] = launch + 1;
    if (r->ordered) return true;
    *first = tfp_map64_get(&r->seen, key) == TFP_NONE;
    return tfp_map64_put(&r->seen, key, 0);
}

void tfp_replayed_end(tfp_replayed *r)
{
    free(r->latest);
    tfp_map64_free(&r->seen);
}
