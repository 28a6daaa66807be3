// SPDX-License-Identifier: Apache-2.0
/* views/tree/trace_tree.h: trees whose rows are made of spans and not of nodes: `calls`, and `code` of a trace. */
#ifndef TFP_TRACE_TREE_H
#define TFP_TRACE_TREE_H

#include "base/base.h"
#include "options/columns.h"

typedef struct tfp_trace_item {
    uint32_t parent;
    tfp_strid name;     /* of the tree's names */
    uint32_t steps;     /* in how many it has something */
    uint32_t last_step; /* the last of them that was added */
    int64_t first_ns;   /* the first start of what was added; INT64_MAX: nothing with a time */
    int64_t cpu_ns, accelerator_ns, runs;
    int64_t amount; /* of the tree's value */
    uint8_t kind;   /* tfp_span_kind of the first span */
} tfp_trace_item;

typedef struct tfp_trace_tree {
    tfp_report *r;
    TFP_VEC(tfp_trace_item) items; /* the first is the root; children come after their parents */
    tfp_strtab names;              /* in the report's arena */
    tfp_strid *name_of;            /* by string of the profile: its name here, without addresses; TFP_NONE: not yet */
    tfp_map64 by_name;             /* parent << 32 | name */
    tfp_map64 by_step;             /* item << 32 | step: met */
    tfp_value amount_is;           /* what the items' amounts are; no time */
    bool failed;                   /* no memory */
} tfp_trace_tree;

void tfp_trace_tree_start(tfp_trace_tree *t, tfp_report *r);
/* A span's name, as rows show it. 0 after a fault. */
tfp_strid tfp_trace_row_name(tfp_trace_tree *t, tfp_strid name);
/* The item of that name below another; a new one when there is none. 0 after a fault. */
uint32_t tfp_trace_item_below(tfp_trace_tree *t, uint32_t parent, tfp_strid name, unsigned kind);
/* What is added to an item. */
typedef struct tfp_trace_part {
    uint32_t step;    /* TFP_NONE: in none */
    int64_t start_ns; /* INT64_MAX: not known */
    int64_t cpu_ns, accelerator_ns, runs;
} tfp_trace_part;
/* Adds it if the report is about that step. */
void tfp_trace_tree_add(tfp_trace_tree *t, uint32_t item, tfp_trace_part part);
/* Rows of it all; frees the tree. */
tfp_status tfp_trace_tree_show(tfp_trace_tree *t, tfp_error *err);
void tfp_trace_tree_free(tfp_trace_tree *t);

/* The code view of a trace. */
tfp_status tfp_code_of_trace(tfp_report *r, tfp_error *err);
/* `code` and `calls` of sampled stacks: rows are lines, or functions. */
tfp_status tfp_tree_of_samples(tfp_report *r, bool lines, tfp_error *err);

#endif
