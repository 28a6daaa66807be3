// SPDX-License-Identifier: Apache-2.0
/* cli/live/remote_top.c: top --agent and hang --agent: jobs of other machines, or their ranks, in one table. A thread asks each agent. After two
 * seconds, or at the next refresh, the answers received so far are shown, without the agents that have not answered. */
#include "http/clock.h"
#include "jobs.h"
#include "remote.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 2000                    /* after this time the answers received are shown; the others follow later */
#define TABLES_MOST ((int64_t)128 << 20) /* most bytes of all tables */
#define TABLE_MOST ((int64_t)8 << 20)
#define TABLE_LEAST ((int64_t)256 << 10)

/* ---- agents ---- */

typedef enum asked_state { IDLE, RUNS, DONE } asked_state;

typedef struct agents agents;

typedef struct asked {
    remote to; /* must be first: it is passed to stopped() */
    agents *all;
    cli_remote_text text;
    pthread_t thread;
    _Atomic asked_state state;
    bool good;
    char why[400];
    /* the last answer */
    cli_remote_text table;
    bool told, printed, fine;
    char told_why[400];
} asked;

struct agents {
    cli *c;
    const char *table; /* "top" or "hang" */
    asked *of;
    size_t count;
    double interval;
    int width; /* width of the longest address */
    char token[CLI_TOKEN_ROOM];
    _Atomic bool quits;
};

static bool is_over(const remote *r) { return cli_interrupted || ((const asked *)(const void *)r)->all->quits; }

static void *ask(void *ctx)
{
    asked *a = ctx;
    a->good = remote_table(&a->to, a->all->table, "csv", a->why, sizeof a->why);
    a->state = DONE;
    return NULL;
}

static void start(agents *all)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    for (size_t i = 0; i < all->count; i++) {
        asked *a = &all->of[i];
        if (a->state != IDLE) continue;
        free(a->text.data);
        a->text = (cli_remote_text){ NULL, 0 };
        a->state = RUNS;
        if (pthread_create(&a->thread, &small, ask, a) == 0) continue;
        snprintf(a->told_why, sizeof a->told_why, "no thread can be started for it");
        a->state = IDLE;
        a->told = true;
    }
    pthread_attr_destroy(&small);
}

/* Takes the answers that have arrived; returns whether all have. */
static bool collect(agents *all)
{
    bool whole = true;
    for (size_t i = 0; i < all->count; i++) {
        asked *a = &all->of[i];
        if (a->state == RUNS) whole = false;
        if (a->state != DONE) continue;
        pthread_join(a->thread, NULL);
        free(a->table.data);
        a->table = a->text;
        a->text = (cli_remote_text){ NULL, 0 };
        a->fine = a->good;
        memcpy(a->told_why, a->why, sizeof a->why);
        a->told = true;
        a->state = IDLE;
    }
    return whole;
}

static void wait_for(agents *all, int64_t ms)
{
    const struct timespec nap = { 0, 5000000 };
    int64_t until = now_ms() + ms;
    while (!collect(all) && now_ms() < until && !cli_interrupted) nanosleep(&nap, NULL);
}

static const char *words_of(const asked *a) { return a->told ? a->told_why : "it has not answered yet"; }

/* Joins the tables of all agents that answered. An agent with an unusable answer is listed with the reason. */
static int join(agents *all, bool rest, const tfp_options *o, tfp_live_host *hosts, tfp_report **out)
{
    for (size_t i = 0; i < all->count; i++) {
        asked *a = &all->of[i];
        bool there = a->told && a->fine && !(rest && a->printed);
        hosts[i] = (tfp_live_host){ .host = a->to.address,
                                    .csv = !there          ? NULL
                                           : a->table.data ? a->table.data
                                                           : "",
                                    .size = a->table.size };
    }
    tfp_status s = tfp_live_hosts(all->table, hosts, all->count, o, out, all->c->err);
    for (size_t i = 0; i < all->count && !s; i++) {
        if (!hosts[i].bad) continue;
        all->of[i].fine = false;
        snprintf(all->of[i].told_why, sizeof all->of[i].told_why, "%s", hosts[i].why);
    }
    return s ? cli_fault_from(&all->c->fault, s, all->c->err) : 0;
}

/* ---- the table ---- */

