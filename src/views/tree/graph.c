// SPDX-License-Identifier: Apache-2.0
/* views/tree/graph.c: nodes by dataflow: a node is below the first node that takes its output, depth first, beginning
 * with the nodes whose output no other node takes. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "views/core/engine.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"

typedef struct visit {
    uint32_t item, edge; /* edge: the input to continue with */
} visit;

typedef struct flow {
    const tfp_profile *p;
    uint32_t *nodes; /* for each item; items are numbered in the order in which they are reached */
    uint32_t *parent;
    size_t count;
    uint8_t *visited; /* for each node */
    visit *stack;
} flow;

static bool start(flow *f, tfp_arena *arena, const tfp_profile *p)
{
    size_t n = tfp_graph_of(p)->nodes.size;
    *f = (flow){ .p = p, .count = 1 };
    f->nodes = TFP_NEW(arena, uint32_t, n + 1);
    f->parent = TFP_NEW(arena, uint32_t, n + 1);
    f->visited = TFP_NEW(arena, uint8_t, n);
    f->stack = TFP_NEW(arena, visit, n + 1);
    if (!f->nodes || !f->parent || !f->visited || !f->stack) return false;
    f->nodes[0] = f->parent[0] = TFP_NONE;
    return true;
}

static uint32_t reach(flow *f, uint32_t node, uint32_t parent)
{
    f->visited[node] = 1;
    f->nodes[f->count] = node;
    f->parent[f->count] = parent;
    return (uint32_t)f->count++;
}

static void walk_from(flow *f, uint32_t root)
{
    const tfp_profile *p = f->p;
    if (f->visited[root]) return;
    size_t depth = 0;
    f->stack[depth++] = (visit){ reach(f, root, 0), tfp_graph_of(p)->nodes.at[root].input_first };
    while (depth) {
        visit *v = &f->stack[depth - 1];
        if (v->edge == TFP_NONE) {
            depth--;
            continue;
        }
        uint32_t source = tfp_graph_of(p)->inputs.at[v->edge].node;
        v->edge = tfp_graph_of(p)->inputs.at[v->edge].next;
        if (source == TFP_NONE || f->visited[source]) continue;
        f->stack[depth++] = (visit){ reach(f, source, v->item), tfp_graph_of(p)->nodes.at[source].input_first };
    }
}

/* Finds nodes that are no other node's input, in order of name. */
static bool find_roots(const tfp_profile *p, tfp_arena *arena, uint32_t **roots, size_t *count)
{
    size_t n = tfp_graph_of(p)->nodes.size;
    uint8_t *taken = TFP_NEW(arena, uint8_t, n);
    tfp_str *names = TFP_NEW(arena, tfp_str, n);
    *roots = TFP_NEW(arena, uint32_t, n);
    if (!taken || !names || !*roots) return false;
    for (size_t i = 0; i < n; i++)
        for (TFP_EACH(tfp_graph_of(p)->inputs, e, tfp_graph_of(p)->nodes.at[i].input_first))
            if (tfp_graph_of(p)->inputs.at[e].node != TFP_NONE) taken[tfp_graph_of(p)->inputs.at[e].node] = 1;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (taken[i]) continue;
        names[i] = tfp_text(p, tfp_graph_of(p)->nodes.at[i].name);
        (*roots)[(*count)++] = (uint32_t)i;
    }
    return tfp_sort_strings(*roots, *count, names);
}

/* ---- cycles that nothing leads into ---- */

/* Edges from a node to those that take its output, for nodes that cannot be reached from a root. */
typedef struct takers {
    uint32_t *start, *at; /* start: for each node, with one more element at the end */
} takers;

static bool find_takers(const flow *f, tfp_arena *arena, takers *t)
{
    const tfp_profile *p = f->p;
    size_t n = tfp_graph_of(p)->nodes.size, count = 0;
    t->start = TFP_NEW(arena, uint32_t, n + 2);
    if (!t->start) return false;
    for (size_t i = 0; i < n; i++)
        for (TFP_EACH(tfp_graph_of(p)->inputs, e, f->visited[i] ? TFP_NONE : tfp_graph_of(p)->nodes.at[i].input_first))
            if (tfp_graph_of(p)->inputs.at[e].node != TFP_NONE)
                t->start[tfp_graph_of(p)->inputs.at[e].node + 2]++, count++;
    for (size_t i = 2; i <= n + 1; i++) t->start[i] += t->start[i - 1];
    t->at = TFP_NEW(arena, uint32_t, count);
    if (!t->at) return false;
    for (size_t i = 0; i < n; i++)
        for (TFP_EACH(tfp_graph_of(p)->inputs, e, f->visited[i] ? TFP_NONE : tfp_graph_of(p)->nodes.at[i].input_first))
            if (tfp_graph_of(p)->inputs.at[e].node != TFP_NONE)
                t->at[t->start[tfp_graph_of(p)->inputs.at[e].node + 1]++] = (uint32_t)i;
    return true;
}

/* Lists the nodes in postorder of a walk along the inputs. Of cycles that lead into each other, the one without an
 * incoming edge comes last. */
