// SPDX-License-Identifier: Apache-2.0
/* server/data/jobs.h: requests that take a while wait in a queue for one of a few threads, while their connections are
 * suspended. One profile never uses all threads, so requests for others do not wait for a profile that takes long. */
#ifndef TFP_SERVER_JOBS_H
#define TFP_SERVER_JOBS_H

#include "http/answer.h"
#include "http/request.h"

#include <pthread.h>
#include <stdatomic.h>

struct MHD_Connection;

enum {
    JOBS_THREADS = 4,
    JOBS_SHARE = 2, /* threads that may work on one profile at a time */
    JOBS_QUERIES =
        1 /* of these, at most this many answer users' queries, which may take long; the other one is left for views of the profile */
};

typedef struct job {
    request request;
    answer answer;
    struct MHD_Connection *connection;
    char about[24];   /* the profile's id; "": none */
    bool asked, done; /* asked: its headers were checked; done: the answer is complete */
    bool can_unpack;  /* the client accepts gzip */
    int64_t since_ms; /* arrival time */
    uint64_t version; /* version of the catalog when the answer was "ask again" */
    struct job *next;
} job;

typedef struct jobs {
    pthread_mutex_t lock;
    pthread_cond_t some;
    pthread_t threads[JOBS_THREADS];
    const job *working[JOBS_THREADS]; /* for each thread; NULL: it is idle */
    size_t thread_count, count;       /* count: jobs in both lists, and those being worked on */
    job *first, *last;                /* jobs that are ready for a thread */
    job *waiting;                     /* jobs that wait until the catalog changes, or their time is over */
    bool stop;
    void (*work)(void *ctx, job *j); /* fills the answer */
    void (*wake)(void *ctx, job *j); /* called when the answer is complete */
    uint64_t (*version)(void *ctx);
    void *ctx;
} jobs;

bool jobs_start(jobs *q);       /* work, wake, version and ctx must be set */
bool jobs_add(jobs *q, job *j); /* false: there are too many */
void jobs_look(jobs *q);        /* call it when the catalog has changed, or time has passed */
void jobs_stop(jobs *q);        /* wakes all jobs, with an answer or without */

#endif
