// SPDX-License-Identifier: Apache-2.0
/* outputs/text/text.c: reports as TensorFlow's tool prints them, byte for byte from the line "Profile:" on. */
#include "model/tables/about.h"
#include "model/tables/graph.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "views/core/labels.h"
#include "outputs/core/output.h"
#include "outputs/core/rows.h"
#include "outputs/core/tensor_text.h"
#include "outputs/text/grid_text.h"
#include "outputs/text/screen.h"
#include "outputs/text/text_compat10.h"
#include "query/order.h"
#include "views/core/findings.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/texts.h"
#include "views/core/view.h"

#include <stdio.h>
#include <stdlib.h>

/* The cells to print, in the fixed order of the view; micros adds three, which accelerator_micros and cpu_micros then do
 * not repeat. */
static size_t list_cells(const tfp_report *r, tfp_column_id cells[TFP_COLUMNS_MAX])
{
    uint64_t shown = r->options->select;
    size_t all = tfp_columns_in(tfp_kind_of(r)->groups ? TFP_LIST_GROUP_CELLS : TFP_LIST_TREE_CELLS, cells), n = 0;
    for (int i = 0; i < tfp_column_count; i++)
        for (int k = 0; k < tfp_columns[i].brings_count && tfp_selects(r->options, (tfp_column_id)i); k++)
            shown |= UINT64_C(1) << tfp_columns[i].brings[k];
    for (size_t i = 0; i < all; i++)
        if (shown >> cells[i] & 1) cells[n++] = cells[i];
    return n;
}

static void write_doc_line(tfp_buf *b, const char *label, const char *words)
{
    tfp_buf_printf(b, "%s: %s\n", label, words);
}

static void write_doc_of_column(const tfp_report *r, const tfp_column *c, tfp_buf *b)
{
    write_doc_line(b, c->text.doc, tfp_help_of(r, c));
}

static void write_doc(const tfp_report *r, tfp_buf *b)
{
    if (tfp_about_of(r->profile)->miss_accelerator_stream)
        tfp_buf_text(b, "\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
                        "It's likely a gpu tracing issue rather than tf-profiler issue.\n"
                        "If you found your operation missing accelerator time, "
                        "consider to post to discuss@tensorflow.org!\n\n");
    tfp_buf_text(b, "\nDoc:\n");
    write_doc_line(b, r->about->doc_label, tfp_doc_of(r));
    for (int i = 0; i < tfp_column_count; i++) {
        const tfp_column *c = &tfp_columns[i];
        if (!tfp_selects(r->options, (tfp_column_id)i)) continue;
        write_doc_of_column(r, c, b);
        for (int k = 0; k < c->brings_count; k++) write_doc_of_column(r, &tfp_columns[c->brings[k]], b);
    }
    if (!r->options->select) tfp_buf_char(b, '\n'); /* TensorFlow joins an empty list of lines */
    tfp_buf_text(b, "\nProfile:\n");
}

static void write_legend(const tfp_report *r, const tfp_column_id *cells, size_t n, tfp_buf *b)
{
    tfp_buf_text(b, "node name | ");
    for (size_t i = 0; i < n; i++) {
        const tfp_column *c = &tfp_columns[cells[i]];
        bool group = tfp_kind_of(r)->groups && c->text.legend_op;
        tfp_buf_printf(b, "%s%s", i ? " | " : "", group ? c->text.legend_op : c->text.legend);
    }
    tfp_buf_char(b, '\n');
}

/* ---- trees: scope, graph, code ---- */

static void write_pair(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b)
{
    const tfp_column *c = &tfp_columns[cell];
    tfp_value v = c->numbers[0].value;
    int64_t own = tfp_whole(v, tfp_own(r, row, v)), total = tfp_whole(v, tfp_total(r, row, v));
    tfp_format_pair(b, c->unit, r->tree->rows.at[row].accounted ? &own : NULL, total);
}

static void write_real(const tfp_report *r, uint32_t row, tfp_column_id cell, bool total, tfp_buf *b)
{
    double x;
    if ((total || r->tree->rows.at[row].accounted) && tfp_cell_number(r, row, cell, total, &x))
        tfp_format_real(b, tfp_columns[cell].unit, x);
    else
        tfp_buf_text(b, "--");
}

static void write_reals(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b)
{
    write_real(r, row, cell, false, b);
    tfp_buf_char(b, '/');
    write_real(r, row, cell, true, b);
}