static size_t leave_order(const flow *f, uint8_t *seen, uint32_t *order)
{
    const tfp_profile *p = f->p;
    size_t count = 0;
    for (size_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        size_t depth = 0;
        if (f->visited[i] || seen[i]) continue;
        seen[i] = 1;
        f->stack[depth++] = (visit){ (uint32_t)i, tfp_graph_of(p)->nodes.at[i].input_first };
        while (depth) {
            visit *v = &f->stack[depth - 1];
            if (v->edge == TFP_NONE) {
                order[count++] = v->item;
                depth--;
                continue;
            }
            uint32_t source = tfp_graph_of(p)->inputs.at[v->edge].node;
            v->edge = tfp_graph_of(p)->inputs.at[v->edge].next;
            if (source == TFP_NONE || seen[source] || f->visited[source]) continue;
            seen[source] = 1;
            f->stack[depth++] = (visit){ source, tfp_graph_of(p)->nodes.at[source].input_first };
        }
    }
    return count;
}

static bool before(const tfp_profile *p, uint32_t a, uint32_t b)
{
    return tfp_str_cmp(tfp_text(p, tfp_graph_of(p)->nodes.at[a].name), tfp_text(p, tfp_graph_of(p)->nodes.at[b].name)) <
           0;
}

/* The first by name of the nodes on cycles through `node` that nothing else leads into; `todo` has room for all nodes. */
static uint32_t first_on_cycle(const flow *f, const takers *t, uint32_t node, uint8_t *seen, uint32_t *todo)
{
    uint32_t first = node;
    size_t count = 0;
    seen[node] = 2;
    todo[count++] = node;
    while (count) {
        uint32_t at = todo[--count];
        if (before(f->p, at, first)) first = at;
        for (uint32_t k = t->start[at]; k < t->start[at + 1]; k++) {
            if (seen[t->at[k]] == 2) continue;
            seen[t->at[k]] = 2;
            todo[count++] = t->at[k];
        }
    }
    return first;
}

/* Walks from the first node of each such cycle. */
static bool walk_cycles(flow *f, tfp_arena *arena)
{
    size_t n = tfp_graph_of(f->p)->nodes.size;
    uint8_t *seen = TFP_NEW(arena, uint8_t, n);
    uint32_t *order = TFP_NEW(arena, uint32_t, n), *todo = TFP_NEW(arena, uint32_t, n);
    takers t;
    if (!seen || !order || !todo || !find_takers(f, arena, &t)) return false;
    for (size_t i = leave_order(f, seen, order); i-- > 0;)
        if (!f->visited[order[i]]) walk_from(f, first_on_cycle(f, &t, order[i], seen, todo));
    return true;
}

static bool fill(tfp_tree *t, tfp_report *r, const flow *f)
{
    tfp_tree_of(r)->node_accounted = TFP_NEW(tfp_arena_of(r), uint8_t, tfp_graph_of(tfp_profile_of(r))->nodes.size);
    if (!tfp_tree_of(r)->node_accounted) return false;
    t->name[0] = TFP_ROOT_NAME;
    t->node[0] = TFP_NONE;
    for (size_t i = 1; i < t->count; i++) {
        uint32_t node = t->node[i] = f->nodes[i];
        t->name[i] = tfp_text(tfp_profile_of(r), tfp_graph_of(tfp_profile_of(r))->nodes.at[node].name);
    }
    return tfp_tree_fill(t, r, false);
}

static tfp_status build_graph(tfp_report *r, tfp_error *err)
{
    if (tfp_options_of(r)->compat10) return tfp_compat10_graph(r, err);
    tfp_arena arena = { 0 };
    tfp_tree t;
    flow f;
    uint32_t *roots;
    size_t root_count;
    tfp_status s = TFP_NOMEM;
    if (!start(&f, &arena, tfp_profile_of(r)) || !find_roots(tfp_profile_of(r), &arena, &roots, &root_count)) goto out;
    for (size_t i = 0; i < root_count; i++) walk_from(&f, roots[i]);
    size_t led = f.count - 1, nodes = tfp_graph_of(tfp_profile_of(r))->nodes.size;
    bool cycles = led < nodes && !tfp_options_of(r)->compat_tensorflow;
    if (cycles && !walk_cycles(&f, &arena)) goto out;
    if (!tfp_tree_new(&t, r, &arena, f.count) || !fill(&t, r, &f) || !tfp_tree_link(&t, f.parent)) goto out;
    s = tfp_tree_show(&t, r, TFP_TREE_GRAPH, err);
    if (!s && led < nodes)
        s = tfp_report_note_add(r, TFP_NOTE_CYCLES, err,
                                "%s: graph view: %zu node%s on cycles that nothing leads into%s",
                                tfp_source_of_graph(tfp_profile_of(r)), nodes - led, nodes - led == 1 ? "" : "s",
                                cycles ? ", each entered at its first node" : " are not shown");
out:
    tfp_arena_free(&arena);
    return s == TFP_NOMEM ? tfp_nomem(err) : s;
}

/* TensorFlow prints the scope view's help line for the graph view too. */
const tfp_view tfp_view_graph = { "graph",
                                  "Nodes by dataflow: each under the node that takes its output.",
                                  TFP_REPORT_TREE,
                                  "Nodes stand under the first node that takes their output.",
                                  "scope",
                                  build_graph,
                                  TFP_NEEDS_GRAPH | TFP_NEEDS_NODES,
                                  .row_traits = TFP_ADDS_ATTRIBUTION | TFP_KEEPS_ORDER,
                                  .reads = TFP_READS_SUMS,
                                  .timeline = TFP_TIMELINE_OF_STEP,
                                  .compared = TFP_COMPARED_ROWS,
                                  .parent_type = "_TFGraphParent" };
