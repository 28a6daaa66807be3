// SPDX-License-Identifier: Apache-2.0
/* views/files/build.c: builds a report from a profile, a view and options: finds the step, checks what options and view
 * need, and calls the view. */
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/join/runs.h"
#include "model/tables/about.h"
#include "model/tables/doubts.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/step_marks.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/coverage.h"
#include "views/core/grid.h"
#include "views/core/kinds.h"
#include "views/core/notes.h"
#include "views/core/own_frame.h"
#include "views/core/report.h"
#include "views/core/statistics.h"
#include "views/core/table.h"
#include "views/core/view.h"
#include "views/flops/instructions.h"
#include "views/timeline/range.h"

#include <stdlib.h>

/* Makes a trace from the executions of RunMetadata and ProfileProto, for tables of traces. */
static tfp_status start_trace(tfp_report *r, tfp_error *err)
{
    bool wanted = (r->about->needs & TFP_NEEDS_SPANS) && !(r->about->needs & TFP_NEEDS_EVENTS);
    if (!(wanted || r->about->needs & TFP_USES_SPANS) || !tfp_has_runs(r->profile)) return TFP_OK;
    tfp_status s = tfp_runs_trace(r->profile, &r->runs, err);
    if (!s && wanted) r->profile = r->runs;
    return s;
}

/* Finds the steps of the phase that was asked for. A step counts if it is of the phase on some rank. */
static tfp_status find_phase(tfp_report *r, tfp_error *err)
{
    const tfp_event_tables *t = tfp_events_of(r->profile);
    tfp_str asked = tfp_str_of(r->options->part.phase);
    bool known[TFP_PHASES] = { false }, found = false;
    bool *of = TFP_NEW(&r->arena, bool, tfp_executions_of(r->profile)->steps.size + 1);
    if (!of) return tfp_nomem(err);
    for (size_t i = 0; i < t->windows.size; i++) {
        const tfp_step_window *w = &t->windows.at[i];
        known[w->phase] = true;
        if (!w->phase || !tfp_str_eq(tfp_str_of(tfp_phase_name(w->phase)), asked)) continue;
        of[w->step] = found = true;
    }
    r->step.phase = of;
    if (found) return TFP_OK;
    tfp_buf phases = { 0 };
    for (int i = TFP_PHASE_NONE + 1; i < TFP_PHASES; i++)
        if (known[i]) tfp_buf_printf(&phases, "%s%s", phases.size ? " " : "", tfp_phase_name((tfp_phase)i));
    tfp_status s = tfp_fail(err, TFP_BADFILE, "no step of phase '%s' (%s%.*s)", r->options->part.phase,
                            phases.size ? "phases: " : "no marker of a step tells a phase", (int)phases.size,
                            phases.data ? phases.data : "");
    tfp_buf_free(&phases);
    return tfp_within_file(err, s, tfp_first_source(r->profile));
}

/* The mean leaves out steps in which something is in doubt. */
static tfp_status leave_steps_out(tfp_report *r, tfp_error *err)
{
    size_t count = tfp_executions_of(r->profile)->steps.size;
    bool *left = NULL, *own = NULL;
    if (!tfp_left_steps(r->profile, &left)) return tfp_nomem(err);
    if (left && (own = TFP_NEW(&r->arena, bool, count))) memcpy(own, left, count * sizeof *own);
    bool ok = !left || own;
    free(left);
    r->step.left = own;
    return ok ? TFP_OK : tfp_nomem(err);
}

static tfp_status find_step(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    tfp_step_choice asked = r->options->step;
    bool trace = (tfp_has(p, TFP_HAS_TRACE) > 0 && p != r->runs) || tfp_samples_of(p)->samples.size;
    bool chosen = tfp_options_chosen(r->options, "step"), table = !tfp_kind_of(r)->numbers;
    if (trace && asked.which == TFP_STEP_MEAN && !chosen) asked.which = TFP_STEP_ALL;
    if (asked.which == TFP_STEP_ALL && table)
        asked.which = TFP_STEP_MEAN; /* tables have no mean; to them this means all steps */
    r->step = asked;
    if (tfp_options_phase(r->options)) {
        tfp_status s = find_phase(r, err);
        if (s) return s;
    }
    if (asked.which == TFP_STEP_MEAN && chosen && trace && !table && !tfp_only_total(p)) return leave_steps_out(r, err);
    if (asked.which != TFP_STEP_ONE) return TFP_OK;
    r->step.row = tfp_find_step(p, asked.id);
    if (r->step.row != TFP_NONE && tfp_executions_of(p)->steps.at[r->step.row].listed) return TFP_OK;
    if (r->about->needs & TFP_FINDS_STEPS && !tfp_executions_of(p)->steps.size) return TFP_OK;
    tfp_buf known = { 0 };
    size_t n = tfp_profile_step_count(p);
    for (size_t i = 0; i < n && i < 50; i++)
        tfp_buf_printf(&known, "%s%lld", i ? " " : "", (long long)tfp_profile_step(p, i));
    if (n > 50) tfp_buf_text(&known, " ...");
    tfp_status s =
        trace ? TFP_BADFILE : TFP_NOTFOUND; /* as in TensorFlow's tool; in a trace it is the file that lacks the step */
    tfp_fail(err, s, "step %lld not found (%s%.*s)", (long long)asked.id, n ? "steps " : "no steps", (int)known.size,
             known.data ? known.data : "");
    tfp_buf_free(&known);
    return tfp_within_file(err, s, tfp_first_source(p));
}

