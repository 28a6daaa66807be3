// SPDX-License-Identifier: Apache-2.0
/* server/api/runs.c: the runs of an index, filtered and sorted, a page at a time; and the profile of one run. */
#include "data/reports.h"
#include "tfprof/fleet.h"

#include <string.h>

static const char *index_of(const question *q, answer *a)
{
    const char *index = catalog_options(q->catalog)->index;
    if (!index) answer_error(a, ANSWER_UNKNOWN, "no index is shown: start tfprof serve with the folder of one");
    return index;
}

static void answer_runs(const question *q, answer *a)
{
    const request *r = q->request;
    const char *index = index_of(q, a);
    const char *settings[] = { "filter", request_value(r, "filter"), "order", request_value(r, "order"),
                               "from",   request_value(r, "from"),   "count", request_value(r, "count"),
                               NULL };
    answer text = { 0 };
    tfp_report *report = NULL;
    size_t total = 0, found = 0;
    if (!index) return;
    tfp_error *err = tfp_error_new();
    tfp_status s = err ? tfp_index_runs(index, settings, &report, &total, &found, err) : TFP_NOMEM;
    if (s) {
        answer_failure(a, s, err);
    } else if (report_json(report, err, &text, a)) {
        json_open(a, NULL, '{');
        json_int(a, "total", (int64_t)total);
        json_int(a, "found", (int64_t)found);
        json_raw(a, "runs", text.data);
        json_close(a, '}');
    }
    answer_free(&text);
    tfp_report_free(report);
    tfp_error_free(err);
}

/* ---- one run ---- */

enum { DIGEST = 32 };

static bool is_digest(const char *run) { return strlen(run) == DIGEST && strspn(run, "0123456789abcdef") == DIGEST; }

/* Finds the path of a run in the index; false: the answer has the reason. */
static bool path_of(const char *index, const char *run, char *path, size_t room, answer *a)
{
    char filter[DIGEST + 8] = "run=";
    const char *settings[] = { "filter", filter, "count", "1", NULL };
    tfp_report *report = NULL;
    size_t found = 0;
    tfp_error *err = tfp_error_new();
    strcat(filter, run);
    tfp_status s = err ? tfp_index_runs(index, settings, &report, NULL, &found, err) : TFP_NOMEM;
    size_t size = found && !s ? tfp_report_string(report, 0, "path", path, room) : 0;
    if (s)
        answer_failure(a, s, err);
    else if (!found)
        answer_error(a, ANSWER_UNKNOWN, "the index has no such run");
    else if (!size || size >= room)
        answer_error(a, ANSWER_UNUSABLE, "the index does not contain the path of this run");
    tfp_report_free(report);
    tfp_error_free(err);
    return !s && size && size < room;
}

static void answer_profile(const question *q, answer *a)
{
    const char *index = index_of(q, a), *run = q->words.text[0];
    char path[PATH_ROOM], id[24];
    if (!index) return;
    if (!is_digest(run)) {
        answer_error(a, ANSWER_UNKNOWN, "the index has no such run");
        return;
    }
    if (!path_of(index, run, path, sizeof path, a)) return;
    if (!catalog_add(q->catalog, path, id)) {
        answer_error(
            a, ANSWER_UNUSABLE,
            "%s: not there, or no trace: name the folder of the traces after the index (tfprof serve INDEX FOLDER)",
            path);
        return;
    }
    answer_added(a, id, path);
}

const route routes_runs[] = {
    { "/api/v1/runs", answer_runs, "filter order from count", 0 },
    { "/api/v1/runs/*/profile", answer_profile, "", 0 },
    { 0 },
};
