// SPDX-License-Identifier: Apache-2.0
/* views/core/engine.h: what the views of nodes share: values of nodes, which types are accounted, and the engine that
 * makes rows of a tree of items. */
#ifndef TFP_VIEW_ENGINE_H
#define TFP_VIEW_ENGINE_H

#include "flops/core/parameters.h"
#include "options/regex.h"
#include "views/core/rows.h"

/* ---- values: columns of numbers, only those that the report needs ---- */
typedef struct tfp_values {
    int64_t *at[TFP_V_COUNT];            /* NULL when not needed */
    double *of_runs[TFP_STATISTICS_MAX]; /* by the columns of tfp_report_tree.statistics; NAN: no runs */
} tfp_values;
bool tfp_values_new(const tfp_report *r, tfp_values *v, tfp_arena *arena, size_t count);
/* Adds a node's values at the report's step, multiplied by `times`, to index i. */
void tfp_values_add_node(tfp_report *r, tfp_values *v, size_t i, uint32_t node, int64_t times);
/* to[i] += from[j], every column, saturating. */
void tfp_values_add(tfp_report *r, tfp_values *to, size_t i, const tfp_values *from, size_t j);

/* For sorting: the value at index i of a column that is not a sum. An absent value is below all others. */
double tfp_place_number(const tfp_report *r, tfp_column_id column, const tfp_values *v, size_t i);

/* ---- -float_ops_source (flops/counts.c) ---- */
/* Computes tfp_report_tree.counts if the report's options ask for counts and do not contain them already. */
tfp_status tfp_counts_start(tfp_report *r, tfp_error *err);
/* Finds the model's variables in those cases in which they count as parameters: with -float_ops_source own, and for a
 * checkpoint alone. */
tfp_status tfp_parameters_start(tfp_report *r, tfp_error *err);
/* Adds a note if TensorFlow's count of parameters, which includes every node with the attribute shape, differs from
 * that of the model's variables. `whose` names the count that is shown, `remedy` says how to show the other one. */
tfp_status tfp_parameters_note_difference(tfp_report *r, const tfp_profile *p, const tfp_parameter_counts *c,
                                          const char *whose, const char *remedy, tfp_error *err);

/* ---- -account_type_regexes ---- */
typedef struct tfp_account {
    const tfp_report *r;
    const tfp_filter *filter;
    uint64_t *masks; /* for each type: which patterns match; valid when known[type] is set */
    uint8_t *known;
    uint64_t kinds[TFP_PARAMETER_KINDS]; /* the same for each kind of variable, when the report finds parameters */
    tfp_arena *arena;
} tfp_account;
bool tfp_account_start(tfp_account *a, const tfp_report *r, tfp_arena *arena);
/* How many of the patterns match a type of the node: TensorFlow counts the node that often in op and code views. */
int64_t tfp_account_times(tfp_account *a, uint32_t node);
/* Matches every type now, so that several threads may ask about nodes. */
void tfp_account_all(tfp_account *a);

/* ---- tree/no_effect.c: notes for what was asked and shows nothing ---- */
tfp_status tfp_note_silence(tfp_report *r, size_t notes_before, tfp_error *err); /* for a finished report */
/* For the op view: how many types the default of -max_depth hides. */
tfp_status tfp_note_left(tfp_report *r, size_t types, tfp_error *err);
/* Adds a note about given patterns and minimums that this table does not apply. */
tfp_status tfp_note_all_rows(tfp_report *r, tfp_error *err);
/* Adds notes about patterns that match none of these names. */
tfp_status tfp_note_unmatched(tfp_report *r, const tfp_str *names, size_t count, tfp_error *err);

/* ---- code ---- */
/* Selects the column that the samples fill, unless the user chose one (tree/samples.c). */
tfp_status tfp_samples_select(tfp_report *r, tfp_error *err);

/* ---- rows ---- */
/* Appends a row; TFP_NONE without memory. */
uint32_t tfp_report_add_row(tfp_report *r, const tfp_row *row);
/* Takes over the values to which rows refer by own_at and total_at; their arrays are in the report's arena. */
void tfp_report_take_values(tfp_report *r, const tfp_values *own, const tfp_values *total);
/* The nodes of the profile in byte order of their names. */
bool tfp_name_order(const tfp_profile *p, uint32_t *order);

