// SPDX-License-Identifier: Apache-2.0
/* cli/live/remote.h: shared by top and capture when they ask other machines (--agent). */
#ifndef TFPROF_CLI_REMOTE_H
#define TFPROF_CLI_REMOTE_H

#include "agent/agent.h"
#include "cli.h"

typedef struct cli_remote_text { /* the other side's answer, collected until it is complete */
    char *data;
    size_t size;
} cli_remote_text;

/* For remote.write: appends to the text; returns 1 when memory is out or it becomes too long. */
int cli_remote_keep(void *ctx, const void *data, size_t size);
enum { CLI_AGENTS_MOST = 1000 };
/* Reads the addresses in --agent: HOST:PORT, several separated by commas, or @FILE with one per line. The caller frees words and list.
 * Returns 0, or the status of an error. */
typedef struct cli_agents {
    char *words;
    const char **list;
    size_t count;
} cli_agents;
int cli_remote_agents(cli *c, const char *value, cli_agents *out);
void cli_remote_agents_free(cli_agents *a);
/* Reads --timeout in seconds; `without` is the default. Returns 0, or the status of an error. */
int cli_remote_seconds(cli *c, const cli_call *call, cli_flag_id flag, double without, double *out);
/* Reads the token and -format. Returns 0, or the status of an error. */
int cli_remote_begin(cli *c, const cli_call *call, const tfp_options *o, char token[CLI_TOKEN_ROOM], const char **form);

/* live/remote_top.c: hang --agent. */
int cli_remote_hang(cli *c, const cli_call *call, const tfp_options *o);

#endif
