// SPDX-License-Identifier: Apache-2.0
/* reports.c: the public functions that build a report, return its rows and cells, and write it. */
#include "fleets.h"
#include "model/tables/profile.h"
#include "options/options.h"
#include "views/core/table.h"
#include "outputs/data/arrow.h"
#include "registry.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

tfp_status tfp_report_build(const tfp_profile *p, const char *view, const tfp_options *o, tfp_report **out,
                            tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !view || !out || !p->finished) return tfp_fail(err, TFP_BADARG, "no finished profile, or no view's name");
    const tfp_view *v = tfp_view_find(view);
    if (!v) return tfp_fail(err, TFP_NOTFOUND, "no view '%s'", view);
    tfp_status s = o ? tfp_checkers_known(o->verb.checkers, err) : TFP_OK;
    if (o && !s) s = tfp_trace_limits_known(o->verb.rule_limits, err);
    if (!s) s = tfp_view_build(p, v, o, out, err);
    if (s || !(s = tfp_note_all_rows(*out, err))) return s;
    tfp_report_free(*out);
    *out = NULL;
    return s;
}

tfp_status tfp_options_read_proto(tfp_options *o, const char *view, const void *data, size_t size, tfp_error *err)
{
    tfp_error_clear(err);
    if (!o || !view || (size && !data)) return tfp_fail(err, TFP_BADARG, "no options, no view's name or no data");
    bool findings = tfp_view_traits(view) & TFP_VIEW_FINDINGS;
    return (findings ? tfp_options_of_advisor : tfp_options_of_view)(o, (tfp_str){ size ? data : "", size }, err);
}

tfp_status tfp_options_check(const tfp_options *o, const char *view, tfp_error *err)
{
    tfp_error_clear(err);
    /* commands whose answers are tables and not views; diff orders its rows itself */
    static const char *const tables[] = { "stats", "query", "top", "stacks", "capture", NULL };
    const tfp_view *v = tfp_view_find(view);
    size_t which;
    bool table = v ? tfp_report_kinds[v->kind].table : view && tfp_word_find(tfp_str_of(view), tables, &which);
    return table ? TFP_OK : tfp_options_known_order(o, err);
}

/* For a trace, a tree shows the total of all steps unless another choice was made. */
static bool shows_total(const tfp_options *o)
{
    return o && !tfp_options_phase(o) &&
           (o->step.which == TFP_STEP_ALL || (o->step.which == TFP_STEP_MEAN && !tfp_options_chosen(o, "step")));
}

unsigned tfp_view_keep(const char *view, const tfp_options *o)
{
    const tfp_view *v = tfp_view_find(view);
    unsigned reads = tfp_view_reads(v, o), keep = reads & ~(unsigned)TFP_READS_EACH_STEP;
    if (v && v->needs & (TFP_NEEDS_SPANS | TFP_USES_SPANS)) keep |= TFP_READS_RUNS;
    if (reads & TFP_READS_SUMS && shows_total(o)) keep |= TFP_READS_ONE_STEP;
    bool one = o && (o->step.which == TFP_STEP_ONE || tfp_options_phase(o)) && reads & TFP_READS_EACH_STEP;
    if (reads & TFP_READS_TIMES && !one) keep |= TFP_READS_ONE_STEP;
    if (tfp_options_need_runs(o)) keep |= TFP_READS_RUNS;
    if (tfp_options_work_out(o)) keep |= TFP_READS_PROGRAM;
    if (o && tfp_options_show_parameters(o)) keep |= TFP_READS_GRAPHS;
    if (o && tfp_options_values(o) & TFP_V_KINDS) keep |= TFP_READS_PROGRAM;
    return o && o->to.output == TFP_TO_TIMELINE ? keep | TFP_READS_RUNS : keep;
}

unsigned tfp_view_traits(const char *view)
{
    const tfp_view *v = tfp_view_find(view);
    return !v ? 0
              : (tfp_report_kinds[v->kind].findings ? TFP_VIEW_FINDINGS : 0) |
                    (v->timeline == TFP_TIMELINE_OF_STEP ? TFP_VIEW_TIMELINE_OF_STEP : 0);
}

int tfp_view_takes_sound(const char *view)
{
    const tfp_view *v = tfp_view_find(view);
    return v && v->needs & TFP_TAKES_SOUND ? 1 : 0;
}

