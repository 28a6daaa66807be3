// SPDX-License-Identifier: Apache-2.0
/* views/trace/facts.h: facts about a trace for advice and the summary, computed once: the mean step of a device, what it
 * waits for, the nature of its kernels and calls, and differences between ranks. */
#ifndef TFP_TRACE_FACTS_H
#define TFP_TRACE_FACTS_H

#include "views/spans/doubts.h"
#include "views/trace/tables.h"

/* Activities with one name and class, over all ranks and devices. */
typedef struct tfp_kernel_fact {
    tfp_str name;
    tfp_span_class class;
    int64_t total_ns, steps_ns; /* steps_ns: of those within a step */
    double occupancy;           /* mean occupancy of these kernels in percent, weighted by time; NAN: unknown */
    int64_t occupancy_ns;
    uint32_t longest; /* index in spans: the longest one; TFP_NONE: none */
} tfp_kernel_fact;

/* Spans of one kind within the steps. Their time is the length of their union in each rank, or on each device, clipped to
 * the steps' windows: spans in parallel threads, or nested spans, are not counted twice. */
typedef struct tfp_tally {
    TFP_VEC(uint32_t) spans; /* used while the facts are gathered */
    int64_t count;
    double a_step, ns; /* calls per step, and their time: for the host per rank's step, otherwise per device's step */
    double step_ns;    /* the same for whole windows, while `ns` is for the judged time only */
    double idle_ns;    /* for the host: the part during which a device that could work is idle, per device's step */
    double alone_ns;   /* for the host: the part during which no op runs except those around it and in it */
    uint32_t longest;  /* index in spans; TFP_NONE: none */
} tfp_tally;

/* What a span's name means (names.c). */
enum {
    TFP_NAME_KNOWN = 1 << 0,      /* the name was looked at */
    TFP_NAME_ALLOCATES = 1 << 1,  /* an API call that allocates or frees device memory */
    TFP_NAME_COMPILES = 1 << 2,   /* compiles or traces */
    TFP_NAME_CASTS = 1 << 3,      /* converts types */
    TFP_NAME_MOVES = 1 << 4,      /* copies a tensor, into another layout or as it is */
    TFP_NAME_COPIES = 1 << 5,     /* the op inside a cast or move that launches the kernel */
    TFP_NAME_TRANSPOSES = 1 << 6, /* a kernel that changes a layout */
    TFP_NAME_PRODUCT = 1 << 7,    /* an op: a matrix product */
    TFP_NAME_PLAIN = 1 << 8,      /* a kernel: a product in single precision without tensor cores */
    TFP_NAME_TILES = 1 << 9,      /* a kernel of products or convolutions */
    TFP_NAME_HALF = 1 << 10,      /* a kernel on a type of 16 bits */
    TFP_NAME_JOINED = 1 << 11,    /* a kernel for many tensors, or for many operations */
    TFP_NAME_OPTIMIZER = 1 << 12, /* the range of an optimizer's step */
    TFP_NAME_TORCH = 1 << 13,     /* a name that only PyTorch uses */
    TFP_NAME_TENSORFLOW = 1 << 14,
    TFP_NAME_JAX = 1 << 15,
    TFP_NAME_COMMUNICATES = 1 << 18, /* communication of the host */
    TFP_NAME_COPY_CALL =
        1 << 17,                /* an API call: a copy, which may wait although its name says that it is asynchronous */
    TFP_NAME_PROFILER = 1 << 16 /* a profiler's own work: starting, stopping, writing its recording */
};
unsigned tfp_name_says(tfp_str name);

enum { TFP_RANK_FASTEST, TFP_RANK_MEDIAN, TFP_RANK_SLOWEST, TFP_RANKS_TOLD };

