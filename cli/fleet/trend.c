// SPDX-License-Identifier: Apache-2.0
/* cli/fleet/trend.c: the command trend: what changed lastingly in an index. */
#include "cli.h"
#include "tfprof/fleet.h"

#include <string.h>

int cli_trend(cli *c, const cli_call *call, tfp_options *o)
{
    const char *const *flags = call->flags;
    const char *settings[] = { "q",   flags[CLI_Q],   "min-change", flags[CLI_MIN_CHANGE], "since", flags[CLI_SINCE],
                               "job", flags[CLI_JOB], "op",         flags[CLI_OP],         NULL };
    const char *fail_on = flags[CLI_FAIL_ON];
    size_t regressed = 0;
    tfp_report *r = NULL;
    if (call->word_count != 1)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "trend needs one folder that tfprof index made");
    if (fail_on && strcmp(fail_on, "regressed") != 0)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--fail-on: '%s' must be regressed", fail_on);
    tfp_status s = tfp_index_trend(call->words[0], settings, o, &r, &regressed, c->err);
    if (s) return cli_fault_from(&c->fault, s, c->err);
    int status = cli_put(c, r, o);
    if (status || !fail_on || !regressed) return status;
    return cli_fault_set(&c->fault, CLI_FOUND, "--fail-on regressed: %zu row%s", regressed, regressed == 1 ? "" : "s");
}
