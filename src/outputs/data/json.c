// SPDX-License-Identifier: Apache-2.0
/* outputs/data/json.c: a report as one JSON object with a stated schema, for programs (docs/json.md describes it). Rows carry
 * TensorFlow's proto field names and raw units; the tree is written as it is walked, so its depth costs no memory. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tensors.h"
#include "options/options.h"
#include "outputs/core/output.h"
#include "views/core/table.h"
#include "outputs/data/json_grid.h"
#include "views/core/findings.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "wire/json.h"

#include <math.h>

/* State shared by all rows. */
typedef struct writer {
    const tfp_report *r;
    tfp_sink *sink;
    tfp_json j;
    tfp_labels labels;
    bool nomem;
    const tfp_number *numbers[TFP_V_COUNT]; /* numbers of the report, in the order of tfp_value */
    size_t number_count;
} writer;

/* Numbers from the files are always present; inferred ones only when asked for. */
static writer start(const tfp_report *r, tfp_sink *s)
{
    writer w = { .r = r, .sink = s, .j = tfp_json_start(&s->buf) };
    const tfp_number *all[TFP_V_COUNT];
    size_t n = tfp_numbers(all);
    for (size_t i = 0; i < n; i++)
        if (all[i]->value < TFP_V_FILES_COUNT || (r->values >> all[i]->value & 1)) w.numbers[w.number_count++] = all[i];
    return w;
}

/* The keys of a column's cells, by kind. */
static const char *key_of_label(const tfp_column *c, bool total) { return total ? NULL : c->field; }
static const char *key_of_real(const tfp_column *c, bool total) { return total ? c->total : c->name; }
static const char *key_of_sum(const tfp_column *c, bool total)
{
    return total ? c->numbers[0].total_field : c->numbers[0].own_field;
}
static const char *(*const key_of_kind[TFP_COLUMN_KINDS])(const tfp_column *c, bool total) = {
    [TFP_COLUMN_IS_LABEL] = key_of_label,
    [TFP_COLUMN_IS_SUM] = key_of_sum,
    [TFP_COLUMN_IS_RATIO] = key_of_real,
    [TFP_COLUMN_IS_STATISTIC] = key_of_real,
};

static void put_columns(writer *w)
{
    tfp_json_key(&w->j, "columns");
    tfp_json_open(&w->j, '[');
    for (int i = 0; i < tfp_column_count; i++) {
        const tfp_column *c = &tfp_columns[i];
        if (!tfp_selects(w->r->options, (tfp_column_id)i)) continue;
        tfp_json_open(&w->j, '{');
        tfp_json_text_at(&w->j, "name", c->name);
        tfp_json_text_at(&w->j, "field", key_of_kind[c->kind](c, false));
        tfp_json_text_at(&w->j, "total_field", key_of_kind[c->kind](c, true));
        tfp_json_text_at(&w->j, "unit", tfp_unit_name(c->unit));
        tfp_json_close(&w->j, '}');
    }
    tfp_json_close(&w->j, ']');
}

static void put_number(writer *w, const char *key, tfp_value value, const int64_t *n)
{
    tfp_json_key(&w->j, key);
    if (n && tfp_is_time(value))
        tfp_json_thousandths(&w->j, *n);
    else if (n)
        tfp_json_int(&w->j, *n);
    else
        tfp_json_null(&w->j); /* this report was built without it: null is better than a wrong 0 */
}

static void put_real(writer *w, const char *key, uint32_t row, tfp_column_id column, bool total)
{
    double x;
    tfp_json_key(&w->j, key);
    if (tfp_cell_number(w->r, row, column, total, &x))
        tfp_json_double(&w->j, x);
    else
        tfp_json_null(&w->j);
}

static void put_reals(writer *w, uint32_t row)
{
    for (int i = 0; i < tfp_column_count; i++) {
        const tfp_column *c = &tfp_columns[i];
        if (key_of_kind[c->kind] != key_of_real || !tfp_selects(w->r->options, (tfp_column_id)i)) continue;
        put_real(w, c->name, row, (tfp_column_id)i, false);
        put_real(w, c->total, row, (tfp_column_id)i, true);
    }
}

