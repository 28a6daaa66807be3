/* options/options.c: the option table, and the one place that parses and checks what the user asks for. argv, the
 * prompt, Python's keywords and a page's parameters all come through tfp_options_set and tfp_options_set_list. */
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum kind {
    K_DEPTH,
    K_INT,
    K_STEP,
    K_BOOL,
    K_FILTER,
    K_ORDER,
    K_SELECT,
    K_OUTPUT,
    K_FORMAT,
    K_VIEW,
    K_TEXT,
    K_COMPAT,
    K_CHECKERS,
    K_REWRITE,
    K_REAL,
    K_AMOUNT,
    K_LIMIT, /* an amount, or a share */
    K_SOURCE,
    K_BATCH,
    K_SHAPES,
    K_FLOPS,
    K_BANDWIDTH
} kind;

typedef struct option {
    const char *name;
    kind kind;
    size_t at;                    /* of the field in tfp_options */
    const char *value, *value_10; /* defaults: today's, and of -compat 1.0 (NULL: the same) */
    bool listed, listed_10;       /* in TensorFlow's listing, in that of TensorFlow 1.0 */
    const char *help;
    const char
        *commands; /* the commands that it belongs to, one blank between them; NULL: the views and all that show them */
} option;

#define AT(field) offsetof(struct tfp_options, field)
#define HIDE_10 "IsVariableInitialized_[0-9]+,save\\/.*,^zeros[0-9_]*"

