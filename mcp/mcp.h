// SPDX-License-Identifier: Apache-2.0
/* mcp/mcp.h: the Model Context Protocol over stdin and stdout (https://modelcontextprotocol.io): programs that answer questions for people
 * ask for views, SQL and differences of the profiles below one folder. Nothing is written, nothing above the folder is read.
 *
 *     stdin ──protocol.c──▶ tools.c: words of a command ──call.c: a child, which runs it──▶ a report's rows ──▶ stdout
 */
#ifndef TFP_MCP_H
#define TFP_MCP_H

#include "tfprof/tfprof.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs the words of a command line (without tfprof itself) and passes to take() its report and the lines that it would have written to stderr.
 * Returns 0, or an exit status with a line in `why`. */
typedef struct mcp_program {
    int (*run)(void *ctx, char **words, size_t count, void (*take)(void *to, const tfp_report *r, const char *said),
               void *to, char *why, size_t room);
    void *ctx;
} mcp_program;

/* Serves until stdin ends, from the current folder, whose descriptor is `root`. Returns 0, or 3 when stdout cannot be
 * written to. */
int mcp_serve(int root, const mcp_program *program);

#endif