/* The number of matches that ran out of memory. Such a match answers "no", so the report would be wrong. */
static unsigned failed_matches(const tfp_options *o)
{
    unsigned n = 0;
    for (size_t i = 0; i < TFP_F_COUNT; i++) n += tfp_filter_failures(o->filters[i]);
    return n;
}

static tfp_status start_reach(tfp_report *r, tfp_error *err)
{
    size_t count = tfp_graph_of(r->profile)->nodes.size;
    r->tree->reach = r->options->compat10 ? NULL : TFP_NEW(&r->arena, tfp_reach, count);
    if (r->options->compat10) return TFP_OK;
    if (!r->tree->reach) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) r->tree->reach[i].row = TFP_NONE;
    return TFP_OK;
}

/* ---- what a view needs ---- */

static bool has(const tfp_profile *p, unsigned need)
{
    bool trace = tfp_has(p, TFP_HAS_TRACE), samples = tfp_samples_of(p)->samples.size;
    switch (need) {
    case TFP_NEEDS_NODES: return tfp_graph_of(p)->nodes.size || !samples;
    case TFP_NEEDS_GRAPH: return tfp_has(p, TFP_HAS_GRAPH) || !trace;
    case TFP_NEEDS_CODE: return tfp_profile_has(p, TFP_HAS_CODE) || trace;
    case TFP_NEEDS_SPANS: return trace || tfp_has_runs(p) || tfp_timed_of(p)->size;
    case TFP_NEEDS_EVENTS: return trace;
    case TFP_NEEDS_CALLS: return trace || samples;
    case TFP_NEEDS_PROGRAM: return tfp_has(p, TFP_HAS_PROGRAM) || tfp_has_instructions(p);
    default: return true;
    }
}

/* The first of these that a profile lacks is the error: BEFORE the NAME view AFTER. */
static const struct {
    unsigned need;
    tfp_status status;
    const char *before, *after;
} needs[] = {
    { TFP_NEEDS_SPANS, TFP_NOTFOUND, "no trace of events:", "needs one" },
    { TFP_NEEDS_EVENTS, TFP_NOTFOUND, "no trace of events:", "needs one" },
    { TFP_NEEDS_CALLS, TFP_NOTFOUND, "no trace of events:", "needs one" },
    { TFP_NEEDS_GRAPH, TFP_BADFILE, "no graph:",
      "needs one beside a trace of events (--graph_path; of PyTorch the execution trace that ExecutionTraceObserver "
      "writes, --execution_trace_path)" },
    { TFP_NEEDS_CODE, TFP_NOTFOUND, "no code traces:", "needs an op log with them, or a trace recorded with stacks" },
    { TFP_NEEDS_NODES, TFP_NOTFOUND, "sampled stacks have no nodes, which", "shows: use code, calls or lines" },
};

unsigned tfp_view_reads(const tfp_view *view, const tfp_options *o)
{
    unsigned reads = view ? view->reads : 0;
    if (tfp_options_need_spans(o)) reads &= ~(unsigned)TFP_READS_SUMS;
    if (o && (o->verb.critical_path || o->verb.why || tfp_options_cut(o) || tfp_options_mark(o)))
        reads &= ~(unsigned)TFP_READS_TIMES;
    return reads;
}

/* Whether a report needs spans that were left out when the profile was read. */
static bool asks_for_spans(const tfp_report *r)
{
    unsigned stored = tfp_reads_of(r->profile) & TFP_READS_TIMES ? TFP_READS_TIMES : TFP_READS_SUMS;
    return !(tfp_view_reads(r->about, r->options) & stored);
}

/* Whether the report needs other steps than the choice of steps that the profile was read with. For tables, which have
 * no mean, the mean means all steps. */