/* clang-format off */
static const option options[] = {
    { "max_depth", K_DEPTH, AT(max_depth), "10", "4", true, true, "Show rows at most this deep; the root is 1 deep. In the op view: that many rows and one.", NULL },
    { "min_bytes", K_INT, AT(min[0]), "0", NULL, true, true, "Show rows that request at least this many bytes in total.", NULL },
    { "min_peak_bytes", K_INT, AT(min[1]), "0", NULL, true, false, "Show rows with at least this many peak bytes in total.", NULL },
    { "min_residual_bytes", K_INT, AT(min[2]), "0", NULL, true, false, "Show rows with at least this many residual bytes in total.", NULL },
    { "min_output_bytes", K_INT, AT(min[3]), "0", NULL, true, false, "Show rows with at least this many output bytes in total.", NULL },
    { "min_micros", K_INT, AT(min[4]), "0", NULL, true, true, "Show rows that took at least this many microseconds in total.", NULL },
    { "min_accelerator_micros", K_INT, AT(min[5]), "0", NULL, true, false, "Show rows with at least this much accelerator time in total, in microseconds.", NULL },
    { "min_cpu_micros", K_INT, AT(min[6]), "0", NULL, true, false, "Show rows with at least this much host time in total, in microseconds.", NULL },
    { "min_params", K_INT, AT(min[7]), "0", NULL, true, true, "Show rows with at least this many parameters of their own (op and code views: in total).", NULL },
    { "min_float_ops", K_INT, AT(min[8]), "0", NULL, true, true, "Show rows with at least this many float operations of their own (op and code views: in total).", NULL },
    { "min_occurrence", K_INT, AT(min[9]), "0", NULL, true, false, "Show rows that ran at least this often (op view: with this many nodes).", NULL },
    { "min_macs", K_INT, AT(min[10]), "0", NULL, false, false, "Show rows with at least this many multiply-adds of their own (op and code views: in total).", NULL },
    { "min_bytes_moved", K_INT, AT(min[11]), "0", NULL, false, false, "Show rows that move at least this many bytes of their own (op and code views: in total).", NULL },
    { "step", K_STEP, AT(step), "-1", NULL, true, false, "The step to show; -1 is the mean of all steps.", NULL },
    { "device_regexes", K_FILTER, AT(filters[TFP_F_DEVICE]), ".*", NULL, false, true, "-compat 1.0: show rows whose device matches.", NULL },
    { "order_by", K_ORDER, AT(order_by), "name", NULL, true, true, "Sort by name (ascending), by a column's total (descending), by occurrence, or by depth (as traversed).", NULL },
    { "account_type_regexes", K_FILTER, AT(filters[TFP_F_ACCOUNT]), ".*", "Variable", true, true, "Count the nodes one of whose types (operation, device, user's types) matches.", NULL },
    { "start_name_regexes", K_FILTER, AT(filters[TFP_F_START]), ".*", NULL, true, true, "Show from the first rows down whose names match.", NULL },
    { "trim_name_regexes", K_FILTER, AT(filters[TFP_F_TRIM]), "", NULL, true, true, "Leave out what is below rows whose names match.", NULL },
    { "show_name_regexes", K_FILTER, AT(filters[TFP_F_SHOW]), ".*", NULL, true, true, "Show rows whose names match.", NULL },
    { "hide_name_regexes", K_FILTER, AT(filters[TFP_F_HIDE]), "", HIDE_10, true, true, "Hide rows whose names match.", NULL },
    { "account_displayed_op_only", K_BOOL, AT(account_displayed_op_only), "false", NULL, true, true, "Let totals count the shown rows only.", NULL },
    { "select", K_SELECT, AT(select), "micros", "params", true, true, "The columns to show, separated by commas.", NULL },
    { "output", K_OUTPUT, AT(output), "stdout", NULL, true, false, "stdout, file:outfile=F, timeline:outfile=F, pprof:outfile=F or none.", NULL },
    { "viz", K_BOOL, AT(viz), "false", NULL, false, true, "Accepted for TensorFlow 1.0's sake; does nothing.", NULL },
    { "dump_to_file", K_TEXT, AT(dump_to_file), "", NULL, false, true, "Write the report to this file instead of stdout.", NULL },
    { "format", K_FORMAT, AT(format), "text", NULL, false, false, "The form on stdout or in the file: text, json, jsonl, csv or md; of diff: script too.", NULL },
    { "show_source", K_BOOL, AT(show_source), "false", NULL, false, false, "Code view: show the source text behind each frame.", NULL },
    { "proto_out", K_TEXT, AT(proto_out), "", NULL, false, false, "Also write the serialized GraphNodeProto, MultiGraphNodeProto or AdviceProto to this file.", NULL },
    { "float_ops_source", K_SOURCE, AT(float_ops_source), "files", NULL, false, false, "Where float operations come from. files: the op log, as in TensorFlow's tool; tensorflow: the graph, by TensorFlow's formulas, bugs included, as its op log would have it; own: the graph, by all formulas there are (the default of flops).", NULL },
    { "assume_batch", K_BATCH, AT(assume_batch), "0", NULL, false, false, "Take this for the unknown first dimension of every Placeholder; 0: nothing is assumed.", NULL },
    { "assume_shape", K_SHAPES, AT(assume_shape), "", NULL, false, false, "Take NAME=32,224,224,3 for the shape of a Placeholder; ? is an unknown dimension, nothing behind = a scalar, semicolons stand between several. Given again: one more.", NULL },
    { "checkers", K_CHECKERS, AT(checkers), "", NULL, false, false, "advise: run only these checkers, separated by commas.", NULL },
    { "compat", K_COMPAT, AT(compat10), "", NULL, false, false, "1.0: answer as TensorFlow 1.0's tfprof did; tensorflow: advise and pprof files repeat the mistakes of TensorFlow's tool too; empty: neither.", NULL },
    { "view", K_VIEW, AT(view), "scope", NULL, false, false, "The view whose rows are compared: scope, graph, op or code.", "diff stats" },
    { "rewrite", K_REWRITE, AT(rewrites), "", NULL, false, false, "Change the names shown as sed would: s/PATTERN/TEXT/ or s/PATTERN/TEXT/g, with \\1 in TEXT; any mark may stand for the slashes. Given again: one after the other.", "stats" },
    { "delta", K_REAL, AT(delta), "0.1", NULL, false, false, "Show rows whose biggest value is over the smallest by more than this share of it.", "diff" },
    { "min_size", K_AMOUNT, AT(min_size), "1MB", NULL, false, false, "Show rows whose biggest value is at least this: 1MB, 10ms, 5k, or a number in the column's own unit.", "diff" },
    { "names", K_TEXT, AT(names), "", NULL, false, false, "What the sides are called, separated by commas.", "diff" },
    { "node_names", K_FILTER, AT(filters[TFP_F_NODE_NAMES]), "", NULL, false, false, "Show rows whose names match, and whose ancestors' do.", "diff" },
    { "hide_nodes", K_FILTER, AT(filters[TFP_F_HIDE_NODES]), "", NULL, false, false, "Leave out what is below rows whose names match.", "diff" },
    { "swap_files", K_BOOL, AT(swap_files), "false", NULL, false, false, "Let the first and the last side change places in the differences, not in the columns.", "diff" },
    { "fail_over", K_LIMIT, AT(fail_over), "", NULL, false, false, "End with status 5 when a difference is over this: 5%, 10ms, 5MB, or a number in the column's own unit.", "diff" },
    { "nodes", K_BOOL, AT(nodes), "false", NULL, false, false, "List every node, those of functions included, with the shapes of its outputs and the count of one execution.", "flops" },
    { "peak_flops", K_FLOPS, AT(peak_flops), "", NULL, false, false, "Show a roofline: the most float operations a second that the device can do, such as 19.5T or 312TFLOPS.", "flops" },
    { "peak_bandwidth", K_BANDWIDTH, AT(peak_bandwidth), "", NULL, false, false, "Show a roofline: the most bytes a second that the device's memory can move, such as 900G or 2TB/s.", "flops" },
    { "time_limit", K_REAL, AT(time_limit), "60", NULL, false, false, "Stop a query that takes longer than this many seconds; 0: never.", "query" },
};
/* clang-format on */
enum { OPTION_COUNT = sizeof options / sizeof *options };
_Static_assert(OPTION_COUNT <= 64, "tfp_options.set has one bit per option");

