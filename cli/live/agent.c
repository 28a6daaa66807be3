// SPDX-License-Identifier: Apache-2.0
/* cli/live/agent.c: the command agent: serves running jobs as metrics and to other machines, until it is stopped. */
#include "agent/agent.h"
#include "cli.h"
#include "agent/push.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN_LEAST = 8, TOKEN_MOST = CLI_TOKEN_ROOM - 2 };

static void warn(void *ctx, const char *line) { cli_tell_remark(ctx, line); }

/* Whether a text can be a token: a header must be able to carry it. */
static bool is_token(const char *text)
{
    size_t size = strlen(text);
    for (const char *at = text; *at; at++)
        if (*at <= ' ' || *at >= 0x7f) return false;
    return size >= TOKEN_LEAST && size <= TOKEN_MOST;
}

/* Reads the first line of a file that only its owner can read. Returns 0 or the status. */
static int read_token(cli *c, const char *path, char out[TOKEN_MOST + 2])
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool open_to_others = fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 077 || st.st_uid != geteuid());
    ssize_t n = fd >= 0 && !open_to_others ? read(fd, out, TOKEN_MOST + 1) : -1;
    int why = errno;
    if (fd >= 0) close(fd);
    if (open_to_others)
        return cli_fault_set(&c->fault, CLI_BAD_INPUT, "--token-file %s: others may read it: chmod 600", path);
    if (n < 0) return cli_fault_set(&c->fault, CLI_BAD_INPUT, "--token-file %s: %s", path, strerror(why));
    out[n] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    return 0;
}

int cli_find_token(cli *c, const cli_call *call, char out[CLI_TOKEN_ROOM])
{
    const char *path = call->flags[CLI_TOKEN_FILE], *set = getenv("TFPROF_TOKEN");
    *out = '\0';
    int status = path ? read_token(c, path, out) : 0;
    if (!path && set && *set) snprintf(out, TOKEN_MOST + 2, "%s", set);
    if (!status && (path || *out) && !is_token(out))
        status = cli_fault_set(&c->fault, CLI_BAD_USAGE, "the token is not 8 to 256 characters without blanks");
    return status;
}

static int parse_interval(cli *c, const cli_call *call, double *out)
{
    const char *text = call->flags[CLI_INTERVAL];
    char *end;
    *out = text ? strtod(text, &end) : 10;
    if (text && (end == text || *end || !(*out >= 1 && *out <= 3600)))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--interval '%.*s': not between 1 and 3600 seconds", 100, text);
    return 0;
}

static int select_jobs(cli *c, const cli_call *call, tfp_live *l)
{
    tfp_status s = cli_live_set(l, call, c->err);
    if (!s && !call->flags[CLI_COMMANDS]) s = tfp_live_set(l, "no_commands", NULL, c->err);
    for (size_t i = 0; i < call->word_count && !s; i++) s = tfp_live_select(l, call->words[i], c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

int cli_agent(cli *c, const cli_call *call, tfp_options *o)
{
    char token[CLI_TOKEN_ROOM], why[CLI_LINE_MAX];
    agent_options a = {
        .metrics = call->flags[CLI_METRICS],
        .listen = call->flags[CLI_LISTEN],
        .otlp = call->flags[CLI_OTLP],
        .watch = call->flags[CLI_WATCH],
        .words = (const char *const *)call->words,
        .word_count = call->word_count,
        .push = { [PUSH_PYROSCOPE] = call->flags[CLI_PYROSCOPE], [PUSH_PARCA] = call->flags[CLI_PARCA] },
        .commands = call->flags[CLI_COMMANDS] != NULL,
        .say = cli_say_line,
        .warn = warn,
        .ctx = c
    };
    (void)o;
    bool pushes = a.push[PUSH_PYROSCOPE] || a.push[PUSH_PARCA];
    if (!a.metrics && !a.otlp && !a.listen && !pushes && !a.watch)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "agent needs --metrics, --otlp, --pyroscope, --parca, --watch or --listen");
    if (pushes && !a.commands)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "stacks name files of the jobs: --commands lets them leave the machine");
    if (a.listen && (call->word_count || call->flags[CLI_USER]))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--listen is for all jobs: it takes no PID, NAME or --user");
    int status = cli_find_token(c, call, token);
    if (!status) status = parse_interval(c, call, &a.interval);
    if (status) return status;
    if (*token) a.token = token;
    a.jobs = tfp_live_new();
    a.processes = pushes ? tfp_live_new() : NULL;
    if (!a.jobs || (pushes && !a.processes)) status = cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    if (!status) status = select_jobs(c, call, a.jobs);
    if (!status && pushes) status = select_jobs(c, call, a.processes);
    if (!status && pushes && tfp_live_set(a.processes, "processes", NULL, c->err))
        status = cli_fault_set(&c->fault, CLI_BAD_USAGE, "%s", tfp_error_message(c->err));
    if (!status && (status = agent_run(&a, why, sizeof why))) cli_fault_set(&c->fault, status, "%s", why);
    tfp_live_free(a.jobs);
    tfp_live_free(a.processes);
    return status;
}
