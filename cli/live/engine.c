// SPDX-License-Identifier: Apache-2.0
/* cli/live/engine.c: capture http://HOST:PORT: lets an inference engine record itself with its own profiler, and names the traces. */
#include "engine/engine.h"
#include "live/remote.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { STEPS_MOST = 100000, SECONDS_MOST = 3600, TIMEOUT = 120, TIMEOUT_MOST = 86400 };

bool cli_is_url(const char *word)
{
    return strncasecmp(word, "http://", 7) == 0 || strncasecmp(word, "https://", 8) == 0;
}

static bool is_stopped(void) { return cli_interrupted != 0; }

static void stop_softly(int signal)
{
    (void)signal;
    cli_interrupted = 1;
}

static void draw(void *ctx, const char *text)
{
    char line[300];
    bool *drawn = ctx;
    int n = snprintf(line, sizeof line, "\r%s\033[K", text); /* our own words and numbers */
    cli_stderr(line, (size_t)n);
    *drawn = true;
}

/* A time such as 2, 2s, 500ms or 3m, in milliseconds; 0: it is none between 1 ms and `most` seconds. */
static int64_t milliseconds(const char *text, double most)
{
    static const struct {
        const char *name;
        double ms;
    } units[] = { { "", 1e3 }, { "s", 1e3 }, { "ms", 1 }, { "m", 6e4 }, { "min", 6e4 }, { "h", 3.6e6 } };
    char *end;
    double n = strtod(text, &end);
    if (end == text) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0 && n * units[i].ms >= 1 && n * units[i].ms <= most * 1e3)
            return (int64_t)(n * units[i].ms);
    return 0;
}

static int check_options(cli *c, const cli_call *call)
{
    static const cli_flag_id others[] = { CLI_AGENT,      CLI_ALIGN,     CLI_ALL,  CLI_ATTACH,   CLI_HOST_LEVEL,
                                          CLI_KEEP_AGENT, CLI_MAX_BYTES, CLI_MS,   CLI_PARALLEL, CLI_PYTHON_LEVEL,
                                          CLI_RECORDER,   CLI_SNAPSHOT,  CLI_USER, CLI_VIA,      CLI_WAIT };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (call->flags[others[i]])
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--%s does not go with http://", cli_flags[others[i]].name);
    if (call->word_count > 1)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "capture takes one http://HOST:PORT at a time");
    if (strncasecmp(call->words[0], "https", 5) == 0)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "%.300s: https (TLS) is not supported: use http://HOST:PORT",
                             call->words[0]);
    if (!call->flags[CLI_O] || !*call->flags[CLI_O])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "capture http://HOST:PORT needs -o DIR, the folder that the server writes its traces to");
    if (call->flags[CLI_STEPS] && call->flags[CLI_SECONDS])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--steps and --seconds exclude each other");
    return 0;
}

static int take_engine(cli *c, const cli_call *call, engine_settings *s)
{
    static const struct {
        const char *name;
        engine_kind kind;
    } engines[] = { { "sglang", ENGINE_SGLANG },
                    { "vllm", ENGINE_VLLM },
                    { "trtllm", ENGINE_TRTLLM },
                    { "tensorrt-llm", ENGINE_TRTLLM } };
    const char *name = call->flags[CLI_ENGINE];
    for (size_t i = 0; i < sizeof engines / sizeof *engines && name; i++)
        if (strcasecmp(name, engines[i].name) == 0) s->kind = engines[i].kind;
    if (name && s->kind == ENGINE_ANY)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--engine must be sglang, vllm or trtllm, not '%.100s'", name);
    return 0;
}

static int take_times(cli *c, const cli_call *call, engine_settings *s)
{
    const char *steps = call->flags[CLI_STEPS], *seconds = call->flags[CLI_SECONDS],
               *timeout = call->flags[CLI_TIMEOUT];
    char *end;
    s->steps = steps ? strtol(steps, &end, 10) : 0;
    if (steps && (end == steps || *end || s->steps < 1 || s->steps > STEPS_MOST))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--steps '%.100s': not between 1 and %d", steps, STEPS_MOST);
    s->record_ms = seconds ? milliseconds(seconds, SECONDS_MOST) : 0;
    if (seconds && !s->record_ms)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--seconds '%.100s': no time up to %d seconds", seconds,
                             SECONDS_MOST);
    s->timeout_ms = timeout ? milliseconds(timeout, TIMEOUT_MOST) : TIMEOUT * 1000;
    if (!s->timeout_ms)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--timeout '%.100s': no time such as 120s", timeout);
    return 0;
}

