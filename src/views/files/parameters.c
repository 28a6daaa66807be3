// SPDX-License-Identifier: Apache-2.0
/* views/files/parameters.c: the model's parameters, in the cases in which they are not simply the elements of every node's attribute
 * shape: with -float_ops_source own, for a SavedModel, and for a checkpoint alone, for which TensorFlow's tool shows nothing. In:
 * tfp_parameters. */
#include "flops/core/parameters.h"
#include "model/program.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "options/columns.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

/* Adds a note about parameters that the column leaves out. */
static tfp_status note_others(tfp_report *r, const tfp_parameter_counts *c, tfp_error *err)
{
    static const struct {
        tfp_parameter_kind kind;
        const char *text;
    } others[] = {
        { TFP_SLOT, "of optimizers" },
        { TFP_BOOKKEEPING, "of counters and random states" },
        { TFP_UNUSED, "of handles that no signature takes, or that count elsewhere" },
    };
    tfp_buf text = { 0 };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!c->elements[others[i].kind]) continue;
        tfp_buf_text(&text, text.size ? ", " : "");
        tfp_buf_int(&text, c->elements[others[i].kind]);
        tfp_buf_printf(&text, " %s", others[i].text);
    }
    tfp_status s = text.failed ? tfp_nomem(err) : TFP_OK;
    if (!s && text.size)
        s = tfp_report_note_add(r, TFP_NOTE_PARAMETERS_OF_VARIABLES, err,
                                "params are those of the model's variables, without %.*s", (int)text.size, text.data);
    tfp_buf_free(&text);
    if (s || !c->unknown) return s;
    return tfp_report_note_add(r, TFP_NOTE_PARAMETERS_UNKNOWN, err,
                               "%zu variable%s of the model without a known shape count as 0 parameters", c->unknown,
                               c->unknown == 1 ? "" : "s");
}

tfp_status tfp_parameters_note_difference(tfp_report *r, const tfp_profile *p, const tfp_parameter_counts *c,
                                          const char *whose, const char *remedy, tfp_error *err)
{
    int64_t theirs = 0;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++)
        theirs = tfp_add(theirs, tfp_node_parameters(p, i, NULL), NULL);
    if (!c->total || c->total == theirs) return TFP_OK;
    return tfp_report_note_add(r, TFP_NOTE_PARAMETERS_DIFFER, err,
                               "%s are TensorFlow's count, %lld in all; the model's variables have %lld elements (%s)",
                               whose, (long long)theirs, (long long)c->total, remedy);
}

/* Whether `params` of this report are counted by variables. */
static bool counts_variables(const tfp_report *r)
{
    const tfp_options *o = r->options;
    if (o->compat_tensorflow || o->compat10) return tfp_options_find_parameters(o) && tfp_program_of(r->profile);
    bool asked = (r->values >> TFP_V_PARAMS & 1) || !tfp_filter_any(o->filters[TFP_F_ACCOUNT]);
    return (tfp_options_find_parameters(o) && tfp_program_of(r->profile)) || (asked && tfp_parameters_once(r->profile));
}

tfp_status tfp_parameters_start(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    bool own = counts_variables(r), kinds = r->values & TFP_V_KINDS;
    bool all = tfp_filter_any(r->options->filters[TFP_F_ACCOUNT]); /* types that the user named select the parameters */
    bool tell =
        !own && all && tfp_program_of(p) && (r->values >> TFP_V_PARAMS & 1) && tfp_options_show_parameters(r->options);

    if (kinds && !tfp_program_of(p) && !tfp_parameters_once(p))
        return tfp_report_note_add(r, TFP_NOTE_NO_PARAMETERS, err,
                                   "%s: no graph whose variables could be told apart: give it too (--graph_path)",
                                   tfp_first_source(p));
    if (!own && !kinds && !tell) return TFP_OK;
    tfp_parameter_counts *c = TFP_NEW(&r->arena, tfp_parameter_counts, 1);
    tfp_status s = c ? tfp_parameters(p, &r->arena, c, err) : tfp_nomem(err);
    if (s) return s;
    if (kinds) r->tree->kinds = c;
    if (tell) s = tfp_parameters_note_difference(r, p, c, "params", "-float_ops_source own, tfprof params", err);
    if (s || !own) return s;
    r->tree->parameters = c;
    if (!(r->values >> TFP_V_PARAMS & 1)) return TFP_OK; /* only the kinds of parameters are needed */
    r->clamped |= c->clamped;
    return note_others(r, c, err);
}
