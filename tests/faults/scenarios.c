// SPDX-License-Identifier: Apache-2.0
/* tests/faults/scenarios.c: combines inputs, views and outputs from three tables. */
#include "scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct input_set {
    const char *name, *formats[5], *files[5];
} input_set;

static const input_set input_sets[] = {
    { "profile", { "profile" }, { "odd/profile_5" } },
    { "packed profile", { NULL }, { "dense/profile_3.gz" } },
    { "text graph and all",
      { "graph", "run_meta", "run_meta", "op_log" },
      { "odd/graph_shapes.pbtxt", "odd/run_meta_0", "odd/run_meta_1", "odd/tfprof_log" } },
    { "binary graph",
      { "graph", "run_meta", "op_log" },
      { "odd/graph_shapes.pb", "odd/run_meta_0", "odd/tfprof_log_1" } },
    { "checkpoint v1", { "graph", "checkpoint" }, { "dense/graph.pb", "dense/ckpt_v1/model.ckpt-3" } },
    { "checkpoint v2",
      { "graph", "checkpoint" },
      { "dense_resource/graph.pbtxt.gz", "dense_resource/ckpt_v2/model.ckpt-3" } },
    { "saved model", { "graph" }, { "functions/saved_model" } },
    { "recognised", { NULL, NULL }, { "odd/graph.pb", "odd/run_meta_0" } },
    { "gpu", { "profile" }, { "gpu/profile_1.gz" } },
    { "checkpoint alone", { "checkpoint" }, { "dense/ckpt_v2/model.ckpt-3" } },
    { "trace", { "kineto" }, { "traces/shapes.json" } },
    { "recorded calls", { NULL }, { "traces/et_old.json" } },
    { "sampled stacks", { NULL }, { "pprof/odd.pb" } },
};
enum {
    INPUT_COUNT = sizeof input_sets / sizeof *input_sets,
    PROFILE = 0,
    PACKED = 1,
    ALL = 2,
    V1 = 4,
    V2 = 5,
    MODEL = 6,
    GPU = 8,
    ALONE = 9,
    TRACE = 10,
    CALLS = 11,
    SAMPLES = 12
};

static const char *const everything[] = {
    "select",
    "params,bytes,micros,float_ops,occurrence,device,op_types,input_shapes,peak_bytes",
    "account_type_regexes",
    ".*",
    "max_depth",
    "100",
    "order_by",
    "micros",
    "format",
    "json",
    NULL
};
static const char *const filters[] = { "account_type_regexes",
                                       ".*cpu.*,Conv.*,.*Mul",
                                       "start_name_regexes",
                                       ".*a.*,net.*",
                                       "trim_name_regexes",
                                       ".*b",
                                       "hide_name_regexes",
                                       ".*c",
                                       "select",
                                       "micros,op_types",
                                       NULL };
static const char *const tensors[] = { "select", "tensor_value,params", "max_depth", "100", NULL };
static const char *const old_form[] = { "compat", "1.0", "max_depth", "100", "account_type_regexes", ".*", NULL };
static const char *const to_file[] = { "output", "file:outfile=@/old", "account_type_regexes", ".*", NULL };
static const char *const to_timeline[] = {
    "output", "timeline:outfile=@/old", "step", "0", "account_type_regexes", ".*", "max_depth", "100", NULL
};
static const char *const to_timelines[] = {
    "output", "timeline:outfile=@/line", "account_type_regexes", ".*", "max_depth", "100", NULL
};
static const char *const to_pprof[] = {
    "output", "pprof:outfile=@/old", "account_type_regexes", ".*", "select", "micros", "max_depth", "100", NULL
};
static const char *const to_flat_timeline[] = { "output", "timeline:outfile=@/old", NULL };
static const char *const worked_out_peaks[] = { "peak_flops", "1T", "peak_bandwidth", "100G", NULL };
static const char *const to_folded[] = { "output", "folded:outfile=@/old", "select", "micros", NULL };
static const char *const to_speedscope[] = { "output", "speedscope:outfile=@/old", "select", "micros", NULL };
static const char *const to_proto[] = { "output", "none", "proto_out", "@/old", "account_type_regexes", ".*", NULL };
static const char *const to_json[] = { "output", "file:outfile=@/old", "format", "json", "account_type_regexes", ".*",
                                       NULL };

static const char *const worked_out[] = { "float_ops_source",
                                          "own",
                                          "select",
                                          "params,float_ops,macs,coverage,intensity",
                                          "order_by",
                                          "params",
                                          "account_type_regexes",
                                          ".*",
                                          "max_depth",
                                          "100",
                                          NULL };

