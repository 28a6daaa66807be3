// SPDX-License-Identifier: Apache-2.0
/* views/tree/compat10.c: the scope and graph views of TensorFlow 1.0. They differ from today's in nearly every rule: which
 * nodes exist, what they own, which node takes an input's total, that the start is found before summing, and that only
 * accounted nodes have rows. So both have an engine of their own: in come items and their children, out come shown items.
 * Rows and their order are made by views/tree/tree.c. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/columns.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/engine.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <stdlib.h>

typedef struct step { /* an item whose children are being visited */
    uint32_t item, next;
    uint32_t entry;  /* when showing: the nearest shown item, for the items below */
    uint32_t hidden; /* when showing: items since then */
    int64_t depth;
} step;
typedef TFP_VEC(step) steps;

typedef struct old_view {
    tfp_report *r;
    const tfp_options *o;
    tfp_arena arena;
    tfp_tree t;               /* children: in the graph view each input once, by name */
    uint8_t *match;           /* for each string: 1 no account regex matches it, 2 one does */
    TFP_VEC(uint32_t) starts; /* the items below the root */
    bool graph;
} old_view;

/* ---- what a node has ---- */

static bool exists(const tfp_profile *p, const tfp_node *n)
{
    return !(tfp_has(p, TFP_HAS_GRAPH) && n->flags & TFP_NODE_INVENTED);
}

static bool is_variable(tfp_str op)
{
    static const char *const ops[] = { "Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable" };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (tfp_str_eq(op, tfp_str_of(ops[i]))) return true;
    return false;
}

/* Bytes requested for all outputs of an execution. A ProfileProto does not contain them, only a similar number. */
static int64_t output_bytes(const tfp_profile *p, uint32_t exec)
{
    if (tfp_executions_of(p)->run_output_bytes.size == 0) return tfp_executions_of(p)->execs.at[exec].output_bytes;
    return exec < tfp_executions_of(p)->run_output_bytes.size ? tfp_executions_of(p)->run_output_bytes.at[exec] : 0;
}

static int64_t requested_bytes(old_view *v, uint32_t node)
{
    const tfp_profile *p = v->r->profile;
    int64_t sum = 0, count = 0;
    for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[node].exec_first)) {
        if (!tfp_step_takes(v->r->step, tfp_executions_of(p)->execs.at[e].step)) continue;
        sum = tfp_add(sum, output_bytes(p, e), &v->r->clamped);
        count++;
    }
    return count && v->r->step.which == TFP_STEP_MEAN ? sum / count : sum;
}

/* Not multiplied by the runs. */
static int64_t float_ops(const tfp_report *r, uint32_t node)
{
    return r->tree->counts ? r->tree->counts->nodes[node].float_ops
                           : tfp_graph_of(r->profile)->nodes.at[node].float_ops;
}

static void own_values(old_view *v, size_t i, uint32_t node)
{
    const tfp_profile *p = v->r->profile;
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[node];
    tfp_values *own = &v->t.own;
    tfp_values_add_node(v->r, own, i, node, 1);
    if (own->at[TFP_V_BYTES]) own->at[TFP_V_BYTES][i] = requested_bytes(v, node);
    if (own->at[TFP_V_FLOAT_OPS]) own->at[TFP_V_FLOAT_OPS][i] = float_ops(v->r, node);
    bool scalar = n->shape != TFP_NONE && tfp_graph_of(p)->shapes.at[n->shape].scalar;
    if (own->at[TFP_V_PARAMS] && scalar) own->at[TFP_V_PARAMS][i] = 0;
}

static bool matches(old_view *v, tfp_strid type)
{
    if (!v->match[type])
        v->match[type] = tfp_filter_matches(v->o->filters[TFP_F_ACCOUNT], tfp_text(v->r->profile, type)) ? 2 : 1;
    return v->match[type] == 2;
}

static bool is_accounted(old_view *v, uint32_t node, bool variables)
{
    const tfp_profile *p = v->r->profile;
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[node];
    tfp_strid device = n->device ? n->device : n->graph_device;
    if (tfp_filter_any(v->o->filters[TFP_F_ACCOUNT])) return true;
    if (variables && is_variable(tfp_text(p, n->op))) return true;
    for (TFP_EACH(tfp_graph_of(p)->types, t, n->type_first))
        if (matches(v, tfp_graph_of(p)->types.at[t].name)) return true;
    return device && matches(v, device);
}

