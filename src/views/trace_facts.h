/* views/trace_facts.h: what advice and the summary say of a trace, worked out once: the mean step of a device, what it waits
 * for, and what its kernels and calls are. */
#ifndef TFP_TRACE_FACTS_H
#define TFP_TRACE_FACTS_H

#include "views/trace_tables.h"

/* Activities of one name and class, all ranks and devices together. */
typedef struct tfp_kernel_fact {
    tfp_str name;
    tfp_span_class class;
    int64_t count, total_ns;
    double occupancy; /* percent, weighted by time; NAN: not told */
    int64_t occupancy_ns;
} tfp_kernel_fact;

/* Calls, ops or annotations of one kind within the steps. */
typedef struct tfp_tally {
    int64_t count, total_ns;
    tfp_str first;
} tfp_tally;

typedef struct tfp_trace_facts {
    tfp_trace_index x;
    tfp_step_row *steps;
    tfp_transfer_row *transfers;
    tfp_wait_row *waits;
    tfp_kernel_fact *kernels; /* those that take longest first */
    size_t step_row_count, transfer_count, wait_count, kernel_count;
    int64_t step_count; /* rows of steps and devices; at least 1 */
    bool has_devices;
    /* means of one step on one device */
    double step_ns, compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns, idle_ns, busy_ns;
    double kernels_per_step;
    double late_share; /* of the gaps between activities of a device: the next one was launched in the gap */
    double data_ns, item_ns, synchronize_ns; /* waits of the host, a step */
    tfp_tally item, synchronize, data;
    tfp_tally allocations;    /* cudaMalloc, cudaFree and their like */
    tfp_tally compilations;   /* annotations and ops that compile or trace */
    tfp_tally casts, layouts; /* device time launched by ops that convert types, or move elements into another order */
    tfp_tally optimizer;      /* activities launched within the optimizer's step */
    tfp_tally plain_matmuls;  /* matrix products in single precision on a device with tensor cores */
    double ops_ns;            /* self time of host ops, a step */
    double step_cv;           /* standard deviation of step durations by their mean; NAN under 3 steps */
    int64_t memory_peak, memory_limit, reserved_peak; /* of the device that comes nearest to its limit; 0: not known */
} tfp_trace_facts;

/* In the report's arena. NULL without memory. */
const tfp_trace_facts *tfp_trace_facts_of(tfp_report *r, tfp_error *err);

#endif