static const char *const stats[] = { "select",
                                     "params,bytes,micros,float_ops,occurrence,device",
                                     "account_type_regexes",
                                     ".*cpu.*,Conv.*,.*Mul",
                                     "max_depth",
                                     "100",
                                     "step",
                                     "1",
                                     "rewrite",
                                     "s/(.)a/\\1<&>/g",
                                     "rewrite",
                                     "s|net||",
                                     NULL };
static const char *const stats_to_file[] = { "output", "file:outfile=@/old", "format", "csv", "view", "op", NULL };

typedef struct show_set {
    const char *name, *view;
    int input;
    const char *const *options;
} show_set;

static const show_set show_sets[] = {
    { "filters", "scope", ALL, filters },
    { "filters", "graph", ALL, filters },
    { "filters", "op", ALL, filters },
    { "filters", "code", ALL, filters },
    { "tensors v1", "scope", V1, tensors },
    { "tensors v2", "scope", V2, tensors },
    { "tensors v2", "graph", V2, tensors },
    { "1.0", "scope", ALL, old_form },
    { "1.0", "graph", ALL, old_form },
    { "file", "scope", PROFILE, to_file },
    { "file", "op", PROFILE, to_file },
    { "file", "code", ALL, to_file },
    { "file", "advise", PROFILE, to_file },
    { "timeline", "scope", PROFILE, to_timeline },
    { "timeline", "graph", PROFILE, to_timeline },
    { "timelines", "graph", GPU, to_timelines },
    { "timeline", "code", ALL, to_timeline },
    { "pprof", "code", ALL, to_pprof },
    { "folded", "scope", PROFILE, to_folded },
    { "speedscope", "code", ALL, to_speedscope },
    { "folded", "calls", TRACE, to_folded },
    { "speedscope", "calls", TRACE, to_speedscope },
    { "timeline", "calls", TRACE, to_flat_timeline },
    { "float operations", "flops", TRACE, worked_out_peaks },
    { "float operations", "op", TRACE, worked_out },
    { "proto", "scope", PROFILE, to_proto },
    { "proto", "op", PROFILE, to_proto },
    { "proto", "code", ALL, to_proto },
    { "proto", "advise", PROFILE, to_proto },
    { "json", "scope", PROFILE, to_json },
    { "json", "op", PROFILE, to_json },
    { "file", "stats", PROFILE, stats_to_file },
    { "worked out", "scope", MODEL, worked_out },
    { "worked out", "op", ALL, worked_out },
    { "worked out", "flops", MODEL, worked_out },
    { "worked out", "flops", PROFILE, worked_out },
    { "tensors", "scope", ALONE, tensors },
};
enum { SHOW_COUNT = sizeof show_sets / sizeof *show_sets };

/* Patterns with commas, an invalid pattern, an unknown order and column, texts with NUL bytes. */
static const char message[] = "\x08\x64\x90\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" /* max_depth 100, step -1 */
                              "\x3a\x04nope\x42\x02.*\x4a\x06.{1,9}\x4a\x02(a" /* order_by, accounted, start */
                              "\x5a\x04.*\0b\x5a\x02.*\x62\x03x,y"             /* shown, hidden */
                              "\x72\x06micros\x72\x02no\x72\x08op_types\x7a\x06stdout";
static const char advisor_message[] = "\x0a\x12\x0a\x10OperationChecker\x0a\x05\x0a\x03"
                                      "a,b\x0a\x0c\x0a\x0aJobChecker";
static const char *const lists[] = { "account_type_regexes",
                                     ".*cpu.*|Conv.{1,3}D|a(b)?",
                                     "start_name_regexes",
                                     ".*a.*|net.*|",
                                     "select",
                                     "micros|op_types,bytes",
                                     "trim_name_regexes",
                                     ".*b{2,3}",
                                     NULL };

static scenario *add(scenario **all, size_t *count, const input_set *in, const char *what)
{
    *all = realloc(*all, (*count + 1) * sizeof **all);
    if (!*all) exit(2);
    scenario *s = &(*all)[(*count)++];
    *s = (scenario){ .view = NULL };
    memcpy(s->formats, in->formats, sizeof s->formats);
    memcpy(s->files, in->files, sizeof s->files);
    snprintf(s->name, sizeof s->name, "%s: %s", in->name, what);
    return s;
}

static scenario *add_shown(scenario **all, size_t *count, int input, const char *what, const char *view)
{
    scenario *s = add(all, count, &input_sets[input], what);
    s->view = view;
    s->output = "text";
    return s;
}