/* Sets which items are accounted, and their own numbers. Items without a node, including the root, are made up. */
static bool fill(old_view *v)
{
    const tfp_filter *account = v->o->filters[TFP_F_ACCOUNT];
    bool parents = tfp_filter_matches(account, tfp_str_of(tfp_view_of(v->r)->parent_type));
    bool variables = tfp_filter_matches(account, TFP_STR("Variable"));
    if (!(v->match = TFP_NEW(&v->arena, uint8_t, tfp_strings_of(v->r->profile)->count))) return false;
    for (int c = 0; c < TFP_V_COUNT; c++)
        if (v->t.own.at[c]) memset(v->t.own.at[c], 0, v->t.count * sizeof(int64_t));
    for (size_t i = 0; i < v->t.count; i++) {
        bool made_up = v->t.node[i] == TFP_NONE;
        v->t.accounted[i] = made_up ? parents : is_accounted(v, v->t.node[i], variables);
        if (!made_up)
            own_values(v, i, v->t.node[i]);
        else if (i && v->t.own.at[TFP_V_DEFINITIONS])
            v->t.own.at[TFP_V_DEFINITIONS][i] = 1;
    }
    return true;
}

/* ---- walking, depth first, without recursion ---- */

static const uint32_t *children(const old_view *v, uint32_t item, size_t *count)
{
    if (item == 0) {
        *count = v->starts.size;
        return v->starts.at;
    }
    *count = v->t.child_start[item + 1] - v->t.child_start[item];
    return v->t.children + v->t.child_start[item];
}

/* One flag per item, set for items that do not exist here, so that no walk visits them. */
static uint8_t *new_flags(old_view *v)
{
    uint8_t *flags = TFP_NEW(&v->arena, uint8_t, v->t.count);
    for (size_t i = 0; flags && i < v->t.count; i++) flags[i] = !v->t.kept[i];
    return flags;
}

/* Finds the first matches on every branch; each item is tested once. */
static bool find_starts(old_view *v)
{
    const tfp_tree *t = &v->t;
    uint8_t *asked = new_flags(v);
    TFP_VEC(uint32_t) stack = { 0 };
    bool ok = asked && tfp_push(&stack, 0);
    while (ok && stack.size) {
        uint32_t item = stack.at[--stack.size];
        if (asked[item]) continue;
        asked[item] = 1;
        if (item && tfp_filter_matches(v->o->filters[TFP_F_START], t->name[item])) {
            ok = tfp_push(&v->starts, item);
            continue;
        }
        for (uint32_t c = t->child_start[item + 1]; ok && c-- > t->child_start[item];)
            ok = asked[t->children[c]] || tfp_push(&stack, t->children[c]);
    }
    tfp_vec_free(&stack);
    return ok;
}

enum { NEW, STARTED /* or not there */, DONE, TAKEN };

/* Completes an item: it takes the totals of those children that no other item took before. */
static void finish(old_view *v, uint32_t item, uint8_t *state)
{
    size_t count;
    const uint32_t *child = children(v, item, &count);
    if (v->t.accounted[item]) tfp_values_add(v->r, &v->t.total, item, &v->t.own, item);
    for (size_t i = 0; i < count; i++) {
        if (state[child[i]] != DONE) continue;
        tfp_values_add(v->r, &v->t.total, item, &v->t.total, child[i]);
        state[child[i]] = TAKEN;
    }
    state[item] = DONE;
}

static bool sum_up(old_view *v)
{
    uint8_t *state = new_flags(v);
    steps stack = { 0 };
    bool ok = state && tfp_push(&stack, ((step){ 0 }));
    while (ok && stack.size) {
        step *s = &stack.at[stack.size - 1];
        size_t count;
        const uint32_t *child = children(v, s->item, &count);
        state[s->item] = STARTED;
        while (s->next < count && state[child[s->next]] != NEW) s->next++;
        if (s->next < count) {
            step below = { .item = child[s->next] };
            ok = tfp_push(&stack, below);
        } else {
            finish(v, s->item, state);
            stack.size--;
        }
    }
    tfp_vec_free(&stack);
    return ok;
}

/* ---- what is shown ---- */

