// SPDX-License-Identifier: Apache-2.0
/* server/data/jobs.h: requests that take a while: they wait in a queue for one of a few threads, and their connections sleep
 * meanwhile. One profile never has all threads: requests for others do not wait for a profile that takes long. */
#ifndef TFP_SERVER_JOBS_H
#define TFP_SERVER_JOBS_H

#include "http/answer.h"
#include "http/request.h"

#include <pthread.h>
#include <stdatomic.h>

struct MHD_Connection;

enum {
    JOBS_THREADS = 4,
    JOBS_SHARE = 2,  /* threads that may work on one profile at a time */
    JOBS_QUERIES = 1 /* of these threads at most so many answer queries of users, which may take long; a view of the profile has the other */
};

typedef struct job {
    request request;
    answer answer;
    struct MHD_Connection *connection;
    char about[24];   /* the profile's id; "" without */
    bool asked, done; /* its headers are checked; the answer is complete */
    bool can_unpack;  /* gzip */
    int64_t since_ms; /* when it came */
    uint64_t version; /* version of the catalog when the answer was "ask again" */
    struct job *next;
} job;

typedef struct jobs {
    pthread_mutex_t lock;
    pthread_cond_t some;
    pthread_t threads[JOBS_THREADS];
    const job *working[JOBS_THREADS]; /* by thread; NULL: it has nothing to do */
    size_t thread_count, count;       /* jobs in both lists, and those that threads work on */
    job *first, *last;                /* ready for a thread */
    job *waiting;                     /* until the catalog changes, or their time is over */
    bool stop;
    void (*work)(void *ctx, job *j); /* fills the answer */
    void (*wake)(void *ctx, job *j); /* the answer is there */
    uint64_t (*version)(void *ctx);
    void *ctx;
} jobs;

bool jobs_start(jobs *q);       /* work, wake, version and ctx are set */
bool jobs_add(jobs *q, job *j); /* false: there are too many */
void jobs_look(jobs *q);        /* the catalog changed, or time went by */
void jobs_stop(jobs *q);        /* all are woken, with an answer or without */

#endif
