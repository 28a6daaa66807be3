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
    int64_t total_ns, steps_ns; /* steps_ns: of those that belong to a step */
    double occupancy;           /* of these, percent, weighted by time; NAN: not told */
    int64_t occupancy_ns;
    uint32_t longest; /* -> spans: of these; TFP_NONE */
} tfp_kernel_fact;

/* Spans of one kind within the steps. Their time is the length of their union in each rank, or on each device, cut to the
 * steps' windows: several threads, or spans in each other, take no time twice. */
typedef struct tfp_tally {
    TFP_VEC(uint32_t) spans; /* while the facts are gathered */
    int64_t count;
    double a_step, ns; /* calls a step, and their time: of the host in a rank's step, else in a device's */
    uint32_t longest;  /* -> spans; TFP_NONE: there is none */
} tfp_tally;

/* The meaning of a span's name (trace_names.c). */
enum {
    TFP_NAME_KNOWN = 1 << 0,      /* it was looked at */
    TFP_NAME_ALLOCATES = 1 << 1,  /* an API call: device memory from or to the driver */
    TFP_NAME_COMPILES = 1 << 2,   /* compiles or traces */
    TFP_NAME_CASTS = 1 << 3,      /* converts types */
    TFP_NAME_MOVES = 1 << 4,      /* copies a tensor, into another layout or as it is */
    TFP_NAME_COPIES = 1 << 5,     /* the op inside of those two that launches the kernel */
    TFP_NAME_TRANSPOSES = 1 << 6, /* a kernel that changes a layout */
    TFP_NAME_PRODUCT = 1 << 7,    /* an op: a matrix product */
    TFP_NAME_PLAIN = 1 << 8,      /* a kernel: a product in single precision without tensor cores */
    TFP_NAME_TILES = 1 << 9,      /* a kernel of products or convolutions */
    TFP_NAME_HALF = 1 << 10,      /* a kernel on a type of 16 bits */
    TFP_NAME_JOINED = 1 << 11,    /* a kernel for many tensors, or for many operations */
    TFP_NAME_OPTIMIZER = 1 << 12, /* the range of an optimizer's step */
    TFP_NAME_TORCH = 1 << 13,     /* only this framework names it so */
    TFP_NAME_TENSORFLOW = 1 << 14,
    TFP_NAME_JAX = 1 << 15
};
unsigned tfp_name_says(tfp_str name);

enum { TFP_RANK_FASTEST, TFP_RANK_MEDIAN, TFP_RANK_SLOWEST, TFP_RANKS_TOLD };

/* Several ranks in the same steps. */
typedef struct tfp_rank_facts {
    size_t compared;                /* ranks that have steps that others have, too */
    int64_t told[TFP_RANKS_TOLD];   /* ranks by compute time in a step: the fastest, the median, the slowest */
    double told_ns[TFP_RANKS_TOLD]; /* their compute, the mean of these steps */
    int64_t straggler_count;
    int64_t straggler, fastest; /* ranks; -1: none computes longer than the others */
    double over;                /* by what part of the median rank's compute it is longer, on the mean of all steps */
    double straggler_ns;        /* and by how much */
    int64_t slow_steps, steps;  /* in how many it is */
    uint32_t slowest_step;      /* -> steps of the facts: its longest one; TFP_NONE */
    bool others_wait;           /* the fastest rank is in communication for as much longer as it computes less */
    double skew_ns;             /* a step: mean time that ranks wait in collectives for the last one to arrive */
    int64_t awaited;            /* the rank that they wait for most; -1: none */
    uint32_t worst;             /* -> spans: the collective with the longest such wait */
} tfp_rank_facts;

