// SPDX-License-Identifier: Apache-2.0
/* server/agent/push.h: sends sampled stacks as pprof to a profile store: Grafana Pyroscope or Parca. */
#ifndef TFP_SERVER_PUSH_H
#define TFP_SERVER_PUSH_H

#include "agent.h"

typedef enum push_kind { PUSH_PYROSCOPE, PUSH_PARCA, PUSH_KINDS } push_kind;

typedef struct push_target {
    push_kind kind;
    http_url url;
} push_target;

/* Parses http://HOST[:PORT][/PREFIX]; false: `why` has the reason. */
bool push_target_of(push_kind kind, const char *text, push_target *out, const char **why);

typedef struct push_job { /* labels of a profile; "": none */
    char service[256], job[64], pid[24], user[64], framework[128];
} push_job;
void push_job_of(const tfp_report *top, size_t row, push_job *out);

/* stacks  of tfp_live_stacks, not "once"
 * idle    waiting threads were counted, too: wall time instead of CPU time
 * False: `why` gets a line. */
bool push_stacks(const push_target *to, const tfp_report *stacks, const push_job *job, bool idle, char *why,
                 size_t room);

/* ---- push_rounds.c: the stacks of all jobs, again and again, by a child ---- */
typedef struct push_rounds {
    const push_target *targets;
    size_t target_count;
    tfp_live *processes; /* the processes to sample; used for nothing else */
    pid_t child;         /* 0: none */
    int told;            /* pipe from the child, with a line for each error; -1: none */
    char line[400];      /* the current line, as far as received */
    size_t have;
} push_rounds;
void push_rounds_begin(push_rounds *r); /* begins a round, unless one is still running */
/* True: the round is over; `why` has its first error, or is empty. */
bool push_rounds_over(push_rounds *r, char *why, size_t room);
void push_rounds_end(push_rounds *r);

#endif
