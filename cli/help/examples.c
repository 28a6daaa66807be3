// SPDX-License-Identifier: Apache-2.0
/* cli/help/examples.c: the parts of help that are tables of this program: examples of commands, and exit statuses. */
#include "cli.h"

#include <string.h>

/* clang-format off */
const cli_status_text cli_statuses[] = {
    { CLI_DONE,       "done; a session on stdin has the status of its first failed command, without `set -keep_going`" },
    { CLI_BAD_INPUT,  "wrong input: a file is missing, unreadable or damaged" },
    { CLI_BAD_USAGE,  "wrong usage: an unknown command, option or value, an invalid regex, a step that is not there" },
    { CLI_BAD_OUTPUT, "the output could not be written (when the reader of a pipe goes away, the status is 0)" },
    { CLI_LIMIT,      "out of memory, or an input over a limit" },
    { CLI_FOUND,      "a limit that you set was exceeded: --fail-on, --fail-over, --gate" },
    { CLI_STOPPED,    "interrupted" },
    { -1, NULL },
};

const cli_example cli_examples[] = {
    { "tfprof info trace.json.gz", "what the file is, and which commands can answer" },
    { "tfprof info trace.json.gz -format json", "the same for a script" },
    { "tfprof info logs/", "the newest recording of a folder" },
    { "tfprof summary trace.json.gz", "where a step goes, and what could be better" },
    { "tfprof summary trace.json.gz -step 3", "the same of step 3" },
    { "tfprof summary run_of_ranks/", "the ranks of a job side by side" },
    { "tfprof scope trace.json.gz -max_depth 4 -top 5", "time by module, the five most expensive below each" },
    { "tfprof scope profile_100 -select params,micros -max_depth 4", "parameters and time by name scope" },
    { "tfprof scope profile_100 -show_name_regexes '.*conv.*' -min_params 1", "the scopes of convolutions that have parameters" },
    { "tfprof graph profile_100 -start_name_regexes '.*loss.*' -max_depth 5", "what the loss is computed from" },
    { "tfprof graph profile_100 -step 100 -output timeline:outfile=/tmp/t", "a timeline for chrome://tracing" },
    { "tfprof graph trace.json et.json", "the dataflow of a PyTorch job, by its execution trace" },
    { "tfprof op trace.json.gz -order_by micros -top 10", "the most expensive operation types" },
    { "tfprof op trace.json.gz -select micros,occurrence,input_shapes -top 10", "the same with their runs and shapes" },
    { "tfprof op --graph_path=graph.pbtxt --run_meta_path=run_0,run_1 -order_by micros", "the same for TensorFlow's files" },
    { "tfprof code trace.json.gz -min_micros 1ms", "from the script down to the lines that take a millisecond and more" },
    { "tfprof code trace.json.gz -output folded:outfile=code.folded", "the same for flame graphs" },
    { "tfprof code trace.json.gz -output pprof:outfile=code.pprof", "the same for go tool pprof" },
    { "tfprof lines trace.json.gz -top 10", "the most expensive lines of your own code" },
    { "tfprof lines trace.json.gz -library_regexes '.*/mylib/.*'", "the time of a library of yours counts for the lines that call it" },
    { "tfprof lines replay.json.gz --capture_path capture.json.gz", "the lines that launched the kernels of a CUDA graph" },
    { "tfprof flops trace.json.gz -peak_flops 19.5T", "float operations, and how near they are to what the device can do" },
    { "tfprof flops saved_model -assume_batch 32", "a model that fixes no batch size" },
    { "tfprof flops model.onnx -nodes", "every node with its shapes and its count" },
    { "tfprof params saved_model", "the variables of a SavedModel, by block" },
    { "tfprof params model.safetensors -max_depth 3", "the parameters of a checkpoint, in more detail" },
    { "tfprof params ckpt/model.ckpt-1000", "a checkpoint of TensorFlow" },
    { "tfprof memory trace.json.gz", "who held memory at its peak" },
    { "tfprof memory trace.json.gz -by line", "which lines held the memory at its peak" },
    { "tfprof memory snapshot.pickle -by oom", "why the GPU was out of memory" },
    { "tfprof calls trace.json.gz -select micros,occurrence -max_depth 5", "what called what" },
    { "tfprof calls trace.json.gz -output folded:outfile=calls.folded", "the same for flamegraph.pl" },
    { "tfprof calls trace.json.gz -order_by start -max_depth 4", "what ran first, and what after it" },
    { "tfprof kernel trace.json.gz -top 20", "the most expensive kernels, and the operations that launch them" },
    { "tfprof kernel trace.json.gz -order_by count -top 20", "the kernels that run most often" },
    { "tfprof kernel trace.json.gz -format csv -full_names", "all of them for a spreadsheet" },
    { "tfprof steps trace.json.gz", "compute, communication, copies and idle time of each step and device" },
    { "tfprof steps trace.json.gz -critical_path", "what the steps had to wait for" },
    { "tfprof steps trace.json.gz -why", "why the longest steps took longer than the others" },
    { "tfprof transfer trace.json.gz", "copies and collectives: bytes, speed, how much overlaps with compute" },
    { "tfprof transfer run_of_ranks/ -by collective", "for which rank the others waited" },
    { "tfprof transfer trace.json.gz -order_by exposed_us -top 5", "what costs a step most, because nothing computes meanwhile" },
    { "tfprof wait trace.json.gz", "what the host and the device wait for" },
    { "tfprof wait trace.json.gz -step 3", "what step 3 waited for" },
    { "tfprof wait run_of_ranks/ -ranks 0", "what rank 0 waited for" },
    { "tfprof limits trace.json.gz", "how far each operation is from what the device can do, and what loses most" },
    { "tfprof limits trace.json.gz -by chain", "chains of small kernels, and what one kernel in place of each saves at most" },
    { "tfprof limits trace.json.gz -by line", "the lines of Python whose operations lose most" },
    { "tfprof triage server.json.gz", "of SGLang, vLLM and other servers: which kernels and lines dominate each phase" },
    { "tfprof triage server.json.gz -phase decode -format md", "the tables of one phase for a pull request" },
    { "tfprof triage replay.json.gz --capture_path capture.json.gz", "with the lines of replayed CUDA graphs" },
    { "tfprof check trace.json.gz", "what is odd in the recording" },
    { "tfprof check trace.json.gz -format json", "the same for a script" },
    { "tfprof check run_of_ranks/", "missing and duplicate ranks, too" },
    { "tfprof whatif trace.json.gz", "the ten changes that would gain most" },
    { "tfprof whatif trace.json.gz -faster 'aten::.*conv.*=2' -launch 2us", "convolutions twice as fast, and each launch in 2 us" },
    { "tfprof whatif run_of_ranks/ -ideal stragglers", "no rank slower than the others" },
    { "tfprof hang dumps/", "which rank a dead job waited for, from dumps of PyTorch's flight recorder" },
    { "tfprof hang train.py", "the same of a job that runs" },
    { "tfprof hang --agent node7:9401,node8:9401", "the same over the machines of a job" },
    { "tfprof advise trace.json.gz", "what could be better, with the gain of each finding" },
    { "tfprof advise profile_100 --fail-on ExpensiveOperationChecker", "advice; status 5 when that checker finds something" },
    { "tfprof advise trace.json.gz -checkers InputBound -rule_limits InputBound=20%", "one rule, with a limit of yours" },
    { "tfprof diff old.json.gz new.json.gz -min_size 1ms", "what became slower or faster by operation" },
    { "tfprof diff --gate 5% --base old*.json.gz --new new*.json.gz", "in CI: fail when the new runs are slower, beyond their noise" },
    { "tfprof gate calibrate run*.json.gz -o limits.json", "limits for CI from at least five runs of one version" },
    { "tfprof gate check limits.json new*.json.gz", "in CI: status 5 when the median of new runs is over them" },
    { "tfprof gate calibrate run*.json.gz --false-alarms 5% -o limits.json", "lower limits, which one of twenty equal runs exceeds" },
    { "tfprof diff trace.json.gz@3 trace.json.gz@4 -view op", "two steps of a trace" },
    { "tfprof stats trace.json.gz -view op -top 10", "mean, spread and percentiles over the steps" },
    { "tfprof stats trace.json.gz -view steps -format csv", "the same of the devices' busy and idle time" },
    { "tfprof stats profile_100 -max_depth 3 -rewrite 's|^model/||'", "by scope, with shorter names" },
    { "tfprof query 'SELECT name, count(*) AS n FROM spans GROUP BY name ORDER BY n DESC LIMIT 5' trace.json.gz", "the most frequent spans" },
    { "tfprof query 'SELECT * FROM columns' trace.json.gz", "the tables and their columns" },
    { "tfprof index traces/ -o tables && tfprof query 'SELECT op, sum(accelerator_us) AS us FROM ops GROUP BY op ORDER BY us DESC LIMIT 5' tables", "tables of many traces, and a query over them; index reads only new files when it is run again" },
    { "tfprof index traces/ -o tables --path 'job={job}/rank={rank}'", "the same; folders such as job=llm/rank=3 tell the job and rank of a trace" },
    { "tfprof index traces/ -o tables --retry --fail-over 1%", "once more, with the files that failed; status 5 when over 1% of them fail" },
    { "tfprof trend tables", "the lasting changes of each job" },
    { "tfprof trend tables --job 'llm.*' --min-change 5%", "of some jobs, over 5%" },
    { "tfprof trend /lake/traces --since 2026-11-24 --fail-on regressed", "jobs and operations that got slower since then; status 5 when there are some" },
    { "tfprof top", "all jobs of this machine, refreshed; q ends it" },
    { "tfprof top --once -format json", "the same once, for a script" },
    { "tfprof top --agent node7:9401,node8:9401", "the jobs of two other machines" },
    { "tfprof capture --attach train.py -o rec", "records a running job into the folder rec" },
    { "tfprof capture --attach 4711 --steps 5", "five steps of a process" },
    { "tfprof capture tpu-host:6009", "a profiler server of TensorFlow or JAX" },
    { "tfprof capture http://localhost:30000 -o /tmp/sglang --steps 10", "ten forward passes of SGLang, by its own profiler" },
    { "tfprof stacks train.py", "where a job spends its time, sampled for five seconds" },
    { "tfprof stacks 4711 --once", "the stack of each thread now" },
    { "tfprof stacks 4711 --native -output folded:outfile=stacks.folded", "C functions, too, for a flame graph" },
    { "tfprof watch train.py -o store", "watches a job until it ends: ranks that are late or hang, at which line" },
    { "tfprof watch --show store --table watch_findings", "what was found so far" },
    { "tfprof watch --show store --table watch_steps", "the steps of each rank" },
    { "tfprof run -- python train.py", "starts a job that can be recorded while it runs" },
    { "tfprof run --cuda --dir rec -- ./train", "records what CUDA does in a program of any language" },
    { "tfprof run --on-signal USR2 -- python serve.py", "records when it gets the signal" },
    { "tfprof agent --metrics 127.0.0.1:9464", "metrics of running jobs for Prometheus" },
    { "tfprof agent --otlp http://collector:4318", "the same for a collector of OpenTelemetry" },
    { "tfprof agent --listen 0.0.0.0:9401 --token-file token", "tfprof on other machines sees and records the jobs of this one" },
    { "tfprof serve logs/ --open", "all profiles below logs/ as pages in the browser" },
    { "tfprof serve logs/ src/", "with the text of the lines of code, from src/" },
    { "tfprof serve --live", "running jobs, too" },
    { "tfprof mcp logs/", "a coding assistant asks about the profiles below logs/" },
    { "tfprof mcp .", "the same below the current folder" },
    { "echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}' | tfprof mcp logs/", "the tools that it gets" },
    { "tfprof report trace.json.gz -o report.html", "the pages as one file" },
    { "tfprof report trace.json.gz -step 3 -o step.html", "one step" },
    { "tfprof report old.json.gz new.json.gz -o compared.html", "two recordings and their comparison" },
    { "tfprof timeline trace.json.gz -o timeline.json", "a timeline for Perfetto" },
    { "tfprof timeline trace.json.gz -step 3 -o step.json", "one step" },
    { "tfprof timeline trace.json.gz -o trace.pftrace", "in Perfetto's own format" },
    { "tfprof convert trace.json.gz -o trace.tfprof", "a trace as a file that opens at once" },
    { "tfprof convert graph.pb run_meta_0 -o model.tfprof", "several files as one" },
    { "tfprof convert trace.json.gz -o calls.speedscope.json", "its calls for speedscope.app" },
    { "tfprof profile_100", "the prompt" },
    { NULL, NULL },
};
/* clang-format on */

void cli_list_examples(cli *c)
{
    cli_heading(c, "Examples");
    for (const cli_example *e = cli_examples; e->command; e++) cli_print(c->out, "  # %s\n  %s\n", e->help, e->command);
}

void cli_list_statuses(cli *c)
{
    char number[16];
    cli_heading(c, "Exit status");
    for (const cli_status_text *s = cli_statuses; s->help; s++) {
        snprintf(number, sizeof number, "%d", s->status);
        cli_row(c, number, s->help);
    }
}

void cli_list_own_examples(cli *c, const char *command)
{
    char begin[CLI_NAME_MAX + 16];
    bool first = true;
    size_t n = (size_t)snprintf(begin, sizeof begin, "tfprof %s", command);
    for (const cli_example *e = cli_examples; e->command && !c->session; e++) {
        const char *at = n < sizeof begin ? strstr(e->command, begin) : NULL;
        if (!at || !strchr(" ", at[n])) continue;
        cli_print(c->out, "%s  # %s\n  %s\n", first ? "\n" : "", e->help, e->command);
        first = false;
    }
}
