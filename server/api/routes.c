// SPDX-License-Identifier: Apache-2.0
/* server/api/routes.c: finds the function that answers a path. */
#include "routes.h"

#include <stdio.h>
#include <string.h>

static const route *const lists[] = { routes_tables,  routes_profiles, routes_runs,    routes_watch,  routes_views,
                                      routes_records, routes_timeline, routes_compare, routes_source, routes_command,
                                      routes_live,    routes_report,   routes_whatif,  routes_page };

/* A star matches one component of the path, which must not be empty. */
static bool fits(const char *pattern, const char *path, route_words *w)
{
    size_t word = 0;
    while (*pattern && *path) {
        if (*pattern != '*') {
            if (*pattern++ != *path++) return false;
            continue;
        }
        size_t n = strcspn(path, "/");
        if (!n || n >= sizeof w->text[0] || word == sizeof w->text / sizeof w->text[0]) return false;
        snprintf(w->text[word++], sizeof w->text[0], "%.*s", (int)n, path);
        path += n;
        pattern++;
    }
    return !*pattern && !*path;
}

bool routes_list_has(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n])) return true;
    return false;
}

static bool parameters_fit(const route *t, const request *r, answer *a)
{
    if (strcmp(t->parameters, "*") == 0) return true;
    for (size_t i = 0; i < r->parameter_count; i++) {
        if (strcmp(r->parameters[i].name, "token") == 0 || routes_list_has(t->parameters, r->parameters[i].name))
            continue;
        answer_error(a, ANSWER_WRONG, "no parameter '%s' here", r->parameters[i].name);
        return false;
    }
    return true;
}

static const route *find(const char *path, route_words *w)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const route *t = lists[i]; t->path; t++) {
            memset(w, 0, sizeof *w);
            if (fits(t->path, path, w)) return t;
        }
    return NULL;
}

bool routes_quick(const char *path)
{
    route_words w;
    const route *t = find(path, &w);
    return !t || t->kind == ROUTE_QUICK || t->kind == ROUTE_POST;
}

bool routes_changes(const char *path)
{
    route_words w;
    const route *t = find(path, &w);
    return t && t->kind == ROUTE_POST;
}

#define WAIT_FOR_PROFILE_MS 1000

static void answer_no_lease(lease_result result, const lease_fault *f, answer *a)
{
    switch (result) {
    case LEASE_FAILED: answer_error(a, ANSWER_UNUSABLE, "%s", f->error); break;
    case LEASE_FULL: answer_error(a, ANSWER_BUSY, "no memory for one more profile"); break;
    case LEASE_UNKNOWN: answer_error(a, ANSWER_UNKNOWN, "no profile has this id"); break;
    default:
        a->status = ANSWER_LOADING;
        a->progress = f->progress;
        a->wait_ms = WAIT_FOR_PROFILE_MS;
    }
}

bool question_lease(const question *q, const char *id, lease *l, answer *a)
{
    lease_fault fault;
    lease_result result = q->stopped ? catalog_wait(q->catalog, id, q->stopped, q->ctx, l, &fault)
                                     : catalog_take(q->catalog, id, l, &fault);
    if (result != LEASE_OK) answer_no_lease(result, &fault, a);
    return result == LEASE_OK;
}

const char *question_told_path(const question *q, const char *path)
{
    const char *slash = q->only && path && *path == '/' ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

void routes_answer(question *q, answer *a)
{
    const route *t = find(q->request->path, &q->words);
    if (!t) {
        answer_error(a, ANSWER_UNKNOWN, "no such path");
        return;
    }
    if (!parameters_fit(t, q->request, a)) return;
    if (t->kind == ROUTE_PROFILE && !question_lease(q, q->words.text[0], &q->profile, a)) return;
    t->answer(q, a);
    if (t->kind == ROUTE_PROFILE) catalog_give_back(q->catalog, &q->profile);
}