typedef struct drawing {
    const tfp_report *table;
    int widths[CLI_JOB_COLUMNS];
    size_t width, room;
} drawing;

static void print_agent(const agents *all, asked *a, drawing *d, size_t first, size_t rows)
{
    char line[CLI_JOB_LINE];
    for (size_t row = 0; row < (rows ? rows : 1) && d->room; row++, d->room--) {
        snprintf(line, sizeof line, "%-*s  ", all->width, a->to.address);
        if (rows)
            cli_job_cells(line, d->widths, d->table, first + row);
        else
            snprintf(line + strlen(line), sizeof line - strlen(line), "%s",
                     a->told && a->fine ? "no running job" : words_of(a));
        cli_job_print(all->c->out, line, d->width);
    }
}

/* rest: only agents that were not printed before, without headings. pending: also those that have not answered. */
static int print_all(agents *all, bool rest, bool pending, size_t width, size_t room)
{
    char line[CLI_JOB_LINE];
    drawing d = { .width = width, .room = room };
    tfp_live_host *hosts = calloc(all->count, sizeof *hosts);
    tfp_report *r = NULL;
    if (!hosts) return cli_fault_set(&all->c->fault, CLI_LIMIT, "out of memory");
    int status = join(all, rest, NULL, hosts, &r);
    d.table = r;
    for (size_t row = 0; !status && row < tfp_report_row_count(r); row++) cli_job_measure(d.widths, r, row);
    size_t before = (size_t)all->width + 2, first = 0;
    cli_job_fit(d.widths, !width ? 0 : width > before ? width - before : 1);
    snprintf(line, sizeof line, "%-*s  ", all->width, "AGENT");
    cli_job_heads(line, d.widths);
    if (!status && !rest) cli_job_print(all->c->out, line, width);
    for (size_t i = 0; i < all->count && !status; i++) {
        asked *a = &all->of[i];
        if ((rest && a->printed) || (!a->told && !pending)) continue;
        print_agent(all, a, &d, first, hosts[i].rows);
        first += hosts[i].rows;
        a->printed = true;
    }
    tfp_report_free(r);
    free(hosts);
    if (!status && cli_flush(all->c->out)) status = cli_stdout_fault(all->c);
    return status;
}

static int show(void *ctx, int key)
{
    agents *all = ctx;
    cli_size size = cli_terminal_size(STDOUT_FILENO);
    size_t answers = 0;
    (void)key;
    start(all);
    wait_for(all, all->interval < 1 ? (int64_t)(all->interval * 1e3) : 1000);
    for (size_t i = 0; i < all->count; i++) answers += all->of[i].told && all->of[i].fine;
    cli_print(all->c->out, "\033[H\033[J%zu of %zu agent%s, %gs  q quit\n", answers, all->count,
              all->count == 1 ? "" : "s", all->interval);
    return print_all(all, false, true, (size_t)size.columns, (size_t)size.rows - 3u);
}

/* Reports agents that did not answer, or whose answer was no table. */
static int tell_failed(const agents *all)
{
    int status = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!all->of[i].told || !all->of[i].fine)
            status = cli_fault_set(&all->c->fault, CLI_BAD_INPUT, "--agent %.200s: %s", all->of[i].to.address,
                                   words_of(&all->of[i]));
    return status;
}

static int show_once(agents *all, int64_t answer_ms)
{
    bool any = false;
    start(all);
    wait_for(all, FIRST_MS);
    for (size_t i = 0; i < all->count; i++) any = any || (all->of[i].told && all->of[i].fine);
    int status = any ? print_all(all, false, false, 0, SIZE_MAX) : 0;
    wait_for(all, answer_ms);
    for (size_t i = 0; i < all->count && !any; i++) any = all->of[i].told && all->of[i].fine;
    bool first = true;
    for (size_t i = 0; i < all->count; i++) first = first && !all->of[i].printed;
    if (!status && any) status = print_all(all, !first, true, 0, SIZE_MAX);
    return status ? status : tell_failed(all);
}

