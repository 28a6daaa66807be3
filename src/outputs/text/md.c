// SPDX-License-Identifier: Apache-2.0
/* outputs/text/md.c: a report as a GitHub table, for issues and pull requests. Numbers look as in text.c; names are escaped,
 * so that nothing in them becomes markup. */
#include "model/tables/read.h"
#include "model/tensors.h"
#include "options/options.h"
#include "views/core/labels.h"
#include "outputs/core/output.h"
#include "outputs/text/grid_text.h"
#include "views/core/findings.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/texts.h"
#include "wire/json.h"

#include <stdlib.h>

#define MAX_INDENT 64 /* levels of indentation: deeper rows have no more */
#define MAX_VALUES 16 /* values of a tensor that are shown; of the others only the number */

typedef struct writer {
    const tfp_report *r;
    tfp_sink *sink;
    tfp_buf *out;
    tfp_buf cell;
    tfp_labels labels;
    bool nomem;
} writer;

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* An underscore inside a word is not emphasis, and names read better without escapes. */
static bool is_markup(tfp_str s, size_t i)
{
    if (i == 0 && memchr("-+=", s.data[0], 3)) return true; /* a list or a heading, at the start of a line */
    if (s.data[i] == '_') return i == 0 || i + 1 == s.size || !is_word(s.data[i - 1]) || !is_word(s.data[i + 1]);
    return memchr("\\`*[]{}|~#!$", s.data[i], 12) != NULL;
}

/* Escapes everything in w->cell that Markdown or HTML would interpret. */
static void put_cell(writer *w)
{
    tfp_str s = { w->cell.data, w->cell.size };
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '<')
            tfp_buf_text(w->out, "&lt;");
        else if (s.data[i] == '>')
            tfp_buf_text(w->out, "&gt;");
        else if (s.data[i] == '&')
            tfp_buf_text(w->out, "&amp;");
        else {
            if (is_markup(s, i)) tfp_buf_char(w->out, '\\');
            tfp_buf_char(w->out, s.data[i]);
        }
    }
    w->nomem |= w->cell.failed;
    w->cell.size = 0;
}

static void put_text(writer *w, tfp_str s)
{
    tfp_escape(&w->cell, s);
    put_cell(w);
}

/* Totals of the op view are sums over the rest of the list, which mean little to readers. */
static bool has_totals(const writer *w) { return !tfp_kind_of(w->r)->list; }

static void put_name(writer *w, uint32_t row)
{
    const tfp_row *x = &w->r->tree->rows.at[row];
    uint32_t depth = x->depth < MAX_INDENT ? x->depth : MAX_INDENT;
    tfp_buf_text(w->out, "| ");
    for (uint32_t i = 0; i < depth; i++) tfp_buf_text(w->out, "&nbsp;&nbsp;");
    put_text(w, row == 0 && !has_totals(w) ? TFP_STR("(all)") : tfp_shown_name(w->r, row));
    tfp_buf_text(w->out, " |");
}

static void put_value(writer *w, const int64_t *n, tfp_value value, tfp_unit unit)
{
    tfp_buf_char(w->out, ' ');
    if (n) tfp_report_put_number(w->r, value, unit, *n, w->out);
    tfp_buf_text(w->out, " |");
}

static void put_number(writer *w, uint32_t row, tfp_column_id id, bool total)
{
    double x;
    tfp_buf_char(w->out, ' ');
    if (tfp_cell_number(w->r, row, id, total, &x)) tfp_format_real(w->out, tfp_columns[id].unit, x);
    tfp_buf_text(w->out, " |");
}

static void put_labels(writer *w, bool found)
{
    if (!found) w->nomem = true;
    tfp_buf_char(w->out, ' ');
    for (size_t i = 0; i < w->labels.size; i++) {
        if (i) tfp_buf_text(w->out, ", ");
        put_text(w, tfp_text(w->r->profile, w->labels.at[i]));
    }
    tfp_buf_text(w->out, " |");
}

