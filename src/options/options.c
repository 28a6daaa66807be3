// SPDX-License-Identifier: Apache-2.0
/* options/options.c: the option table, the life of options, and their listing. options/set.c sets them. */
#include "options/changes.h"
#include "options/table.h"

#include <stdlib.h>

#define AT(field) offsetof(struct tfp_options, field)
#define HIDE_10 "IsVariableInitialized_[0-9]+,save\\/.*,^zeros[0-9_]*"

/* The views whose answers an option of several views changes. */
#define TREES "scope graph op code"
#define ROWS TREES " calls diff stats"
/* The views that name lines of code. */
#define LINES "lines kernel memory limits wait summary advise whatif hang diff query triage"
#define TIMES "summary lines memory kernel steps transfer wait whatif advise timeline report " ROWS

#define PHASED "summary lines kernel steps transfer wait advise timeline limits triage check " ROWS

/* clang-format off */
static const option options[] = {
    { "max_depth", K_DEPTH, AT(max_depth), "10", "4", true, true, "Show rows down to this depth; the root has depth 1. In the op view: this many rows plus one.", NULL, ROWS " params" },
    { "min_*", K_MINIMUMS, 0, "0", NULL, false, false, NULL, NULL }, /* a row for each column that has a minimum */
    { "step", K_STEP, AT(step), "-1", NULL, true, false, "The step to show; mean (or -1) is the mean of all steps, all the sum of everything recorded. Default: mean; for traces all.", NULL, TIMES },
    { "device_regexes", K_FILTER, AT(filters[TFP_F_DEVICE]), ".*", NULL, false, true, "-compat 1.0: show rows whose device matches.", NULL, TREES },
    { "order_by", K_ORDER, AT(order), "name", NULL, true, true, "Sort by name (ascending), by a column's total (descending), by occurrence, or by depth (as traversed). Without it by name; at a terminal and with -top by the first number shown (not the graph view).", NULL, ROWS " kernel" },
    { "account_type_regexes", K_FILTER, AT(filters[TFP_F_ACCOUNT]), ".*", "Variable", true, true, "Count nodes with a type (operation, device, user's types) that matches.", NULL, ROWS },
    { "start_name_regexes", K_FILTER, AT(filters[TFP_F_START]), ".*", NULL, true, true, "Show the trees whose top rows' names match.", NULL, ROWS " lines" },
    { "trim_name_regexes", K_FILTER, AT(filters[TFP_F_TRIM]), "", NULL, true, true, "Leave out the rows below those whose names match.", NULL, ROWS " lines" },
    { "show_name_regexes", K_FILTER, AT(filters[TFP_F_SHOW]), ".*", NULL, true, true, "Show rows whose names match.", NULL, ROWS " lines" },
    { "hide_name_regexes", K_FILTER, AT(filters[TFP_F_HIDE]), "", HIDE_10, true, true, "Hide rows whose names match.", NULL, ROWS " lines" },
    { "account_displayed_op_only", K_BOOL, AT(account_displayed_op_only), "false", NULL, true, true, "Count only the shown rows in totals.", NULL, TREES },
    { "select", K_SELECT, AT(select), "micros", "params", true, true, "The columns to show, separated by commas.", NULL, ROWS " advise" },
    { "output", K_OUTPUT, AT(to.output), "stdout", NULL, true, false, "stdout, file:outfile=F, timeline:outfile=F, pprof:outfile=F, folded:outfile=F, speedscope:outfile=F, perfetto:outfile=F or none.", NULL },
    { "viz", K_BOOL, AT(viz), "false", NULL, false, true, "Accepted for TensorFlow 1.0's sake; does nothing.", NULL, "" },
    { "dump_to_file", K_TEXT, AT(to.dump_to_file), "", NULL, false, true, "Write the report to this file instead of stdout.", NULL, "" },
    { "format", K_FORMAT, AT(to.format), "text", NULL, false, false, "The form on stdout or in the file: text, json, jsonl, csv, md, arrow or parquet; of diff: script too; of calls, scope, code and stacks: folded and speedscope too.", NULL },
    { "full_names", K_BOOL, AT(to.full_names), "false", NULL, false, false, "Show whole names: those of kernels in tables, calls and flame graphs, which else have short ones that say what they do, and names of over 80 letters in a pipe.", NULL, NULL },
    { "show_source", K_BOOL, AT(show_source), "false", NULL, false, false, "Code view: show the source text after each frame.", NULL, "code lines" },
    { "proto_out", K_TEXT, AT(to.proto_out), "", NULL, false, false, "Also write the serialized GraphNodeProto, MultiGraphNodeProto or AdviceProto to this file.", NULL, TREES " advise" },
    { "top", K_BATCH, AT(top), "0", NULL, false, false, "Show only the first N rows, in trees the first N below each row; the biggest come first unless -order_by is given; 0: all.", NULL },
    { "float_ops_source", K_SOURCE, AT(flops.float_ops_source), "files", NULL, false, false, "Where float operations come from. files: the op log, as in TensorFlow's tool; tensorflow: the graph, by TensorFlow's formulas, bugs included, as its op log would have it; own: the graph, by all formulas of tfprof (the default of flops).", NULL, TREES " flops" },
    { "assume_batch", K_BATCH, AT(flops.assume_batch), "0", NULL, false, false, "Assume this size for the unknown first dimension of every Placeholder; 0: none.", NULL, TREES " flops" },
    { "assume_shape", K_SHAPES, AT(flops.assume_shape), "", NULL, false, false, "Assume a Placeholder's shape: NAME=32,224,224,3; ? is an unknown dimension, nothing after = means a scalar; separate several by semicolons. If given again, it adds to the list.", NULL, TREES " flops" },
    { "signature", K_TEXT, AT(flops.signature), "", NULL, false, false, "Count the nodes that this signature of a SavedModel needs; empty: serving_default, or the first; all: the whole graph.", NULL, TREES " flops" },
    { "rule_limits", K_TEXT, AT(verb.rule_limits), "", NULL, false, false, "advise: limits of the rules on traces: RULE=NUMBER or RULE=N%, separated by commas.", NULL, "advise" },
    { "checkers", K_CHECKERS, AT(verb.checkers), "", NULL, false, false, "advise: run only these checkers, separated by commas.", NULL, "advise" },
    { "compat", K_COMPAT, AT(compat10), "", NULL, false, false, "1.0: answer as TensorFlow 1.0's tfprof did; tensorflow: advise and pprof files repeat even the mistakes of TensorFlow's tool; empty: neither.", NULL, TREES " advise" },
    { "view", K_VIEW, AT(sides.view), "scope", NULL, false, false, "The view whose rows are compared: scope, graph, op, code or steps; of diff lines and triage, too.", "diff stats" },
    { "rewrite", K_REWRITE, AT(sides.rewrites), "", NULL, false, false, "Change the shown names as sed would: s/PATTERN/TEXT/ or s/PATTERN/TEXT/g, with \\1 in TEXT; another character may replace the slashes. If given several times, each changes the result of the one before.", "stats" },
    { "delta", K_REAL, AT(sides.delta), "0.1", NULL, false, false, "Show rows whose largest value exceeds the smallest by more than this share of it.", "diff" },
    { "min_size", K_AMOUNT, AT(sides.min_size), "1MB", NULL, false, false, "Show rows whose largest value is at least this: 1MB, 10ms, 5k, or a number in the column's own unit.", "diff" },
    { "names", K_TEXT, AT(sides.names), "", NULL, false, false, "Names for the sides, separated by commas.", "diff" },
    { "node_names", K_FILTER, AT(filters[TFP_F_NODE_NAMES]), "", NULL, false, false, "Show rows whose names match, and whose ancestors' do.", "diff" },
    { "hide_nodes", K_FILTER, AT(filters[TFP_F_HIDE_NODES]), "", NULL, false, false, "Leave out the rows below those whose names match.", "diff" },
    { "swap_files", K_BOOL, AT(sides.swap_files), "false", NULL, false, false, "Swap the first and the last side in the differences, but not in the columns.", "diff" },
    { "fail_over", K_LIMIT, AT(sides.fail_over), "", NULL, false, false, "Fail when a difference is over this: 5%, 10ms, 5MB, or a number in the column's own unit; index: fail when a larger share of the files failed, such as 1%.", "diff index" },
    { "critical_path", K_BOOL, AT(verb.critical_path), "false", NULL, false, false, "Show the critical path instead of the steps: the spans that each step waited for, from its end back to its start, by class and name.", "steps" },
    { "why", K_BOOL, AT(verb.why), "false", NULL, false, false, "Show why steps take longer than others, the longest first: the part that grew most beside its median, and the three kernels or ops that grew most in it. -step N: only that step.", "steps" },
    { "sample_type", K_TEXT, AT(verb.sample_type), "", NULL, false, false, "code, calls and lines of a pprof profile: show this type of sample, such as cpu or alloc_space; empty: the file's default type, or its last.", NULL, "code calls lines" },
    { "sample_label", K_TEXT, AT(verb.sample_label), "", NULL, false, false, "code, calls and lines of a pprof profile: count samples that have this label only, KEY=VALUE; empty: all.", NULL, "code calls lines" },
    { "by", K_TEXT, AT(verb.by), "", NULL, false, false, "Group the rows. memory: by op, scope, line, node or category (forward, backward, optimizer; bytes held at the peak), tensor (single allocations, from when until when), or time (bytes held over time); of memory snapshots by line, time, segment or oom. transfer: by collective (the rank that the others waited for). limits: by op, module, layer (modules whose paths differ in numbers only, added up), line, kernel, shape or chain.", "memory transfer limits" },
    { "at", K_MOMENT, AT(part.at), "", NULL, false, false, "Show who held memory at this moment instead of the peak: microseconds from the first start, as in the times that memory shows, or with a unit (230ms).", "memory" },
    { "range", K_RANGE, AT(part.range), "", NULL, false, false, "For a trace: count only what ran between two moments, FROM:TO, counted from its first start as in the timeline, in microseconds or with a unit (230000:400000, 230ms:400ms); a span that is partly outside counts with its part inside. Without TO: to the end.", "kernel op scope code lines calls steps transfer query" },
    { "step_marker", K_FILTER, AT(filters[TFP_F_STEP_MARKER]), "", NULL, false, false, "For a trace: ranges of host threads whose names match mark the steps; a part of the name is enough. Steps have the last number of the names where these differ, otherwise they are counted from 0.", NULL, TIMES },
    { "phase", K_TEXT, AT(part.phase), "", NULL, false, false, "For a trace of a server of language models: count only the steps of this phase: prefill, decode, mixed, verify, draft or idle.", NULL, PHASED },
    { "ranks", K_TEXT, AT(part.ranks), "", NULL, false, false, "For a trace: count only these ranks, such as 0,3,8-15.", "kernel op scope code lines calls steps transfer wait triage" },
    { "device", K_TEXT, AT(part.device), "", NULL, false, false, "For a trace: count only the activities of this device, such as gpu:0; everything on hosts still counts.", "kernel op scope code lines calls steps transfer wait" },
    { "library_regexes", K_FILTER, AT(filters[TFP_F_LIBRARY]), "", NULL, false, false, "Files of libraries, in addition to those that are known: the cost of their lines counts for the line of your code that called them; a part of the path is enough. - as the first: only these are libraries.", LINES },
    { "home", K_FILTER, AT(filters[TFP_F_HOME]), "", NULL, false, false, "Files whose lines are named first, where a call stack has one outside of ops; a part of the path is enough.", LINES },
    { "nodes", K_BOOL, AT(flops.nodes), "false", NULL, false, false, "List every node, those of functions included, with the shapes of its outputs and the count of one execution.", "flops" },
    { "peak_flops", K_FLOPS, AT(flops.peak_flops), "", NULL, false, false, "Show a roofline: the device's peak of float operations a second, such as 19.5T or 312TFLOPS.", "flops limits whatif" },
    { "peak_bandwidth", K_BANDWIDTH, AT(flops.peak_bandwidth), "", NULL, false, false, "Show a roofline: the peak of bytes a second of the device's memory, such as 900G or 2TB/s.", "flops limits whatif" },
    { "min_share", K_REAL, AT(verb.min_share), "0.01", NULL, false, false, "Rows have at least this share of their phase's device time.", "triage" },
    { "floor", K_AMOUNT, AT(verb.floor), "2us", NULL, false, false, "About the shortest time that a kernel takes: calls with less work are limited by it.", "limits whatif" },
    { "faster", K_CHANGE, AT(verb.changes), "", NULL, false, false, "PATTERN=F: kernels whose whole name matches take their time divided by F; 0: none. If no kernel matches: the kernels that a matching op, module, annotation or line (FILE:LINE) launches. host:PATTERN=F: the host's time inside matching spans. rank:R/ at the beginning: only on that rank. May be given several times.", "whatif" },
    { "no_sync", K_SWITCH, AT(verb.changes), "false", NULL, false, false, "Synchronising calls do not wait.", "whatif" },
    { "overlap", K_CHANGE, AT(verb.changes), "", NULL, false, false, "comm: only collectives wait for collectives, so they run in parallel to everything else, after the work that they need.", "whatif" },
    { "link", K_CHANGE, AT(verb.changes), "", NULL, false, false, "2x: collectives and copies take half of their time; comm=2x, copy=2x: only collectives, only copies.", "whatif" },
    { "ideal", K_CHANGE, AT(verb.changes), "", NULL, false, false, "stragglers: every duration is the median over the ranks. device: calls that `limits` judges take their ideal time.", "whatif" },
    { "fuse", K_CHANGE, AT(verb.changes), "", NULL, false, false, "Chains of `limits` whose text, type of module or line matches become one kernel each; all: every chain.", "whatif" },
    { "keep", K_CHANGE, AT(verb.changes), "", NULL, false, false, "With -ideal stragglers: everything is ideal except rank:R, or in StragglerAnalysis' timelines stage:S, dp:D or op:NAME. May be given several times; each has a row.", "whatif" },
    { "launch", K_CHANGE, AT(verb.changes), "", NULL, false, false, "2us: each launching call takes at most this time; graph: each thread launches a step as one graph.", "whatif" },
    { "input", K_CHANGE, AT(verb.changes), "", NULL, false, false, "0: each wait for data takes at most this time.", "whatif" },
    { "time_limit", K_REAL, AT(query.time_limit), "60", NULL, false, false, "Stop a query that takes longer than this many seconds; 0: never.", "query" },
};
/* clang-format on */
enum { OPTION_ROWS = sizeof options / sizeof *options };
_Static_assert(OPTION_ROWS - 1 + TFP_V_COUNT <= 128, "tfp_options.set has one bit per option");

