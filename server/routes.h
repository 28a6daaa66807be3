/* server/routes.h: paths and who answers them. */
#ifndef TFP_SERVER_ROUTES_H
#define TFP_SERVER_ROUTES_H

#include "catalog.h"
#include "http.h"

/* What stands at the stars of a route's path. */
typedef struct route_words {
    char text[4][512];
} route_words;

typedef struct route {
    const char *path; /* "/api/v1/profiles/ * /views/ *" without the blanks: a star is one part of the path */
    void (*answer)(catalog *c, const request *r, const route_words *w, answer *a);
    const char *parameters; /* those that it takes, one blank between; "*": it looks itself */
    bool quick;             /* answered at once, by who has the connection */
} route;

/* Whether words with one blank between them have that one. */
bool routes_list_has(const char *list, const char *word);

/* Fills the answer, whatever was asked. */
void routes_answer(catalog *c, const request *r, answer *a);
bool routes_quick(const char *path);

/* The lists of routes, each ending with an empty one. */
extern const route routes_tables[], routes_profiles[], routes_views[], routes_records[], routes_compare[],
    routes_source[], routes_command[], routes_page[];

#endif