/* The calls of bindings: options from messages and lists, profiles that grow. */
static void add_bindings(scenario **all, size_t *count)
{
    scenario *s = add_shown(all, count, ALL, "options of a message", "scope");
    s->message = message;
    s->message_size = sizeof message - 1;
    s = add_shown(all, count, ALL, "options of a message, advise", "advise");
    s->message = advisor_message;
    s->message_size = sizeof advisor_message - 1;
    add_shown(all, count, ALL, "options of lists", "op")->lists = lists;
    s = add_shown(all, count, ALL, "grow", "scope");
    s->grow = s->write_profile = true;
    s->options = everything;
    s = add_shown(all, count, ALL, "grow", "graph");
    s->grow = true;
    s->options = everything;
    s = add_shown(all, count, V1, "grow", "scope");
    s->grow = true;
    s->options = tensors;
}

/* Statistics of every view in every form, also as a list of changes. */
static void add_stats(scenario **all, size_t *count)
{
    static const char *const views[][3] = {
        { "view", "scope" }, { "view", "graph" }, { "view", "op" }, { "view", "code" }, { "view", "steps" }
    };
    static const char *const outputs[] = { "text", "json", "jsonl", "csv", "md" };
    static const char *const changes[] = { "rewrite", "s/a/b/|s/(b+)/[\\1]/g", "select", "bytes|micros", NULL };
    char what[64];
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        snprintf(what, sizeof what, "stats of %s", views[i][1]);
        add_shown(all, count, ALL, what, "stats")->options = views[i];
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        snprintf(what, sizeof what, "stats as %s", outputs[i]);
        scenario *s = add_shown(all, count, ALL, what, "stats");
        s->output = outputs[i];
        s->options = stats;
    }
    scenario *s = add_shown(all, count, PROFILE, "stats as table", "stats");
    s->output = NULL;
    s->table = true;
    s->lists = changes;
}

/* Diffs of steps and of texts, in every view and form, also of a profile with enough steps for intervals. */
static void add_diffs(scenario **all, size_t *count)
{
    static const char *const options[] = { "select", "micros,bytes", "min_size", "0", "fail_over",
                                           "1",      "view",         "scope",    NULL };
    static const char *const code[] = { "view", "code", "hide_nodes", ".*b", NULL };
    static const char *const graph[] = { "view", "graph", "names", "old,new,older", "delta", "0.5", NULL };
    static const char *const steps[] = { "view", "steps", "min_size", "0", "fail_over", "1", NULL };
    static const char *const script[] = { "format", "script",   "node_names", ".*a.*", "fail_over",
                                          "1",      "min_size", "0",          NULL };
    static const struct {
        const char *name, *output;
        const char *const *options;
        int input;
    } sets[] = { { "diff", "json", options, ALL },
                 { "diff of code", "csv", code, ALL },
                 { "diff of graph", "md", graph, ALL },
                 { "diff as script", "script", script, ALL },
                 { "diff of texts", "text", NULL, -1 },
                 { "diff of steps", "text", options, PACKED },
                 { "diff of the table steps", "json", steps, ALL } };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        scenario *s = add_shown(all, count, sets[i].input < 0 ? ALL : sets[i].input, sets[i].name, "diff");
        s->output = sets[i].output;
        s->options = sets[i].options;
        s->texts = sets[i].input < 0;
        s->table = i == 0;
    }
}

/* Queries through every function that returns rows, with results of every type; the file is given twice, under two
 * names. */
static void add_queries(scenario **all, size_t *count)
{
    static const char *const queries[] = {
        "SELECT * FROM nodes",
        "SELECT n.profile, name, op, sum(run_us) AS us, avg(run_us), NULL FROM nodes n JOIN executions USING (node) "
        "WHERE n.name NOT LIKE 'x%' GROUP BY 1, 2 ORDER BY us DESC",
        "SELECT a.name, b.node FROM nodes a JOIN nodes b USING (name) WHERE a.profile = 'again' AND b.node = 3",
        "SELECT lane, kind, sum(bytes) FROM spans LEFT JOIN memory USING (execution) LEFT JOIN buffers USING (memory) "
        "GROUP BY 1, 2",
        "SELECT name, ? AS pattern FROM nodes WHERE name LIKE ?1",
        "SELECT file, replace(function, 'a', 'bb'), trim(text, ' '), line FROM code JOIN nodes USING (trace)",
        "SELECT s.name, key, value, lane, rank FROM spans s JOIN span_args USING (span) JOIN lanes USING (lane_number) "
        "LEFT JOIN processes USING (process) LEFT JOIN counters USING (process)",
        "WITH a AS (SELECT 1 AS \"x\"\"y\"), b AS (SELECT * FROM a, a) SELECT *, 1.5 FROM b UNION ALL SELECT 'z', 2, 3",
    };
    enum { TRACE_QUERY = 5 };
    char what[64];
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        snprintf(what, sizeof what, "query %zu", i);
        scenario *s = add_shown(all, count, i == TRACE_QUERY ? TRACE : i % 2 ? ALL : PROFILE, what, "query");
        s->sql = queries[i];
        s->table = i == 1;
    }
}