typedef struct tfp_trace_facts {
    tfp_trace_index x;
    tfp_step_row *steps;
    tfp_transfer_row *transfers;
    tfp_kernel_fact *kernels; /* the longest first */
    size_t step_row_count, transfer_count, kernel_count;
    int64_t step_count;   /* rows of steps and devices; at least 1 */
    int64_t window_count; /* steps of ranks; at least 1 */
    bool has_devices;
    /* means of one step on one device */
    double step_ns, compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns, idle_ns, busy_ns;
    double kernels_per_step;
    /* gaps of a device within its steps whose next activity was launched in them: up to a millisecond, and longer ones; without
     * devices the longer ones in which no op of the host runs */
    double late_ns, stall_ns;
    /* gaps before whatever was launched in them, or has no launch: the most that a wait of the host can cost a step */
    double host_idle_ns;
    double stall_known_ns; /* part of stall_ns in which the host waits for data, reads, allocates or compiles */
    double stalls;         /* the longer ones, a step */
    uint32_t late_launch;  /* -> spans: the call that ended the longest of the shorter gaps; TFP_NONE */
    uint32_t stall_span;   /* -> spans: the host's activity in the longest unexplained gap; TFP_NONE */
    uint32_t stall_end;    /* -> spans: the call or op that ended it; TFP_NONE */
    int64_t longest_stall_ns;
    bool whole;          /* no step is marked: the whole trace is the one step */
    uint32_t warm_up;    /* -> the profile's steps: step 0 where the trace begins with it and has others; TFP_NONE */
    double warm_up_ns;   /* how long it took */
    unsigned frameworks; /* TFP_NAME_TORCH, TFP_NAME_TENSORFLOW, TFP_NAME_JAX: those that names tell of */
    double capability;   /* CUDA's compute capability of the first device; 0: not known */
    tfp_tally item, synchronize, data; /* waits of the host */
    tfp_tally allocations;             /* cudaMalloc, cudaFree and their like */
    tfp_tally compilations;            /* annotations and ops that compile or trace */
    tfp_tally python;                  /* Python frames, with the functions that they call */
    tfp_tally ops;                     /* host ops and calls */
    tfp_tally casts,
        layouts;         /* kernels that only convert types, or only copy tensors, into another layout or as they are */
    tfp_tally optimizer; /* activities launched within the optimizer's step, but for those of many tensors */
    tfp_tally plain_matmuls; /* matrix products in single precision on a device with tensor cores */
    tfp_tally odd_matmuls;   /* matrix products of 16 bits with a side that is no multiple of 8 */
    tfp_tally small_grids;   /* kernels that leave over half of the multiprocessors without a block */
    double small_grids_part; /* share of the multiprocessors in use, weighted by time */
    bool one_stream;         /* compute runs in one stream of each device only */
    double even_ns;          /* mean length of steps without the warm-up */
    /* of the rank whose steps differ most: standard deviation divided by the mean (NAN: no rank has 3 steps), mean */
    double step_cv, cv_mean_ns;
    size_t median_step, odd_step; /* -> steps: rows of its first device; the one farthest from the median; SIZE_MAX */
    const tfp_union *inputs;      /* by unit: when the host waits for input */
    int64_t memory_peak, memory_limit, reserved_peak; /* of the device nearest to its limit; 0: not known */
    uint32_t memory_span;                             /* -> spans: the op in which it held most; TFP_NONE */
    tfp_union *covered;                               /* by unit: the time of its steps */
    tfp_rank_facts ranks;
} tfp_trace_facts;

/* In the report's arena. NULL without memory. */
const tfp_trace_facts *tfp_trace_facts_of(tfp_report *r, tfp_error *err);

/* Ends a tally: its union within the windows; of the host, or of devices. Frees its list. False without memory. */
bool tfp_tally_end(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host);
/* By unit, the union of a tally's spans of the host, before it ends. NULL without memory. */
tfp_union *tfp_tally_unions(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t);
/* Fills what the facts tell of gaps (trace_gaps.c); `known`, by unit: when the host is known to wait. False without memory. */
bool tfp_gaps_of(tfp_trace_facts *f, const tfp_union *known);
/* Fills in the facts about memory (trace_reserved.c). False without memory. */
bool tfp_reserved_of(tfp_trace_facts *f);
/* The marker of the step of a row; TFP_NONE: it has none. */
uint32_t tfp_step_marker(const tfp_trace_facts *f, const tfp_step_row *row);
/* Fills in the steps, their mean and how they differ (trace_mean.c). */
tfp_status tfp_mean_step_of(tfp_report *r, tfp_trace_facts *f, tfp_error *err);
/* Fills f->covered and f->window_count. False without memory. */
bool tfp_steps_cover(tfp_report *r, tfp_trace_facts *f);
/* Fills f->ranks (trace_ranks.c). False without memory. */
bool tfp_rank_facts_of(tfp_report *r, tfp_trace_facts *f);

#endif