static void put_tensor(writer *w, const tfp_row *x)
{
    tfp_buf_char(w->out, ' ');
    if (x->tensor != TFP_NONE) {
        const tfp_tensor *t = w->r->tree->tensors.at[x->tensor];
        tfp_buf_text(&w->cell, tfp_dtype_name(t->dtype));
        for (size_t i = 0; t->kind != TFP_VALUES_NONE && i < t->count && i < MAX_VALUES; i++) {
            tfp_buf_char(&w->cell, ' ');
            if (t->kind == TFP_VALUES_DOUBLE)
                tfp_put_shortest(&w->cell, t->doubles[i]);
            else if (t->kind == TFP_VALUES_INT)
                tfp_buf_int(&w->cell, t->ints[i]);
            else
                tfp_escape(&w->cell, t->strings[i]);
        }
        put_cell(w);
        if (t->kind != TFP_VALUES_NONE && t->count > MAX_VALUES) {
            tfp_buf_text(w->out, " and ");
            tfp_buf_int(w->out, (int64_t)(t->count - MAX_VALUES));
            tfp_buf_text(w->out, " more");
        }
    }
    tfp_buf_text(w->out, " |");
}

static void put_input_shapes(writer *w, const tfp_row *x)
{
    tfp_buf_char(w->out, ' ');
    if (x->node != TFP_NONE) tfp_node_input_shapes(w->r->profile, x->node, ", ", &w->cell);
    put_cell(w);
    tfp_buf_text(w->out, " |");
}

static void put_header(writer *w, const char *prefix, const char *name)
{
    tfp_buf_char(w->out, ' ');
    tfp_buf_text(w->out, prefix);
    tfp_buf_text(w->out, name);
    tfp_buf_text(w->out, " |");
}

static void put_sum_header(writer *w, const tfp_column *c)
{
    for (int i = 0; i < c->number_count; i++) {
        const tfp_number *n = &c->numbers[i];
        if (n->own) put_header(w, "", i || !c->head ? n->own : c->head);
        if (n->total && has_totals(w)) put_header(w, "total ", i || !c->head ? n->total + strlen("total_") : c->head);
    }
}

static void put_real_header(writer *w, const tfp_column *c)
{
    put_header(w, "", c->name);
    if (has_totals(w)) put_header(w, "total ", c->name);
}

static void put_label_header(writer *w, const tfp_column *c) { put_header(w, "", c->name); }

static void put_sum_rule(writer *w, const tfp_column *c)
{
    for (int i = 0; i < c->number_count; i++)
        tfp_buf_text(w->out, c->numbers[i].own && c->numbers[i].total && has_totals(w) ? " ---: | ---: |" : " ---: |");
}

static void put_real_rule(writer *w, const tfp_column *c)
{
    (void)c;
    tfp_buf_text(w->out, has_totals(w) ? " ---: | ---: |" : " ---: |");
}

static void put_label_rule(writer *w, const tfp_column *c)
{
    (void)c;
    tfp_buf_text(w->out, " --- |");
}

static void put_sum(writer *w, tfp_column_id id, uint32_t row)
{
    const tfp_column *c = &tfp_columns[id];
    for (int i = 0; i < c->number_count; i++) {
        const tfp_number *n = &c->numbers[i];
        bool sum = !row && !has_totals(w); /* the root of the op view */
        if (n->own) put_value(w, (sum ? tfp_total_of : tfp_own_of)(w->r, row, n->value), n->value, c->unit);
        if (n->total && has_totals(w)) put_value(w, tfp_total_of(w->r, row, n->value), n->value, c->unit);
    }
}

static void put_real(writer *w, tfp_column_id id, uint32_t row)
{
    put_number(w, row, id, false);
    if (has_totals(w)) put_number(w, row, id, true);
}

static void put_label(writer *w, tfp_column_id id, uint32_t row)
{
    const tfp_report *r = w->r;
    switch (id) {
    case TFP_C_TENSOR_VALUE: put_tensor(w, &r->tree->rows.at[row]); break;
    case TFP_C_DEVICE: put_labels(w, tfp_labels_devices(r, row, &w->labels)); break;
    case TFP_C_OP_TYPES: put_labels(w, tfp_labels_op_types(r, row, &w->labels)); break;
    case TFP_C_INPUT_SHAPES: put_input_shapes(w, &r->tree->rows.at[row]); break;
    case TFP_C_NUM_HIDDEN_OPS:
        tfp_buf_char(w->out, ' ');
        tfp_buf_int(w->out, r->tree->rows.at[row].hidden);
        tfp_buf_text(w->out, " |");
        break;
    default: break;
    }
}