/* The name of a folder for a server, whose own folder is another one. */
static char *absolute(const char *path)
{
    char *whole = realpath(path, NULL), here[4096];
    if (whole || *path == '/') return whole ? whole : strdup(path);
    if (!getcwd(here, sizeof here) || asprintf(&whole, "%s/%s", here, path) < 0) return NULL;
    return whole;
}

static void print_results(cli *c, const engine_settings *s, const engine_result *r)
{
    enum { NAMED_MOST = 16 }; /* most files that the command names */
    cli_print(c->out, "%zu trace%s of %s in ", r->found.count, r->found.count == 1 ? "" : "s", r->engine);
    cli_print_safe(c->out, s->folder);
    cli_print(c->out, "\n");
    for (size_t i = 0; i < r->found.count; i++) {
        cli_print(c->out, "%9.2f MB  ", (double)r->found.at[i].size / 1e6);
        cli_print_safe(c->out, r->found.at[i].name);
        cli_print(c->out, "\n");
    }
    cli_print(c->out, "\nto look at %s:\n  tfprof triage", r->found.count == 1 ? "it" : "them");
    bool each = r->others && r->found.count <= NAMED_MOST;
    for (size_t i = 0; i < (each ? r->found.count : 1); i++) {
        cli_print(c->out, " ");
        cli_print_safe(c->out, s->folder);
        if (!each) continue;
        cli_print(c->out, "/");
        cli_print_safe(c->out, r->found.at[i].name);
    }
    cli_print(c->out, "\n");
}

static int capture(cli *c, const cli_call *call, engine_settings *s)
{
    char why[CLI_LINE_MAX / 2];
    bool drawn = false;
    engine_result r;
    struct sigaction soft = { .sa_handler = stop_softly }, term, hangup;
    sigemptyset(&soft.sa_mask);
    s->stopped = is_stopped;
    s->progress = isatty(STDERR_FILENO) ? draw : NULL;
    s->ctx = &drawn;
    sigaction(SIGTERM, &soft, &term);
    sigaction(SIGHUP, &soft, &hangup);
    int status = engine_capture(s, &r, why, sizeof why);
    s->ctx = NULL;
    sigaction(SIGTERM, &term, NULL);
    sigaction(SIGHUP, &hangup, NULL);
    if (drawn) cli_stderr("\r\033[K", 4);
    if (*r.note) cli_tell_remark(c, r.note);
    if (!status)
        print_results(c, s, &r);
    else
        cli_fault_set(&c->fault, status, "%.300s: %s", call->words[0], why);
    engine_files_free(&r.found);
    return status;
}

int cli_engine_capture(cli *c, const cli_call *call)
{
    char token[CLI_TOKEN_ROOM];
    const char *fault = NULL;
    engine_settings s = { .folder = call->flags[CLI_O] };
    int status = check_options(c, call);
    if (!status) status = take_engine(c, call, &s);
    if (!status) status = take_times(c, call, &s);
    /* TFPROF_TOKEN is for agents of tfprof: it is not sent to other servers. */
    if (!status && call->flags[CLI_TOKEN_FILE]) status = cli_find_token(c, call, token);
    if (status) return status;
    if (call->flags[CLI_TOKEN_FILE]) s.token = token;
    if (!http_url_of(call->words[0], "80", &s.url, &fault) || (strchr(s.url.path, '?') && (fault = "it has a query")))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "%.300s: %s", call->words[0], fault);
    char *folder = absolute(s.folder);
    if (!folder) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    s.server_folder = call->flags[CLI_SERVER_DIR] ? call->flags[CLI_SERVER_DIR] : folder;
    status = capture(c, call, &s);
    free(folder);
    return status;
}