static const char *const output_names[] = { "stdout", "file", "timeline", "pprof", "none" };
static const char *const format_names[] = { "text", "json", "jsonl", "csv", "md", "script" };

static const char *const source_names[] = { "files", "tensorflow", "own" }; /* in the order of tfp_flops_source */
static const char *const view_names[] = { "scope", "graph", "op", "code" }; /* those whose rows have numbers */

static const option *find(const char *name)
{
    for (size_t i = 0; name && i < OPTION_COUNT; i++) {
        const char *a = options[i].name, *b = name;
        while (*a && (*a == *b || (*a == '_' && *b == '-'))) a++, b++;
        if (!*a && !*b) return &options[i];
    }
    return NULL;
}

static bool find_word(tfp_str word, const char *const *words, size_t count, size_t *out)
{
    for (size_t i = 0; i < count; i++)
        if (tfp_str_eq(word, tfp_str_of(words[i]))) return *out = i, true;
    return false;
}

/* What is wrong with a value; the caller adds the option and the value. */
static tfp_status wrong(tfp_error *err, const char *why) { return tfp_fail(err, TFP_BADARG, "%s", why); }

static tfp_status set_text(char **field, tfp_str v, tfp_error *err)
{
    char *copy = NULL;
    if (v.size) {
        copy = malloc(v.size + 1);
        if (!copy) return tfp_nomem(err);
        memcpy(copy, v.data, v.size);
        copy[v.size] = 0;
    }
    free(*field);
    *field = copy;
    return TFP_OK;
}

static tfp_status set_int(int64_t *field, kind k, tfp_str v, tfp_error *err)
{
    int64_t n;
    if (!tfp_parse_int64(v, &n)) return wrong(err, "not a number");
    if (k == K_DEPTH && (n < INT32_MIN || n > INT32_MAX)) return wrong(err, "does not fit into 32 bits");
    if (k == K_STEP && n < -1) return wrong(err, "steps count from 0; -1 is the mean of all");
    *field = n;
    return TFP_OK;
}

