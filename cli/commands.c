// SPDX-License-Identifier: Apache-2.0
/* cli/commands.c: the commands. The views of the library are commands by themselves; every other
 * command is a row here: name, usage, help, where it works, its function. `help` prints the rows. */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Sets the fault if writing to stdout failed. */
int cli_stdout_fault(cli *c)
{
    if (cli_interrupted) return cli_fault_set(&c->fault, CLI_STOPPED, "interrupted");
    if (c->out->gone) return cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "stdout: the reader went away");
    return cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "stdout: %s", strerror(c->out->error));
}

bool cli_option_begins(const tfp_options *o, const char *name, const char *begin)
{
    const char *value = tfp_options_get(o, name);
    return value && strncmp(value, begin, strlen(begin)) == 0;
}

/* With -compat tensorflow a one-shot advise begins with the lines that TensorFlow's tool prints while it loads: scripts
 * compare the whole output. */
static void print_loading_lines(cli *c, const cli_call *call, const tfp_options *o)
{
    if (c->session || !(tfp_view_traits(call->name) & TFP_VIEW_FINDINGS) || !cli_option_begins(o, "format", "text") ||
        !cli_option_begins(o, "compat", "tensorflow") || !cli_option_begins(o, "output", "stdout"))
        return;
    cli_print(c->out, "Reading Files...\n");
    const char *format;
    bool parts = false;
    for (size_t i = 0; i < CLI_FORMAT_MAX && (format = tfp_list(TFP_FORMATS, i)); i++)
        parts |= call->paths[i] && !tfp_format_is(format, TFP_FORMAT_WHOLE) &&
                 !tfp_format_is(format, TFP_FORMAT_BESIDE_WHOLE);
    if (!parts) return;
    cli_print(c->out, "Try to use a single --profile_path instead of graph_path,op_log_path,run_meta_path\n");
    for (size_t i = 0; tfp_profile_coverage(c->profile, i) >= 0; i++)
        cli_print(c->out, "run graph coverage: %.2f\n", tfp_profile_coverage(c->profile, i));
}

/* Binary output could put a terminal into any state. */
static int refuse_binary_at_terminal(cli *c, const tfp_options *o)
{
    static const char *const binary[] = { "arrow", "parquet" };
    bool shown = cli_option_begins(o, "output", "stdout") && !c->take && !c->out->to && isatty(STDOUT_FILENO);
    for (size_t i = 0; shown && i < sizeof binary / sizeof *binary; i++)
        if (cli_option_begins(o, "format", binary[i]))
            return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                                 "-format %s is no text for a terminal: add > FILE, or -output file:outfile=FILE",
                                 binary[i]);
    return 0;
}

static int run_view(cli *c, const cli_call *call, tfp_options *o)
{
    int steps = cli_take_steps(c, call, o);
    if (!steps) steps = refuse_binary_at_terminal(c, o);
    if (steps) return steps;
    if (tfp_view_takes_sound(call->name) && cli_hang_is_live(call)) return cli_hang_live(c, call, o);
    const char *fail_on = call->flags[CLI_FAIL_ON], *note;
    unsigned keep = tfp_view_keep(call->name, o);
    int status = fail_on ? cli_check_fail_on(c, call->name, fail_on, o) : 0;
    if (status) return status;
    c->one_report = o;
    status = tfp_view_takes_sound(call->name) ? cli_load_dumps(c, call, keep) : cli_load(c, call, keep);
    c->one_report = NULL;
    if (status) return status;
    tfp_report *r = NULL;
    size_t before = c->out->size;
    if (c->take) {
        tfp_status built = tfp_report_build(c->profile, call->name, o, &r, c->err);
        return built ? cli_fault_from(&c->fault, built, c->err) : cli_put(c, r, o);
    }
    print_loading_lines(c, call, o);
    tfp_status s = tfp_show(c->profile, call->name, o, cli_write, c->out, &r, c->err);
    if (s) {
        if (c->out->size > before) c->out->size = before; /* there is no report, so the lines before it are removed */
        return c->out->error || cli_interrupted ? cli_stdout_fault(c) : cli_fault_from(&c->fault, s, c->err);
    }
    /* notes of findings are remarks about checkers that found nothing; those of other views are warnings about numbers */
    bool remarks = tfp_view_traits(call->name) & TFP_VIEW_FINDINGS;
    for (size_t i = 0; !cli_says_notes(r, o) && (note = tfp_report_note(r, i)); i++)
        if (remarks || tfp_report_note_is_remark(r, i))
            cli_tell_remark(c, note);
        else
            cli_tell_note(c, note);
    if (fail_on) status = cli_findings(c, fail_on, r);
    tfp_report_free(r);
    return status;
}

