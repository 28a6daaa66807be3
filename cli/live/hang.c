// SPDX-License-Identifier: Apache-2.0
/* cli/live/hang.c: the command hang for a job that still runs: from its processes on this machine, or through agents of
 * other machines. */
#include "cli.h"
#include "remote.h"

#include <string.h>
#include <unistd.h>

/* Whether a word means a process or a script: no file has that name, and it is no path. */
static bool is_process(const char *word) { return *word && !strchr(word, '/') && access(word, F_OK) != 0; }

bool cli_hang_is_live(const cli_call *call)
{
    bool all = call->word_count > 0;
    for (size_t i = 0; all && i < call->word_count; i++) all = is_process(call->words[i]);
    return call->flags[CLI_AGENT] || all;
}

int cli_hang_live(cli *c, const cli_call *call, const tfp_options *o)
{
    tfp_report *r = NULL;
    if (call->flags[CLI_AGENT]) return cli_remote_hang(c, call, o);
    tfp_status s = tfp_live_hang((const char *const *)call->words, call->word_count, o, &r, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : cli_put_live(c, r, o);
}