static tfp_status set_bool(bool *field, const char *value, tfp_error *err)
{
    static const char *const yes[] = { "true", "t", "yes", "y", "1" }, *const no[] = { "false", "f", "no", "n", "0" };
    for (size_t i = 0; i < 5; i++) {
        if (!value || strcasecmp(value, yes[i]) == 0) return *field = true, TFP_OK;
        if (strcasecmp(value, no[i]) == 0) return *field = false, TFP_OK;
    }
    return wrong(err, "not true or false");
}

/* An invalid regex is refused, but takes effect (it matches nothing), so that a caller may show, as TensorFlow's tool
 * does, what is left then. */
static tfp_status take_filter(tfp_filter **field, tfp_filter *f, tfp_status s)
{
    if (!f) return s;
    tfp_filter_free(*field);
    *field = f;
    return s;
}

static tfp_status set_filter(tfp_filter **field, tfp_str v, tfp_error *err)
{
    tfp_filter *f;
    tfp_status s = tfp_filter_new(v, &f, err);
    return take_filter(field, f, s);
}

static tfp_status set_order(int *field, tfp_str v, tfp_error *err)
{
    for (int i = 0; tfp_orders[i].name; i++)
        if (tfp_str_eq(v, tfp_str_of(tfp_orders[i].name))) return *field = i, TFP_OK;
    return wrong(err, "no such order (name, occurrence, depth or a numeric column)");
}

static tfp_status set_select(tfp_options *o, tfp_str v, tfp_error *err)
{
    uint64_t bits = 0;
    uint8_t order[TFP_C_COUNT] = { 0 }, count = 0;
    while (v.size) {
        const char *comma = memchr(v.data, ',', v.size);
        tfp_str item = { v.data, comma ? (size_t)(comma - v.data) : v.size };
        v.data += item.size + (comma != NULL);
        v.size -= item.size + (comma != NULL);
        if (item.size == 0) continue;
        int c = tfp_column_find(item);
        if (c < 0)
            return tfp_fail(err, TFP_BADARG, "no column '%.*s'", (int)(item.size < 100 ? item.size : 100), item.data);
        if (!(bits >> c & 1)) order[count++] = (uint8_t)c;
        bits |= UINT64_C(1) << c;
    }
    o->select = bits;
    memcpy(o->select_order, order, count);
    o->select_count = count;
    return TFP_OK;
}

/* KIND or KIND:outfile=F; the file's name outlives a change of kind, as in TensorFlow's listing. */
static tfp_status set_output(tfp_options *o, tfp_str v, tfp_error *err)
{
    const char *colon = v.size ? memchr(v.data, ':', v.size) : NULL;
    tfp_str word = { v.data, colon ? (size_t)(colon - v.data) : v.size };
    tfp_str rest = { v.data + word.size + (colon != NULL), v.size - word.size - (colon != NULL) };
    size_t which;
    if (!find_word(word, output_names, sizeof output_names / sizeof *output_names, &which))
        return wrong(err, "no such output (stdout, file, timeline, pprof, none)");
    bool needs_file = which >= TFP_TO_FILE && which <= TFP_TO_PPROF;
    if (rest.size == 0 && !needs_file) return o->output = (tfp_output_kind)which, TFP_OK;
    tfp_str key = TFP_STR("outfile=");
    if (rest.size <= key.size || memcmp(rest.data, key.data, key.size) != 0) return wrong(err, "needs :outfile=FILE");
    rest.data += key.size;
    rest.size -= key.size;
    if (memchr(rest.data, ',', rest.size)) return wrong(err, "a file name here can hold no comma");
    tfp_status s = set_text(&o->outfile, rest, err);
    if (!s) o->output = (tfp_output_kind)which;
    return s;
}

static tfp_status set_real(double *field, tfp_str v, tfp_error *err)
{
    char text[64], *end;
    if (!v.size || v.size >= sizeof text) return wrong(err, "not a number");
    memcpy(text, v.data, v.size);
    text[v.size] = 0;
    double n = strtod(text, &end);
    if (*end || end == text) return wrong(err, "not a number");
    if (!(n >= 0 && n <= 1e300)) return wrong(err, "not a number of 0 and more");
    *field = n;
    return TFP_OK;
}

