// SPDX-License-Identifier: Apache-2.0
/* views/spans/device_steps.h: when each step ran on a device, and how long it took. Usually that is the window of the step's marker. Where the
 * host runs ahead of the device, a step is the activities that were launched in it (docs/traces.md). */
#ifndef TFP_VIEWS_DEVICE_STEPS_H
#define TFP_VIEWS_DEVICE_STEPS_H

#include "views/spans/trace.h"

typedef struct tfp_device_step {
    const tfp_step_window *window;
    int64_t from_ns, to_ns; /* the step on the device */
    int64_t next_ns;        /* the end of the window; of guessed steps the start of the next one */
    int64_t lag_ns;         /* from the end of the window to the end of the last activity launched in it; at least 0 */
    /* Number of its activities; how many of them have a launch; sum over these of the time from the end of the call to the
     * start, at least 0 each. Only where they run later */
    int64_t count, launched, delay_ns;
} tfp_device_step;

typedef struct tfp_device_steps {
    tfp_device_step *at; /* freed by the caller */
    size_t count;
    bool run_later;          /* the steps are what was launched in them, which runs later */
    int64_t launched, later; /* activities launched in a step; those of them that start after its window */
} tfp_device_steps;

/* Finds the steps of a device from windows sorted by start. In a time range they are the windows, and where `launches`
 * tell no time, because they have another clock. False: out of memory. */
bool tfp_device_steps_of(const tfp_trace_index *x, uint32_t device, const tfp_step_window *const *windows, size_t count,
                         bool launches, tfp_device_steps *out);

#endif
