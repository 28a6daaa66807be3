// SPDX-License-Identifier: Apache-2.0
/* flops/engine/count.c: turns shapes into counts: counts every node of every instance, adds instances up from callees
 * to callers, distributes runs from callers to callees, and fills the table of a body's nodes from the instances that
 * run. */
#include "base/dtype.h"
#include "flops/engine/engine.h"

static int64_t tensor_bytes(const tfp_known *k)
{
    if (k->dtype == TFP_DT_RESOURCE || k->dtype == TFP_DT_VARIANT) return 0; /* a handle */
    int bytes = tfp_type_bytes(k->dtype);
    return bytes ? tfp_times(tfp_elements(k->shape), bytes) : TFP_UNKNOWN;
}

static int64_t moved_bytes(const tfp_op *op, tfp_moves moves)
{
    if (!op->in_count || moves == TFP_MOVES_NOTHING) return 0;
    int64_t sum = 0;
    for (uint32_t i = 0; i < op->out_count; i++) sum = tfp_plus(sum, tensor_bytes(&op->out[i]));
    if (moves == TFP_MOVES_OUTPUTS) return tfp_times(2, sum);
    for (uint32_t i = 0; i < op->in_count; i++) sum = tfp_plus(sum, tensor_bytes(&op->in[i]));
    return sum;
}

typedef struct summer { /* of one instance */
    tfp_engine *e;
    tfp_instance *x;
    const tfp_body *b;
    size_t child;   /* children are in the order of the calling nodes */
    int64_t *flops; /* per local: float operations of one execution, with what it calls; NULL: not wanted */
    bool no_memory;
} summer;

static void sum(int64_t *to, int64_t n) { *to = tfp_plus(*to, n); }

static void add_total(tfp_work *to, const tfp_work *t, int64_t times)
{
    sum(&to->flops, tfp_times(t->flops, times));
    sum(&to->macs, tfp_times(t->macs, times));
    sum(&to->bytes, tfp_times(t->bytes, times));
    sum(&to->ops, t->ops);
    sum(&to->counted, t->counted);
    to->loops_unknown |= t->loops_unknown;
}

/* Combines the branches so far with the next one: the work of the most expensive branch, the operations of all. */
static tfp_work costlier(const tfp_work *so_far, const tfp_work *next, bool more)
{
    tfp_work t = more ? *next : *so_far;
    t.ops = tfp_plus(so_far->ops, next->ops);
    t.counted = tfp_plus(so_far->counted, next->counted);
    t.loops_unknown = so_far->loops_unknown || next->loops_unknown;
    return t;
}

/* Returns the work of the functions that one execution of a call runs. Sets how often each child runs. */
static tfp_work called_total(summer *s, uint32_t local, const tfp_op *op, int64_t *trips, bool *all)
{
    size_t first = s->child;
    const tfp_local *l = &s->b->locals[local];
    const tfp_instance *called[2] = { NULL, NULL };
    tfp_child *branch = NULL; /* the branch whose operations count */
    tfp_work t = { 0 };
    *trips = 1;
    for (; s->child < s->x->children.size && s->x->children.at[s->child].local == local; s->child++) {
        tfp_child *c = &s->x->children.at[s->child];
        const tfp_instance *x = &s->e->instances.at[c->instance];
        if (l->call->kind == TFP_CALL_WHILE || l->call->kind == TFP_CALL_FOR) {
            called[c->call & 1] = x;
        } else if (l->call->kind == TFP_CALL_BRANCH) {
            bool more = !branch || (t.flops >= 0 && (x->total.flops < 0 || x->total.flops > t.flops));
            t = costlier(&t, &x->total, more);
            c->times = more;
            if (more && branch) branch->times = 0;
            if (more) branch = c;
        } else {
            add_total(&t, &x->total, 1);
        }
    }
    *all = s->child - first == l->call_count;
    if (l->call->kind == TFP_CALL_WHILE && called[0] && called[1])
        *trips = tfp_while_trips(s->e, &(tfp_while){ called[0], called[1], op->in, op->in_count });
    else if (l->call->kind == TFP_CALL_WHILE || l->call->kind == TFP_CALL_FOR)
        *trips = TFP_UNKNOWN;
    for (int i = 0; i < 2; i++)
        if (called[i]) add_total(&t, &called[i]->total, *trips < 0 ? 1 : *trips);
    for (size_t k = first; k < s->child && !branch; k++) s->x->children.at[k].times = *trips < 0 ? 1 : *trips;
    if (*trips < 0) t.loops_unknown = true;
    return t;
}

