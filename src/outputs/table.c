/* outputs/table.c: the table of table.h: a line for each flat column, and how its cells are read. */
#include "outputs/table.h"
#include "wire/json.h"

/* ---- numbers ---- */

static bool own_value(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    const int64_t *n = tfp_own_of(r, row, from);
    if (n) *out = *n;
    return n != NULL; /* else the report was built without it */
}

static bool total_value(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    const int64_t *n = tfp_total_of(r, row, from);
    if (n) *out = *n;
    return n != NULL;
}

static bool own_ratio(const tfp_report *r, uint32_t row, int column, double *out)
{
    return tfp_ratio(r, row, (tfp_column_id)column, false, out);
}

static bool total_ratio(const tfp_report *r, uint32_t row, int column, double *out)
{
    return tfp_ratio(r, row, (tfp_column_id)column, true, out);
}

static bool row_number(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)r, (void)from;
    *out = row;
    return true;
}

/* In the op view rows stand under each other only to add up: the list is flat. */
static bool row_parent(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->kind == TFP_REPORT_LIST ? 0 : r->rows.at[row].parent;
    return row != 0;
}

static bool row_depth(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->rows.at[row].depth;
    return true;
}

static bool row_accounted(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->rows.at[row].accounted;
    return true;
}

static bool row_hidden(const tfp_report *r, uint32_t row, tfp_value from, int64_t *out)
{
    (void)from;
    *out = r->rows.at[row].hidden;
    return true;
}

/* ---- texts ---- */

static void row_name(tfp_cells *c, uint32_t row, tfp_buf *out) { tfp_escape(out, c->r->rows.at[row].name); }

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
    uint32_t node = c->r->rows.at[row].node;
    if (node != TFP_NONE) tfp_node_input_shapes(c->r->profile, node, "|", out);
}

static void row_shape(tfp_cells *c, uint32_t row, tfp_buf *out)
{
    uint32_t node = c->r->rows.at[row].node;
    if (node != TFP_NONE) tfp_shape_text(c->r->profile, c->r->profile->nodes.at[node].shape, out);
}

static const tfp_tensor *tensor_of(const tfp_report *r, uint32_t row)
{
    uint32_t tensor = r->rows.at[row].tensor;
    return tensor == TFP_NONE ? NULL : r->tensors.at[tensor];
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

/* Row-major and separated by blanks. */
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
    tfp_escape(out, c->r->rows.at[c->r->findings.at[finding].checker].name);
}

/* The lines of a finding are ours; what stands in them is not. */
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

/* ---- the columns: those of -select in the order of tfp_columns ---- */

#define NUMBER(name, column, from, get)                                                                                \
    {                                                                                                                  \
        name, 'i', true, column, from, get, NULL, NULL, NULL                                                           \
    }
#define NUMBERS(name, column, from)                                                                                    \
    NUMBER(name, column, from, own_value), NUMBER("total_" name, column, from, total_value)
#define RATIO(name, column, get)                                                                                       \
    {                                                                                                                  \
        name, 'r', true, column, TFP_V_COUNT, NULL, get, NULL, NULL                                                    \
    }
#define RATIOS(name, column) RATIO(name, column, own_ratio), RATIO("total_" name, column, total_ratio)
#define ROW_NUMBER(name, type, null, column, get)                                                                      \
    {                                                                                                                  \
        name, type, null, column, TFP_V_COUNT, get, NULL, NULL, NULL                                                   \
    }
#define TEXT(name, column, get)                                                                                        \
    {                                                                                                                  \
        name, 's', false, column, TFP_V_COUNT, NULL, NULL, get, NULL                                                   \
    }

