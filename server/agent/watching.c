// SPDX-License-Identifier: Apache-2.0
/* server/agent/watching.c: the thread that watches, and what the agent's other thread reads of it. */
#include "agent.h"
#include "watching.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 64, JOBS = 64, WAITING = 256, WORD = 24 };

typedef struct found {
    char kind[WORD], cause[WORD];
    long long count;
} found;

struct watching {
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t change;
    tfp_watch *watch;
    tfp_error *err;
    bool begun, ended, stops, failed;
    found counts[COUNTS];
    size_t count;
    tfp_watch_pace jobs[JOBS];
    size_t job_count;
    char *waiting[WAITING]; /* a ring of findings */
    size_t first, waiting_count;
    char why[400];
};

/* The value of a member that is a plain text in JSON of the library. */
static void member(const char *json, const char *key, char out[WORD])
{
    const char *at = strstr(json, key);
    size_t n = at ? strcspn(at + strlen(key), "\"") : 0;
    snprintf(out, WORD, "%.*s", (int)(n < WORD ? n : 0), at ? at + strlen(key) : "");
}

/* Counts a finding when it is found, not again when it ends. */
static void count_finding(watching *w, const char *json)
{
    char kind[WORD], cause[WORD];
    size_t i = 0;
    if (!strstr(json, "\"ended\":null")) return;
    member(json, "\"kind\":\"", kind);
    member(json, "\"cause\":\"", cause);
    while (i < w->count && (strcmp(w->counts[i].kind, kind) != 0 || strcmp(w->counts[i].cause, cause) != 0)) i++;
    if (i == COUNTS) return;
    if (i == w->count) {
        found *f = &w->counts[w->count++];
        *f = (found){ .count = 0 };
        memcpy(f->kind, kind, WORD);
        memcpy(f->cause, cause, WORD);
    }
    w->counts[i].count++;
}

static void keep(watching *w, const char *json)
{
    char *copy = strdup(json);
    if (copy && w->waiting_count < WAITING)
        w->waiting[(w->first + w->waiting_count++) % WAITING] = copy;
    else
        free(copy);
}

static int take_row(void *ctx, const tfp_report *columns, const char *text, const char *json)
{
    watching *w = ctx;
    pthread_mutex_lock(&w->lock);
    if (columns) {
        w->begun = true;
        pthread_cond_broadcast(&w->change);
    }
    if (json) {
        count_finding(w, json);
        keep(w, json);
    }
    if (!text && !json)
        for (w->job_count = 0;
             w->job_count < JOBS && tfp_watch_pace_of(w->watch, w->job_count, &w->jobs[w->job_count]);)
            w->job_count++;
    int stops = w->stops;
    pthread_mutex_unlock(&w->lock);
    return stops;
}

static void *work(void *ctx)
{
    watching *w = ctx;
    tfp_report *findings = NULL;
    tfp_status s = tfp_watch_run(w->watch, NULL, &findings, w->err);
    tfp_report_free(findings);
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    w->failed = s != TFP_OK;
    if (s) snprintf(w->why, sizeof w->why, "%s", tfp_error_message(w->err));
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void release(watching *w)
{
    tfp_watch_free(w->watch);
    tfp_error_free(w->err);
    for (size_t i = 0; i < w->waiting_count; i++) free(w->waiting[(w->first + i) % WAITING]);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->change);
    free(w);
}

/* Starts the thread without the agent's signals, and waits for its store. */
static bool start(watching *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&w->thread, NULL, work, w) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok) {
        snprintf(w->why, sizeof w->why, "no thread can be started");
        return false;
    }
    pthread_mutex_lock(&w->lock);
    while (!w->begun && !w->ended) pthread_cond_wait(&w->change, &w->lock);
    ok = !w->failed;
    pthread_mutex_unlock(&w->lock);
    if (!ok) pthread_join(w->thread, NULL);
    return ok;
}

watching *watching_new(const char *dir, const char *const *words, size_t word_count, char *why, size_t room)
{
    watching *w = calloc(1, sizeof *w);
    snprintf(why, room, "out of memory");
    if (!w) return NULL;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    w->watch = tfp_watch_new();
    w->err = tfp_error_new();
    bool ok = w->watch && w->err;
    if (ok) {
        tfp_status s = tfp_watch_set(w->watch, "dir", dir, w->err);
        for (size_t i = 0; i < word_count && !s; i++) s = tfp_watch_select(w->watch, words[i], w->err);
        tfp_watch_on_row(w->watch, take_row, w);
        ok = !s && start(w);
        snprintf(why, room, "--watch: %s", s ? tfp_error_message(w->err) : w->why);
    }
    if (ok) return w;
    release(w);
    return NULL;
}

const char *watching_end(watching *w)
{
    static char line[420];
    pthread_mutex_lock(&w->lock);
    w->stops = true;
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    snprintf(line, sizeof line, "--watch: %s", w->why);
    bool failed = w->failed;
    release(w);
    return failed ? line : NULL;
}

char *watching_take(watching *w)
{
    char *json = NULL;
    pthread_mutex_lock(&w->lock);
    if (w->waiting_count) {
        json = w->waiting[w->first];
        w->first = (w->first + 1) % WAITING;
        w->waiting_count--;
    }
    pthread_mutex_unlock(&w->lock);
    return json;
}

void watching_prometheus(watching *w, bool names, answer *out)
{
    char line[1024];
    pthread_mutex_lock(&w->lock);
    answer_text(
        out, "# HELP tfprof_watch_findings_total Ranks that were late or hung, and jobs that became slow or changed.\n"
             "# TYPE tfprof_watch_findings_total counter\n");
    for (size_t i = 0; i < w->count; i++) {
        snprintf(line, sizeof line, "tfprof_watch_findings_total{kind=\"%s\",cause=\"%s\"} %lld\n", w->counts[i].kind,
                 w->counts[i].cause, w->counts[i].count);
        answer_text(out, line);
    }
    answer_text(out, "# HELP tfprof_job_step_seconds Mean time of a step in the last second in which one ended.\n"
                     "# TYPE tfprof_job_step_seconds gauge\n");
    for (size_t i = 0; i < w->job_count; i++) {
        const tfp_watch_pace *p = &w->jobs[i];
        snprintf(line, sizeof line, "tfprof_job_step_seconds{run=\"%s\"", p->run);
        answer_text(out, line);
        if (names) {
            answer_text(out, ",program=\"");
            metrics_label(out, p->program);
            answer_text(out, "\"");
        }
        snprintf(line, sizeof line, "} %.9g\n", p->seconds);
        answer_text(out, line);
    }
    pthread_mutex_unlock(&w->lock);
}
