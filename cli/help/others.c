// SPDX-License-Identifier: Apache-2.0
/* cli/help/others.c: words of other profilers, with the command that answers the same question; docs/migrating.md
 * promises these. */
#include "cli.h"

#include <string.h>

#define TORCH "torch.profiler"
#define PLUGIN "the PyTorch plugin of TensorBoard"
#define HTA "Holistic Trace Analysis"
#define XPROF "xprof, TensorBoard's profiler plugin"

/* clang-format off */
static const struct {
    /* the word, our command that does the same, the tool that the word comes from, a line to try */
    const char *word, *ours, *tool, *command;
} others[] = {
    { "annotate",                "code",     "perf",  "tfprof code trace.json -order_by micros" },
    { "attach",                  "capture",  NULL,    "tfprof capture --attach PID" },
    { "compare",                 "diff",     NULL,    "tfprof diff before.json after.json" },
    { "critical_path",           "steps",    HTA,     "tfprof steps trace.json -critical_path" },
    { "critical_path_analysis",  "steps",    HTA,     "tfprof steps trace.json -critical_path" },
    { "distributed_view",        "transfer", PLUGIN,  "tfprof transfer rank*.json.gz" },
    { "dump",                    "stacks",   "py-spy", "tfprof stacks PID --once" },
    { "events",                  "query",    TORCH,   "tfprof query trace.json \"SELECT name, duration_us FROM spans\"" },
    { "export",                  "convert",  NULL,    "tfprof convert trace.json -o trace.tfprof" },
    { "export_chrome_trace",     "timeline", TORCH,   "tfprof serve trace.json --open" },
    { "export_stacks",           "code",     TORCH,   "tfprof code trace.json -select micros -output pprof:outfile=stacks.pprof" },
    { "flame",                   "report",   NULL,    "tfprof report trace.json -o report.html" },
    { "flamegraph",              "report",   NULL,    "tfprof report trace.json -o report.html" },
    { "flops_profiler",          "flops",    "DeepSpeed", "tfprof flops trace.json" },
    { "framework_op_stats",      "op",       XPROF,   "tfprof op log/ -order_by micros" },
    { "get_comm_comp_overlap",   "transfer", HTA,     "tfprof transfer rank*.json.gz" },
    { "get_gpu_kernel_breakdown", "kernel",  HTA,     "tfprof kernel rank*.json.gz" },
    { "get_idle_time_breakdown", "wait",     HTA,     "tfprof wait rank*.json.gz" },
    { "get_temporal_breakdown",  "steps",    HTA,     "tfprof steps rank*.json.gz" },
    { "gpu_kernel_stats",        "kernel",   XPROF,   "tfprof kernel log/" },
    { "graph_viewer",            "graph",    XPROF,   "tfprof graph log/" },
    { "group_by_input_shape",    "op",       TORCH,   "tfprof op trace.json -select micros,input_shapes" },
    { "group_by_stack_n",        "code",     TORCH,   "tfprof code trace.json -order_by micros" },
    { "gui",                     "serve",    NULL,    "tfprof serve trace.json --open" },
    { "hlo_op_profile",          "kernel",   XPROF,   "tfprof kernel log/" },
    { "hlo_op_stats",            "kernel",   XPROF,   "tfprof kernel log/" },
    { "hotspots",                "lines",    NULL,    "tfprof lines trace.json" },
    { "html",                    "report",   NULL,    "tfprof report trace.json -o report.html" },
    { "idle_time",               "wait",     HTA,     "tfprof wait rank*.json.gz" },
    { "input_pipeline_analyzer", "wait",     XPROF,   "tfprof wait log/" },
    { "kernel_view",             "kernel",   PLUGIN,  "tfprof kernel trace.json" },
    { "kernels",                 "kernel",   NULL,    "tfprof kernel trace.json" },
    { "key_averages",            "op",       TORCH,   "tfprof op trace.json -order_by device_time -top 10" },
    { "layers",                  "scope",    NULL,    "tfprof scope trace.json -order_by micros" },
    { "list",                    "info",     NULL,    "tfprof info trace.json" },
    { "mem",                     "memory",   NULL,    "tfprof memory trace.json" },
    { "memory_profile",          "memory",   XPROF,   "tfprof memory log/" },
    { "module_view",             "scope",    PLUGIN,  "tfprof scope trace.json -order_by micros" },
    { "modules",                 "scope",    NULL,    "tfprof scope trace.json -order_by micros" },
    { "operator_view",           "op",       PLUGIN,  "tfprof op trace.json -order_by micros" },
    { "operators",               "op",       NULL,    "tfprof op trace.json -order_by micros" },
    { "ops",                "op",       NULL,    "tfprof op trace.json -order_by micros" },
    { "overview",                "summary",  NULL,    "tfprof summary trace.json" },
    { "overview_page",           "summary",  XPROF,   "tfprof summary log/" },
    { "parameters",              "params",   NULL,    "tfprof params saved_model/" },
    { "pod_viewer",              "steps",    XPROF,   "tfprof steps log/" },
    { "profile",                 "run",      NULL,    "tfprof run -- python train.py" },
    { "ps",                      "top",      NULL,    "tfprof top" },
    { "py_spy",                  "stacks",   "py-spy", "tfprof stacks PID" },
    { "record",                  "run",      NULL,    "tfprof run -- python train.py" },
    { "record_shapes",           "op",       TORCH,   "tfprof op trace.json -select micros,input_shapes" },
    { "roofline",                "flops",    XPROF,   "tfprof flops log/" },
    { "roofline_model",          "flops",    XPROF,   "tfprof flops log/" },
    { "self_cpu_time_total",     "op",       TORCH,   "tfprof op trace.json -order_by cpu_time" },
    { "self_cuda_time_total",    "op",       TORCH,   "tfprof op trace.json -order_by device_time" },
    { "self_device_time_total",  "op",       TORCH,   "tfprof op trace.json -order_by device_time" },
    { "show",                    "info",     NULL,    "tfprof info trace.json" },
    { "source",                  "lines",    NULL,    "tfprof lines trace.json" },
    { "sql",                     "query",    NULL,    "tfprof query trace.json \"SELECT name, duration_us FROM spans\"" },
    { "trace",                   "timeline", NULL,    "tfprof serve trace.json --open" },
    { "trace_viewer",            "timeline", XPROF,   "tfprof serve log/ --open" },
    { "tracediff",               "diff",     HTA,     "tfprof diff before.json after.json -view op" },
    { "tree",                    "scope",    NULL,    "tfprof scope trace.json -order_by micros" },
    { "ui",                      "serve",    NULL,    "tfprof serve trace.json --open" },
    { "view",                    "serve",    NULL,    "tfprof serve trace.json --open" },
    { "weights",                 "params",   NULL,    "tfprof params saved_model/" },
    { "with_stack",              "code",     TORCH,   "tfprof code trace.json -order_by micros" },
};

