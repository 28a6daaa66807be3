// SPDX-License-Identifier: Apache-2.0
/* server/data/live.h: the running jobs of `serve --live`. The server has given up the right to look at processes and to write files
 * (http/confine.c), so three processes do it: one lists jobs, one reads stacks, one records (live_worker.c). They receive small
 * requests of fixed size, each over its own socket, and end when the server does. Another process, started before, restarts them
 * when they end. */
#ifndef TFP_SERVER_LIVE_H
#define TFP_SERVER_LIVE_H

#include "http/answer.h"
#include "server.h"

typedef enum live_what { LIVE_LIST, LIVE_THREADS, LIVE_STACKS, LIVE_CAPTURE } live_what;
enum { LIVE_WORKERS = 3, LIVE_JOBS_MOST = 64, LIVE_SECONDS_MOST = 10, LIVE_MS_MOST = 60000, LIVE_STEPS_MOST = 1000000 };

typedef struct live_job { /* PID@TICKS: the number and start time of a process, because the system reuses numbers */
    int64_t pid, ticks;
} live_job;
bool live_job_of(const char *text, live_job *out);

/* A request to a worker. Both sides are the same program, so it is sent as it is in memory. */
typedef struct live_settings {
    live_what what;
    uint32_t job_count;
    live_job jobs[LIVE_JOBS_MOST];
    int64_t seconds;                     /* for stacks */
    int64_t ms, steps;                   /* for a recording: one of the two is 0 */
    uint8_t idle, attach, align, stacks; /* each 0 or 1; stacks: includes calls of Python functions */
    char folder[64];                     /* for a recording: its folder below that of all recordings */
} live_settings;

typedef struct live_head { /* head of a worker's answer */
    int32_t status;        /* ANSWER_OK: JSON follows; otherwise a sentence */
    uint32_t size;
} live_head;
#define LIVE_ANSWER_MOST ((uint32_t)64 << 20)

typedef struct live live;

/* Makes the folder for recordings and starts the processes. token: a secret that only a page of this server can have read;
 * its requests that change something carry it in a header. NULL: `why` gets a line. Call it before threads are started. */
live *live_start(const serve_options *o, const char *token, char *why, size_t room);
void live_wake(live *l); /* nobody waits for an answer any more */
void live_stop(live *l); /* ends recordings and processes; removes the folder if it is empty */

const char *live_token(const live *l);

/* live_worker.c: answers requests until the other side is closed. */
void live_work(int socket, const serve_options *o);
bool live_read_all(int fd, void *data, size_t size);
bool live_write_all(int fd, const void *data, size_t size);

/* Writes the JSON of a table of the library, or the reason why there is none. */
void live_ask(live *l, const live_settings *w, answer *a);
/* Begins a recording, one at a time; answers with its number, or with the reason why not. */
void live_record(live *l, live_settings *w, answer *a);
/* Lists the last recordings of this server. */
void live_recordings(live *l, answer *a);

#endif
