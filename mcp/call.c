// SPDX-License-Identifier: Apache-2.0
/* mcp/call.c: answers each call in a child that may read below the served folder and write nothing: a file that is slow, big or damaged
 * costs only that call, not the server. */
#include "http/clock.h"
#include "parts.h"

#include "http/confine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

typedef struct taken {
    const mcp_command *command;
    answer result;
    bool done;
} taken;

static void take(void *to, const tfp_report *r, const char *said)
{
    taken *t = to;
    mcp_put_report(t->command, r, said, &t->result);
    t->done = true;
}

static void write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) _exit(1);
        data += n;
        size -= (size_t)n;
    }
}

/* Runs in the child. Only the answer goes to the client; other output of the command is dropped. */
static _Noreturn void answer_it(const mcp_command *c, int root, const mcp_program *program, int to)
{
    taken t = { .command = c, .result = { .status = ANSWER_OK } };
    char why[MCP_WHY] = "";
    char *words[MCP_WORDS];
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    setrlimit(RLIMIT_CPU, &(struct rlimit){ MCP_SECONDS, MCP_SECONDS + 1 });
    confine(&root, 1);
    for (size_t i = 0; i < c->count; i++)
        if (!(words[i] = strdup(c->words[i]))) _exit(1); /* parsing changes them, but the answer must show them */
    int status = program->run(program->ctx, words, c->count, take, &t, why, sizeof why);
    if (!t.done) mcp_put_fault(*why ? why : status ? "the command failed" : "the command has no rows", &t.result);
    if (answer_failed(&t.result)) _exit(1);
    write_all(to, t.result.data, t.result.size);
    _exit(0);
}

/* Receives the child's answer. False: it did not come completely, or not in time. */
static bool receive(int from, answer *result)
{
    int64_t end = now_ms() + MCP_SECONDS * 1000;
    for (;;) {
        char part[1 << 14];
        int64_t left = end - now_ms();
        struct pollfd p = { .fd = from, .events = POLLIN };
        if (left <= 0) return false;
        if (poll(&p, 1, (int)left) <= 0) continue;
        ssize_t n = read(from, part, sizeof part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0;
        if (result->size + (size_t)n > MCP_ANSWER_MOST) return true;
        answer_add(result, part, (size_t)n);
    }
}

static void collect(pid_t child, int from, answer *result)
{
    char why[200];
    int status = 0;
    bool in_time = receive(from, result);
    if (!in_time) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    bool whole = in_time && WIFEXITED(status) && !WEXITSTATUS(status) && result->size && !answer_failed(result);
    if (whole) return;
    if (!in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        snprintf(why, sizeof why, "it took longer than %d seconds: ask for fewer files, steps or rows", MCP_SECONDS);
    else
        snprintf(why, sizeof why, "the command ended without an answer");
    answer_free(result);
    *result = (answer){ .status = ANSWER_OK };
    mcp_put_fault(why, result);
}

void mcp_call(const mcp_command *c, int root, const mcp_program *program, answer *result)
{
    int ends[2];
    if (*c->why) {
        mcp_put_fault(c->why, result);
        return;
    }
    if (pipe2(ends, O_CLOEXEC)) {
        mcp_put_fault(strerror(errno), result);
        return;
    }
    pid_t child = fork();
    if (child == 0) answer_it(c, root, program, ends[1]);
    close(ends[1]);
    if (child < 0)
        mcp_put_fault(strerror(errno), result);
    else
        collect(child, ends[0], result);
    close(ends[0]);
}
