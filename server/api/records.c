// SPDX-License-Identifier: Apache-2.0
/* server/api/records.c: tables of one profile: steps, timeline, memory, a checkpoint's tensors; and files to download. */
#include "data/reports.h"

#include <stdio.h>
#include <string.h>

static void answer_records(const question *q, const char *what, answer *a)
{
    const request *r = q->request;
    long long step = -1;
    tfp_report *report = NULL;
    if (!request_int(r, "step", -1, INT64_MAX, &step)) {
        answer_error(a, ANSWER_WRONG, "step '%s': not a number", request_value(r, "step"));
        return;
    }
    tfp_error *err = tfp_error_new();
    tfp_status s = tfp_records(q->profile.profile, what, step, &report, err);
    answer_report(r, s, report, err, a);
    tfp_error_free(err);
}

static void answer_steps(const question *q, answer *a) { answer_records(q, "steps", a); }
static void answer_timeline(const question *q, answer *a) { answer_records(q, "spans", a); }
static void answer_memory(const question *q, answer *a) { answer_records(q, "memory", a); }
static void answer_peak(const question *q, answer *a) { answer_records(q, "peak", a); }
static void answer_tensors(const question *q, answer *a) { answer_records(q, "tensors", a); }

/* ---- files ---- */

static const struct download {
    const char *name, *view, *output, *type; /* view NULL: the profile itself */
} downloads[] = {
    { "timeline.json", "graph", "timeline", "application/json" },
    { "profile.pb.gz", "code", "pprof", "application/octet-stream" },
    { "profile", NULL, NULL, "application/octet-stream" },
};

static tfp_status write_view(const tfp_profile *p, const struct download *d, const tfp_options *o, answer *a,
                             tfp_error *err)
{
    tfp_report *report = NULL;
    tfp_status s = tfp_report_build(p, d->view, o, &report, err);
    if (!s) s = tfp_report_write(report, d->output, answer_write, a, err);
    tfp_report_free(report);
    return s;
}

/* A timeline of one step shows the last one when the request names none. */
static tfp_status choose_step(const tfp_profile *p, const request *r, const struct download *d, tfp_options *o,
                              tfp_error *err)
{
    char step[24];
    size_t steps = tfp_profile_step_count(p);
    if (!(tfp_view_traits(d->view) & TFP_VIEW_TIMELINE_OF_STEP) || request_value(r, "step") || !steps) return TFP_OK;
    snprintf(step, sizeof step, "%lld", (long long)tfp_profile_step(p, steps - 1));
    return tfp_options_set(o, "step", step, err);
}

static void write_download(const question *q, const struct download *d, tfp_options *o, tfp_error *err, answer *a)
{
    const tfp_profile *p = q->profile.profile;
    tfp_status s = choose_step(p, q->request, d, o, err);
    if (!s) s = d->view ? write_view(p, d, o, a, err) : tfp_profile_write(p, answer_write, a, err);
    if (s && !answer_failed(a)) answer_failure(a, s, err);
    if (!s) a->type = d->type, a->file = d->name;
}

static void answer_download(const question *q, answer *a)
{
    size_t i = 0, count = sizeof downloads / sizeof *downloads;
    while (i < count && strcmp(downloads[i].name, q->words.text[1]) != 0) i++;
    if (i == count) {
        answer_error(a, ANSWER_UNKNOWN, "there is no such file to download");
        return;
    }
    struct download d = downloads[i];
    const char *view = request_value(q->request, "view");
    bool trace = tfp_profile_has(q->profile.profile, TFP_HAS_TRACE);
    if (trace && strcmp(d.name, "timeline.json") == 0) d.view = "calls"; /* as it was recorded */
    if (d.view && view) d.view = view;
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err)
        a->no_memory = true;
    else if (options_of(q->request, "view", o, a))
        write_download(q, &d, o, err, a);
    tfp_error_free(err);
    tfp_options_free(o);
}

const route routes_records[] = {
    { "/api/v1/profiles/*/steps", answer_steps, "format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/timeline", answer_timeline, "step format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/memory", answer_memory, "step format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/peak", answer_peak, "step format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/tensors", answer_tensors, "format", ROUTE_PROFILE },
    { "/api/v1/profiles/*/download/*", answer_download, "*", ROUTE_PROFILE },
    { 0 },
};
