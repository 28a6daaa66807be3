// SPDX-License-Identifier: Apache-2.0
/* server/data/live.h: the running jobs of `serve --live`. The server has given up the right to look at processes and to write files
 * (http/confine.c), so three processes do it: one lists jobs, one reads stacks, one records (live_worker.c). They take small fixed
 * questions over a socket each, and end when the server does. A process that is started before keeps them running. */
#ifndef TFP_SERVER_LIVE_H
#define TFP_SERVER_LIVE_H

#include "http/answer.h"
#include "server.h"

typedef enum live_what { LIVE_LIST, LIVE_THREADS, LIVE_STACKS, LIVE_CAPTURE } live_what;
enum { LIVE_WORKERS = 3, LIVE_JOBS_MOST = 64, LIVE_SECONDS_MOST = 10, LIVE_MS_MOST = 60000, LIVE_STEPS_MOST = 1000000 };

typedef struct live_job { /* PID@TICKS: the number and start time of a process, because the system uses numbers again */
    int64_t pid, ticks;
} live_job;
bool live_job_of(const char *text, live_job *out);

/* What a worker is asked. Both ends are the same program: it is sent as it lies in memory. */
typedef struct live_wish {
    live_what what;
    uint32_t job_count;
    live_job jobs[LIVE_JOBS_MOST];
    int64_t seconds;   /* of stacks */
    int64_t ms, steps; /* of a recording: one of both is 0 */
    uint8_t idle, attach, align, stacks; /* 0 or not; stacks: with the calls of Python functions */
    char folder[64];                     /* of a recording, below the folder of all */
} live_wish;

typedef struct live_head { /* of a worker's answer */
    int32_t status;        /* ANSWER_OK: JSON follows; else a sentence */
    uint32_t size;
} live_head;
#define LIVE_ANSWER_MOST ((uint32_t)64 << 20)

typedef struct live live;

/* Makes the folder for recordings and starts the processes; token: what only a page of this server can have read, which its
 * requests that change something carry in a header. NULL: `why` gets a line. Before there are threads. */
live *live_start(const serve_options *o, const char *token, char *why, size_t room);
void live_wake(live *l); /* nobody waits for an answer any more */
void live_stop(live *l); /* recordings end, and the processes; an empty folder is removed */

const char *live_token(const live *l);

/* live_worker.c: answers questions until the other end is closed. */
void live_work(int socket, const serve_options *o);
bool live_read_all(int fd, void *data, size_t size);
bool live_write_all(int fd, const void *data, size_t size);

/* The JSON of a table of the library, or why there is none. */
void live_ask(live *l, const live_wish *w, answer *a);
/* Begins a recording, one at a time; its number, or why not. */
void live_record(live *l, live_wish *w, answer *a);
/* The recordings of this server, the last ones. */
void live_recordings(live *l, answer *a);

#endif