const char *const tfp_output_words[] = { "stdout",     "file",     "timeline", "pprof", "folded",
                                         "speedscope", "perfetto", "none",     NULL };
const char *const tfp_format_words[] = { "text",    "json",   "jsonl",  "csv",        "md", "arrow",
                                         "parquet", "script", "folded", "speedscope", NULL };
const char *const tfp_source_words[] = { "files", "tensorflow", "own", NULL };
const char *const tfp_compared_views[] = { "scope", "graph", "op", "code", "lines", "steps", "triage", NULL };

/* ---- the table with the minimums in their place ---- */

static option minimum_of(tfp_column_id id)
{
    const tfp_column *c = &tfp_columns[id];
    size_t value = (size_t)tfp_value_of(c);
    return (option){ .name = c->min.option,
                     .kind = K_INT,
                     .at = AT(min) + value * sizeof(int64_t),
                     .value = "0",
                     .listed = c->min.listed,
                     .listed_10 = c->min.listed_10,
                     .help = c->min.help,
                     .views = ROWS " lines",
                     .unit = c->unit,
                     .number = (uint8_t)(OPTION_ROWS + value) };
}

bool tfp_option_at(size_t i, option *out)
{
    for (size_t row = 0; row < OPTION_ROWS; row++) {
        if (options[row].kind == K_MINIMUMS) {
            tfp_column_id columns[TFP_COLUMNS_MAX];
            size_t n = tfp_columns_in(TFP_LIST_MINIMUMS, columns);
            if (i < n) return *out = minimum_of(columns[i]), true;
            i -= n;
        } else if (i-- == 0) {
            *out = options[row];
            out->number = (uint8_t)row;
            return true;
        }
    }
    return false;
}

