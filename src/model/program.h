// SPDX-License-Identifier: Apache-2.0
/* model/program.h: the graph as a program that can be evaluated: every node with its attributes, the output that each
 * input takes, and the functions it calls. The graph's tables (model/tables/graph.h) have only names, types and inputs;
 * shapes and float operations need the whole graph. Kept with TFP_READS_PROGRAM. Rows and strings work as in the
 * tables. */
#ifndef TFP_PROGRAM_H
#define TFP_PROGRAM_H

#include "base/base.h"

typedef struct tfp_program tfp_program;

#define TFP_RANK_UNKNOWN (-1)
#define TFP_DIM_UNKNOWN ((int64_t)-1)
typedef struct tfp_dims {
    int rank;          /* TFP_RANK_UNKNOWN, or 0 to TFP_RANK_MOST */
    const int64_t *at; /* each at least 0, or TFP_DIM_UNKNOWN; shared, so never written to after it was returned */
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
    tfp_str proto; /* its bytes, for the values; empty when there are more than TFP_PROGRAM_TENSOR_MAX */
} tfp_attr_tensor;
#define TFP_PROGRAM_TENSOR_MAX ((size_t)64 << 10)

typedef struct tfp_attr_list { /* the members of each kind in the order of the file */
    size_t size;               /* number of members of all kinds */
    size_t number_count, real_count, text_count, shape_count, function_count;
    int64_t *numbers; /* int, bool, type */
    double *reals;
    tfp_str *texts;
    tfp_dims *shapes;
    tfp_str *functions; /* names of functions */
} tfp_attr_list;

typedef struct tfp_program_attr { /* an AttrValue, decoded when it is read */
    tfp_strid name;
    tfp_attr_kind kind; /* TFP_ATTR_NONE: empty, or unreadable */
    union {
        int64_t number; /* int, bool, type; a type is without the mark of references, 0 when unknown */
        double real;
        tfp_str text; /* or the name of a function */
        tfp_dims shape;
        const tfp_attr_tensor *tensor;
        const tfp_attr_list *list;
    };
} tfp_program_attr;

typedef enum tfp_trainable { TFP_TRAINABLE_UNKNOWN, TFP_TRAINABLE_NO, TFP_TRAINABLE_YES } tfp_trainable;

#define TFP_INDEX_BAD (-1)

#include "schema/program.def"

typedef struct tfp_program_result {
    tfp_strid name;
    tfp_program_input from; /* the output that is returned */
} tfp_program_result;

struct tfp_program {
    tfp_arena arena; /* memory of the values of attributes */
    TFP_VEC(tfp_program_attr) attrs;
    TFP_VEC(tfp_program_input) inputs;
    TFP_VEC(tfp_program_node) nodes;
    TFP_VEC(tfp_program_arg) args;
    TFP_VEC(tfp_program_result) results;
    TFP_VEC(tfp_program_body) bodies; /* element 0: the main graph, always there */
    TFP_VEC(tfp_program_variable) variables;
    TFP_VEC(tfp_program_signature) signatures;
    TFP_VEC(tfp_strid) outputs;  /* names of nodes */
    TFP_VEC(tfp_strid) controls; /* names of nodes */
    tfp_map64 body_by_name;      /* name -> index in bodies */
    bool has_objects;            /* variables come from an object graph, which lists all of them */
    bool saved_model;            /* read from a SavedModel: its parameters are counted in every command */
    bool onnx;                   /* its operators are those of ONNX; some have the same names as TensorFlow's */
    bool finished;               /* the next graph is the model's next state and replaces this one */
};

/* NULL: the node has no attribute of that name. */
const tfp_program_attr *tfp_program_attr_find(const tfp_profile *p, const tfp_program *g, const tfp_program_node *n,
                                              const char *name);
void tfp_program_free(tfp_program *g); /* NULL is allowed */

const tfp_program *tfp_program_of(const tfp_profile *p); /* NULL: not kept, or no graph was added */

#endif