static void put_numbers(writer *w, uint32_t row)
{
    for (size_t i = 0; i < w->number_count; i++) {
        const tfp_number *n = w->numbers[i];
        if (n->own_field) put_number(w, n->own_field, n->value, tfp_own_of(w->r, row, n->value));
        if (n->total_field) put_number(w, n->total_field, n->value, tfp_total_of(w->r, row, n->value));
    }
}

static void put_label_list(writer *w, const char *key, bool found)
{
    if (!found) w->nomem = true;
    tfp_json_key(&w->j, key);
    tfp_json_open(&w->j, '[');
    for (size_t i = 0; i < w->labels.size; i++) {
        tfp_json_str(&w->j, tfp_text(w->r->profile, w->labels.at[i]));
        tfp_sink_flush_if_full(w->sink);
    }
    tfp_json_close(&w->j, ']');
}

static void put_dims(writer *w, uint32_t shape)
{
    const tfp_profile *p = w->r->profile;
    if (shape == TFP_NONE || tfp_graph_of(p)->shapes.at[shape].count == 0) {
        tfp_json_null(&w->j);
        return;
    }
    const tfp_shape *s = &tfp_graph_of(p)->shapes.at[shape];
    tfp_json_open(&w->j, '[');
    for (uint32_t i = 0; i < s->count; i++) tfp_json_int(&w->j, tfp_graph_of(p)->dims.at[s->first + i]);
    tfp_json_close(&w->j, ']');
}

static void put_input_shapes(writer *w, const tfp_node *n)
{
    const tfp_profile *p = w->r->profile;
    tfp_json_key(&w->j, "input_shapes");
    tfp_json_open(&w->j, '[');
    for (TFP_EACH(tfp_graph_of(p)->inputs, i, n->input_first)) {
        const tfp_input_edge *e = &tfp_graph_of(p)->inputs.at[i];
        tfp_json_open(&w->j, '{');
        tfp_json_int_at(&w->j, "input", e->position);
        tfp_json_key(&w->j, "shape");
        put_dims(w, tfp_input_shape(p, e));
        tfp_json_close(&w->j, '}');
        tfp_sink_flush_if_full(w->sink);
    }
    tfp_json_close(&w->j, ']');
}

static void put_element(tfp_json *j, const tfp_tensor *t, size_t i)
{
    if (t->kind == TFP_VALUES_DOUBLE)
        tfp_json_double(j, t->doubles[i]);
    else if (t->kind == TFP_VALUES_INT)
        tfp_json_int(j, t->ints[i]);
    else
        tfp_json_str(j, t->strings[i]);
}

static void put_tensor(writer *w, const tfp_tensor *t)
{
    tfp_json_key(&w->j, "tensor_value");
    tfp_json_open(&w->j, '{');
    tfp_json_text_at(&w->j, "dtype", tfp_dtype_name(t->dtype));
    tfp_json_key(&w->j, "shape");
    tfp_json_open(&w->j, '[');
    for (size_t i = 0; i < t->dim_count; i++) tfp_json_int(&w->j, t->dims[i]);
    tfp_json_close(&w->j, ']');
    tfp_json_key(&w->j, "values");
    if (t->kind == TFP_VALUES_NONE) {
        tfp_json_null(&w->j);
    } else {
        tfp_json_open(&w->j, '[');
        for (size_t i = 0; i < t->count && !w->sink->status; i++) {
            put_element(&w->j, t, i);
            tfp_sink_flush_if_full(w->sink);
        }
        tfp_json_close(&w->j, ']');
    }
    tfp_json_close(&w->j, '}');
}

static void put_node(writer *w, const tfp_node *n)
{
    if (n->shape != TFP_NONE) {
        tfp_json_key(&w->j, "shape");
        put_dims(w, n->shape);
    }
    if (n->input_first != TFP_NONE) put_input_shapes(w, n);
}

/* All fields of a row except its children. */
static void put_fields(writer *w, uint32_t row)
{
    const tfp_row *x = &w->r->tree->rows.at[row];
    tfp_json_str_at(&w->j, "name", x->name);
    tfp_json_key(&w->j, "accounted");
    tfp_json_bool(&w->j, x->accounted);
    put_numbers(w, row);
    put_reals(w, row);
    put_label_list(w, "devices", tfp_labels_devices(w->r, row, &w->labels));
    put_label_list(w, "op_types", tfp_labels_op_types(w->r, row, &w->labels));
    if (x->node != TFP_NONE) put_node(w, &tfp_graph_of(w->r->profile)->nodes.at[x->node]);
    if (x->tensor != TFP_NONE) put_tensor(w, w->r->tree->tensors.at[x->tensor]);
    if (w->r->options->compat10) { tfp_json_int_at(&w->j, "num_hidden_ops", x->hidden); }
}