static void write_occurrence(const tfp_report *r, uint32_t row, tfp_buf *b)
{
    if (tfp_kind_of(r)->groups) {
        tfp_buf_text(b, "occurrence N/A in code view");
        return;
    }
    write_pair(r, row, TFP_C_OCCURRENCE, b);
    tfp_buf_text(b, r->tree->rows.at[row].accounted ? "|1/" : "|--/");
    tfp_format_number(b, tfp_total(r, row, TFP_V_DEFINITIONS));
}

static void write_escaped(tfp_buf *b, tfp_buf *scratch)
{
    if (scratch->failed) b->failed = true;
    tfp_escape(b, (tfp_str){ scratch->data, scratch->size });
    scratch->size = 0;
}

/* Cells of numbers, by kind; labels are written by name. */
static void write_share(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b);
static void write_real_of_type(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b);
static const struct {
    void (*in_tree)(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b);
    void (*in_list)(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b);
} of_kind[TFP_COLUMN_KINDS] = {
    [TFP_COLUMN_IS_SUM] = { write_pair, write_share },
    [TFP_COLUMN_IS_RATIO] = { write_reals, write_real_of_type },
    [TFP_COLUMN_IS_STATISTIC] = { write_reals, write_real_of_type },
};

/* Writes one cell. */
static void write_cell(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b, tfp_buf *scratch)
{
    const tfp_row *x = &r->tree->rows.at[row];
    switch (cell) {
    case TFP_C_PARAMS:
        if (x->node != TFP_NONE && tfp_graph_of(r->profile)->nodes.at[x->node].shape != TFP_NONE) {
            size_t before = b->size;
            tfp_shape_text(r->profile, tfp_graph_of(r->profile)->nodes.at[x->node].shape, b);
            if (b->size != before) tfp_buf_text(b, ", ");
        }
        write_pair(r, row, cell, b);
        break;
    case TFP_C_DEVICE:
        tfp_labels_join_devices(r, row, scratch);
        write_escaped(b, scratch);
        break;
    case TFP_C_OP_TYPES:
        tfp_labels_join_op_types(r, row, scratch);
        write_escaped(b, scratch);
        break;
    case TFP_C_OCCURRENCE: write_occurrence(r, row, b); break;
    case TFP_C_INPUT_SHAPES:
        if (tfp_kind_of(r)->groups)
            tfp_buf_text(b, "input_shapes N/A in code view");
        else if (x->node != TFP_NONE)
            tfp_node_input_shapes(r->profile, x->node, "|", b);
        break;
    default: of_kind[tfp_columns[cell].kind].in_tree(r, row, cell, b);
    }
    if (tfp_columns[cell].text.suffix) tfp_buf_text(b, tfp_columns[cell].text.suffix);
}

/* TensorFlow omits the device cell and its comma if the device is unknown. */
static bool has_cell(const tfp_report *r, uint32_t row, tfp_column_id cell)
{
    const tfp_row *x = &r->tree->rows.at[row];
    if (cell != TFP_C_DEVICE) return true;
    if (tfp_kind_of(r)->groups) return x->member_count > 0;
    return x->node != TFP_NONE && tfp_graph_of(r->profile)->nodes.at[x->node].device != 0;
}

typedef struct tree_rows {
    const tfp_report *r;
    const tfp_column_id *cells;
    size_t n; /* cells */
} tree_rows;

static void write_tree_rows(const void *ctx, size_t first, size_t end, tfp_buf *b)
{
    const tree_rows *t = ctx;
    const tfp_report *r = t->r;
    tfp_buf scratch = { 0 };
    for (uint32_t row = (uint32_t)first; row < end; row++) {
        const tfp_row *x = &r->tree->rows.at[row];
        tfp_buf_fill(b, ' ', 2 * (size_t)x->depth);
        tfp_escape(b, x->name);
        tfp_buf_text(b, " (");
        for (size_t i = 0, written = 0; i < t->n; i++) {
            if (!has_cell(r, row, t->cells[i])) continue;
            if (written++) tfp_buf_text(b, ", ");
            write_cell(r, row, t->cells[i], b, &scratch);
        }
        tfp_buf_text(b, ")\n");
        if (x->tensor != TFP_NONE) tfp_tensor_text(r->tree->tensors.at[x->tensor], b);
    }
    tfp_buf_free(&scratch);
}

