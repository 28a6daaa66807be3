// SPDX-License-Identifier: Apache-2.0
/* outputs/core/table.c: the columns of table.h, one row for each, and functions that read their cells. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tensors.h"
#include "options/options.h"
#include "outputs/core/table.h"
#include "views/core/findings.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/texts.h"
#include "wire/json.h"

#include <math.h>

/* ---- numbers ---- */

static bool own_value(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    const int64_t *n = tfp_own_of(r, row, from);
    if (n) *out = tfp_whole(from, *n);
    return n != NULL; /* NULL: the report was built without it */
}

static bool total_value(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    const int64_t *n = tfp_total_of(r, row, from);
    if (n) *out = tfp_whole(from, *n);
    return n != NULL;
}

static bool own_time(const tfp_report *r, uint32_t row, const tfp_flat *f, double *out)
{
    const int64_t *n = tfp_own_of(r, row, f->from);
    if (n) *out = tfp_exact(f->from, *n);
    return n != NULL;
}

static bool total_time(const tfp_report *r, uint32_t row, const tfp_flat *f, double *out)
{
    const int64_t *n = tfp_total_of(r, row, f->from);
    if (n) *out = tfp_exact(f->from, *n);
    return n != NULL;
}

static bool own_real(const tfp_report *r, uint32_t row, const tfp_flat *f, double *out)
{
    return tfp_cell_number(r, row, (tfp_column_id)f->column, false, out);
}

static bool total_real(const tfp_report *r, uint32_t row, const tfp_flat *f, double *out)
{
    return tfp_cell_number(r, row, (tfp_column_id)f->column, true, out);
}

static bool row_number(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)r, (void)from;
    *out = row;
    return true;
}

/* In the op view rows are nested only to add up totals: the list is flat. */
static bool row_parent(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->kind == TFP_REPORT_LIST ? 0 : r->tree->rows.at[row].parent;
    return row != 0;
}

static bool row_depth(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->tree->rows.at[row].depth;
    return true;
}

static bool row_accounted(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->tree->rows.at[row].accounted;
    return true;
}

static bool row_hidden(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->tree->rows.at[row].hidden;
    return true;
}

/* ---- texts ---- */

static void row_name(tfp_cells *c, uint32_t row, tfp_buf *out) { tfp_escape(out, c->r->tree->rows.at[row].name); }

static void put_labels(tfp_cells *c, bool found, tfp_buf *out)
{
    if (!found) out->failed = true;
    for (size_t i = 0; i < c->labels.size; i++) {
        if (i) tfp_buf_char(out, '|');
        tfp_escape(out, tfp_text(c->r->profile, c->labels.at[i]));
    }
}

static void row_devices(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    put_labels(c, tfp_labels_devices(c->r, row, &c->labels), out);
}

static void row_op_types(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    put_labels(c, tfp_labels_op_types(c->r, row, &c->labels), out);
}

static void row_input_shapes(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    uint32_t node = c->r->tree->rows.at[row].node;
    if (node != TFP_NONE) tfp_node_input_shapes(c->r->profile, node, "|", out);
}

static void row_shape(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    uint32_t node = c->r->tree->rows.at[row].node;
    if (node != TFP_NONE) tfp_shape_text(c->r->profile, tfp_graph_of(c->r->profile)->nodes.at[node].shape, out);
}

static const tfp_tensor *tensor_of(const tfp_report *r, uint32_t row)
{
    uint32_t tensor = r->tree->rows.at[row].tensor;
    return tensor == TFP_NONE ? NULL : r->tree->tensors.at[tensor];
}

static void tensor_dtype(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    const tfp_tensor *t = tensor_of(c->r, row);
    if (t) tfp_buf_text(out, tfp_dtype_name(t->dtype));
}

static void tensor_shape(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    const tfp_tensor *t = tensor_of(c->r, row);
    for (size_t i = 0; t && i < t->dim_count; i++) {
        if (i) tfp_buf_char(out, 'x');
        tfp_buf_int(out, t->dims[i]);
    }
}

