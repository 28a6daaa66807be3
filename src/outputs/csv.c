/* outputs/csv.c: a report as a table of comma-separated values (RFC 4180), for spreadsheets and scripts; docs/json.md
 * describes the columns. Numbers are raw. A text cell that a spreadsheet would take for a formula (it begins with
 * = + - @) gets an apostrophe before it, which spreadsheets hide. */
#include "outputs/fields.h"
#include "outputs/labels.h"
#include "outputs/output.h"
#include "wire/json.h"

#include <stdlib.h>

typedef struct writer {
    const tfp_report *r;
    tfp_sink *sink;
    tfp_buf *out;
    tfp_buf cell; /* a text cell before quoting */
    tfp_labels labels;
    bool comma, nomem;
} writer;

static void separate(writer *w)
{
    if (w->comma) tfp_buf_char(w->out, ',');
    w->comma = true;
}

static void end_line(writer *w)
{
    tfp_buf_add(w->out, "\r\n", 2);
    w->comma = false;
    tfp_sink_flush_if_full(w->sink);
}

static bool needs_quotes(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] == ',' || s.data[i] == '"' || s.data[i] == '\n' || s.data[i] == '\r') return true;
    return s.size && (s.data[0] == ' ' || s.data[s.size - 1] == ' ');
}

/* The text in w->cell becomes one cell. */
static void put_cell(writer *w)
{
    tfp_str s = { w->cell.data, w->cell.size };
    separate(w);
    bool quoted = needs_quotes(s);
    if (quoted) tfp_buf_char(w->out, '"');
    if (s.size && memchr("=+-@", s.data[0], 4)) tfp_buf_char(w->out, '\'');
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '"') tfp_buf_char(w->out, '"');
        tfp_buf_char(w->out, s.data[i]);
    }
    if (quoted) tfp_buf_char(w->out, '"');
    w->nomem |= w->cell.failed;
    w->cell.size = 0;
}

static void put_text(writer *w, tfp_str s)
{
    tfp_escape(&w->cell, s);
    put_cell(w);
}

static void put_header(writer *w, const char *prefix, const char *name)
{
    tfp_buf_text(&w->cell, prefix);
    tfp_buf_text(&w->cell, name);
    put_cell(w);
}

static void put_number(writer *w, const int64_t *value)
{
    separate(w);
    if (value) tfp_buf_int(w->out, *value); /* else empty: this report was built without it */
}

static void put_labels(writer *w, bool found)
{
    if (!found) w->nomem = true;
    for (size_t i = 0; i < w->labels.size; i++) {
        if (i) tfp_buf_char(&w->cell, '|');
        tfp_escape(&w->cell, tfp_text(w->r->profile, w->labels.at[i]));
    }
    put_cell(w);
}