static void write_tree(const tfp_report *r, const tfp_column_id *cells, size_t n, tfp_sink *s)
{
    tree_rows t = { r, cells, n };
    size_t bytes = 0; /* estimated size of the long parts of rows */
    for (size_t i = 0; i < r->tree->rows.size; i++)
        bytes += r->tree->rows.at[i].name.size + 2 * (size_t)r->tree->rows.at[i].depth;
    tfp_rows_write(s, r->tree->rows.size, bytes, write_tree_rows, &t);
}

/* ---- the op view's list ---- */

static void pad_left(tfp_buf *b, size_t from, size_t width)
{
    size_t size = b->size - from, pad = size < width ? width - size : 0;
    if (b->failed || pad == 0) return;
    tfp_buf_fill(b, ' ', pad);
    if (b->failed) return;
    memmove(b->data + from + pad, b->data + from, size);
    memset(b->data + from, ' ', pad);
}

/* "VALUE (accumulated%, own%)", relative to the root's total. */
static void write_share(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b)
{
    const tfp_column *c = &tfp_columns[cell];
    tfp_value v = (tfp_value)tfp_value_of(c);
    int64_t own = tfp_own(r, row, v), total = tfp_total(r, row, v), root = tfp_total(r, 0, v);
    bool counts = c->unit == TFP_SIZE ? own > 0 : total > 0;
    double whole = root ? tfp_exact(v, root) : 1;
    size_t from = b->size;
    tfp_format_unit(b, c->unit, tfp_whole(v, own));
    if (c->text.suffix) tfp_buf_text(b, c->text.suffix_op ? c->text.suffix_op : c->text.suffix);
    tfp_buf_text(b, " (");
    tfp_format_percent(b, counts ? 100.0 * tfp_exact(v, total) / whole : 0);
    tfp_buf_text(b, ", ");
    tfp_format_percent(b, counts ? 100.0 * tfp_exact(v, own) / whole : 0);
    tfp_buf_char(b, ')');
    pad_left(b, from, 30);
}

/* The type's own value, because a value that is not a sum cannot be accumulated. */
static void write_real_of_type(const tfp_report *r, uint32_t row, tfp_column_id cell, tfp_buf *b)
{
    size_t from = b->size;
    write_real(r, row, cell, row == 0, b);
    if (tfp_columns[cell].text.suffix) tfp_buf_text(b, tfp_columns[cell].text.suffix);
    pad_left(b, from, 30);
}

/* Members with the same input shapes. */
typedef struct shape_group {
    tfp_str text;
    int64_t defined, runs, ns;
} shape_group;

static const tfp_sort_key by_text[] = { TFP_UP(shape_group, text), { 0 } };

static const tfp_sort_key most_runs_first[] = { TFP_DOWN(shape_group, runs), { 0 } };

static bool group_shapes(const tfp_report *r, uint32_t row, tfp_arena *arena, shape_group **out, size_t *count)
{
    const tfp_row *x = &r->tree->rows.at[row];
    shape_group *g = TFP_NEW(arena, shape_group, x->member_count);
    tfp_buf text = { 0 };
    if (!g) return false;
    for (uint32_t m = 0; m < x->member_count; m++) {
        uint32_t node = r->tree->members[x->member_first + m];
        tfp_node_stats stats;
        tfp_node_stats_at(r->profile, node, r->step, &stats);
        text.size = 0;
        tfp_node_input_shapes(r->profile, node, ",\t", &text);
        tfp_str copy = tfp_buf_copy(&text, arena);
        if (!copy.data) break;
        g[m] = (shape_group){ copy, 1, stats.run_count, stats.total_ns };
    }
    bool ok = !text.failed && (x->member_count == 0 || g[x->member_count - 1].text.data);
    tfp_buf_free(&text);
    if (!ok) return false;
    if (!tfp_order_rows(g, sizeof *g, x->member_count, by_text)) return false;
    size_t n = 0;
    for (uint32_t m = 0; m < x->member_count; m++) {
        if (n && tfp_str_eq(g[n - 1].text, g[m].text)) {
            g[n - 1].defined++;
            g[n - 1].runs = tfp_add(g[n - 1].runs, g[m].runs, NULL);
            g[n - 1].ns = tfp_add(g[n - 1].ns, g[m].ns, NULL);
        } else {
            g[n++] = g[m];
        }
    }
    *out = g;
    *count = n;
    return true;
}

