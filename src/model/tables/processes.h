// SPDX-License-Identifier: Apache-2.0
/* model/tables/processes.h: the processes of a trace, and where their steps were found. */
#ifndef TFP_TABLES_PROCESSES_H
#define TFP_TABLES_PROCESSES_H

#include "model/tables/types.h"

/* The marks that steps are made of. Of a process's kinds of marks, the first one in this list counts. */
typedef enum tfp_step_source {
    TFP_STEPS_MARKED,    /* `ProfilerStep#N`, events with `step_num` */
    TFP_STEPS_KERAS,     /* calls of Keras's step functions: each step goes to the start of the next */
    TFP_STEPS_ROOTS,     /* `_r` = 1, outermost, of the thread where they take longest */
    TFP_STEPS_MODULES,   /* runs of the compiled module that takes longest, on each device by itself */
    TFP_STEPS_OPTIMIZER, /* each ends with `Optimizer.step#...` */
    TFP_STEPS_NONE       /* the whole trace is step 0 */
} tfp_step_source;

/* One process of one host; with several ranks each is a process with a clock of its own. */
struct tfp_process {
    tfp_strid host, name; /* 0: not known */
    int64_t pid;
    int32_t rank;            /* -1: none */
    int32_t rank_count;      /* of the job, as the file says; 0: not known */
    bool rank_guessed;       /* the file does not say it: the join took it from the file's name or place. Not stored */
    uint32_t source;         /* -> the profile's sources: the file it came from */
    int64_t clock_offset_ns; /* added to the file's times to compare with other processes; 0 when not known */
    int64_t tolerance_ns;    /* for nesting: 1,000 in files without fractions of microseconds, else 0 */
    bool tasks;    /* a job of several tasks: each has devices of its own, and one without activities has host rows */
    uint8_t steps; /* tfp_step_source: where its steps were found; set by the join */
    /* self times of what its windows are for, all and in a step: host ops, or activities where only devices have windows or
     * work; 0 where steps are marked. Set by the join. */
    int64_t work_ns, work_in_steps_ns;
    bool work_of_devices; /* it is that of activities */
};

#endif
