// SPDX-License-Identifier: Apache-2.0
/* cli/live/hang.c: the command hang for a job that still runs: from its processes on this machine, with dumps of ranks that do not
 * run any more, or through agents of other machines. */
#include "cli.h"
#include "remote.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a word means a process or a script: no file has that name, and it is no path. */
static bool is_process(const char *word) { return *word && !strchr(word, '/') && access(word, F_OK) != 0; }

bool cli_hang_is_live(const cli_call *call)
{
    bool any = false;
    for (size_t i = 0; i < call->word_count; i++) any |= is_process(call->words[i]);
    return call->flags[CLI_AGENT] || any;
}

/* Separates the words: first the files, which are dumps, then the processes. Returns how many files there are. */
static size_t files_first(const cli_call *call, char **out)
{
    size_t n = 0, files;
    for (size_t i = 0; i < call->word_count; i++)
        if (!is_process(call->words[i])) out[n++] = call->words[i];
    files = n;
    for (size_t i = 0; i < call->word_count; i++)
        if (is_process(call->words[i])) out[n++] = call->words[i];
    return files;
}

int cli_hang_live(cli *c, const cli_call *call, const tfp_options *o)
{
    tfp_report *r = NULL;
    if (call->flags[CLI_AGENT]) return cli_remote_hang(c, call, o);
    char **words = calloc(call->word_count + 1, sizeof *words);
    if (!words) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    size_t files = files_first(call, words);
    cli_call dumps = *call;
    dumps.words = words;
    dumps.word_count = files;
    int status = files ? cli_load_dumps(c, &dumps, tfp_view_keep(call->name, o)) : 0;
    tfp_status s = status ? TFP_OK
                          : tfp_live_hang_with(files ? c->profile : NULL, (const char *const *)words + files,
                                               call->word_count - files, o, &r, c->err);
    free(words);
    if (status) return status;
    return s ? cli_fault_from(&c->fault, s, c->err) : cli_put_live(c, r, o);
}