/* Several ranks in the same steps. */
typedef struct tfp_rank_facts {
    size_t compared;                /* ranks that have steps in common with others */
    int64_t told[TFP_RANKS_TOLD];   /* three ranks by compute time in a step: the fastest, the median, the slowest */
    double told_ns[TFP_RANKS_TOLD]; /* their compute times, as means over these steps */
    int64_t straggler_count;
    int64_t straggler, fastest; /* ranks; -1: no rank computes longer than the others */
    double over;         /* by which share of the median rank's compute it is longer, as the mean over all steps */
    double straggler_ns; /* the same in time */
    int64_t slow_steps, steps; /* in how many of the steps it is slower */
    uint32_t slowest_step;     /* index in the facts' steps: its longest one; TFP_NONE: none */
    /* the fastest rank spends at least half of its shorter compute time additionally in communication */
    bool others_wait;
    double skew_ns;  /* per step: mean time that ranks wait in collectives for the last one to arrive */
    int64_t awaited; /* the rank that others wait for most; -1: none */
    uint32_t worst;  /* index in spans: the collective with the longest such wait */
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
    TFP_STALL_NOTHING, /* no host span covers it */
    TFP_STALL_ITSELF,  /* one span of the launching thread, without those inside it */
    TFP_STALL_AROUND,  /* one span of the launching thread, with many short spans inside it */
    TFP_STALL_SHORT,   /* short spans of the launching thread */
    TFP_STALL_OTHER    /* a span of another thread */
} tfp_stall_cover;

/* A gap in a device's work. */
typedef struct tfp_gap {
    uint32_t unit, launch, thread; /* launch: TFP_NONE for ops; thread: the lane that launches */
    uint32_t after;                /* index in spans: the launch, or the op */
    int64_t start, end;
} tfp_gap;
bool tfp_find_cause(struct tfp_trace_facts *f, const tfp_gap *g); /* fills f->gaps.stall_...; false: out of memory */

/* The mean step of a device, and how much steps differ. */
typedef struct tfp_mean_facts {
    /* means for one step on one device */
    double step_ns, compute_ns, communication_ns, copy_ns, exposed_communication_ns, exposed_copy_ns, idle_ns, busy_ns;
    double kernels_per_step;
    double between_ns; /* of guessed steps: the time from the end of their window to the start of the next step */
    /* the time that findings are a share of, per step; without marks it is from a device's first activity to its
     * last */
    double judged_ns;
    double even_ns;    /* mean length of steps without the warm-up */
    uint32_t ahead_of; /* index in devices: the slowest of those that the host runs ahead of; TFP_NONE: none */
    double lag_ns;     /* the time that it is ahead at the end of the last step */
    /* for the rank whose steps differ most: standard deviation divided by the mean (NAN: no rank has 3 steps), and the
     * mean */
    double step_cv, cv_mean_ns;
    size_t median_step,
        odd_step; /* indexes in steps, rows of its first device: the median and the one farthest from it; SIZE_MAX: none */
} tfp_mean_facts;

/* Gaps in devices' work, per step. */
typedef struct tfp_gap_facts {
    /* gaps of a device within its steps whose next activity was launched in the gap: up to a millisecond, and longer ones;
     * without devices: longer ones during which no host op runs */
    double late_ns, stall_ns;
    /* gaps before an activity that was launched in the gap, or has no launch: the most that a wait of the host can cost
     * per step */
    double host_idle_ns;
    /* host_cost_ns: the same within `idle`, which a remedy may save; lead_ns: its part before the first activity, which is only
     * reported, because a recording may have begun before the work */
    double host_cost_ns, lead_ns;
    double launched_late_ns, launch_untold_ns; /* its parts without profiling_ns, including step 0 */
    double profiling_ns,
        before_ns; /* idle time during which the profiler starts or stops; for hosts also the time before their first op */
    double stall_known_ns; /* the part of stall_ns during which the host waits for data, reads, allocates or compiles */
    double long_gaps_ns;   /* for hosts: gaps of over a millisecond, without profiling_ns and before_ns */
    double stalls;         /* number of the longer ones per step */
    uint32_t late_launch;  /* index in spans: the call that ended the longest of the shorter gaps; TFP_NONE: none */
    uint32_t stall_span; /* index in spans: the span that covers most of the longest unexplained gap; TFP_NONE: none */
    tfp_stall_cover stall_cover;
    double stall_share; /* the share of that gap that it covers */
    uint32_t stall_end; /* index in spans: the call or op that ended it; TFP_NONE: none */
    int64_t longest_stall_ns;
} tfp_gap_facts;

