/* server/api_compare.c: statistics over the steps of a profile, several profiles side by side, and SQL over one. */
#include "leased.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES_MOST = 16 };
#define QUERY_SECONDS "10" /* nobody waits longer for a page */

static void answer_stats(catalog *c, const request *r, const route_words *w, answer *a)
{
    lease l;
    tfp_report *report = NULL;
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err) {
        a->failed = true;
    } else if (options_of(r, "", o, a) && lease_or_answer(c, w->text[0], &l, a)) {
        tfp_status s = tfp_stats(l.profile, NULL, o, &report, err);
        answer_made(r, s, report, err, a);
        catalog_give_back(c, &l);
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

static bool add_side(catalog *c, const char *value, comparison *x, tfp_error *err, answer *a)
{
    long long step;
    char id[64];
    if (strlen(value) >= sizeof id) {
        answer_error(a, 404, "no profile has this id");
        return false;
    }
    strcpy(id, value);
    if (x->leased == SIDES_MOST || !take_step(id, &step)) {
        answer_error(a, 400, x->leased == SIDES_MOST ? "at most %d sides" : "side: behind @ stands a step", SIDES_MOST);
        return false;
    }
    lease *l = &x->leases[x->leased];
    if (!lease_or_answer(c, id, l, a)) return false;
    x->leased++;
    tfp_status s = tfp_sides_add(x->sides, NULL, l->name, l->profile, step, err);
    if (s) answer_failure(a, s, err);
    return !s;
}

static void compare(catalog *c, const request *r, tfp_options *o, tfp_error *err, answer *a)
{
    comparison x = { .sides = tfp_sides_new() };
    tfp_report *report = NULL;
    bool ok = x.sides != NULL;
    if (!ok) a->failed = true;
    for (size_t i = 0; i < r->parameter_count && ok; i++)
        if (strcmp(r->parameters[i].name, "side") == 0) ok = add_side(c, r->parameters[i].value, &x, err, a);
    tfp_status s = ok ? tfp_diff(x.sides, NULL, o, &report, err) : TFP_OK;
    if (s) answer_failure(a, s, err);
    if (report) answer_report(r, report, a);
    tfp_sides_free(x.sides);
    for (size_t i = 0; i < x.leased; i++) catalog_give_back(c, &x.leases[i]);
}

static void answer_compare(catalog *c, const request *r, const route_words *w, answer *a)
{
    (void)w;
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err)
        a->failed = true;
    else if (options_of(r, "side", o, a))
        compare(c, r, o, err, a);
    tfp_error_free(err);
    tfp_options_free(o);
}

/* ---- query ---- */

static void answer_query(catalog *c, const request *r, const route_words *w, answer *a)
{
    lease l;
    tfp_report *report = NULL;
    const char *sql = request_value(r, "sql");
    if (!sql) {
        answer_error(a, 400, "the parameter 'sql' is missing");
        return;
    }
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err || tfp_options_set(o, "time_limit", QUERY_SECONDS, err)) {
        a->failed = true;
    } else if (lease_or_answer(c, w->text[0], &l, a)) {
        tfp_options_on_query(o, catalog_stopping, c);
        tfp_status s = tfp_query(&l.profile, &l.name, 1, sql, o, &report, err);
        answer_made(r, s, report, err, a);
        catalog_give_back(c, &l);
    }
    tfp_error_free(err);
    tfp_options_free(o);
}

const route routes_compare[] = {
    { "/api/v1/profiles/*/stats", answer_stats, "*", false },
    { "/api/v1/compare", answer_compare, "*", false },
    { "/api/v1/profiles/*/query", answer_query, "sql format", false },
    { 0 },
};
