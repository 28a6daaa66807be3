/* server/server.h: `tfprof serve`: a small HTTP server whose answers are reports of the library. Of the library it sees
 * tfprof.h only. What it promises is in docs/http.md. */
#ifndef TFP_SERVER_H
#define TFP_SERVER_H

#include "tfprof/tfprof.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct serve_input { /* files that were named together become one profile */
    const char *format;      /* of tfp_list(TFP_FORMATS, i); NULL: known by its content */
    const char *path;
} serve_input;

typedef struct serve_options {
    const char *host;          /* NULL: 127.0.0.1; another address must be asked for */
    int port;                  /* 0: any free one */
    bool no_token;             /* on loopback only */
    bool open;                 /* show the page in the user's browser */
    const serve_input *inputs; /* files and folders */
    size_t input_count;
    bool together; /* the inputs are one profile: they were given with --FORMAT_path */
    /* Says a line to the user: where the page is, what another address means. */
    void (*say)(void *ctx, const char *line);
    void *ctx;
} serve_options;

/* Serves until SIGTERM or SIGINT. The exit status of the program; `why` gets a line when it is not 0. */
int serve(const serve_options *o, char *why, size_t room);

#endif
