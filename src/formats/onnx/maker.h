// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/maker.h: shared by the files that make nodes of an ONNX model: the maker, and a node with bodies.
 *
 * The nodes of a body (of If, Loop and Scan) are nodes of the one graph. Each has the attributes `_in`, the node that the body
 * belongs to, and `_way`, which of its bodies it is; the engine finds by them how often it runs (flops/engine/branches.c).
 * A variable of a loop is a LoopState: it joins the value that enters with a LoopNext, the value that comes back. The node
 * itself takes the results of its bodies as further inputs, from number `_results` on: for If those of then, then those of
 * else; for Loop and Scan those of the body. */
#ifndef TFP_ONNX_MAKER_H
#define TFP_ONNX_MAKER_H

#include "formats/onnx/onnx.h"

typedef struct tfp_onnx_shadow { /* a value before a body gave its name another meaning */
    uint32_t at;                 /* index in values */
    tfp_onnx_value before;
} tfp_onnx_shadow;

typedef struct maker {
    tfp_onnx_model *m;
    tfp_builder *b;
    tfp_program_reader *program; /* NULL: not kept */
    tfp_map64 taken;             /* name -> 1: names of nodes that are taken */
    tfp_buf name, value, attrs;  /* buffers that are reused */
    TFP_VEC(tfp_str) outputs;    /* outputs of the current node */
    TFP_VEC(int) in_types;
    tfp_program_node row;
    uint32_t node;
    tfp_buf prefix;  /* of the names in a body; empty outside of bodies */
    tfp_strid owner; /* the node whose body is being read; 0: none */
    int64_t way;     /* which of its bodies */
    TFP_VEC(tfp_onnx_shadow) shadowed;
    TFP_VEC(tfp_program_input) results; /* of the bodies that are read already, with their types in result_types */
    TFP_VEC(int) result_types;
    bool no_memory;
} maker;

typedef struct node_head {
    tfp_str name, op, domain;
} node_head;

/* ---- nodes.c ---- */
tfp_strid tfp_onnx_node_name(maker *k, tfp_str name, bool dots); /* dots: of a value, split at its dots */
void tfp_onnx_read_head(maker *k, tfp_wire *w, node_head *head); /* also the outputs, in k->outputs */
tfp_str tfp_onnx_op_name(maker *k, const node_head *head);
/* A node is started, gets inputs and attributes, tells its outputs (k->outputs) and is ended. */
void tfp_onnx_start_node(maker *k, tfp_strid name, tfp_str op);
void tfp_onnx_add_input(maker *k, tfp_str name, int32_t position);
void tfp_onnx_add_source(maker *k, tfp_program_input in, int dtype, int32_t position);
/* Adds a value by name as an input is found: where it is made. */
tfp_program_input tfp_onnx_source_of(maker *k, tfp_str name, int *dtype);
void tfp_onnx_add_attr(maker *k, tfp_str name);                      /* the AttrValue in k->value */
void tfp_onnx_add_number(maker *k, const char *name, int64_t value); /* an attribute */
tfp_status tfp_onnx_read_attr(maker *k, tfp_wire w, tfp_error *err);
void tfp_onnx_tell_outputs(maker *k, tfp_str op);
tfp_status tfp_onnx_end_node(maker *k, tfp_error *err);
/* The same in one: reads a NodeProto. */
tfp_status tfp_onnx_read_node(maker *k, tfp_wire w, tfp_error *err);
tfp_status tfp_onnx_add_graph_input(maker *k, size_t at, tfp_error *err);
tfp_status tfp_onnx_add_weight(maker *k, const tfp_onnx_weight *w, tfp_error *err);
/* Keeps a value as it is now, to be restored at the end of the body. */
void tfp_onnx_shadow_value(maker *k, tfp_str name);

/* ---- bodies.c: reads nodes (field 1 of a GraphProto), with the bodies in them ---- */
tfp_status tfp_onnx_read_nodes(maker *k, tfp_wire nodes, tfp_error *err);

#endif
