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

struct tfp_node {
    tfp_strid name, op;
    tfp_strid device; /* canonical device on which it ran, in lower case; 0: it never ran */
    tfp_strid host_device;
    tfp_strid graph_device;             /* the device as the graph writes it */
    tfp_strid data_format;              /* attribute of convolutions and similar; 0: none */
    uint32_t type_first, type_last;     /* indexes in types */
    uint32_t exec_first, exec_last;     /* indexes in execs */
    uint32_t input_first, input_last;   /* indexes in inputs, in order of position */
    uint32_t output_first, output_last; /* indexes in outputs, contiguous in order of slots */
    uint32_t shape;                     /* index in shapes, the attribute `shape`; TFP_NONE: none */
    uint32_t trace;                     /* index in traces; TFP_NONE: none */
    uint32_t attrs;                     /* index in attrs, encoded; TFP_NONE: none, or not kept */
    uint32_t flags;
    int64_t id;
    int64_t float_ops; /* for one run */
    int64_t calls;     /* number of calls that were recorded without times and made this node; otherwise 0 */
};

typedef struct tfp_type { /* an extra op type: the op itself, user-defined ones, the device */
    tfp_strid name;
    uint32_t next;
} tfp_type;

struct tfp_input_edge {
    int32_t position;
    int32_t output_index; /* which output of the source it is */
    uint32_t node;        /* the source node; TFP_NONE: it is not in the profile */
    tfp_strid name;       /* name of the source */
    uint32_t next;
};

typedef struct tfp_output {
    int32_t slot;
    uint32_t shape; /* index in shapes */
    uint32_t next;
} tfp_output;

typedef struct tfp_shape {
    uint32_t first,
        count; /* index in dims; a scalar has a single dim of 1 and `scalar` set; an unknown rank has no dims */
    bool scalar;
} tfp_shape;

typedef struct tfp_run_shape { /* shape of an output at run time, as far as all runs agree */
    uint32_t node;
    int32_t slot;
    uint32_t shape; /* index in shapes; a dim of -1 differed between runs; no dims: the rank differed */
} tfp_run_shape;

typedef struct tfp_node_tables {
    TFP_VEC(tfp_node) nodes;
    TFP_VEC(tfp_type) types;
    TFP_VEC(tfp_input_edge) inputs;
    TFP_VEC(tfp_output) outputs;
    TFP_VEC(tfp_shape) shapes;
    TFP_VEC(int64_t) dims;
    TFP_VEC(tfp_run_shape) run_shapes; /* kept only with TFP_KEEP_PROGRAM */
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
