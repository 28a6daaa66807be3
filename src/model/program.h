/* model/program.h: the graph as a program that can be worked out: every node with its attributes, the output that each
 * input takes, and the functions it calls. The tables of model.h keep what TensorFlow's tool keeps of a graph; shapes
 * and float operations need all of it. Kept with TFP_KEEP_PROGRAM. Rows and strings as in model.h. */
#ifndef TFP_PROGRAM_H
#define TFP_PROGRAM_H

#include "model/model.h"

typedef struct tfp_program_attr {
    tfp_strid name;
    tfp_str
        value; /* an encoded AttrValue; of tensors with more than TFP_PROGRAM_TENSOR_MAX bytes type and shape only */
} tfp_program_attr;
#define TFP_PROGRAM_TENSOR_MAX ((size_t)64 << 10)

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
    uint32_t attr_first, attr_count;   /* -> attrs; of one name the last counts */
} tfp_program_node;

typedef struct tfp_program_arg { /* of a function: a node of op _Arg, whose body reads it by name */
    tfp_strid name;
    int32_t dtype;         /* 0: said by an attribute, not known */
    uint32_t shape;        /* -> shapes: its arg_attr _output_shapes, TFP_NONE without */
    int32_t handle_dtype;  /* of a resource: what it holds; 0 when it is not said */
    uint32_t handle_shape; /* -> shapes, TFP_NONE without */
} tfp_program_arg;

typedef struct tfp_program_result {
    tfp_strid name;
    tfp_program_input from; /* what it gives back */
} tfp_program_result;

typedef struct tfp_program_body { /* the main graph (body 0, no name, args or results), or a function */
    tfp_strid name;
    uint32_t node_first, node_count;     /* -> nodes */
    uint32_t arg_first, arg_count;       /* -> args */
    uint32_t result_first, result_count; /* -> results, in the order of the signature */
    uint32_t attr_first, attr_count;     /* -> attrs, the function's own */
} tfp_program_body;

typedef enum tfp_trainable { TFP_TRAINABLE_UNKNOWN, TFP_TRAINABLE_NO, TFP_TRAINABLE_YES } tfp_trainable;

typedef struct tfp_program_variable { /* a variable that a SavedModel's object graph or a collection tells of */
    tfp_strid name;                   /* as it says itself, without ":0" */
    int32_t dtype;                    /* 0 when it is not said */
    uint32_t shape;                   /* -> shapes, TFP_NONE when it is not said */
    tfp_trainable trainable;
} tfp_program_variable;

typedef struct tfp_program_signature { /* of a SavedModel: what it can be asked */
    tfp_strid key;                     /* "serving_default" */
    tfp_strid node;                    /* of the main graph: the one that its first output comes from */
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
    tfp_map64 body_by_name; /* strid -> bodies */
    bool has_objects;       /* variables are of an object graph, which tells of all */
    bool finished;          /* the next graph is the model's next state and takes its place */
};

void tfp_program_free(tfp_program *g);           /* NULL is fine */
size_t tfp_program_memory(const tfp_program *g); /* bytes held, about; 0 for NULL */

#endif