/* How the kinds of columns are written. */
static const struct {
    void (*header)(writer *w, const tfp_column *c), (*rule)(writer *w, const tfp_column *c);
    void (*cell)(writer *w, tfp_column_id id, uint32_t row);
} of_kind[TFP_COLUMN_KINDS] = {
    [TFP_COLUMN_IS_LABEL] = { put_label_header, put_label_rule, put_label },
    [TFP_COLUMN_IS_SUM] = { put_sum_header, put_sum_rule, put_sum },
    [TFP_COLUMN_IS_RATIO] = { put_real_header, put_real_rule, put_real },
    [TFP_COLUMN_IS_STATISTIC] = { put_real_header, put_real_rule, put_real },
};

/* Whether the table has this column. Where device and host time have a column each, their sum has none. */
static bool is_shown(const tfp_report *r, tfp_column_id id)
{
    bool part = id == TFP_C_ACCELERATOR_MICROS || id == TFP_C_CPU_MICROS;
    if (!r->options->made.apart) return tfp_selects(r->options, id);
    return id != TFP_C_MICROS && (tfp_selects(r->options, id) || (part && tfp_selects(r->options, TFP_C_MICROS)));
}

static void put_table(writer *w)
{
    const tfp_report *r = w->r;
    tfp_buf_text(w->out, "| name |");
    for (int i = 0; i < tfp_column_count; i++)
        if (is_shown(r, (tfp_column_id)i)) of_kind[tfp_columns[i].kind].header(w, &tfp_columns[i]);
    tfp_buf_text(w->out, "\n| --- |");
    for (int i = 0; i < tfp_column_count; i++)
        if (is_shown(r, (tfp_column_id)i)) of_kind[tfp_columns[i].kind].rule(w, &tfp_columns[i]);
    tfp_buf_char(w->out, '\n');
    for (uint32_t row = 0; row < r->tree->rows.size && !w->sink->status && !w->nomem; row++) {
        put_name(w, row);
        for (int i = 0; i < tfp_column_count; i++)
            if (is_shown(r, (tfp_column_id)i)) of_kind[tfp_columns[i].kind].cell(w, (tfp_column_id)i, row);
        tfp_buf_char(w->out, '\n');
        tfp_sink_flush_if_full(w->sink);
    }
}

/* One finding as a list item; its further lines belong to that item. */
static void put_finding(writer *w, tfp_str text)
{
    tfp_buf_text(w->out, "- ");
    while (text.size) {
        tfp_str line = tfp_str_cut_line(&text);
        size_t blanks = 0; /* Markdown would remove them */
        for (; blanks < line.size && line.data[blanks] == ' '; blanks++) tfp_buf_text(w->out, "&nbsp;");
        put_text(w, (tfp_str){ line.data + blanks, line.size - blanks });
        if (text.size) tfp_buf_text(w->out, "<br>\n  ");
    }
    tfp_buf_char(w->out, '\n');
}

static void put_findings(writer *w)
{
    const tfp_report *r = w->r;
    for (uint32_t row = 1; row < r->tree->rows.size; row++) {
        tfp_buf_text(w->out, row > 1 ? "\n### " : "### ");
        put_text(w, r->tree->rows.at[row].name);
        tfp_buf_text(w->out, "\n\n");
        for (size_t i = 0; i < r->findings.size; i++)
            if (r->findings.at[i].checker == row) put_finding(w, r->findings.at[i].text);
        tfp_sink_flush_if_full(w->sink);
    }
}

/* Notes as a quotation before the table. */
static void put_notes(writer *w)
{
    for (size_t i = 0; i < w->r->notes.size; i++) {
        tfp_buf_text(w->out, i ? ">\n> " : "> ");
        put_text(w, tfp_str_of(w->r->notes.at[i].text));
        tfp_buf_char(w->out, '\n');
    }
    if (w->r->notes.size) tfp_buf_char(w->out, '\n');
}

