// SPDX-License-Identifier: Apache-2.0
/* views/core/values.c: the numbers of rows: one array for each column that a report needs. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/kinds.h"
#include "views/core/report.h"
#include "views/core/statistics.h"
#include "views/core/view.h"

#include <math.h>

/* Multiplies one execution's number by the number of runs; for a node that never ran in any step, by the runs in one
 * run of the model. */
static int64_t in_runs(const tfp_report *r, uint32_t node, const tfp_node_stats *s, int64_t n)
{
    int64_t of = r->tree->counts->nodes[node].of_runs;
    if (of > 0) return tfp_add(tfp_mul(n / of, s->run_count, NULL), tfp_mul(n % of, s->run_count, NULL) / of, NULL);
    bool ran = tfp_graph_of(r->profile)->nodes.at[node].exec_first != TFP_NONE;
    return tfp_mul(n, ran ? s->run_count : r->tree->counts->nodes[node].runs, NULL);
}

static int64_t counted_value(const tfp_report *r, uint32_t node, const tfp_node_stats *s, tfp_value v)
{
    const tfp_node_count *n = &r->tree->counts->nodes[node];
    if (n->of_runs && v == TFP_V_FLOAT_OPS) return s->float_ops; /* the sum of each step's spans */
    switch (v) {
    case TFP_V_FLOAT_OPS: return in_runs(r, node, s, n->float_ops);
    case TFP_V_MACS: return in_runs(r, node, s, n->macs);
    case TFP_V_BYTES_MOVED: return in_runs(r, node, s, n->bytes);
    case TFP_V_MOVED_FLOAT_OPS: return n->moves ? in_runs(r, node, s, n->float_ops) : 0;
    case TFP_V_TIMED_FLOAT_OPS: return s->total_ns > 0 ? in_runs(r, node, s, n->float_ops) : 0;
    case TFP_V_OPS: return n->ops;
    case TFP_V_COUNTED_OPS: return n->counted;
    default: return 0;
    }
}

/* Values from the files: an operation has a count if the files give one. */
static int64_t given_value(const tfp_report *r, uint32_t node, const tfp_node_stats *s, tfp_value v)
{
    switch (v) {
    case TFP_V_FLOAT_OPS: return s->float_ops;
    case TFP_V_TIMED_FLOAT_OPS: return s->total_ns > 0 ? s->float_ops : 0;
    case TFP_V_OPS: return 1;
    case TFP_V_COUNTED_OPS: return tfp_graph_of(r->profile)->nodes.at[node].float_ops > 0;
    default: return 0;
    }
}

int64_t tfp_report_parameters(const tfp_report *r, uint32_t node, bool *clamped)
{
    return r->tree->parameters ? r->tree->parameters->own[node] : tfp_node_parameters(r->profile, node, clamped);
}

/* The elements of a variable of that kind. If nothing tells what is trained, all of the model's variables count as
 * trained. */
static int64_t elements_of_kind(const tfp_report *r, uint32_t node, tfp_value v)
{
    const tfp_parameter_counts *c = r->tree->kinds;
    tfp_parameter_kind kind = c ? (tfp_parameter_kind)c->kinds[node] : TFP_NO_PARAMETER;
    bool counts = v == TFP_V_SLOT_PARAMS    ? kind == TFP_SLOT
                  : v == TFP_V_FIXED_PARAMS ? kind == TFP_FIXED
                                            : kind == TFP_TRAINED || kind == TFP_PARAMETER;
    return counts ? c->elements_of[node] : 0;
}

int64_t tfp_node_value(const tfp_report *r, uint32_t node, const tfp_node_stats *s, tfp_value v)
{
    switch (v) {
    case TFP_V_MICROS: return s->total_ns;
    case TFP_V_ACCELERATOR_MICROS: return s->accelerator_ns;
    case TFP_V_CPU_MICROS: return s->cpu_ns;
    case TFP_V_BYTES: return s->requested_bytes;
    case TFP_V_PEAK_BYTES: return s->peak_bytes;
    case TFP_V_RESIDUAL_BYTES: return s->residual_bytes;
    case TFP_V_OUTPUT_BYTES: return s->output_bytes;
    case TFP_V_RUNS: return s->run_count;
    case TFP_V_PARAMS: return tfp_report_parameters(r, node, NULL);
    case TFP_V_DEFINITIONS: return 1;
    case TFP_V_TRAINABLE_PARAMS:
    case TFP_V_FIXED_PARAMS:
    case TFP_V_SLOT_PARAMS: return elements_of_kind(r, node, v);
    default: return r->tree->counts ? counted_value(r, node, s, v) : given_value(r, node, s, v);
    }
}

