// SPDX-License-Identifier: Apache-2.0
/* cli/live/stacks.c: the command stacks: samples the Python stacks of a running process for a while, or reads them once; can send them to
 * profile stores. */
#include "cli.h"
#include "agent/push.h"

#include <stdio.h>

/* ---- sent ---- */

static const struct {
    cli_flag_id flag;
    push_kind kind;
} stores[] = { { CLI_PYROSCOPE, PUSH_PYROSCOPE }, { CLI_PARCA, PUSH_PARCA } };
enum { STORES = sizeof stores / sizeof *stores };

/* Checks where the stacks will be sent, before anything is sampled. */
static int find_stores(cli *c, const cli_call *call, push_target to[STORES])
{
    const char *wrong = "";
    for (size_t i = 0; i < STORES; i++) {
        const char *text = call->flags[stores[i].flag], *name = cli_flags[stores[i].flag].name;
        if (!text) continue;
        if (call->flags[CLI_ONCE])
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--%s is for samples: it does not go with --once", name);
        if (!push_target_of(stores[i].kind, text, &to[i], &wrong))
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--%s '%.200s': %s", name, text, wrong);
    }
    return 0;
}

/* The labels of a process; if it can no longer be found, its selector is the service name. */
static push_job describe(const char *selector)
{
    push_job job = { 0 };
    tfp_report *top = NULL;
    tfp_live *l = tfp_live_new();
    bool ok = l && !tfp_live_set(l, "processes", NULL, NULL) && !tfp_live_set(l, "python", NULL, NULL) &&
              !tfp_live_select(l, selector, NULL) && !tfp_live_sample(l, NULL) && !tfp_live_top(l, NULL, &top, NULL);
    if (ok && tfp_report_row_count(top) == 1)
        push_job_of(top, 0, &job);
    else
        snprintf(job.service, sizeof job.service, "%s", selector);
    tfp_report_free(top);
    tfp_live_free(l);
    return job;
}

static int send_to_stores(cli *c, const cli_call *call, const push_target to[STORES], const push_job *job,
                          const tfp_report *r)
{
    char why[300];
    for (size_t i = 0; i < STORES; i++)
        if (call->flags[stores[i].flag] && !push_stacks(&to[i], r, job, call->flags[CLI_IDLE] != NULL, why, sizeof why))
            return cli_fault_set(&c->fault, CLI_BAD_INPUT, "%s: %s", call->flags[stores[i].flag], why);
    return 0;
}

/* ---- the command ---- */

int cli_stacks(cli *c, const cli_call *call, tfp_options *o)
{
    push_target to[STORES];
    push_job job = { 0 };
    if (call->word_count != 1) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "stacks needs one process: PID or NAME");
    int status = find_stores(c, call, to);
    if (status) return status;
    tfp_live *l = tfp_live_new();
    tfp_report *r = NULL;
    if (!l) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    bool sends = call->flags[CLI_PYROSCOPE] || call->flags[CLI_PARCA];
    tfp_status s = cli_live_set(l, call, c->err);
    if (!s && sends) job = describe(call->words[0]);
    if (!s) s = tfp_live_stacks(l, call->words[0], o, cli_stop_when_interrupted, NULL, &r, c->err);
    tfp_live_free(l);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    status = sends ? send_to_stores(c, call, to, &job, r) : 0;
    int shown = cli_put_live(c, r, o);
    return shown ? shown : status;
}
