// SPDX-License-Identifier: Apache-2.0
/* server/routes.h: the paths, and the function that answers each. */
#ifndef TFP_SERVER_ROUTES_H
#define TFP_SERVER_ROUTES_H

#include "answer.h"
#include "catalog.h"
#include "request.h"

/* What stands at the stars of a route's path. */
typedef struct route_words {
    char text[4][512];
} route_words;

typedef struct question { /* a request as the function that answers it gets it */
    catalog *catalog;
    const request *request;
    route_words words;
    lease profile; /* of a route that needs one */
    /* Says to give up. NULL: profiles are not waited for, and the answer is ANSWER_LOADING while one is read. */
    bool (*stopped)(void *ctx);
    void *ctx;
} question;

typedef struct route {
    const char *path; /* "/api/v1/profiles/ * /views/ *" without the blanks: a star is one part of the path */
    void (*answer)(const question *q, answer *a);
    const char *parameters; /* those that it takes, one blank between; "*": it looks itself */
    enum {
        ROUTE_QUICK = 1,  /* answered at once, by the thread that has the connection */
        ROUTE_PROFILE = 2 /* the first star is a profile's id: it is read first */
    } kind;
} route;

/* Whether words with one blank between them have that one. */
bool routes_list_has(const char *list, const char *word);

/* Fills the answer, for any request. Of the question catalog, request and stopped are set. */
void routes_answer(question *q, answer *a);
bool routes_quick(const char *path);

/* Leases another profile for a question. False: the answer says why not; else it is to be given back. */
bool question_lease(const question *q, const char *id, lease *l, answer *a);

/* The lists of routes, each ending with an empty one. */
extern const route routes_tables[], routes_profiles[], routes_views[], routes_records[], routes_timeline[],
    routes_compare[], routes_source[], routes_command[], routes_page[];

#endif
