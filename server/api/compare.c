// SPDX-License-Identifier: Apache-2.0
/* server/api/compare.c: statistics over the steps of a profile, several profiles side by side, and SQL over one. */
#include "data/reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES_MOST = 16 };
#define QUERY_SECONDS "10" /* a longer query is for the command line */

static void answer_stats(const question *q, answer *a)
{
    tfp_report *report = NULL;
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err) {
        a->no_memory = true;
    } else if (options_of(q->request, "", o, a)) {
        tfp_status s = tfp_stats(q->profile.profile, NULL, o, &report, err);
        answer_report(q->request, s, report, err, a);
    }
    tfp_error_free(err);
    tfp_options_free(o);
}

/* ---- compare ---- */

typedef struct comparison {
    lease leases[SIDES_MOST];
    size_t leased;
    tfp_sides *sides;
} comparison;

/* Cuts "@STEP" off. */
static bool take_step(char *id, long long *step)
{
    char *at = strchr(id, '@'), *end;
    *step = -1;
    if (!at) return true;
    *at++ = '\0';
    errno = 0;
    *step = strtoll(at, &end, 10);
    return *at >= '0' && *at <= '9' && !*end && !errno;
}

static bool add_side(const question *q, const char *value, comparison *x, tfp_error *err, answer *a)
{
    long long step;
    char id[64];
    if (strlen(value) >= sizeof id) {
        answer_error(a, ANSWER_UNKNOWN, "no profile has this id");
        return false;
    }
    strcpy(id, value);
    if (x->leased == SIDES_MOST || !take_step(id, &step)) {
        answer_error(a, ANSWER_WRONG, x->leased == SIDES_MOST ? "at most %d sides" : "side: no step number after @",
                     SIDES_MOST);
        return false;
    }
    lease *l = &x->leases[x->leased];
    if (!question_lease(q, id, l, a)) return false;
    x->leased++;
    tfp_status s = tfp_sides_add(x->sides, NULL, l->name, l->profile, step, err);
    if (s) answer_failure(a, s, err);
    return !s;
}

static void compare(const question *q, tfp_options *o, tfp_error *err, answer *a)
{
    const request *r = q->request;
    comparison x = { .sides = tfp_sides_new() };
    bool ok = x.sides != NULL;
    a->no_memory = !ok;
    for (size_t i = 0; i < r->parameter_count && ok; i++)
        if (strcmp(r->parameters[i].name, "side") == 0) ok = add_side(q, r->parameters[i].value, &x, err, a);
    if (ok) {
        tfp_report *report = NULL;
        tfp_status s = tfp_diff(x.sides, NULL, o, &report, err);
        answer_report(r, s, report, err, a);
    }
    tfp_sides_free(x.sides);
    for (size_t i = 0; i < x.leased; i++) catalog_give_back(q->catalog, &x.leases[i]);
}

static void answer_compare(const question *q, answer *a)
{
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err)
        a->no_memory = true;
    else if (options_of(q->request, "side", o, a))
        compare(q, o, err, a);
    tfp_error_free(err);
    tfp_options_free(o);
}

/* ---- query ---- */

static void answer_query(const question *q, answer *a)
{
    tfp_report *report = NULL;
    const char *sql = request_value(q->request, "sql");
    if (!sql) {
        answer_error(a, ANSWER_WRONG, "the parameter 'sql' is missing");
        return;
    }
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err || tfp_options_set(o, "time_limit", QUERY_SECONDS, err)) {
        a->no_memory = true;
    } else {
        const lease *l = &q->profile;
        tfp_options_on_query(o, catalog_stopping, q->catalog);
        tfp_status s = tfp_query(&l->profile, &l->name, 1, sql, o, &report, err);
        answer_report(q->request, s, report, err, a);
    }
    tfp_error_free(err);
    tfp_options_free(o);
}

const route routes_compare[] = {
    { "/api/v1/profiles/*/stats", answer_stats, "*", ROUTE_PROFILE },
    { "/api/v1/compare", answer_compare, "*", 0 },
    { "/api/v1/profiles/*/query", answer_query, "sql format", ROUTE_PROFILE },
    { 0 },
};
