// SPDX-License-Identifier: Apache-2.0
/* views/core/report.c: a report's rows and the functions on them. */
#include "model/join/remark.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/span_kinds.h"
#include "model/tables/spans.h"
#include "model/tensors.h"
#include "options/options.h"
#include "views/core/coverage.h"
#include "views/core/findings.h"
#include "views/core/grid.h"
#include "views/core/own_lines.h"
#include "views/core/report.h"
#include "views/core/statistics.h"
#include "views/core/texts.h"
#include "views/core/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* For reports that no view builds, such as those of stats and query. */
static const tfp_view no_view = { .name = "", .kind = TFP_REPORT_GRID };

/* clang-format off */
const tfp_kind_traits tfp_report_kinds[TFP_REPORT_KINDS] = {
    [TFP_REPORT_TREE]     = { .numbers = true, .row = "name" },
    [TFP_REPORT_GROUPS]   = { .numbers = true, .groups = true, .row = "line" },
    [TFP_REPORT_LIST]     = { .numbers = true, .groups = true, .list = true, .row = "type" },
    [TFP_REPORT_FINDINGS] = { .findings = true },
    [TFP_REPORT_GRID]     = { .table = true, .row = "name" },
};
/* clang-format on */

tfp_report *tfp_report_new(const char *view, const tfp_options *o)
{
    struct whole {
        tfp_report r;
        tfp_report_tree tree;
        tfp_grid grid;
        tfp_report_coverage covered;
    } *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    tfp_report *r = &w->r;
    r->view = view;
    r->about = &no_view;
    r->kind = TFP_REPORT_GRID;
    r->tree = &w->tree;
    r->grid = &w->grid;
    r->covered = &w->covered;
    r->options = o ? tfp_options_copy(o) : tfp_options_new();
    if (r->options) return r;
    free(w);
    return NULL;
}

tfp_report *tfp_report_of_table(const tfp_profile *p, const char *name)
{
    tfp_report *r = tfp_report_new(name, NULL);
    if (r) r->profile = p;
    return r;
}

tfp_status tfp_report_give(tfp_report *r, tfp_status s, tfp_report **out)
{
    if (s)
        tfp_report_free(r);
    else
        *out = r;
    return s;
}

const tfp_profile *tfp_profile_of(const tfp_report *r) { return r->profile; }
tfp_profile *tfp_runs_of(const tfp_report *r) { return r->runs; }
const struct tfp_cut *tfp_cut_of(const tfp_report *r) { return r->cut; }
const tfp_options *tfp_options_of(const tfp_report *r) { return r->options; }
tfp_step_choice tfp_step_of(const tfp_report *r) { return r->step; }
const tfp_view *tfp_view_of(const tfp_report *r) { return r->about; }
const char *tfp_name_of(const tfp_report *r) { return r->view; }
const tfp_kind_traits *tfp_kind_of(const tfp_report *r) { return &tfp_report_kinds[r->kind]; }
tfp_arena *tfp_arena_of(tfp_report *r) { return &r->arena; }
bool *tfp_clamped_of(tfp_report *r) { return &r->clamped; }
tfp_own_lines **tfp_own_lines_at(tfp_report *r) { return &r->lines; }
tfp_grid *tfp_table_of(const tfp_report *r) { return r->grid; }

uint32_t tfp_report_add_row(tfp_report *r, const tfp_row *row)
{
    if (r->tree->rows.size >= TFP_NONE - 1 || !tfp_push(&r->tree->rows, *row)) return TFP_NONE;
    return (uint32_t)r->tree->rows.size - 1;
}

void tfp_report_take_values(tfp_report *r, const tfp_values *own, const tfp_values *total)
{
    for (int c = 0; c < TFP_V_COUNT; c++) {
        r->tree->own[c] = own->at[c];
        r->tree->total[c] = total->at[c];
    }
    for (size_t k = 0; k < TFP_STATISTICS_MAX; k++) {
        r->tree->own_of_runs[k] = own->of_runs[k];
        r->tree->total_of_runs[k] = total->of_runs[k];
    }
}

bool tfp_name_order(const tfp_profile *p, uint32_t *order)
{
    bool ok = false;
    tfp_str *names = malloc((tfp_graph_of(p)->nodes.size ? tfp_graph_of(p)->nodes.size : 1) * sizeof *names);
    if (!names) return false;
    for (size_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        names[i] = tfp_text(p, tfp_graph_of(p)->nodes.at[i].name);
        order[i] = (uint32_t)i;
    }
    ok = tfp_sort_strings(order, tfp_graph_of(p)->nodes.size, names);
    free(names);
    return ok;
}

tfp_fact *tfp_fact_add(tfp_report *r, const char *name, const char *label, tfp_cell_type type, tfp_unit unit)
{
    tfp_fact f = { .name = name, .label = label, .type = type, .unit = unit };
    return tfp_push(&r->facts, f) ? &r->facts.at[r->facts.size - 1] : NULL;
}

bool tfp_fact_int(tfp_report *r, const char *name, const char *label, tfp_unit unit, int64_t n)
{
    tfp_fact *f = tfp_fact_add(r, name, label, TFP_CELL_INT, unit);
    if (f) f->number = n, f->absent = n == TFP_ABSENT;
    return f != NULL;
}

bool tfp_fact_real(tfp_report *r, const char *name, const char *label, tfp_unit unit, double x)
{
    tfp_fact *f = tfp_fact_add(r, name, label, TFP_CELL_REAL, unit);
    if (f) f->real = isnan(x) ? 0 : x, f->absent = isnan(x);
    return f != NULL;
}

