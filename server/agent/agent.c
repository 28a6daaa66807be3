// SPDX-License-Identifier: Apache-2.0
/* server/agent/agent.c: `tfprof agent`: samples the jobs when their metrics are fetched or must be sent. */
#include "agent.h"

#include "findings.h"
#include "http/address.h"
#include "http/clock.h"
#include "push.h"
#include "watching.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define LEAST_MS 1000 /* between two samples: rates over less time are not meaningful */
#define MORE_LOOKS 2  /* additional samples for one answer */
#define TURN_MS 250
#define OTLP_PORT "4318" /* the default port of OTLP over HTTP */
#define OTLP_PATH "/v1/metrics"

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2, LIMIT = 4 };
enum { FINDINGS_MOST = 16 /* sent in a turn */ };

static volatile sig_atomic_t stopped;

static void on_stop(int signal)
{
    (void)signal;
    if (stopped) _exit(0);
    stopped = 1;
}

typedef struct agent {
    const agent_options *options;
    http_url url, logs; /* addresses of the OTLP collector */
    push_target targets[PUSH_KINDS];
    push_rounds rounds;
    /* fetchers: connections for metrics; askers: connections from tfprof on other machines */
    fetchers *fetchers, *askers;
    recorder recorder;
    watching *watching; /* NULL: none */
    tfp_error *err;
    int64_t looked_ms, sent_ms;
    bool failed, rounds_failed; /* whether the last send failed, and the last round of stacks */
} agent;

/* ---- jobs ---- */

static tfp_status sample(agent *a)
{
    tfp_status s = tfp_live_sample(a->options->jobs, a->err);
    a->looked_ms = now_ms();
    return s;
}

/* Samples the jobs. A new job gets its rate after one more interval, or after two if searching its library takes long, so the answer
 * waits for that. */
static tfp_status look(agent *a, tfp_report **out)
{
    tfp_status s = TFP_OK;
    if (now_ms() - a->looked_ms >= LEAST_MS) s = sample(a);
    for (int turns = 0; !s && turns < MORE_LOOKS && tfp_live_sampled_once(a->options->jobs); turns++) {
        int64_t left = a->looked_ms + LEAST_MS - now_ms();
        struct timespec rest = { left / 1000, left % 1000 * 1000000 };
        if (left > 0) nanosleep(&rest, NULL);
        s = sample(a);
    }
    return s ? s : tfp_live_top(a->options->jobs, NULL, out, a->err);
}

static void fill_text(void *ctx, answer *out)
{
    agent *a = ctx;
    tfp_report *top = NULL;
    if (look(a, &top))
        answer_error(out, ANSWER_BUSY, "%s", tfp_error_message(a->err));
    else
        metrics_prometheus(top, a->options->commands, out);
    if (a->watching && out->status == ANSWER_OK) watching_prometheus(a->watching, a->options->commands, out);
    tfp_report_free(top);
}

/* Sends the metrics now. If the collector does not answer, they are not sent again later: the next send has current
 * values. */
static void send_now(agent *a)
{
    answer body = { .status = ANSWER_OK };
    tfp_report *top = NULL;
    struct timespec t;
    char why[300] = "", line[800];
    clock_gettime(CLOCK_REALTIME, &t);
    bool ok = look(a, &top) == TFP_OK;
    if (!ok) snprintf(why, sizeof why, "%s", tfp_error_message(a->err));
    if (ok) metrics_otlp(top, a->options->commands, (int64_t)t.tv_sec * 1000000000 + t.tv_nsec, &body);
    ok = ok && agent_post(&a->url, "application/x-protobuf", &body, why, sizeof why);
    if (!ok && !a->failed) {
        snprintf(line, sizeof line, "%s: %s", a->options->otlp, *why ? why : "out of memory");
        a->options->warn(a->options->ctx, line);
    }
    a->failed = !ok;
    answer_free(&body);
    tfp_report_free(top);
}