static tfp_node_flops count_node(summer *s, uint32_t local, const tfp_op *op)
{
    const tfp_rule_set *rules = s->b->locals[local].rules;
    tfp_node_flops n = { .state = TFP_NO_FORMULA, .flops = TFP_UNKNOWN, .macs = TFP_UNKNOWN, .trips = 1 };
    if (s->e->source == TFP_FLOPS_TENSORFLOW) {
        if (s->x->body == 0 && rules->registered) {
            tfp_logged logged = tfp_registered_count(op, rules->registered);
            n.state = logged.state;
            if (n.state == TFP_COUNTED) n.flops = logged.flops, n.macs = 0;
        }
        return n;
    }
    tfp_cost (*count)(const tfp_op *) = rules->rule                ? rules->rule->count
                                        : s->b->locals[local].call ? tfp_count_zero
                                                                   : NULL;
    if (!count) return n;
    tfp_cost cost = count(op);
    n.state = cost.flops < 0 || cost.macs < 0 ? TFP_NO_SHAPE : TFP_COUNTED;
    if (n.state == TFP_COUNTED) n.flops = cost.flops, n.macs = cost.macs;
    return n;
}

/* ---- the table: what the instances of a body agree on, and the sum of their runs ---- */

/* Forgets dims and types in which the instances differ. */
static void keep_common(summer *s, tfp_node_flops *to, const tfp_op *op)
{
    tfp_op scratch = *op;
    for (uint32_t i = 0; i < op->out_count; i++) {
        if (tfp_dims_equal(to->outs[i].shape, op->out[i].shape)) continue;
        tfp_dims common = tfp_either(&scratch, to->outs[i].shape, op->out[i].shape);
        if (tfp_dims_equal(to->outs[i].shape, common)) continue;
        if (!to->common) {
            to->common = TFP_NEW(s->e->arena, tfp_known, op->out_count);
            if (!to->common) {
                s->no_memory = true;
                return;
            }
            memcpy(to->common, to->outs, op->out_count * sizeof *to->common);
            to->outs = to->common;
        }
        to->common[i] = (tfp_known){ .shape = common, .dtype = op->out[i].dtype };
    }
    s->no_memory |= scratch.no_memory;
}

static void add_runs(tfp_node_flops *to, const tfp_node_flops *n, const tfp_instance *x)
{
    int64_t runs = n->needed ? tfp_mul(x->runs, n->loop_runs, NULL) : 0;
    to->reached |= n->needed && x->reached;
    if (runs <= 0) return;
    to->runs = tfp_add(to->runs, runs, NULL);
    if (n->flops > 0) to->run_flops = tfp_add(to->run_flops, tfp_mul(n->flops, runs, NULL), NULL);
    if (n->macs > 0) to->run_macs = tfp_add(to->run_macs, tfp_mul(n->macs, runs, NULL), NULL);
    bool known = n->bytes >= 0 && to->run_bytes >= 0;
    to->run_bytes = known ? tfp_add(to->run_bytes, tfp_mul(n->bytes, runs, NULL), NULL) : TFP_UNKNOWN;
}

static void keep_node(summer *s, uint32_t local, const tfp_node_flops *n, const tfp_op *op)
{
    tfp_flops *f = s->e->f;
    uint32_t at = s->b->def->node_first + local - s->b->arg_count;
    tfp_node_flops *to = &f->nodes[at];
    if (!to->seen) {
        *to = *n;
        to->seen = true;
        to->outs = op->out;
        to->out_count = op->out_count;
        if (s->x->wrong) f->wrong[at] = s->x->wrong[local];
        add_runs(to, n, s->x);
        return;
    }
    add_runs(to, n, s->x);
    keep_common(s, to, op);
    if (to->state != n->state) {
        if (to->state != TFP_NO_FORMULA) to->state = TFP_NO_SHAPE;
        to->flops = to->macs = TFP_UNKNOWN;
        to->varies = false;
    } else if (to->state == TFP_COUNTED && (to->flops != n->flops || to->macs != n->macs)) {
        to->flops = to->macs = TFP_UNKNOWN;
        to->varies = true;
    }
    if (to->bytes != n->bytes) to->bytes = TFP_UNKNOWN;
    if (to->trips >= 0 && (n->trips < 0 || n->trips > to->trips)) to->trips = n->trips;
    to->all = n->all; /* for bodies the work of their calls is not needed */
}