static bool passes_device(const old_view *v, uint32_t item)
{
    const tfp_filter *f = v->o->filters[TFP_F_DEVICE];
    if (tfp_filter_any(f)) return true;
    if (v->t.node[item] == TFP_NONE) return false;
    const tfp_node *n = &tfp_graph_of(v->r->profile)->nodes.at[v->t.node[item]];
    tfp_strid device = n->device ? n->device : n->graph_device;
    return device && tfp_filter_matches(f, tfp_text(v->r->profile, device));
}

static bool should_show(const old_view *v, uint32_t item, int64_t depth)
{
    int64_t max_depth = v->o->max_depth < 1 ? 1 : v->o->max_depth;
    if (item == 0) return true;
    if (!v->t.accounted[item] || depth > max_depth) return false;
    for (int i = 0; i < TFP_V_COUNT; i++)
        if (v->o->min[i] > 0 && v->t.own.at[i][item] < tfp_minimum(v->o, i)) return false;
    return passes_device(v, item) && tfp_filter_matches(v->o->filters[TFP_F_SHOW], v->t.name[item]) &&
           !tfp_filter_matches(v->o->filters[TFP_F_HIDE], v->t.name[item]);
}

/* Visits an item for the first time: adds a row or one more hidden item, and decides whether to go on below it. */
static bool meet(old_view *v, steps *stack, tfp_shown_items *shown, uint32_t item, const step *above)
{
    step s = { .item = item, .depth = above->depth + 1, .entry = above->entry, .hidden = above->hidden + 1 };
    if (should_show(v, item, s.depth)) {
        tfp_shown x = { item, s.entry, shown->size ? shown->at[s.entry].depth + 1 : 0, v->graph ? above->hidden : 0 };
        s.entry = (uint32_t)shown->size;
        s.hidden = 0;
        if (!tfp_push(shown, x)) return false;
    }
    return tfp_filter_matches(v->o->filters[TFP_F_TRIM], v->t.name[item]) || tfp_push(stack, s);
}

static bool choose(old_view *v, tfp_shown_items *shown)
{
    uint8_t *met = new_flags(v);
    steps stack = { 0 };
    step nothing = { 0 };
    bool ok = met && meet(v, &stack, shown, 0, &nothing);
    while (ok && stack.size) {
        step *s = &stack.at[stack.size - 1];
        size_t count;
        const uint32_t *child = children(v, s->item, &count);
        while (s->next < count && met[child[s->next]]) s->next++;
        if (s->next == count) {
            stack.size--;
            continue;
        }
        uint32_t item = child[s->next];
        step above = *s;
        met[item] = 1;
        ok = meet(v, &stack, shown, item, &above);
    }
    tfp_vec_free(&stack);
    return ok;
}

/* Makes rows from items and their children. */
static tfp_status show(old_view *v, tfp_error *err)
{
    tfp_shown_items shown = { 0 };
    bool ok = fill(v) && find_starts(v) && sum_up(v) && choose(v, &shown);
    tfp_status s = ok ? tfp_tree_emit(&v->t, v->r, &shown, v->o->account_displayed_op_only, err) : tfp_nomem(err);
    tfp_vec_free(&shown);
    return s;
}

static void end(old_view *v)
{
    tfp_vec_free(&v->starts);
    tfp_arena_free(&v->arena);
}

/* ---- scope ---- */

/* Leaves out nodes that only run metadata has. If other nodes are below them they become made-up parents; parents of
 * nothing else are left out too. */
static bool leave_out_invented(old_view *v)
{
    tfp_tree *t = &v->t;
    const tfp_profile *p = v->r->profile;
    uint32_t *order = TFP_NEW(&v->arena, uint32_t, t->count), *stack = TFP_NEW(&v->arena, uint32_t, t->count);
    size_t count = 0, depth = 0;
    if (!order || !stack) return false;
    stack[depth++] = 0;
    while (depth) {
        uint32_t item = order[count++] = stack[--depth];
        for (uint32_t c = t->child_start[item]; c < t->child_start[item + 1]; c++) stack[depth++] = t->children[c];
    }
    while (count--) { /* backwards, because children come after their parents in order */
        uint32_t item = order[count];
        if (t->node[item] != TFP_NONE && !exists(p, &tfp_graph_of(p)->nodes.at[t->node[item]]))
            t->node[item] = TFP_NONE;
        t->kept[item] = item == 0 || t->node[item] != TFP_NONE;
        for (uint32_t c = t->child_start[item]; c < t->child_start[item + 1]; c++)
            t->kept[item] |= t->kept[t->children[c]];
    }
    return true;
}

