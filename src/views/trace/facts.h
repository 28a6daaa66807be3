// SPDX-License-Identifier: Apache-2.0
/* views/trace/facts.h: what advice and the summary say of a trace, worked out once: the mean step of a device, what it waits
 * for, what its kernels and calls are, and how its ranks differ. */
#ifndef TFP_TRACE_FACTS_H
#define TFP_TRACE_FACTS_H

#include "views/trace/tables.h"

/* Activities of one name and class, all ranks and devices together. */
typedef struct tfp_kernel_fact {
    tfp_str name;
    tfp_span_class class;
    int64_t total_ns, steps_ns; /* steps_ns: of those that belong to a step */
    double occupancy;           /* mean occupancy of these kernels in percent, weighted by time; NAN: not in the trace */
    int64_t occupancy_ns;
    uint32_t longest; /* -> spans: of these; TFP_NONE: none */
} tfp_kernel_fact;

/* Spans of one kind within the steps. Their time is the length of their union in each rank, or on each device, cut to the
 * steps' windows: several threads, or spans in each other, take no time twice. */
typedef struct tfp_tally {
    TFP_VEC(uint32_t) spans; /* while the facts are gathered */
    int64_t count;
    double a_step, ns; /* calls a step, and their time: of the host in a rank's step, else in a device's */
    double step_ns;    /* the same of the whole windows, where `ns` is of what is judged */
    double idle_ns;    /* of the host: the part in which a device that could work does nothing, a device's step */
    double alone_ns;   /* of the host: the part in which no op runs but those around it and in it */
    uint32_t longest;  /* -> spans; TFP_NONE: there is none */
} tfp_tally;

/* The meaning of a span's name (names.c). */
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
    TFP_NAME_JAX = 1 << 15,
    TFP_NAME_COMMUNICATES = 1 << 18, /* of the host */
    TFP_NAME_COPY_CALL =
        1 << 17, /* an API call: a copy, which may stand although its name says that it is asynchronous */
    TFP_NAME_PROFILER = 1 << 16 /* a profiler's own work: it starts, stops or writes its recording */
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
    uint32_t slowest_step;      /* -> steps of the facts: its longest one; TFP_NONE: none */
    bool others_wait;           /* the fastest rank is in communication for as much longer as it computes less */
    double skew_ns;             /* a step: mean time that ranks wait in collectives for the last one to arrive */
    int64_t awaited;            /* the rank that they wait for most; -1: none */
    uint32_t worst;             /* -> spans: the collective with the longest such wait */
} tfp_rank_facts;

struct tfp_trace_facts;
/* The tallies of activities. */
typedef enum tfp_sort_of_work {
    TFP_SORT_CASTS,
    TFP_SORT_LAYOUTS,
    TFP_SORT_OPTIMIZER,
    TFP_SORT_PLAIN,
    TFP_SORT_ODD,
    TFP_SORT_SMALL,
    TFP_SORT_TINY
} tfp_sort_of_work;

/* What the host does in a long gap (cause.c). */
typedef enum tfp_stall_cover {
    TFP_STALL_NOTHING, /* no span of the host */
    TFP_STALL_ITSELF,  /* one span of the launching thread, without those in it */
    TFP_STALL_AROUND,  /* one span of the launching thread, with many short spans inside it */
    TFP_STALL_SHORT,   /* short spans of the launching thread */
    TFP_STALL_OTHER    /* a span of another thread */
} tfp_stall_cover;

/* A gap in what a device does. */
typedef struct tfp_gap {
    uint32_t unit, launch, thread; /* launch: TFP_NONE for ops; thread: the lane that launches */
    uint32_t after;                /* -> spans: the launch, or the op */
    int64_t start, end;
} tfp_gap;
bool tfp_find_cause(struct tfp_trace_facts *f, const tfp_gap *g); /* fills f->gaps.stall_...; false without memory */

/* The mean step of a device, and how steps differ. */
typedef struct tfp_mean_facts {
    /* means of one step on one device */
    double step_ns, compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns, idle_ns, busy_ns;
    double kernels_per_step;
    double
        judged_ns; /* what findings are a part of: a step; without marks from a device's first activity to its last */
    double even_ns;          /* mean length of steps without the warm-up */
    /* of the rank whose steps differ most: standard deviation divided by the mean (NAN: no rank has 3 steps), mean */
    double step_cv, cv_mean_ns;
    size_t median_step, odd_step; /* -> steps: rows of its first device; the one farthest from the median; SIZE_MAX */
} tfp_mean_facts;

