// SPDX-License-Identifier: Apache-2.0
/* server/report_parts.h: what the two files that make a report share. */
#ifndef TFP_SERVER_REPORT_PARTS_H
#define TFP_SERVER_REPORT_PARTS_H

#include "api/routes.h"
#include "data/source.h"
#include "report.h"

enum { SIDES_MOST = 16, TENSORS_MOST = 300, TEXTS_MOST = 300, THING_NAME = 4096 };

typedef struct lack { /* a view that a profile does not have, such as code */
    char what[32], why[400];
} lack;

typedef struct maker {
    const report_options *o;
    catalog *catalog;
    answer out;
    size_t about; /* approximate bytes of the rest of the page */
    profile_ids of;
    lack *lacks;                 /* for each profile, in the order of the ids */
    lack *lack;                  /* for the current profile; NULL: none */
    char thing[THING_NAME];      /* the tensor whose values are requested, or the file whose text is */
    const source_index *sources; /* source files whose texts are included; NULL: none */
    char *why;
    size_t room;
} maker;

typedef struct ask {
    const char *what;
    char *words; /* a copy of the line, cut into words */
    char path[512];
    char first[24], chosen[24]; /* steps */
    request request;
} ask;

bool report_is_stopped(void *maker);

/* Makes the request of a line of the list for a profile: k->words is the line, and is cut. False: there is nothing to
 * request. */
bool report_fill_ask(maker *m, ask *k, const char *id);

#endif
