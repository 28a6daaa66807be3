// SPDX-License-Identifier: Apache-2.0
/* cli/live/top.c: the command top: running jobs, once as a table of any format, or refreshed in a terminal. */
#include "jobs.h"

#include <string.h>
#include <unistd.h>

/* ---- the table ---- */

static void print_table(cli *c, const tfp_report *r, size_t width, size_t height)
{
    char line[CLI_JOB_LINE];
    int widths[CLI_JOB_COLUMNS] = { 0 };
    for (size_t row = 0; row < tfp_report_row_count(r); row++) cli_job_measure(widths, r, row);
    cli_job_fit(widths, width);
    for (size_t row = 0; row <= tfp_report_row_count(r) && (!height || row < height); row++) {
        *line = '\0';
        if (row)
            cli_job_cells(line, widths, r, row - 1);
        else
            cli_job_heads(line, widths);
        cli_job_print(c->out, line, width);
    }
    if (!tfp_report_row_count(r)) cli_print(c->out, "%s", cli_no_jobs);
}

/* ---- samples ---- */

static int sample(cli *c, tfp_live *l)
{
    tfp_status s = tfp_live_sample(l, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

static int show_once(cli *c, tfp_live *l, double interval, tfp_options *o, bool to_file)
{
    tfp_report *r = NULL;
    int status = sample(c, l);
    if (status) return status;
    cli_job_wait(interval, false);
    if (cli_interrupted) return cli_fault_set(&c->fault, CLI_STOPPED, "interrupted");
    status = sample(c, l);
    if (status) return status;
    tfp_status s = tfp_live_top(l, o, &r, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    const char *note;
    if (cli_option_begins(o, "format", "text") && cli_option_begins(o, "output", "stdout") && !to_file) {
        print_table(c, r, (size_t)c->screen, 0);
        for (size_t i = 0; (note = tfp_report_note(r, i)); i++) cli_tell_remark(c, note);
        tfp_report_free(r);
        return 0;
    }
    return cli_put_live(c, r, o);
}

/* ---- a table that is refreshed ---- */

static const struct {
    char key;
    const char *column, *help;
} sorts[] = { { 'c', "cpu", "CPU" }, { 'm', "rss_bytes", "memory" }, { 's', "steps_per_second", "steps" },
              { 'g', "gpu", "GPU" }, { 'a', "age_micros", "age" },   { 'p', "pid", "pid" } };

typedef struct screen {
    double interval;
    size_t chosen; /* number of the chosen row */
    bool details;
    char job[64], pid[24], method[32]; /* of the chosen row: columns job, pid and capture; "": none */
    char asked[64], asked_method[32];  /* the job and method that the question on the screen is about */
    char line[1024];                   /* a question or a result, shown until a key is pressed */
} screen;

static void put_number(const tfp_report *r, size_t row, const char *column, char *out, size_t room)
{
    int64_t n = 0;
    tfp_report_int(r, row, column, &n);
    snprintf(out, room, "%lld", (long long)n);
}

/* Keeps the chosen job chosen while rows move; when it has ended, the next job in its row is chosen. */
static void choose(const tfp_report *r, screen *v)
{
    char job[64];
    size_t count = tfp_report_row_count(r);
    for (size_t row = 0; row < count && *v->job; row++) {
        tfp_report_string(r, row, "job", job, sizeof job);
        if (strcmp(job, v->job) == 0) v->chosen = row;
    }
    if (v->chosen >= count) v->chosen = count ? count - 1 : 0;
    *v->job = *v->pid = *v->method = '\0';
    if (!count) return;
    put_number(r, v->chosen, "pid", v->pid, sizeof v->pid);
    tfp_report_string(r, v->chosen, "job", v->job, sizeof v->job);
    tfp_report_string(r, v->chosen, "capture", v->method, sizeof v->method);
}

static void print_head(cli *c, const screen *v, const char *keys, size_t width)
{
    char line[8192];
    snprintf(line, sizeof line, "%s", *v->line ? v->line : keys);
    cli_print(c->out, "\033[H\033[J");
    cli_job_print(c->out, line, width);
}

static int draw(cli *c, tfp_live *l, screen *v)
{
    char line[256];
    cli_size size = cli_terminal_size(STDOUT_FILENO);
    tfp_report *r = NULL;
    tfp_status s = tfp_live_top(l, NULL, &r, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    size_t count = tfp_report_row_count(r);
    choose(r, v);
    size_t n = (size_t)snprintf(line, sizeof line, "%zu job%s, %gs  j k: %s  d details  r record  q quit  sort:", count,
                                count == 1 ? "" : "s", v->interval, *v->pid ? v->pid : "none");
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts && n + 32 < sizeof line; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, " %c %s", sorts[i].key, sorts[i].help);
    print_head(c, v, line, (size_t)size.columns);
    print_table(c, r, (size_t)size.columns, (size_t)size.rows - 2u);
    tfp_report_free(r);
    return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
}

/* Shows the chosen job: its facts, then its threads with their Python stacks, as far as the screen allows. */
static int draw_details(cli *c, tfp_live *l, screen *v)
{
    static const char *const facts[] = { "job",     "framework", "version", "state",
                                         "capture", "container", "why",     "command" };
    cli_size size = cli_terminal_size(STDOUT_FILENO);
    tfp_report *r = NULL;
    char line[8192], cell[4200];
    size_t rows = sizeof facts / sizeof *facts + 2;
    tfp_status s = tfp_live_top(l, NULL, &r, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    choose(r, v);
    if (!*v->pid) {
        tfp_report_free(r);
        v->details = false;
        return draw(c, l, v);
    }
    snprintf(line, sizeof line, "process %s   d back   r record   q quit", v->pid);
    print_head(c, v, line, (size_t)size.columns);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        tfp_report_string(r, v->chosen, facts[i], cell, sizeof cell);
        snprintf(line, sizeof line, "%-10s %s", facts[i], *cell ? cell : "-");
        cli_job_print(c->out, line, (size_t)size.columns);
    }
    tfp_report_free(r);
    r = NULL;
    tfp_live_set(l, "once", NULL, NULL);
    if (tfp_live_stacks(l, v->pid, NULL, NULL, NULL, &r, c->err)) {
        snprintf(line, sizeof line, "stacks     %s", tfp_error_message(c->err));
        cli_job_print(c->out, line, (size_t)size.columns);
        return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
    }
    for (size_t row = 0; row < tfp_report_row_count(r) && rows < (size_t)size.rows; row++, rows++) {
        char tid[24], state[24], thread[24];
        int64_t depth = 0;
        tfp_report_int(r, row, "depth", &depth);
        tfp_report_string(r, row, "name", cell, sizeof cell);
        if (depth == 0 && rows + 1 < (size_t)size.rows) {
            put_number(r, row, "tid", tid, sizeof tid);
            tfp_report_string(r, row, "thread", thread, sizeof thread);
            tfp_report_string(r, row, "state", state, sizeof state);
            snprintf(line, sizeof line, "%-10s %s %s", tid, thread, state);
            cli_job_print(c->out, line, (size_t)size.columns);
            rows++;
        }
        snprintf(line, sizeof line, "    %s", cell);
        cli_job_print(c->out, line, (size_t)size.columns);
    }
    tfp_report_free(r);
    return cli_flush(c->out) ? cli_stdout_fault(c) : 0;
}

/* Takes the answer to the question whether to record: anything but y means no. */
static int answer(cli *c, tfp_live *l, screen *v, int key)
{
    char job[sizeof v->asked];
    snprintf(job, sizeof job, "%s", v->asked);
    *v->asked = '\0';
    if (key != 'y') return 0;
    snprintf(v->line, sizeof v->line, "process %s is being recorded ...   ^C ends it", v->pid);
    int status = sample(c, l);
    if (status) return status;
    status = v->details ? draw_details(c, l, v) : draw(c, l, v);
    if (status) return status;
    if (strcmp(job, v->job) == 0 && strcmp(v->method, v->asked_method) == 0)
        cli_record(c, v->pid, v->method, v->line, sizeof v->line);
    else
        snprintf(v->line, sizeof v->line,
                 "nothing is recorded: the job has ended, or the method to record it has changed");
    return 0;
}

static int act_on_key(cli *c, tfp_live *l, screen *v, int key)
{
    if (!key) return 0;
    *v->line = '\0';
    if (*v->asked) return answer(c, l, v, key);
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (key == sorts[i].key) tfp_live_set(l, "sort", sorts[i].column, NULL);
    if ((key == 'j' || key == 'k') && !v->details) {
        if (key == 'j') v->chosen++;
        if (key == 'k' && v->chosen) v->chosen--;
        *v->job = '\0';
    }
    if (key == 'd' || key == '\n') v->details = !v->details && *v->pid;
    if (key == 'r' && *v->pid && cli_record_question(v->pid, v->method, v->line, sizeof v->line)) {
        snprintf(v->asked, sizeof v->asked, "%s", v->job);
        snprintf(v->asked_method, sizeof v->asked_method, "%s", v->method);
    }
    return 0;
}

typedef struct watched {
    cli *c;
    tfp_live *l;
    screen v;
} watched;

static int show(void *ctx, int key)
{
    watched *w = ctx;
    int status = act_on_key(w->c, w->l, &w->v, key);
    if (!status) status = sample(w->c, w->l);
    if (status) return status;
    return w->v.details ? draw_details(w->c, w->l, &w->v) : draw(w->c, w->l, &w->v);
}

/* ---- the command ---- */

static int settings(cli *c, const cli_call *call, tfp_live *l)
{
    tfp_status s = cli_live_set(l, call, c->err);
    for (size_t i = 0; i < call->word_count && !s; i++) s = tfp_live_select(l, call->words[i], c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

int cli_top(cli *c, const cli_call *call, tfp_options *o)
{
    double interval;
    int status = cli_job_interval(c, call, &interval);
    if (status) return status;
    if (call->flags[CLI_AGENT]) return cli_remote_top(c, call, o, interval);
    tfp_live *l = tfp_live_new();
    if (!l) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    status = settings(c, call, l);
    bool to_file = call->flags[CLI_O] && strcmp(call->flags[CLI_O], "-") != 0;
    watched w = { c, l, { .interval = interval } };
    bool once = call->flags[CLI_ONCE] || call->flags[CLI_O] || !isatty(STDOUT_FILENO) ||
                !cli_option_begins(o, "format", "text");
    if (!status && once) tfp_live_set(l, "all_threads", NULL, NULL);
    if (!status) status = once ? show_once(c, l, interval, o, to_file) : cli_job_screen(c, interval, show, &w);
    tfp_live_free(l);
    return status;
}
