// SPDX-License-Identifier: Apache-2.0
/* views/flops/nodes.c: the flops report with -nodes: one row for every node of the graph, then for those of each
 * function, with the shapes of its outputs and the counts of one execution. */
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/flops/flops.h"

/* Writes shapes as 0:32x112x112x64|1:?x3; a scalar is "0:". */
bool tfp_flops_shapes(const tfp_flops_table *w, uint32_t node, tfp_str *out)
{
    const tfp_node_flops *n = &w->f->nodes[node];
    tfp_buf b = { 0 };
    for (uint32_t i = 0; i < n->out_count; i++) {
        if (i) tfp_buf_char(&b, '|');
        tfp_buf_int(&b, i);
        tfp_buf_char(&b, ':');
        tfp_flops_shape_text(&b, n->outs[i].shape);
    }
    *out = tfp_buf_move(&b, tfp_arena_of(w->r));
    return out->data != NULL;
}

typedef struct node_row {
    tfp_str function, name, op, shapes, source;
    int64_t float_ops, macs;
} node_row;

static const tfp_table_column columns[] = {
    TFP_COLUMN_WHOLE(node_row, "function", TEXT, LABEL, function, "whose body has the node; empty: the main graph"),
    TFP_COLUMN_WHOLE(node_row, "name", TEXT, LABEL, name, "of the node"),
    TFP_COLUMN_WHOLE(node_row, "op", TEXT, LABEL, op, "of the node"),
    TFP_COLUMN_WHOLE(node_row, "output_shapes", TEXT, LABEL, shapes, "by output: 0:32x?x3|1:"),
    TFP_COLUMN(node_row, "float_ops", INT, NUMBER, float_ops, "of one execution"),
    TFP_COLUMN(node_row, "macs", INT, NUMBER, macs, "multiply-adds of one execution"),
    TFP_COLUMN_WHOLE(node_row, "source", TEXT, LABEL, source,
                     "formula, none (no formula), no_shape, or varies (from call to call)"),
    { 0 }
};

static bool row_of(const tfp_flops_table *w, uint32_t node, tfp_str function, node_row *out)
{
    static const char *const sources[] = {
        [TFP_COUNTED] = "formula", [TFP_NO_FORMULA] = "none", [TFP_NO_SHAPE] = "no_shape"
    };
    bool varies = w->source == TFP_FLOPS_OWN && w->f->nodes[node].varies;
    const tfp_program_node *n = &w->g->nodes.at[node];
    tfp_own_count count = tfp_flops_own(w, node);
    *out = (node_row){ .function = function,
                       .name = tfp_text(w->p, n->name),
                       .op = tfp_text(w->p, n->op),
                       .source = tfp_str_of(varies ? "varies" : sources[count.state]),
                       .float_ops = count.state == TFP_COUNTED && !varies ? count.flops : TFP_ABSENT,
                       .macs = count.macs >= 0 ? count.macs : TFP_ABSENT };
    return tfp_flops_shapes(w, node, &out->shapes);
}

tfp_status tfp_flops_nodes(tfp_flops_table *w, tfp_error *err)
{
    size_t count = 0, row = 0;
    for (size_t b = 0; b < w->g->bodies.size; b++) count += w->g->bodies.at[b].node_count;
    node_row *rows = TFP_NEW(&w->arena, node_row, count + 1);
    bool ok = rows != NULL;
    for (size_t b = 0; ok && b < w->g->bodies.size; b++) {
        const tfp_program_body *body = &w->g->bodies.at[b];
        tfp_str function = b ? tfp_text(w->p, body->name) : (tfp_str){ 0 };
        for (uint32_t i = 0; ok && i < body->node_count; i++)
            ok = row_of(w, body->node_first + i, function, &rows[row++]);
    }
    return ok ? tfp_grid_of(w->r, &(tfp_row_table){ columns, rows, sizeof *rows, count, 0 }, err) : tfp_nomem(err);
}
