// SPDX-License-Identifier: Apache-2.0
/* model/tables/graph.h: the graph: nodes with their types, inputs, outputs and shapes. */
#ifndef TFP_TABLES_GRAPH_H
#define TFP_TABLES_GRAPH_H

#include "model/tables/types.h"

enum {
    TFP_NODE_INVENTED = 1, /* known only from run metadata */
    TFP_NODE_TRACED = 4,   /* the join made it from events */
    TFP_NODE_COVERED = 2   /* some run metadata had statistics for it when it was already known */
};

#include "schema/graph.def"

typedef struct tfp_node_tables {
    TFP_VEC(tfp_node) nodes;
    TFP_VEC(tfp_type) types;
    TFP_VEC(tfp_input_edge) inputs;
    TFP_VEC(tfp_output) outputs;
    TFP_VEC(tfp_shape) shapes;
    TFP_VEC(int64_t) dims;
    TFP_VEC(tfp_run_shape) run_shapes; /* kept only with TFP_READS_PROGRAM */
    TFP_VEC(tfp_str) attrs;            /* encoded repeated NodeDef.attr / ProfileNode.attrs entries, in the arena */
    TFP_VEC(uint32_t) node_by_name;    /* for each name: its node, or TFP_NONE; shorter than the string table */
    tfp_map64 types_by_node;           /* node << 32 | type -> 0: types of nodes with very many types */
    tfp_map64 run_shape_by_output;     /* node << 32 | slot -> index in run_shapes */
} tfp_node_tables;

TFP_CONST const tfp_node_tables *tfp_graph_of(const tfp_profile *p);
uint32_t tfp_named_node(const tfp_profile *p, tfp_strid name); /* TFP_NONE: there is none */
uint32_t tfp_find_node(const tfp_profile *p, tfp_str name);    /* TFP_NONE: there is none */

/* Whether the profile's operations come from an execution trace, which counts their calls. */
bool tfp_counts_calls(const tfp_profile *p);

/* The shape that an output had when it ran, as an index in shapes; TFP_NONE: not recorded. */
uint32_t tfp_run_shape_of(const tfp_profile *p, uint32_t node, uint32_t slot);
/* The product of the attribute `shape`; 0 when it is unknown. */
int64_t tfp_node_parameters(const tfp_profile *p, uint32_t node, bool *clamped);
/* The shape of the source's output that feeds this input; TFP_NONE: unknown. */
uint32_t tfp_input_shape(const tfp_profile *p, const tfp_input_edge *e);

#endif
