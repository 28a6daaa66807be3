// SPDX-License-Identifier: Apache-2.0
/* server/api/live.c: running jobs, their stacks and recordings of them. Without `serve --live` none of these paths is there. */
#include "data/live.h"
#include "routes.h"

#include <string.h>

static bool is_there(const question *q, answer *a)
{
    if (!q->live) answer_error(a, ANSWER_UNKNOWN, "no such path: jobs are shown by tfprof serve --live");
    return q->live != NULL;
}

static void answer_state(const question *q, answer *a)
{
    if (!is_there(q, a)) return;
    const serve_options *o = catalog_options(q->catalog);
    json_open(a, NULL, '{');
    json_text(a, "token", live_token(q->live));
    json_text(a, "folder", o->live_folder);
    json_bool(a, "commands", !o->hide_commands);
    live_recordings(q->live, a);
    json_close(a, '}');
}

static void answer_jobs(const question *q, answer *a)
{
    if (is_there(q, a)) live_ask(q->live, &(live_settings){ .what = LIVE_LIST }, a);
}

static bool take_flag(const request *r, const char *name, uint8_t *out, answer *a)
{
    bool on = false, ok = request_flag(r, name, &on);
    *out = on;
    if (!ok) answer_error(a, ANSWER_WRONG, "%s '%s': not 0 or 1", name, request_value(r, name));
    return ok;
}

/* Stacks contain file and function names of the job, so they are hidden from other machines like its command line. */
static void answer_stacks_of(const question *q, live_what what, answer *a)
{
    long long seconds = what == LIVE_STACKS;
    live_settings settings = { .what = what, .job_count = 1 };
    if (!is_there(q, a)) return;
    if (catalog_options(q->catalog)->hide_commands)
        answer_error(a, ANSWER_UNUSABLE,
                     "stacks name files of the job: they are shown to other machines with --commands only");
    else if (!live_job_of(q->words.text[0], &settings.jobs[0]))
        answer_error(a, ANSWER_WRONG, "job '%s': not PID@TICKS", q->words.text[0]);
    else if (!request_int(q->request, "seconds", 1, LIVE_SECONDS_MOST, &seconds))
        answer_error(a, ANSWER_WRONG, "seconds: not between 1 and %d", LIVE_SECONDS_MOST);
    if (a->error) return;
    settings.seconds = seconds;
    if (take_flag(q->request, "idle", &settings.idle, a)) live_ask(q->live, &settings, a);
}

static void answer_threads(const question *q, answer *a) { answer_stacks_of(q, LIVE_THREADS, a); }
static void answer_stacks(const question *q, answer *a) { answer_stacks_of(q, LIVE_STACKS, a); }

static bool take_jobs(const request *r, live_settings *settings, answer *a)
{
    for (size_t i = 0; i < r->parameter_count; i++) {
        const parameter *p = &r->parameters[i];
        if (strcmp(p->name, "job") != 0) continue;
        if (settings->job_count == LIVE_JOBS_MOST) {
            answer_error(a, ANSWER_WRONG, "more than %d jobs", LIVE_JOBS_MOST);
        } else if (!live_job_of(p->value, &settings->jobs[settings->job_count])) {
            answer_error(a, ANSWER_WRONG, "job '%s': not PID@TICKS", p->value);
        } else {
            settings->job_count++;
            continue;
        }
        return false;
    }
    if (!settings->job_count) answer_error(a, ANSWER_WRONG, "no job is named: job=PID@TICKS");
    return settings->job_count != 0;
}

static void answer_record(const question *q, answer *a)
{
    const request *r = q->request;
    live_settings settings = { .what = LIVE_CAPTURE };
    long long ms = 0, steps = 0;
    if (!is_there(q, a) || !take_jobs(r, &settings, a)) return;
    if (!request_int(r, "ms", 1, LIVE_MS_MOST, &ms) || !request_int(r, "steps", 1, LIVE_STEPS_MOST, &steps) ||
        (ms && steps)) {
        answer_error(a, ANSWER_WRONG, "either ms (1 to %d) or steps (1 to %d) is needed", LIVE_MS_MOST,
                     LIVE_STEPS_MOST);
        return;
    }
    settings.ms = ms || steps ? ms : 500;
    settings.steps = steps;
    if (take_flag(r, "attach", &settings.attach, a) && take_flag(r, "align", &settings.align, a) &&
        take_flag(r, "stacks", &settings.stacks, a))
        live_record(q->live, &settings, a);
}

const route routes_live[] = {
    { "/api/v1/live", answer_state, "", ROUTE_QUICK },
    { "/api/v1/live/jobs", answer_jobs, "", 0 },
    { "/api/v1/live/jobs/*/threads", answer_threads, "", 0 },
    { "/api/v1/live/jobs/*/stacks", answer_stacks, "seconds idle", 0 },
    { "/api/v1/live/record", answer_record, "job ms steps attach align stacks", ROUTE_POST },
    { 0 },
};