static bool same_name(const char *a, const char *b)
{
    while (*a && (*a == *b || (*a == '_' && *b == '-'))) a++, b++;
    return !*a && !*b;
}

bool tfp_option_find(const char *name, option *out)
{
    if (!name) return false;
    for (size_t row = 0; row < OPTION_ROWS; row++) {
        if (options[row].kind == K_MINIMUMS || !same_name(options[row].name, name)) continue;
        *out = options[row];
        out->number = (uint8_t)row;
        return true;
    }
    for (int i = 0; i < tfp_column_count; i++)
        if (tfp_columns[i].min.at && same_name(tfp_columns[i].min.option, name))
            return *out = minimum_of((tfp_column_id)i), true;
    return false;
}

/* ---- options as a whole ---- */

tfp_options *tfp_options_copy(const tfp_options *o)
{
    tfp_options *c = o ? malloc(sizeof *c) : NULL;
    if (!c) return NULL;
    *c = *o;
    c->texts = tfp_option_texts_new();
    for (int i = 0; i < TFP_F_COUNT; i++) tfp_filter_keep(c->filters[i]);
    tfp_rewrites_keep(c->sides.rewrites);
    char **texts[] = { &c->to.outfile,           &c->to.format,         &c->to.proto_out,       &c->to.dump_to_file,
                       &c->verb.checkers,        &c->verb.rule_limits,  &c->sides.view,         &c->sides.names,
                       &c->sides.min_size,       &c->sides.fail_over,   &c->flops.assume_shape, &c->flops.peak_flops,
                       &c->flops.peak_bandwidth, &c->order_column,      &c->flops.signature,    &c->verb.by,
                       &c->verb.sample_type,     &c->verb.sample_label, &c->verb.changes,       &c->verb.floor,
                       &c->part.ranks,           &c->part.device,       &c->part.phase };
    bool ok = tfp_bindings_copy(&c->query.bindings, &o->query.bindings) && c->texts;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!*texts[i]) continue;
        *texts[i] = strdup(*texts[i]);
        ok &= *texts[i] != NULL;
    }
    if (ok) return c;
    tfp_options_free(c);
    return NULL;
}

