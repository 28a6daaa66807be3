// SPDX-License-Identifier: Apache-2.0
/* flops/aten/recorded.c: float operations of calls that were recorded without times (model/recorded.h), where nodes
 * were made of them: each node has the sum of its calls. As in a trace (work.c), the count of an operator with a
 * formula includes all calls inside it, and an operator composed of others counts only when none of those does. Calls
 * of one node with the same arguments become one instruction with a number of runs. */
#include "flops/aten/aten.h"
#include "model/recorded.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"

enum { STATE_BITS = 3 };
_Static_assert(TFP_ATEN_NO_FORMULA < 1 << STATE_BITS, "a state fits");

typedef struct call_key {
    tfp_strid name, dims, types, values;
} call_key;

typedef struct call_set { /* calls with the same name and arguments */
    call_key key;
    const tfp_aten_rule *rule;
    tfp_aten_cost cost;
} call_set;

typedef struct counter {
    tfp_profile *p;
    tfp_recorded_op *ops;
    TFP_VEC(call_set) sets;
    tfp_map64 set_by_hash, instruction_of; /* hash -> index in sets; node, set and state -> index in instructions */
    uint32_t *set;                         /* for each op: index in sets; TFP_NONE: no operator */
    tfp_aten_place *place;                 /* for each op */
    int64_t *runs;                         /* for each op: runs of one run of the program */
    int64_t *total;                        /* for each op: float operations of its bodies */
    bool *loop;                            /* for each op: it is a loop whose iterations are not known */
    tfp_aten_call call;
} counter;

static tfp_aten_cost work_out(counter *c, const call_set *set)
{
    tfp_aten_cost unknown = { TFP_ATEN_UNKNOWN, TFP_ATEN_UNKNOWN, TFP_ATEN_UNKNOWN }, none = { 0, 0, 0 };
    tfp_str dims = tfp_text(c->p, set->key.dims), types = tfp_text(c->p, set->key.types);
    if (set->rule && !set->rule->count) return none;
    if (!tfp_aten_read(&c->call, dims, types, tfp_text(c->p, set->key.values))) return unknown;
    tfp_aten_cost cost = set->rule ? set->rule->count(&c->call, set->rule) : unknown;
    if (cost.flops < 0) cost.bytes = tfp_aten_input_bytes(&c->call); /* a lower bound: the inputs */
    return cost;
}

/* Returns an index into `sets`; TFP_NONE when memory runs out. */
static uint32_t set_of(counter *c, const tfp_recorded_op *x)
{
    call_set set = { .key = { x->name, x->dims, x->types, x->values } };
    uint64_t hash = tfp_hash(&set.key, sizeof set.key);
    for (uint32_t at; (at = tfp_map64_get(&c->set_by_hash, hash)) != TFP_NONE; hash++)
        if (memcmp(&c->sets.at[at].key, &set.key, sizeof set.key) == 0) return at;
    uint32_t at = (uint32_t)c->sets.size;
    if (at >= TFP_NONE >> STATE_BITS) return TFP_NONE;
    set.rule = tfp_aten_find(tfp_text(c->p, x->name));
    set.cost = work_out(c, &set);
    return tfp_push(&c->sets, set) && tfp_map64_put(&c->set_by_hash, hash, at) ? at : TFP_NONE;
}

static bool find_sets(counter *c, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        c->set[i] = TFP_NONE;
        if (c->ops[i].node == TFP_NONE) continue;
        if ((c->set[i] = set_of(c, &c->ops[i])) == TFP_NONE) return false;
        c->place[i].known = c->sets.at[c->set[i]].cost.flops >= 0;
    }
    return true;
}

/* Rows are in the order in which calls end, so inner calls come before the outer one. */
static uint32_t around(const counter *c, uint32_t op)
{
    uint32_t above = c->ops[op].above;
    return above == TFP_NONE || above <= op ? TFP_NONE : above;
}

static void find_places(counter *c, uint32_t first, uint32_t end)
{
    for (uint32_t i = end; i-- > first;) { /* outer calls first */
        uint32_t above = around(c, i);
        if (above == TFP_NONE) continue;
        const tfp_aten_rule *rule = c->set[above] == TFP_NONE ? NULL : c->sets.at[c->set[above]].rule;
        bool counts = rule && rule->count && !rule->parts && c->place[above].known;
        c->place[i].covered = c->place[above].covered || counts;
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t above = around(c, i);
        if (above == TFP_NONE) continue;
        const tfp_aten_place *at = &c->place[i];
        const tfp_aten_rule *rule = c->set[i] == TFP_NONE ? NULL : c->sets.at[c->set[i]].rule;
        c->place[above].any_below |= at->any_below || at->known;
        c->place[above].counted_below |= at->counted_below || (at->known && rule && rule->count);
    }
}

static tfp_aten_state state_of(const counter *c, uint32_t op)
{
    const call_set *set = &c->sets.at[c->set[op]];
    if (c->ops[op].body == TFP_BODY_CALL) return TFP_ATEN_PARTS;
    return tfp_aten_state_of(tfp_text(c->p, set->key.name), set->rule, &c->place[op]);
}

/* How often bodies run: of branches the one with the most float operations, of loops their iterations. Rows of bodies and
 * what is in them come after their call. */