/* Sums over the host's spans. */
typedef struct tfp_host_tallies {
    tfp_tally item, synchronize, data; /* waits of the host: for a value, by a call that synchronizes, for data */
    tfp_tally blocked;                 /* calls that copy or synchronise, outside other waits */
    tfp_tally pageable;                /* calls that launch copies from or to pageable memory */
    tfp_tally communication;           /* communication on the host */
    tfp_tally retraces;                /* calls of a tf.function that traced it again */
    tfp_tally allocations;             /* cudaMalloc, cudaFree and their like */
    tfp_tally compilations;            /* annotations and ops that compile or trace */
    tfp_tally loading;                 /* launches that load code, and compilers at the start */
    tfp_tally python;                  /* Python frames, including the functions that they call */
    tfp_tally own;                     /* the profiler's own work */
    tfp_tally ops;                     /* host ops and calls */
} tfp_host_tallies;

/* Sums over devices' activities. */
typedef struct tfp_device_tallies {
    tfp_tally casts,
        layouts; /* kernels that only convert types; and those that only copy tensors, with or without another layout */
    tfp_tally optimizer;     /* activities launched within the optimizer's step, except kernels for many tensors */
    tfp_tally plain_matmuls; /* matrix products in single precision on a device with tensor cores */
    tfp_tally odd_matmuls;   /* matrix products on 16-bit types with a side that is no multiple of 8 */
    tfp_tally small_grids;   /* kernels that leave over half of the multiprocessors unused */
    tfp_tally tiny;          /* compute activities of at most 10 us */
    double tiny_gaps_ns;     /* the device's own short gaps before those, per step */
    double small_grids_part; /* share of multiprocessors in use, weighted by time */
    bool one_stream;         /* on every device all compute runs in one stream */
} tfp_device_tallies;

/* Memory of the device nearest to its limit. */
typedef struct tfp_memory_facts {
    int64_t memory_peak, memory_limit, reserved_peak; /* for that device; 0: unknown */
    uint32_t memory_span; /* index in spans: the op during which it held most; TFP_NONE: none */
} tfp_memory_facts;

/* How the recording begins. */
typedef struct tfp_begin_facts {
    bool whole;   /* no step is marked: the whole trace is one step */
    bool clipped; /* and that goes from the first activity to the last, because most of the trace is start-up */
    /* index in the profile's steps: step 0, if the trace begins with it and has further steps; TFP_NONE: none */
    uint32_t warm_up;
    double warm_up_ns; /* its duration */
    tfp_doubted_steps doubted;
    uint32_t start;   /* index in the profile's steps: the step that holds the start of the program; TFP_NONE: none */
    int64_t start_ns; /* how long it takes */
} tfp_begin_facts;

/* The time of a device's steps. */
typedef struct tfp_steps_on {
    const tfp_union *judged, *covered;
} tfp_steps_on;

typedef struct tfp_trace_facts {
    tfp_trace_index x;
    tfp_step_row *steps;
    tfp_transfer_row *transfers;
    tfp_kernel_fact *kernels; /* longest first */
    size_t step_row_count, transfer_count, kernel_count;
    int64_t step_count;   /* rows of steps and devices; at least 1 */
    int64_t window_count; /* steps of all ranks; at least 1 */
    bool has_devices;
    unsigned frameworks;     /* bits TFP_NAME_TORCH, TFP_NAME_TENSORFLOW, TFP_NAME_JAX, as found in names */
    double capability;       /* CUDA's compute capability of the first device; 0: unknown */
    const tfp_union *inputs; /* for each unit: when the host waits for input */
    /* for each device: when it is idle but could work: within steps, without the profiler's own work. If the recording may have
     * begun or ended in the middle of the work, only from its first activity to its last */
    const tfp_union *idle;
    tfp_union *judged;  /* for each unit the same; without marks from the first activity to the last */
    tfp_union *covered; /* for each unit: the time of its steps */
    /* for each device: the same two; of its own steps where the host runs ahead of it */
    tfp_steps_on *on;
    uint8_t *sorts; /* for each span: bits 1 << tfp_sort_of_work */
    tfp_rank_facts ranks;
    tfp_mean_facts mean;
    tfp_gap_facts gaps;
    tfp_host_tallies host;
    tfp_device_tallies device;
    tfp_memory_facts memory;
    tfp_begin_facts begin;
} tfp_trace_facts;

