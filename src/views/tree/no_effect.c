// SPDX-License-Identifier: Apache-2.0
/* views/tree/no_effect.c: notes for options that changed nothing: columns of runs if nothing ran, patterns that match no name,
 * filters that leave no row, tensor values without a tensor. One note for each; none with -compat. */
#include "flops/core/parameters.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tensors.h"
#include "model/trace/scan.h"
#include "options/columns.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"
#include "views/spans/nest.h"

static bool is_compat(const tfp_report *r) { return r->options->compat10 || r->options->compat_tensorflow; }

static bool speaks(const tfp_report *r) { return !is_compat(r) && tfp_kind_of(r)->numbers; }

/* ---- patterns ---- */

typedef struct name_filter {
    int filter;
    const char *option;
} name_filter;
static const name_filter name_filters[] = { { TFP_F_START, "start_name_regexes" },
                                            { TFP_F_TRIM, "trim_name_regexes" },
                                            { TFP_F_SHOW, "show_name_regexes" },
                                            { TFP_F_HIDE, "hide_name_regexes" } };

/* The item of a list that is to be shown; a list given as one text may contain commas, so then all of it is shown. */
static tfp_str item_text(const tfp_filter *f, size_t at)
{
    tfp_str all = tfp_str_of(f->text);
    size_t commas = 0;
    for (size_t i = 0; i < all.size; i++) commas += all.data[i] == ',';
    if (commas + 1 != f->count) return all;
    const char *from = all.data;
    for (; at; at--) from = strchr(from, ',') + 1;
    return (tfp_str){ from, strcspn(from, ",") };
}

static tfp_status note_pattern(tfp_report *r, const char *option, tfp_str item, const char *what, tfp_error *err)
{
    return tfp_report_note_add(r, TFP_NOTE_NO_MATCH, err, "-%s: no %s matches '%.*s'", option, what,
                               (int)(item.size < 200 ? item.size : 200), item.data);
}

/* Adds one note for each pattern of a filter that matches none of the names. It looks at no more names than needed. */
static tfp_status check_filter(tfp_report *r, const name_filter *by, const char *what, const tfp_str *names,
                               size_t count, tfp_error *err)
{
    const tfp_filter *f = r->options->filters[by->filter];
    tfp_status s = TFP_OK;
    if (!f || f->any || f->broken) return TFP_OK;
    for (size_t k = 0; k < f->count && k < 16 && !s; k++) {
        bool found = false;
        for (size_t i = 0; i < count && !found; i++) found = tfp_regex_full_match(f->regexes[k], names[i]);
        if (!found) s = note_pattern(r, by->option, item_text(f, k), what, err);
    }
    return s;
}

tfp_status tfp_note_unmatched(tfp_report *r, const tfp_str *names, size_t count, tfp_error *err)
{
    const char *what = tfp_kind_of(r)->row;
    tfp_status s = TFP_OK;
    if (is_compat(r) || tfp_kind_of(r)->findings || !count) return TFP_OK;
    for (size_t i = 0; i < sizeof name_filters / sizeof *name_filters && !s; i++)
        s = check_filter(r, &name_filters[i], what, names, count, err);
    return s;
}

/* Lists the distinct types of the nodes, and those of the kinds of variables. */
static bool list_types(tfp_report *r, tfp_str **out, size_t *count)
{
    const tfp_profile *p = r->profile;
    tfp_arena *a = &r->arena;
    uint8_t *seen = TFP_NEW(a, uint8_t, tfp_strings_of(p)->count + 1);
    tfp_str *names = *out = TFP_NEW(a, tfp_str, tfp_strings_of(p)->count + 16);
    *count = 0;
    if (!seen || !names) return false;
    for (size_t i = 0; i < tfp_graph_of(p)->types.size; i++) {
        if (seen[tfp_graph_of(p)->types.at[i].name]) continue;
        seen[tfp_graph_of(p)->types.at[i].name] = 1;
        names[(*count)++] = tfp_text(p, tfp_graph_of(p)->types.at[i].name);
    }
    for (int kind = 0; kind < TFP_PARAMETER_KINDS && r->tree->parameters; kind++)
        for (const char *const *t = tfp_parameter_types((tfp_parameter_kind)kind);
             *t && *count < tfp_strings_of(p)->count + 16;)
            names[(*count)++] = tfp_str_of(*t++);
    return true;
}