static void write_shapes(const tfp_report *r, uint32_t row, tfp_buf *b)
{
    tfp_arena arena = { 0 };
    shape_group *g;
    size_t n;
    bool ok = group_shapes(r, row, &arena, &g, &n) && tfp_order_rows(g, sizeof *g, n, most_runs_first);
    if (!ok) b->failed = true;
    if (ok && n) tfp_buf_char(b, '\n');
    for (size_t i = 0; ok && i < n; i++) {
        const shape_group *x = &g[i];
        tfp_buf_printf(b, "%sinput_type: ", i ? "\n" : "");
        tfp_buf_str(b, x->text);
        tfp_buf_printf(b, "\t(run*%lld|defined*%lld)\texec_time: ", (long long)x->runs, (long long)x->defined);
        tfp_format_time(b, tfp_micros(x->ns));
    }
    if (ok && n) tfp_buf_text(b, "\n\n");
    tfp_arena_free(&arena);
}

static void write_op_row(const tfp_report *r, uint32_t row, const tfp_column_id *cells, size_t n, tfp_buf *b,
                         tfp_buf *scratch)
{
    size_t from = b->size, size;
    tfp_escape(b, r->tree->rows.at[row].name);
    size = b->size - from;
    if (size < 25) tfp_buf_fill(b, ' ', 25 - size);
    for (size_t i = 0, written = 0; i < n; i++) {
        if (cells[i] == TFP_C_INPUT_SHAPES) continue;
        if (written++) tfp_buf_text(b, ", ");
        if (cells[i] == TFP_C_DEVICE || cells[i] == TFP_C_OP_TYPES) {
            write_cell(r, row, cells[i], b, scratch);
        } else if (cells[i] == TFP_C_OCCURRENCE) {
            from = b->size;
            tfp_buf_int(b, tfp_own(r, row, TFP_V_RUNS));
            tfp_buf_char(b, '|');
            tfp_buf_int(b, r->tree->rows.at[row].member_count);
            pad_left(b, from, 10);
        } else {
            of_kind[tfp_columns[cells[i]].kind].in_list(r, row, cells[i], b);
        }
    }
    tfp_buf_char(b, '\n');
    if (tfp_selects(r->options, TFP_C_INPUT_SHAPES)) write_shapes(r, row, b);
}

/* For a profile without nodes TensorFlow's op view shows the root, and no legend. */
static bool has_no_types(const tfp_report *r)
{
    return tfp_kind_of(r)->list && tfp_graph_of(r->profile)->nodes.size == 0;
}

static void write_list(const tfp_report *r, const tfp_column_id *cells, size_t n, tfp_sink *s)
{
    tfp_buf scratch = { 0 };
    uint32_t first = has_no_types(r) ? 0 : 1; /* otherwise the root is not shown */
    for (uint32_t row = first; row < r->tree->rows.size; row++) {
        write_op_row(r, row, cells, n, &s->buf, &scratch);
        tfp_sink_flush_if_full(s);
    }
    tfp_buf_free(&scratch);
}

/* ---- advise ---- */

static void write_findings(const tfp_report *r, tfp_buf *b)
{
    size_t at = 0;
    for (uint32_t row = 1; row < r->tree->rows.size; row++) {
        tfp_buf_printf(b, "\n%.*s:\n", (int)r->tree->rows.at[row].name.size, r->tree->rows.at[row].name.data);
        for (; at < r->findings.size && r->findings.at[at].checker == row; at++) {
            tfp_screen_wrap(b, r->findings.at[at].text, 0, tfp_for_screen(r->options) ? r->options->to.screen : 0);
            tfp_buf_char(b, '\n');
        }
    }
}

static tfp_status write_text(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    tfp_column_id cells[TFP_COLUMNS_MAX];
    const tfp_kind_traits *kind = tfp_kind_of(r);
    if (kind->table) return tfp_grid_text(r, s, err);
    if (kind->findings) return write_findings(r, &s->buf), TFP_OK;
    if (r->options->compat10 && !kind->groups) return tfp_text_compat10(r, s, err);
    size_t n = list_cells(r, cells);
    if (tfp_is_aligned(r)) return tfp_screen_text(r, cells, n, s, err);
    write_doc(r, &s->buf);
    if (!has_no_types(r)) write_legend(r, cells, n, &s->buf);
    if (kind->list)
        write_list(r, cells, n, s);
    else
        write_tree(r, cells, n, s);
    return TFP_OK;
}

const tfp_output_format tfp_output_text = { "text", "As TensorFlow's tfprof prints it.", true, write_text };