static bool find_runs(counter *c, uint32_t first, uint32_t end)
{
    uint32_t *best = NULL;
    bool any = false;
    for (uint32_t i = first; i < end; i++) c->runs[i] = 1, any |= c->ops[i].body != TFP_BODY_NONE;
    if (!any) return true;
    if (!(best = malloc((end - first + (size_t)1) * sizeof *best))) return false;
    for (uint32_t i = first; i < end; i++) best[i - first] = TFP_NONE, c->total[i] = 0;
    for (uint32_t i = end; i-- > first;) {
        const tfp_recorded_op *x = &c->ops[i];
        uint32_t chosen = best[i - first], above = x->above;
        if (chosen != TFP_NONE) c->total[i] = tfp_add(c->total[i], c->total[chosen], NULL);
        if (c->set[i] != TFP_NONE && state_of(c, i) == TFP_ATEN_COUNTED)
            c->total[i] = tfp_add(c->total[i], c->sets.at[c->set[i]].cost.flops, NULL);
        if (x->body == TFP_BODY_LOOP && x->trips >= 0) c->total[i] = tfp_mul(c->total[i], x->trips, NULL);
        if (above == TFP_NONE || above < first || above >= i) continue;
        uint32_t *rival = &best[above - first];
        if (x->body != TFP_BODY_BRANCH)
            c->total[above] = tfp_add(c->total[above], c->total[i], NULL);
        else if (*rival == TFP_NONE || c->total[i] >= c->total[*rival])
            *rival = i;
    }
    for (uint32_t i = first; i < end; i++) {
        const tfp_recorded_op *x = &c->ops[i];
        if (x->above == TFP_NONE || x->above < first || x->above >= i) continue;
        c->runs[i] = c->runs[x->above];
        if (x->body == TFP_BODY_LOOP && x->trips < 0) c->loop[x->above] = true;
        if (x->body == TFP_BODY_BRANCH && best[x->above - first] != i) c->runs[i] = 0;
        if (x->body == TFP_BODY_LOOP && x->trips >= 0) c->runs[i] = tfp_mul(c->runs[i], x->trips, NULL);
    }
    free(best);
    return true;
}

static bool add_instruction(counter *c, uint32_t op, tfp_aten_state state)
{
    const tfp_recorded_op *x = &c->ops[op];
    uint64_t key = (uint64_t)x->node << 32 | c->set[op] << STATE_BITS | (uint32_t)state;
    uint32_t at = tfp_map64_get(&c->instruction_of, key);
    if (at != TFP_NONE) {
        int64_t *runs = &c->p->instructions->at[at].runs;
        *runs = tfp_add(*runs, c->runs[op], NULL);
        return true;
    }
    const tfp_aten_cost *cost = &c->sets.at[c->set[op]].cost;
    bool counts = state == TFP_ATEN_COUNTED, parts = state == TFP_ATEN_PARTS;
    tfp_instruction made = { .name = c->p->graph->nodes.at[x->node].name,
                             .node = x->node,
                             .runs = c->runs[op],
                             .float_ops = counts ? cost->flops : 0,
                             .macs = counts && cost->macs > 0 ? cost->macs : 0,
                             .bytes = parts ? TFP_ATEN_UNKNOWN : cost->bytes,
                             .inside = state == TFP_ATEN_INSIDE,
                             .counted = state != TFP_ATEN_NO_SHAPE && state != TFP_ATEN_NO_FORMULA,
                             .trips_unknown = c->loop[op] };
    made.own_float_ops = made.float_ops;
    made.own_macs = made.macs;
    at = (uint32_t)c->p->instructions->size;
    return tfp_push(c->p->instructions, made) && tfp_map64_put(&c->instruction_of, key, at);
}

static bool count_file(counter *c, uint32_t first, uint32_t end)
{
    if (!find_sets(c, first, end)) return false;
    find_places(c, first, end);
    if (!find_runs(c, first, end)) return false;
    for (uint32_t i = first; i < end; i++) {
        if (c->set[i] == TFP_NONE) continue;
        const call_set *set = &c->sets.at[c->set[i]];
        tfp_aten_state state = state_of(c, i);
        tfp_node *n = &c->p->graph->nodes.at[c->ops[i].node];
        if (state == TFP_ATEN_COUNTED)
            n->float_ops = tfp_add(n->float_ops, tfp_mul(set->cost.flops, c->runs[i], NULL), NULL);
        if (c->p->reads & TFP_READS_PROGRAM && !add_instruction(c, i, state)) return false;
    }
    return true;
}

bool tfp_aten_count_recorded(tfp_profile *p)
{
    tfp_recorded_tables *t = p->recorded;
    if (!t->alone || t->counted == t->files.size) return true;
    counter c = { .p = p, .ops = t->ops.at };
    c.set = malloc((t->ops.size + 1) * sizeof *c.set);
    c.place = calloc(t->ops.size + 1, sizeof *c.place);
    c.runs = malloc((t->ops.size + 1) * sizeof *c.runs);
    c.total = malloc((t->ops.size + 1) * sizeof *c.total);
    c.loop = calloc(t->ops.size + 1, sizeof *c.loop);
    bool ok = c.set && c.place && c.runs && c.total && c.loop;
    for (; ok && t->counted < t->files.size; t->counted++)
        ok = count_file(&c, t->counted ? t->files.at[t->counted - 1] : 0, t->files.at[t->counted]);
    free(c.set);
    free(c.place);
    free(c.runs);
    free(c.total);
    free(c.loop);
    tfp_map64_free(&c.set_by_hash);
    tfp_map64_free(&c.instruction_of);
    tfp_vec_free(&c.sets);
    return ok;
}
