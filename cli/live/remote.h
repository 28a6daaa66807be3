// SPDX-License-Identifier: Apache-2.0
/* cli/live/remote.h: what top and capture share that ask other machines (--agent). */
#ifndef TFPROF_CLI_REMOTE_H
#define TFPROF_CLI_REMOTE_H

#include "agent/agent.h"
#include "cli.h"

typedef struct cli_remote_text { /* what the other end says, until it is whole */
    char *data;
    size_t size;
} cli_remote_text;

/* For remote.write: appends to the text; 1 without memory, or when it gets too long. */
int cli_remote_keep(void *ctx, const void *data, size_t size);
enum { CLI_AGENTS_MOST = 1000 };
/* The addresses of --agent: HOST:PORT, several with commas, or @FILE with one a line. Freed by the caller: words, list. 0, or the status of
 * the fault. */
typedef struct cli_agents {
    char *words;
    const char **list;
    size_t count;
} cli_agents;
int cli_remote_agents(cli *c, const char *value, cli_agents *out);
void cli_remote_agents_free(cli_agents *a);
/* --timeout in seconds, `without` where it is not given; 0, or the status of the fault. */
int cli_remote_seconds(cli *c, const cli_call *call, cli_flag_id flag, double without, double *out);
/* Prints the text line by line, so that nothing in it moves the cursor. */
int cli_remote_show(cli *c, cli_remote_text *t);
/* The token and -format. 0, or the status of the fault. */
int cli_remote_begin(cli *c, const cli_call *call, const tfp_options *o, char token[CLI_TOKEN_ROOM], const char **form);

/* live/remote_top.c: hang --agent. */
int cli_remote_hang(cli *c, const cli_call *call, const tfp_options *o);

#endif
