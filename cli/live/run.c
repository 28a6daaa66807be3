// SPDX-License-Identifier: Apache-2.0
/* cli/live/run.c: the command run: starts a command whose Python processes have an agent. Otherwise it is transparent: status,
 * streams and signals are those of the command. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child,
    wanted; /* the process to which the handlers pass signals on, and signals for tfprof itself */

enum { ON_SIGNAL_NONE = 0 };
static volatile sig_atomic_t our_signal = ON_SIGNAL_NONE;

/* A signal from the terminal reaches the command directly, so only signals from processes are passed on. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (number == our_signal) {
        wanted = 1;
        return;
    }
    if (info->si_code <= 0 && child > 0) kill((pid_t)child, number);
}

static const int passed[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT };
enum { PASSED = sizeof passed / sizeof *passed };

typedef struct dispositions {
    struct sigaction before[PASSED + 1], pipe, limit;
    sigset_t mask;
} dispositions;

/* Blocks signals until the command has started. */
static void hold_signals(dispositions *d, int own)
{
    struct sigaction ours = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO }, plain = { .sa_handler = SIG_DFL };
    sigset_t all;
    sigfillset(&all);
    sigfillset(&ours.sa_mask);
    sigprocmask(SIG_BLOCK, &all, &d->mask);
    our_signal = own;
    for (size_t i = 0; i < PASSED; i++) sigaction(passed[i], &ours, &d->before[i]);
    if (own) sigaction(own, &ours, &d->before[PASSED]);
    sigaction(SIGPIPE, &plain, &d->pipe);
    sigaction(SIGXFSZ, &plain, &d->limit);
}

/* Between fork and exec: signals that tfprof's parent made it ignore are ignored again; exec resets handlers itself. */
static void restore_in_child(const dispositions *d)
{
    struct sigaction plain = { .sa_handler = SIG_DFL };
    for (size_t i = 0; i < PASSED; i++) {
        bool ignored = !(d->before[i].sa_flags & SA_SIGINFO) && d->before[i].sa_handler == SIG_IGN;
        sigaction(passed[i], ignored ? &d->before[i] : &plain, NULL);
    }
    sigprocmask(SIG_SETMASK, &d->mask, NULL);
}

/* Starts the command; returns 0, or the errno. */
static int start(char **words, const dispositions *d)
{
    int pipe_ends[2], why = 0;
    if (pipe2(pipe_ends, O_CLOEXEC)) return errno;
    pid_t pid = fork();
    if (pid == 0) {
        restore_in_child(d);
        execvp(words[0], words);
        why = errno;
        (void)!write(pipe_ends[1], &why, sizeof why);
        _exit(127);
    }
    if (pid < 0) why = errno;
    close(pipe_ends[1]);
    if (pid > 0 && read(pipe_ends[0], &why, sizeof why) == sizeof why) {
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    close(pipe_ends[0]);
    child = pid > 0 ? pid : 0;
    return pid > 0 ? 0 : why ? why : EAGAIN;
}

/* Waits for the command. Signals arrive only during ppoll, so that none is missed. A signal that reached no agent is passed on again until one
 * is there: the first seconds of a job are imports. */
static int wait_for_end(tfp_live *l, const dispositions *d)
{
    static const struct timespec soon = { 0, 50000000 };
    int status = 0;
    struct pollfd end = { (int)syscall(SYS_pidfd_open, (pid_t)child, 0), POLLIN, 0 };
    for (;;) {
        pid_t got = waitpid((pid_t)child, &status, WNOHANG);
        if (got == child) break;
        if (got < 0 && errno != EINTR) return CLI_BAD_INPUT;
        if (wanted && tfp_live_run_ask(l)) wanted = 0;
        ppoll(&end, end.fd >= 0, wanted || end.fd < 0 ? &soon : NULL, &d->mask); /* without a pidfd: before Linux 5.3 */
    }
    if (end.fd >= 0) close(end.fd);
    sigprocmask(SIG_SETMASK, &d->mask, NULL);
    child = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_command(cli *c, tfp_live *l, char **words, int own)
{
    dispositions d;
    char *note = NULL;
    hold_signals(&d, own);
    int why = start(words, &d), status;
    if (why) {
        sigprocmask(SIG_SETMASK, &d.mask, NULL);
        status = why == ENOENT ? 127 : 126;
    } else {
        status = wait_for_end(l, &d);
    }
    for (size_t i = 0; i < PASSED; i++) sigaction(passed[i], &d.before[i], NULL);
    sigaction(SIGPIPE, &d.pipe, NULL);
    sigaction(SIGXFSZ, &d.limit, NULL);
    tfp_status s = tfp_live_run_end(l, &note, c->err);
    if (why) {
        cli_fault_set(&c->fault, status, "%s: %s", words[0], why == ENOENT ? "command not found" : strerror(why));
    } else {
        for (char *rest = note, *line; (line = strsep(&rest, "\n"));) cli_tell_remark(c, line);
        if (s) cli_tell(c, tfp_error_message(c->err));
    }
    free(note);
    return status;
}

int cli_start(cli *c, const cli_call *call, tfp_options *o)
{
    (void)o;
    if (!call->word_count)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "run needs a command: tfprof run -- python train.py");
    if (call->flags[CLI_MAX_BYTES] && !call->flags[CLI_CUDA])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--max-bytes goes with --cuda");
    if (call->flags[CLI_MAX_RATE] && !call->flags[CLI_CUDA])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--max-rate goes with --cuda");
    tfp_live *l = tfp_live_new();
    char **words = calloc(call->word_count + 1, sizeof *words);
    int status = l && words ? 0 : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_status s = status ? TFP_OK : cli_live_set(l, call, c->err);
    if (!s && !status) s = tfp_live_run_begin(l, c->err);
    if (s) status = cli_fault_from(&c->fault, s, c->err);
    if (!status) {
        memcpy(words, call->words, call->word_count * sizeof *words);
        status = run_command(c, l, words, tfp_live_signal(l));
    }
    free(words);
    tfp_live_free(l);
    return status;
}