tfp_status tfp_compat10_scope(tfp_report *r, tfp_error *err)
{
    old_view v = { .r = r, .o = r->options };
    tfp_status s = tfp_scope_tree(&v.t, r, &v.arena, err);
    if (!s) s = leave_out_invented(&v) ? show(&v, err) : tfp_nomem(err);
    end(&v);
    return s;
}

/* ---- graph ---- */

/* Items are the nodes in order of name, so children in order of item are also in order of name. */
static bool list_nodes(old_view *v, uint32_t **item_of)
{
    const tfp_profile *p = v->r->profile;
    size_t n = tfp_graph_of(p)->nodes.size, count = 1;
    uint32_t *order = TFP_NEW(&v->arena, uint32_t, n);
    *item_of = TFP_NEW(&v->arena, uint32_t, n);
    if (!order || !*item_of || !tfp_name_order(p, order)) return false;
    for (size_t i = 0; i < n; i++)
        (*item_of)[order[i]] = exists(p, &tfp_graph_of(p)->nodes.at[order[i]]) ? (uint32_t)count++ : 0;
    if (!tfp_tree_new(&v->t, v->r, &v->arena, count)) return false;
    v->t.name[0] = TFP_ROOT_NAME;
    v->t.node[0] = TFP_NONE;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t item = (*item_of)[i];
        if (!item) continue;
        v->t.node[item] = i;
        v->t.name[item] = tfp_text(p, tfp_graph_of(p)->nodes.at[i].name);
    }
    memset(v->t.kept, 1, count);
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Adds each input once, in order of name. Returns the index after them. */
static uint32_t link_inputs(old_view *v, uint32_t item, const uint32_t *item_of, uint32_t at)
{
    const tfp_profile *p = v->r->profile;
    uint32_t *first = v->t.children + at, count = 0, kept = 0;
    for (TFP_EACH(tfp_graph_of(p)->inputs, e, tfp_graph_of(p)->nodes.at[v->t.node[item]].input_first)) {
        uint32_t source = tfp_graph_of(p)->inputs.at[e].node;
        if (source != TFP_NONE && item_of[source]) first[count++] = item_of[source];
    }
    if (count > 1) qsort(first, count, sizeof *first, by_number);
    for (uint32_t i = 0; i < count; i++)
        if (!i || first[i] != first[kept - 1]) first[kept++] = first[i];
    return at + kept;
}

/* The root's children are the nodes that are no other node's input. */
static uint32_t link_root(old_view *v, const uint32_t *item_of, uint8_t *taken)
{
    const tfp_profile *p = v->r->profile;
    uint32_t at = 0;
    for (uint32_t item = 1; item < v->t.count; item++)
        for (TFP_EACH(tfp_graph_of(p)->inputs, e, tfp_graph_of(p)->nodes.at[v->t.node[item]].input_first))
            if (tfp_graph_of(p)->inputs.at[e].node != TFP_NONE) taken[item_of[tfp_graph_of(p)->inputs.at[e].node]] = 1;
    for (uint32_t item = 1; item < v->t.count; item++)
        if (!taken[item]) v->t.children[at++] = item;
    return at;
}

static bool link_graph(old_view *v, const uint32_t *item_of)
{
    tfp_tree *t = &v->t;
    size_t most = tfp_graph_of(v->r->profile)->inputs.size + t->count;
    uint8_t *taken = TFP_NEW(&v->arena, uint8_t, t->count);
    t->child_start = TFP_NEW(&v->arena, uint32_t, t->count + 1);
    t->children = most < TFP_NONE ? TFP_NEW(&v->arena, uint32_t, most) : NULL;
    if (!taken || !t->child_start || !t->children) return false;
    t->child_start[1] = link_root(v, item_of, taken);
    for (uint32_t item = 1; item < t->count; item++)
        t->child_start[item + 1] = link_inputs(v, item, item_of, t->child_start[item]);
    return true;
}

tfp_status tfp_compat10_graph(tfp_report *r, tfp_error *err)
{
    old_view v = { .r = r, .o = r->options, .graph = true };
    uint32_t *item_of;
    tfp_status s = list_nodes(&v, &item_of) && link_graph(&v, item_of) ? show(&v, err) : tfp_nomem(err);
    end(&v);
    return s;
}