void tfp_options_free(tfp_options *o)
{
    if (!o) return;
    for (int i = 0; i < TFP_F_COUNT; i++) tfp_filter_free(o->filters[i]);
    free(o->to.outfile);
    free(o->to.format);
    free(o->to.proto_out);
    free(o->to.dump_to_file);
    free(o->verb.checkers);
    free(o->verb.rule_limits);
    free(o->sides.view);
    free(o->sides.names);
    free(o->sides.min_size);
    free(o->sides.fail_over);
    free(o->flops.assume_shape);
    free(o->flops.signature);
    free(o->flops.peak_flops);
    free(o->flops.peak_bandwidth);
    free(o->order_column);
    free(o->verb.by);
    free(o->verb.sample_type);
    free(o->verb.sample_label);
    free(o->verb.changes);
    free(o->verb.floor);
    free(o->part.ranks);
    free(o->part.device);
    free(o->part.phase);
    tfp_rewrites_free(o->sides.rewrites);
    tfp_bindings_free(&o->query.bindings);
    tfp_option_texts_free(o->texts);
    free(o);
}

bool tfp_options_chosen(const tfp_options *o, const char *name)
{
    option row;
    return tfp_option_find(name, &row) && tfp_option_was_set(o, &row);
}

size_t tfp_options_selected(const tfp_options *o, tfp_column_id out[TFP_COLUMNS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < o->select_count; i++)
        if (tfp_selects(o, (tfp_column_id)o->select_order[i])) out[n++] = (tfp_column_id)o->select_order[i];
    return n;
}