/* Shares of a hundred have no place where a size is asked for. */
static tfp_status set_amount(char **field, tfp_str v, bool share, tfp_error *err)
{
    tfp_amount amount;
    if (v.size && (!tfp_amount_parse(v, &amount) || (amount.percent && !share)))
        return wrong(err,
                     share ? "not an amount such as 5%, 10ms, 5MB or 1000" : "not an amount such as 10ms, 5MB or 1000");
    return set_text(field, v, err);
}

/* One more behind those that are there, which an empty text takes away; or these instead of them. */
static tfp_status set_rewrites(tfp_rewrites **field, const tfp_str *items, size_t count, bool more, tfp_error *err)
{
    tfp_rewrites *made = NULL;
    bool none = count == 0 || (more && items->size == 0);
    tfp_status s = none ? TFP_OK : tfp_rewrites_new(more ? *field : NULL, items, count, &made, err);
    if (s) return s;
    tfp_rewrites_free(*field);
    *field = made;
    return TFP_OK;
}

static tfp_status set_source(int *field, tfp_str v, tfp_error *err)
{
    size_t which;
    if (!find_word(v, source_names, sizeof source_names / sizeof *source_names, &which))
        return wrong(err, "no such source (files, tensorflow, own)");
    *field = (int)which;
    return TFP_OK;
}

static tfp_status set_batch(int64_t *field, tfp_str v, tfp_error *err)
{
    int64_t n;
    if (!tfp_parse_int64(v, &n) || n < 0) return wrong(err, "not a number of 0 and more");
    *field = n;
    return TFP_OK;
}

/* One or several more behind those that are there, which an empty text takes away. */
static tfp_status set_shapes(char **field, tfp_str v, tfp_error *err)
{
    tfp_assumed_text one;
    tfp_buf all = { 0 };
    for (tfp_str rest = v; tfp_assumed_next(&rest, &one);)
        if (one.wrong) return wrong(err, one.wrong);
    if (*field && v.size) tfp_buf_printf(&all, "%s;", *field);
    tfp_buf_str(&all, v);
    tfp_status s = all.failed ? tfp_nomem(err) : set_text(field, (tfp_str){ all.data, all.size }, err);
    tfp_buf_free(&all);
    return s;
}

static tfp_status set_rate(char **field, tfp_str v, bool flops, tfp_error *err)
{
    double rate;
    if (v.size && !tfp_rate_parse(v, flops ? tfp_flops_units : tfp_bandwidth_units, &rate))
        return wrong(err, flops ? "not a rate such as 19.5T, 312TFLOPS or 1.5e12"
                                : "not a rate such as 900G, 2TB/s or 1.5e12");
    return set_text(field, v, err);
}

static tfp_status apply(tfp_options *o, const option *row, const char *value, tfp_error *err);

static tfp_status set_compat(tfp_options *o, tfp_str v, tfp_error *err)
{
    bool on = tfp_str_eq(v, TFP_STR("1.0"));
    bool tensorflow = tfp_str_eq(v, TFP_STR("tensorflow")) || tfp_str_eq(v, TFP_STR("2.21"));
    if (!on && !tensorflow && v.size && !tfp_str_eq(v, TFP_STR("none")))
        return wrong(err, "only 1.0 and tensorflow are known");
    o->compat10 = on;
    o->compat_tensorflow = tensorflow;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option *row = &options[i];
        if (!row->value_10 || (o->set >> i & 1)) continue;
        tfp_status s = apply(o, row, on ? row->value_10 : row->value, err);
        if (s) return s;
    }
    return TFP_OK;
}