static tfp_status check_types(tfp_report *r, tfp_error *err)
{
    const tfp_filter *f = r->options->filters[TFP_F_ACCOUNT];
    tfp_str *names;
    size_t count;
    if (!f || f->any || f->broken || !tfp_graph_of(r->profile)->nodes.size) return TFP_OK;
    if (!list_types(r, &names, &count)) return tfp_nomem(err);
    return check_filter(r, &(name_filter){ TFP_F_ACCOUNT, "account_type_regexes" }, "type of a node", names, count,
                        err);
}

/* ---- columns ---- */

#define OF_TIME                                                                                                        \
    (UINT64_C(1) << TFP_C_MICROS | UINT64_C(1) << TFP_C_CPU_MICROS | UINT64_C(1) << TFP_C_ACCELERATOR_MICROS)
#define OF_RUNS                                                                                                        \
    (OF_TIME | UINT64_C(1) << TFP_C_BYTES | UINT64_C(1) << TFP_C_PEAK_BYTES | UINT64_C(1) << TFP_C_RESIDUAL_BYTES |    \
     UINT64_C(1) << TFP_C_OUTPUT_BYTES)

static tfp_status check_runs(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    bool times = r->options->select & OF_TIME, params = r->options->select & UINT64_C(1) << TFP_C_PARAMS;
    bool calls = tfp_counts_calls(p);
    if (calls && params) {
        tfp_status s = tfp_report_note_add(r, TFP_NOTE_NO_PARAMETERS, err,
                                           "an execution trace does not say which tensors are parameters, so params "
                                           "are 0 everywhere");
        if (s) return s;
    }
    if (tfp_executions_of(p)->execs.size || !tfp_graph_of(p)->nodes.size || !(r->options->select & OF_RUNS))
        return TFP_OK;
    if (r->cut)
        return tfp_report_note_add(
            r, TFP_NOTE_RANGE_EMPTY, err,
            "no operation ran between the two moments of -range: tfprof timeline shows what did");
    return tfp_report_note_add(r, TFP_NOTE_NOTHING_RAN, err,
                               "nothing ran in these files, so %s 0 everywhere: add %s; tfprof info FILE says what is "
                               "there",
                               times ? "times are" : "memory is",
                               calls ? "the trace of the same run (--kineto_path)" : "run metadata (--run_meta_path)");
}

/* Numbers of a trace's spans. */
typedef struct counted {
    size_t elsewhere; /* on lanes that are not derived; these are not read for sums */
    size_t shown;     /* shown by `calls` */
} counted;

static counted count_all(const tfp_profile *p)
{
    counted c = { 0 };
    bool plain = tfp_has_plain_spans(p);
    for (tfp_scan s = tfp_scan_of(p, &(tfp_scan_ask){ .outside = true }); tfp_scan_next(&s);) {
        for (const tfp_scan_row *row = s.rows; row < s.rows + s.count; row++) {
            tfp_lane_role role = (tfp_lane_role)tfp_lanes_of(p)->at[row->lane].role;
            if (role != TFP_ROLE_DERIVED) c.elsewhere += (size_t)row->self_ns.count;
            if (tfp_kind_nests(row->kind, row->marks, plain && role == TFP_ROLE_THREAD))
                c.shown += (size_t)row->self_ns.count;
        }
    }
    return c;
}

/* Traces of other programs have no operations. Asynchronous events (b, e) may overlap anything, so views of time skip
 * them. */
static tfp_status check_operations(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    if (tfp_graph_of(p)->nodes.size && (r->cut || tfp_ran_any(p) || !tfp_has(p, TFP_HAS_TRACE))) return TFP_OK;
    counted c = count_all(p);
    bool nests = r->about->rows_are == TFP_ROWS_OF_CALLS || r->about->rows_are == TFP_ROWS_OF_CODE;
    if (!tfp_lanes_of(p)->size || (c.elsewhere && nests)) return TFP_OK;
    if (c.elsewhere)
        return tfp_report_note_add(r, TFP_NOTE_NO_OPERATIONS, err,
                                   "no operation is in the trace: tfprof calls shows its %zu span%s by name", c.shown,
                                   c.shown == 1 ? "" : "s");
    return tfp_report_note_add(r, TFP_NOTE_NO_OPERATIONS, err,
                               "no operation is in the trace; asynchronous and derived spans count in no view: "
                               "tfprof timeline and query show them");
}

