// SPDX-License-Identifier: Apache-2.0
/* views/flops/parts.c: the tables after that of types: the most expensive nodes, the cost of a model's signatures, and what
 * is unknown (operations without a formula or without a shape) with what would help. */
#include "model/tables/read.h"
#include "query/groups.h"
#include "views/core/handle.h"
#include "views/flops/flops.h"

/* Writes FUNCTION/NODE, or only the node's name. */
static bool put_place(tfp_flops_table *w, tfp_str *out, uint32_t node)
{
    tfp_str name = tfp_text(w->p, w->g->nodes.at[node].name);
    uint32_t body = w->body[node];
    tfp_buf b = { 0 };
    if (!body) return *out = name, true;
    tfp_buf_str(&b, tfp_text(w->p, w->g->bodies.at[body].name));
    tfp_buf_char(&b, '/');
    tfp_buf_str(&b, name);
    *out = tfp_buf_move(&b, tfp_arena_of(w->r));
    return out->data != NULL;
}

/* ---- nodes that count most ---- */

enum { TOP_NODES = 10 };

/* Inserts into the sorted list `top` of the biggest values so far; the list is short. */
static void keep_top(uint32_t *top, int64_t *value, size_t *count, uint32_t node, int64_t n)
{
    size_t at = *count < TOP_NODES ? (*count)++ : TOP_NODES - 1;
    if (at == TOP_NODES - 1 && *count == TOP_NODES && top[at] != TFP_NONE && value[at] >= n) return;
    for (; at && value[at - 1] < n; at--) {
        value[at] = value[at - 1];
        top[at] = top[at - 1];
    }
    value[at] = n;
    top[at] = node;
}

typedef struct top_row {
    tfp_str node, op, shapes;
    int64_t runs, float_ops, macs;
    double share;
} top_row;

static const tfp_table_column top_columns[] = {
    TFP_COLUMN_WHOLE(top_row, "node", TEXT, LABEL, node, "its name, after that of its function"),
    TFP_COLUMN_WHOLE(top_row, "op", TEXT, LABEL, op, "of the node"),
    TFP_COLUMN_WHOLE(top_row, "output_shapes", TEXT, LABEL, shapes, "by output: 0:32x?x3|1:"),
    TFP_COLUMN_WHOLE(top_row, "runs", INT, LABEL, runs, "in one run of the model"),
    TFP_COLUMN_WHOLE(top_row, "float_ops", INT, NUMBER, float_ops, "of all its runs"),
    TFP_COLUMN_WHOLE(top_row, "share", REAL, SHARE, share, "of all float operations"),
    TFP_COLUMN(top_row, "macs", INT, NUMBER, macs, "multiply-adds of all its runs"),
    { 0 }
};

tfp_status tfp_flops_top_nodes(tfp_flops_table *w, tfp_error *err)
{
    uint32_t top[TOP_NODES];
    int64_t value[TOP_NODES] = { 0 };
    size_t count = 0;
    double whole = 0;
    memset(top, 0xff, sizeof top);
    for (uint32_t i = 0; i < w->g->nodes.size; i++) {
        int64_t n = tfp_flops_sums(w, i).flops;
        whole += (double)n;
        if (n > 0) keep_top(top, value, &count, i, n);
    }
    if (!count) return TFP_OK;
    top_row rows[TOP_NODES];
    for (size_t i = 0; i < count; i++) {
        rows[i] = (top_row){ .op = tfp_text(w->p, w->g->nodes.at[top[i]].op),
                             .runs = tfp_flops_runs(w, top[i]),
                             .float_ops = value[i],
                             .share = (double)value[i] / whole,
                             .macs = tfp_flops_has_macs(w, top[i]) ? tfp_flops_sums(w, top[i]).macs : TFP_ABSENT };
        if (!put_place(w, &rows[i].node, top[i]) || !tfp_flops_shapes(w, top[i], &rows[i].shapes))
            return tfp_nomem(err);
    }
    tfp_row_table table = { top_columns, rows, sizeof *rows, count, 0 };
    return tfp_grid_part(w->r, "top_nodes", "nodes that count most", &table, 0, err);
}

