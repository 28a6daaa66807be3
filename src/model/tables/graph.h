// SPDX-License-Identifier: Apache-2.0
/* model/tables/graph.h: the graph: nodes with their types, inputs, outputs and shapes. */
#ifndef TFP_TABLES_GRAPH_H
#define TFP_TABLES_GRAPH_H

#include "model/tables/profile.h"

enum {
    TFP_NODE_INVENTED = 1, /* known only from run metadata */
    TFP_NODE_TRACED = 4,   /* made of events by the join */
    TFP_NODE_COVERED = 2   /* some run metadata had statistics for it when it was known already */
};

struct tfp_node {
    tfp_strid name, op;
    tfp_strid device; /* canonical: lower case, where it ran; 0 when it never did */
    tfp_strid host_device;
    tfp_strid graph_device;             /* as written in the graph */
    tfp_strid data_format;              /* attribute of convolutions and their kind; 0 when absent */
    uint32_t type_first, type_last;     /* -> types */
    uint32_t exec_first, exec_last;     /* -> execs */
    uint32_t input_first, input_last;   /* -> inputs, in order of position */
    uint32_t output_first, output_last; /* -> outputs, side by side in order of slots */
    uint32_t shape;                     /* -> shapes, the attribute `shape`; TFP_NONE when absent */
    uint32_t trace;                     /* -> traces; TFP_NONE when absent */
    uint32_t attrs;                     /* -> attrs, encoded; TFP_NONE when absent or not kept */
    uint32_t flags;
    int64_t id;
    int64_t float_ops; /* of one run */
    int64_t calls;     /* that were recorded without times, and made the node; else 0 */
};

typedef struct tfp_type { /* an extra op type: the op itself, user-defined ones, the device */
    tfp_strid name;
    uint32_t next;
} tfp_type;

struct tfp_input_edge {
    int32_t position;
    int32_t output_index; /* of the source */
    uint32_t node;        /* source; TFP_NONE when it is not in the profile */
    tfp_strid name;       /* of the source */
    uint32_t next;
};

typedef struct tfp_output {
    int32_t slot;
    uint32_t shape; /* -> shapes */
    uint32_t next;
} tfp_output;

typedef struct tfp_shape {
    uint32_t first, count; /* -> dims; a known scalar has the one dim 1 and `scalar` set; unknown rank has none */
    bool scalar;
} tfp_shape;

typedef struct tfp_run_shape { /* shape of an output at run time, when all runs agree */
    uint32_t node;
    int32_t slot;
    uint32_t shape; /* -> shapes; a dim of -1 differed, without dims the rank did */
} tfp_run_shape;

struct tfp_node_tables {
    TFP_VEC(tfp_node) nodes;
    TFP_VEC(tfp_type) types;
    TFP_VEC(tfp_input_edge) inputs;
    TFP_VEC(tfp_output) outputs;
    TFP_VEC(tfp_shape) shapes;
    TFP_VEC(int64_t) dims;
    TFP_VEC(tfp_run_shape) run_shapes; /* kept with TFP_KEEP_PROGRAM only */
    TFP_VEC(tfp_str) attrs;            /* encoded repeated NodeDef.attr / ProfileNode.attrs entries, in the arena */
    TFP_VEC(uint32_t) node_by_name;    /* by strid: its node, or TFP_NONE; shorter than the string table */
    tfp_map64 types_by_node;           /* node << 32 | type -> 0: the types of nodes that have very many */
    tfp_map64 run_shape_by_output;     /* node << 32 | slot -> run_shapes */
};

static inline uint32_t tfp_named_node(const tfp_profile *p, tfp_strid name) /* TFP_NONE when absent */
{
    return name < p->graph->node_by_name.size ? p->graph->node_by_name.at[name] : TFP_NONE;
}
uint32_t tfp_find_node(const tfp_profile *p, tfp_str name); /* TFP_NONE when absent */

/* Its operations come from an execution trace, which counts their calls. */
static inline bool tfp_counts_calls(const tfp_profile *p) { return p->graph->nodes.size && p->graph->nodes.at[0].calls; }

/* The shape that an output had when it ran (-> shapes), TFP_NONE when it was not recorded. */
uint32_t tfp_run_shape_of(const tfp_profile *p, uint32_t node, uint32_t slot);
/* The product of the attribute shape; 0 when it is unknown. */
int64_t tfp_node_parameters(const tfp_profile *p, uint32_t node, bool *clamped);
/* The shape of the source's output that feeds this input; TFP_NONE when unknown. */
uint32_t tfp_input_shape(const tfp_profile *p, const tfp_input_edge *e);

#endif
