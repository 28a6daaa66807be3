// SPDX-License-Identifier: Apache-2.0
/* server/api/watch.c: a store of `tfprof watch`: findings, processes, and the steps of its ranks in parts of time. */
#include "data/reports.h"
#include "tfprof/watch.h"

#include <stdio.h>
#include <string.h>

static const char *store_of(const question *q, answer *a)
{
    const char *index = catalog_options(q->catalog)->index;
    if (index && tfp_is_watch(index)) return index;
    answer_error(a, ANSWER_UNKNOWN, "no store of tfprof watch is shown: start tfprof serve with the folder of one");
    return NULL;
}

/* The newest rows of a table. */
static void answer_table(const question *q, const char *table, answer *a)
{
    const char *store = store_of(q, a);
    tfp_report *report = NULL;
    if (!store) return;
    tfp_error *err = tfp_error_new();
    tfp_status s = err ? tfp_watch_show(store, table, NULL, &report, err) : TFP_NOMEM;
    answer_report(q->request, s, report, err, a);
    tfp_error_free(err);
}

static void answer_findings(const question *q, answer *a) { answer_table(q, "watch_findings", a); }
static void answer_jobs(const question *q, answer *a) { answer_table(q, "watch_jobs", a); }

static void answer_bands(const question *q, answer *a)
{
    const request *r = q->request;
    const char *store = store_of(q, a);
    const char *settings[] = { "job", request_value(r, "job"), "from",  request_value(r, "from"),
                               "to",  request_value(r, "to"),  "count", request_value(r, "count"),
                               NULL };
    tfp_report *report = NULL;
    if (!store) return;
    tfp_error *err = tfp_error_new();
    tfp_status s = err ? tfp_watch_bands(store, settings, NULL, &report, err) : TFP_NOMEM;
    answer_report(r, s, report, err, a);
    tfp_error_free(err);
}

static void answer_ring(const question *q, answer *a)
{
    const char *store = store_of(q, a), *name = q->words.text[0];
    char path[PATH_ROOM], id[24];
    if (!store) return;
    int n = snprintf(path, sizeof path, "%s/rings/%s", store, name);
    bool fits = n > 0 && (size_t)n < sizeof path && !strchr(name, '/') && *name != '.';
    if (!fits || !catalog_add(q->catalog, path, id)) {
        answer_error(a, ANSWER_UNKNOWN, "the store has no such ring: the oldest are removed");
        return;
    }
    answer_added(a, id, path);
}

const route routes_watch[] = {
    { "/api/v1/watch/findings", answer_findings, "format", 0 },
    { "/api/v1/watch/jobs", answer_jobs, "format", 0 },
    { "/api/v1/watch/bands", answer_bands, "job from to count format", 0 },
    { "/api/v1/watch/rings/*/profile", answer_ring, "", 0 },
    { 0 },
};