/* Opens a row's object and its list of children; both are closed when the walk leaves it. */
static void open_row(writer *w, uint32_t row)
{
    tfp_json_open(&w->j, '{');
    put_fields(w, row);
    tfp_json_key(&w->j, "children");
    tfp_json_open(&w->j, '[');
}

static void close_row(writer *w)
{
    tfp_json_close(&w->j, ']');
    tfp_json_close(&w->j, '}');
}

/* Parents come before children, in the order of display: the open rows are always the ancestors of the last. */
static void put_rows(writer *w)
{
    const tfp_report *r = w->r;
    tfp_json_key(&w->j, "root");
    if (r->tree->rows.size == 0) {
        tfp_json_null(&w->j);
        return;
    }
    open_row(w, 0);
    uint32_t last = 0;
    for (uint32_t i = 1; i < r->tree->rows.size && !w->sink->status && !w->nomem; i++) {
        for (uint32_t parent = r->tree->rows.at[i].parent; last != parent && last != 0;
             last = r->tree->rows.at[last].parent)
            close_row(w);
        open_row(w, i);
        last = i;
        tfp_sink_flush_if_full(w->sink);
    }
    for (; last != 0; last = r->tree->rows.at[last].parent) close_row(w);
    close_row(w);
}

/* The span to look at, or null. */
static void put_span(writer *w, const tfp_evidence *e)
{
    if (e->span == TFP_NONE) {
        tfp_json_null(&w->j);
        return;
    }
    tfp_json_open(&w->j, '{');
    tfp_json_int_at(&w->j, "span", e->span);
    if (e->rank >= 0) { tfp_json_int_at(&w->j, "rank", e->rank); }
    tfp_json_str_at(&w->j, "lane", e->lane);
    tfp_json_key(&w->j, "start_us");
    tfp_json_thousandths(&w->j, e->start_ns);
    tfp_json_key(&w->j, "timeline_us");
    tfp_json_thousandths(&w->j, e->timeline_ns);
    tfp_json_key(&w->j, "duration_us");
    tfp_json_thousandths(&w->j, e->duration_ns);
    tfp_json_close(&w->j, '}');
}

/* For each report of a checker the span to look at, or null; checkers without such spans have no list. */
static void put_evidence(writer *w, uint32_t checker)
{
    const tfp_report *r = w->r;
    bool any = false;
    for (size_t k = 0; k < r->findings.size; k++)
        any |= r->findings.at[k].checker == checker && r->findings.at[k].evidence.span != TFP_NONE;
    if (!any) return;
    tfp_json_key(&w->j, "evidence");
    tfp_json_open(&w->j, '[');
    for (size_t k = 0; k < r->findings.size; k++)
        if (r->findings.at[k].checker == checker) put_span(w, &r->findings.at[k].evidence);
    tfp_json_close(&w->j, ']');
}

static void put_seconds(writer *w, const char *key, double seconds)
{
    tfp_json_key(&w->j, key);
    isnan(seconds) ? tfp_json_null(&w->j) : tfp_json_double(&w->j, seconds);
}

static void put_or_null(writer *w, const char *key, tfp_str text)
{
    tfp_json_key(&w->j, key);
    text.size ? tfp_json_str(&w->j, text) : tfp_json_null(&w->j);
}

/* What the sentence says, as fields. */
static void put_finding_fields(writer *w, uint32_t checker)
{
    const tfp_report *r = w->r;
    tfp_json_key(&w->j, "findings");
    tfp_json_open(&w->j, '[');
    for (size_t k = 0; k < r->findings.size; k++) {
        const tfp_finding *f = &r->findings.at[k];
        if (f->checker != checker) continue;
        tfp_json_open(&w->j, '{');
        put_or_null(w, "name", r->tree->rows.at[checker].name);
        put_or_null(w, "about", tfp_str_of(tfp_about_name(f->about)));
        tfp_json_key(&w->j, "text");
        tfp_json_lines(&w->j, f->text);
        put_or_null(w, "problem", f->problem);
        put_or_null(w, "remedy", f->remedy);
        put_seconds(w, "seconds", f->seconds);
        put_seconds(w, "gain_seconds", f->gain_seconds);
        put_or_null(w, "whatif", tfp_str_of(f->change ? f->change : ""));
        put_or_null(w, "file", f->file);
        tfp_json_key(&w->j, "span");
        put_span(w, &f->evidence);
        put_or_null(w, "command", f->command);
        tfp_json_close(&w->j, '}');
    }
    tfp_json_close(&w->j, ']');
}

