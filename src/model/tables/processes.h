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

#include "schema/traces/processes.def"

#endif
