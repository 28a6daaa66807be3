// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/nodes.c: adds the instructions of an HLO module to the profile as nodes with edges, shapes and call
 * stacks. Instructions with the same place are one node. Edges only lead from nodes that were added earlier, so the
 * graph has no cycles, whatever names the instructions have. */
#include "formats/hlo/hlo.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"

#define OUTPUTS_MOST 256 /* most outputs of a tuple */

/* Whether an instruction only renames data: edges pass through it to the instruction that made the data. */
static bool is_plumbing(const tfp_builder *b, const tfp_hlo_instruction *i)
{
    static const char *const names[] = { "bitcast",     "get-tuple-element",    "parameter", "tuple",  "constant",
                                         "opt-barrier", "optimization-barrier", "after-all", "domain", "add-dependency",
                                         "copy-done" };
    tfp_str opcode = tfp_text(b->p, i->opcode);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (tfp_str_eq(opcode, tfp_str_of(names[k]))) return true;
    return false;
}

typedef struct grapher {
    tfp_builder *b;
    const tfp_hlo_module *m;
    bool of_trace;
    uint32_t *node; /* for each instruction: its node; TFP_NONE: it has none */
    tfp_hlo_runs r;
    uint32_t *seen; /* for each node: the last consumer that took it, so that each edge is added once */
    TFP_VEC(uint32_t) stack;
    /* how many more renaming instructions may be passed: without a limit, tuples of thousands of values with thousands
     * of users would take quadratic time */
    size_t budget;
} grapher;

/* Whether the instructions of a computation are nodes. With a trace, only those that run by themselves. Otherwise those
 * in fusions and calls too, but not the functions of reductions, sorts and the like. */
static bool is_open(const grapher *g, uint32_t computation)
{
    const tfp_hlo_computation *c = &g->m->computations.at[computation];
    if (!c->fused) return true;
    uint32_t caller = g->r.caller[computation];
    if (g->of_trace || caller == TFP_NONE) return false;
    const tfp_hlo_instruction *i = &g->m->instructions.at[caller];
    return tfp_hlo_is(g->b, i, "fusion") || tfp_hlo_is(g->b, i, "call") || tfp_hlo_is(g->b, i, "async-start");
}

/* ---- nodes ---- */

/* Whether its float operations are only the sum of inner instructions that are nodes themselves. */
static bool is_sum(const grapher *g, const tfp_hlo_instruction *i)
{
    for (uint32_t k = 0; k < i->called_count; k++) {
        uint32_t c = g->m->links.at[i->called_first + k];
        if (c != TFP_NONE && is_open(g, c)) return true;
    }
    return false;
}

static void add_instruction(const grapher *g, const tfp_hlo_instruction *i, uint32_t node)
{
    uint32_t row = (uint32_t)(i - g->m->instructions.at);
    bool sum = is_sum(g, i), call = tfp_hlo_is(g->b, i, "call") && g->r.alone[i->computation];
    tfp_instruction n = { .name = i->name,
                          .module = g->m->name,
                          .opcode = tfp_hlo_what(g->b, g->m, row),
                          .node = node,
                          .runs = g->r.runs[i->computation],
                          .float_ops = call ? 0 : i->cost.flops,
                          .macs = call ? 0 : i->cost.macs,
                          .own_float_ops = sum ? 0 : i->cost.flops,
                          .own_macs = sum ? 0 : i->cost.macs,
                          .bytes = i->cost.bytes,
                          .inside = !g->r.alone[i->computation],
                          .counted = i->cost.counted || call,
                          .trips_unknown = tfp_hlo_is(g->b, i, "while") && i->trips < 0 };
    tfp_build_keep(g->b, tfp_push(g->b->p->instructions, n));
}

/* Adds one output for each array in the result of the first instruction that is this node. */
static void add_outputs(const grapher *g, uint32_t node, const tfp_hlo_instruction *i)
{
    if (i->shape == TFP_NONE) return;
    const tfp_hlo_shape *s = &g->m->shapes.at[i->shape];
    for (uint32_t k = 0; k < s->count && k < OUTPUTS_MOST && !g->b->status; k++) {
        const tfp_hlo_array *a = &g->m->arrays.at[s->first + k];
        const int64_t *dims = a->dim_count ? g->m->dims.at + a->dim_first : NULL;
        uint32_t shape = tfp_build_shape(g->b, dims, a->dim_count, a->dim_count == 0);
        if (shape != TFP_NONE) tfp_build_output(g->b, node, (int32_t)k, shape);
    }
}

static void add_node(grapher *g, uint32_t at)
{
    const tfp_hlo_instruction *i = &g->m->instructions.at[at];
    tfp_builder *b = g->b;
    tfp_hlo_where w =
        tfp_hlo_place_of(b, tfp_text(b->p, i->op_name), tfp_text(b->p, g->m->name), tfp_text(b->p, i->name));
    if (i->parameter >= 0) w.op = i->opcode; /* the op name is the name of an argument */
    uint32_t node = b->status ? TFP_NONE : tfp_named_node(b->p, w.path);
    bool fresh = node == TFP_NONE;
    if (fresh) node = tfp_build_node(b, tfp_text(b->p, w.path), tfp_text(b->p, w.op), true);
    if (node == TFP_NONE) return;
    g->node[at] = node;
    tfp_node *n = tfp_build_row(b, node);
    if (fresh) add_outputs(g, node, i);
    n = tfp_build_row(b, node);
    if (n->trace == TFP_NONE) n->trace = tfp_hlo_trace(b, g->m, i);
    if (n->trace != TFP_NONE) tfp_build_has(b, TFP_HAS_CODE);
    if (g->of_trace) return;
    int64_t own = is_sum(g, i) ? 0 : i->cost.flops;
    n->float_ops = tfp_add(n->float_ops, tfp_mul(own, g->r.runs[i->computation], NULL), NULL);
    if (b->p->reads & TFP_READS_PROGRAM) add_instruction(g, i, node);
}

