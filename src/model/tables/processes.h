// SPDX-License-Identifier: Apache-2.0
/* model/tables/processes.h: the processes of a trace, and what their steps were made from. */
#ifndef TFP_TABLES_PROCESSES_H
#define TFP_TABLES_PROCESSES_H

#include "model/tables/types.h"

/* The kinds of marks from which steps are made. A process uses the first kind in this list that it has. */
typedef enum tfp_step_source {
    TFP_STEPS_MARKED,    /* `ProfilerStep#N`, events with `step_num`, chosen ranges with names of steps */
    TFP_STEPS_KERAS,     /* calls of Keras' step functions: each step lasts until the start of the next */
    TFP_STEPS_ROOTS,     /* outermost spans with `_r` = 1, on the thread where they take longest */
    TFP_STEPS_MODULES,   /* runs of the compiled module that takes longest, on each device separately */
    TFP_STEPS_OPTIMIZER, /* each ends with `Optimizer.step#...` */
    TFP_STEPS_NONE,      /* the whole trace is step 0 */
    TFP_STEPS_NAMED      /* of a mark only: a range with the name of a step, which the join may choose as marked */
} tfp_step_source;

/* One process of one host. With several ranks each is a process with its own clock. */
struct tfp_process {
    tfp_strid host, name; /* 0: unknown */
    int64_t pid;
    int32_t rank;       /* -1: none */
    int32_t rank_count; /* number of ranks of the job, from the file; 0: unknown */
    /* the file does not tell the rank: the join took it from the file's name or index. Not stored */
    bool rank_guessed;
    uint32_t source;         /* index in the profile's sources: the file that it came from */
    uint32_t part;           /* which rank of a file in which several were merged; otherwise 0 */
    int64_t clock_offset_ns; /* added to the file's times to compare them with other processes; 0: unknown */
    int64_t tolerance_ns;    /* for nesting: 1,000 in files with whole microseconds, otherwise 0 */
    bool tasks;    /* a job of several tasks: each task has its own devices, and one without activities has host rows */
    uint8_t steps; /* of tfp_step_source: what its steps were made from; set by the join */
    /* Self times, in total and within steps, of the work that its windows should cover: host ops, or activities if only
     * devices have windows or work. 0 where steps are marked. Set by the join. */
    int64_t work_ns, work_in_steps_ns;
    bool work_of_devices; /* these are times of activities */
};

#endif
