// SPDX-License-Identifier: Apache-2.0
/* whatif/pipeline.h: timelines of pipelined training as StragglerAnalysis publishes them (ByteDance): operations of stages and
 * data-parallel ranks, whose order follows from their types. Its dependency model is theirs: built from the first step of the first
 * rank, and used for every step and rank. */
#ifndef TFP_WHATIF_PIPELINE_H
#define TFP_WHATIF_PIPELINE_H

#include "options/changes.h"
#include "views/spans/trace.h"

typedef enum tfp_stage_type {
    TFP_FORWARD_COMPUTE,
    TFP_BACKWARD_COMPUTE,
    TFP_FORWARD_SEND,
    TFP_FORWARD_RECV,
    TFP_BACKWARD_SEND,
    TFP_BACKWARD_RECV,
    TFP_PARAMS_GATHER,
    TFP_GRADS_SCATTER,
    TFP_GC,
    TFP_LAYERNORM_REDUCE,
    TFP_EMBEDDING_REDUCE,
    TFP_SEPARATE_REDUCE,
    TFP_CLIP,
    TFP_OPTIMIZER,
    TFP_STAGE_TYPES
} tfp_stage_type;
extern const char *const tfp_stage_type_names[]; /* ended by NULL */

typedef struct tfp_stage_op {
    int64_t start_ns, end_ns, sequence, chunk;
    uint32_t step, rank, stage; /* indexes in steps and ranks; the number of the stage */
    uint8_t type;
} tfp_stage_op;

/* An operation of the model; it exists once on every rank and in every step. */
typedef struct tfp_pipe_node {
    int64_t chunk, start_ns, end_ns; /* as in the first step on the first rank */
    uint32_t stage;
    uint32_t group; /* index in groups; TFP_NONE: none */
    uint8_t type;
} tfp_pipe_node;

typedef struct tfp_pipe_edge {
    uint32_t from, to;
} tfp_pipe_edge;

typedef struct tfp_pipeline {
    tfp_report *r;
    tfp_stage_op *ops;
    size_t op_count;
    size_t others;                 /* number of spans that the model cannot represent */
    TFP_VEC(int64_t) steps, ranks; /* their numbers, ascending */
    uint32_t stage_count;
    TFP_VEC(tfp_pipe_node) nodes;
    TFP_VEC(tfp_pipe_edge) edges;
    TFP_VEC(uint8_t) groups;         /* for each group: whether it spans the data-parallel ranks */
    uint32_t *into, *from;           /* what each node waits for: from[into[node]] and following */
    uint32_t *group_first, *members; /* the same for a group's members */
    uint32_t *order;                 /* nodes, and groups as node_count + group, each after what it waits for */
    uint32_t order_count;
    int64_t *first_ns, *last_ns; /* for each step: its first start, and the end of the last optimizer */
    double *taken;               /* for each step, rank and node: microseconds; NAN: it does not occur in that step */
    double ideal[TFP_STAGE_TYPES];
    double *starts, *ends; /* for one step: for each rank and node */
    double *latest;        /* for one group: for each rank */
} tfp_pipeline;

bool tfp_is_pipeline(const tfp_profile *p);
/* pipeline_read.c: reads operations, steps and ranks. TFP_BADFILE: the timeline has no complete step. */
tfp_status tfp_pipeline_read(tfp_pipeline *p, tfp_error *err);
bool tfp_pipeline_model(tfp_pipeline *p); /* pipeline_model.c: makes nodes, edges, groups and their order */
bool tfp_pipeline_order(tfp_pipeline *p); /* pipeline_replay.c */

typedef struct tfp_pipe_scenario {
    uint32_t step;          /* index in steps: only this one; TFP_NONE: the mean of all */
    bool ideal;             /* times are those of an ideal job */
    const tfp_change *keep; /* except for these operations; NULL: for all */
} tfp_pipe_scenario;
/* The length of a step, in microseconds. */
double tfp_pipeline_replay(tfp_pipeline *p, const tfp_pipe_scenario *s);
double tfp_pipeline_recorded(const tfp_pipeline *p, uint32_t only);
void tfp_pipeline_free(tfp_pipeline *p);

#endif