/* Chooses the view for a timeline: for a trace the recorded calls; for executions the graph of one step, by default
 * the last. */
static tfp_status choose_timeline(cli *c, const cli_call *call, tfp_options *o, const char **view)
{
    char step[24];
    size_t steps = tfp_profile_step_count(c->profile);
    bool chosen = false, deep = false;
    *view = tfp_profile_has(c->profile, TFP_HAS_TRACE) ? "calls" : "graph";
    for (size_t i = 0; i < call->option_count; i++) {
        chosen |= strcmp(call->options[i].name, "step") == 0;
        deep |= strcmp(call->options[i].name, "max_depth") == 0;
    }
    tfp_status s = deep ? TFP_OK : tfp_options_set(o, "max_depth", "100000", c->err);
    if (s || chosen || !(tfp_view_traits(*view) & TFP_VIEW_TIMELINE_OF_STEP) || !steps) return s;
    snprintf(step, sizeof step, "%lld", (long long)tfp_profile_step(c->profile, steps - 1));
    if (steps > 1) cli_tell_remark(c, "the profile has several steps: this is the last one; -step N chooses another");
    return tfp_options_set(o, "step", step, c->err);
}

/* Writes the recorded run in a form for other programs. Sampled stacks are not a run, so only their calls are written.
 * */
static int write_run(cli *c, const cli_call *call, tfp_options *o, const char *form)
{
    const char *path = call->flags[CLI_O], *view;
    bool flames = strcmp(form, "folded") == 0 || strcmp(form, "speedscope") == 0;
    int status = cli_take_steps(c, call, o);
    if (status || (status = cli_load(c, call, TFP_KEEP_ALL))) return status;
    bool calls = tfp_profile_has(c->profile, TFP_HAS_TRACE) || (flames && tfp_profile_has(c->profile, TFP_HAS_STACKS));
    if (!calls && !tfp_profile_step_count(c->profile))
        return cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: the files contain no run: add a trace or run metadata",
                             call->name);
    tfp_report *r = NULL;
    tfp_status s = choose_timeline(c, call, o, &view);
    if (flames) view = calls ? "calls" : "scope";
    if (!s) s = tfp_report_build(c->profile, view, o, &r, c->err);
    if (!s)
        s = strcmp(path, "-") == 0 ? tfp_report_write(r, form, cli_write, c->out, c->err)
                                   : tfp_report_write_file(r, form, path, c->err);
    tfp_report_free(r);
    if (s == TFP_OK) return 0;
    return c->out->error || cli_interrupted ? cli_stdout_fault(c) : cli_fault_from(&c->fault, s, c->err);
}

static int run_timeline(cli *c, const cli_call *call, tfp_options *o)
{
    const char *path = call->flags[CLI_O];
    if (!path || !*path) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "timeline needs -o FILE (- for stdout)");
    return write_run(c, call, o, cli_ends_with(path, ".pftrace") ? "perfetto" : "timeline");
}

/* The output form follows from the ending of the file's name. */
static int run_convert(cli *c, const cli_call *call, tfp_options *o)
{
    static const char *const forms[][2] = { { ".pftrace", "perfetto" },
                                            { ".folded", "folded" },
                                            { ".speedscope.json", "speedscope" } };
    const char *path = call->flags[CLI_O];
    if (!path || !*path) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "convert needs -o FILE (- for stdout)");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (cli_ends_with(path, forms[i][0])) return write_run(c, call, o, forms[i][1]);
    bool tables = cli_ends_with(path, ".tfprof"), to_stdout = strcmp(path, "-") == 0;
    int status = cli_load(c, call, tables ? TFP_KEEP_ALL | TFP_KEEP_PROGRAM : TFP_KEEP_ALL);
    if (status) return status;
    tfp_status s = tables      ? tfp_profile_save_file(c->profile, path, c->err)
                   : to_stdout ? tfp_profile_write(c->profile, cli_write, c->out, c->err)
                               : tfp_profile_write_file(c->profile, path, c->err);
    if (s == TFP_OK && tables && tfp_profile_has(c->profile, TFP_HAS_TENSORS))
        cli_tell_remark(
            c, "values of tensors are not kept: to see them, name the checkpoint together with the converted file");
    if (s == TFP_OK) return 0;
    return c->out->error || cli_interrupted ? cli_stdout_fault(c) : cli_fault_from(&c->fault, s, c->err);
}

