// SPDX-License-Identifier: Apache-2.0
/* views/core/table.c: the columns of table.h, one row for each, and functions that read their cells. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tensors.h"
#include "options/options.h"
#include "views/core/table.h"
#include "views/core/findings.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/texts.h"
#include "wire/json.h"

#include <math.h>

typedef tfp_table_column column; /* of a tree's row, or of a finding: its cells are read by a function */

/* ---- numbers ---- */

/* NULL: the report was built without the number. */
static bool put_value(const column *c, const int64_t *n, tfp_cell *out)
{
    if (!n) return false;
    if (c->type == TFP_CELL_REAL)
        out->real = tfp_exact(c->value, *n);
    else
        out->number = tfp_whole(c->value, *n);
    return true;
}

static bool own_value(tfp_cells *x, const column *c, uint32_t row, tfp_cell *out)
{
    return put_value(c, tfp_own_of(x->r, row, (tfp_value)c->value), out);
}

static bool total_value(tfp_cells *x, const column *c, uint32_t row, tfp_cell *out)
{
    return put_value(c, tfp_total_of(x->r, row, (tfp_value)c->value), out);
}

static bool own_real(tfp_cells *x, const column *c, uint32_t row, tfp_cell *out)
{
    return tfp_cell_number(x->r, row, (tfp_column_id)c->select, false, &out->real);
}

static bool total_real(tfp_cells *x, const column *c, uint32_t row, tfp_cell *out)
{
    return tfp_cell_number(x->r, row, (tfp_column_id)c->select, true, &out->real);
}

/* ---- the place of a row, and its labels ---- */

enum place {
    NAME,
    ROW,
    PARENT,
    DEPTH,
    ACCOUNTED,
    HIDDEN,
    DEVICE,
    OP_TYPES,
    INPUT_SHAPES,
    SHAPE,
    T_DTYPE,
    T_SHAPE,
    T_VALUE
};

static void put_labels(tfp_cells *x, bool found, tfp_buf *out)
{
    if (!found) out->failed = true;
    for (size_t i = 0; i < x->labels.size; i++) {
        if (i) tfp_buf_char(out, '|');
        tfp_escape(out, tfp_text(x->r->profile, x->labels.at[i]));
    }
}

/* The values of a tensor are in row-major order, separated by blanks. */
static void put_tensor(const tfp_tensor *t, enum place what, tfp_buf *out)
{
    if (what == T_DTYPE) tfp_buf_text(out, tfp_dtype_name(t->dtype));
    for (size_t i = 0; what == T_SHAPE && i < t->dim_count; i++) {
        if (i) tfp_buf_char(out, 'x');
        tfp_buf_int(out, t->dims[i]);
    }
    for (size_t i = 0; what == T_VALUE && t->kind != TFP_VALUES_NONE && i < t->count; i++) {
        if (i) tfp_buf_char(out, ' ');
        if (t->kind == TFP_VALUES_DOUBLE)
            tfp_put_shortest(out, t->doubles[i]);
        else if (t->kind == TFP_VALUES_INT)
            tfp_buf_int(out, t->ints[i]);
        else
            tfp_escape(out, t->strings[i]);
    }
}

static bool place(tfp_cells *x, const column *c, uint32_t at, tfp_cell *out)
{
    const tfp_report *r = x->r;
    const tfp_row *row = &r->tree->rows.at[at];
    bool node = row->node != TFP_NONE;
    switch ((enum place)c->value) {
    case NAME: tfp_escape(out->text, row->name); break;
    case ROW: out->number = at; break;
    case PARENT: out->number = row->parent; return at != 0;
    case DEPTH: out->number = row->depth; break;
    case ACCOUNTED: out->number = row->accounted; break;
    case HIDDEN: out->number = row->hidden; break;
    case DEVICE: put_labels(x, tfp_labels_devices(r, at, &x->labels), out->text); break;
    case OP_TYPES: put_labels(x, tfp_labels_op_types(r, at, &x->labels), out->text); break;
    case INPUT_SHAPES:
        if (node) tfp_node_input_shapes(r->profile, row->node, "|", out->text);
        break;
    case SHAPE:
        if (node) tfp_shape_text(r->profile, tfp_graph_of(r->profile)->nodes.at[row->node].shape, out->text);
        break;
    default:
        if (row->tensor != TFP_NONE) put_tensor(r->tree->tensors.at[row->tensor], (enum place)c->value, out->text);
    }
    return true;
}

/* ---- findings ---- */

enum fact { CHECKER, REPORT, SECONDS, GAIN, FILE_NAME, SPAN, COMMAND };

