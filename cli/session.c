// SPDX-License-Identifier: Apache-2.0
/* cli/session.c: commands from the prompt or, when stdin is no terminal, from stdin.
 * A bad line is one line on stderr, and the session goes on. A session on stdin ends with the status of the first command
 * that failed, one at a terminal with 0. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void failed(cli *c, int status)
{
    if (!c->failed) c->failed = status;
}

static int complain(cli *c)
{
    failed(c, c->fault.status);
    cli_tell(c, c->fault.text);
    return 0;
}

/* For a command that takes SQL, the line is cut where the SQL begins, because blanks and dashes belong to it. Quotes
 * around all of it are removed, as a shell would. */
static char *cut_sql(char *text)
{
    const char *name;
    char verb[CLI_NAME_MAX + 1];
    char *from = text + strspn(text, " \t");
    size_t n = strcspn(from, " \t\r\n");
    if (n > CLI_NAME_MAX) return NULL;
    memcpy(verb, from, n);
    verb[n] = '\0';
    const cli_command *command = cli_command_find(verb, &name);
    char *sql = command && (command->where & CLI_TAKES_SQL) ? cli_query_start(from + n) : NULL;
    if (!sql) return NULL;
    sql[-1] = '\0'; /* a blank */
    return *sql == '"' || *sql == '\'' ? cli_unquote(sql) : sql;
}

/* `COMMAND > FILE`, with blanks around the mark: -o FILE. */
static int take_file(char **words, size_t *count, const char **file, cli_fault *f)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(words[i], "|") == 0)
            return cli_fault_set(f, CLI_BAD_USAGE, "'|' needs a program after it, and a terminal");
        if (strcmp(words[i], ">") != 0) continue;
        if (i + 2 != *count) return cli_fault_set(f, CLI_BAD_USAGE, "'>' needs one file's name after it");
        *file = cli_unquote(words[i + 1]);
        *count = i;
    }
    return 0;
}

/* The pipe that `COMMAND | PROGRAM` writes to. */
typedef struct pipe_out {
    FILE *to;
    cli_out *out;
} pipe_out;

static int write_pipe(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size ? 0 : EPIPE;
}

/* Opens the program after " | ", which receives the answer; only at a terminal. */
static bool open_pipe(cli *c, char *text, pipe_out *p)
{
    char *bar = c->page || !c->session || !isatty(STDIN_FILENO) ? NULL : strstr(text, " | ");
    *p = (pipe_out){ NULL, c->out };
    if (!bar) return true;
    *bar = '\0';
    cli_flush(c->out);
    if (!(p->to = popen(bar + strlen(" | "), "we"))) return false;
    c->out->to = write_pipe;
    c->out->to_ctx = p->to;
    return true;
}

/* Closes the pipe. A program that does not read all of the answer is no error. */
static void close_pipe(pipe_out *p)
{
    if (!p->to) return;
    cli_flush(p->out);
    pclose(p->to);
    p->out->to = NULL;
    p->out->error = 0;
    p->out->gone = false;
    p->out->size = 0;
}

int cli_run_line(cli *c, char *text)
{
    size_t count;
    cli_call call = { 0 };
    char *sql = cut_sql(text);
    const char *file = NULL;
    pipe_out out;
    if (!sql && !open_pipe(c, text, &out)) {
        cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "cannot start the program: %s", strerror(errno));
        return complain(c);
    }
    if (sql) out = (pipe_out){ NULL, c->out };
    char **words = cli_split(text, &count);
    if (!words) {
        cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
        close_pipe(&out);
        return complain(c);
    }
    if (!sql && take_file(words, &count, &file, &c->fault)) {
        complain(c);
    } else if (count == 0) {
        cli_list_options(c, c->options, false);
    } else if (cli_parse(words, count, CLI_AT_PROMPT, &call, &c->fault)) {
        complain(c);
    } else if (!call.command && !call.flags[CLI_HELP]) {
        cli_fault_set(&c->fault, CLI_BAD_USAGE, "'%s' is no command; a line begins with one, and help lists them",
                      words[0]);
        complain(c);
    } else {
        if (file) call.flags[CLI_O] = file;
        if (sql) call.words[call.word_count++] = sql; /* there is room for one word more than the line has */
        failed(c, cli_run(c, &call));
    }
    cli_call_free(&call);
    free(words);
    close_pipe(&out);
    bool told = c->out->error != 0;
    cli_flush(c->out);
    if (c->out->error == EINTR) { /* Ctrl-C stopped a report, not the session */
        c->out->error = 0;
        c->out->size = 0;
    }
    if (!c->out->error || c->out->gone) return c->out->error;
    if (!told) {
        cli_fault_set(&c->fault, CLI_BAD_OUTPUT, "stdout: %s", strerror(c->out->error));
        complain(c);
    }
    return c->out->error;
}