/* Handles `set max_depth 3`, which means `set -max_depth 3`: names and values alternate. */
static int set_words(cli *c, const cli_call *call, tfp_options *o)
{
    for (size_t i = 0; i < call->word_count; i += 2) {
        const char *name = call->words[i];
        if (!tfp_options_kind(name)) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "set: no option '%s'", name);
        if (i + 1 == call->word_count) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "set: %s needs a value", name);
        tfp_status s = tfp_options_set(o, name, call->words[i + 1], c->err);
        if (!s) s = tfp_options_check(o, call->name, c->err);
        if (s) return cli_fault_from(&c->fault, s, c->err);
    }
    return 0;
}

static int run_set(cli *c, const cli_call *call, tfp_options *o)
{
    if (call->flags[CLI_KEEP_GOING]) c->keep_going = true;
    if (!call->option_count && !call->word_count && !call->flags[CLI_KEEP_GOING]) {
        cli_list_options(c, o, true);
        return 0;
    }
    int status = set_words(c, call, o);
    if (status) return status;
    tfp_options *kept = tfp_options_copy(o);
    if (!kept) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_options_free(c->options);
    c->options = kept;
    return 0;
}

/* Resets the named options to their defaults and keeps the others. */
static int run_unset(cli *c, const cli_call *call, tfp_options *o)
{
    tfp_options *defaults = tfp_options_new();
    tfp_options *kept = tfp_options_copy(call->word_count ? o : defaults);
    int status = defaults && kept ? 0 : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    for (size_t i = 0; i < call->word_count && !status; i++) {
        const char *name = call->words[i] + strspn(call->words[i], "-"), *value = tfp_options_get(defaults, name);
        if (!tfp_options_kind(name)) {
            status = cli_fault_set(&c->fault, CLI_BAD_USAGE, "unset: no option '%s'", call->words[i]);
        } else {
            tfp_status s = tfp_options_set(kept, name, value, c->err);
            if (s) status = cli_fault_from(&c->fault, s, c->err);
        }
    }
    tfp_options_free(defaults);
    if (status) {
        tfp_options_free(kept);
        return status;
    }
    tfp_options_free(c->options);
    c->options = kept;
    return 0;
}

/* If the new files cannot be read, the present ones stay open. */
static int run_open(cli *c, const cli_call *call, tfp_options *o)
{
    (void)o;
    if (!call->word_count) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "open needs files");
    tfp_profile *before = c->profile;
    c->profile = NULL;
    int status = cli_load(c, call, TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM);
    tfp_profile_free(status ? c->profile : before);
    if (status) c->profile = before;
    return status;
}

void cli_print_version(cli *c)
{
    cli_print(c->out, "tfprof %s%s%s\n", tfp_version(), *cli_commit ? " " : "", cli_commit);
}

static int run_version(cli *c, const cli_call *call, tfp_options *o)
{
    (void)call, (void)o;
    cli_print_version(c);
    return 0;
}

static int run_quit(cli *c, const cli_call *call, tfp_options *o)
{
    (void)call, (void)o;
    c->quit = true;
    return 0;
}

