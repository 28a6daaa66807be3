// SPDX-License-Identifier: Apache-2.0
/* watch/record/flights.h: the layer `recorder`: what PyTorch's flight recorder has of each rank, from torch's own WorkerServer. One attach
 * starts the server on a socket of the run folder; a server that the job itself runs is used as it is.
 *
 *     attach ──▶ thread in the job, which starts the server and waits for the end of our connection to it
 *     each few seconds: POST /handler/fr_trace_json ──▶ flights_read.c ──▶ the collectives that are new
 *
 * Nothing here waits: each call does what can be done at once. Answers come from other processes: their size and time are bounded. */
#ifndef TFP_WATCH_FLIGHTS_H
#define TFP_WATCH_FLIGHTS_H

#include "live/attach/attach.h"
#include "watch/record/record.h"

typedef enum watch_flights_state {
    WATCH_FLIGHTS_OFF,
    WATCH_FLIGHTS_STARTS,  /* our text is queued in the process */
    WATCH_FLIGHTS_ANSWERS, /* our thread is there, and starts the server */
    WATCH_FLIGHTS_READY
} watch_flights_state;

struct watch_flights {
    watch_flights_state state;
    tfp_attach attach; /* memory -1: none */
    tfp_namesakes namesakes;
    int control, fd; /* the connection to our thread, and one to the server; -1: none */
    char line[500];  /* what our thread has answered */
    char server[108], control_path[108];
    size_t handler;   /* the one that is asked next */
    int64_t until_ns; /* deadline of the attach, or of an answer */
    int64_t wake_ns, wake_pause_ns;
    int64_t next_ns;               /* when the server is asked again */
    int64_t record;                /* of the last entry that was taken; -1: none */
    int64_t asked_ns, answered_ns; /* when it was asked last; when it was for the last answer; 0: never */
    int64_t empty;                 /* answers without an entry, in a row */
    tfp_buf in;
};

/* Starts the layer for a process, or refuses it. frameworks: bits of tfp_framework. False: out of memory. */
bool watch_flights_open(watch_recorder *r, watch_process *p, unsigned frameworks);
/* Goes on; called at each look at all processes. False: out of memory. */
bool watch_flights_step(watch_recorder *r, watch_process *p);
/* Whether the recorder gives the collectives of the process, because no probes do. */
bool watch_flights_count(const watch_process *p);
/* Until when its collectives are known, where the recorder gives them; else `read_ns`. */
int64_t watch_flights_until(const watch_process *p, int64_t read_ns);
/* Closes the connections, so that the thread in the job ends. */
void watch_flights_close(watch_process *p);
/* Waits for the threads in all jobs to end, at most a second. */
void watch_flights_leave(watch_recorder *r);

/* ---- flights_read.c ---- */

/* The body of an answer of HTTP; without data: *why has the reason. */
tfp_str watch_flights_body(tfp_str answer, const char **why);

/* A collective of the recorder. Texts are borrowed. */
typedef struct watch_flight {
    int64_t record, sequence, created_ns; /* created_ns: since 1970; -1, as for the others: not known */
    tfp_str name, group;                  /* all_reduce; the group's name, escaped as in JSON */
    uint64_t what;                        /* hash of its kind, sizes and group */
    bool done;
} watch_flight;

typedef bool watch_flight_fn(void *ctx, const watch_flight *f); /* false: ends the reading */
/* Reads an answer of the server, a JSON object. *why: NULL, or what is wrong with it. Returns the number of entries. */
size_t watch_flights_read(tfp_str json, watch_flight_fn *fn, void *ctx, const char **why);

#endif