static tfp_status apply(tfp_options *o, const option *row, const char *value, tfp_error *err)
{
    void *field = (char *)o + row->at;
    tfp_str v = tfp_str_of(value);
    size_t which;
    if (!value && row->kind != K_BOOL) return wrong(err, "needs a value");
    switch (row->kind) {
    case K_DEPTH:
    case K_INT:
    case K_STEP: return set_int(field, row->kind, v, err);
    case K_BOOL: return set_bool(field, value, err);
    case K_FILTER: return set_filter(field, v, err);
    case K_ORDER: return set_order(field, v, err);
    case K_SELECT: return set_select(o, v, err);
    case K_OUTPUT: return set_output(o, v, err);
    case K_FORMAT:
        if (!find_word(v, format_names, sizeof format_names / sizeof *format_names, &which))
            return wrong(err, "no such format (text, json, jsonl, csv, md, script)");
        return set_text(field, v, err);
    case K_VIEW:
        if (!find_word(v, view_names, sizeof view_names / sizeof *view_names, &which))
            return wrong(err, "no such view here (scope, graph, op, code)");
        return set_text(field, v, err);
    case K_CHECKERS:
    case K_TEXT: return set_text(field, v, err);
    case K_COMPAT: return set_compat(o, v, err);
    case K_REWRITE: return set_rewrites(field, &v, 1, true, err);
    case K_REAL: return set_real(field, v, err);
    case K_AMOUNT:
    case K_LIMIT: return set_amount(field, v, row->kind == K_LIMIT, err);
    case K_SOURCE: return set_source(field, v, err);
    case K_BATCH: return set_batch(field, v, err);
    case K_SHAPES: return set_shapes(field, v, err);
    case K_FLOPS:
    case K_BANDWIDTH: return set_rate(field, v, row->kind == K_FLOPS, err);
    }
    return TFP_BADARG;
}

/* The option and the value around what is wrong with it; a value that was taken counts as set by hand. */
static tfp_status settled(tfp_options *o, const option *row, const char *value, tfp_status s, tfp_error *err)
{
    if (s == TFP_BADARG && value) return tfp_within(err, s, "option -%s: value '%.500s'", row->name, value);
    if (s) return tfp_within(err, s, "option -%s", row->name);
    o->set |= UINT64_C(1) << (row - options);
    return TFP_OK;
}

tfp_status tfp_options_set(tfp_options *o, const char *name, const char *value, tfp_error *err)
{
    tfp_error_clear(err);
    if (!o || !name) return tfp_fail(err, TFP_BADARG, "no options, or no option's name");
    const option *row = find(name);
    if (!row) return tfp_fail(err, TFP_BADARG, "no option -%s", name);
    return settled(o, row, value, apply(o, row, value, err), err);
}

/* Options whose lists are taken whole. */
static bool takes_items(kind k) { return k == K_FILTER || k == K_REWRITE; }

static tfp_status set_items(tfp_options *o, const option *row, const char *const *items, size_t count, tfp_error *err)
{
    void *field = (char *)o + row->at;
    tfp_filter *f;
    tfp_str *texts = calloc(count + 1, sizeof *texts);
    if (!texts) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) texts[i] = tfp_str_of(items[i]);
    tfp_status s;
    if (row->kind == K_REWRITE) {
        s = set_rewrites(field, texts, count, false, err);
    } else {
        s = tfp_filter_of(texts, count, &f, err);
        s = take_filter(field, f, s);
    }
    free(texts);
    return s;
}

