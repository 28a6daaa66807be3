// SPDX-License-Identifier: Apache-2.0
/* server/agent/push_rounds.c: the rounds of `tfprof agent --pyroscope` and `--parca`: at each interval a child samples every Python
 * process for a second, one after another, and sends the stacks. Meanwhile the agent goes on answering requests. */
#include "push.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUND_PROCESSES = 256, ROUND_SECONDS = 1800, KEPT = 3 };

static void tell(const char *who, const char *why)
{
    char line[400];
    int n = snprintf(line, sizeof line - 1, "%s: %s", who, why);
    if (n > (int)sizeof line - 2) n = sizeof line - 2;
    line[n++] = '\n';
    if (write(KEPT, line, (size_t)n) < 0) _exit(1); /* the agent has ended */
}

static void sample_one(const push_rounds *r, const push_job *job, tfp_error *err)
{
    char why[300];
    tfp_report *stacks = NULL;
    tfp_status s = tfp_live_stacks(r->processes, job->pid, NULL, NULL, NULL, &stacks, err);
    if (s && (kill((pid_t)atoi(job->pid), 0) == 0 || errno != ESRCH)) tell(job->pid, tfp_error_message(err));
    if (!s && tfp_report_row_count(stacks)) /* without samples nothing ran, and nothing is sent */
        for (size_t i = 0; i < r->target_count; i++)
            if (!push_stacks(&r->targets[i], stacks, job, false, why, sizeof why))
                tell(r->targets[i].url.authority, why);
    tfp_report_free(stacks);
}

static void work(const push_rounds *r)
{
    tfp_error *err = tfp_error_new();
    tfp_report *top = NULL;
    push_job job;
    if (tfp_live_sample(r->processes, err) || tfp_live_top(r->processes, NULL, &top, err)) {
        tell("stacks", tfp_error_message(err));
        _exit(1);
    }
    size_t rows = tfp_report_row_count(top);
    for (size_t i = 0; i < rows && i < ROUND_PROCESSES; i++) {
        push_job_of(top, i, &job);
        sample_one(r, &job, err);
    }
    _exit(0);
}

void push_rounds_begin(push_rounds *r)
{
    int ends[2];
    if (r->child || pipe2(ends, O_CLOEXEC)) return;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        alarm(ROUND_SECONDS);
        /* the child must not keep connections open that the agent closes */
        if (ends[1] != KEPT && dup3(ends[1], KEPT, O_CLOEXEC) < 0) _exit(1);
        syscall(SYS_close_range, KEPT + 1, ~0u, 0);
        work(r);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    r->child = child;
    r->told = ends[0];
    r->have = 0;
}

/* Keeps the first line, but reads everything, so that the child never blocks. */
static void take_lines(push_rounds *r)
{
    char bytes[1024];
    ssize_t n;
    while ((n = read(r->told, bytes, sizeof bytes)) > 0) {
        size_t room = sizeof r->line - 1 - r->have, use = (size_t)n < room ? (size_t)n : room;
        memcpy(r->line + r->have, bytes, use);
        r->have += use;
    }
}

bool push_rounds_over(push_rounds *r, char *why, size_t room)
{
    if (!r->child) return false;
    take_lines(r);
    if (waitpid(r->child, NULL, WNOHANG) == 0) return false;
    take_lines(r);
    close(r->told);
    r->child = 0;
    r->line[r->have] = '\0';
    snprintf(why, room, "%.*s", (int)strcspn(r->line, "\n"), r->line);
    return true;
}

void push_rounds_end(push_rounds *r)
{
    if (!r->child) return;
    kill(r->child, SIGKILL);
    while (waitpid(r->child, NULL, 0) < 0 && errno == EINTR) {}
    close(r->told);
    r->child = 0;
}