/* Columns for which a trace of events has no data although the files have runs. */
static tfp_status check_trace(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    uint64_t shown = r->options->select, untold = UINT64_C(1) << TFP_C_PEAK_BYTES | UINT64_C(1) << TFP_C_OUTPUT_BYTES;
    uint64_t memory = UINT64_C(1) << TFP_C_BYTES | UINT64_C(1) << TFP_C_RESIDUAL_BYTES;
    if (!tfp_has(p, TFP_HAS_TRACE)) return TFP_OK;
    tfp_status s = TFP_OK;
    if (shown & untold)
        s = tfp_report_note_add(r, TFP_NOTE_NO_MEMORY, err,
                                "a trace does not contain peak_bytes and output_bytes: they are 0 everywhere; tfprof "
                                "memory shows the peak of each device");
    if (!s && (shown & memory) && !(shown & OF_TIME) && !tfp_events_of(p)->memory.size)
        s = tfp_report_note_add(r, TFP_NOTE_NO_MEMORY, err,
                                "the trace was recorded without memory, so bytes are 0 everywhere");
    if (!s && (shown & UINT64_C(1) << TFP_C_PARAMS) && !tfp_has(p, TFP_HAS_GRAPH))
        s = tfp_report_note_add(r, TFP_NOTE_NO_PARAMETERS, err,
                                "a trace has no variables, so params are 0 everywhere: add the graph "
                                "(--graph_path)");
    return s ? s : check_operations(r, err);
}

/* Float operations, if files contain none: a 0 would look like an answer. */
static tfp_status check_float_ops(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    if (!(r->options->select & UINT64_C(1) << TFP_C_FLOAT_OPS) || r->tree->counts || !tfp_graph_of(p)->nodes.size)
        return TFP_OK;
    for (size_t i = 0; i < tfp_graph_of(p)->nodes.size; i++)
        if (tfp_graph_of(p)->nodes.at[i].float_ops) return TFP_OK;
    for (size_t i = 0; i < tfp_executions_of(p)->execs.size; i++)
        if (tfp_executions_of(p)->execs.at[i].float_ops) return TFP_OK;
    if (tfp_has(p, TFP_HAS_TRACE))
        return tfp_report_note_add(
            r, TFP_NOTE_NO_FLOAT_OPS, err,
            "the trace holds neither float operations nor shapes from which to compute them, so float_ops "
            "are 0 everywhere: record shapes, or add the graph (--graph_path) with "
            "-float_ops_source own");
    return tfp_report_note_add(r, TFP_NOTE_NO_FLOAT_OPS, err,
                               "these files hold no float operations, so float_ops are 0 everywhere: "
                               "-float_ops_source own computes them from the graph");
}

static tfp_status check_tensors(tfp_report *r, tfp_error *err)
{
    if (!tfp_selects(r->options, TFP_C_TENSOR_VALUE) || !tfp_kind_of(r)->numbers || tfp_kind_of(r)->groups ||
        r->tree->tensors.size)
        return TFP_OK;
    if (!tfp_checkpoint_of(r->profile))
        return tfp_report_note_add(r, TFP_NOTE_NO_TENSORS, err, "tensor_value needs a checkpoint (--checkpoint_path)");
    return tfp_report_note_add(r, TFP_NOTE_NO_TENSORS, err,
                               "tensor_value: no row that is shown has a tensor in the checkpoint");
}

/* Assumptions only change computed numbers; this report has none. */
static tfp_status check_assumptions(tfp_report *r, tfp_error *err)
{
    static const char *const names[] = { "assume_batch", "assume_shape", "signature" };
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && !s && !tfp_options_work_out(r->options); i++)
        if (tfp_options_chosen(r->options, names[i]))
            s = tfp_report_note_add(
                r, TFP_NOTE_OPTION_IGNORED, err,
                "-%s only changes numbers that are computed: select float_ops with -float_ops_source own", names[i]);
    return s;
}