/* ---- edges ---- */

/* Finds the sources of a value, passing through renaming instructions, and pushes those that are nodes. */
static void push_source(grapher *g, uint32_t at)
{
    if (at != TFP_NONE && g->budget) {
        g->budget--;
        tfp_build_keep(g->b, tfp_push(&g->stack, at));
    }
}

static void push_behind(grapher *g, uint32_t at)
{
    const tfp_hlo_module *m = g->m;
    const tfp_hlo_instruction *i = &m->instructions.at[at];
    if (i->parameter >= 0) { /* the value comes from the one instruction that calls this computation */
        uint32_t caller = m->computations.at[i->computation].fused ? g->r.caller[i->computation] : TFP_NONE;
        if (caller == TFP_NONE || (uint32_t)i->parameter >= m->instructions.at[caller].operand_count) return;
        push_source(g, m->links.at[m->instructions.at[caller].operand_first + (uint32_t)i->parameter]);
        return;
    }
    for (uint32_t k = 0; k < i->operand_count; k++) push_source(g, m->links.at[i->operand_first + k]);
}

static void add_edge(grapher *g, uint32_t node, uint32_t source, int32_t *position)
{
    if (source >= node || g->seen[source] == node) return;
    g->seen[source] = node;
    tfp_build_input(g->b, node, (*position)++, tfp_build_row(g->b, source)->name, 0);
}

static void add_edges(grapher *g, uint32_t at)
{
    const tfp_hlo_module *m = g->m;
    const tfp_hlo_instruction *i = &m->instructions.at[at];
    uint32_t node = g->node[at];
    tfp_input_edge *last = NULL;
    uint32_t last_input = tfp_build_row(g->b, node)->input_last;
    if (tfp_build_row(g->b, node)->input_first != TFP_NONE) last = &g->b->p->graph->inputs.at[last_input];
    int32_t position = last ? last->position + 1 : 0;
    g->stack.size = 0;
    for (uint32_t k = 0; k < i->called_count; k++) { /* the result of a called computation goes to its caller */
        uint32_t c = m->links.at[i->called_first + k];
        if (c != TFP_NONE && is_open(g, c)) push_source(g, m->computations.at[c].root);
    }
    push_behind(g, at);
    while (g->stack.size && !g->b->status) {
        uint32_t source = g->stack.at[--g->stack.size];
        if (g->node[source] != TFP_NONE)
            add_edge(g, node, g->node[source], &position);
        else
            push_behind(g, source);
    }
}

/* ---- all of it ---- */

/* Parameters of the entry are nodes if the module is a file of its own: they are its inputs. */
static bool is_node(const grapher *g, const tfp_hlo_instruction *i)
{
    if (!is_open(g, i->computation)) return false;
    if (!is_plumbing(g->b, i)) return true;
    return !g->of_trace && i->parameter >= 0 && i->computation == g->m->entry;
}

static bool start(grapher *g)
{
    size_t instructions = g->m->instructions.size;
    g->node = malloc((instructions + 1) * sizeof *g->node);
    if (!g->node || !tfp_hlo_runs_new(g->b, g->m, &g->r)) return false;
    memset(g->node, 0xff, (instructions + 1) * sizeof *g->node); /* TFP_NONE */
    g->budget = 1000 + 8 * (instructions + g->m->links.size);
    return true;
}

void tfp_hlo_build_nodes(tfp_builder *b, const tfp_hlo_module *m, bool of_trace)
{
    grapher g = { .b = b, .m = m, .of_trace = of_trace };
    size_t count = m->instructions.size;
    if (b->status) return;
    bool fine = start(&g);
    if (fine) {
        for (int rest = 0; rest < 2; rest++) /* inputs come first, so that edges can lead from them */
            for (uint32_t i = 0; i < count && !b->status; i++)
                if ((m->instructions.at[i].parameter < 0) == rest && is_node(&g, &m->instructions.at[i]))
                    add_node(&g, i);
        g.seen = malloc((b->p->graph->nodes.size + 1) * sizeof *g.seen);
        fine = g.seen != NULL;
        if (fine) memset(g.seen, 0xff, (b->p->graph->nodes.size + 1) * sizeof *g.seen);
        for (uint32_t i = 0; fine && i < count && !b->status; i++)
            if (g.node[i] != TFP_NONE) add_edges(&g, i);
        if (!g.budget) tfp_build_warn(b, "edges of a module beyond the limit, left out", tfp_text(b->p, m->name));
    }
    tfp_build_keep(b, fine);
    free(g.node);
    tfp_hlo_runs_free(&g.r);
    free(g.seen);
    tfp_vec_free(&g.stack);
    tfp_build_has(b, TFP_HAS_GRAPH);
}