static void get_select(const tfp_options *o, tfp_buf *b)
{
    for (int i = 0, n = 0; i < tfp_column_count; i++)
        if (tfp_selects(o, (tfp_column_id)i)) tfp_buf_printf(b, "%s%s", n++ ? "," : "", tfp_columns[i].name);
}

static void get_range(tfp_buf *b, const tfp_moments *r, bool both)
{
    if (!r->given) return;
    tfp_buf_printf(b, both ? "%.15g:" : "%.15g", (double)r->from_ns / 1000);
    if (both && r->to_ns != INT64_MAX) tfp_buf_printf(b, "%.15g", (double)r->to_ns / 1000);
}

static void put_value(const tfp_options *o, const option *row, tfp_buf *b)
{
    const void *field = (const char *)o + row->at;
    switch (row->kind) {
    case K_DEPTH:
    case K_INT:
    case K_BATCH: tfp_buf_int(b, *(const int64_t *)field); break;
    case K_STEP:
        if (o->step.which == TFP_STEP_ALL)
            tfp_buf_text(b, "all");
        else
            tfp_buf_int(b, tfp_step_number(o->step));
        break;
    case K_BOOL: tfp_buf_text(b, *(const bool *)field ? "true" : "false"); break;
    case K_FILTER: tfp_buf_text(b, *(tfp_filter *const *)field ? (*(tfp_filter *const *)field)->text : ""); break;
    case K_ORDER: tfp_buf_text(b, o->order_column ? o->order_column : o->order.name); break;
    case K_SELECT: get_select(o, b); break;
    case K_OUTPUT:
        tfp_buf_printf(b, "%s:%s%s", tfp_output_words[o->to.output], o->to.outfile ? "outfile=" : "",
                       o->to.outfile ? o->to.outfile : "");
        break;
    case K_REWRITE: tfp_buf_text(b, o->sides.rewrites ? o->sides.rewrites->text : ""); break;
    case K_RANGE:
    case K_MOMENT: get_range(b, field, row->kind == K_RANGE); break;
    case K_REAL: tfp_buf_printf(b, "%.15g", *(const double *)field); break;
    case K_FORMAT:
    case K_VIEW:
    case K_CHECKERS:
    case K_AMOUNT:
    case K_LIMIT:
    case K_SHAPES:
    case K_FLOPS:
    case K_BANDWIDTH:
    case K_TEXT: tfp_buf_text(b, *(char *const *)field ? *(char *const *)field : ""); break;
    case K_CHANGE:
    case K_SWITCH: tfp_changes_get(o->verb.changes, row->name, b); break;
    case K_SOURCE: tfp_buf_text(b, tfp_source_words[o->flops.float_ops_source]); break;
    case K_COMPAT: tfp_buf_text(b, o->compat10 ? "1.0" : o->compat_tensorflow ? "tensorflow" : ""); break;
    case K_MINIMUMS: break;
    }
}

