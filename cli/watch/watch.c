// SPDX-License-Identifier: Apache-2.0
/* cli/watch/watch.c: the command watch: watches jobs until it is stopped and prints findings as they come; and the
 * tables of a store. */
#include "after.h"
#include "agent/findings.h"
#include "cli.h"
#include "tfprof/watch.h"
#include "webhook.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

typedef struct shown {
    cli *c;
    bool text, lines;          /* text: for people, a line for each finding when it comes; lines: the same as JSON */
    webhook *hook, *collector; /* NULL: none */
    after *captures;
    bool failed;
} shown;

static int show_row(void *ctx, const tfp_report *columns, const char *text, const char *json)
{
    shown *s = ctx;
    after_look(s->captures);
    if (json && s->hook && finding_alarms(json)) webhook_add(s->hook, json);
    if (json && s->collector && finding_alarms(json)) webhook_add(s->collector, json);
    if (columns && s->lines) s->failed |= tfp_report_write(columns, "jsonl", cli_write, s->c->out, s->c->err) != TFP_OK;
    if (text && s->text) cli_print(s->c->out, "%s\n", text);
    if (json && s->lines) cli_print(s->c->out, "%s\n", json);
    if ((text || columns || json) && (s->text || s->lines) && cli_flush(s->c->out)) s->failed = true;
    return cli_interrupted || s->failed;
}

static tfp_status set_all(tfp_watch *w, const cli_call *call, tfp_error *err)
{
    static const struct {
        cli_flag_id flag;
        const char *name;
    } settings[] = {
        { CLI_O, "dir" },     { CLI_FOR, "for" },   { CLI_RATE, "rate" },     { CLI_RING, "ring" },
        { CLI_KEEP, "keep" }, { CLI_ONCE, "once" }, { CLI_ATTACH, "attach" },
    };
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !s; i++)
        if (call->flags[settings[i].flag]) s = tfp_watch_set(w, settings[i].name, call->flags[settings[i].flag], err);
    for (size_t i = 0; i < call->word_count && !s; i++) s = tfp_watch_select(w, call->words[i], err);
    return s;
}

static int check_kinds(cli *c, const char *names)
{
    for (const char *at = names; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ",");
        if (n != 4 || (strncmp(at, "late", 4) != 0 && strncmp(at, "slow", 4) != 0 && strncmp(at, "hang", 4) != 0))
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--fail-on: '%.*s' must be late, slow or hang", (int)n, at);
    }
    return 0;
}

/* Status 5 when a kind that is named was found. */
static int fail_on(cli *c, const tfp_watch *w, const char *names)
{
    char kind[5] = "";
    for (const char *at = names; at && *at; at += strcspn(at, ","), at += *at == ',') {
        memcpy(kind, at, 4);
        size_t n = tfp_watch_found(w, kind);
        if (n) return cli_fault_set(&c->fault, CLI_FOUND, "--fail-on %s: %zu finding%s", kind, n, n == 1 ? "" : "s");
    }
    return 0;
}

static int start_hook(cli *c, const cli_call *call, bool otlp, webhook **out)
{
    const char *why, *url = call->flags[otlp ? CLI_OTLP : CLI_WEBHOOK];
    bool usage;
    if (!url) return 0;
    *out = webhook_new(url, otlp, &usage, &why);
    return *out ? 0
                : cli_fault_set(&c->fault, usage ? CLI_BAD_USAGE : CLI_LIMIT, "--%s '%s': %s",
                                otlp ? "otlp" : "webhook", url, why);
}

static void tell(cli *c, const char *note)
{
    if (note) cli_tell_remark(c, note);
}

static void stop(int number)
{
    (void)number;
    cli_interrupted = 1;
}

static int run(cli *c, const cli_call *call, tfp_options *o, tfp_watch *w)
{
    after captures = { .attach = call->flags[CLI_ATTACH] != NULL };
    shown how = { .c = c,
                  .text = cli_option_begins(o, "format", "text"),
                  .lines = cli_option_begins(o, "format", "jsonl"),
                  .captures = &captures };
    tfp_report *r = NULL;
    struct sigaction ends = { .sa_handler = stop }, ignored = { .sa_handler = SIG_IGN };
    tfp_status s = set_all(w, call, c->err);
    bool once = call->flags[CLI_ONCE] != NULL;
    if (once) how.text = how.lines = false;
    if (s) return cli_fault_from(&c->fault, s, c->err);
    int hooked = start_hook(c, call, false, &how.hook);
    if (!hooked) hooked = start_hook(c, call, true, &how.collector);
    if (hooked) return hooked;
    sigaction(SIGINT, &ends, NULL);
    sigaction(SIGTERM, &ends, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
    tfp_watch_on_row(w, show_row, &how);
    if (call->flags[CLI_CAPTURE]) tfp_watch_on_capture(w, after_start, &captures);
    if (how.text && isatty(STDERR_FILENO)) cli_tell(c, "findings appear here; ^C ends watching");
    s = tfp_watch_run(w, o, &r, c->err);
    if (how.hook) tell(c, webhook_end(how.hook));
    if (how.collector) tell(c, webhook_end(how.collector));
    tell(c, after_end(&captures));
    cli_interrupted = 0; /* it is how a watch ends */
    int status = s ? cli_fault_from(&c->fault, s, c->err) : 0, put = 0;
    if (how.failed) put = cli_stdout_fault(c);
    if (r && !how.text && !how.lines)
        put = cli_put_live(c, r, o);
    else
        tfp_report_free(r);
    if (!status) status = put;
    return status ? status : fail_on(c, w, call->flags[CLI_FAIL_ON]);
}

static int show(cli *c, const cli_call *call, tfp_options *o)
{
    tfp_report *r = NULL;
    if (!call->flags[CLI_TABLE])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE,
                             "--show needs --table: watch_steps, watch_findings or watch_jobs");
    tfp_status s = tfp_watch_show(call->flags[CLI_SHOW], call->flags[CLI_TABLE], o, &r, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : cli_put_live(c, r, o);
}

int cli_watch(cli *c, const cli_call *call, tfp_options *o)
{
    int status = check_kinds(c, call->flags[CLI_FAIL_ON]);
    if (status) return status;
    if (call->flags[CLI_SHOW]) return show(c, call, o);
    if (call->flags[CLI_TABLE]) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--table needs --show DIR");
    tfp_watch *w = tfp_watch_new();
    status = w ? run(c, call, o, w) : cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_watch_free(w);
    return status;
}