/* Gaps in what devices do, a step. */
typedef struct tfp_gap_facts {
    /* gaps of a device within its steps whose next activity was launched in them: up to a millisecond, and longer ones; without
     * devices the longer ones in which no op of the host runs */
    double late_ns, stall_ns;
    /* gaps before whatever was launched in them, or has no launch: the most that a wait of the host can cost a step */
    double host_idle_ns;
    /* the same within `idle`, and its part before the first activity: what of it a remedy may save, for a recording may have begun
     * before the work did, and what of it is only told */
    double host_cost_ns, lead_ns;
    double launched_late_ns, launch_untold_ns; /* its parts without profiling_ns, step 0 included */
    double profiling_ns, before_ns; /* idle time in which the profiler starts or stops; of hosts, before their first op */
    double stall_known_ns; /* part of stall_ns in which the host waits for data, reads, allocates or compiles */
    double long_gaps_ns;   /* of hosts: gaps of over a millisecond, without profiling_ns and before_ns */
    double stalls;         /* the longer ones, a step */
    uint32_t late_launch;  /* -> spans: the call that ended the longest of the shorter gaps; TFP_NONE: none */
    uint32_t stall_span;   /* -> spans: what covers most of the longest unexplained gap; TFP_NONE: none */
    tfp_stall_cover stall_cover;
    double stall_share; /* the part of that gap that it covers */
    uint32_t stall_end; /* -> spans: the call or op that ended it; TFP_NONE: none */
    int64_t longest_stall_ns;
} tfp_gap_facts;

/* Spans of the host. */
typedef struct tfp_host_tallies {
    tfp_tally item, synchronize, data; /* waits of the host */
    tfp_tally blocked;                 /* calls that copy or synchronise, outside of other waits */
    tfp_tally pageable;                /* calls that launch copies from or to pageable memory */
    tfp_tally communication;           /* of the host */
    tfp_tally retraces;                /* calls of a tf.function that traced it again */
    tfp_tally allocations;             /* cudaMalloc, cudaFree and their like */
    tfp_tally compilations;            /* annotations and ops that compile or trace */
    tfp_tally python;                  /* Python frames, with the functions that they call */
    tfp_tally own;                     /* the profiler's own work */
    tfp_tally ops;                     /* host ops and calls */
} tfp_host_tallies;

/* Activities of devices. */
typedef struct tfp_device_tallies {
    tfp_tally casts,
        layouts;         /* kernels that only convert types, or only copy tensors, into another layout or as they are */
    tfp_tally optimizer; /* activities launched within the optimizer's step, but for those of many tensors */
    tfp_tally plain_matmuls; /* matrix products in single precision on a device with tensor cores */
    tfp_tally odd_matmuls;   /* matrix products of 16 bits with a side that is no multiple of 8 */
    tfp_tally small_grids;   /* kernels that leave over half of the multiprocessors without a block */
    tfp_tally tiny;          /* compute of at most 10 us */
    double tiny_gaps_ns;     /* the device's own short gaps before those, a step */
    double small_grids_part; /* share of the multiprocessors in use, weighted by time */
    bool one_stream;         /* compute runs in one stream of each device only */
} tfp_device_tallies;

/* Memory of the device nearest to its limit. */
typedef struct tfp_memory_facts {
    int64_t memory_peak, memory_limit, reserved_peak; /* of the device nearest to its limit; 0: not known */
    uint32_t memory_span;                             /* -> spans: the op in which it held most; TFP_NONE: none */
} tfp_memory_facts;

/* How the recording begins. */
typedef struct tfp_begin_facts {
    bool whole;          /* no step is marked: the whole trace is the one step */
    uint32_t warm_up;    /* -> the profile's steps: step 0 where the trace begins with it and has others; TFP_NONE: none */
    double warm_up_ns;   /* how long it took */
} tfp_begin_facts;