const char *tfp_options_get(const tfp_options *o, const char *name)
{
    option row;
    tfp_buf b = { 0 };
    if (!o || !tfp_option_find(name, &row)) return NULL;
    put_value(o, &row, &b);
    tfp_buf_char(&b, 0);
    const char *text = b.failed ? NULL : tfp_option_texts_keep(o->texts, b.data);
    tfp_buf_free(&b);
    return text;
}

char tfp_options_kind(const char *name)
{
    option row;
    return !tfp_option_find(name, &row) ? 0 : row.kind == K_BOOL || row.kind == K_SWITCH ? 'b' : 'v';
}

int tfp_options_listed(const tfp_options *o, const char *name)
{
    option row;
    return tfp_option_find(name, &row) && (o && o->compat10 ? row.listed_10 : row.listed);
}

const char *tfp_option_name(size_t i, bool of_commands)
{
    option row;
    for (size_t k = 0; tfp_option_at(k, &row); k++)
        if ((row.commands != NULL) == of_commands && i-- == 0) return row.name;
    return NULL;
}

const char *tfp_options_commands(const char *name)
{
    option row;
    return tfp_option_find(name, &row) ? row.commands : NULL;
}

int tfp_option_changes(const char *name, const char *command)
{
    option row;
    if (!command || !tfp_option_find(name, &row)) return 0;
    const char *takes = row.commands ? row.commands : row.views;
    return !takes || tfp_is_word(tfp_str_of(command), takes);
}