/* Findings go to the collector as soon as they are found; `change` and `ended` are kept, and not sent. */
static void send_findings(agent *a)
{
    char why[300] = "", line[800];
    struct timespec t;
    char *json;
    for (int i = 0; i < FINDINGS_MOST && (json = watching_take(a->watching)); i++) {
        bool alarm = finding_alarms(json);
        answer body = { .status = ANSWER_OK };
        clock_gettime(CLOCK_REALTIME, &t);
        int64_t now_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
        if (alarm) findings_otlp(json, a->options->commands, now_ns, &body);
        free(json);
        bool ok = !alarm || agent_post(&a->logs, "application/x-protobuf", &body, why, sizeof why);
        answer_free(&body);
        if (ok) continue;
        snprintf(line, sizeof line, "%s: a finding was not sent: %s", a->options->otlp, *why ? why : "out of memory");
        a->options->warn(a->options->ctx, line);
        return; /* further ones wait for the next turn */
    }
}

/* ---- the beginning ---- */

/* PORT, HOST:PORT, [V6]:PORT */
static bool split_address(const char *text, char *host, size_t room, int *port)
{
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    size_t size = colon ? (size_t)(colon - text) : 0, n = strspn(digits, "0123456789");
    if (!n || n > 5 || digits[n]) return false;
    *port = atoi(digits);
    if (size && *text == '[' && text[size - 1] == ']') text++, size -= 2;
    if (*port > 65535 || size >= room || (colon && !size)) return false;
    if (!size) text = "127.0.0.1", size = strlen(text);
    snprintf(host, room, "%.*s", (int)size, text);
    return true;
}

static tfp_status look_for_recorder(void *ctx, tfp_report **out) { return look(ctx, out); }

/* Starts to listen at the address that `option` gives; returns 0 or the status. */
static int start_listening(const agent_options *o, const char *option, const char *where, fetch_rules *rules,
                           fetchers **out, char *why, size_t room)
{
    char host[64];
    address at;
    socklen_t size;
    bool loopback;
    int port;
    if (!split_address(where, host, sizeof host, &port) || !address_of(host, port, &at, &size, &loopback)) {
        snprintf(why, room, "%s '%s': neither PORT nor an address such as 127.0.0.1:9400 or [::1]:9400", option, where);
        return BAD_USAGE;
    }
    if ((!loopback || rules->ask) && !o->token) {
        snprintf(why, room, "%s %s: %s: --token-file, or TFPROF_TOKEN", option, where,
                 rules->ask ? "it records jobs, so it needs a token" : "other machines need a token");
        return BAD_USAGE;
    }
    int listener = address_listen(&at, size);
    if (listener < 0) {
        snprintf(why, room, "%s %s: %s", option, where, strerror(errno));
        return BAD_USAGE;
    }
    rules->token = o->token;
    rules->warn = o->warn;
    rules->warn_ctx = o->ctx;
    rules->port = address_port(&at);
    snprintf(rules->host, sizeof rules->host, strchr(host, ':') ? "[%s]" : "%s", host);
    *out = fetchers_new(listener, rules);
    if (!*out) close(listener);
    return *out ? DONE : LIMIT;
}

static int listen_for_metrics(agent *a, char *why, size_t room)
{
    const agent_options *o = a->options;
    fetch_rules rules = { .fill = fill_text, .ctx = a };
    char line[200];
    int status = start_listening(o, "--metrics", o->metrics, &rules, &a->fetchers, why, room);
    snprintf(line, sizeof line, "http://%s:%d/metrics", rules.host, rules.port);
    if (!status) o->say(o->ctx, line);
    return status;
}

static int listen_for_others(agent *a, char *why, size_t room)
{
    const agent_options *o = a->options;
    a->recorder = (recorder){ .look = look_for_recorder, .ctx = a, .commands = o->commands };
    fetch_rules rules = { .ask = recorder_ask, .ctx = &a->recorder };
    char line[200];
    int status = start_listening(o, "--listen", o->listen, &rules, &a->askers, why, room);
    snprintf(line, sizeof line, "tfprof top --agent %s:%d", rules.host, rules.port);
    if (!status) o->say(o->ctx, line);
    return status;
}

