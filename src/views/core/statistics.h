// SPDX-License-Identifier: Apache-2.0
/* views/core/statistics.h: columns that are statistics over runs. A run of a node is one span of it on the host with what it launched, or,
 * of what runs on devices only, one activity; of TensorFlow's files it is a span, or an execution that ran once. */
#ifndef TFP_STATISTICS_H
#define TFP_STATISTICS_H

#include "views/core/engine.h"

typedef struct tfp_node_run {
    uint32_t node;
    int64_t ns; /* on the host in the node itself, and on accelerators */
} tfp_node_run;

struct tfp_statistics {
    tfp_column_id columns[TFP_STATISTICS_MAX]; /* that the options ask for */
    size_t count;
    TFP_VEC(tfp_node_run) runs; /* in the report's step and range */
};

/* Where the runs of nodes count. Slots are rows in an order such as preorder: the rows that a total holds follow its own row as one
 * range. */
typedef struct tfp_run_slots {
    const uint32_t *item; /* by slot: the item, as in tfp_report.reach */
    const uint32_t *end;  /* by slot: one past the last slot whose runs are in its total */
    size_t count;
    const uint8_t *counts; /* by item: whether its runs count; NULL: all do */
    size_t items;
    bool total_by_slot; /* totals stand by slot; else by item, as what is its own */
} tfp_run_slots;

/* Room for the statistics of `count` places, which have no runs yet. */
bool tfp_statistics_room(const tfp_report *r, tfp_values *v, tfp_arena *arena, size_t count);
/* The column's place in tfp_values.of_runs; SIZE_MAX: the report is without. */
size_t tfp_statistics_at(const tfp_report *r, tfp_column_id column);
/* Finds the runs if a column of the options asks for them, or says why only sums exist. Before the rows are made. */
tfp_status tfp_statistics_start(tfp_report *r, tfp_error *err);
void tfp_statistics_free(struct tfp_statistics *s);
/* Fills the statistics of all slots. Nothing to do where no column asks for them; false without memory. */
bool tfp_statistics_fill(const tfp_report *r, const tfp_run_slots *slots, tfp_values *own, tfp_values *total);

#endif
