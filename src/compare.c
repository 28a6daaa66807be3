// SPDX-License-Identifier: Apache-2.0
/* compare.c: the public functions of comparisons: a view's rows, and access to them. */
#include "compare/sides.h"
#include "compare/stats.h"
#include "model/tables/read.h"
#include "registry.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/view.h"

#include <stdlib.h>

/* The options for a view that finds the rows whose values are then computed step by step: for all steps, with only the
 * values needed to select and sort rows. */
static tfp_options *options_of_rows(const tfp_options *o)
{
    tfp_options *rows = tfp_options_copy(o);
    if (!rows) return NULL;
    rows->step = (tfp_step_choice){ .which = TFP_STEP_MEAN };
    rows->made.every_value = false;
    rows->made.reach = true;
    rows->top = 0;
    free(rows->order_column); /* it is one of the statistics */
    rows->order_column = NULL;
    rows->to.output = TFP_TO_NONE;
    rows->select &= ~(UINT64_C(1) << TFP_C_TENSOR_VALUE);
    free(rows->to.proto_out);
    rows->to.proto_out = NULL;
    if (tfp_options_set(rows, "format", "text", NULL) == TFP_OK) return rows;
    tfp_options_free(rows);
    return NULL;
}

static tfp_status copy_notes(tfp_report *to, const tfp_report *from, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < from->notes.size && !s; i++) s = tfp_report_note_copy(to, NULL, &from->notes.at[i], err);
    return s;
}

static tfp_status fill_stats(tfp_report *r, const tfp_view *view, tfp_error *err)
{
    unsigned failed = tfp_rewrites_failures(r->options->sides.rewrites);
    tfp_options *o = options_of_rows(r->options);
    if (o && tfp_report_kinds[view->kind].list && !tfp_options_chosen(o, "max_depth"))
        o->max_depth = INT32_MAX; /* all types */
    tfp_report *rows = NULL;
    tfp_status s = o ? TFP_OK : tfp_nomem(err);
    if (!s && view->compared == TFP_COMPARED_STEPS) {
        s = tfp_stats_of_steps(r, o, &rows, err);
    } else {
        if (!s) s = tfp_view_build(r->profile, view, o, &rows, err);
        if (!s) s = tfp_stats_fill(r, rows, err);
    }
    if (!s) s = copy_notes(r, rows, err);
    if (!s) s = tfp_grid_arrange(r, err);
    if (!s && r->options->step.which == TFP_STEP_ONE)
        s = tfp_report_note_add(r, TFP_NOTE_OPTION_IGNORED, err, "stats are over all steps: step means nothing");
    if (!s) s = tfp_report_note_clamped(r, err);
    if (!s && tfp_rewrites_failures(r->options->sides.rewrites) != failed) s = tfp_nomem(err);
    tfp_report_free(rows);
    tfp_options_free(o);
    return s;
}

tfp_status tfp_stats(const tfp_profile *p, const char *view, const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !out || !tfp_is_finished(p))
        return tfp_fail(err, TFP_BADARG, "no finished profile, or nowhere for the report");
    tfp_report *r = tfp_report_new("stats", o);
    if (!r) return tfp_nomem(err);
    r->profile = p;
    r->grid->keeps_order = true;
    if (!view) view = r->options->sides.view ? r->options->sides.view : "scope";
    const tfp_view *v = view ? tfp_view_find(view) : NULL;
    tfp_status s = TFP_OK;
    if (!v)
        s = tfp_fail(err, TFP_NOTFOUND, "no view '%s'", view);
    else if (v->compared == TFP_NOT_COMPARED || v->compared >= TFP_COMPARED_MEANS)
        s = tfp_fail(err, TFP_BADARG, "option -view: value '%s': stats has the views scope, graph, op, code, steps",
                     view);
    else if (r->options->compat10) /* version 1.0 had no steps */
        s = tfp_fail(err, TFP_BADARG, "stats has no -compat 1.0");
    if (!s) s = tfp_checkers_known(r->options->verb.checkers, err);
    if (!s) s = fill_stats(r, v, err);
    return tfp_report_give(r, s, out);
}

static tfp_status check_sides(const tfp_sides *sides, const tfp_view *v, const char *view, tfp_error *err)
{
    if (sides->at.size < 2) return tfp_fail(err, TFP_BADARG, "nothing to compare with: two sides are needed");
    if (sides->at.size > TFP_SIDES_MAX) return tfp_fail(err, TFP_LIMIT, "more than %d sides", TFP_SIDES_MAX);
    if (v && v->compared != TFP_NOT_COMPARED) return TFP_OK;
    return tfp_fail(err, TFP_NOTFOUND, "-view: '%.100s' cannot be compared (scope graph op code lines steps triage)",
                    view);
}

tfp_status tfp_diff(const tfp_sides *sides, const char *view, const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!sides || !out) return tfp_fail(err, TFP_BADARG, "no sides, or nowhere to put the report");
    tfp_report *r = tfp_report_new("diff", o);
    if (!r) return tfp_nomem(err);
    if (!view) view = r->options->sides.view;
    const tfp_view *v = tfp_view_find(view);
    tfp_status s = check_sides(sides, v, view, err);
    if (!s && v->compared == TFP_COMPARED_FAMILIES)
        s = tfp_diff_families(r, sides, err);
    else if (!s)
        s = tfp_diff_fill(r, sides, v, err);
    return tfp_report_give(r, s, out);
}

const char *tfp_report_over(const tfp_report *r, size_t i) { return r && i < r->over.size ? r->over.at[i] : NULL; }
