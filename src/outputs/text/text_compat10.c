// SPDX-License-Identifier: Apache-2.0
/* outputs/text/text_compat10.c: the text of TensorFlow 1.0's scope and graph views: rows only, no header and no legend. */
#include "outputs/text/text_compat10.h"

#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "options/columns.h"
#include "options/options.h"
#include "views/core/labels.h"
#include "outputs/core/tensor_text.h"
#include "views/core/rows.h"
#include "views/core/texts.h"

#include <stdlib.h>

/* One row's items, separated by commas; `count` of them so far. */
typedef struct items {
    tfp_buf *b;
    size_t count;
} items;

static void next_item(items *x)
{
    if (x->count++) tfp_buf_text(x->b, ", ");
}

static void write_pair(items *x, const tfp_report *r, uint32_t row, tfp_column_id c)
{
    const tfp_column *column = &tfp_columns[c];
    tfp_value v = (tfp_value)tfp_value_of(column);
    if (!tfp_selects(tfp_options_of(r), c)) return;
    next_item(x);
    if (tfp_row_at(r, row)->accounted)
        tfp_format_unit(x->b, column->unit, tfp_whole(v, tfp_own(r, row, v)));
    else
        tfp_buf_text(x->b, "--");
    tfp_buf_char(x->b, '/');
    tfp_format_unit(x->b, column->unit, tfp_whole(v, tfp_total(r, row, v)));
    if (column->text.suffix) tfp_buf_text(x->b, column->text.suffix);
}

/* A scalar has no dimensions to print. */
static void write_shape(items *x, const tfp_profile *p, uint32_t node)
{
    uint32_t shape = node == TFP_NONE ? TFP_NONE : tfp_graph_of(p)->nodes.at[node].shape;
    if (shape == TFP_NONE || tfp_graph_of(p)->shapes.at[shape].scalar || tfp_graph_of(p)->shapes.at[shape].count == 0)
        return;
    next_item(x);
    tfp_shape_text(p, shape, x->b);
}

/* The device where the node ran, or where the graph places it. */
static tfp_str device_of(const tfp_profile *p, uint32_t node)
{
    if (node == TFP_NONE) return TFP_STR("");
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[node];
    return tfp_text(p, n->device ? n->device : n->graph_device);
}

static int by_text(const void *a, const void *b) { return tfp_str_cmp(*(const tfp_str *)a, *(const tfp_str *)b); }

/* The types of a node, including its device, in byte order. */
static void write_types(items *x, const tfp_report *r, uint32_t row)
{
    const tfp_profile *p = tfp_profile_of(r);
    uint32_t node = tfp_row_at(r, row)->node;
    TFP_VEC(tfp_str) types = { 0 };
    next_item(x);
    if (node == TFP_NONE) {
        tfp_labels_join_op_types(r, row, x->b);
        return;
    }
    tfp_str device = device_of(p, node);
    bool ok = !device.size || tfp_push(&types, device);
    for (TFP_EACH(tfp_graph_of(p)->types, t, tfp_graph_of(p)->nodes.at[node].type_first))
        ok = ok && tfp_push(&types, tfp_text(p, tfp_graph_of(p)->types.at[t].name));
    if (!ok) x->b->failed = true;
    if (types.size > 1) qsort(types.at, types.size, sizeof *types.at, by_text);
    for (size_t i = 0; i < types.size; i++) {
        if (i && tfp_str_eq(types.at[i], types.at[i - 1])) continue;
        if (i) tfp_buf_char(x->b, '|');
        tfp_escape(x->b, types.at[i]);
    }
    tfp_vec_free(&types);
}

static void write_items(const tfp_report *r, uint32_t row, const tfp_column_id *cells, size_t count, tfp_buf *b)
{
    items x = { .b = b };
    tfp_str device = device_of(tfp_profile_of(r), tfp_row_at(r, row)->node);
    if (tfp_selects(tfp_options_of(r), TFP_C_PARAMS)) write_shape(&x, tfp_profile_of(r), tfp_row_at(r, row)->node);
    for (size_t i = 0; i < count; i++)
        if (tfp_columns[cells[i]].text.compat10) write_pair(&x, r, row, cells[i]);
    if (tfp_selects(tfp_options_of(r), TFP_C_DEVICE) && device.size) {
        next_item(&x);
        tfp_escape(b, device);
    }
    if (tfp_selects(tfp_options_of(r), TFP_C_OP_TYPES)) write_types(&x, r, row);
}

/* After hidden rows: writes how many are hidden, and indents the row and everything below it by two more spaces. */
static size_t write_hidden(const tfp_report *r, uint32_t row, size_t indent, tfp_buf *b)
{
    uint32_t hidden = tfp_row_at(r, row)->hidden;
    if (!hidden || !tfp_selects(tfp_options_of(r), TFP_C_NUM_HIDDEN_OPS)) return indent;
    tfp_buf_fill(b, ' ', indent);
    tfp_buf_text(b, "...hidden ");
    tfp_buf_int(b, hidden);
    tfp_buf_text(b, "...\n");
    return indent + 2;
}

tfp_status tfp_text_compat10(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    tfp_buf *b = &s->buf;
    tfp_column_id cells[TFP_COLUMNS_MAX];
    size_t count = tfp_columns_in(TFP_LIST_TREE_CELLS, cells);
    size_t *indent = calloc(tfp_row_count(r) + 1, sizeof *indent); /* indent of the rows below each row */
    if (!indent) return tfp_nomem(err);
    for (uint32_t row = 0; row < tfp_row_count(r); row++) {
        const tfp_row *x = tfp_row_at(r, row);
        size_t here = write_hidden(r, row, row ? indent[x->parent] : 0, b);
        indent[row] = here + 2;
        tfp_buf_fill(b, ' ', here);
        tfp_escape(b, x->name);
        if (tfp_options_of(r)->select) {
            tfp_buf_text(b, " (");
            write_items(r, row, cells, count, b);
            tfp_buf_char(b, ')');
        }
        tfp_buf_char(b, '\n');
        if (x->tensor != TFP_NONE) tfp_tensor_text(tfp_tree_of(r)->tensors.at[x->tensor], b);
        tfp_sink_flush_if_full(s);
    }
    free(indent);
    return TFP_OK;
}
