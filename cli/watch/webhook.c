// SPDX-License-Identifier: Apache-2.0
/* cli/watch/webhook.c: a queue of findings and the thread that posts them: five seconds for each, three tries,
 * then it is dropped and counted. */
#include "webhook.h"
#include "agent/agent.h"
#include "agent/findings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAITING_MOST = 64, TRIES = 3, END_SECONDS = 16 };

struct webhook {
    http_url url;
    bool otlp;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    char *waiting[WAITING_MOST]; /* a ring; owned */
    size_t first, count;
    size_t failed;
    bool ends, idle;
    char why[200], note[400];
};

static void put_body(const webhook *w, const char *json, answer *body)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (w->otlp) {
        findings_otlp(json, true, (int64_t)t.tv_sec * 1000000000 + t.tv_nsec, body);
        return;
    }
    answer_text(body, "{\"schema\":\"tfprof.finding\",");
    answer_text(body, json + 1);
}

static bool post(webhook *w, const char *json)
{
    char why[sizeof w->why] = "";
    bool sent = false;
    for (int i = 0; i < TRIES && !sent; i++) {
        answer body = { 0 };
        put_body(w, json, &body);
        if (i) sleep(1);
        sent = agent_post(&w->url, w->otlp ? "application/x-protobuf" : "application/json", &body, why, sizeof why);
        answer_free(&body);
    }
    if (!sent) {
        pthread_mutex_lock(&w->lock);
        snprintf(w->why, sizeof w->why, "%s", why);
        pthread_mutex_unlock(&w->lock);
    }
    return sent;
}

static void *send_all(void *ctx)
{
    webhook *w = ctx;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        w->idle = !w->count;
        if (w->idle) pthread_cond_broadcast(&w->change);
        if (w->idle && w->ends) break;
        if (w->idle) {
            pthread_cond_wait(&w->change, &w->lock);
            continue;
        }
        char *json = w->waiting[w->first];
        w->first = (w->first + 1) % WAITING_MOST;
        w->count--;
        pthread_mutex_unlock(&w->lock);
        bool sent = post(w, json);
        free(json);
        pthread_mutex_lock(&w->lock);
        w->failed += !sent;
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

webhook *webhook_new(const char *url, bool otlp, bool *usage, const char **why)
{
    webhook *w = calloc(1, sizeof *w);
    *usage = false;
    *why = "out of memory";
    if (!w) return NULL;
    w->otlp = otlp;
    *usage = otlp ? !findings_url(url, &w->url, why) : !http_url_of(url, "80", &w->url, why);
    if (!*usage) {
        *why = "no thread can be started";
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->change, NULL);
        if (pthread_create(&w->thread, NULL, send_all, w) == 0) return w;
    }
    free(w);
    return NULL;
}

void webhook_add(webhook *w, const char *json)
{
    char *copy = *json == '{' ? strdup(json) : NULL;
    pthread_mutex_lock(&w->lock);
    if (copy && w->count < WAITING_MOST) {
        w->waiting[(w->first + w->count++) % WAITING_MOST] = copy;
        copy = NULL;
    } else {
        w->failed++;
    }
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
    free(copy);
}

const char *webhook_end(webhook *w)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_SECONDS;
    pthread_mutex_lock(&w->lock);
    w->ends = true;
    pthread_cond_broadcast(&w->change);
    int late = 0;
    while ((!w->idle || w->count) && !late) late = pthread_cond_timedwait(&w->change, &w->lock, &until);
    size_t lost = w->failed + w->count + (late && !w->idle);
    if (lost)
        snprintf(w->note, sizeof w->note, "%s: %zu finding%s not sent: %s", w->otlp ? "otlp" : "webhook", lost,
                 lost == 1 ? " was" : "s were", *w->why ? w->why : "no answer in time");
    pthread_mutex_unlock(&w->lock);
    if (late)
        pthread_detach(w->thread); /* it ends with the process */
    else
        pthread_join(w->thread, NULL);
    return lost ? w->note : NULL;
}
