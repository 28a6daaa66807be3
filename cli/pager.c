// SPDX-License-Identifier: Apache-2.0
/* cli/pager.c: stdout when it is a terminal: its width, and a pager for output that is longer than the screen. Output is
 * collected while a command runs; when it ends it is written to the terminal or to the pager. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COLLECTED_MOST = 64 << 20 }; /* longer output is written immediately */

cli_size cli_terminal_size(int fd)
{
    struct winsize w = { 0 };
    if (ioctl(fd, TIOCGWINSZ, &w)) w = (struct winsize){ 0 };
    const char *columns = getenv("COLUMNS");
    if (columns && atoi(columns) > 0 && atoi(columns) < 10000) w.ws_col = (unsigned short)atoi(columns);
    return (cli_size){ w.ws_col >= 20 ? w.ws_col : 80, w.ws_row >= 4 ? w.ws_row : 24 };
}

int cli_screen(const cli *c)
{
    bool elsewhere = c->page || (c->out->to && !c->pager.on);
    return elsewhere || !isatty(STDOUT_FILENO) ? 0 : cli_terminal_size(STDOUT_FILENO).columns;
}

static int write_out(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Collects a command's output; without memory for it the output is written at once. */
static int collect(void *ctx, const void *data, size_t size)
{
    cli *c = ctx;
    if (!c->pager.direct && c->pager.size + size > c->pager.room) {
        size_t room = 2 * (c->pager.size + size);
        char *more = room <= COLLECTED_MOST ? realloc(c->pager.data, room) : NULL;
        if (more) {
            c->pager.data = more;
            c->pager.room = room;
        } else {
            c->pager.direct = true;
            if (write_out(STDOUT_FILENO, c->pager.data, c->pager.size)) return EPIPE;
            c->pager.size = 0;
        }
    }
    if (c->pager.direct) return write_out(STDOUT_FILENO, data, size);
    if (size) memcpy(c->pager.data + c->pager.size, data, size);
    c->pager.size += size;
    return 0;
}

static bool is_in_path(const char *name)
{
    char path[4096];
    const char *all = getenv("PATH");
    for (const char *at = all ? all : ""; *at;) {
        size_t n = strcspn(at, ":");
        int size = snprintf(path, sizeof path, "%.*s/%s", (int)n, at, name);
        if (size > 0 && (size_t)size < sizeof path && access(path, X_OK) == 0) return true;
        at += n + (at[n] == ':');
    }
    return false;
}

/* NULL: no pager is wanted or installed. */
static const char *program(void)
{
    const char *own = getenv("TFPROF_PAGER"), *common = getenv("PAGER");
    const char *wanted = own ? own : common;
    if (wanted) return *wanted && strcmp(wanted, "cat") != 0 ? wanted : NULL;
    return is_in_path("less") ? "less" : NULL;
}

/* CI jobs may have a terminal without a user. */
static bool is_ci(void)
{
    const char *ci = getenv("CI");
    return ci && *ci && strcmp(ci, "0") != 0 && strcmp(ci, "false") != 0;
}

bool cli_pager_start(cli *c, const cli_call *call)
{
    const char *wanted = call->flags[CLI_PAGER], *term = getenv("TERM");
    bool always = wanted && strcmp(wanted, "always") == 0, never = wanted && strcmp(wanted, "never") == 0;
    if (c->pager.on || c->page || c->out->to || never) return false;
    if (!always && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0 || is_ci()))
        return false;
    c->pager.program = program();
    if (!c->pager.program) return false;
    if (cli_flush(c->out)) return false;
    c->pager.on = true;
    c->pager.direct = false;
    c->pager.size = 0;
    c->pager.rows = always ? 0 : cli_terminal_size(STDOUT_FILENO).rows;
    c->out->to = collect;
    c->out->to_ctx = c;
    return true;
}

static bool is_long(const cli *c)
{
    size_t lines = 0;
    for (size_t i = 0; i < c->pager.size && lines < c->pager.rows; i++) lines += c->pager.data[i] == '\n';
    return lines >= c->pager.rows && c->pager.size;
}

/* Returns the pager's status; 127: it could not be started. */
static int show(const cli *c)
{
    int ends[2], status = 127;
    if (pipe2(ends, O_CLOEXEC)) return 127;
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        dup2(ends[0], STDIN_FILENO);
        setenv("LESS", "FRX", 0);
        execl("/bin/sh", "sh", "-c", c->pager.program, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    if (pid > 0) write_out(ends[1], c->pager.data, c->pager.size); /* a user who quits the pager has seen enough */
    close(ends[1]);
    if (pid < 0) return 127;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

void cli_pager_end(cli *c)
{
    if (!c->pager.on) return;
    cli_flush(c->out);
    c->out->to = NULL;
    c->pager.on = false;
    bool shown = !cli_interrupted && is_long(c) && show(c) != 127;
    if (!shown && c->pager.size && !c->out->error)
        c->out->error = write_out(STDOUT_FILENO, c->pager.data, c->pager.size);
    c->out->gone = c->out->error == EPIPE;
    free(c->pager.data);
    c->pager.data = NULL;
    c->pager.size = c->pager.room = 0;
}