tfp_status tfp_profile_keep_step(tfp_profile *p, const tfp_options *o)
{
    if (!p || !o) return TFP_BADARG;
    if (!(p->reads & (TFP_READS_SUMS | TFP_READS_TIMES)) || p->reads & TFP_READS_ONE_STEP) return TFP_OK;
    if ((o->step.which == TFP_STEP_MEAN && p->reads & TFP_READS_TIMES) || tfp_options_phase(o)) return TFP_OK;
    p->reads |= TFP_READS_ONE_STEP;
    p->kept = o->step;
    return TFP_OK;
}

int tfp_report_note_is_remark(const tfp_report *r, size_t i)
{
    return r && i < r->notes.size && tfp_note_kinds[r->notes.at[i].code].remark;
}

const char *tfp_report_note(const tfp_report *r, size_t i)
{
    return r && i < r->notes.size ? r->notes.at[i].text : NULL;
}

const char *tfp_report_note_code(const tfp_report *r, size_t i)
{
    return r && i < r->notes.size ? tfp_note_kinds[r->notes.at[i].code].name : NULL;
}

int tfp_report_is_table(const tfp_report *r) { return r && tfp_kind_of(r)->table; }

size_t tfp_report_row_count(const tfp_report *r)
{
    return !r ? 0 : tfp_kind_of(r)->table ? r->grid->row_count : r->tree->rows.size;
}

const char *tfp_report_row_name(const tfp_report *r, size_t row)
{
    return r && row < r->tree->rows.size ? r->tree->rows.at[row].name.data : NULL;
}

size_t tfp_report_row_parent(const tfp_report *r, size_t row)
{
    return r && row < r->tree->rows.size ? r->tree->rows.at[row].parent : 0;
}

int64_t tfp_report_value(const tfp_report *r, size_t row, const char *column, int total)
{
    int c = column ? tfp_column_find(tfp_str_of(column)) : -1;
    int value = c < 0 ? -1 : tfp_value_of(&tfp_columns[c]);
    if (!r || row >= r->tree->rows.size || value < 0) return 0;
    tfp_value v = (tfp_value)value;
    return tfp_whole(v, total ? tfp_total(r, (uint32_t)row, v) : tfp_own(r, (uint32_t)row, v));
}

size_t tfp_report_finding_count(const tfp_report *r, const char *checker)
{
    size_t n = 0;
    if (!checker) return r ? r->findings.size : 0;
    for (size_t i = 0; r && i < r->findings.size; i++)
        n += tfp_str_eq(r->tree->rows.at[r->findings.at[i].checker].name, tfp_str_of(checker));
    return n;
}

/* ---- a report as a flat table ---- */

const char *tfp_report_column(const tfp_report *r, size_t i) { return r ? tfp_table_name(r, i) : NULL; }

static const tfp_table_column *column_of(const tfp_report *r, const char *name)
{
    return r && name ? tfp_table_find(r, name) : NULL;
}

char tfp_report_column_type(const tfp_report *r, const char *column)
{
    const tfp_table_column *c = column_of(r, column);
    return c ? (char)c->type : '\0';
}

size_t tfp_report_table_rows(const tfp_report *r) { return r ? r->grid->row_count : 0; }

const char *tfp_report_column_help(const tfp_report *r, const char *column)
{
    const tfp_table_column *c = column_of(r, column);
    if (!c) return NULL;
    return c->read && c->select >= 0 ? tfp_help_of(r, &tfp_columns[c->select]) : c->help;
}

/* Reads the cell if it is a number, or a text and there is a buffer for one: its type; 0: absent, or there is none. */
static int cell_at(const tfp_report *r, size_t row, const char *column, tfp_cell *out)
{
    const tfp_table_column *c = column_of(r, column);
    tfp_cells cells = tfp_cells_of(r);
    bool there = c && row < r->grid->row_count && (c->type == TFP_CELL_TEXT) == (out->text != NULL) &&
                 tfp_cell_at(&cells, c, (uint32_t)row, out);
    tfp_cells_free(&cells);
    return there ? (int)c->type : 0;
}

int tfp_report_int(const tfp_report *r, size_t row, const char *column, int64_t *out)
{
    tfp_cell cell = { 0 };
    int type = cell_at(r, row, column, &cell);
    if (!type || type == TFP_CELL_REAL) return 0;
    if (out) *out = cell.number;
    return 1;
}

int tfp_report_real(const tfp_report *r, size_t row, const char *column, double *out)
{
    tfp_cell cell = { 0 };
    int type = cell_at(r, row, column, &cell);
    if (type && out) *out = type == TFP_CELL_REAL ? cell.real : (double)cell.number;
    return type != 0;
}

