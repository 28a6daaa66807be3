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

static bool add_instruction(counter *c, uint32_t op, tfp_aten_state state)
{
    const tfp_recorded_op *x = &c->ops[op];
    uint64_t key = (uint64_t)x->node << 32 | c->set[op] << STATE_BITS | (uint32_t)state;
    uint32_t at = tfp_map64_get(&c->instruction_of, key);
    if (at != TFP_NONE) {
        c->p->instructions->at[at].runs++;
        return true;
    }
    const tfp_aten_cost *cost = &c->sets.at[c->set[op]].cost;
    bool counts = state == TFP_ATEN_COUNTED, parts = state == TFP_ATEN_PARTS;
    tfp_instruction made = { .name = c->p->graph->nodes.at[x->node].name,
                             .node = x->node,
                             .runs = 1,
                             .float_ops = counts ? cost->flops : 0,
                             .macs = counts && cost->macs > 0 ? cost->macs : 0,
                             .bytes = parts ? TFP_ATEN_UNKNOWN : cost->bytes,
                             .inside = state == TFP_ATEN_INSIDE,
                             .counted = state != TFP_ATEN_NO_SHAPE && state != TFP_ATEN_NO_FORMULA };
    made.own_float_ops = made.float_ops;
    made.own_macs = made.macs;
    at = (uint32_t)c->p->instructions->size;
    return tfp_push(c->p->instructions, made) && tfp_map64_put(&c->instruction_of, key, at);
}

static bool count_file(counter *c, uint32_t first, uint32_t end)
{
    if (!find_sets(c, first, end)) return false;
    find_places(c, first, end);
    for (uint32_t i = first; i < end; i++) {
        if (c->set[i] == TFP_NONE) continue;
        const call_set *set = &c->sets.at[c->set[i]];
        tfp_aten_state state = tfp_aten_state_of(tfp_text(c->p, set->key.name), set->rule, &c->place[i]);
        tfp_node *n = &c->p->graph->nodes.at[c->ops[i].node];
        if (state == TFP_ATEN_COUNTED) n->float_ops = tfp_add(n->float_ops, set->cost.flops, NULL);
        if (c->p->keep & TFP_KEEP_PROGRAM && !add_instruction(c, i, state)) return false;
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
    bool ok = c.set && c.place;
    for (; ok && t->counted < t->files.size; t->counted++)
        ok = count_file(&c, t->counted ? t->files.at[t->counted - 1] : 0, t->files.at[t->counted]);
    free(c.set);
    free(c.place);
    tfp_map64_free(&c.set_by_hash);
    tfp_map64_free(&c.instruction_of);
    tfp_vec_free(&c.sets);
    return ok;
}