/* Several threads: which allocation fails differs between runs, but the required outcome is the same. */
static void add_threads(scenario **all, size_t *count)
{
    scenario *s = add_shown(all, count, PROFILE, "graph, threads", "graph");
    s->threads = "2/100";
    s->lists = lists;
}

/* XPlane traces and compiled programs, in the views that read their events and instructions. */
static void add_programs(scenario **all, size_t *count)
{
    static const input_set gpu_trace = { "xplane of a gpu", { "xplane" }, { "xplane/gpu.xplane.pb" } };
    static const input_set tpu_trace = { "xplane of a tpu", { "xplane" }, { "xplane/tpu.xplane.pb" } };
    static const input_set odd_trace = { "odd xplane", { NULL }, { "xplane/odd.xplane.pb" } };
    static const input_set module = { "hlo", { "hlo" }, { "xplane/step.hlo.pb" } };
    static const input_set text = { "hlo text", { "hlo" }, { "xplane/step.hlo.txt" } };
    static const char *const nodes[] = { "nodes", "true", NULL };
    static const char *const columns[] = { "select", "float_ops,macs,bytes_moved,intensity", NULL };
    static const struct {
        const input_set *in;
        const char *view;
        const char *const *options;
    } sets[] = {
        { &gpu_trace, "flops", NULL },    { &gpu_trace, "flops", nodes }, { &gpu_trace, "op", columns },
        { &gpu_trace, "summary", NULL },  { &gpu_trace, "code", NULL },   { &gpu_trace, "calls", NULL },
        { &gpu_trace, "graph", NULL },    { &tpu_trace, "flops", NULL },  { &tpu_trace, "steps", NULL },
        { &tpu_trace, "transfer", NULL }, { &tpu_trace, "kernel", NULL }, { &odd_trace, "check", NULL },
        { &module, "flops", NULL },       { &module, "flops", nodes },    { &module, "scope", columns },
        { &module, "graph", columns },    { &text, "flops", NULL },       { &text, "code", NULL },
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char what[64];
        snprintf(what, sizeof what, "%s%s", sets[i].view, sets[i].options ? ", options" : "");
        scenario *s = add(all, count, sets[i].in, what);
        s->view = sets[i].view;
        s->output = i % 2 ? "json" : "text";
        s->options = sets[i].options;
    }
}

scenario *scenarios_make(size_t *count)
{
    scenario *all = NULL;
    *count = 0;
    for (size_t i = 0; i < INPUT_COUNT; i++) {
        add(&all, count, &input_sets[i], "load");
        add(&all, count, &input_sets[i], "load and write")->write_profile = true;
    }
    for (size_t v = 0; tfp_list(TFP_VIEWS, v); v++) {
        for (size_t o = 0; tfp_list(TFP_OUTPUTS, o); o++) {
            char what[64];
            snprintf(what, sizeof what, "%s as %s", tfp_list(TFP_VIEWS, v), tfp_list(TFP_OUTPUTS, o));
            scenario *s = add(&all, count, &input_sets[ALL], what);
            s->view = tfp_list(TFP_VIEWS, v);
            s->output = tfp_list(TFP_OUTPUTS, o);
            s->options = everything;
        }
    }
    for (size_t v = 0; tfp_list(TFP_VIEWS, v); v++) {
        char what[64];
        snprintf(what, sizeof what, "%s as table", tfp_list(TFP_VIEWS, v));
        scenario *s = add(&all, count, &input_sets[ALL], what);
        s->view = tfp_list(TFP_VIEWS, v);
        s->options = everything;
        s->table = true;
    }
    for (size_t i = 0; i < SHOW_COUNT; i++) {
        char what[64];
        snprintf(what, sizeof what, "show %s, %s", show_sets[i].view, show_sets[i].name);
        scenario *s = add(&all, count, &input_sets[show_sets[i].input], what);
        s->view = show_sets[i].view;
        s->options = show_sets[i].options;
    }
    add_stats(&all, count);
    add_diffs(&all, count);
    add_queries(&all, count);
    add_bindings(&all, count);
    add_threads(&all, count);
    add_programs(&all, count);
    return all;
}