tfp_status tfp_options_set_list(tfp_options *o, const char *name, const char *const *items, size_t count,
                                tfp_error *err)
{
    tfp_error_clear(err);
    if (!o || !name || (count && !items)) return tfp_fail(err, TFP_BADARG, "no options, no option's name or no items");
    for (size_t i = 0; i < count; i++)
        if (!items[i]) return tfp_fail(err, TFP_BADARG, "option -%s: item %zu is NULL", name, i);
    const option *row = find(name);
    if (!row) return tfp_fail(err, TFP_BADARG, "no option -%s", name);
    tfp_buf joined = { 0 };
    const char *between = row->kind == K_SHAPES ? ";" : ",";
    for (size_t i = 0; i < count; i++) tfp_buf_printf(&joined, "%s%s", i ? between : "", items[i]);
    tfp_buf_char(&joined, 0);
    tfp_status s = joined.failed ? tfp_nomem(err) : TFP_OK;
    const char *none = row->kind == K_CHECKERS ? "," : "";       /* an empty text would ask for all checkers */
    if (!s && row->kind == K_SHAPES) s = apply(o, row, "", err); /* a list is all of them */
    if (!s && takes_items(row->kind))
        s = set_items(o, row, items, count, err);
    else if (!s)
        s = apply(o, row, count ? joined.data : none, err);
    s = settled(o, row, joined.data, s, err);
    tfp_buf_free(&joined);
    return s;
}

void tfp_options_every_value(tfp_options *o, int on)
{
    if (o) o->every_value = on != 0;
}

void tfp_options_on_query(tfp_options *o, tfp_progress_fn fn, void *ctx)
{
    if (!o) return;
    o->query_fn = fn;
    o->query_ctx = ctx;
}

tfp_options *tfp_options_new(void)
{
    tfp_options *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (apply(o, &options[i], options[i].value, NULL) == TFP_OK) continue;
        tfp_options_free(o);
        return NULL;
    }
    return o;
}

tfp_options *tfp_options_copy(const tfp_options *o)
{
    tfp_options *c = o ? malloc(sizeof *c) : NULL;
    if (!c) return NULL;
    *c = *o;
    c->text = (tfp_buf){ 0 };
    for (int i = 0; i < TFP_F_COUNT; i++) tfp_filter_keep(c->filters[i]);
    tfp_rewrites_keep(c->rewrites);
    char **texts[] = { &c->outfile, &c->format,   &c->proto_out, &c->dump_to_file, &c->checkers,   &c->view,
                       &c->names,   &c->min_size, &c->fail_over, &c->assume_shape, &c->peak_flops, &c->peak_bandwidth };
    bool ok = true;
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
    free(o->outfile);
    free(o->format);
    free(o->proto_out);
    free(o->dump_to_file);
    free(o->checkers);
    free(o->view);
    free(o->names);
    free(o->min_size);
    free(o->fail_over);
    free(o->assume_shape);
    free(o->peak_flops);
    free(o->peak_bandwidth);
    tfp_rewrites_free(o->rewrites);
    tfp_buf_free(&o->text);
    free(o);
}

bool tfp_options_chosen(const tfp_options *o, const char *name)
{
    const option *row = find(name);
    return row && (o->set >> (row - options) & 1);
}

size_t tfp_options_selected(const tfp_options *o, tfp_column_id out[TFP_C_COUNT])
{
    size_t n = 0;
    for (size_t i = 0; i < o->select_count; i++)
        if (tfp_selects(o, (tfp_column_id)o->select_order[i])) out[n++] = (tfp_column_id)o->select_order[i];
    return n;
}

static void get_select(const tfp_options *o, tfp_buf *b)
{
    for (int i = 0, n = 0; i < TFP_C_COUNT; i++)
        if (tfp_selects(o, (tfp_column_id)i)) tfp_buf_printf(b, "%s%s", n++ ? "," : "", tfp_columns[i].name);
}

