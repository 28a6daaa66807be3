// SPDX-License-Identifier: Apache-2.0
/* model/tables/step_marks.h: what a trace's steps are made from: marks, and the windows that the join makes from
 * marks. */
#ifndef TFP_TABLES_STEP_MARKS_H
#define TFP_TABLES_STEP_MARKS_H

#include "model/tables/processes.h"

struct tfp_step_mark {
    uint32_t span; /* index in spans; of any kind */
    tfp_step_source source;
    int64_t number; /* number of the step; -1: steps are counted from 0 */
    /* for modules: the module's name; for roots: the call around it, 0 where the join finds it; for ranges that the join
     * chose by their names: the stem of the name */
    tfp_strid group;
    uint32_t run; /* for modules: shared by the spans of one run; 0: the span is a run by itself */
    int64_t end_ns,
        /* for runs: end_ns is the end of the run's last span, busy_ns the sum of the spans that this mark represents;
         * for roots: end_ns is the return of the call around it */
        busy_ns;
};

struct tfp_step_window { /* one per step and process, or one per step and device; sorted by process, device and start */
    uint32_t step, process; /* indexes in steps, processes */
    tfp_strid device;       /* such as "tpu:0", for a window of this device only (runs of modules); 0: of all devices */
    int64_t start_ns, end_ns;
};

#endif
