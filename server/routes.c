/* server/routes.c: from a path to who answers it. */
#include "routes.h"

#include <stdio.h>
#include <string.h>

static const route *const lists[] = { routes_tables,  routes_profiles, routes_views,   routes_records,
                                      routes_compare, routes_source,   routes_command, routes_page };

/* A star stands for one part of the path, which is not empty. */
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
        answer_error(a, 400, "no parameter '%s' here", r->parameters[i].name);
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
    return !t || t->quick;
}

void routes_answer(catalog *c, const request *r, answer *a)
{
    route_words w;
    const route *t = find(r->path, &w);
    if (!t)
        answer_error(a, 404, "there is nothing of that name here");
    else if (parameters_fit(t, r, a))
        t->answer(c, r, &w, a);
}
