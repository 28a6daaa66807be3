// SPDX-License-Identifier: Apache-2.0
/* model/tables/step_marks.h: what makes the steps of a trace: marks, and the windows that the join makes of them. */
#ifndef TFP_TABLES_STEP_MARKS_H
#define TFP_TABLES_STEP_MARKS_H

#include "model/tables/processes.h"

struct tfp_step_mark {
    uint32_t span; /* -> spans; of any kind */
    tfp_step_source source;
    int64_t number;  /* of the step; -1: steps are counted from 0 */
    tfp_strid group; /* of modules: the module's name; of roots: the call around it, 0 where the join finds it */
    uint32_t run;    /* of modules: spans of one run share this number; 0: the span is a run by itself */
    int64_t end_ns,
        busy_ns; /* of runs: when the last span of the run ends, the sum of those that this mark stands for; end_ns of
                  * roots: when the call around it returns */
};

struct tfp_step_window { /* one a step and process, or one a step and device; by process, device and start */
    uint32_t step, process;      /* -> steps, processes */
    tfp_strid device;            /* "tpu:0" of a window that only this device has (runs of modules); 0: of all */
    int64_t start_ns, end_ns;
};

#endif
