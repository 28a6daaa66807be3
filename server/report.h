// SPDX-License-Identifier: Apache-2.0
/* server/report.h: `tfprof report`: one file with the page and the answers to the requests that it would send to a
 * server. */
#ifndef TFP_SERVER_REPORT_H
#define TFP_SERVER_REPORT_H

#include "api/routes.h"
#include "server.h"

typedef struct report_options {
    serve_options inputs; /* the files that the report is about */
    const char *source;   /* a folder of source text; NULL: no source text is included */
    const char *place; /* where the page begins, in the form of an address after the profile's id; NULL: the overview */
    long long step;    /* the step that is shown; -1: the mean of all steps, and the runs of the first one */
    size_t size_most;  /* most bytes of the file; answers that do not fit are left out */
    /* Tells the user, in one line, about something that was left out. */
    void (*say)(void *ctx, const char *line);
    bool (*stopped)(void *ctx); /* whether to give up */
    void *ctx;
} report_options;

enum { REPORT_BAD_USAGE = 2 };          /* the status for a wrong request: a step that the profile does not have */
#define REPORT_MOST ((size_t)180 << 20) /* bytes that size_most may be */

/* Makes the report of profiles that a server holds; `inputs` of the options is ignored. The bytes are added to `to`. Result as
 * below. */
int report_of_served(const report_options *o, catalog *c, const profile_ids *ids, answer *to, char *why, size_t room);

/* Makes the file's bytes, which the caller frees. Returns the program's exit status; `why` gets a line when it is not
 * 0. */
int report_make(const report_options *o, char **data, size_t *size, char *why, size_t room);

#endif