/* clang-format off */
const cli_command cli_commands[] = {
    { "diff",       "A B [C...] [-option value ...]", "What differs between profiles, steps of them (A@3 A@7) or printed scope files; a side of several files is written graph.pb,run_meta.", CLI_IN_SHELL | CLI_IN_PROMPT | CLI_TAKES_WORDS, cli_diff },
    { "gate",       "calibrate RUNS... | check LIMITS RUN...", "Limits for CI from runs of one version: calibrate measures how much each number varies between them and writes (-o) the limits that one more equal run rarely exceeds; check compares a run with them, status 5 when it is over one.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_gate_limits },
    { "stats",      "FILE... [-option value ...]", "Means, spread and percentiles over the steps of a profile, for the rows of a view.", CLI_IN_SHELL | CLI_IN_PROMPT, cli_stats },
    { "query",      "SQL FILE...", "Answer SQL over the tables of one or many profiles: nodes, executions, edges ...; \"SELECT * FROM columns\" lists them. Or over a folder that tfprof index made, by duckdb.", CLI_IN_SHELL | CLI_IN_PROMPT | CLI_TAKES_WORDS | CLI_TAKES_SQL, cli_query },
    { "top",        "[PID|NAME...]", "Running jobs: the resources that each uses, its steps a second, its framework; nothing is changed in them.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_top },
    { "capture",    "PID|NAME|HOST:PORT|URL...", "Record profiles of many running jobs at once, into a folder: those that tfprof run started, others with --attach, and profiler servers. http://HOST:PORT: an inference server of SGLang, vLLM or TensorRT-LLM, by its own profiler.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_capture },
    { "stacks",     "PID|NAME", "The Python functions (with --native C functions, too) in which a running process spends its time. tfprof reads its memory and does not stop it.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_stacks },
    { "run",        "[-option value ...] -- COMMAND", "Start a command so that its jobs can be captured, and record steps of them; nothing else about it changes.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_start },
    { "watch",      "[PID|NAME...] -o DIR", "Watch running jobs all the time, without a change in them: a row for each rank and step, and findings: a rank that is late or hangs, a job that became slow, since when and at which line. tfprof watch --show, query, trend and serve take DIR.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_watch },
    { "agent",      "[PID|NAME...]", "Give the metrics of running jobs to Prometheus (--metrics) or send them to a collector (--otlp), send stacks (--pyroscope, --parca), and let tfprof of other machines see and record the jobs (--listen).", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_agent },
    { "index",      "SOURCE... -o DIR", "Make tables of many traces, as Parquet files that DuckDB, Spark and others read: runs, steps, ops, kernels ... SOURCE: files, folders, or - for paths on stdin. Files that are known are not read again. tfprof query, trend and serve take DIR.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_index },
    { "trend",      "DIR", "Which jobs and operations of an index (tfprof index) changed lastingly, and from which day on; a single bad day does not count.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_trend },
    { "serve",      "[FILE|DIR...]", "Show profiles as pages in the browser: those in the named files and folders, or in the current folder.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_serve },
    { "mcp",        "ROOT", "Answer programs by the Model Context Protocol on stdin and stdout: info, views, SQL and diff of the profiles below ROOT; nothing is written.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_mcp },
    { "report",     "FILE... -o FILE", "Write the pages that serve shows for these profiles into one file, for mails and CI; a browser opens it without a server. -step N: only that step.", CLI_IN_SHELL, cli_report },
    { "timeline",   "FILE... -o FILE", "Write what ran when as a Chrome trace, for Perfetto and chrome://tracing: of a trace all that was recorded, of RunMetadata and ProfileProto the nodes of a step. -step N: only that step. -o F.pftrace writes Perfetto's own format, with values, flows and counters; the input must be a trace.", CLI_IN_SHELL, run_timeline },
    { "convert",    "FILE... -o FILE", "Write all inputs as one file: NAME.tfprof keeps everything and is opened at once; NAME.pftrace is a trace for Perfetto, NAME.speedscope.json and NAME.folded are its calls as flame graphs; any other name, a ProfileProto, which TensorFlow's tool reads too.", CLI_IN_SHELL, run_convert },
    { "open",       "FILE...", "(At the prompt) read other files in place of those that are open.", CLI_IN_PROMPT | CLI_TAKES_WORDS, run_open },
    { "set",        "[-option value ...]", "(At the prompt) keep options for the commands that follow; alone: show all options and their values.", CLI_IN_PROMPT | CLI_TAKES_WORDS, run_set },
    { "unset",      "[OPTION...]", "(At the prompt) reset options to their defaults; alone: all options.", CLI_IN_PROMPT | CLI_TAKES_WORDS, run_unset },
    { "help",       "[NAME...]", "Explain a command, option, column, checker, input format or output; alone: an overview.", CLI_IN_SHELL | CLI_IN_PROMPT | CLI_TAKES_WORDS, cli_help },
    { "version",    "", "Show the version.", CLI_IN_SHELL | CLI_IN_PROMPT, run_version },
    { "completion", "bash|zsh|fish", "A script that completes tfprof's words in that shell.", CLI_IN_SHELL | CLI_TAKES_WORDS, cli_completion },
    { "quit",       "", "(At the prompt) end the session, as the end of the input does.", CLI_IN_PROMPT, run_quit },
    { "exit",       "", "(At the prompt) the same as quit.", CLI_IN_PROMPT | CLI_HIDDEN, run_quit },
    { NULL, NULL, NULL, 0, NULL },
};
/* clang-format on */

static const cli_command view_command = { "VIEW", "[FILE...] [-option value ...]", NULL, CLI_IN_SHELL | CLI_IN_PROMPT,
                                          run_view };
static const cli_command dumps_command = { "VIEW", "PID|NAME|DUMP... [-option value ...]", NULL,
                                           CLI_IN_SHELL | CLI_IN_PROMPT, run_view };

const cli_command *cli_command_find(const char *name, const char **full_name)
{
    for (size_t i = 0; (*full_name = tfp_list(TFP_VIEWS, i)); i++)
        if (strcmp(name, *full_name) == 0) return tfp_view_takes_sound(name) ? &dumps_command : &view_command;
    for (const cli_command *c = cli_commands; (*full_name = c->name); c++)
        if (strcmp(name, c->name) == 0) return c;
    return NULL;
}

/* TensorFlow's tool accepts an invalid show regex, which matches nothing, and prints the root. */
static bool is_show_regexes(const char *name)
{
    static const char wanted[] = "show_name_regexes";
    for (size_t i = 0; i < sizeof wanted; i++)
        if (name[i] != wanted[i] && !(name[i] == '-' && wanted[i] == '_')) return false;
    return true;
}

int cli_apply(cli *c, const cli_call *call, tfp_options *o, cli_fault *shown_anyway)
{
    shown_anyway->status = 0;
    for (size_t i = 0; i < call->option_count; i++) {
        const cli_pair *p = &call->options[i];
        tfp_status s =
            p->value || !p->values.count
                ? tfp_options_set(o, p->name, p->value, c->err)
                : tfp_options_set_list(o, p->name, (const char *const *)p->values.at, p->values.count, c->err);
        if (s == TFP_OK) s = tfp_options_check(o, call->name, c->err);
        if (s == TFP_OK) continue;
        cli_fault_from(&c->fault, s, c->err);
        if (s == TFP_BADARG && p->value) cli_hint_value(c, p->name, p->value);
        if (s != TFP_BADARG || !call->command || call->command->run != run_view || !is_show_regexes(p->name))
            return c->fault.status;
        *shown_anyway = c->fault;
    }
    return 0;
}

/* For a command that shows a report, -o FILE is the same as -dump_to_file. */
static int take_file(cli *c, const cli_call *call, tfp_options *o)
{
    const char *path = call->flags[CLI_O];
    bool own = call->command && (call->command->run == run_convert || call->command->run == run_timeline ||
                                 call->command->run == cli_report || call->command->run == cli_capture ||
                                 call->command->run == cli_index || call->command->run == cli_gate_limits ||
                                 call->command->run == cli_watch);
    if (!path || own || call->flags[CLI_HELP]) return 0;
    bool shows = call->command &&
                 (call->command->run == run_view || call->command->run == cli_stats || call->command->run == cli_diff ||
                  call->command->run == cli_query || call->command->run == cli_top || call->command->run == cli_stacks);
    if (!shows)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "option -o: the command %s writes no report", call->name);
    if (!*path) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "option -o needs a file's name");
    if (strcmp(path, "-") == 0) return 0;
    tfp_status s = tfp_options_set(o, "dump_to_file", path, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

/* At a terminal, reports and help fit its width, and go through a pager if they are long. */
static bool start_screen(cli *c, const cli_call *call, tfp_options *o)
{
    int (*run)(cli *, const cli_call *, tfp_options *) = call->command ? call->command->run : cli_help;
    bool shows = run == run_view || run == cli_stats || run == cli_diff || run == cli_query || run == cli_stacks;
    c->screen = cli_screen(c);
    if (shows && c->screen && !call->flags[CLI_O])
        tfp_options_screen(o, c->screen, cli_coloured(c->colour, STDOUT_FILENO));
    return (shows || run == cli_help || call->flags[CLI_HELP]) && cli_pager_start(c, call);
}

int cli_run(cli *c, const cli_call *call)
{
    cli_fault shown_anyway = { 0 };
    tfp_options *o = tfp_options_copy(c->options);
    int status = o ? cli_apply(c, call, o, &shown_anyway) : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if (!status) status = take_file(c, call, o);
    if (!status && c->page) status = cli_page_refuses(c, call, o);
    const char *wanted = call->flags[CLI_PAGER];
    if (!status && wanted && strcmp(wanted, "auto") != 0 && strcmp(wanted, "always") != 0 &&
        strcmp(wanted, "never") != 0)
        status =
            cli_fault_set(&c->fault, CLI_BAD_USAGE, "option --pager must be auto, always or never, not '%s'", wanted);
    if (!status) {
        *c->fault.text = '\0';
        bool help = call->flags[CLI_HELP] != NULL, paged = start_screen(c, call, o);
        status = help ? cli_help(c, call, o) : call->command->run(c, call, o);
        if (paged) cli_pager_end(c);
    }
    tfp_options_free(o);
    if (!status && cli_flush(c->out)) status = cli_stdout_fault(c);
    /* Reports the last fault in one line. When the reader of a pipe is gone the program ends quietly. */
    if (status && *c->fault.text && !c->out->gone) {
        cli_hint(c, call);
        cli_tell(c, c->fault.text);
    }
    if (status || !shown_anyway.status) return status;
    cli_tell(c, shown_anyway.text);
    return shown_anyway.status;
}
