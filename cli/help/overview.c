// SPDX-License-Identifier: Apache-2.0
/* cli/help/overview.c: the commands by subject. `tfprof help` shows a few lines of each subject on one screen; `tfprof help all` and
 * `help commands` explain every command of it. */
#include "help/rows.h"

#include <string.h>

enum { SUBJECT_LINES = 6, COMMAND_WIDTH = 32 };

/* clang-format off */
static const struct {
    const char *title;
    struct { const char *command, *answer; } lines[SUBJECT_LINES]; /* ended by a NULL command if there are fewer */
    const char *commands; /* every command of the subject, separated by blanks */
} subjects[] = {
    { "Look at a recording",
      { { "tfprof summary FILE", "where a step goes, and what could be better" },
        { "tfprof op FILE", "time by op; also kernel, scope, lines, memory" },
        { "tfprof steps FILE", "what each step does; also wait, transfer" },
        { "tfprof limits FILE", "how far from what the device can do, and why" },
        { "tfprof whatif FILE", "how long a step would be after a change" },
        { "tfprof serve FILE...", "all of it in the browser" } },
      "info summary scope graph op code lines memory calls kernel steps transfer wait limits triage check whatif advise serve report timeline convert" },
    { "Compare",
      { { "tfprof diff OLD NEW", "what became slower; --gate 5% for CI" },
        { "tfprof stats FILE", "mean, spread and percentiles over the steps" } },
      "diff gate stats" },
    { "Record a running job",
      { { "tfprof capture --attach train.py", "its trace, without a change in the job" },
        { "tfprof stacks train.py", "the functions in which it spends its time now" },
        { "tfprof run -- python train.py", "start a job that can be captured later" } },
      "capture stacks run" },
    { "Watch jobs",
      { { "tfprof top", "steps a second, CPU, GPU, memory of jobs" },
        { "tfprof hang train.py", "which rank keeps a job waiting" },
        { "tfprof watch train.py -o DIR", "which one drags the others, all the time" },
        { "tfprof agent --metrics", "the same for Prometheus and others" } },
      "top hang watch agent" },
    { "Count a model without running it",
      { { "tfprof flops MODEL", "float operations and multiply-adds, by layer" },
        { "tfprof params MODEL", "parameters of a model or checkpoint, by block" } },
      "flops params" },
    { "Many recordings",
      { { "tfprof index DIR -o OUT", "tables of many traces, as Parquet files" },
        { "tfprof query \"SELECT ...\" OUT", "SQL over them, or over the tables of one FILE" } },
      "index trend query" },
};

/* Commands about the program itself. */
static const char program_commands[] = "mcp open set unset help version completion quit";
/* clang-format on */

/* Shows the commands of a subject that work here, each with its help. */
static void explain(cli *c, const char *title, const char *commands)
{
    char name[CLI_NAME_MAX + 1];
    bool any = false;
    for (size_t n; *commands; commands += n + (commands[n] == ' ')) {
        n = strcspn(commands, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, commands);
        const char *full;
        const cli_command *k = cli_command_find(name, &full);
        if (!k || (c->session && !(k->where & CLI_IN_PROMPT))) continue;
        if (!any) cli_heading(c, title);
        any = true;
        cli_row(c, name, k->help ? k->help : tfp_help(TFP_VIEWS, name));
    }
}

void help_explain_commands(cli *c)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) explain(c, subjects[i].title, subjects[i].commands);
    explain(c, "The program", program_commands);
}

void help_show_subjects(cli *c)
{
    enum { ANSWER_AT = 2 + COMMAND_WIDTH + 1 };
    char text[120];
    snprintf(text, sizeof text, "tfprof %s: where a model's time, memory, parameters and float operations go",
             tfp_version());
    help_wrapped(c, text, 0, 0);
    cli_print(c->out, "\n");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        cli_title(c, subjects[i].title);
        for (size_t k = 0; k < SUBJECT_LINES && subjects[i].lines[k].command; k++) {
            cli_print(c->out, "  %-*s ", COMMAND_WIDTH, subjects[i].lines[k].command);
            help_wrapped(c, subjects[i].lines[k].answer, ANSWER_AT, ANSWER_AT);
        }
    }
    cli_print(c->out, "\n");
    help_wrapped(c, "FILE: a recording of PyTorch, TensorFlow, JAX, Nsight, ROCm, Perfetto ..., or its folder.", 0, 0);
    help_wrapped(c, "`tfprof VERB --help` explains a command, `tfprof help all` everything.", 0, 0);
}

