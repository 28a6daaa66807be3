// SPDX-License-Identifier: Apache-2.0
/* live/jobs/top.h: the table `top`: a row a job. */
#ifndef TFP_LIVE_TOP_H
#define TFP_LIVE_TOP_H

#include "live/jobs/nvml.h"
#include "live/jobs/probe.h"
#include "live/jobs/jobs.h"
#include "live/jobs/names.h"
#include "live/files/run.h"
#include "live/files/method.h"

typedef struct tfp_table_column tfp_table_column; /* views/core/grid.h */

typedef struct tfp_steps_of { /* steps counted in a process since the previous sample */
    int64_t calls;            /* -1: not known */
    double seconds;           /* the time in which they were made */
    const char *what, *why;   /* why: the reason when nothing is counted */
} tfp_steps_of;

struct tfp_live {
    tfp_jobs jobs;
    tfp_gpus gpus;
    tfp_probes *probes;
    TFP_VEC(tfp_steps_of) steps;       /* for each process of the last sample */
    char run_folder[TFP_RUN_PATH_MAX]; /* "": there is no safe run folder */
    char no_agents[400];               /* why there is none; "": there is one */
    int64_t run_changed_ns;
    bool new_jobs;                /* some jobs of the last sample are counted only from now on */
    bool lost;                    /* there were too many calls to count all */
    tfp_arena arena;              /* memory for the texts of selectors */
    const tfp_table_column *sort; /* the column to sort by; NULL: CPU time */
    bool all_threads;
    bool no_commands; /* the table will leave this machine, so command lines are left out */
    tfp_stacks_settings stacks;
    tfp_live_settings settings;
    tfp_live_start_fn start;
    void *start_ctx;
    tfp_run run;
};

/* live/jobs/settings.c: sets the defaults; frees texts. */
void tfp_live_settings_start(tfp_live *l);
void tfp_live_settings_free(tfp_live *l);

extern const char tfp_no_interval[]; /* why a rate is missing: the process was seen for the first time */

/* "running", "sleeping" ... */
const char *tfp_state_name(char state);

/* Finds the process that `target` refers to. TFP_BADFILE: there is none, there are several, or it has ended. */
tfp_status tfp_live_find(const char *target, int64_t *pid, tfp_error *err);

extern const tfp_table_column *const tfp_top_columns;     /* ended by a NULL name */
const tfp_table_column *tfp_top_column(const char *name); /* NULL: there is none of that name */
/* The steps of a job in the interval. */
typedef struct tfp_top_steps {
    double per_second;
    tfp_str are; /* the event that counts as a step, such as a call of the optimizer */
} tfp_top_steps;

/* A row of the table. */
typedef struct tfp_top_row {
    tfp_str job;
    int64_t pid;
    tfp_str user, framework, version, state;
    int64_t processes, threads, runnable, blocked;
    tfp_top_steps steps;
    double cpu;
    int64_t cpu_micros, rss_bytes;
    double read_rate, write_rate;
    tfp_str gpus;
    double gpu;
    int64_t gpu_memory_bytes, age_micros;
    tfp_str container, capture, why, command, program;
} tfp_top_row;

/* The row of a job, given its first process and all its processes. */
tfp_top_row tfp_top_row_of(const tfp_live *l, tfp_report *r, uint32_t root, const uint32_t *members, size_t count);

#endif
