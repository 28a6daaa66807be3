// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/onnx.h: the parts of the reader of ONNX models: file.c collects the parts of the graph, tensors.c reads
 * tensors, types.c has the types of values, graph.c makes nodes and the program. */
#ifndef TFP_ONNX_H
#define TFP_ONNX_H

#include "formats/graph/program.h"
#include "model/builder.h"
#include "wire/proto.h"

/* ---- types of elements: TensorProto.DataType ---- */
typedef struct tfp_onnx_type {
    const char *name;
    uint8_t bits;  /* bits of an element; 0: not fixed */
    uint8_t dtype; /* TensorFlow's DataType, which the rules of float operations use; 0: none */
    bool trains;   /* initializers of this type are parameters: floats, and types to which floats are quantised */
} tfp_onnx_type;
/* Never NULL: an unknown number gives a type named "?". */
const tfp_onnx_type *tfp_onnx_type_of(uint64_t number);

/* ---- tensors ---- */
enum { TFP_ONNX_RANK_MOST = 64, TFP_ONNX_VALUES_MOST = 32 << 10 };
typedef struct tfp_onnx_tensor {
    tfp_str name;
    uint64_t type;
    int64_t dims[TFP_ONNX_RANK_MOST];
    size_t dim_count;
} tfp_onnx_tensor;
/* Reads a TensorProto. When `as` is given it receives the tensor as TensorFlow's TensorProto; it stays empty when the
 * values are in another file or are many. */
tfp_status tfp_onnx_read_tensor(tfp_wire w, tfp_onnx_tensor *t, tfp_buf *as, tfp_error *err);

/* ---- values: inputs and outputs of nodes, by name ---- */
typedef struct tfp_onnx_value {
    tfp_strid name;
    size_t info_at, info_size; /* its TypeProto in infos; size 0: none */
    tfp_strid node;            /* the node in the profile that makes the value, by name; TFP_NONE: not known yet */
    uint32_t slot;             /* which output of that node it is */
    int dtype;
    bool input; /* it is an input of the graph */
} tfp_onnx_value;

typedef struct tfp_onnx_weight { /* an initializer */
    uint32_t value;              /* index in values */
    uint64_t type;
    size_t dim_first, dim_count;   /* index in dims */
    size_t tensor_at, tensor_size; /* offset in tensors */
} tfp_onnx_weight;

typedef struct tfp_onnx_model {
    tfp_builder *b;
    tfp_buf nodes; /* the graph's NodeProtos, each as a field 1, as in the file */
    tfp_buf infos, tensors;
    TFP_VEC(tfp_onnx_value) values;
    tfp_map64 value_of; /* name -> index in values */
    TFP_VEC(tfp_onnx_weight) weights;
    TFP_VEC(int64_t) dims;
    bool no_memory, has_graph;
} tfp_onnx_model;

/* The value with this name, added when it is new; NULL: out of memory. Valid until the next one is added. */
tfp_onnx_value *tfp_onnx_value_of(tfp_onnx_model *m, tfp_strid name);
/* The type of an operator's output; `in` are the types of its inputs. 0: unknown. */
int tfp_onnx_output_type(tfp_str op, uint32_t output, const int *in, size_t in_count, int told);

/* ---- collect.c ---- */
tfp_status tfp_onnx_status(const tfp_onnx_model *m, tfp_error *err); /* whether memory sufficed so far */
/* Keeps the type of a ValueInfoProto; `input`: it is an input of the main graph. */
tfp_status tfp_onnx_add_info(tfp_onnx_model *m, tfp_str bytes, bool input, tfp_error *err);
tfp_status tfp_onnx_add_initializer(tfp_onnx_model *m, tfp_str bytes, tfp_error *err); /* TensorProto */

/* Makes nodes, parameters and, if it is kept, the program. */
tfp_status tfp_onnx_build(tfp_onnx_model *m, tfp_error *err);

#endif
