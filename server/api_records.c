/* server/api_records.c: what was recorded in one profile: steps, timeline, memory, a checkpoint's tensors; and the files
 * that others read it from. */
#include "leased.h"

#include <stdio.h>
#include <string.h>

static void answer_records(catalog *c, const request *r, const char *id, const char *what, answer *a)
{
    lease l;
    long long step = -1;
    tfp_report *report = NULL;
    if (!request_int(r, "step", -1, INT64_MAX, &step)) {
        answer_error(a, 400, "step '%s': not a number", request_value(r, "step"));
        return;
    }
    if (!lease_or_answer(c, id, &l, a)) return;
    tfp_error *err = tfp_error_new();
    tfp_status s = tfp_records(l.profile, what, step, &report, err);
    answer_made(r, s, report, err, a);
    tfp_error_free(err);
    catalog_give_back(c, &l);
}

#define RECORDS(function, what)                                                                                        \
    static void function(catalog *c, const request *r, const route_words *w, answer *a)                                \
    {                                                                                                                  \
        answer_records(c, r, w->text[0], what, a);                                                                     \
    }
RECORDS(answer_steps, "steps")
RECORDS(answer_timeline, "spans")
RECORDS(answer_memory, "memory")
RECORDS(answer_peak, "peak")
RECORDS(answer_tensors, "tensors")

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

/* The graph's timeline is of one step: of the last one when none is named. */
static tfp_status choose_step(const tfp_profile *p, const request *r, const struct download *d, tfp_options *o,
                              tfp_error *err)
{
    char step[24];
    size_t steps = tfp_profile_step_count(p);
    if (!d->view || strcmp(d->view, "graph") != 0 || request_value(r, "step") || !steps) return TFP_OK;
    snprintf(step, sizeof step, "%lld", (long long)tfp_profile_step(p, steps - 1));
    return tfp_options_set(o, "step", step, err);
}

static void answer_download(catalog *c, const request *r, const route_words *w, answer *a)
{
    lease l;
    size_t i = 0, count = sizeof downloads / sizeof *downloads;
    while (i < count && strcmp(downloads[i].name, w->text[1]) != 0) i++;
    if (i == count) {
        answer_error(a, 404, "there is no such file to download");
        return;
    }
    struct download d = downloads[i];
    const char *view = request_value(r, "view");
    if (d.view && view) d.view = view;
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err) {
        a->failed = true;
    } else if (options_of(r, "view", o, a) && lease_or_answer(c, w->text[0], &l, a)) {
        tfp_status s = choose_step(l.profile, r, &d, o, err);
        if (!s) s = d.view ? write_view(l.profile, &d, o, a, err) : tfp_profile_write(l.profile, answer_write, a, err);
        if (s && s != TFP_BADOUTPUT) answer_failure(a, s, err);
        if (!s) a->type = d.type, a->file = downloads[i].name;
        catalog_give_back(c, &l);
    }
    tfp_error_free(err);
    tfp_options_free(o);
}

const route routes_records[] = {
    { "/api/v1/profiles/*/steps", answer_steps, "format", false },
    { "/api/v1/profiles/*/timeline", answer_timeline, "step format", false },
    { "/api/v1/profiles/*/memory", answer_memory, "step format", false },
    { "/api/v1/profiles/*/peak", answer_peak, "step format", false },
    { "/api/v1/profiles/*/tensors", answer_tensors, "format", false },
    { "/api/v1/profiles/*/download/*", answer_download, "*", false },
    { 0 },
};
