// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/onnx.h: the parts of the reader of ONNX models: file.c collects what a file has in its graph, tensors.c reads tensors,
 * types.c knows the types of values, graph.c makes nodes and the program of it. */
#ifndef TFP_ONNX_H
#define TFP_ONNX_H

#include "formats/graph/program.h"
#include "model/builder.h"
#include "wire/proto.h"

/* ---- types of elements: TensorProto.DataType ---- */
typedef struct tfp_onnx_type {
    const char *name;
    uint8_t bits; /* of an element; 0: not fixed */
    uint8_t dtype; /* TensorFlow's DataType, which the rules of float operations know; 0: none */
    bool trains;   /* initializers of this type are parameters: floats, and the types to which floats are quantised */
} tfp_onnx_type;
/* Never NULL: a number that is not known is a type named "?". */
const tfp_onnx_type *tfp_onnx_type_of(uint64_t number);

/* ---- tensors ---- */
enum { TFP_ONNX_RANK_MOST = 64, TFP_ONNX_VALUES_MOST = 32 << 10 };
typedef struct tfp_onnx_tensor {
    tfp_str name;
    uint64_t type;
    int64_t dims[TFP_ONNX_RANK_MOST];
    size_t dim_count;
} tfp_onnx_tensor;
/* Reads a TensorProto. When `as` is given it gets the tensor as TensorFlow's TensorProto, or nothing when the values are elsewhere or
 * many. */
tfp_status tfp_onnx_read_tensor(tfp_wire w, tfp_onnx_tensor *t, tfp_buf *as, tfp_error *err);

/* ---- values: what nodes take and put out, by name ---- */
typedef struct tfp_onnx_value {
    tfp_strid name;
    size_t info_at, info_size; /* -> infos: its TypeProto; a size of 0: none */
    tfp_strid node;            /* where the value comes from: the name of a node in the profile; TFP_NONE: not known yet */
    uint32_t slot;             /* of that node's outputs */
    int dtype;
    bool input; /* of the graph */
} tfp_onnx_value;

typedef struct tfp_onnx_weight { /* an initializer */
    uint32_t value;              /* -> values */
    uint64_t type;
    size_t dim_first, dim_count;       /* -> dims */
    size_t tensor_at, tensor_size; /* -> tensors */
} tfp_onnx_weight;

typedef struct tfp_onnx_model {
    tfp_builder *b;
    tfp_buf nodes;   /* the graph's NodeProtos as fields 1, as in the file */
    tfp_buf infos, tensors;
    TFP_VEC(tfp_onnx_value) values;
    tfp_map64 value_of; /* strid -> values */
    TFP_VEC(tfp_onnx_weight) weights;
    TFP_VEC(int64_t) dims;
    bool no_memory, has_graph;
} tfp_onnx_model;

/* The value of that name, made when it is new; NULL without memory. Valid until the next one is made. */
tfp_onnx_value *tfp_onnx_value_of(tfp_onnx_model *m, tfp_strid name);
/* Types of outputs, by what an operator takes; `in` are the types of its inputs. 0: not known. */
int tfp_onnx_output_type(tfp_str op, uint32_t output, const int *in, size_t in_count, int told);

/* Makes nodes, parameters and, when it is kept, the program. */
tfp_status tfp_onnx_build(tfp_onnx_model *m, tfp_error *err);

#endif