/* ---- signatures: the costs of one call ---- */

typedef struct reach {
    tfp_map64 node_by_name; /* nodes of the main graph */
    uint32_t *stack;
    uint32_t *seen; /* for each node: the last signature that used it */
} reach;

static bool start_reach(tfp_flops_table *w, reach *x)
{
    const tfp_program_body *main_graph = &w->g->bodies.at[0];
    x->stack = TFP_NEW(&w->arena, uint32_t, main_graph->node_count + (size_t)1);
    x->seen = TFP_NEW(&w->arena, uint32_t, main_graph->node_count + (size_t)1);
    bool ok = x->stack && x->seen;
    for (uint32_t i = 0; ok && i < main_graph->node_count; i++)
        ok = tfp_map64_put(&x->node_by_name, w->g->nodes.at[main_graph->node_first + i].name, i);
    return ok;
}

static void add_work(tfp_work *to, const tfp_node_flops *n)
{
    int64_t runs = n->loop_runs;
    to->flops = tfp_add(to->flops, n->all.flops > 0 ? tfp_mul(n->all.flops, runs, NULL) : 0, NULL);
    to->macs = tfp_add(to->macs, n->all.macs > 0 ? tfp_mul(n->all.macs, runs, NULL) : 0, NULL);
    to->ops = tfp_add(to->ops, n->all.ops > 0 ? n->all.ops : 0, NULL);
    to->counted = tfp_add(to->counted, n->all.counted > 0 ? n->all.counted : 0, NULL);
}

/* The work of everything that a signature needs. */
static tfp_work work_below(tfp_flops_table *w, reach *x, const tfp_program_signature *s, uint32_t turn)
{
    tfp_work sum = { 0 };
    uint32_t first = w->g->bodies.at[0].node_first;
    size_t depth = 0;
    for (uint32_t i = 0; i < s->output_count; i++) {
        uint32_t from = tfp_map64_get(&x->node_by_name, w->g->outputs.at[s->output_first + i]);
        if (from == TFP_NONE || x->seen[from] == turn) continue;
        x->seen[from] = turn;
        x->stack[depth++] = from;
    }
    while (depth) {
        uint32_t at = x->stack[--depth];
        const tfp_program_node *n = &w->g->nodes.at[first + at];
        add_work(&sum, &w->f->nodes[first + at]);
        for (uint32_t i = 0; i < n->input_count; i++) {
            uint32_t source = tfp_map64_get(&x->node_by_name, w->g->inputs.at[n->input_first + i].source);
            if (source == TFP_NONE || x->seen[source] == turn) continue;
            x->seen[source] = turn;
            x->stack[depth++] = source;
        }
    }
    return sum;
}

typedef struct signature_row {
    tfp_str signature, node;
    int64_t float_ops, macs, operations, counted;
} signature_row;

static const tfp_table_column signature_columns[] = {
    TFP_COLUMN_WHOLE(signature_row, "signature", TEXT, LABEL, signature, NULL),
    TFP_COLUMN_WHOLE(signature_row, "node", TEXT, LABEL, node, NULL),
    TFP_COLUMN_WHOLE(signature_row, "float_ops", INT, NUMBER, float_ops, NULL),
    TFP_COLUMN_WHOLE(signature_row, "macs", INT, NUMBER, macs, NULL),
    TFP_COLUMN_WHOLE(signature_row, "operations", INT, LABEL, operations, "that a call runs, of functions too"),
    TFP_COLUMN_WHOLE(signature_row, "counted", INT, LABEL, counted, "operations that have a count"),
    { 0 }
};

