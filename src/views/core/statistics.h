// SPDX-License-Identifier: Apache-2.0
/* views/core/statistics.h: columns that are statistics over runs. A node's run is one host span with everything that it launched, or one
 * activity if the node runs only on devices. In TensorFlow's files it is a span, or an execution that ran once. */
#ifndef TFP_STATISTICS_H
#define TFP_STATISTICS_H

#include "views/core/engine.h"

typedef struct tfp_node_run {
    uint32_t node;
    int64_t ns; /* time of the node itself on the host, and time on accelerators */
} tfp_node_run;

struct tfp_statistics {
    tfp_column_id columns[TFP_STATISTICS_MAX]; /* columns that the options select */
    size_t count;
    TFP_VEC(tfp_node_run) runs; /* within the report's step and time range */
};

/* Where the runs of nodes are counted. Slots are rows in an order such as preorder, so that the rows in a total are contiguous
 * after its own row. */
typedef struct tfp_run_slots {
    const uint32_t *item; /* for each slot: the item, as in tfp_report.reach */
    const uint32_t *end;  /* for each slot: one past the last slot in its total */
    size_t count;
    const uint8_t *counts; /* for each item: whether its runs count; NULL: all do */
    size_t items;
    bool total_by_slot; /* totals are indexed by slot; otherwise by item, like own values */
} tfp_run_slots;

/* Whether the rows are of sampled stacks. A trace that has samples beside its events shows them as lines only. */
bool tfp_rows_of_samples(const tfp_report *r);
/* Allocates statistics for `count` rows, which have no runs yet. */
bool tfp_statistics_room(const tfp_report *r, tfp_values *v, tfp_arena *arena, size_t count);
/* The column's index in tfp_values.of_runs; SIZE_MAX: the report does not have it. */
size_t tfp_statistics_at(const tfp_report *r, tfp_column_id column);
/* Finds the runs if a selected column needs them, or sets the reason why only sums exist. Called before rows are
 * made. */
tfp_status tfp_statistics_start(tfp_report *r, tfp_error *err);
void tfp_statistics_free(struct tfp_statistics *s);
/* Computes the statistics of all slots, if a column needs them. False: out of memory. */
bool tfp_statistics_fill(const tfp_report *r, const tfp_run_slots *slots, tfp_values *own, tfp_values *total);

#endif