static void put_facts(writer *w)
{
    bool any = false;
    for (size_t i = 0; i < w->r->facts.size; i++) {
        const tfp_fact *f = &w->r->facts.at[i];
        if (!f->label) continue;
        tfp_buf_text(w->out, "- ");
        tfp_buf_text(w->out, f->label);
        tfp_buf_text(w->out, ": **");
        tfp_fact_value(f, &w->cell);
        put_cell(w);
        tfp_buf_text(w->out, f->more.size ? "** " : "**");
        put_text(w, f->more);
        tfp_buf_char(w->out, '\n');
        any = true;
    }
    if (any) tfp_buf_char(w->out, '\n');
}

/* A grid: texts to the left, numbers to the right. */
static void put_grid(writer *w, const tfp_grid *g)
{
    const tfp_report *r = w->r;
    tfp_cells cells = tfp_cells_of(r);
    tfp_column_vec columns = { 0 };
    size_t rows = tfp_grid_few(g);
    w->nomem |= !tfp_grid_columns(g, &columns);
    if (g->tree) tfp_buf_text(w->out, "| name ");
    for (size_t i = 0; i < columns.size; i++) {
        tfp_buf_text(w->out, "| ");
        tfp_grid_head(&columns.at[i], &w->cell);
        put_cell(w);
        tfp_buf_char(w->out, ' ');
    }
    tfp_buf_text(w->out, g->tree ? "|\n| --- " : "|\n");
    for (size_t i = 0; i < columns.size; i++) tfp_buf_text(w->out, columns.at[i].type == 's' ? "| --- " : "| ---: ");
    tfp_buf_text(w->out, "|\n");
    for (uint32_t row = 0; row < rows && !w->sink->status && !w->nomem; row++) {
        if (g->tree)
            put_name(w, row);
        else
            tfp_buf_char(w->out, '|');
        for (size_t i = 0; i < columns.size; i++) {
            tfp_buf_char(w->out, ' ');
            tfp_grid_cell(&columns.at[i], &cells, row, &w->cell);
            put_cell(w);
            tfp_buf_text(w->out, " |");
        }
        tfp_buf_char(w->out, '\n');
        tfp_sink_flush_if_full(w->sink);
    }
    if (rows < g->row_count) tfp_buf_printf(w->out, "\n... and %zu more\n", g->row_count - rows);
    tfp_vec_free(&columns);
    tfp_cells_free(&cells);
}

static void put_report_grid(writer *w)
{
    put_notes(w);
    put_facts(w);
    for (size_t i = 0; i < w->r->parts.size; i++) {
        if (!w->r->parts.at[i].leads) continue;
        put_text(w, tfp_str_of(w->r->parts.at[i].title));
        tfp_buf_text(w->out, "\n\n");
        put_grid(w, &w->r->parts.at[i].grid);
        tfp_buf_char(w->out, '\n');
    }
    if (!w->r->grid->key) put_grid(w, w->r->grid);
    for (size_t i = 0; i < w->r->parts.size; i++) {
        if (w->r->parts.at[i].leads || w->r->parts.at[i].reader == TFP_PART_PROGRAMS) continue;
        tfp_buf_printf(w->out, "\n### %s\n\n", w->r->parts.at[i].title);
        put_grid(w, &w->r->parts.at[i].grid);
    }
}

static tfp_status write_md(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    writer w = { .r = r, .sink = s, .out = &s->buf };
    if (tfp_kind_of(r)->findings)
        put_findings(&w);
    else if (tfp_kind_of(r)->table)
        put_report_grid(&w);
    else
        put_table(&w);
    bool nomem = w.nomem || w.cell.failed;
    tfp_buf_free(&w.cell);
    tfp_vec_free(&w.labels);
    return nomem ? tfp_nomem(err) : TFP_OK;
}

const tfp_output_format tfp_output_md = {
    .name = "md",
    .help = "A Markdown table as GitHub shows it, numbers made short for people.",
    .in_format_option = true,
    .write = write_md,
};