bool tfp_values_new(const tfp_report *r, tfp_values *v, tfp_arena *arena, size_t count)
{
    *v = (tfp_values){ 0 };
    for (int c = 0; c < TFP_V_COUNT; c++)
        if ((r->values >> c & 1) && !(v->at[c] = TFP_NEW(arena, int64_t, count))) return false;
    return tfp_statistics_room(r, v, arena, count);
}

static void add(tfp_report *r, tfp_values *v, tfp_value c, size_t i, int64_t n, int64_t times)
{
    if (v->at[c]) v->at[c][i] = tfp_add(v->at[c][i], times == 1 ? n : tfp_mul(n, times, &r->clamped), &r->clamped);
}

#define STATIC (1u << TFP_V_PARAMS | 1u << TFP_V_DEFINITIONS | TFP_V_KINDS) /* columns that need no statistics */
#define ONCE (1u << TFP_V_RUNS | 1u << TFP_V_DEFINITIONS) /* the op view's occurrence counts each node once */

/* The statistics of a node. A comparison builds the view for every step and passes the executions, so that they need
 * not be searched. */
static void stats_of(const tfp_report *r, uint32_t node, tfp_node_stats *out)
{
    const uint32_t *execs = r->options->made.step_execs;
    if (!execs || tfp_graph_of(r->profile)->nodes.at[node].exec_first == TFP_NONE)
        tfp_node_stats_at(r->profile, node, r->step, out);
    else if (execs[node] != TFP_NONE)
        tfp_exec_stats_at(r->profile, node, execs[node], out);
    else
        *out = (tfp_node_stats){ 0 };
}

void tfp_values_add_node(tfp_report *r, tfp_values *v, size_t i, uint32_t node, int64_t times)
{
    tfp_node_stats s;
    if (r->values & ~STATIC) stats_of(r, node, &s);
    for (uint32_t rest = r->values; rest; rest &= rest - 1) {
        tfp_value c = (tfp_value)__builtin_ctz(rest);
        int64_t n = c == TFP_V_PARAMS ? tfp_report_parameters(r, node, &r->clamped) : tfp_node_value(r, node, &s, c);
        add(r, v, c, i, n, ONCE >> c & 1 ? 1 : times);
    }
}

void tfp_values_add(tfp_report *r, tfp_values *to, size_t i, const tfp_values *from, size_t j)
{
    for (uint32_t rest = r->values; rest; rest &= rest - 1) {
        int c = __builtin_ctz(rest);
        if (to->at[c]) to->at[c][i] = tfp_add(to->at[c][i], from->at[c][j], &r->clamped);
    }
}

/* ---- kinds of columns ---- */

static bool ratio_of(const tfp_column *c, int64_t over, int64_t under, double *out)
{
    if (under <= 0) return false;
    *out = tfp_exact(c->ratio.over, over) / tfp_exact(c->ratio.under, under) * c->ratio.times;
    return true;
}

static bool ratio_in_row(const tfp_report *r, uint32_t row, tfp_column_id column, bool total, double *out)
{
    const tfp_column *c = &tfp_columns[column];
    if (total) return ratio_of(c, tfp_total(r, row, c->ratio.over), tfp_total(r, row, c->ratio.under), out);
    return ratio_of(c, tfp_own(r, row, c->ratio.over), tfp_own(r, row, c->ratio.under), out);
}

static double ratio_in_place(const tfp_report *r, tfp_column_id column, const tfp_values *v, size_t i)
{
    double out;
    const tfp_column *c = &tfp_columns[column];
    (void)r;
    return ratio_of(c, v->at[c->ratio.over][i], v->at[c->ratio.under][i], &out) ? out : -1;
}

static bool sum_in_row(const tfp_report *r, uint32_t row, tfp_column_id column, bool total, double *out)
{
    tfp_value v = tfp_columns[column].numbers[0].value;
    *out = tfp_exact(v, total ? tfp_total(r, row, v) : tfp_own(r, row, v));
    return true;
}

static double sum_in_place(const tfp_report *r, tfp_column_id column, const tfp_values *v, size_t i)
{
    (void)r;
    return (double)v->at[tfp_columns[column].numbers[0].value][i];
}