/* ---- the engine: a tree of items in, rows out ---- */
typedef enum tfp_tree_rules {
    TFP_TREE_SCOPE, /* unaccounted items stay if something below them stays */
    TFP_TREE_GRAPH, /* unaccounted items vanish, and their children move up */
    TFP_TREE_CODE   /* as scope, but trim and depth apply to the item itself too, and minimums only to totals */
} tfp_tree_rules;

typedef struct tfp_tree {
    tfp_arena *arena;
    size_t count; /* number of items; item 0 is the root, which is never accounted */
    tfp_str *name;
    uint32_t *node;        /* index in the profile's nodes, or TFP_NONE */
    uint32_t *child_start; /* count + 1 offsets in children */
    uint32_t *children;    /* in traversal order */
    uint8_t *accounted;
    uint8_t *kept; /* set by the engine */
    /* code view: number of accounted nodes of the item itself, for -order_by occurrence; otherwise NULL */
    uint32_t *member_count;
    int64_t
        *first_ns; /* with -order_by start: the item's first start, INT64_MAX until the view fills it; otherwise NULL */
    tfp_values own, total; /* own is filled by the view, total by the engine */
} tfp_tree;

typedef struct tfp_shown { /* an item that gets a row */
    uint32_t item;
    uint32_t parent; /* index in shown items: the nearest one above; the first is its own parent */
    uint32_t depth;  /* number of shown items above */
    uint32_t hidden; /* for tfp_row.hidden */
} tfp_shown;
typedef TFP_VEC(tfp_shown) tfp_shown_items;

bool tfp_tree_new(tfp_tree *t, tfp_report *r, tfp_arena *arena, size_t count);
/* Makes child_start and children from each item's parent (TFP_NONE: not in the tree), in order of index. */
bool tfp_tree_link(tfp_tree *t, const uint32_t *parent);
/* Fills `accounted` and `own` of the items that are nodes, with several threads (tree/node_values.c); made-up parents
 * are counted as `parents` says. */
bool tfp_tree_fill(tfp_tree *t, tfp_report *r, bool parents);
tfp_status tfp_tree_show(tfp_tree *t, tfp_report *r, tfp_tree_rules rules, tfp_error *err);
/* The engine's last part: computes totals (with `redo` of shown items only), sorts siblings, makes rows. The items must
 * be in traversal order, parents first. */
tfp_status tfp_tree_emit(tfp_tree *t, tfp_report *r, const tfp_shown_items *shown, bool redo, tfp_error *err);

/* Notes in tfp_report_tree.reach that a node is counted in an item, this many times. */
static inline void tfp_reach_item(tfp_report *r, uint32_t node, size_t item, int64_t times)
{
    if (tfp_tree_of(r)->reach) tfp_tree_of(r)->reach[node] = (tfp_reach){ (uint32_t)item, (uint32_t)times };
}

/* Reads a row's tensor from the checkpoint, if it is asked for and exists. */
tfp_status tfp_report_read_tensor(tfp_report *r, tfp_row *row, tfp_error *err);

/* TensorFlow 1.0's scope and graph views (tree/compat10.c). */
tfp_status tfp_compat10_scope(tfp_report *r, tfp_error *err);
tfp_status tfp_compat10_graph(tfp_report *r, tfp_error *err);

/* Makes the scope tree of all nodes: children sorted by name, made-up parents included. */
tfp_status tfp_scope_tree(tfp_tree *t, tfp_report *r, tfp_arena *arena, tfp_error *err);

/* Whether lines of code come from Python frames of a trace. Then rows are functions, because a frame has only its
 * function's first line (tree/code_trace.c). */
bool tfp_lines_are_functions(const tfp_profile *p);
/* Whether these frames tell the line of each call, as PyTorch's do from 2.15 on (spans/nest.c): rows are then lines, and functions for
 * their time outside of calls. */
bool tfp_has_lines_of_calls(const tfp_profile *p);
/* Whether there are frames of XPlane, whose files have no folders (spans/nest.c). Rows are then functions, and lines of call stacks. */
bool tfp_has_bare_frames(const tfp_profile *p);

#endif
