// SPDX-License-Identifier: Apache-2.0
/* server/api/routes.h: the paths, and the function that answers each. */
#ifndef TFP_SERVER_ROUTES_H
#define TFP_SERVER_ROUTES_H

#include "http/answer.h"
#include "data/catalog.h"
#include "data/live.h"
#include "http/request.h"

#include <stdatomic.h>

/* The components of a path at the stars of its route. */
typedef struct route_words {
    char text[4][512];
} route_words;

/* Some of the profiles, by their ids. */
typedef struct profile_ids {
    char (*at)[24];
    size_t count;
} profile_ids;

typedef struct question { /* a request in the form that an answering function gets */
    catalog *catalog;
    live *live; /* running jobs; NULL: they are not shown */
    const request *request;
    route_words words;
    lease profile;           /* for a route that needs one */
    const profile_ids *only; /* for a report: its profiles; paths are cut to names. NULL: all profiles, whole paths */
    _Atomic bool *reporting; /* whether a report is being made for another request; NULL: reports cannot be made here */
    const struct source_index *sources; /* for a report: its texts are reduced to these lines; NULL: whole texts */
    /* Tells whether to give up. NULL: profiles are not waited for, and the answer is ANSWER_LOADING while one is
     * read. */
    bool (*stopped)(void *ctx);
    void *ctx;
} question;

typedef struct route {
    const char *path; /* "/api/v1/profiles/ * /views/ *" without the blanks: a star is one part of the path */
    void (*answer)(const question *q, answer *a);
    const char *parameters; /* the parameters that it takes, separated by one blank; "*": it checks them itself */
    enum {
        ROUTE_QUICK = 1,   /* answered at once, by the connection's own thread */
        ROUTE_PROFILE = 2, /* the first star is a profile's id, and the profile is read first */
        ROUTE_POST = 3     /* it changes something: only POST, answered at once */
    } kind;
} route;

/* Whether a list of words separated by one blank contains a word. */
bool routes_list_has(const char *list, const char *word);

/* Fills the answer for any request. The question's catalog, request and stopped must be set. */
void routes_answer(question *q, answer *a);
bool routes_quick(const char *path);
bool routes_changes(const char *path); /* whether the path is for POST */

/* Leases another profile for a question. False: the answer has the reason; otherwise it must be given back. */
bool question_lease(const question *q, const char *id, lease *l, answer *a);

/* A path as answers show it: a report hides where its files were on this machine. */
const char *question_told_path(const question *q, const char *path);

/* The lists of routes, each ending with an empty one. */
extern const route routes_tables[], routes_profiles[], routes_views[], routes_records[], routes_timeline[],
    routes_runs[], routes_compare[], routes_source[], routes_command[], routes_live[], routes_report[], routes_whatif[],
    routes_watch[], routes_page[];

#endif