static bool statistic_in_row(const tfp_report *r, uint32_t row, tfp_column_id column, bool total, double *out)
{
    size_t k = tfp_statistics_at(r, column);
    const double *values = k == SIZE_MAX ? NULL : total ? r->tree->total_of_runs[k] : r->tree->own_of_runs[k];
    if (!values) return false;
    *out = values[total ? r->tree->rows.at[row].total_at : r->tree->rows.at[row].own_at];
    return !isnan(*out);
}

static double statistic_in_place(const tfp_report *r, tfp_column_id column, const tfp_values *v, size_t i)
{
    size_t k = tfp_statistics_at(r, column);
    return k == SIZE_MAX || isnan(v->of_runs[k][i]) ? -1 : v->of_runs[k][i];
}

/* clang-format off */
const tfp_kind_rules tfp_kinds[TFP_COLUMN_KINDS] = {
    /*                          name         number  adds up  of sums  in a row          in a place */
    [TFP_COLUMN_IS_LABEL]     = { "label",     false,  false,   false,   NULL,             NULL },
    [TFP_COLUMN_IS_SUM]       = { "sum",       true,   true,    true,    sum_in_row,       sum_in_place },
    [TFP_COLUMN_IS_RATIO]     = { "ratio",     true,   false,   true,    ratio_in_row,     ratio_in_place },
    [TFP_COLUMN_IS_STATISTIC] = { "statistic", true,   false,   false,   statistic_in_row, statistic_in_place },
};
/* clang-format on */

bool tfp_cell_number(const tfp_report *r, uint32_t row, tfp_column_id column, bool total, double *out)
{
    const tfp_kind_rules *kind = &tfp_kinds[tfp_columns[column].kind];
    return kind->number && kind->in_row(r, row, column, total, out);
}

double tfp_place_number(const tfp_report *r, tfp_column_id column, const tfp_values *v, size_t i)
{
    return tfp_kinds[tfp_columns[column].kind].in_place(r, column, v, i);
}

/* ---- which types are accounted ---- */

/* The patterns that match a type, one bit each; from the 64th pattern on they share the last bit. */
static uint64_t mask_of(const tfp_filter *f, tfp_str type)
{
    uint64_t mask = 0;
    for (size_t i = 0; f && i < f->count; i++)
        if (f->regexes[i] && tfp_regex_full_match(f->regexes[i], type)) mask |= UINT64_C(1) << (i < 63 ? i : 63);
    return mask;
}

bool tfp_account_start(tfp_account *a, const tfp_report *r, tfp_arena *arena)
{
    *a = (tfp_account){ .r = r, .filter = r->options->filters[TFP_F_ACCOUNT], .arena = arena };
    if (tfp_filter_any(a->filter)) return true;
    for (int kind = 0; kind < TFP_PARAMETER_KINDS && r->tree->parameters; kind++)
        for (const char *const *type = tfp_parameter_types((tfp_parameter_kind)kind); *type; type++)
            a->kinds[kind] |= mask_of(a->filter, tfp_str_of(*type));
    a->masks = TFP_NEW(arena, uint64_t, tfp_strings_of(r->profile)->count);
    a->known = TFP_NEW(arena, uint8_t, tfp_strings_of(r->profile)->count);
    return a->masks && a->known;
}

/* There are few types, so each is matched only once. */
static uint64_t type_mask(tfp_account *a, tfp_strid type)
{
    if (a->known[type]) return a->masks[type];
    a->known[type] = 1;
    return a->masks[type] = mask_of(a->filter, tfp_text(a->r->profile, type));
}

void tfp_account_all(tfp_account *a)
{
    const tfp_profile *p = a->r->profile;
    if (tfp_filter_any(a->filter)) return;
    for (size_t i = 0; i < tfp_graph_of(p)->types.size; i++) type_mask(a, tfp_graph_of(p)->types.at[i].name);
}

int64_t tfp_account_times(tfp_account *a, uint32_t node)
{
    if (tfp_filter_any(a->filter)) return 1;
    const tfp_profile *p = a->r->profile;
    uint64_t mask = a->r->tree->parameters ? a->kinds[a->r->tree->parameters->kinds[node]] : 0;
    for (TFP_EACH(tfp_graph_of(p)->types, t, tfp_graph_of(p)->nodes.at[node].type_first))
        mask |= type_mask(a, tfp_graph_of(p)->types.at[t].name);
    return __builtin_popcountll(mask);
}
