// SPDX-License-Identifier: Apache-2.0
/* model/recorded.h: operators with their input and output tensors, as a framework recorded them call by call. When all
 * files are added they become graph edges (recorded.c): edges between the nodes of a trace that recorded the same
 * calls, or else between new nodes, which have no runs. */
#ifndef TFP_RECORDED_H
#define TFP_RECORDED_H

#include "model/tables/types.h"

typedef struct tfp_recorded_tensor {
    uint64_t id, storage; /* storage: 0: unknown */
    int32_t position;     /* position of the argument or output that it is, or is part of */
    uint32_t shape;       /* index in shapes; set for outputs only */
} tfp_recorded_tensor;

typedef enum tfp_recorded_body {
    TFP_BODY_NONE,
    TFP_BODY_CALL,   /* a call whose bodies are ranges in it */
    TFP_BODY_ONCE,   /* a body that runs with its call */
    TFP_BODY_BRANCH, /* one of several, of which one runs */
    TFP_BODY_LOOP    /* runs `trips` times */
} tfp_recorded_body;

typedef struct tfp_recorded_op {
    uint64_t id, parent; /* ids of the file; they increase as calls start, while rows come as calls end */
    uint64_t call;       /* the number with which a trace names the same call; 0: none */
    int64_t thread;
    tfp_strid name;
    tfp_strid dims, types, values; /* of the arguments, as texts in a trace's form; 0: unknown */
    uint32_t tensors;              /* index in tensors: first the inputs, then the outputs */
    uint32_t input_count, output_count;
    uint32_t above; /* index in ops: the call around it, or TFP_NONE; set at the end, like the node */
    uint32_t node;  /* index in nodes, or TFP_NONE */
    uint32_t span;  /* index in spans of the call in a trace, plus 1; 0: none */
    bool scope;     /* a range that the program named; no operator */
    uint8_t body;   /* tfp_recorded_body */
    int64_t trips;  /* of the body of a loop; -1: unknown */
    bool root;      /* represents a process or a thread; not part of a path */
} tfp_recorded_op;

typedef struct tfp_recorded_tables {
    TFP_VEC(tfp_recorded_op) ops;
    TFP_VEC(tfp_recorded_tensor) tensors;
    TFP_VEC(uint32_t) files; /* where the ops of each file end */
    size_t linked;           /* number of files that are in the graph already */
    size_t counted;          /* number of files whose float operations are counted */
    bool alone;              /* no trace has these calls, so nodes were made for them */
} tfp_recorded_tables;

TFP_CONST const tfp_recorded_tables *tfp_recorded_of(const tfp_profile *p);

/* The arguments of a call in a trace's form: a list of sizes, a list of words for types, a list of values. */
typedef struct tfp_recorded_texts {
    tfp_buf dims, types, values;
} tfp_recorded_texts;
void tfp_recorded_put(tfp_recorded_texts *t, tfp_str dims, tfp_str type, tfp_str value);
/* Gives the texts to the call, and starts new ones for the next call. */
void tfp_recorded_take(tfp_builder *b, tfp_recorded_texts *t, tfp_recorded_op *op);
void tfp_recorded_texts_free(tfp_recorded_texts *t);

/* The call that a span recorded, when it is not the span's `External id`. */
struct tfp_recorded_call {
    uint64_t call;
    uint32_t span;
};

/* Called after the join: adds the ops of files that are not in the graph yet. */
void tfp_build_recorded(tfp_builder *b);

#endif