/* tfprof makes the lines of a finding, but names inside them come from files. */
static void put_lines(tfp_str text, tfp_buf *out)
{
    for (const char *end; (end = memchr(text.data, '\n', text.size));) {
        size_t n = (size_t)(end - text.data);
        tfp_escape(out, (tfp_str){ text.data, n });
        tfp_buf_char(out, '\n');
        text.data += n + 1;
        text.size -= n + 1;
    }
    tfp_escape(out, text);
}

static bool finding(tfp_cells *x, const column *c, uint32_t at, tfp_cell *out)
{
    const tfp_finding *f = &x->r->findings.at[at];
    switch ((enum fact)c->value) {
    case CHECKER: tfp_escape(out->text, x->r->tree->rows.at[f->checker].name); break;
    case REPORT: put_lines(f->text, out->text); break;
    case SECONDS: out->real = f->seconds; return !isnan(f->seconds);
    case GAIN: out->real = f->gain_seconds; return !isnan(f->gain_seconds);
    case FILE_NAME: tfp_escape(out->text, f->file); break;
    case SPAN: out->number = f->evidence.span; return f->evidence.span != TFP_NONE;
    case COMMAND: tfp_escape(out->text, f->command);
    }
    return true;
}

/* ---- the columns ---- */

#define CELL(title, kind, reader, what, shown, ...)                                                                    \
    {                                                                                                                  \
        .name = title, .type = TFP_CELL_##kind, .unit = TFP_LABEL, .read = reader, .value = what, .select = shown,     \
        __VA_ARGS__                                                                                                    \
    }

/* clang-format off */
/* The first four also precede a grid's own columns when its rows are a tree (tfp_grid.tree). */
static const column row_columns[] = {
    CELL("name", TEXT, place, NAME, TFP_SHOWN_ALWAYS, .whole = true),
    CELL("row", INT, place, ROW, TFP_SHOWN_ALWAYS, .whole = true),
    CELL("parent", INT, place, PARENT, TFP_SHOWN_ALWAYS, .whole = false), /* the root has none */
    CELL("depth", INT, place, DEPTH, TFP_SHOWN_ALWAYS, .whole = true),
    CELL("accounted", BOOL, place, ACCOUNTED, TFP_SHOWN_TYPED, .whole = true),
};
enum { TREE_COLUMNS = 4, ROW_COLUMNS = sizeof row_columns / sizeof *row_columns };

/* The columns that a label of -select adds. */
static const column label_columns[] = {
    CELL("device", TEXT, place, DEVICE, TFP_C_DEVICE, .whole = true),
    CELL("input_shapes", TEXT, place, INPUT_SHAPES, TFP_C_INPUT_SHAPES, .whole = true),
    CELL("num_hidden_ops", INT, place, HIDDEN, TFP_C_NUM_HIDDEN_OPS, .whole = true),
    CELL("op_types", TEXT, place, OP_TYPES, TFP_C_OP_TYPES, .whole = true),
    CELL("tensor_dtype", TEXT, place, T_DTYPE, TFP_C_TENSOR_VALUE, .whole = true),
    CELL("tensor_shape", TEXT, place, T_SHAPE, TFP_C_TENSOR_VALUE, .whole = true),
    CELL("tensor_value", TEXT, place, T_VALUE, TFP_C_TENSOR_VALUE, .whole = true),
};

static const column shape_column = CELL("shape", TEXT, place, SHAPE, TFP_SHOWN_ASKED, .whole = true);

static const column finding_columns[] = {
    CELL("checker", TEXT, finding, CHECKER, TFP_SHOWN_ALWAYS, .whole = true),
    CELL("report", TEXT, finding, REPORT, TFP_SHOWN_ALWAYS, .whole = true),
    CELL("seconds", REAL, finding, SECONDS, TFP_SHOWN_ALWAYS, .whole = false),
    CELL("gain_seconds", REAL, finding, GAIN, TFP_SHOWN_ALWAYS, .whole = false),
    CELL("file", TEXT, finding, FILE_NAME, TFP_SHOWN_ALWAYS, .whole = true),
    CELL("span", INT, finding, SPAN, TFP_SHOWN_ALWAYS, .whole = false),
    CELL("command", TEXT, finding, COMMAND, TFP_SHOWN_ALWAYS, .whole = true),
};
enum { FINDING_COLUMNS = sizeof finding_columns / sizeof *finding_columns };
/* clang-format on */

static bool add_sum(tfp_column_vec *out, const tfp_report *r, tfp_column_id id)
{
    const tfp_column *c = &tfp_columns[id];
    for (int k = 0; k < c->number_count; k++) {
        const tfp_number *n = &c->numbers[k];
        bool real = tfp_is_time(n->value) && tfp_fine_times(r->profile);
        column x = { .unit = c->unit, .select = (int)id, .value = n->value };
        x.type = real ? TFP_CELL_REAL : TFP_CELL_INT;
        x.name = n->own, x.read = own_value;
        if (x.name && !tfp_push(out, x)) return false;
        x.name = n->total, x.read = total_value;
        if (x.name && !tfp_push(out, x)) return false;
    }
    return true;
}