static void put_element(tfp_buf *b, const tfp_tensor *t, size_t i)
{
    if (t->kind == TFP_VALUES_DOUBLE)
        tfp_put_shortest(b, t->doubles[i]);
    else if (t->kind == TFP_VALUES_INT)
        tfp_buf_int(b, t->ints[i]);
    else
        tfp_escape(b, t->strings[i]);
}

/* Appends the values in row-major order, separated by blanks. */
static void tensor_values(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    const tfp_tensor *t = tensor_of(c->r, row);
    for (size_t i = 0; t && t->kind != TFP_VALUES_NONE && i < t->count; i++) {
        if (i) tfp_buf_char(out, ' ');
        put_element(out, t, i);
    }
}

static void finding_checker(tfp_cells *c, uint32_t finding, tfp_buf *out)
{
    tfp_escape(out, c->r->tree->rows.at[c->r->findings.at[finding].checker].name);
}

/* tfprof makes the lines of a finding, but names inside them come from files. */
static void finding_text(tfp_cells *c, uint32_t finding, tfp_buf *out)
{
    tfp_str text = c->r->findings.at[finding].text;
    for (const char *end; (end = memchr(text.data, '\n', text.size));) {
        size_t n = (size_t)(end - text.data);
        tfp_escape(out, (tfp_str){ text.data, n });
        tfp_buf_char(out, '\n');
        text.data += n + 1;
        text.size -= n + 1;
    }
    tfp_escape(out, text);
}

static bool finding_real(const tfp_report *r, uint32_t finding, const tfp_flat *f, double *out)
{
    const tfp_finding *x = &r->findings.at[finding];
    *out = *f->name == 's' ? x->seconds : x->gain_seconds;
    return !isnan(*out);
}

static bool finding_span(const tfp_report *r, uint32_t finding, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->findings.at[finding].evidence.span;
    return r->findings.at[finding].evidence.span != TFP_NONE;
}

static void finding_file(tfp_cells *c, uint32_t finding, tfp_buf *out)
{
    tfp_escape(out, c->r->findings.at[finding].file);
}

static void finding_command(tfp_cells *c, uint32_t finding, tfp_buf *out)
{
    tfp_escape(out, c->r->findings.at[finding].command);
}

/* ---- the columns ---- */

#define ROW_NUMBER(name, type, null, column, get)                                                                      \
    {                                                                                                                  \
        name, type, null, column, TFP_V_COUNT, get, NULL, NULL, NULL                                                   \
    }
#define TEXT(name, column, get)                                                                                        \
    {                                                                                                                  \
        name, 's', false, column, TFP_V_COUNT, NULL, NULL, get, NULL                                                   \
    }

#define REAL(name, column, get)                                                                                        \
    {                                                                                                                  \
        name, 'r', true, column, TFP_V_COUNT, NULL, get, NULL, NULL                                                    \
    }

/* clang-format off */
/* The first four also precede a grid's own columns when its rows are a tree. */
static const tfp_flat row_columns[] = {
    TEXT("name", TFP_FLAT_ALWAYS, row_name),
    ROW_NUMBER("row", 'i', false, TFP_FLAT_ALWAYS, row_number),
    ROW_NUMBER("parent", 'i', true, TFP_FLAT_ALWAYS, row_parent), /* the root has none */
    ROW_NUMBER("depth", 'i', false, TFP_FLAT_ALWAYS, row_depth),
    ROW_NUMBER("accounted", 'b', false, TFP_FLAT_TYPED, row_accounted),
};
enum { TREE_COLUMNS = 4, ROW_COLUMNS = sizeof row_columns / sizeof *row_columns };

