// SPDX-License-Identifier: Apache-2.0
/* live/jobs/jobs.h: the processes of this machine, looked at again and again, and folded into jobs: the topmost framework process
 * and all that descends from it. A process that a caller selects by number is treated as a process of a job. */
#ifndef TFP_LIVE_JOBS_H
#define TFP_LIVE_JOBS_H

#include "live/proc/proc.h"

struct tfp_live_names; /* live/jobs/names.h */

/* How a process's files are read: jobs.c. */
typedef struct tfp_process_files {
    int stat, status, io; /* descriptors that stay open; -1: closed */
    bool known;           /* status and io were read once */
    int64_t cpu_ns;       /* the process's CPU time when its files were read last */
} tfp_process_files;

/* What its memory maps show: jobs.c. */
typedef struct tfp_process_maps {
    unsigned frameworks; /* bits of tfp_framework */
    char library[512];
    bool unreadable; /* they may not be read */
    int64_t bytes;   /* address space when they were read last; -1: never */
} tfp_process_maps;

/* Its threads, which are looked at when its CPU time has moved: jobs.c. */
typedef struct tfp_process_threads {
    int64_t runnable, blocked;
    int64_t ticks;  /* CPU ticks of the process when they were looked at last; -1: never */
    int64_t cpu_ns; /* its CPU time at that moment; -1: not known */
} tfp_process_threads;

/* What it has read and written: jobs.c. */
typedef struct tfp_process_io {
    int64_t read_bytes, write_bytes; /* -1: not known */
    int64_t at_ns;                   /* when these were read; 0: never */
    double read_rate, write_rate;    /* bytes a second between the last two readings */
} tfp_process_io;

/* Its steps, as its agent or a probe counts them: top.c. When its frameworks change, jobs.c clears `probed`. */
typedef struct tfp_process_steps {
    int64_t count;        /* steps at the previous sample; -1: none */
    int64_t ended_ns;     /* when the last step ended; 0: none had */
    int64_t period_ns;    /* time from step to step when it was seen last; 0: never */
    int64_t read_ns;      /* when the count was read */
    int64_t no_agent_ns;  /* when the run folder last changed while the process had no agent; -1: not looked */
    bool probed;          /* a probe for its steps was tried */
    const char *unprobed; /* why the probe failed; NULL: it works */
} tfp_process_steps;

typedef struct tfp_live_process {
    tfp_proc_stat stat;
    tfp_proc_status status;       /* read for processes of jobs only */
    bool status_told;             /* whether status could be read */
    int64_t cpu_ns;               /* its CPU time, taken before its files are read; -1: not known */
    int64_t cpu_before;           /* CPU ticks at the previous sample; 0 for a process that is new since then */
    bool fresh;                   /* its files were read in this sample; if not, it has not run since they were */
    bool turn;                    /* it is this process's turn: what rarely changes is read again too */
    bool known;                   /* an earlier sample saw it */
    bool seen;                    /* it was there in this sample */
    uint32_t parent;              /* -> processes; TFP_NONE: none */
    uint32_t root;                /* -> processes: the first process of its job; TFP_NONE: in none */
    struct tfp_live_names *names; /* owned; NULL: not read */
    tfp_process_files files;
    tfp_process_maps maps;
    tfp_process_threads threads;
    tfp_process_io io;
    tfp_process_steps steps;
} tfp_live_process;

typedef struct tfp_live_selection {
    TFP_VEC(int64_t) pids;
    TFP_VEC(char *) names; /* borrowed from the caller */
    int64_t user;          /* only this user's processes; -1: all that may be seen */
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
    int64_t thread_credit;       /* threads that may still be looked at; below 0: one process had more than were left */
    size_t next_thread_look;     /* the process at which the next sample goes on looking at threads */
    size_t next_resting_look;    /* the same for processes that did not run */
    size_t samples;              /* samples taken so far */
    size_t kept, kept_most;      /* descriptors that are kept open, and the limit */
} tfp_jobs;

/* Samples all processes. A process whose CPU clock stands still is read every fifth time only, and new processes are looked for every
 * two seconds; with SIZE_MAX both are done always. thread_budget: how many threads' states are read per sample on average, of processes
 * that ran since the last look; SIZE_MAX: all, 0: none. Of the processes that did not run, one is looked at in every fourth sample. */
tfp_status tfp_jobs_sample(tfp_jobs *j, size_t thread_budget, tfp_error *err);
void tfp_jobs_free(tfp_jobs *j);
bool tfp_jobs_is_own(const tfp_jobs *j, int64_t pid); /* whether it is this process or an ancestor */

#endif