/* clang-format off */
static const tfp_flat row_columns[] = {
    TEXT("name", TFP_FLAT_ALWAYS, row_name),
    ROW_NUMBER("row", 'i', false, TFP_FLAT_ALWAYS, row_number),
    ROW_NUMBER("parent", 'i', true, TFP_FLAT_ALWAYS, row_parent), /* the root has none */
    ROW_NUMBER("depth", 'i', false, TFP_FLAT_ALWAYS, row_depth),
    ROW_NUMBER("accounted", 'b', false, TFP_FLAT_TYPED, row_accounted),
    NUMBERS("accelerator_micros", TFP_C_ACCELERATOR_MICROS, TFP_V_ACCELERATOR_MICROS),
    NUMBERS("bytes", TFP_C_BYTES, TFP_V_BYTES),
    NUMBERS("bytes_moved", TFP_C_BYTES_MOVED, TFP_V_BYTES_MOVED),
    RATIOS("coverage", TFP_C_COVERAGE),
    NUMBERS("cpu_micros", TFP_C_CPU_MICROS, TFP_V_CPU_MICROS),
    TEXT("device", TFP_C_DEVICE, row_devices),
    NUMBERS("float_ops", TFP_C_FLOAT_OPS, TFP_V_FLOAT_OPS),
    RATIOS("flops_per_second", TFP_C_FLOPS_PER_SECOND),
    TEXT("input_shapes", TFP_C_INPUT_SHAPES, row_input_shapes),
    RATIOS("intensity", TFP_C_INTENSITY),
    NUMBERS("macs", TFP_C_MACS, TFP_V_MACS),
    NUMBERS("micros", TFP_C_MICROS, TFP_V_MICROS),
    ROW_NUMBER("num_hidden_ops", 'i', false, TFP_C_NUM_HIDDEN_OPS, row_hidden),
    NUMBERS("runs", TFP_C_OCCURRENCE, TFP_V_RUNS),
    NUMBER("total_definitions", TFP_C_OCCURRENCE, TFP_V_DEFINITIONS, total_value),
    TEXT("op_types", TFP_C_OP_TYPES, row_op_types),
    NUMBERS("output_bytes", TFP_C_OUTPUT_BYTES, TFP_V_OUTPUT_BYTES),
    NUMBERS("params", TFP_C_PARAMS, TFP_V_PARAMS),
    NUMBERS("peak_bytes", TFP_C_PEAK_BYTES, TFP_V_PEAK_BYTES),
    NUMBERS("residual_bytes", TFP_C_RESIDUAL_BYTES, TFP_V_RESIDUAL_BYTES),
    TEXT("tensor_dtype", TFP_C_TENSOR_VALUE, tensor_dtype),
    TEXT("tensor_shape", TFP_C_TENSOR_VALUE, tensor_shape),
    TEXT("tensor_value", TFP_C_TENSOR_VALUE, tensor_values),
    TEXT("shape", TFP_FLAT_ASKED, row_shape),
};

/* In a grid they stand before its own columns when its rows are a tree. */
static const tfp_flat tree_columns[] = {
    TEXT("name", TFP_FLAT_ALWAYS, row_name),
    ROW_NUMBER("row", 'i', false, TFP_FLAT_ALWAYS, row_number),
    ROW_NUMBER("parent", 'i', true, TFP_FLAT_ALWAYS, row_parent),
    ROW_NUMBER("depth", 'i', false, TFP_FLAT_ALWAYS, row_depth),
};

static const tfp_flat finding_columns[] = {
    TEXT("checker", TFP_FLAT_ALWAYS, finding_checker),
    TEXT("report", TFP_FLAT_ALWAYS, finding_text),
};
/* clang-format on */

/* The columns that a kind of report has whatever its own are. */
static const tfp_flat *columns_of(const tfp_report *r, size_t *count)
{
    switch (r->kind) {
    case TFP_REPORT_FINDINGS: *count = sizeof finding_columns / sizeof *finding_columns; return finding_columns;
    case TFP_REPORT_GRID: *count = r->grid.tree ? sizeof tree_columns / sizeof *tree_columns : 0; return tree_columns;
    default: *count = sizeof row_columns / sizeof *row_columns; return row_columns;
    }
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
    size_t count;
    const tfp_flat *all = columns_of(r, &count);
    for (size_t k = 0; k < count; k++)
        if (is_in(&all[k], r, typed) && i-- == 0) return *out = all[k], true;
    if (i >= r->grid.columns.size) return false;
    *out = tfp_flat_of(&r->grid.columns.at[i]);
    return true;
}

bool tfp_table_columns(const tfp_report *r, bool typed, tfp_flats *out)
{
    tfp_flat f;
    for (size_t i = 0; tfp_table_column(r, typed, i, &f); i++)
        if (!tfp_push(out, f)) return false;
    return true;
}

bool tfp_table_find(const tfp_report *r, const char *name, tfp_flat *out)
{
    size_t count;
    const tfp_flat *all = columns_of(r, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0) return *out = all[i], true;
    for (size_t i = 0; i < r->grid.columns.size; i++)
        if (strcmp(r->grid.columns.at[i].name, name) == 0) return *out = tfp_flat_of(&r->grid.columns.at[i]), true;
    return false;
}

size_t tfp_table_rows(const tfp_report *r)
{
    switch (r->kind) {
    case TFP_REPORT_FINDINGS: return r->findings.size;
    case TFP_REPORT_GRID: return r->grid.row_count;
    default: return r->rows.size;
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
    if (f->real) return f->real(r, row, f->column, out);
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