const char *tfp_options_get(const tfp_options *options_given, const char *name)
{
    tfp_options *o = (tfp_options *)(uintptr_t)options_given; /* only the scratch text changes */
    const option *row = find(name);
    if (!o || !row) return NULL;
    const void *field = (const char *)o + row->at;
    tfp_buf *b = &o->text;
    b->size = 0;
    b->failed = false;
    switch (row->kind) {
    case K_DEPTH:
    case K_INT:
    case K_BATCH:
    case K_STEP: tfp_buf_int(b, *(const int64_t *)field); break;
    case K_BOOL: tfp_buf_text(b, *(const bool *)field ? "true" : "false"); break;
    case K_FILTER: tfp_buf_text(b, *(tfp_filter *const *)field ? (*(tfp_filter *const *)field)->text : ""); break;
    case K_ORDER: tfp_buf_text(b, tfp_orders[o->order_by].name); break;
    case K_SELECT: get_select(o, b); break;
    case K_OUTPUT:
        tfp_buf_printf(b, "%s:%s%s", output_names[o->output], o->outfile ? "outfile=" : "",
                       o->outfile ? o->outfile : "");
        break;
    case K_REWRITE: tfp_buf_text(b, o->rewrites ? o->rewrites->text : ""); break;
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
    case K_SOURCE: tfp_buf_text(b, source_names[o->float_ops_source]); break;
    case K_COMPAT: tfp_buf_text(b, o->compat10 ? "1.0" : o->compat_tensorflow ? "tensorflow" : ""); break;
    }
    tfp_buf_char(b, 0);
    return b->failed ? NULL : b->data;
}

char tfp_options_kind(const char *name)
{
    const option *row = find(name);
    return !row ? 0 : row->kind == K_BOOL ? 'b' : 'v';
}

int tfp_options_listed(const tfp_options *o, const char *name)
{
    const option *row = find(name);
    return row && (o && o->compat10 ? row->listed_10 : row->listed);
}

const char *tfp_option_name(size_t i, bool of_commands)
{
    for (size_t k = 0; k < OPTION_COUNT; k++)
        if ((options[k].commands != NULL) == of_commands && i-- == 0) return options[k].name;
    return NULL;
}

const char *tfp_options_commands(const char *name)
{
    const option *row = find(name);
    return row ? row->commands : NULL;
}

const char *tfp_option_help(const char *name)
{
    const option *row = find(name);
    return row ? row->help : NULL;
}

/* What a column is made of. */
static uint32_t values_of(tfp_column_id c)
{
    const tfp_column *column = &tfp_columns[c];
    uint32_t bits = column->value >= 0 ? 1u << column->value : 0;
    if (tfp_is_ratio(column)) bits |= 1u << column->ratio.over | 1u << column->ratio.under;
    if (c == TFP_C_MICROS) bits |= 1u << TFP_V_ACCELERATOR_MICROS | 1u << TFP_V_CPU_MICROS;
    if (c == TFP_C_OCCURRENCE) bits |= 1u << TFP_V_DEFINITIONS;
    if (c == TFP_C_INPUT_SHAPES) bits |= 1u << TFP_V_RUNS | 1u << TFP_V_MICROS;
    return bits;
}

uint32_t tfp_options_values(const tfp_options *o)
{
    uint32_t bits = 0;
    const tfp_order *order = &tfp_orders[o->order_by];
    if (o->every_value || o->proto_out || strncmp(o->format, "json", 4) == 0) bits = TFP_V_ALL;
    for (int i = 0; i < TFP_C_COUNT; i++)
        if (tfp_selects(o, (tfp_column_id)i)) bits |= values_of((tfp_column_id)i);
    if (order->value >= 0) bits |= 1u << order->value;
    if (order->value == TFP_BY_RATIO) bits |= values_of(order->ratio);
    for (int i = 0; i < TFP_MIN_COUNT; i++)
        if (o->min[i] > 0) bits |= 1u << tfp_min_values[i];
    if (o->output == TFP_TO_TIMELINE) bits |= 1u << TFP_V_MICROS;
    return bits;
}

bool tfp_options_count(const tfp_options *o)
{
    const uint32_t from_files = TFP_V_ALL & ~(1u << TFP_V_FLOAT_OPS);
    return o->float_ops_source && (tfp_options_values(o) & ~from_files);
}

bool tfp_options_find_parameters(const tfp_options *o)
{
    return strcmp(source_names[o->float_ops_source], "own") == 0 &&
           ((tfp_options_values(o) & 1u << TFP_V_PARAMS) || !tfp_filter_any(o->filters[TFP_F_ACCOUNT]));
}

int tfp_options_work_out(const tfp_options *o) { return o && (tfp_options_count(o) || tfp_options_find_parameters(o)); }
