// SPDX-License-Identifier: Apache-2.0
/* cli/remote_top.c: top --agent: the jobs of other machines in one table. Each agent is asked by a thread of its own, so that one that
 * does not answer does not delay the others. */
#include "jobs.h"
#include "remote.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGENTS_MOST 64
#define COLUMNS_MOST 64

/* ---- a table as CSV ---- */

typedef struct csv_row {
    char *cells[COLUMNS_MOST]; /* in the text, which is cut into them */
} csv_row;

typedef struct csv_table {
    csv_row heads, *rows;
    size_t columns, count;
} csv_table;

/* Cuts one row off a text; where the next one begins. */
static char *cut_row(char *at, csv_row *row, size_t *cells)
{
    *cells = 0;
    for (bool more = true; more;) {
        char *to = at, *cell = at;
        bool quoted = *at == '"';
        at += quoted;
        while (*at && (quoted || (*at != ',' && *at != '\n'))) {
            if (quoted && *at == '"' && at[1] != '"') {
                quoted = false;
                at++;
                continue;
            }
            at += quoted && *at == '"';
            *to++ = *at++;
        }
        more = *at == ',';
        at += *at != '\0';
        *to = '\0';
        if (*cells < COLUMNS_MOST) row->cells[(*cells)++] = cell;
    }
    return at;
}

/* False without memory, without a column of processes, and for rows that do not have a cell for each column. */
static bool cut_table(char *text, csv_table *out)
{
    size_t room = 0, cells;
    *out = (csv_table){ .rows = NULL };
    char *at = cut_row(text, &out->heads, &out->columns);
    while (*at) {
        if (out->count == room) {
            csv_row *more = realloc(out->rows, (room = 2 * room + 16) * sizeof *more);
            if (!more) return false;
            out->rows = more;
        }
        at = cut_row(at, &out->rows[out->count++], &cells);
        if (cells != out->columns) return false;
    }
    for (size_t i = 0; i < out->columns; i++)
        if (strcmp(out->heads.cells[i], "pid") == 0) return true;
    return false;
}

static void cell_of(const void *table, size_t row, const char *column, char *out, size_t room)
{
    const csv_table *t = table;
    *out = '\0';
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->heads.cells[i], column) == 0) snprintf(out, room, "%s", t->rows[row].cells[i]);
}

/* ---- agents ---- */

typedef struct asked {
    remote to;
    cli_remote_text text;
    csv_table table;
    pthread_t thread;
    bool runs, good;
    char why[400];
} asked;

typedef struct agents {
    cli *c;
    asked *of;
    size_t count;
    double interval;
    int width; /* of the longest address */
} agents;

static void *ask(void *ctx)
{
    asked *a = ctx;
    a->good = remote_top(&a->to, "csv", a->why, sizeof a->why);
    bool whole = a->text.data && strlen(a->text.data) == a->text.size;
    if (!a->good || (whole && cut_table(a->text.data, &a->table))) return NULL;
    snprintf(a->why, sizeof a->why, "its answer is no table of jobs");
    a->good = false;
    return NULL;
}

static void ask_all(agents *all)
{
    for (size_t i = 0; i < all->count; i++) {
        asked *a = &all->of[i];
        free(a->text.data);
        free(a->table.rows);
        a->text = (cli_remote_text){ NULL, 0 };
        a->table = (csv_table){ .rows = NULL };
        a->runs = pthread_create(&a->thread, NULL, ask, a) == 0;
        if (!a->runs) ask(a);
    }
    for (size_t i = 0; i < all->count; i++)
        if (all->of[i].runs) pthread_join(all->of[i].thread, NULL);
}

/* ---- the table ---- */

static void print_agent(const agents *all, asked *a, const int widths[CLI_JOB_COLUMNS], size_t width, size_t *room)
{
    char line[CLI_JOB_LINE];
    size_t rows = a->good ? a->table.count : 0;
    for (size_t row = 0; row < (rows ? rows : 1) && *room; row++, --*room) {
        snprintf(line, sizeof line, "%-*s  ", all->width, a->to.address);
        if (rows)
            cli_job_cells(line, widths, cell_of, &a->table, row);
        else
            snprintf(line + strlen(line), sizeof line - strlen(line), "%s", a->good ? "no running job" : a->why);
        cli_job_print(all->c->out, line, width);
    }
}