/* Gathers the facts in the report's arena. TFP_LIMIT: more steps than a table may have rows; TFP_NOMEM. */
tfp_status tfp_trace_facts_of(tfp_report *r, const tfp_trace_facts **out, tfp_error *err);

/* How the mean step's time is divided (parts.c): the rows of `summary`, and those that are waits. Both functions return
 * the number of rows. */
typedef struct tfp_part_row {
    tfp_str part;
    double a_step_us, share; /* NAN: unknown */
    tfp_str command;
} tfp_part_row;
enum { TFP_PARTS_MOST = 11 };
extern const tfp_table_column tfp_part_columns[];
bool tfp_host_is_limit(const tfp_trace_facts *f); /* devices wait for launches longer than they work */
size_t tfp_step_parts(const tfp_trace_facts *f, tfp_part_row rows[TFP_PARTS_MOST]);
size_t tfp_wait_parts(const tfp_trace_facts *f, tfp_part_row rows[TFP_PARTS_MOST]);

/* Completes a tally: computes its union within the windows, of the host or of devices, and frees its list. False: out
 * of memory. */
bool tfp_tally_end(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t, bool host);
/* The time of a step during which nothing but such activities runs on a device: the most that removing them would
 * save. */
typedef bool (*tfp_activity_fn)(const void *ctx, const tfp_trace_facts *f, uint32_t span);
double tfp_alone_ns(const tfp_trace_facts *f, tfp_activity_fn is, const void *ctx);
double tfp_sort_alone_ns(const tfp_trace_facts *f, tfp_sort_of_work sort);
/* Fills t->idle_ns and t->alone_ns of a host tally, before it is completed. False: out of memory. */
bool tfp_tally_effect(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t);
/* For each unit, the union of a host tally's spans, before it is completed. NULL: out of memory. */
tfp_union *tfp_tally_unions(tfp_report *r, const tfp_trace_facts *f, tfp_tally *t);
/* Fills f->idle. own: for each unit, when the profiler itself works. False: out of memory. */
bool tfp_idle_of(tfp_report *r, tfp_trace_facts *f, const tfp_union *own);
/* Fills the facts about gaps (gaps.c). known: for each unit, when the host is known to wait. False: out of memory. */
bool tfp_gaps_of(tfp_trace_facts *f, const tfp_union *known, const tfp_union *own);
/* Fills the facts about memory (reserved.c). False: out of memory. */
bool tfp_reserved_of(tfp_trace_facts *f);
bool tfp_span_left_out(const tfp_trace_facts *f, uint32_t span);          /* its step is in doubt */
bool tfp_row_left_out(const tfp_trace_facts *f, const tfp_step_row *row); /* its step is in doubt */
/* The marker of a row's step; TFP_NONE: none. */
uint32_t tfp_step_marker(const tfp_trace_facts *f, const tfp_step_row *row);
/* Fills the index, the steps, their mean and their differences (mean.c). */
tfp_status tfp_mean_step_of(tfp_report *r, tfp_trace_facts *f, tfp_error *err);
/* Fills f->covered and f->window_count. False: out of memory. */
bool tfp_steps_cover(tfp_report *r, tfp_trace_facts *f);
/* Fills f->judged from f->covered, then both of devices. False: out of memory. */
bool tfp_judged_of(tfp_report *r, tfp_trace_facts *f);
/* Fills f->ranks (ranks.c). False: out of memory. */
bool tfp_rank_facts_of(tfp_report *r, tfp_trace_facts *f);

#endif