static void put_input_shapes(writer *w, const tfp_row *x)
{
    if (x->node != TFP_NONE) tfp_node_input_shapes(w->r->profile, x->node, "|", &w->cell);
    put_cell(w);
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

/* Type, shape and values, row-major and separated by blanks. */
static void put_tensor(writer *w, const tfp_row *x)
{
    const tfp_tensor *t = x->tensor == TFP_NONE ? NULL : w->r->tensors.at[x->tensor];
    if (t) tfp_buf_text(&w->cell, tfp_dtype_name(t->dtype));
    put_cell(w);
    for (size_t i = 0; t && i < t->dim_count; i++) {
        if (i) tfp_buf_char(&w->cell, 'x');
        tfp_buf_int(&w->cell, t->dims[i]);
    }
    put_cell(w);
    for (size_t i = 0; t && t->kind != TFP_VALUES_NONE && i < t->count; i++) {
        if (i) tfp_buf_char(&w->cell, ' ');
        put_element(&w->cell, t, i);
    }
    put_cell(w);
}

/* One column's headers when row is TFP_NONE, else its cells. */
static void put_column(writer *w, tfp_column_id id, uint32_t row)
{
    const tfp_report *r = w->r;
    const tfp_column *c = &tfp_columns[id];
    bool header = row == TFP_NONE;
    switch (id) {
    case TFP_C_TENSOR_VALUE:
        if (!header)
            put_tensor(w, &r->rows.at[row]);
        else
            put_header(w, "tensor_", "dtype"), put_header(w, "tensor_", "shape"), put_header(w, "", c->name);
        break;
    case TFP_C_DEVICE:
        if (header)
            put_header(w, "", c->name);
        else
            put_labels(w, tfp_labels_devices(r, row, &w->labels));
        break;
    case TFP_C_OP_TYPES:
        if (header)
            put_header(w, "", c->name);
        else
            put_labels(w, tfp_labels_op_types(r, row, &w->labels));
        break;
    case TFP_C_INPUT_SHAPES:
        if (header)
            put_header(w, "", c->name);
        else
            put_input_shapes(w, &r->rows.at[row]);
        break;
    case TFP_C_OCCURRENCE:
        if (header)
            put_header(w, "", "runs"), put_header(w, "total_", "runs"), put_header(w, "total_", "definitions");
        else {
            put_number(w, tfp_own_of(r, row, TFP_V_RUNS));
            put_number(w, tfp_total_of(r, row, TFP_V_RUNS));
            put_number(w, tfp_total_of(r, row, TFP_V_DEFINITIONS));
        }
        break;
    case TFP_C_NUM_HIDDEN_OPS:
        if (header)
            put_header(w, "", c->name);
        else
            separate(w), tfp_buf_int(w->out, r->rows.at[row].hidden);
        break;
    default:
        if (header)
            put_header(w, "", c->name), put_header(w, "total_", c->name);
        else
            put_number(w, tfp_own_of(r, row, (tfp_value)c->value)),
                put_number(w, tfp_total_of(r, row, (tfp_value)c->value));
    }
}

static void put_columns(writer *w, uint32_t row)
{
    for (int i = 0; i < TFP_C_COUNT; i++)
        if (tfp_selects(w->r->options, (tfp_column_id)i)) put_column(w, (tfp_column_id)i, row);
    end_line(w);
}

static void put_rows(writer *w)
{
    const tfp_report *r = w->r;
    put_header(w, "", "name"), put_header(w, "", "row"), put_header(w, "", "parent"), put_header(w, "", "depth");
    put_columns(w, TFP_NONE);
    for (uint32_t i = 0; i < r->rows.size && !w->sink->status && !w->nomem; i++) {
        const tfp_row *x = &r->rows.at[i];
        put_text(w, x->name);
        separate(w);
        tfp_buf_int(w->out, i);
        separate(w);
        if (i) tfp_buf_int(w->out, r->kind == TFP_REPORT_LIST ? 0 : x->parent);
        separate(w);
        tfp_buf_int(w->out, x->depth);
        put_columns(w, i);
    }
}

static void put_findings(writer *w)
{
    const tfp_report *r = w->r;
    put_header(w, "", "checker"), put_header(w, "", "report");
    end_line(w);
    for (size_t i = 0; i < r->findings.size; i++) {
        tfp_str text = r->findings.at[i].text;
        put_text(w, r->rows.at[r->findings.at[i].checker].name);
        while (text.size) { /* a quoted cell may hold lines */
            const char *end = memchr(text.data, '\n', text.size);
            size_t n = end ? (size_t)(end - text.data) : text.size;
            tfp_escape(&w->cell, (tfp_str){ text.data, n });
            if (end) tfp_buf_char(&w->cell, '\n');
            n += end != NULL;
            text.data += n;
            text.size -= n;
        }
        put_cell(w);
        end_line(w);
    }
}

static tfp_status write_csv(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    writer w = { .r = r, .sink = s, .out = &s->buf };
    if (r->kind == TFP_REPORT_FINDINGS)
        put_findings(&w);
    else
        put_rows(&w);
    bool nomem = w.nomem || w.cell.failed;
    tfp_buf_free(&w.cell);
    tfp_vec_free(&w.labels);
    return nomem ? tfp_nomem(err) : TFP_OK;
}

const tfp_output_format tfp_output_csv = {
    .name = "csv",
    .help = "Comma-separated values (RFC 4180), a line a row, raw numbers, for spreadsheets and scripts.",
    .in_format_option = true,
    .write = write_csv,
};