/* In other output forms, writes the tables of all agents that answered in time. */
static int show_form(agents *all, const tfp_options *o, int64_t answer_ms)
{
    tfp_report *r = NULL;
    start(all);
    wait_for(all, answer_ms + FIRST_MS);
    tfp_live_host *hosts = calloc(all->count, sizeof *hosts);
    int status = hosts ? join(all, false, o, hosts, &r) : cli_fault_set(&all->c->fault, CLI_LIMIT, "out of memory");
    free(hosts);
    bool any = false;
    for (size_t i = 0; i < all->count; i++) any = any || (all->of[i].told && all->of[i].fine);
    if (!status && any) {
        status = cli_put_live(all->c, r, o);
        r = NULL;
    }
    tfp_report_free(r);
    return status ? status : tell_failed(all);
}

/* ---- the command ---- */

static int make_agents(agents *all, const cli_agents *names, int64_t answer_ms)
{
    int64_t share = TABLES_MOST / (int64_t)names->count;
    all->of = calloc(names->count, sizeof *all->of);
    if (!all->of) return cli_fault_set(&all->c->fault, CLI_LIMIT, "out of memory");
    for (size_t i = 0; i < names->count; i++) {
        asked *a = &all->of[all->count++];
        a->all = all;
        a->to = (remote){ .address = names->list[i],
                          .token = all->token,
                          .write = cli_remote_keep,
                          .ctx = &a->text,
                          .table_most = share > TABLE_MOST    ? TABLE_MOST
                                        : share < TABLE_LEAST ? TABLE_LEAST
                                                              : share,
                          .answer_ms = answer_ms,
                          .stopped = is_over };
        int width = (int)strnlen(names->list[i], 60);
        if (width > all->width) all->width = width;
    }
    return 0;
}

/* Ends the threads. One that is still looking up a name is left running with its memory, as the command ends anyway. */
static bool end_agents(agents *all)
{
    all->quits = true;
    wait_for(all, 400);
    if (!collect(all)) return false;
    for (size_t i = 0; i < all->count; i++) {
        free(all->of[i].text.data);
        free(all->of[i].table.data);
    }
    free(all->of);
    return true;
}

/* Asks all agents for their table; once: it is printed only once, or in the form of -format. */
static int run(cli *c, const cli_call *call, const tfp_options *o, const char *table, double interval)
{
    char token[CLI_TOKEN_ROOM];
    const char *form;
    double seconds;
    int status = cli_remote_begin(c, call, o, token, &form);
    if (!status) status = cli_remote_seconds(c, call, CLI_TIMEOUT, 10, &seconds);
    if (status) return status;
    cli_agents names = { NULL, NULL, 0 };
    agents *all = calloc(1, sizeof *all);
    status = all ? cli_remote_agents(c, call->flags[CLI_AGENT], &names)
                 : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    bool once = call->flags[CLI_ONCE] || !isatty(STDOUT_FILENO), ended = true, jobs = strcmp(table, "top") == 0;
    int64_t answer_ms = (int64_t)(seconds * 1e3);
    if (!status) {
        *all = (agents){ .c = c, .table = table, .interval = interval, .width = (int)strlen("AGENT") };
        memcpy(all->token, token, sizeof token);
        status = make_agents(all, &names, answer_ms);
    }
    if (!status && (!jobs || strcmp(form, "text") != 0))
        status = show_form(all, o, answer_ms);
    else if (!status)
        status = once ? show_once(all, answer_ms) : cli_job_screen(c, interval, show, all);
    if (all && all->of) ended = end_agents(all);
    if (ended) {
        free(all);
        cli_remote_agents_free(&names);
    }
    return status;
}

int cli_remote_top(cli *c, const cli_call *call, const tfp_options *o, double interval)
{
    if (call->word_count || call->flags[CLI_O] || call->flags[CLI_SORT] || call->flags[CLI_USER] ||
        call->flags[CLI_ALL] || call->flags[CLI_PROCESSES] || call->flags[CLI_PYTHON])
        return cli_fault_set(
            &c->fault, CLI_BAD_USAGE,
            "top --agent shows all jobs of its agents: it goes with -format, --token-file, --interval, "
            "--timeout and --once only");
    return run(c, call, o, "top", interval);
}

int cli_remote_hang(cli *c, const cli_call *call, const tfp_options *o)
{
    if (call->word_count)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "hang --agent shows all ranks of its agents: it takes no files and no processes");
    return run(c, call, o, "hang", 1);
}
