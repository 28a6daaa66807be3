// SPDX-License-Identifier: Apache-2.0
/* views/trace/tables.h: the rows of the tables of a trace, for the tables themselves, for `summary` and for advice. */
#ifndef TFP_TRACE_TABLES_H
#define TFP_TRACE_TABLES_H

#include "views/core/grid.h"
#include "views/spans/trace.h"

/* All rows stand in the report's arena. */

typedef struct tfp_step_row {
    int64_t rank;
    uint32_t unit; /* -> the index's units */
    tfp_str step, device;
    int64_t start_ns, duration_ns, busy_ns, compute_ns, communication_ns, copy_ns;
    int64_t exposed_communication_ns, exposed_copy_ns, idle_ns;
    int64_t kernels;
    double launch_delay_us; /* NAN: no activity has a launch */
} tfp_step_row;
/* Each device's steps in order, then its row `all` (not when the report is of one step). TFP_LIMIT: too many rows. */
tfp_status tfp_step_rows(tfp_report *r, const tfp_trace_index *x, tfp_step_row **rows, size_t *count, tfp_error *err);

typedef struct tfp_transfer_row {
    int64_t rank;
    tfp_str kind, device, group;
    int64_t group_size;                                        /* TFP_ABSENT: not known */
    int64_t count, bytes, total_ns, overlapped_ns, exposed_ns; /* bytes: TFP_ABSENT when not known */
    double gbps, bus_gbps, share;                              /* NAN: not known */
    uint32_t device_at;                                        /* -> the index's devices */
    uint32_t longest;                                          /* -> spans */
} tfp_transfer_row;
/* By device, those that take longest first; `in_windows`: only what belongs to a step. False without memory. */
bool tfp_transfer_rows(tfp_report *r, const tfp_trace_index *x, bool in_windows, tfp_transfer_row **rows,
                       size_t *count);

/* The same of collectives without a trace (timed.c): by rank, those that take longest first. False without memory. */
bool tfp_timed_rows(tfp_report *r, tfp_transfer_row **rows, size_t *count);
/* By how much a collective of `n` ranks is faster as seen by the links than by its bytes. (input_bytes.c) */
double tfp_bus_factor(tfp_str kind, int64_t n);

/* Bytes of an element, by torch's name of its type; 0: not known. (input_bytes.c) */
int64_t tfp_element_size(tfp_str type);
/* Of all inputs of a call, by their recorded shapes and types; false where they are not known or of several types. */
bool tfp_input_bytes(tfp_str dims, tfp_str types, int64_t *out);

/* A collective on several ranks: who came late to it (skew.c). */
typedef struct tfp_skew_row {
    tfp_str name, group;
    int64_t ranks, count;
    double skew_us;
    int64_t max_skew_ns, waited_ns, awaited; /* awaited: TFP_ABSENT when no rank waited */
    double awaited_share, worst_ns;          /* worst_ns: mean wait of a rank in the worst one */
    int64_t worst_start_ns;
    uint32_t worst; /* -> spans: on the last rank to arrive; TFP_NONE: no rank waited */
} tfp_skew_row;
/* Those that cost most waiting first; waited[unit]: the mean time that ranks waited for it, added up; `in_windows`: only what
 * belongs to a step. False without memory. */
bool tfp_skew_rows(tfp_report *r, const tfp_trace_index *x, bool in_windows, tfp_skew_row **rows, size_t *count,
                   double *waited);
tfp_status tfp_skew_table(tfp_report *r, const tfp_trace_index *x, tfp_error *err);

/* Which ranks of the job have files. */
typedef struct tfp_rank_census {
    int64_t missing, first_missing; /* of the job's size, as files tell it; else up to the highest rank */
    int64_t doubles, first_double;  /* files of a rank that another file has too */
} tfp_rank_census;
bool tfp_rank_census_of(tfp_report *r, const tfp_trace_index *x, tfp_rank_census *out); /* false without memory */

/* ---- told.c: what a trace tells of an activity ---- */
typedef struct tfp_occupancy_keys { /* of stats */
    tfp_strid estimate, details;
} tfp_occupancy_keys;
tfp_occupancy_keys tfp_occupancy_keys_of(const tfp_profile *p);
/* The estimated occupancy in percent; false where it is not told. */
bool tfp_occupancy_of(const tfp_profile *p, uint32_t span, const tfp_occupancy_keys *keys, double *percent);
bool tfp_told_occupancy(const tfp_profile *p, uint32_t stats, const tfp_occupancy_keys *keys, double *percent);

typedef struct tfp_bytes_keys { /* of stats */
    tfp_strid bytes, size, accessed, memcpy_details, memset_details;
} tfp_bytes_keys;
typedef struct tfp_told { /* of one activity, or of several that tell the same */
    uint32_t stats, call_stats; /* -> stat sets; call_stats: of the API call; TFP_NONE: none */
    uint8_t class;
    bool tpu;
} tfp_told;
tfp_bytes_keys tfp_bytes_keys_of(const tfp_profile *p);
/* The bytes of one; false where they are not told. */
bool tfp_told_bytes(const tfp_profile *p, const tfp_told *a, const tfp_bytes_keys *keys, int64_t *out);

typedef struct tfp_wait_row {
    int64_t rank;
    tfp_str cause, where;
    int64_t count, total_ns, max_ns;
    double mean_us, share;
    tfp_str example;
    uint32_t unit;
} tfp_wait_row;
/* By unit, those that take longest first. False without memory. */
bool tfp_wait_rows(tfp_report *r, const tfp_trace_index *x, tfp_wait_row **rows, size_t *count);

#endif
