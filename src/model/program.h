// SPDX-License-Identifier: Apache-2.0
/* model/program.h: the graph as a program that can be worked out: every node with its attributes, the output that each
 * input takes, and the functions it calls. The tables of the graph (model/tables/graph.h) keep names, types and inputs only; shapes and float
 * operations need all of the graph. Kept with TFP_KEEP_PROGRAM. Rows and strings as there. */
#ifndef TFP_PROGRAM_H
#define TFP_PROGRAM_H

#include "base/base.h"

typedef struct tfp_program tfp_program;

#define TFP_RANK_UNKNOWN (-1)
#define TFP_DIM_UNKNOWN ((int64_t)-1)
typedef struct tfp_dims {
    int rank;          /* TFP_RANK_UNKNOWN, or 0 to TFP_RANK_MOST */
    const int64_t *at; /* each at least 0, or TFP_DIM_UNKNOWN; shared and never written to once it is given away */
} tfp_dims;
#define TFP_ANY_DIMS ((tfp_dims){ TFP_RANK_UNKNOWN, NULL })
#define TFP_SCALAR_DIMS ((tfp_dims){ 0, NULL })

typedef enum tfp_attr_kind { /* the number of AttrValue's field */
                             TFP_ATTR_NONE = 0,
                             TFP_ATTR_LIST = 1,
                             TFP_ATTR_TEXT = 2,
                             TFP_ATTR_INT = 3,
                             TFP_ATTR_REAL = 4,
                             TFP_ATTR_BOOL = 5,
                             TFP_ATTR_TYPE = 6,
                             TFP_ATTR_SHAPE = 7,
                             TFP_ATTR_TENSOR = 8,
                             TFP_ATTR_FUNCTION = 10
} tfp_attr_kind;

typedef struct tfp_attr_tensor { /* a TensorProto */
    int dtype;                   /* DataType */
    tfp_dims shape;
    tfp_str proto; /* its bytes, for the values; empty when they are more than TFP_PROGRAM_TENSOR_MAX */
} tfp_attr_tensor;
#define TFP_PROGRAM_TENSOR_MAX ((size_t)64 << 10)

typedef struct tfp_attr_list { /* the members of each kind in the order of the file */
    size_t size;               /* members of all kinds */
    size_t number_count, real_count, text_count, shape_count, function_count;
    int64_t *numbers; /* int, bool, type */
    double *reals;
    tfp_str *texts;
    tfp_dims *shapes;
    tfp_str *functions; /* names */
} tfp_attr_list;

typedef struct tfp_program_attr { /* an AttrValue, decoded when it is read */
    tfp_strid name;
    tfp_attr_kind kind; /* TFP_ATTR_NONE: nothing, or nothing that could be read */
    union {
        int64_t number; /* int, bool, type; a type without the mark of references, 0 when there is none such */
        double real;
        tfp_str text; /* or the name of a function */
        tfp_dims shape;
        const tfp_attr_tensor *tensor;
        const tfp_attr_list *list;
    };
} tfp_program_attr;

typedef struct tfp_program_input { /* "n", "n:k", "^n", and in functions "n:output:k" or the name of an argument */
    tfp_strid source;
    tfp_strid output; /* name of the output in functions, 0 without */
    int32_t index;    /* k, 0 without; TFP_INDEX_BAD when it is no number */
    bool control;
} tfp_program_input;
#define TFP_INDEX_BAD (-1)

typedef struct tfp_program_node {
    tfp_strid name, op;
    uint32_t input_first, input_count; /* -> inputs, control ones last as in a sound file, or where the file has them */
    uint32_t attr_first, attr_count;   /* -> attrs, by ascending name, each name once */
} tfp_program_node;

typedef struct tfp_program_arg { /* of a function: a node of op _Arg, whose body reads it by name */
    tfp_strid name;
    int32_t dtype;         /* 0: said by an attribute, not known */
    uint32_t shape;        /* -> shapes: its arg_attr _output_shapes, TFP_NONE without */
    int32_t handle_dtype;  /* of a resource: the type of its tensor; 0 when the graph does not say */
    uint32_t handle_shape; /* -> shapes, TFP_NONE without */
} tfp_program_arg;

typedef struct tfp_program_result {
    tfp_strid name;
    tfp_program_input from; /* the output that is returned */
} tfp_program_result;

typedef struct tfp_program_body { /* the main graph (body 0, no name, args or results), or a function */
    tfp_strid name;
    uint32_t node_first, node_count;       /* -> nodes */
    uint32_t arg_first, arg_count;         /* -> args */
    uint32_t result_first, result_count;   /* -> results, in the order of the signature */
    uint32_t attr_first, attr_count;       /* -> attrs, the function's own */
    uint32_t control_first, control_count; /* -> controls: nodes that run whatever is asked for */
} tfp_program_body;

typedef enum tfp_trainable { TFP_TRAINABLE_UNKNOWN, TFP_TRAINABLE_NO, TFP_TRAINABLE_YES } tfp_trainable;

typedef struct tfp_program_variable { /* a variable that a SavedModel's object graph or a collection tells of */
    tfp_strid name;                   /* as it says itself, without ":0" */
    int32_t dtype;                    /* 0 when it is not said */
    uint32_t shape;                   /* -> shapes, TFP_NONE when it is not said */
    tfp_trainable trainable;
} tfp_program_variable;

typedef struct tfp_program_signature {   /* of a SavedModel: a function that it offers */
    tfp_strid key;                       /* "serving_default" */
    tfp_strid node;                      /* of the main graph: the one that its first output comes from */
    uint32_t output_first, output_count; /* -> outputs: those that any output comes from */
} tfp_program_signature;

struct tfp_program {
    tfp_arena arena; /* the values of attributes */
    TFP_VEC(tfp_program_attr) attrs;
    TFP_VEC(tfp_program_input) inputs;
    TFP_VEC(tfp_program_node) nodes;
    TFP_VEC(tfp_program_arg) args;
    TFP_VEC(tfp_program_result) results;
    TFP_VEC(tfp_program_body) bodies; /* 0: the main graph, always there */
    TFP_VEC(tfp_program_variable) variables;
    TFP_VEC(tfp_program_signature) signatures;
    TFP_VEC(tfp_strid) outputs;  /* names of nodes */
    TFP_VEC(tfp_strid) controls; /* names of nodes */
    tfp_map64 body_by_name;      /* strid -> bodies */
    bool has_objects;            /* variables are of an object graph, which tells of all */
    bool saved_model;            /* read from a SavedModel: its parameters are told without being asked for */
    bool onnx;                   /* its operators are those of ONNX, which have names in common with TensorFlow's */
    bool finished;               /* the next graph is the model's next state and takes its place */
};

/* NULL when the node has no attribute of that name. */
const tfp_program_attr *tfp_program_attr_find(const tfp_profile *p, const tfp_program *g, const tfp_program_node *n,
                                              const char *name);
void tfp_program_free(tfp_program *g);           /* NULL is fine */
size_t tfp_program_memory(const tfp_program *g); /* bytes held, about; 0 for NULL */

#endif
