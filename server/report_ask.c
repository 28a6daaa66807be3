// SPDX-License-Identifier: Apache-2.0
/* server/report_ask.c: the requests of a report: fills in lines of the page's own list (web/src/answers/asks.ts) for a profile. */
#include "report_parts.h"

#include <stdio.h>
#include <string.h>

bool report_is_stopped(void *ctx)
{
    const maker *m = ctx;
    return m->o->stopped && m->o->stopped(m->o->ctx);
}

static bool first_step(maker *m, const char *id, char *step, size_t room)
{
    lease l;
    lease_fault fault;
    if (catalog_wait(m->catalog, id, report_is_stopped, m, &l, &fault) != LEASE_OK) return false;
    bool there = tfp_profile_step_count(l.profile) != 0;
    if (there) snprintf(step, room, "%lld", (long long)tfp_profile_step(l.profile, 0));
    catalog_give_back(m->catalog, &l);
    return there;
}

static void add_parameter(ask *k, const char *name, const char *value)
{
    request *r = &k->request;
    if (r->parameter_count < REQUEST_PARAMETERS) r->parameters[r->parameter_count++] = (parameter){ name, value };
}

/* Takes a parameter with its value for this profile. False: there is nothing to request. */
static bool take_parameter(maker *m, ask *k, const char *id, const char *name, const char *value)
{
    if (strcmp(value, "CHOSEN") == 0) {
        if (*k->chosen) add_parameter(k, name, k->chosen);
    } else if (strcmp(value, "FIRST") == 0) {
        if (!*k->chosen && !first_step(m, id, k->first, sizeof k->first)) return false;
        add_parameter(k, name, *k->chosen ? k->chosen : k->first);
    } else if (strcmp(value, "TENSOR") == 0 || strcmp(value, "SOURCE") == 0) {
        add_parameter(k, name, m->thing);
    } else if (strcmp(value, "SIDES") == 0) {
        for (size_t i = 0; i < m->of.count && i < SIDES_MOST; i++) add_parameter(k, name, m->of.at[i]);
        return m->of.count > 1;
    } else {
        add_parameter(k, name, value);
    }
    return true;
}

/* Replaces /ID in a path by the profile's id. */
static void fill_path(ask *k, const char *path, const char *id)
{
    const char *at = strstr(path, "/ID");
    if (at)
        snprintf(k->path, sizeof k->path, "%.*s/%s%s", (int)(at - path), path, id, at + 3);
    else
        snprintf(k->path, sizeof k->path, "%s", path);
    k->request.path = k->path;
}

static char *next_word(char **at)
{
    char *word = *at;
    if (!word) return NULL;
    *at = strchr(word, '\t');
    if (*at) *(*at)++ = '\0';
    return word;
}

bool report_fill_ask(maker *m, ask *k, const char *id)
{
    char *at = k->words, *word;
    if (m->o->step >= 0) snprintf(k->chosen, sizeof k->chosen, "%lld", m->o->step);
    k->what = next_word(&at);
    char *path = next_word(&at);
    if (!path) return false;
    fill_path(k, path, id);
    while ((word = next_word(&at))) {
        char *value = strchr(word, '=');
        if (!value) return false;
        *value++ = '\0';
        if (!take_parameter(m, k, id, word, value)) return false;
    }
    return true;
}