const char *tfp_option_help(const char *name)
{
    option row;
    return tfp_option_find(name, &row) ? row.help : NULL;
}

int64_t tfp_options_depth(const tfp_options *o)
{
    bool flames = o->to.output == TFP_TO_FOLDED || o->to.output == TFP_TO_SPEEDSCOPE ||
                  strcmp(o->to.format, "folded") == 0 || strcmp(o->to.format, "speedscope") == 0;
    return flames && !tfp_options_chosen(o, "max_depth") ? INT32_MAX : o->max_depth;
}

uint32_t tfp_options_values(const tfp_options *o)
{
    uint32_t bits = 0;
    if (o->made.every_value || o->to.proto_out || strncmp(o->to.format, "json", 4) == 0) bits = TFP_V_ALL;
    for (int i = 0; i < tfp_column_count; i++)
        if (tfp_selects(o, (tfp_column_id)i)) bits |= tfp_column_values((tfp_column_id)i);
    if (o->order.by >= 0) bits |= 1u << o->order.by;
    if (o->order.by == TFP_BY_COLUMN) bits |= tfp_column_values(o->order.column);
    for (int v = 0; v < TFP_V_COUNT; v++)
        if (o->min[v] > 0) bits |= 1u << v;
    if (o->to.output == TFP_TO_TIMELINE) bits |= 1u << TFP_V_MICROS;
    return bits;
}

bool tfp_options_count(const tfp_options *o)
{
    const uint32_t from_files = (TFP_V_ALL & ~(1u << TFP_V_FLOAT_OPS)) | TFP_V_KINDS;
    return o->flops.float_ops_source && (tfp_options_values(o) & ~from_files);
}

bool tfp_options_find_parameters(const tfp_options *o)
{
    return strcmp(tfp_source_words[o->flops.float_ops_source], "own") == 0 &&
           ((tfp_options_values(o) & 1u << TFP_V_PARAMS) || !tfp_filter_any(o->filters[TFP_F_ACCOUNT]));
}

bool tfp_options_show_parameters(const tfp_options *o)
{
    bool compat = o->compat_tensorflow || o->compat10;
    return (!compat && (tfp_selects(o, TFP_C_PARAMS) || o->order.by == TFP_V_PARAMS || o->min[TFP_V_PARAMS] > 0)) ||
           (tfp_options_values(o) & TFP_V_KINDS);
}

bool tfp_options_asks_for(const tfp_options *o, tfp_column_id id)
{
    return tfp_selects(o, id) || (o->order.by == TFP_BY_COLUMN && o->order.column == id);
}

bool tfp_options_need_runs(const tfp_options *o)
{
    bool any = false;
    for (int i = 0; i < tfp_column_count && o; i++)
        any |= tfp_columns[i].kind == TFP_COLUMN_IS_STATISTIC && tfp_options_asks_for(o, (tfp_column_id)i);
    return any;
}

bool tfp_options_cut(const tfp_options *o)
{
    return o && (o->part.range.given || (o->part.ranks && *o->part.ranks) || (o->part.device && *o->part.device));
}

bool tfp_options_phase(const tfp_options *o) { return o && o->part.phase && *o->part.phase; }

bool tfp_options_mark(const tfp_options *o)
{
    return o && o->filters[TFP_F_STEP_MARKER] && o->filters[TFP_F_STEP_MARKER]->count;
}

bool tfp_options_need_spans(const tfp_options *o)
{
    return o && (tfp_options_work_out(o) || tfp_options_cut(o) || tfp_options_mark(o) || tfp_options_need_runs(o) ||
                 (tfp_options_values(o) & ~TFP_V_ALL) || o->to.output == TFP_TO_TIMELINE);
}

int tfp_options_work_out(const tfp_options *o) { return o && (tfp_options_count(o) || tfp_options_find_parameters(o)); }
