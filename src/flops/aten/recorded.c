// SPDX-License-Identifier: Apache-2.0
/* flops/aten/recorded.c: float operations of calls that were recorded without times (model/recorded.h), where nodes were made
 * of them: each node has the sum of its calls. As in a trace an operator with a formula counts for all that it calls, and
 * one that is made of others only when none of those counts. */
#include "flops/aten/aten.h"

typedef struct counter {
    tfp_profile *p;
    tfp_recorded_op *ops;
    int64_t *flops;   /* by op; TFP_ATEN_UNKNOWN */
    uint8_t *covered; /* by op: an operator around it counts */
    uint8_t *below;   /* by op: one inside it counts */
    tfp_aten_call call;
} counter;

static const tfp_aten_rule *rule_of(const counter *c, uint32_t op)
{
    return c->ops[op].scope || c->ops[op].root ? NULL : tfp_aten_find(tfp_text(c->p, c->ops[op].name));
}

static void work_out(counter *c, uint32_t op)
{
    const tfp_recorded_op *x = &c->ops[op];
    const tfp_aten_rule *rule = rule_of(c, op);
    c->flops[op] = TFP_ATEN_UNKNOWN;
    if (!rule || !rule->count || x->node == TFP_NONE) return;
    if (!tfp_aten_read(&c->call, tfp_text(c->p, x->dims), tfp_text(c->p, x->types), tfp_text(c->p, x->values))) return;
    c->flops[op] = rule->count(&c->call, rule).flops;
}

/* Rows come as calls end: what is inside a call stands before it. */
static void count_file(counter *c, uint32_t first, uint32_t end)
{
    for (uint32_t i = end; i-- > first;) { /* what is around a call first */
        uint32_t above = c->ops[i].above;
        const tfp_aten_rule *around = above == TFP_NONE || above <= i ? NULL : rule_of(c, above);
        work_out(c, i);
        if (above == TFP_NONE || above <= i) continue;
        c->covered[i] = c->covered[above] || (around && !around->parts && c->flops[above] >= 0);
    }
    for (uint32_t i = first; i < end; i++) {
        const tfp_aten_rule *rule = rule_of(c, i);
        bool counts = c->flops[i] >= 0 && !c->covered[i] && !(rule && rule->parts && c->below[i]);
        uint32_t above = c->ops[i].above;
        if (above != TFP_NONE && above > i) c->below[above] |= counts || c->below[i];
        if (!counts) continue;
        tfp_node *n = &c->p->nodes.at[c->ops[i].node];
        n->float_ops = tfp_add(n->float_ops, c->flops[i], NULL);
    }
}

bool tfp_aten_count_recorded(tfp_profile *p)
{
    tfp_recorded_tables *t = &p->recorded;
    if (!t->alone || t->counted == t->files.size) return true;
    counter c = { .p = p, .ops = t->ops.at };
    c.flops = calloc(t->ops.size + 1, sizeof *c.flops);
    c.covered = calloc(t->ops.size + 1, 1);
    c.below = calloc(t->ops.size + 1, 1);
    bool ok = c.flops && c.covered && c.below;
    for (; ok && t->counted < t->files.size; t->counted++)
        count_file(&c, t->counted ? t->files.at[t->counted - 1] : 0, t->files.at[t->counted]);
    free(c.flops);
    free(c.covered);
    free(c.below);
    return ok;
}