bool tfp_fact_share(tfp_report *r, const char *name, const char *label, double over, double under)
{
    return tfp_fact_real(r, name, label, TFP_SHARE, under > 0 ? over / under : NAN);
}

bool tfp_fact_text(tfp_report *r, const char *name, const char *label, tfp_str text)
{
    tfp_fact *f = tfp_fact_add(r, name, label, TFP_CELL_TEXT, TFP_LABEL);
    if (f) f->text = text, f->absent = !text.data;
    return f != NULL;
}

bool tfp_fact_buf(tfp_report *r, const char *name, const char *label, tfp_buf *text)
{
    tfp_str copy = tfp_buf_move(text, &r->arena);
    return copy.data && tfp_fact_text(r, name, label, copy);
}

tfp_fact *tfp_fact_last(tfp_report *r) { return &r->facts.at[r->facts.size - 1]; }

tfp_status tfp_report_read_tensor(tfp_report *r, tfp_row *row, tfp_error *err)
{
    row->tensor = TFP_NONE;
    const tfp_checkpoint *c = tfp_checkpoint_of(r->profile);
    if (!c || !tfp_selects(r->options, TFP_C_TENSOR_VALUE)) return TFP_OK;
    /* the checkpoint has a variable that is split into parts, such as emb/part_0 and emb/part_1, under the name of
     * their scope */
    tfp_str name =
        row->node == TFP_NONE ? row->name : tfp_text(r->profile, tfp_graph_of(r->profile)->nodes.at[row->node].name);
    if (!tfp_checkpoint_has(c, name)) return TFP_OK; /* not every node is a variable */
    tfp_tensor *t = calloc(1, sizeof *t);
    if (!t) return tfp_nomem(err);
    tfp_status s = tfp_checkpoint_read(c, name, t, err);
    if (!s && !tfp_push(&r->tree->tensors, t)) s = tfp_nomem(err);
    if (s) {
        tfp_tensor_free(t);
        free(t);
        return s;
    }
    row->tensor = (uint32_t)r->tree->tensors.size - 1;
    return TFP_OK;
}

/* ---- labels ---- */

void tfp_report_put_number(const tfp_report *r, int value, tfp_unit unit, int64_t n, tfp_buf *out)
{
    if (tfp_is_time(value) && tfp_fine_times(r->profile))
        tfp_format_real(out, unit, tfp_exact(value, n));
    else
        tfp_format_amount(out, unit, tfp_whole(value, n));
}

const char *tfp_help_of(const tfp_report *r, const tfp_column *c)
{
    if (r->about->rows_are == TFP_ROWS_OF_CALLS && tfp_has(r->profile, TFP_HAS_TRACE) && c->help_of_calls)
        return c->help_of_calls;
    return tfp_column_help(c, tfp_has(r->profile, TFP_HAS_TRACE));
}

const char *tfp_doc_of(const tfp_report *r)
{
    return r->about->rows_are == TFP_ROWS_OF_CODE && tfp_lines_are_functions(r->profile)
               ? "Rows are functions of Python by their first lines, ordered by who calls whom."
               : r->about->doc;
}

void tfp_report_free(tfp_report *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->tree->tensors.size; i++) {
        tfp_tensor_free(r->tree->tensors.at[i]);
        free(r->tree->tensors.at[i]);
    }
    tfp_vec_free(&r->tree->tensors);
    tfp_vec_free(&r->tree->rows);
    tfp_vec_free(&r->findings);
    tfp_vec_free(&r->tree->line_runs);
    tfp_statistics_free(r->tree->statistics);
    tfp_map64_free(&r->tree->short_at);
    tfp_vec_free(&r->grid->columns);
    tfp_vec_free(&r->facts);
    for (size_t i = 0; i < r->parts.size; i++) tfp_vec_free(&r->parts.at[i].grid.columns);
    tfp_vec_free(&r->parts);
    tfp_vec_free(&r->notes);
    tfp_vec_free(&r->over);
    if (r->tree->code) tfp_vec_free(&r->tree->code->items);
    tfp_own_lines_free(r->lines);
    tfp_options_free(r->options);
    tfp_profile_free(r->runs);
    if (r->marked) tfp_remark_end(r->marked);
    tfp_arena_free(&r->arena);
    free(r);
}

bool tfp_lines_are_functions(const tfp_profile *p)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_python_frame f;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->kind[i] == TFP_SPAN_FRAME && tfp_python_frame_of(tfp_text(p, s->name[i]), &f)) return true;
    return false;
}

bool tfp_is_aligned(const tfp_report *r)
{
    const tfp_options *o = r->options;
    bool compat = o->compat10 || o->compat_tensorflow;
    bool own = tfp_kind_of(r)->table || (r->profile && tfp_is_beyond_tensorflow(r->profile));
    return tfp_for_screen(o) || (!compat && own);
}

const char *tfp_about_name(tfp_about about)
{
    static const char *const names[TFP_ABOUT_KINDS] = { [TFP_ABOUT_COMPUTE] = "compute",
                                                        [TFP_ABOUT_COMMUNICATION] = "communication",
                                                        [TFP_ABOUT_COPY] = "copy",
                                                        [TFP_ABOUT_MEMORY] = "memory",
                                                        [TFP_ABOUT_HOST] = "host" };
    return names[about];
}
