// SPDX-License-Identifier: Apache-2.0
/* views/trace/path.h: the table of `steps -critical_path`, and what its two files share. */
#ifndef TFP_TRACE_PATH_H
#define TFP_TRACE_PATH_H

#include "query/groups.h"
#include "views/spans/trace.h"

/* A row of the table. */
typedef struct tfp_path_row {
    int64_t rank;
    tfp_str class, name;
    tfp_fold ns;     /* stretches of all steps */
    int64_t lost_ns; /* the part of their sum that no change can save: see tfp_path.begins */
    bool profilers;  /* the profiler's own work, which cannot be saved either */
    double share, total_us, gain_us;
    uint32_t unit;
    unsigned kind;      /* its class: TFP_PATH_... */
    tfp_strid activity; /* its name; TFP_NONE: nothing was recorded */
} tfp_path_row;
enum {
    TFP_PATH_HOST,
    TFP_PATH_SYNCHRONIZE,
    TFP_PATH_LAUNCH,
    TFP_PATH_GAP,
    TFP_PATH_COMPUTE,
    TFP_PATH_COMMUNICATION,
    TFP_PATH_COPY
};

/* A part of a thread's time and the innermost span during it; TFP_NONE: nothing was recorded. */
typedef struct tfp_piece {
    int64_t start, end;
    uint32_t span;
} tfp_piece;

typedef struct tfp_range {
    size_t first, count;
} tfp_range;

typedef struct tfp_path {
    tfp_report *r;
    const tfp_trace_index *x;
    tfp_piece *pieces;
    size_t piece_count;
    tfp_range *threads;      /* for each lane: range in pieces */
    uint32_t *by_end;        /* activities sorted by unit, then end */
    tfp_range *ends_of_unit; /* for each unit: range in by_end */
    uint32_t *lane_end;      /* activities sorted by lane, then end */
    tfp_range *streams;      /* for each lane: range in lane_end */
    size_t activity_count;
    uint32_t *ops;          /* outermost host ops sorted by unit, then end */
    tfp_range *ops_of_unit; /* for each unit: range in ops */
    size_t op_count;
    tfp_groups rows; /* tfp_path_row by unit, class and number of the name */
    uint32_t unit;
    TFP_VEC(tfp_piece) windows; /* windows of steps; `span` holds the unit */
    int64_t *path_ns;           /* for each unit: total length of its paths */
    int64_t *step_count;        /* for each unit */
    uint32_t *step_lane;        /* for each unit: its main thread as an index in lanes; TFP_NONE: none */
    int64_t
        *begins; /* for each unit of a trace without steps: when a device begins; the recording may have begun before */
    bool *launched; /* for each unit: whether launches of its activities are known */
    bool *works;    /* for each unit: whether it has a device, or host ops in place of one, and so has steps */
} tfp_path;

/* Fills the lists of `t` (path_lists.c); false: out of memory. */
bool tfp_path_lists(tfp_path *t);

/* Computes how much one step could gain at most (path_gain.c), for the ten longest rows of each unit; rows are sorted by unit
 * and length. False: out of memory. */
bool tfp_path_gains(tfp_path *t, tfp_path_row *rows, size_t count);
unsigned tfp_path_class(const tfp_path *t, uint32_t activity);

/* Fills the report's grid: for each class and name, its share of the steps' critical paths. */
tfp_status tfp_trace_path(tfp_report *r, const tfp_trace_index *x, tfp_error *err);

#endif