/* Options of other profilers and of tools of the shell, and ours for the same. */
static const struct { const char *word, *ours; } other_options[] = {
    { "columns", "-select COLUMN,..." },       { "csv", "-format csv" },
    { "depth", "-max_depth N" },               { "duration", "--seconds N, or --ms N" },
    { "filter", "-show_name_regexes REGEX" },  { "folded", "-format folded" },
    { "group_by", "-by WHAT" },                { "gpu", "-device gpu:N" },
    { "head", "-top N" },                      { "json", "-format json" },
    { "limit", "-top N" },                     { "markdown", "-format md" },
    { "max_rows", "-top N" },                  { "n", "-top N" },
    { "out", "-o FILE" },                      { "output_file", "-o FILE" },
    { "output_format", "-format FORM" },       { "pid", "PID without an option" },
    { "regex", "-show_name_regexes REGEX" },   { "row_limit", "-top N" },
    { "rows", "-top N" },                      { "sort", "-order_by COLUMN" },
    { "sort_by", "-order_by COLUMN" },         { "v", "--version" },
    { "time_range", "-range FROM:TO" },        { "verbose", "tfprof check FILE, for what is odd in it" },
};
/* clang-format on */

static bool same(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        char x = *a == '-' ? '_' : *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        if (x != *b) return false;
    }
    return *a == *b;
}

static size_t place_of(const char *word)
{
    size_t i = 0, count = sizeof others / sizeof *others;
    while (i < count && !same(word, others[i].word)) i++;
    return i;
}

const char *cli_near_other(const char *word)
{
    size_t i = place_of(word);
    return i < sizeof others / sizeof *others ? others[i].ours : NULL;
}

bool cli_help_other(cli *c, const char *word)
{
    size_t i = place_of(word);
    if (i == sizeof others / sizeof *others) return false;
    if (others[i].tool)
        cli_print(c->out, "%s, a word of %s, is here:\n\n  %s\n\n", word, others[i].tool, others[i].command);
    else
        cli_print(c->out, "%s is here:\n\n  %s\n\n", word, others[i].command);
    return true;
}

const char *cli_other_option(const char *word)
{
    for (size_t i = 0; i < sizeof other_options / sizeof *other_options; i++)
        if (same(word, other_options[i].word)) return other_options[i].ours;
    return NULL;
}
