// SPDX-License-Identifier: Apache-2.0
/* cli/examples.c: the parts of help that are tables of this program: examples of commands, and exit statuses. */
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
    { "tfprof summary trace.json.gz", "where a step goes, and what could be better" },
    { "tfprof scope profile_100 -select params,micros -max_depth 4", "parameters and time by name scope" },
    { "tfprof graph profile_100 -step 100 -output timeline:outfile=/tmp/t", "a timeline for chrome://tracing" },
    { "tfprof op trace.json.gz -order_by micros -top 10", "the most expensive operation types" },
    { "tfprof op --graph_path=graph.pbtxt --run_meta_path=run_0,run_1 -order_by micros", "the same for TensorFlow's files" },
    { "tfprof code trace.json.gz -min_micros 1ms", "from the script down to the lines that take a millisecond and more" },
    { "tfprof lines trace.json.gz -top 10", "the most expensive lines of your own code" },
    { "tfprof flops trace.json.gz -peak_flops 19.5T", "float operations, and how near they are to what the device can do" },
    { "tfprof params saved_model", "the variables of a SavedModel, by block" },
    { "tfprof memory trace.json.gz -by line", "which lines held the memory at its peak" },
    { "tfprof calls trace.json.gz -select micros,occurrence -max_depth 5", "what called what" },
    { "tfprof kernel trace.json.gz -order_by count -top 20", "the kernels that run most often" },
    { "tfprof steps trace.json.gz -critical_path", "what the steps had to wait for" },
    { "tfprof transfer run_of_ranks/ -by collective", "for which rank the others waited" },
    { "tfprof wait trace.json.gz -step 3", "what step 3 waited for" },
    { "tfprof advise profile_100 --fail-on ExpensiveOperationChecker", "advice; status 5 when that checker finds something" },
    { "tfprof diff old.json.gz new.json.gz -min_size 1ms", "what became slower or faster by operation" },
    { "tfprof diff --gate 5% --base old*.json.gz --new new*.json.gz", "in CI: fail when the new runs are slower, beyond their noise" },
    { "tfprof stats trace.json.gz -view op -top 10", "mean, spread and percentiles over the steps" },
    { "tfprof query 'SELECT name, count(*) AS n FROM spans GROUP BY name ORDER BY n DESC LIMIT 5' trace.json.gz", "the most frequent spans" },
    { "tfprof index traces/ -o tables && tfprof query 'SELECT op, sum(accelerator_us) AS us FROM ops GROUP BY op ORDER BY us DESC LIMIT 5' tables", "tables of many traces, and a query over them; index reads only new files when it is run again" },
    { "tfprof index traces/ -o tables --path 'job={job}/rank={rank}'", "the same; folders such as job=llm/rank=3 tell the job and rank of a trace" },
    { "tfprof trend /lake/traces --since 2026-11-24 --fail-on regressed", "jobs and operations that got slower since then; status 5 when there are some" },
    { "tfprof capture --attach train.py -o rec", "records a running job into the folder rec" },
    { "tfprof run -- python train.py", "starts a job that can be recorded while it runs" },
    { "tfprof run --cuda --dir rec -- ./train", "records what CUDA does in a program of any language" },
    { "tfprof serve logs/ --open", "all profiles below logs/ as pages in the browser" },
    { "tfprof report trace.json.gz -o report.html", "the pages as one file" },
    { "tfprof timeline trace.json.gz -o timeline.json", "a timeline for Perfetto" },
    { "tfprof convert graph.pb run_meta_0 -o model.tfprof", "several files as one that opens at once" },
    { "tfprof profile_100", "the prompt" },
    { NULL, NULL },
};
/* clang-format on */

/* For people who typed the program's name alone. */
void cli_help_start(cli *c)
{
    cli_heading(c, "Start with one of these");
    cli_row(c, "tfprof info FILE", "what is in a trace, profile, graph or checkpoint, and what can be asked");
    cli_row(c, "tfprof summary FILE", "where its steps go, and what could be better");
    cli_row(c, "tfprof serve FOLDER", "the profiles in a folder as pages in the browser");
    cli_row(c, "tfprof top", "the running jobs of this machine");
    cli_row(c, "tfprof help", "all commands; `tfprof help COMMAND` explains one, with examples");
}

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
    size_t n = (size_t)snprintf(begin, sizeof begin, "tfprof %s ", command);
    for (const cli_example *e = cli_examples; e->command && !c->session; e++)
        if (n < sizeof begin && strstr(e->command, begin)) cli_print(c->out, "\n  # %s\n  %s\n", e->help, e->command);
}