typedef struct tfp_trace_facts {
    tfp_trace_index x;
    tfp_step_row *steps;
    tfp_transfer_row *transfers;
    tfp_kernel_fact *kernels; /* the longest first */
    size_t step_row_count, transfer_count, kernel_count;
    int64_t step_count;   /* rows of steps and devices; at least 1 */
    int64_t window_count; /* steps of ranks; at least 1 */
    bool has_devices;
    unsigned frameworks; /* TFP_NAME_TORCH, TFP_NAME_TENSORFLOW, TFP_NAME_JAX: those that names tell of */
    double capability;   /* CUDA's compute capability of the first device; 0: not known */
    const tfp_union *inputs;      /* by unit: when the host waits for input */
    /* by device: when it does nothing and could work: within steps, without the profiler's own work; where the recording may have
     * begun or ended in the middle of the work, from its first activity on, and up to the last */
    const tfp_union *idle;
    tfp_union *judged;  /* by unit: the same, without marks from the first activity to the last */
    tfp_union *covered; /* by unit: the time of its steps */
    uint8_t *sorts;     /* by span: bits 1 << tfp_sort_of_work */
    tfp_rank_facts ranks;
    tfp_mean_facts mean;
    tfp_gap_facts gaps;
    tfp_host_tallies host;
    tfp_device_tallies device;
    tfp_memory_facts memory;
    tfp_begin_facts begin;
} tfp_trace_facts;

/* In the report's arena. TFP_LIMIT: more steps than a table has rows; TFP_NOMEM. */
tfp_status tfp_trace_facts_of(tfp_report *r, const tfp_trace_facts **out, tfp_error *err);

/* Where the mean step goes (parts.c): the rows of `summary`, and those of them that are waits. They return their count. */
typedef struct tfp_part_row {
    tfp_str part;
    double a_step_us, share; /* NAN: not known */
    tfp_str command;
} tfp_part_row;
enum { TFP_PARTS_MOST = 10 };
extern const tfp_row_column tfp_part_columns[];
size_t tfp_step_parts(const tfp_trace_facts *f, tfp_part_row rows[TFP_PARTS_MOST]);
size_t tfp_wait_parts(const tfp_trace_facts *f, tfp_part_row rows[TFP_PARTS_MOST]);

/* Ends a tally: its union within the windows; of the host, or of devices. Frees its list. False without memory. */
bool tfp_tally_end(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host);
/* The time in which nothing but such activities runs on a device, of a step: what they would save at most. */
typedef bool (*tfp_activity_fn)(const void *ctx, const tfp_trace_facts *f, uint32_t span);
double tfp_alone_ns(const tfp_trace_facts *f, tfp_activity_fn is, const void *ctx);
double tfp_sort_alone_ns(const tfp_trace_facts *f, tfp_sort_of_work sort);
/* Fills t->idle_ns and t->alone_ns of a tally of the host, before it ends. False without memory. */
bool tfp_tally_effect(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t);
/* By unit, the union of a tally's spans of the host, before it ends. NULL without memory. */
tfp_union *tfp_tally_unions(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t);
/* Fills f->idle; `own`, by unit: when the profiler itself works. False without memory. */
bool tfp_idle_of(tfp_report *r, tfp_trace_facts *f, const tfp_union *own);
/* Fills what the facts tell of gaps (gaps.c); `known`, by unit: when the host is known to wait. False without memory. */
bool tfp_gaps_of(tfp_trace_facts *f, const tfp_union *known, const tfp_union *own);
/* Fills in the facts about memory (reserved.c). False without memory. */
bool tfp_reserved_of(tfp_trace_facts *f);
/* The marker of the step of a row; TFP_NONE: it has none. */
uint32_t tfp_step_marker(const tfp_trace_facts *f, const tfp_step_row *row);
/* Fills in the steps, their mean and how they differ (mean.c). */
tfp_status tfp_mean_step_of(tfp_report *r, tfp_trace_facts *f, tfp_error *err);
/* Fills f->covered and f->window_count. False without memory. */
bool tfp_steps_cover(tfp_report *r, tfp_trace_facts *f);
/* Fills f->judged, of f->covered. False without memory. */
bool tfp_judged_of(tfp_report *r, tfp_trace_facts *f);
/* Fills f->ranks (ranks.c). False without memory. */
bool tfp_rank_facts_of(tfp_report *r, tfp_trace_facts *f);

#endif