enum { LINE_LIMIT = 1 << 20, SKIP_LIMIT = 256 << 20 };

/* stdin in lines of a bounded length. */
typedef struct lines {
    size_t at, size; /* the bytes in `data` that were not returned yet */
    size_t number;
    bool ended;
    int error;
    char data[1 << 16];
} lines;

static bool fill(lines *in)
{
    in->at = in->size = 0;
    while (!in->ended) {
        ssize_t n = read(STDIN_FILENO, in->data, sizeof in->data);
        if (n > 0) {
            in->size = (size_t)n;
            return true;
        }
        if (n < 0 && errno == EINTR && !cli_interrupted) continue;
        if (n < 0) in->error = errno;
        in->ended = true;
    }
    return false;
}

/* Appends the next line to text, which has room for LINE_LIMIT + 1. Returns its full length, or -1 at the end. */
static long long next_line(lines *in, char *text)
{
    long long size = 0;
    bool some = false;
    while (in->at < in->size || fill(in)) {
        char *from = in->data + in->at, *end = memchr(from, '\n', in->size - in->at);
        size_t n = end ? (size_t)(end - from) : in->size - in->at;
        if (size + (long long)n <= LINE_LIMIT) memcpy(text + size, from, n);
        size += (long long)n;
        in->at += n + (end != NULL);
        some = true;
        if (end || size > SKIP_LIMIT) break;
    }
    if (!some) return -1;
    in->number++;
    if (size <= LINE_LIMIT) text[size] = '\0';
    return size;
}

static int from_stdin(cli *c)
{
    int status = 0;
    lines *in = calloc(1, sizeof *in);
    char *text = malloc(LINE_LIMIT + 1);
    if (!in || !text) status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    while (!status && !c->quit) {
        long long size = next_line(in, text);
        if (size < 0 || cli_interrupted) break;
        if (size > SKIP_LIMIT) {
            status = cli_fault_set(&c->fault, CLI_LIMIT, "stdin: line %zu has no end", in->number);
        } else if (size > LINE_LIMIT) {
            cli_fault_set(&c->fault, CLI_BAD_USAGE, "stdin: line %zu is longer than %d bytes", in->number, LINE_LIMIT);
            complain(c);
        } else if (strlen(text) != (size_t)size) {
            cli_fault_set(&c->fault, CLI_BAD_USAGE, "stdin: line %zu has a NUL byte", in->number);
            complain(c);
        } else if (cli_run_line(c, text)) {
            break;
        }
    }
    if (!status && cli_interrupted)
        status = cli_fault_set(&c->fault, CLI_STOPPED, "interrupted");
    else if (!status && in->error)
        status = cli_fault_set(&c->fault, CLI_BAD_INPUT, "stdin: %s", strerror(in->error));
    if (status) complain(c);
    free(text);
    free(in);
    return status;
}

int cli_session(cli *c)
{
    c->session = true;
    bool terminal = isatty(STDIN_FILENO);
    int status = terminal ? cli_edit_lines(c, cli_run_line) : from_stdin(c);
    if (c->out->gone) return 0;
    if (!status && !terminal && !c->keep_going) status = c->failed;
    return c->out->error ? CLI_BAD_OUTPUT : status;
}