/* A number that cannot be summed: the row's own value, and the one for its total. */
static bool add_real(tfp_column_vec *out, const tfp_report *r, tfp_column_id id)
{
    (void)r;
    const tfp_column *c = &tfp_columns[id];
    column x = { .name = c->name, .type = TFP_CELL_REAL, .unit = c->unit, .read = own_real, .select = (int)id };
    if (!tfp_push(out, x)) return false;
    x.name = c->total, x.read = total_real;
    return tfp_push(out, x);
}

static bool add_label(tfp_column_vec *out, const tfp_report *r, tfp_column_id id)
{
    (void)r;
    for (size_t k = 0; k < sizeof label_columns / sizeof *label_columns; k++)
        if (label_columns[k].select == (int)id && !tfp_push(out, label_columns[k])) return false;
    return true;
}

/* Adds the columns of a table that a column of -select stands for, by its kind. */
static bool (*const of_kind[TFP_COLUMN_KINDS])(tfp_column_vec *out, const tfp_report *r, tfp_column_id id) = {
    [TFP_COLUMN_IS_LABEL] = add_label,
    [TFP_COLUMN_IS_SUM] = add_sum,
    [TFP_COLUMN_IS_RATIO] = add_real,
    [TFP_COLUMN_IS_STATISTIC] = add_real,
};

static bool add_all(tfp_column_vec *out, const column *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!tfp_push(out, list[i])) return false;
    return true;
}

bool tfp_table_make(tfp_report *r)
{
    tfp_column_vec *out = &r->grid->columns;
    r->grid->row_count = tfp_kind_of(r)->findings ? r->findings.size : r->tree->rows.size;
    if (tfp_kind_of(r)->findings) return add_all(out, finding_columns, FINDING_COLUMNS);
    bool ok = add_all(out, row_columns, ROW_COLUMNS);
    for (int id = 0; id < tfp_column_count && ok; id++) ok = of_kind[tfp_columns[id].kind](out, r, (tfp_column_id)id);
    return ok && tfp_push(out, shape_column);
}

static bool is_shown(const column *c, const tfp_report *r, bool typed)
{
    if (!c->read) return true;
    if (c->select >= 0) return tfp_selects(r->options, (tfp_column_id)c->select);
    return c->select == TFP_SHOWN_ALWAYS || (c->select == TFP_SHOWN_TYPED && typed);
}

bool tfp_table_columns(const tfp_report *r, bool typed, tfp_column_vec *out)
{
    if (r->grid->tree && !add_all(out, row_columns, TREE_COLUMNS)) return false;
    for (size_t i = 0; i < r->grid->columns.size; i++)
        if (is_shown(&r->grid->columns.at[i], r, typed) && !tfp_push(out, r->grid->columns.at[i])) return false;
    return true;
}

const tfp_table_column *tfp_table_find(const tfp_report *r, const char *name)
{
    for (size_t i = 0; r->grid->tree && i < TREE_COLUMNS; i++)
        if (strcmp(row_columns[i].name, name) == 0) return &row_columns[i];
    return tfp_grid_find(r->grid, name);
}

const char *tfp_table_name(const tfp_report *r, size_t i)
{
    size_t places = r->grid->tree ? TREE_COLUMNS : 0;
    if (i < places) return row_columns[i].name;
    for (size_t k = 0; k < r->grid->columns.size; k++)
        if (is_shown(&r->grid->columns.at[k], r, false) && i-- == places) return r->grid->columns.at[k].name;
    return NULL;
}

/* A cell of a batch. Its texts are UTF-8 already. */
static void unpack(const tfp_cells *cells, tfp_cell_type type, uint64_t cell, tfp_cell *out)
{
    if (type == TFP_CELL_TEXT)
        tfp_buf_str(out->text, tfp_strtab_get(cells->texts, (tfp_strid)cell));
    else if (type == TFP_CELL_REAL)
        memcpy(&out->real, &cell, sizeof cell);
    else
        out->number = (int64_t)cell;
}

bool tfp_cell_at(tfp_cells *cells, const tfp_table_column *c, uint32_t row, tfp_cell *out)
{
    if (c->read) return c->read(cells, c, row, out);
    if (tfp_cell_absent(c, row)) return false;
    if (c->cells)
        unpack(cells, c->type, c->cells[row], out);
    else if (c->type == TFP_CELL_TEXT)
        tfp_escape(out->text, c->texts[row]);
    else if (c->type == TFP_CELL_REAL)
        out->real = c->reals[row];
    else
        out->number = c->ints[row];
    return true;
}
