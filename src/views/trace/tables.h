// SPDX-License-Identifier: Apache-2.0
/* views/trace/tables.h: the rows of a trace's tables, used by the tables themselves, by `summary` and by advice. */
#ifndef TFP_TRACE_TABLES_H
#define TFP_TRACE_TABLES_H

#include "views/core/grid.h"
#include "views/spans/trace.h"
#include "views/trace/input_bytes.h"

/* All rows are in the report's arena. */

/* How far the host is ahead of a device. */
typedef struct tfp_step_lag {
    int64_t ns;              /* of a step: at its end */
    int64_t launched, later; /* of `all`: activities launched in steps; those of them that start after the step */
} tfp_step_lag;
typedef struct tfp_served {   /* what a server did in a step */
    tfp_str phase;            /* data NULL: unknown */
    int64_t requests, tokens; /* TFP_ABSENT: unknown */
} tfp_served;
typedef struct tfp_step_row {
    int64_t rank;
    uint32_t unit, device_at; /* indexes in the index's units and devices */
    uint32_t step_at;         /* index in steps; TFP_NONE: `all` */
    tfp_str step, device;
    tfp_served served;
    int64_t start_ns, duration_ns, busy_ns, compute_ns, communication_ns, copy_ns;
    int64_t exposed_communication_ns, exposed_copy_ns, idle_ns;
    int64_t kernels;
    double launch_delay_us; /* NAN: no activity has a launch */
    int64_t step_ns;        /* how long the step takes */
    /* when the device worked for the step: in the window, unless its work runs later (views/spans/device_steps.h) */
    int64_t device_start_ns, device_ns;
    bool later_runs; /* it runs later */
    bool ahead;      /* and the device takes longer than the host, so that its steps count */
    tfp_step_lag lag;
    /* 1: the step of its rank takes as long as this row; 0: another device takes longer; below 0: the step is in no mean */
    int64_t paces;
} tfp_step_row;
/* Each device's steps in order, then its row `all` (unless the report is for one step). With -why all steps are there, whichever the report is
 * for. TFP_LIMIT: too many rows. */
enum { TFP_STEP_IS_START = -1, TFP_STEP_IN_DOUBT = -2 }; /* tfp_step_row.paces of steps that are in no mean */
/* The bit of columns that are present where some step takes another time than its window. */
#define TFP_SHOWN_STEP 2u
/* The bit of columns that are present where some step has a phase. */
#define TFP_SHOWN_PHASE 4u
tfp_status tfp_step_rows(tfp_report *r, const tfp_trace_index *x, tfp_step_row **rows, size_t *count, tfp_error *err);

typedef struct tfp_transfer_row {
    int64_t rank;
    tfp_str kind, device, group;
    int64_t group_size;                                        /* TFP_ABSENT: unknown */
    int64_t count, bytes, total_ns, overlapped_ns, exposed_ns; /* bytes: TFP_ABSENT: unknown */
    double gbps, bus_gbps, share;                              /* NAN: unknown */
    uint32_t device_at;                                        /* index in the index's devices */
    uint32_t longest;                                          /* index in spans */
    tfp_covered own;                                           /* the time in which at least one of them ran */
} tfp_transfer_row;
/* Rows by device, longest time first; `in_windows`: only what is within a step. False: out of memory. */
bool tfp_transfer_rows(tfp_report *r, const tfp_trace_index *x, bool in_windows, tfp_transfer_row **rows,
                       size_t *count);

/* The same for collectives without a trace (timed.c): by rank, longest time first. False: out of memory. */
bool tfp_timed_rows(tfp_report *r, tfp_transfer_row **rows, size_t *count);

/* A collective on several ranks, and who came late to it (skew.c). */
typedef struct tfp_skew_row {
    tfp_str name, group;
    int64_t ranks, count;
    double skew_us;
    int64_t max_skew_ns, waited_ns, awaited; /* awaited: TFP_ABSENT: no rank waited */
    double awaited_share, worst_ns;          /* worst_ns: mean wait of a rank in the worst one */
    int64_t worst_start_ns;
    uint32_t worst; /* index in spans: the worst one on the last rank to arrive; TFP_NONE: no rank waited */
} tfp_skew_row;
/* Rows with the most waiting first; waited[unit]: the sum of the mean times that ranks waited for it; `in_windows`: only what
 * is within a step. False: out of memory. */
bool tfp_skew_rows(tfp_report *r, const tfp_trace_index *x, bool in_windows, tfp_skew_row **rows, size_t *count,
                   double *waited);
tfp_status tfp_skew_table(tfp_report *r, const tfp_trace_index *x, tfp_error *err);

/* The table of `steps -why`, from the rows of all steps (why.c). */
tfp_status tfp_why_table(tfp_report *r, const tfp_trace_index *x, const tfp_step_row *rows, size_t count,
                         tfp_error *err);

/* The name of an activity in tables: one of an asynchronous line is marked. Data NULL: out of memory. (kernel.c) */
tfp_str tfp_activity_shown(tfp_arena *arena, tfp_str name, bool async);

/* Which ranks of the job have files. */
typedef struct tfp_rank_census {
    int64_t missing,
        first_missing; /* ranks without a file: of the job's size in the files, otherwise up to the highest rank */
    int64_t doubles, first_double; /* files with a rank that another file has too */
} tfp_rank_census;
bool tfp_rank_census_of(tfp_report *r, const tfp_trace_index *x, tfp_rank_census *out); /* false: out of memory */

/* ---- stated.c: numbers that a trace states for an activity ---- */
typedef struct tfp_occupancy_keys { /* keys of stats */
    tfp_strid estimate, details;
} tfp_occupancy_keys;
tfp_occupancy_keys tfp_occupancy_keys_of(const tfp_profile *p);
/* The estimated occupancy in percent, from a set of stats; false: unknown. */
bool tfp_stated_occupancy(const tfp_profile *p, uint32_t stats, const tfp_occupancy_keys *keys, double *percent);

typedef struct tfp_bytes_keys { /* keys of stats */
    tfp_strid bytes, size, accessed, memcpy_details, memset_details;
} tfp_bytes_keys;
typedef struct tfp_stated {     /* an activity, or several with equal stats */
    uint32_t stats, call_stats; /* indexes in stat sets; call_stats: of the API call; TFP_NONE: none */
    uint8_t class;
    bool tpu;
} tfp_stated;
tfp_bytes_keys tfp_bytes_keys_of(const tfp_profile *p);
/* The bytes of one such activity; false: unknown. */
bool tfp_stated_bytes(const tfp_profile *p, const tfp_stated *a, const tfp_bytes_keys *keys, int64_t *out);

#endif