/* Reports an error only once, because the next rounds mostly have the same one. */
static void end_round(agent *a)
{
    char why[400];
    if (!push_rounds_over(&a->rounds, why, sizeof why)) return;
    if (*why && !a->rounds_failed) a->options->warn(a->options->ctx, why);
    a->rounds_failed = *why != '\0';
}

static void turn(agent *a)
{
    struct timespec nap = { 0, TURN_MS * 1000000 };
    int both = a->fetchers && a->askers ? 2 : 1;
    if (a->fetchers) fetchers_wait(a->fetchers, TURN_MS / both);
    if (a->askers) fetchers_wait(a->askers, TURN_MS / both);
    if (!a->fetchers && !a->askers) nanosleep(&nap, NULL);
    recorder_reap(&a->recorder, false);
    end_round(a);
    if (a->watching && a->options->otlp) send_findings(a);
    if (stopped || (double)(now_ms() - a->sent_ms) < a->options->interval * 1e3) return;
    a->sent_ms = now_ms();
    if (a->options->otlp) send_now(a);
    if (a->rounds.target_count) push_rounds_begin(&a->rounds);
}

static int find_targets(agent *a, char *why, size_t room)
{
    static const char *const names[PUSH_KINDS] = { [PUSH_PYROSCOPE] = "--pyroscope", [PUSH_PARCA] = "--parca" };
    const agent_options *o = a->options;
    const char *wrong = "", *option = "--otlp", *text = o->otlp;
    bool ok = !text || (http_url_of(text, OTLP_PORT, &a->url, &wrong) &&
                        (strcmp(a->url.path, "/") != 0 || http_url_below(&a->url, OTLP_PATH, &wrong)) &&
                        (!o->watch || findings_url(text, &a->logs, &wrong)));
    a->rounds = (push_rounds){ .targets = a->targets, .processes = o->processes };
    for (int i = 0; i < PUSH_KINDS && ok; i++) {
        option = names[i];
        text = o->push[i];
        if (text) ok = push_target_of((push_kind)i, text, &a->targets[a->rounds.target_count++], &wrong);
    }
    if (!ok) snprintf(why, room, "%s '%.200s': %s", option, text, wrong);
    return ok ? DONE : BAD_USAGE;
}

static int begin(agent *a, char *why, size_t room)
{
    const agent_options *o = a->options;
    int status = find_targets(a, why, room);
    if (!status && o->metrics) status = listen_for_metrics(a, why, room);
    if (!status && o->listen) status = listen_for_others(a, why, room);
    if (!status && o->watch && !(a->watching = watching_new(o->watch, o->words, o->word_count, why, room)))
        status = BAD_INPUT;
    if (status) return status;
    if (sample(a)) {
        snprintf(why, room, "%s", tfp_error_message(a->err));
        return BAD_INPUT;
    }
    a->sent_ms = a->looked_ms; /* the first send comes one interval after the start */
    return DONE;
}

int agent_run(const agent_options *o, char *why, size_t room)
{
    agent a = { .options = o, .err = tfp_error_new() };
    struct sigaction stop = { .sa_handler = on_stop }, ignored = { .sa_handler = SIG_IGN };
    static const int ending[] = { SIGTERM, SIGINT, SIGHUP };
    *why = '\0';
    stopped = 0;
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) sigaction(ending[i], &stop, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    int status = begin(&a, why, room);
    while (!status && !stopped) turn(&a);
    if (status == LIMIT) snprintf(why, room, "agent: out of memory");
    const char *unwritten = a.watching ? watching_end(a.watching) : NULL;
    if (unwritten) o->warn(o->ctx, unwritten);
    fetchers_free(a.fetchers);
    fetchers_free(a.askers);
    recorder_reap(&a.recorder, true);
    push_rounds_end(&a.rounds);
    tfp_error_free(a.err);
    return status;
}