static bool asks_for_other_steps(const tfp_report *r)
{
    tfp_step_choice kept = tfp_kept_choice(r->profile), asked = r->step;
    unsigned reads = r->about->reads;
    if (reads & TFP_READS_TIMES && !(reads & TFP_READS_EACH_STEP)) return false;
    if (tfp_options_phase(r->options)) return true;
    if (reads & TFP_READS_TIMES && asked.which == TFP_STEP_MEAN) asked.which = TFP_STEP_ALL;
    return asked.which != kept.which || (asked.which == TFP_STEP_ONE && asked.id != kept.id);
}

static tfp_status check_needs(const tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    tfp_status s = TFP_OK;
    if (tfp_only_sums(p) && asks_for_spans(r)) return tfp_no_spans(err);
    if (tfp_only_total(p) && asks_for_other_steps(r))
        return tfp_fail(err, TFP_BADARG, "the profile was read with %s, for other steps",
                        tfp_reads_name(TFP_READS_ONE_STEP));
    unsigned takes = TFP_TAKES_SNAPSHOTS | (tfp_timed_of(p)->size ? TFP_TAKES_INSPECTOR : 0);
    if (tfp_only_allocator(p) && !(r->about->needs & takes)) {
        s = tfp_fail(err, TFP_BADFILE, "%s nothing that the %s view shows: use %s",
                     tfp_allocator_of(p)->devices.size ? "a memory snapshot has"
                     : tfp_timed_of(p)->size           ? "lines of NCCL's inspector have"
                                                       : "dumps of the flight recorder have",
                     r->view,
                     tfp_allocator_of(p)->devices.size ? "memory"
                     : tfp_timed_of(p)->size           ? "transfer"
                                                       : "hang");
        return tfp_within_file(err, s, tfp_first_source(p));
    }
    if ((r->about->needs & TFP_NEEDS_PROGRAM) && !has(p, TFP_NEEDS_PROGRAM)) return tfp_no_program(p, err);
    for (size_t i = 0; i < sizeof needs / sizeof *needs && !s; i++)
        if (r->about->needs & needs[i].need && !has(p, needs[i].need))
            s = tfp_fail(err, needs[i].status, "%s the %s view %s", needs[i].before, r->view, needs[i].after);
    return s ? tfp_within_file(err, s, tfp_first_source(p)) : TFP_OK;
}

/* -top for a tree: keeps the first rows below each row, and what is below these. */
static bool cut_tree(tfp_report *r, uint64_t most)
{
    size_t count = r->tree->rows.size, kept = 0;
    uint32_t *place = TFP_NEW(&r->arena, uint32_t, count + 1), *below = TFP_NEW(&r->arena, uint32_t, count + 1);
    if (!place || !below) return false;
    for (size_t i = 0; i < count; i++) {
        tfp_row *x = &r->tree->rows.at[i];
        below[i] = 0;
        place[i] = i && (place[x->parent] == TFP_NONE || below[x->parent]++ >= most) ? TFP_NONE : (uint32_t)kept;
        if (place[i] == TFP_NONE) continue;
        if (i) x->parent = place[x->parent];
        r->tree->rows.at[kept++] = *x;
    }
    r->tree->rows.size = kept;
    return true;
}

/* -top: keeps the first types of a list; in trees the first rows below each row. */
static tfp_status cut(tfp_report *r, tfp_error *err)
{
    uint64_t most = (uint64_t)r->options->top;
    if (!most || r->options->made.reach) return TFP_OK; /* stats and diff cut their reports themselves */
    if (!tfp_kind_of(r)->list) return cut_tree(r, most) ? TFP_OK : tfp_nomem(err);
    if (r->tree->rows.size > most + 1) { /* the root comes before them */
        r->tree->left += r->tree->rows.size - 1 - (size_t)most;
        r->tree->rows.size = (size_t)most + 1;
    }
    return TFP_OK;
}

/* Whether a format is for people; programs that ask for it get a pipe's rows, in order of name. */
static bool is_text(const char *format) { return strcmp(format, "text") == 0 || strcmp(format, "md") == 0; }

/* Whether people see the times of devices and of their host each by itself. Programs, and people who ask for TensorFlow's answers, get
 * their sum. */
static bool times_apart(const tfp_report *r)
{
    const tfp_options *o = r->options;
    return is_text(o->to.format) && tfp_is_aligned(r) && !o->compat10 && !o->compat_tensorflow && !o->made.reach &&
           tfp_ran_on_both(r->profile) &&
           !(tfp_samples_of(r->profile)->samples.size && r->about->needs & TFP_NEEDS_CODE);
}

