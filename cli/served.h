// SPDX-License-Identifier: Apache-2.0
/* cli/served.h: shared by the commands that show pages: the files that they are given. */
#ifndef TFP_CLI_SERVED_H
#define TFP_CLI_SERVED_H

#include "cli.h"
#include "server.h"

/* Returns the exit status; `why` gets a line when it is not 0. */
typedef int (*cli_use_fn)(void *ctx, const serve_options *s, char *why, size_t room);

/* serve.c: calls use() with the files and folders of a call as the inputs of *s, or with those in the current folder if
 * none is named. Returns the exit status. */
int cli_with_inputs(cli *c, const cli_call *call, serve_options *s, cli_use_fn use, void *ctx);

/* serve_index.c: the word of a call that names an index; NULL: none. */
const char *cli_index_of(const cli_call *call);
/* The same for that index and the folders of its traces. */
int cli_serve_index(cli *c, const cli_call *call, serve_options *s, cli_use_fn use, void *ctx);

#endif
