// SPDX-License-Identifier: Apache-2.0
/* server/report.h: `tfprof report`: one file with the page and the answers that it would ask a server for. */
#ifndef TFP_SERVER_REPORT_H
#define TFP_SERVER_REPORT_H

#include "api/routes.h"
#include "server.h"

typedef struct report_options {
    serve_options inputs; /* the files that the report is of */
    const char *source;   /* a folder of source text; NULL: no text goes into the file */
    const char *place;    /* where its page begins, as an address has it behind the profile's id; NULL: with the overview */
    long long step;       /* the step that is shown; -1: the mean of all steps, and the runs of the first */
    size_t size_most;     /* most bytes of the file; answers that do not fit are left out */
    /* Tells the user, in a line, of something left out. */
    void (*say)(void *ctx, const char *line);
    bool (*stopped)(void *ctx); /* whether to give up */
    void *ctx;
} report_options;

enum { REPORT_BAD_USAGE = 2 }; /* the status where the question is wrong: a step that the profile does not have */
#define REPORT_MOST ((size_t)180 << 20) /* bytes that size_most may be */

/* The report of profiles that a server holds; `inputs` of the options does not count. The bytes go into `to`. Result as below. */
int report_of_served(const report_options *o, catalog *c, const profile_ids *ids, answer *to, char *why, size_t room);

/* The file's bytes, which the caller frees. The exit status of the program; `why` gets a line when it is not 0. */
int report_make(const report_options *o, char **data, size_t *size, char *why, size_t room);

#endif