tfp_status tfp_flops_signatures(tfp_flops_table *w, tfp_error *err)
{
    size_t count = w->source == TFP_FLOPS_OWN ? w->g->signatures.size : 0; /* an op log does not count their bodies */
    reach x = { 0 };
    if (!count) return TFP_OK;
    signature_row *rows = TFP_NEW(&w->arena, signature_row, count);
    bool ok = rows && start_reach(w, &x);
    for (uint32_t i = 0; ok && i < count; i++) {
        const tfp_program_signature *s = &w->g->signatures.at[i];
        tfp_work sum = work_below(w, &x, s, i + 1);
        rows[i] = (signature_row){ .signature = tfp_text(w->p, s->key),
                                   .node = tfp_text(w->p, s->node),
                                   .float_ops = sum.flops,
                                   .macs = sum.macs,
                                   .operations = sum.ops,
                                   .counted = sum.counted };
    }
    tfp_map64_free(&x.node_by_name);
    tfp_row_table table = { signature_columns, rows, sizeof *rows, count, 0 };
    return ok ? tfp_grid_part(w->r, "signatures", "signatures", &table, 10, err) : tfp_nomem(err);
}

/* ---- operations without a number ---- */

typedef struct gap { /* of one operation type */
    tfp_strid op;
    uint32_t first; /* a node of the program */
    int64_t nodes;
} gap;

typedef struct gaps {
    const gap *at;
    size_t count;
} gaps;

static const tfp_sort_key most_nodes_first[] = { TFP_DOWN(gap, nodes), { 0 } };

/* Collects the nodes without a count that some run reaches. */
static bool find_gaps(tfp_flops_table *w, tfp_count_state state, gaps *x)
{
    tfp_groups found = { .row_size = sizeof(gap) }; /* by op */
    for (uint32_t i = 0; i < w->g->nodes.size; i++) {
        if (tfp_flops_own(w, i).state != state || !tfp_flops_reached(w, i)) continue;
        tfp_strid op = w->g->nodes.at[i].op;
        gap *g = TFP_GROUP(&found, op);
        if (found.added) *g = (gap){ .op = op, .first = i };
        if (g) g->nodes++;
    }
    x->at = tfp_groups_end(&found, &w->arena, most_nodes_first, &x->count);
    return x->at != NULL;
}

static bool is_known(const tfp_node_flops *n)
{
    for (uint32_t i = 0; i < n->out_count; i++)
        if (!tfp_dims_known(n->outs[i].shape)) return false;
    return true;
}

static const tfp_program_arg *find_arg(const tfp_flops_table *w, uint32_t body, tfp_strid name)
{
    const tfp_program_body *b = &w->g->bodies.at[body];
    for (uint32_t i = 0; i < b->arg_count; i++)
        if (w->g->args.at[b->arg_first + i].name == name) return &w->g->args.at[b->arg_first + i];
    return NULL;
}

/* Nodes in all bodies, found by body and name. */
typedef struct names {
    tfp_map64 at;
} names;

static uint64_t key_of(uint32_t body, tfp_strid name) { return (uint64_t)body << 32 | name; }

static bool list_names(const tfp_flops_table *w, names *x)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->g->nodes.size; i++)
        ok = tfp_map64_put(&x->at, key_of(w->body[i], w->g->nodes.at[i].name), i);
    return ok;
}

static void put_text(tfp_buf *b, tfp_str s) { tfp_buf_add(b, s.data, s.size < 200 ? s.size : 200); }

/* Writes where unknown shapes begin: the farthest node above whose own inputs are known. The search also ends at an
 * argument. */