/* The columns that a label of -select adds. */
static const tfp_flat label_columns[] = {
    TEXT("device", TFP_C_DEVICE, row_devices),
    TEXT("input_shapes", TFP_C_INPUT_SHAPES, row_input_shapes),
    ROW_NUMBER("num_hidden_ops", 'i', false, TFP_C_NUM_HIDDEN_OPS, row_hidden),
    TEXT("op_types", TFP_C_OP_TYPES, row_op_types),
    TEXT("tensor_dtype", TFP_C_TENSOR_VALUE, tensor_dtype),
    TEXT("tensor_shape", TFP_C_TENSOR_VALUE, tensor_shape),
    TEXT("tensor_value", TFP_C_TENSOR_VALUE, tensor_values),
};

static const tfp_flat shape_column = TEXT("shape", TFP_FLAT_ASKED, row_shape);

static const tfp_flat finding_columns[] = {
    TEXT("checker", TFP_FLAT_ALWAYS, finding_checker),
    TEXT("report", TFP_FLAT_ALWAYS, finding_text),
    REAL("seconds", TFP_FLAT_ALWAYS, finding_real),
    REAL("gain_seconds", TFP_FLAT_ALWAYS, finding_real),
    TEXT("file", TFP_FLAT_ALWAYS, finding_file),
    ROW_NUMBER("span", 'i', true, TFP_FLAT_ALWAYS, finding_span),
    TEXT("command", TFP_FLAT_ALWAYS, finding_command),
};
/* clang-format on */

static bool part_of_sum(const tfp_report *r, tfp_column_id id, size_t i, tfp_flat *out)
{
    const tfp_column *c = &tfp_columns[id];
    for (int k = 0; k < c->number_count; k++) {
        const tfp_number *n = &c->numbers[k];
        bool real = tfp_is_time(n->value) && tfp_fine_times(r->profile);
        *out = (tfp_flat){ .type = real ? 'r' : 'i', .null = true, .column = (int)id, .from = n->value };
        bool own = n->own && i-- == 0;
        if (!own && !(n->total && i-- == 0)) continue;
        out->name = own ? n->own : n->total;
        if (real)
            out->real = own ? own_time : total_time;
        else
            out->number = own ? own_value : total_value;
        return true;
    }
    return false;
}

/* A number that cannot be summed: the row's own value, and the one for its total. */
static bool part_of_real(const tfp_report *r, tfp_column_id id, size_t i, tfp_flat *out)
{
    const tfp_column *c = &tfp_columns[id];
    (void)r;
    if (i > 1) return false;
    *out = (tfp_flat){ .name = i ? c->total : c->name, .type = 'r', .null = true, .column = (int)id };
    out->real = i ? total_real : own_real;
    return true;
}

static bool part_of_label(const tfp_report *r, tfp_column_id id, size_t i, tfp_flat *out)
{
    (void)r;
    for (size_t k = 0; k < sizeof label_columns / sizeof *label_columns; k++)
        if (label_columns[k].column == (int)id && i-- == 0) return *out = label_columns[k], true;
    return false;
}

/* Column `i` of those that a column of -select adds, by its kind; false past the end. */
static bool (*const of_kind[TFP_COLUMN_KINDS])(const tfp_report *r, tfp_column_id id, size_t i, tfp_flat *out) = {
    [TFP_COLUMN_IS_LABEL] = part_of_label,
    [TFP_COLUMN_IS_SUM] = part_of_sum,
    [TFP_COLUMN_IS_RATIO] = part_of_real,
    [TFP_COLUMN_IS_STATISTIC] = part_of_real,
};

static bool part_of(const tfp_report *r, tfp_column_id id, size_t i, tfp_flat *out)
{
    return of_kind[tfp_columns[id].kind](r, id, i, out);
}

/* Iterates over all columns that a report can have, whether its table has them or not. */
typedef struct walk {
    const tfp_report *r;
    size_t fixed, part, own;
    int column;
} walk;