/* Counts the nodes of an instance again if the counts are kept, because only then the number of runs is known. */
static void count_instance(summer *s, bool keep)
{
    tfp_engine *e = s->e;
    const tfp_loop_counts loops = s->x->loops;
    s->x->total = (tfp_work){ 0 };
    for (uint32_t k = 0; k < s->b->count && !s->no_memory; k++) {
        uint32_t local = s->b->order[k];
        tfp_op op;
        if (local < s->b->arg_count) continue;
        if (!tfp_op_of(e, s->b, s->x, local, &op)) s->no_memory = true;
        if (s->no_memory) return;
        tfp_node_flops n = count_node(s, local, &op);
        n.bytes = s->b->locals[local].call ? 0 : moved_bytes(&op, s->b->locals[local].rules->moves);
        n.all = (tfp_work){ .flops = n.flops > 0 ? n.flops : 0,
                            .macs = n.macs > 0 ? n.macs : 0,
                            .bytes = n.bytes > 0 ? n.bytes : 0 };
        if (e->source == TFP_FLOPS_TENSORFLOW) n.all.flops = n.state == TFP_COUNTED ? n.flops : 0;
        if (s->b->locals[local].call && e->source == TFP_FLOPS_OWN) {
            bool all;
            tfp_work t = called_total(s, local, &op, &n.trips, &all);
            add_total(&n.all, &t, 1);
            if (!all) { /* a recursive function, or one that is not in the file */
                n.state = TFP_NO_FORMULA;
                n.flops = n.macs = TFP_UNKNOWN;
                sum(&n.all.ops, 1);
            }
        } else {
            n.all.ops = 1;
            n.all.counted = n.state == TFP_COUNTED;
        }
        if (loops.unknown && loops.unknown[local]) {
            n.trips = TFP_UNKNOWN;
            s->x->total.loops_unknown |= !s->b->needed || s->b->needed[local];
        }
        n.loop_runs = loops.runs ? loops.runs[local] : 1;
        n.needed = !s->b->needed || s->b->needed[local];
        if (s->flops) s->flops[local] = n.needed ? n.all.flops : 0;
        if (!n.needed && e->source == TFP_FLOPS_OWN) {
            if (keep) keep_node(s, local, &n, &op);
            continue;
        }
        if (e->source == TFP_FLOPS_TENSORFLOW) /* its entries may be negative, and its loops count once */
            s->x->total.flops = tfp_add(s->x->total.flops, n.all.flops, NULL);
        else
            add_total(&s->x->total, &n.all, n.loop_runs);
        if (keep) keep_node(s, local, &n, &op);
        s->no_memory |= op.no_memory;
    }
}

/* Computes how often each instance runs in one execution of the main graph. */
static void spread_runs(tfp_engine *e)
{
    for (size_t k = e->finished.size; k-- > 0;) {
        const tfp_instance *x = &e->instances.at[e->finished.at[k]];
        const tfp_body *b = &e->bodies[x->body];
        for (size_t i = 0; x->used && x->reached && i < x->children.size; i++) {
            const tfp_child *c = &x->children.at[i];
            int64_t times = x->loops.runs ? tfp_mul(c->times, x->loops.runs[c->local], NULL) : c->times;
            if (b->needed && !b->needed[c->local]) continue;
            tfp_instance *called = &e->instances.at[c->instance];
            called->reached = true;
            called->runs = tfp_add(called->runs, tfp_mul(x->runs, times, NULL), NULL);
        }
    }
}

/* Counts the nodes of an instance, then again without the branches that do not run. */
static tfp_status count_branches(summer *s, tfp_error *err)
{
    bool ok = true;
    if (s->e->source == TFP_FLOPS_OWN && tfp_has_branches(s->e, s->b)) {
        ok = (s->flops = calloc((size_t)s->b->count + 1, sizeof *s->flops)) != NULL;
        if (ok) count_instance(s, false);
        ok = ok && !s->no_memory && tfp_branch_runs(s->e, s->x, s->flops, &s->x->loops);
        free(s->flops);
        s->flops = NULL;
        s->child = 0;
    }
    if (ok) count_instance(s, false);
    return ok && !s->no_memory ? TFP_OK : tfp_nomem(err);
}

/* Adds up each instance; those of the main graph are the total. */
static tfp_status sum_up(tfp_engine *e, tfp_error *err)
{
    for (size_t k = 0; k < e->finished.size; k++) {
        tfp_instance *x = &e->instances.at[e->finished.at[k]];
        summer s = { .e = e, .x = x, .b = &e->bodies[x->body] };
        if (!x->used) continue;
        if (!tfp_loop_runs(e, s.b, x, &x->loops)) return tfp_nomem(err);
        if (count_branches(&s, err)) return TFP_NOMEM;
        if (x->body) continue;
        e->f->total = x->total;
        x->runs = 1;
        x->reached = true;
    }
    return TFP_OK;
}

tfp_status tfp_count_all(tfp_engine *e, tfp_error *err)
{
    bool *reached = TFP_NEW(e->arena, bool, e->program->bodies.size + 1);
    tfp_status st = reached ? sum_up(e, err) : tfp_nomem(err);
    if (st) return st;
    spread_runs(e);
    for (size_t k = 0; k < e->finished.size; k++) {
        const tfp_instance *x = &e->instances.at[e->finished.at[k]];
        reached[x->body] |= x->used && x->reached;
    }
    for (size_t k = 0; k < e->finished.size; k++) {
        tfp_instance *x = &e->instances.at[e->finished.at[k]];
        summer s = { .e = e, .x = x, .b = &e->bodies[x->body] };
        if (!x->used || reached[x->body] != x->reached) continue;
        count_instance(&s, true);
        if (s.no_memory) return tfp_nomem(err);
    }
    return TFP_OK;
}