static void put_reason(const tfp_flops_table *w, const names *x, uint32_t node, tfp_buf *b)
{
    uint32_t at = node;
    for (size_t steps = 0; steps < w->g->nodes.size; steps++) {
        const tfp_program_node *n = &w->g->nodes.at[at];
        uint32_t next = TFP_NONE;
        if (w->f->wrong[at]) break;
        for (uint32_t i = 0; i < n->input_count && next == TFP_NONE; i++) {
            const tfp_program_input *in = &w->g->inputs.at[n->input_first + i];
            if (in->control) continue;
            uint32_t source = tfp_map64_get(&x->at, key_of(w->body[at], in->source));
            if (source != TFP_NONE && !is_known(&w->f->nodes[source])) next = source;
            if (source == TFP_NONE && find_arg(w, w->body[at], in->source)) {
                tfp_buf_text(b, "argument ");
                put_text(b, tfp_text(w->p, in->source));
                return;
            }
        }
        if (next == TFP_NONE) break;
        at = next;
    }
    if (w->f->wrong[at] && at == node) {
        tfp_buf_text(b, w->f->wrong[at]);
        return;
    }
    if (at == node) {
        bool known = is_known(&w->f->nodes[at]);
        tfp_buf_text(b, known ? "a value that steers it, or it does not fit into 64 bits"
                              : "its shape depends on values: ");
        if (!known) tfp_flops_shape_text(b, w->f->nodes[at].outs[0].shape);
        return;
    }
    put_text(b, tfp_text(w->p, w->g->nodes.at[at].name));
    tfp_buf_text(b, " (");
    put_text(b, tfp_text(w->p, w->g->nodes.at[at].op));
    if (w->f->wrong[at]) {
        tfp_buf_text(b, ": ");
        tfp_buf_text(b, w->f->wrong[at]);
    } else if (w->f->nodes[at].out_count) {
        tfp_buf_char(b, ' ');
        tfp_flops_shape_text(b, w->f->nodes[at].outs[0].shape);
    }
    tfp_buf_char(b, ')');
}

typedef struct gap_row {
    tfp_str op, first, missing;
    int64_t nodes;
} gap_row;

enum { SHOWN_MISSING = 1 };
static const tfp_table_column gap_columns[] = { TFP_COLUMN_WHOLE(gap_row, "op", TEXT, LABEL, op, NULL),
                                                TFP_COLUMN_WHOLE(gap_row, "nodes", INT, LABEL, nodes, NULL),
                                                TFP_COLUMN_WHOLE(gap_row, "first", TEXT, LABEL, first, NULL),
                                                TFP_COLUMN_OF(gap_row, "missing", TEXT, LABEL, missing, NULL,
                                                              .only = SHOWN_MISSING, .whole = true),
                                                { 0 } };

/* Fills rows; reasons are given in the table that has names. */
static bool fill_gaps(tfp_flops_table *w, const gaps *x, const names *by_name, gap_row *rows)
{
    tfp_buf b = { 0 };
    bool ok = rows != NULL;
    for (size_t i = 0; ok && i < x->count; i++) {
        const gap *t = &x->at[i];
        rows[i] = (gap_row){ .op = tfp_text(w->p, t->op), .nodes = t->nodes };
        ok = put_place(w, &rows[i].first, t->first);
        if (!by_name || !ok) continue;
        b.size = 0;
        put_reason(w, by_name, t->first, &b);
        rows[i].missing = tfp_buf_copy(&b, tfp_arena_of(w->r));
        ok = rows[i].missing.data != NULL;
    }
    tfp_buf_free(&b);
    return ok;
}

static tfp_status add_gaps(tfp_flops_table *w, tfp_count_state state, const char *name, const char *title,
                           tfp_error *err)
{
    gaps x = { 0 };
    names by_name = { { 0 } };
    bool reasons = state == TFP_NO_SHAPE;
    if (!find_gaps(w, state, &x)) return tfp_nomem(err);
    if (!x.count) return TFP_OK;
    gap_row *rows = TFP_NEW(&w->arena, gap_row, x.count);
    bool ok = (!reasons || list_names(w, &by_name)) && fill_gaps(w, &x, reasons ? &by_name : NULL, rows);
    tfp_map64_free(&by_name.at);
    tfp_row_table table = { gap_columns, rows, sizeof *rows, x.count, reasons ? SHOWN_MISSING : 0 };
    return ok ? tfp_grid_part(w->r, name, title, &table, TFP_FLOPS_GAPS, err) : tfp_nomem(err);
}

tfp_status tfp_flops_gaps(tfp_flops_table *w, tfp_error *err)
{
    if (w->source == TFP_FLOPS_FILES) return TFP_OK;
    tfp_status s = add_gaps(w, TFP_NO_FORMULA, "no_formula", "operations without a formula", err);
    return s ? s : add_gaps(w, TFP_NO_SHAPE, "no_shape", "operations without a shape", err);
}