static bool next_of_rows(walk *w, tfp_flat *out)
{
    if (w->fixed < ROW_COLUMNS) return *out = row_columns[w->fixed++], true;
    for (; w->column < tfp_column_count; w->column++, w->part = 0)
        if (part_of(w->r, (tfp_column_id)w->column, w->part, out)) return w->part++, true;
    if (w->fixed > ROW_COLUMNS) return false;
    w->fixed++;
    *out = shape_column;
    return true;
}

static bool next(walk *w, tfp_flat *out)
{
    const tfp_report *r = w->r;
    switch (r->kind) {
    case TFP_REPORT_FINDINGS:
        if (w->fixed >= sizeof finding_columns / sizeof *finding_columns) return false;
        *out = finding_columns[w->fixed++];
        return true;
    case TFP_REPORT_GRID:
        if (r->grid->tree && w->fixed < TREE_COLUMNS) return *out = row_columns[w->fixed++], true;
        break;
    default:
        if (next_of_rows(w, out)) return true;
    }
    if (w->own >= r->grid->columns.size) return false;
    *out = tfp_flat_of(&r->grid->columns.at[w->own++]);
    return true;
}

static bool is_in(const tfp_flat *f, const tfp_report *r, bool typed)
{
    if (f->column >= 0) return tfp_selects(r->options, (tfp_column_id)f->column);
    return f->column == TFP_FLAT_ALWAYS || (f->column == TFP_FLAT_TYPED && typed);
}

tfp_flat tfp_flat_of(const tfp_grid_column *c)
{
    return (
        tfp_flat){ .name = c->name, .type = c->type, .null = c->absent != NULL, .column = TFP_FLAT_ALWAYS, .grid = c };
}

bool tfp_table_column(const tfp_report *r, bool typed, size_t i, tfp_flat *out)
{
    tfp_flat f;
    for (walk w = { .r = r }; next(&w, &f);)
        if (is_in(&f, r, typed) && i-- == 0) return *out = f, true;
    return false;
}

bool tfp_table_columns(const tfp_report *r, bool typed, tfp_flats *out)
{
    tfp_flat f;
    for (walk w = { .r = r }; next(&w, &f);)
        if (is_in(&f, r, typed) && !tfp_push(out, f)) return false;
    return true;
}

bool tfp_table_find(const tfp_report *r, const char *name, tfp_flat *out)
{
    tfp_flat f;
    for (walk w = { .r = r }; next(&w, &f);)
        if (strcmp(f.name, name) == 0) return *out = f, true;
    return false;
}

size_t tfp_table_rows(const tfp_report *r)
{
    switch (r->kind) {
    case TFP_REPORT_FINDINGS: return r->findings.size;
    case TFP_REPORT_GRID: return r->grid->row_count;
    default: return r->tree->rows.size;
    }
}

tfp_unit tfp_flat_unit(const tfp_flat *f)
{
    if (f->grid) return f->grid->unit;
    return f->column >= 0 ? tfp_columns[f->column].unit : TFP_LABEL;
}

/* ---- cells ---- */

static bool there(const tfp_flat *f, uint32_t row) { return !f->grid->absent || !f->grid->absent[row]; }

bool tfp_flat_int(const tfp_flat *f, const tfp_report *r, uint32_t row, int64_t *out)
{
    if (f->number) return f->number(r, row, f->from, out);
    if (!f->grid || !f->grid->ints || !there(f, row)) return false;
    *out = f->grid->ints[row];
    return true;
}

bool tfp_flat_real(const tfp_flat *f, const tfp_report *r, uint32_t row, double *out)
{
    if (f->real) return f->real(r, row, f, out);
    if (!f->grid || !f->grid->reals || !there(f, row)) return false;
    *out = f->grid->reals[row];
    return true;
}

bool tfp_flat_text(const tfp_flat *f, tfp_cells *c, uint32_t row, tfp_buf *out)
{
    if (f->text) return f->text(c, row, out), true;
    if (!f->grid || !f->grid->texts || !there(f, row)) return false;
    tfp_escape(out, f->grid->texts[row]);
    return true;
}