static tfp_status check_devices(tfp_report *r, tfp_error *err)
{
    if (!tfp_options_chosen(r->options, "device_regexes") || tfp_filter_any(r->options->filters[TFP_F_DEVICE]))
        return TFP_OK;
    return tfp_report_note_add(r, TFP_NOTE_OPTION_IGNORED, err,
                               "-device_regexes works with -compat 1.0 only; -account_type_regexes counts what "
                               "ran on a device");
}

/* ---- rows ---- */

typedef struct narrowed { /* which options filter rows */
    bool minimum, filter, broken;
} narrowed;

static narrowed narrowed_by(const tfp_options *o)
{
    narrowed n = { .filter = !tfp_filter_any(o->filters[TFP_F_ACCOUNT]) };
    for (int v = 0; v < TFP_V_COUNT; v++) n.minimum |= o->min[v] > 0;
    for (size_t i = 0; i < sizeof name_filters / sizeof *name_filters; i++) {
        const tfp_filter *f = o->filters[name_filters[i].filter];
        bool hides = i == 1 || i == 3;
        n.broken |= f && f->broken;
        n.filter |= f && (hides ? f->count > 0 : !f->any);
    }
    return n;
}

/* Filters that each match something may together leave nothing. */
static tfp_status check_rows(tfp_report *r, size_t notes_before, tfp_error *err)
{
    const tfp_options *o = r->options;
    narrowed n = narrowed_by(o);
    if (o->max_depth < 2 && !tfp_kind_of(r)->list) return TFP_OK; /* only the root was asked for */
    if (r->tree->rows.size > 1 || r->notes.size > notes_before || !tfp_graph_of(r->profile)->nodes.size) return TFP_OK;
    if (n.broken) return TFP_OK; /* it has an error of its own */
    if (!n.minimum && !n.filter) return TFP_OK;
    return tfp_report_note_add(r, TFP_NOTE_ROWS_HIDDEN, err, "no row is left: %s%s%s hide all of them",
                               n.minimum ? "minimums (-min_*)" : "", n.minimum && n.filter ? " and " : "",
                               n.filter ? "patterns (-*_regexes) and -max_depth" : "");
}

tfp_status tfp_note_all_rows(tfp_report *r, tfp_error *err)
{
    narrowed n = narrowed_by(r->options);
    if (!tfp_kind_of(r)->table || is_compat(r) || (r->about->needs & TFP_TAKES_LIMITS)) return TFP_OK;
    if (!n.minimum && !n.filter) return TFP_OK;
    return tfp_report_note_add(r, TFP_NOTE_OPTION_IGNORED, err,
                               "the table %s takes no %s%s%s: all of its rows are shown", r->about->name,
                               n.filter ? "patterns (-*_regexes)" : "", n.minimum && n.filter ? " and no " : "",
                               n.minimum ? "minimums (-min_*)" : "");
}

tfp_status tfp_note_left(tfp_report *r, size_t types, tfp_error *err)
{
    r->tree->left = types;
    if (!speaks(r) || !types || tfp_options_chosen(r->options, "max_depth")) return TFP_OK;
    if (tfp_is_aligned(r)) return TFP_OK; /* the head of the table shows how many there are */
    return tfp_report_note_add(r, TFP_NOTE_ROWS_LEFT, err, "%zu more type%s not shown (-max_depth)", types,
                               types == 1 ? " is" : "s are");
}

tfp_status tfp_note_silence(tfp_report *r, size_t notes_before, tfp_error *err)
{
    if (tfp_kind_of(r)->table && !r->grid->row_count && r->about->no_rows && r->notes.size == notes_before)
        return tfp_report_note_add(r, TFP_NOTE_NO_ROWS, err, "%s", r->about->no_rows);
    if (!speaks(r)) return TFP_OK;
    tfp_status s = check_types(r, err);
    if (!s) s = check_rows(r, notes_before, err);
    if (!s) s = check_runs(r, err);
    if (!s) s = check_trace(r, err);
    if (!s) s = check_float_ops(r, err);
    if (!s) s = check_tensors(r, err);
    if (!s) s = check_assumptions(r, err);
    return s ? s : check_devices(r, err);
}