/* ---- everything: help all ---- */

static void list_flags(cli *c)
{
    char shown[2 * CLI_NAME_MAX];
    const char *format;
    cli_heading(c, "Input (plain FILE words are known by their content)");
    for (size_t i = 0; i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++) {
        snprintf(shown, sizeof shown, "--%s_path F%s", format,
                 tfp_format_is(format, TFP_FORMAT_SEVERAL) ? ",F..." : "");
        cli_row(c, shown, tfp_help(TFP_FORMATS, format));
    }
    cli_heading(c, "Program");
    for (int i = 0; i < CLI_FLAG_COUNT; i++) {
        if (cli_flags[i].verb) continue;
        help_flag_name(&cli_flags[i], shown, sizeof shown);
        cli_row(c, shown, cli_flags[i].help);
    }
}

/* `help COMMAND` explains them. Those of commands that the prompt lacks stand in the shell's overview only. */
static void list_single_options(cli *c)
{
    char shown[2 * CLI_NAME_MAX];
    help_names row = { c, 0 };
    cli_heading(c, c->session ? "Options of single commands (help COMMAND)"
                              : "Options of single commands (tfprof help COMMAND)");
    help_add_names(&row, TFP_COMMAND_OPTIONS, "-");
    for (int i = 0; i < CLI_FLAG_COUNT && !c->session; i++) {
        if (!cli_flags[i].verb) continue;
        help_flag_name(&cli_flags[i], shown, sizeof shown);
        help_add_name(&row, shown, strcspn(shown, " "));
    }
    cli_print(c->out, "\n");
}

/* A form of the command line with its explanation beside or below it. */
static void synopsis(cli *c, const char *form, const char *text)
{
    enum { BEHIND = 45, BELOW = 6 };
    size_t n = 2 + strlen(form), at = n < BEHIND && BEHIND + strlen(text) <= help_width(c) ? BEHIND : BELOW;
    cli_print(c->out, "  %s", form);
    if (*text) cli_print(c->out, at == BEHIND ? "%*s" : "\n%*s", (int)(at == BEHIND ? at - n : at), "");
    help_wrapped(c, text, at, at);
}

void help_overview(cli *c)
{
    const char *program = c->session ? "" : "tfprof ";
    char text[640];
    snprintf(text, sizeof text, "tfprof %s: where a model's parameters, float operations, memory and time go",
             tfp_version());
    help_wrapped(c, text, 0, 0);
    cli_print(c->out, "\n");
    if (c->session) {
        synopsis(c, "VERB [-option value ...]", "an empty line lists the options in force");
    } else {
        synopsis(c, "tfprof VERB [FILE...] [-option value ...]", "");
        synopsis(c, "tfprof [FILE...] [-option value ...]", "the prompt, or commands from stdin");
    }
    help_explain_commands(c);
    if (!c->session) list_flags(c);
    cli_heading(c, "Options (-opt value, --opt value, -opt=value, --opt=value)");
    help_list_names(c, TFP_OPTIONS, "-");
    list_single_options(c);
    cli_heading(c, "Columns (-select)");
    help_list_names(c, TFP_COLUMNS, "");
    cli_print(c->out, "\n");
    snprintf(
        text, sizeof text,
        "`%shelp NAME` explains any of these; `%shelp options`, `columns`, `orders`, `outputs`, `formats`, "
        "`checkers`, `ops`, `status` and `examples` explain all of a kind; `%shelp licences` "
        "prints the licences, `%shelp agents` a skill file for assistants, `%shelp schema [NAME]` the JSON Schema of "
        "what programs read.",
        program, program, program, program, program);
    help_wrapped(c, text, 0, 0);
}