int tfp_report_absent(const tfp_report *r, size_t row, const char *column)
{
    tfp_buf text = { 0 };
    tfp_cell number = { 0 }, cell = { .text = &text };
    bool there = cell_at(r, row, column, &number) || cell_at(r, row, column, &cell);
    tfp_buf_free(&text);
    return !there;
}

size_t tfp_report_string(const tfp_report *r, size_t row, const char *column, char *out, size_t room)
{
    tfp_buf text = { 0 };
    tfp_cell cell = { .text = &text };
    cell_at(r, row, column, &cell);
    tfp_text_give((tfp_str){ text.data, text.failed ? 0 : text.size }, out, room);
    size_t need = text.failed ? SIZE_MAX : text.size;
    tfp_buf_free(&text);
    return need;
}

size_t tfp_report_finding(const tfp_report *r, size_t i, const char **checker, char *out, size_t room)
{
    bool there = r && i < r->findings.size;
    if (checker) *checker = there ? r->tree->rows.at[r->findings.at[i].checker].name.data : NULL;
    return tfp_report_string(r, i, there ? "report" : NULL, out, room);
}

tfp_status tfp_report_arrow(const tfp_report *r, struct ArrowArrayStream *out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = (struct ArrowArrayStream){ 0 };
    if (!r || !out) return tfp_fail(err, TFP_BADARG, "no report, or no stream to fill");
    return tfp_arrow_export(r, TFP_ARROW_ROWS, TFP_ARROW_TEXT, out, err);
}

void tfp_arrow_release(struct ArrowArrayStream *stream)
{
    if (stream && stream->release) stream->release(stream);
}

tfp_status tfp_report_write(const tfp_report *r, const char *output, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    if (!r || !output || !fn) return tfp_fail(err, TFP_BADARG, "no report, no output's name, or nowhere to write");
    const tfp_output_format *f = tfp_output_find(output);
    if (!f) return tfp_fail(err, TFP_NOTFOUND, "no output '%s'", output);
    tfp_sink sink;
    tfp_sink_start(&sink, fn, ctx);
    tfp_status s = f->write(r, &sink, err);
    if (s) sink.buf.size = 0; /* incomplete output is discarded */
    tfp_status end = tfp_sink_end(&sink, s ? NULL : err);
    return s ? s : end;
}

tfp_status tfp_report_write_file(const tfp_report *r, const char *output, const char *path, tfp_error *err)
{
    tfp_error_clear(err);
    if (!path) return tfp_fail(err, TFP_BADARG, "no path");
    tfp_outfile f;
    tfp_status s = tfp_outfile_open(&f, path, err);
    if (s) return s;
    s = tfp_report_write(r, output, tfp_outfile_write, &f, err);
    if (!s || (s == TFP_BADOUTPUT && f.error)) s = tfp_outfile_finish(&f, err);
    tfp_outfile_abandon(&f);
    return s;
}

/* ---- the counts of an index ---- */

/* clang-format off */
static const tfp_table_column index_columns[] = {
    TFP_COLUMN(tfp_index_counts, "files", INT, NUMBER, files, "Files that were looked at."),
    TFP_COLUMN(tfp_index_counts, "indexed", INT, NUMBER, indexed, "Runs that were added."),
    TFP_COLUMN(tfp_index_counts, "failed", INT, NUMBER, failed, "Files that gave no run."),
    TFP_COLUMN(tfp_index_counts, "duplicates", INT, NUMBER, duplicates, "Files with the same bytes as another one."),
    TFP_COLUMN(tfp_index_counts, "unchanged", INT, NUMBER, unchanged, "Files that were known, and not opened."),
    TFP_COLUMN(tfp_index_counts, "replaced", INT, NUMBER, replaced, "Runs whose file has changed."),
    TFP_COLUMN(tfp_index_counts, "skipped", INT, NUMBER, skipped, "Files of other shares (--shard)."),
    TFP_COLUMN(tfp_index_counts, "bytes", INT, SIZE, bytes, "Bytes that were read."),
    TFP_COLUMN(tfp_index_counts, "parts", INT, NUMBER, parts, "Parquet files that were written."),
    TFP_COLUMN(tfp_index_counts, "seconds", REAL, LABEL, seconds, "How long it took."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

tfp_status tfp_index_report(const tfp_index *x, const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!x || !out) return tfp_fail(err, TFP_BADARG, "no index, or nowhere to put the report");
    tfp_report *r = tfp_report_new("index", o);
    if (!r) return tfp_nomem(err);
    tfp_status s = tfp_grid_of(r, &(tfp_row_table){ index_columns, &x->counts, sizeof x->counts, 1, 0 }, err);
    return tfp_report_give(r, s, out);
}
