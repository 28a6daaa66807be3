// SPDX-License-Identifier: Apache-2.0
/* server/server.h: `tfprof serve`: a small HTTP server whose answers are reports of the library. It uses only tfprof.h
 * of the library. Its interface is described in docs/http.md. */
#ifndef TFP_SERVER_H
#define TFP_SERVER_H

#include "tfprof/tfprof.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct serve_input { /* a file or a folder */
    const char *format;      /* of tfp_list(TFP_FORMATS, i); NULL: known by its content */
    const char *path;
    unsigned group; /* files of one group form one profile; 0: a folder, or a file by itself */
    bool text_only; /* a folder of source text, which is not searched for profiles */
} serve_input;

typedef struct serve_options {
    const char *host;          /* NULL: 127.0.0.1; other addresses must be given explicitly */
    int port;                  /* 0: any free one */
    bool no_token;             /* no token is required; on loopback only */
    bool open;                 /* show the page in the user's browser */
    const serve_input *inputs; /* files and folders */
    size_t input_count;
    const char *index;       /* the folder of an index as an absolute path: its runs are listed. NULL: none */
    const char *live_folder; /* folder for recordings; NULL: running jobs are not shown */
    int live_fd;             /* the same folder, held open */
    bool live_made;          /* it is removed at the end if it is empty */
    bool commands;           /* command lines of jobs and their stacks may be sent to other machines */
    bool hide_commands;      /* set by serve: other machines can reach the address, and `commands` is not set */
    /* Tells the user a line: the address of the page, or a warning about the address. */
    void (*say)(void *ctx, const char *line);
    /* Runs a line of the prompt over a profile; its output goes to fn(output), its errors to fn(error). Returns the
     * exit status. Several threads may call it at a time. NULL: there is no prompt. */
    int (*command)(void *ctx, const tfp_profile *p, const char *line, tfp_write_fn fn, void *output, void *error);
    void *ctx;
} serve_options;

/* Serves until SIGTERM or SIGINT. Returns the program's exit status; `why` gets a line when it is not 0. */
int serve(const serve_options *o, char *why, size_t room);

#endif