static void print_all(const agents *all, size_t width, size_t room)
{
    char line[CLI_JOB_LINE];
    int widths[CLI_JOB_COLUMNS] = { 0 };
    for (size_t i = 0; i < all->count; i++)
        for (size_t row = 0; row < all->of[i].table.count && all->of[i].good; row++)
            cli_job_measure(widths, cell_of, &all->of[i].table, row);
    size_t before = (size_t)all->width + 2;
    cli_job_fit(widths, !width ? 0 : width > before ? width - before : 1);
    snprintf(line, sizeof line, "%-*s  ", all->width, "AGENT");
    cli_job_heads(line, widths);
    cli_job_print(all->c->out, line, width);
    for (size_t i = 0; i < all->count; i++) print_agent(all, &all->of[i], widths, width, &room);
}

static int show(void *ctx, int key)
{
    agents *all = ctx;
    cli_size size = cli_terminal_size(STDOUT_FILENO);
    size_t jobs = 0;
    (void)key;
    ask_all(all);
    for (size_t i = 0; i < all->count; i++) jobs += all->of[i].good ? all->of[i].table.count : 0;
    cli_print(all->c->out, "\033[H\033[J%zu job%s of %zu agent%s, %gs  q quit\n", jobs, jobs == 1 ? "" : "s",
              all->count, all->count == 1 ? "" : "s", all->interval);
    print_all(all, (size_t)size.columns, (size_t)size.rows - 3u);
    return cli_flush(all->c->out) ? cli_stdout_fault(all->c) : 0;
}

static int show_once(agents *all)
{
    int status = 0;
    bool any = false;
    ask_all(all);
    for (size_t i = 0; i < all->count; i++) any = any || all->of[i].good;
    if (any) print_all(all, 0, SIZE_MAX);
    if (any && cli_flush(all->c->out)) return cli_stdout_fault(all->c);
    for (size_t i = 0; i < all->count; i++)
        if (!all->of[i].good)
            status = cli_fault_set(&all->c->fault, CLI_BAD_INPUT, "--agent %.200s: %s", all->of[i].to.address,
                                   all->of[i].why);
    return status;
}

/* ---- the command ---- */

/* Other forms are the agent's own table, unchanged. */
static int show_form(cli *c, agents *all, const char *form)
{
    asked *a = all->of;
    if (all->count > 1)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "-format %s shows the table of one agent, as it is", form);
    if (remote_top(&a->to, form, a->why, sizeof a->why)) return cli_remote_show(c, &a->text);
    return cli_fault_set(&c->fault, CLI_BAD_INPUT, "--agent %.200s: %s", a->to.address, a->why);
}

/* HOST:PORT,HOST:PORT: cuts the copy into its words. */
static int find_agents(cli *c, char *words, const char *token, agents *all)
{
    for (char *word = words; word;) {
        char *next = strchr(word, ',');
        if (next) *next++ = '\0';
        if (!*word || all->count == AGENTS_MOST)
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--agent: HOST:PORT, or up to %d of them with commas",
                                 AGENTS_MOST);
        asked *a = &all->of[all->count++];
        a->to = (remote){ .address = word, .token = token, .write = cli_remote_keep, .ctx = &a->text };
        int width = (int)strnlen(word, 60);
        if (width > all->width) all->width = width;
        word = next;
    }
    return 0;
}

int cli_remote_top(cli *c, const cli_call *call, const tfp_options *o, double interval)
{
    char token[CLI_TOKEN_ROOM];
    const char *form;
    if (call->word_count || call->flags[CLI_O] || call->flags[CLI_SORT] || call->flags[CLI_USER] ||
        call->flags[CLI_ALL] || call->flags[CLI_PROCESSES] || call->flags[CLI_PYTHON])
        return cli_fault_set(
            &c->fault, CLI_BAD_USAGE,
            "top --agent shows all jobs of its agents: it goes with -format, --token-file, --interval and --once only");
    int status = cli_remote_begin(c, call, o, token, &form);
    if (status) return status;
    agents all = { .c = c, .interval = interval, .width = (int)strlen("AGENT") };
    char *words = strdup(call->flags[CLI_AGENT]);
    all.of = calloc(AGENTS_MOST, sizeof *all.of);
    bool once = call->flags[CLI_ONCE] || !isatty(STDOUT_FILENO);
    if (!words || !all.of)
        status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    else
        status = find_agents(c, words, token, &all);
    if (!status && strcmp(form, "text") != 0)
        status = show_form(c, &all, form);
    else if (!status)
        status = once ? show_once(&all) : cli_job_screen(c, interval, show, &all);
    for (size_t i = 0; i < all.count; i++) {
        free(all.of[i].text.data);
        free(all.of[i].table.rows);
    }
    free(all.of);
    free(words);
    return status;
}