/* Where people see device and host time apart, the device's orders rows instead of the sum. Rows of trees may be ordered by the
 * heads that people see. */
static tfp_status set_apart(tfp_report *r, tfp_error *err)
{
    tfp_options *o = r->options;
    const char *by = o->order_column;
    o->made.apart = times_apart(r);
    if (!tfp_kind_of(r)->numbers) return TFP_OK;
    if (by && strcmp(by, "host") == 0) return tfp_options_set(o, "order_by", "cpu_micros", err);
    bool device = by ? strcmp(by, "device") == 0 : o->made.apart && o->order.by == TFP_V_MICROS;
    return device ? tfp_options_set(o, "order_by", "accelerator_micros", err) : TFP_OK;
}

/* In aligned tables, and with -top, rows are sorted by the first column, biggest first, unless -order_by was given. */
static tfp_status order_by_size(tfp_report *r, tfp_error *err)
{
    tfp_options *o = r->options;
    tfp_column_id columns[TFP_COLUMNS_MAX];
    bool aligned = tfp_for_screen(o) || (tfp_is_aligned(r) && is_text(o->to.format) && !o->made.reach);
    if (!(aligned || o->top) || !tfp_kind_of(r)->numbers || r->about->row_traits & TFP_KEEPS_ORDER ||
        tfp_options_chosen(o, "order_by"))
        return TFP_OK;
    size_t n = tfp_options_selected(o, columns);
    for (size_t i = 0; i < n; i++)
        if (tfp_columns[columns[i]].order_at && tfp_kinds[tfp_columns[columns[i]].kind].number)
            return tfp_options_set(o, "order_by", tfp_columns[columns[i]].name, err);
    return TFP_OK;
}

static tfp_status build(tfp_report *r, const tfp_view *view, tfp_error *err)
{
    unsigned failed_before = failed_matches(r->options);
    r->view = view->name;
    r->about = view;
    r->kind = view->kind;
    tfp_status s = tfp_samples_select(r, err);
    if (!s) s = order_by_size(r, err);
    if (!s) s = set_apart(r, err);
    r->values = tfp_options_values(r->options);
    if (r->options->made.reach || tfp_options_need_runs(r->options)) s = start_reach(r, err);
    if (!s) s = start_trace(r, err);
    if (!s) s = tfp_report_mark(r, err);
    if (!s) s = tfp_report_cut(r, err);
    if (!s) s = find_step(r, err);
    const tfp_kind_traits *kind = tfp_kind_of(r);
    if (!s && r->options->max_depth < 1 && kind->numbers)
        s = tfp_report_note_add(r, TFP_NOTE_OPTION_IGNORED, err, "max_depth %lld %s", (long long)r->options->max_depth,
                                kind->list ? "shows at most the first type" : "works as 1");
    if (!s && !kind->table) s = tfp_counts_start(r, err);
    if (!s && !kind->table) s = tfp_parameters_start(r, err);
    if (!s) s = check_needs(r, err);
    if (!s && !kind->table) s = tfp_options_known_order(r->options, err);
    if (!s && !kind->table) s = tfp_statistics_start(r, err);
    size_t notes = r->notes.size;
    if (!s) s = view->build(r, err);
    bool noted = !r->options->made.step_execs; /* diff builds a report per step, whose notes nobody reads */
    /* `lines` has the notes of its code view; `summary` adds its own */
    if (!s && noted && view->row_traits & TFP_ADDS_COVERAGE) s = tfp_coverage_add(r, err);
    if (!s && noted && view->row_traits & TFP_ADDS_ATTRIBUTION) s = tfp_attributed_note(r, err);
    if (!s && noted && r->lines && !r->options->made.replays_apart) s = tfp_note_home(r, err);
    if (!s && kind->table) s = tfp_grid_arrange(r, err);
    if (!s && kind->numbers) s = cut(r, err);
    if (!s && failed_matches(r->options) != failed_before) s = tfp_nomem(err);
    if (!s && noted) s = tfp_note_silence(r, notes, err);
    if (!s) s = tfp_report_note_clamped(r, err);
    if (!s && noted && !kind->table && !tfp_table_make(r)) s = tfp_nomem(err);
    return s;
}

tfp_status tfp_view_build(const tfp_profile *p, const tfp_view *view, const tfp_options *o, tfp_report **out,
                          tfp_error *err)
{
    *out = NULL;
    tfp_report *r = tfp_report_new(view->name, o);
    if (!r) return tfp_nomem(err);
    r->profile = p;
    tfp_status s = build(r, view, err);
    return tfp_report_give(r, s, out);
}
