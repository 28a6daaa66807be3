// SPDX-License-Identifier: Apache-2.0
/* cli/stacks.c: the command stacks: Python stacks of a running process, sampled for a while or read once. */
#include "cli.h"

static int stop_when_interrupted(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx, (void)done, (void)total;
    return cli_interrupted != 0;
}

int cli_stacks(cli *c, const cli_call *call, tfp_options *o)
{
    static const struct {
        cli_flag_id flag;
        const char *name;
    } all[] = { { CLI_SECONDS, "seconds" },
                { CLI_RATE, "rate" },
                { CLI_IDLE, "idle" },
                { CLI_ONCE, "once" },
                { CLI_NATIVE, "native" } };
    if (call->word_count != 1) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "stacks needs one process: PID or NAME");
    tfp_live *l = tfp_live_new();
    tfp_report *r = NULL;
    if (!l) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && !s; i++)
        if (call->flags[all[i].flag]) s = tfp_live_set(l, all[i].name, call->flags[all[i].flag], c->err);
    if (!s) s = tfp_live_stacks(l, call->words[0], o, stop_when_interrupted, NULL, &r, c->err);
    tfp_live_free(l);
    return s ? cli_fault_from(&c->fault, s, c->err) : cli_put_live(c, r, o);
}
