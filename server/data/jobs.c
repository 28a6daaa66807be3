// SPDX-License-Identifier: Apache-2.0
/* server/data/jobs.c: a queue and its threads. A job whose answer is not final waits until the catalog changes. */
#include "http/clock.h"
#include "jobs.h"

#include <string.h>

#define JOBS_MOST 1500

/* Call with the lock held. */
static void push(jobs *q, job *j)
{
    j->next = NULL;
    if (q->last)
        q->last->next = j;
    else
        q->first = j;
    q->last = j;
    pthread_cond_signal(&q->some);
}

static bool is_over(const job *j) { return !j->answer.wait_ms || now_ms() - j->since_ms >= j->answer.wait_ms; }

static void finish(jobs *q, job *j, uint64_t version)
{
    bool over = is_over(j);
    if (!over) {
        pthread_mutex_lock(&q->lock);
        over = q->stop;
        j->version = version;
        if (!over) j->next = q->waiting, q->waiting = j;
        pthread_mutex_unlock(&q->lock);
    }
    if (!over) return;
    pthread_mutex_lock(&q->lock);
    q->count--;
    pthread_mutex_unlock(&q->lock);
    j->done = true;
    q->wake(q->ctx, j);
}

static bool is_query(const job *j)
{
    static const char end[] = "/query";
    size_t size = strlen(j->request.path), n = sizeof end - 1;
    return size > n && strcmp(j->request.path + size - n, end) == 0;
}

/* Call with the lock held. */
static bool has_its_share(const jobs *q, const job *j)
{
    size_t count = 0, queries = 0;
    for (size_t i = 0; i < JOBS_THREADS && *j->about; i++) {
        bool same = q->working[i] && strcmp(q->working[i]->about, j->about) == 0;
        count += same;
        queries += same && is_query(q->working[i]);
    }
    return count >= JOBS_SHARE || (is_query(j) && queries >= JOBS_QUERIES);
}

/* Takes the first job whose profile has less than its share of threads; NULL: there is none. Call with the lock held. */
static job *take_next(jobs *q)
{
    job *before = NULL, *j = q->first;
    while (j && has_its_share(q, j)) {
        before = j;
        j = j->next;
    }
    if (!j) return NULL;
    *(before ? &before->next : &q->first) = j->next;
    if (q->last == j) q->last = before;
    return j;
}

/* The thread's index in `working`. Call with the lock held. */
static size_t own_place(const jobs *q)
{
    size_t i = 0;
    while (i + 1 < q->thread_count && !pthread_equal(q->threads[i], pthread_self())) i++;
    return i;
}

static void *work_all(void *ctx)
{
    jobs *q = ctx;
    pthread_mutex_lock(&q->lock);
    size_t place = own_place(q);
    while (!q->stop) {
        job *j = take_next(q);
        if (!j) {
            pthread_cond_wait(&q->some, &q->lock);
            continue;
        }
        q->working[place] = j;
        pthread_mutex_unlock(&q->lock);
        uint64_t version = q->version(q->ctx); /* read before the work, so that any change from here on is noticed */
        answer_free(&j->answer);
        q->work(q->ctx, j);
        pthread_mutex_lock(&q->lock);
        q->working[place] = NULL;
        /* its profile uses one thread less, so another job for it may start */
        if (q->first) pthread_cond_signal(&q->some);
        pthread_mutex_unlock(&q->lock);
        finish(q, j, version);
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

bool jobs_start(jobs *q)
{
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->some, NULL);
    pthread_mutex_lock(&q->lock); /* waits until all threads are listed */
    while (q->thread_count < JOBS_THREADS && pthread_create(&q->threads[q->thread_count], NULL, work_all, q) == 0)
        q->thread_count++;
    pthread_mutex_unlock(&q->lock);
    return q->thread_count != 0;
}

bool jobs_add(jobs *q, job *j)
{
    pthread_mutex_lock(&q->lock);
    bool room = q->count < JOBS_MOST && !q->stop;
    if (room) {
        q->count++;
        push(q, j);
    }
    pthread_mutex_unlock(&q->lock);
    return room;
}

void jobs_look(jobs *q)
{
    uint64_t version = q->version(q->ctx);
    pthread_mutex_lock(&q->lock);
    for (job **at = &q->waiting; *at;) {
        job *j = *at;
        if (j->version == version && !is_over(j)) {
            at = &j->next;
            continue;
        }
        *at = j->next;
        push(q, j);
    }
    pthread_mutex_unlock(&q->lock);
}

void jobs_stop(jobs *q)
{
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    pthread_cond_broadcast(&q->some);
    pthread_mutex_unlock(&q->lock);
    for (size_t i = 0; i < q->thread_count; i++) pthread_join(q->threads[i], NULL);
    job *lists[] = { q->first, q->waiting };
    for (size_t i = 0; i < 2; i++)
        for (job *j = lists[i], *next; j; j = next) {
            next = j->next;
            answer_error(&j->answer, ANSWER_BUSY, "the server ends");
            j->done = true;
            q->wake(q->ctx, j);
        }
    q->first = q->last = q->waiting = NULL;
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->some);
}
