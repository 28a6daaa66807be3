// SPDX-License-Identifier: Apache-2.0
/* views/tree/trace_tree.h: trees whose rows are made of spans, not of nodes: `calls`, and `code` of a trace. */
#ifndef TFP_TRACE_TREE_H
#define TFP_TRACE_TREE_H

#include "base/base.h"
#include "options/columns.h"

typedef struct tfp_trace_item {
    uint32_t parent;
    tfp_strid name;     /* a string of the tree's names */
    uint32_t steps;     /* number of steps in which something was added */
    uint32_t last_step; /* the last step that was added */
    int64_t first_ns;   /* the first start of what was added; INT64_MAX: nothing had a time */
    int64_t cpu_ns, accelerator_ns, runs;
    int64_t amount; /* amount of the tree's value */
    uint8_t kind;   /* tfp_span_kind of its first span */
} tfp_trace_item;

typedef struct tfp_trace_tree {
    tfp_report *r;
    TFP_VEC(tfp_trace_item) items; /* the first is the root; children come after their parents */
    tfp_strtab names;              /* in the report's arena */
    /* for each string of the profile: its name here, without addresses; TFP_NONE: not yet */
    tfp_strid *name_of;
    tfp_map64 by_name;   /* parent << 32 | name -> item */
    tfp_map64 by_step;   /* item << 32 | step: set once seen */
    tfp_value amount_is; /* the value that the items' amounts have; no time */
    bool failed;         /* out of memory */
} tfp_trace_tree;

void tfp_trace_tree_start(tfp_trace_tree *t, tfp_report *r);
/* A span's name as rows show it. 0 after a fault. */
tfp_strid tfp_trace_row_name(tfp_trace_tree *t, tfp_strid name);
/* The item with that name below another one, added if it is new. 0 after a fault. */
uint32_t tfp_trace_item_below(tfp_trace_tree *t, uint32_t parent, tfp_strid name, unsigned kind);
/* What is added to an item. */
typedef struct tfp_trace_part {
    uint32_t step;    /* TFP_NONE: in none */
    int64_t start_ns; /* INT64_MAX: unknown */
    int64_t cpu_ns, accelerator_ns, runs;
} tfp_trace_part;
/* Adds a part to an item if the report includes its step. */
void tfp_trace_tree_add(tfp_trace_tree *t, uint32_t item, tfp_trace_part part);
/* Makes the report's rows; frees the tree. */
tfp_status tfp_trace_tree_show(tfp_trace_tree *t, tfp_error *err);
void tfp_trace_tree_free(tfp_trace_tree *t);

/* Builds the code view of a trace. */
tfp_status tfp_code_of_trace(tfp_report *r, tfp_error *err);
/* Builds `code` and `calls` of sampled stacks: rows are lines, or functions. */
tfp_status tfp_tree_of_samples(tfp_report *r, bool lines, tfp_error *err);

#endif
