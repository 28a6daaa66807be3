// SPDX-License-Identifier: Apache-2.0
/* model/recorded.h: operators with their input and output tensors, as a framework recorded them call by call. When all files
 * are added, they become the graph (recorded.c): the edges of the nodes of a trace that recorded the same calls, or else
 * nodes of their own, which have no runs. */
#ifndef TFP_RECORDED_H
#define TFP_RECORDED_H

#include "model/tables/types.h"

typedef struct tfp_recorded_tensor {
    uint64_t id;
    int32_t position; /* of the argument or output that it is, or is in */
    uint32_t shape;   /* -> shapes; of outputs only */
} tfp_recorded_tensor;

typedef struct tfp_recorded_op {
    uint64_t id, parent; /* of the file; ids grow as calls start, rows come as calls end */
    uint64_t call;       /* by which a trace names the same call; 0: it does not */
    int64_t thread;
    tfp_strid name;
    tfp_strid dims, types, values; /* of the arguments, as texts like those of a trace; 0: not told */
    uint32_t tensors;              /* -> tensors: first what it takes, then what it puts out */
    uint32_t input_count, output_count;
    uint32_t above; /* -> ops: the call around it, TFP_NONE; set at the end, as the node */
    uint32_t node;  /* -> nodes, TFP_NONE */
    bool scope;     /* a range that the program named, no operator */
    bool root;      /* stands for a process or a thread: in no path */
} tfp_recorded_op;

struct tfp_recorded_tables {
    TFP_VEC(tfp_recorded_op) ops;
    TFP_VEC(tfp_recorded_tensor) tensors;
    TFP_VEC(uint32_t) files; /* where the ops of each file end */
    size_t linked;           /* files that are in the graph already */
    size_t counted;          /* files whose float operations are counted */
    bool alone;              /* no trace has the calls: nodes were made of them */
};

/* The arguments of a call as a trace tells them: lists of sizes, of words for types, of values. */
typedef struct tfp_recorded_texts {
    tfp_buf dims, types, values;
} tfp_recorded_texts;
void tfp_recorded_put(tfp_recorded_texts *t, tfp_str dims, tfp_str type, tfp_str value);
/* Gives the call its texts, and begins the next call's. */
void tfp_recorded_take(tfp_builder *b, tfp_recorded_texts *t, tfp_recorded_op *op);
void tfp_recorded_texts_free(tfp_recorded_texts *t);

/* A call of a span that its `External id` does not name. */
struct tfp_recorded_call {
    uint64_t call;
    uint32_t span;
};

/* After the join: the ops of files that are not in the graph yet. */
void tfp_build_recorded(tfp_builder *b);

#endif
