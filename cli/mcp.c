// SPDX-License-Identifier: Apache-2.0
/* cli/mcp.c: the command mcp: the folder to serve, and the execution of a call's command line. */
#include "cli.h"
#include "mcp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The command line of a call, run in a child of the server. */
typedef struct line {
    cli *c;
    void (*take)(void *to, const tfp_report *r, const char *said);
    void *to;
    size_t size;
    char said[4096]; /* what the command would have written to stderr */
} line;

static int collect(void *ctx, const void *data, size_t size)
{
    line *l = ctx;
    size_t room = sizeof l->said - 1 - l->size, n = size < room ? size : room;
    memcpy(l->said + l->size, data, n);
    l->size += n;
    return 0;
}

static void take_report(void *ctx, const tfp_report *r)
{
    line *l = ctx;
    l->take(l->to, r, l->said);
}

/* Runs the line; `c` is as in a program that was just started. */
static int run(void *ctx, char **words, size_t count, void (*take)(void *to, const tfp_report *r, const char *said),
               void *to, char *why, size_t room)
{
    line l = { .c = ctx, .take = take, .to = to };
    cli *c = l.c;
    cli_call call = { 0 };
    c->aside = collect;
    c->aside_ctx = c->take_ctx = &l;
    c->take = take_report;
    int status = cli_parse(words, count, CLI_AT_SHELL, &call, &c->fault);
    if (!status) status = cli_run(c, &call);
    if (status) snprintf(why, room, "%s", c->fault.text);
    cli_call_free(&call);
    return status;
}

int cli_mcp(cli *c, const cli_call *call, tfp_options *o)
{
    const mcp_program program = { run, c };
    (void)o;
    if (call->word_count != 1)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "mcp needs the folder whose profiles may be read");
    int root = open(call->words[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 || fchdir(root)) {
        cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: %s", call->words[0], strerror(errno));
        if (root >= 0) close(root);
        return c->fault.status;
    }
    int status = mcp_serve(root, &program);
    close(root);
    return status ? cli_fault_set(&c->fault, status,
                                  status == CLI_LIMIT ? "out of memory" : "stdout: cannot be written to")
                  : 0;
}
