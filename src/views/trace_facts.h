// SPDX-License-Identifier: Apache-2.0
/* views/trace_facts.h: what advice and the summary say of a trace, worked out once: the mean step of a device, what it waits
 * for, what its kernels and calls are, and how its ranks differ. */
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
    uint32_t longest; /* -> spans */
} tfp_kernel_fact;

/* Spans of one kind within the steps. Their time is the length of their union in each rank, or on each device, cut to the
 * steps' windows: several threads, or spans in each other, take no time twice. */
typedef struct tfp_tally {
    TFP_VEC(uint32_t) spans; /* while the facts are gathered */
    int64_t count;
    double a_step, ns; /* how many a step, and how long: of the host in a rank's step, else in a device's */
    uint32_t longest;  /* -> spans; TFP_NONE: there is none */
} tfp_tally;

enum { TFP_RANK_FASTEST, TFP_RANK_MEDIAN, TFP_RANK_SLOWEST, TFP_RANKS_TOLD };

/* What several ranks did in the same steps. */
typedef struct tfp_rank_facts {
    size_t compared;                /* ranks that have steps that others have, too */
    int64_t told[TFP_RANKS_TOLD];   /* of them, by compute in a step: the fastest, the median, the slowest */
    double told_ns[TFP_RANKS_TOLD]; /* their compute, the mean of these steps */
    int64_t straggler_count;
    int64_t straggler, fastest; /* ranks; -1: none computes longer than the others */
    double over;                /* by what part of the median rank's compute it is longer, on the mean of all steps */
    double straggler_ns;        /* and by how much */
    int64_t slow_steps, steps;  /* in how many it is */
    double skew_ns;             /* a step: mean time that ranks wait in collectives for the last one to arrive */
    int64_t awaited;            /* the rank that they wait for most; -1: none */
    uint32_t worst;             /* -> spans: the collective with the longest such wait */
} tfp_rank_facts;

typedef struct tfp_trace_facts {
    tfp_trace_index x;
    tfp_step_row *steps;
    tfp_transfer_row *transfers;
    tfp_kernel_fact *kernels; /* those that take longest first */
    size_t step_row_count, transfer_count, kernel_count;
    int64_t step_count;   /* rows of steps and devices; at least 1 */
    int64_t window_count; /* steps of ranks; at least 1 */
    bool has_devices;
    /* means of one step on one device */
    double step_ns, compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns, idle_ns, busy_ns;
    double kernels_per_step;
    double late_share; /* of the gaps between activities of a device: the next one was launched in the gap */
    tfp_tally item, synchronize, data; /* waits of the host */
    tfp_tally allocations;             /* cudaMalloc, cudaFree and their like */
    tfp_tally compilations;            /* annotations and ops that compile or trace */
    tfp_tally python;                  /* Python frames; with what they call */
    tfp_tally ops;                     /* host ops and calls */
    tfp_tally casts, layouts; /* device time launched by ops that convert types, or move elements into another order */
    tfp_tally optimizer;      /* activities launched within the optimizer's step */
    tfp_tally plain_matmuls;  /* matrix products in single precision on a device with tensor cores */
    tfp_tally odd_matmuls;    /* matrix products with a side that is no multiple of 8 */
    tfp_tally small_grids;    /* kernels that leave over half of the multiprocessors without a block */
    bool one_stream;          /* compute runs in one stream of each device only */
    double step_cv;           /* standard deviation of step durations by their mean; NAN under 3 steps */
    size_t median_step, longest_step;                 /* -> steps: rows of the first device; SIZE_MAX under 3 steps */
    int64_t memory_peak, memory_limit, reserved_peak; /* of the device that comes nearest to its limit; 0: not known */
    tfp_union *covered;                               /* by unit: the time of its steps */
    tfp_rank_facts ranks;
} tfp_trace_facts;

/* In the report's arena. NULL without memory. */
const tfp_trace_facts *tfp_trace_facts_of(tfp_report *r, tfp_error *err);

/* Ends a tally: its union within the windows; of the host, or of devices. Frees its list. False without memory. */
bool tfp_tally_end(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host);
/* Fills f->covered and f->window_count. False without memory. */
bool tfp_steps_cover(tfp_report *r, tfp_trace_facts *f);
/* Fills f->ranks (trace_ranks.c). False without memory. */
bool tfp_rank_facts_of(tfp_report *r, tfp_trace_facts *f);

#endif