static void put_findings(writer *w)
{
    const tfp_report *r = w->r;
    tfp_json_key(&w->j, "checkers");
    tfp_json_open(&w->j, '[');
    for (uint32_t i = 1; i < r->tree->rows.size; i++) {
        tfp_json_open(&w->j, '{');
        tfp_json_str_at(&w->j, "name", r->tree->rows.at[i].name);
        tfp_json_key(&w->j, "reports");
        tfp_json_open(&w->j, '[');
        for (size_t k = 0; k < r->findings.size; k++)
            if (r->findings.at[k].checker == i) tfp_json_lines(&w->j, r->findings.at[k].text);
        tfp_json_close(&w->j, ']');
        put_evidence(w, i);
        put_finding_fields(w, i);
        tfp_json_close(&w->j, '}');
        tfp_sink_flush_if_full(w->sink);
    }
    tfp_json_close(&w->j, ']');
}

/* The beginning of the object, before the rows. */
static void open_report(writer *w)
{
    const tfp_report *r = w->r;
    tfp_json_open(&w->j, '{');
    tfp_json_text_at(&w->j, "schema", "tfprof.report");
    tfp_json_int_at(&w->j, "version", TFP_JSON_VERSION);
    tfp_json_text_at(&w->j, "view", r->view);
    tfp_json_key(&w->j, "step");
    if (r->step.which == TFP_STEP_ALL)
        tfp_json_text(&w->j, "all");
    else if (r->step.which == TFP_STEP_MEAN)
        tfp_json_null(&w->j);
    else
        tfp_json_int(&w->j, r->step.id);
    tfp_json_notes(&w->j, r);
    tfp_json_coverage(&w->j, r);
    if (tfp_kind_of(r)->findings)
        put_findings(w);
    else
        put_columns(w);
}

static tfp_status close_report(writer *w, tfp_error *err)
{
    tfp_vec_free(&w->labels);
    return w->nomem ? tfp_nomem(err) : TFP_OK;
}

static tfp_status write_json(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    writer w = start(r, s);
    if (tfp_kind_of(r)->table) return tfp_json_grid(r, s), TFP_OK;
    open_report(&w);
    if (tfp_kind_of(r)->numbers) put_rows(&w);
    tfp_json_close(&w.j, '}');
    tfp_buf_char(&s->buf, '\n');
    return close_report(&w, err);
}

static void put_line(writer *w, uint32_t row)
{
    w->j = tfp_json_start(&w->sink->buf);
    tfp_json_open(&w->j, '{');
    tfp_json_place(&w->j, w->r, row);
    put_fields(w, row);
    tfp_json_close(&w->j, '}');
    tfp_buf_char(&w->sink->buf, '\n');
    tfp_sink_flush_if_full(w->sink);
}

static tfp_status write_jsonl(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    writer w = start(r, s);
    if (tfp_kind_of(r)->table) return tfp_json_grid_lines(r, s), TFP_OK;
    open_report(&w);
    tfp_json_close(&w.j, '}');
    tfp_buf_char(&s->buf, '\n');
    for (uint32_t i = 0; tfp_kind_of(r)->numbers && i < r->tree->rows.size && !s->status && !w.nomem; i++)
        put_line(&w, i);
    return close_report(&w, err);
}

const tfp_output_format tfp_output_json = {
    .name = "json",
    .help = "One JSON object with the rows as a tree, raw numbers and TensorFlow's field names, for programs.",
    .in_format_option = true,
    .write = write_json,
};

const tfp_output_format tfp_output_jsonl = {
    .name = "jsonl",
    .help =
        "The same as JSON lines: first the report without its rows, then a line a row, with the number of its parent.",
    .in_format_option = true,
    .write = write_jsonl,
};
