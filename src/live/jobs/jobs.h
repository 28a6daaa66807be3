// SPDX-License-Identifier: Apache-2.0
/* live/jobs/jobs.h: the processes of this machine, looked at again and again, and folded into jobs: the topmost framework process
 * and all that descends from it. Where only the processes of jobs are meant, so are those that a caller selects by number. */
#ifndef TFP_LIVE_JOBS_H
#define TFP_LIVE_JOBS_H

#include "live/proc/proc.h"

struct tfp_live_names; /* live/jobs/names.h */

typedef struct tfp_live_process {
    tfp_proc_stat stat;
    tfp_proc_status status;              /* of processes of jobs */
    bool status_told;                    /* status could be read */
    int64_t cpu_ns;                      /* its CPU time, taken before its files were read; -1: not known */
    int64_t read_cpu_ns;                 /* the same when its files were read last */
    bool fresh;                          /* its files were read in this sample: else it did not run since they were */
    bool turn;                           /* it is its turn: also what rarely changes is read again */
    bool files_read;                     /* status and io were read once */
    int stat_file, status_file, io_file; /* kept open; -1 */
    struct tfp_live_names *names;        /* owned; NULL: not read */
    unsigned frameworks;                 /* tfp_framework */
    char library[512];                   /* the library by which the first framework was found; "": none */
    bool unreadable;                     /* maps may not be read */
    int64_t looked_bytes;                /* address space when maps was read last; -1: never */
    bool known;                          /* a sample before this one saw it */
    int64_t cpu_before;                  /* ticks at the sample before; 0 of a process that is new since then */
    int64_t threads_ticks;               /* CPU ticks when its threads were looked at last; -1: never */
    int64_t threads_cpu_ns;              /* its CPU time then; -1: not known */
    int64_t runnable, blocked;
    int64_t read_bytes, write_bytes; /* -1: not known */
    int64_t io_ns;                   /* when they were read; 0: never */
    double read_rate, write_rate;    /* bytes a second between the last two readings */
    uint32_t parent;                 /* -> processes; TFP_NONE: none */
    uint32_t root;                   /* -> processes: the first process of its job; TFP_NONE: in none */
    bool seen;                       /* in this sample */
    int64_t agent_steps;             /* steps that its agent had counted at the sample before; -1: none */
    int64_t agent_step_ns;           /* when the last of them ended; 0: none had */
    int64_t agent_period_ns;         /* from step to step, when it was seen last; 0: never */
    int64_t agent_read_ns;           /* when the agent's count was read */
    int64_t no_agent_ns;             /* when the run folder was changed last while it had no agent; -1: not looked */
    bool probed;                     /* it was tried to count its steps by a probe */
    const char *unprobed;            /* why that cannot be done; NULL: it is done */
} tfp_live_process;

typedef struct tfp_live_selection {
    TFP_VEC(int64_t) pids;
    TFP_VEC(char *) names; /* borrowed */
    int64_t user;          /* -1: any that may be seen */
    bool python;           /* every CPython is a framework process too */
    bool apart;            /* no folding: each framework process by itself */
} tfp_live_selection;

typedef struct tfp_jobs {
    tfp_live_selection select;
    TFP_VEC(tfp_live_process) processes;
    tfp_map64 by_pid;
    TFP_VEC(uint32_t) roots;     /* -> processes: the jobs of the last sample, by pid */
    TFP_VEC(int64_t) own;        /* this process and its ancestors */
    int64_t taken_ns, before_ns; /* when the last sample and the one before were taken; 0: not yet */
    int64_t listed_ns;           /* when /proc was listed last; 0: never */
    int64_t thread_credit;       /* threads that may be looked at; below 0: more were, of one process */
    size_t next_thread_look;     /* where the next sample goes on looking at threads */
    size_t next_resting_look;    /* the same, of processes that did not run */
    size_t samples;              /* taken so far */
    size_t kept, kept_most;      /* descriptors of files that are kept open */
} tfp_jobs;

/* Looks at all processes. A process whose CPU clock stands is read every fifth time only, and new processes are looked for every two
 * seconds, but with SIZE_MAX always. thread_budget: how many threads' states are read a sample in the mean, of processes that ran since
 * the last look; SIZE_MAX: all, 0: none. Of the processes that did not run one is looked at every fourth sample. */
tfp_status tfp_jobs_sample(tfp_jobs *j, size_t thread_budget, tfp_error *err);
void tfp_jobs_free(tfp_jobs *j);

#endif
