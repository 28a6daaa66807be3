// SPDX-License-Identifier: Apache-2.0
/* flops/core/flops.h: shapes and float operations of a profile's program, worked out from the graph alone. */
#ifndef TFP_FLOPS_H
#define TFP_FLOPS_H

#include "model/program.h"

typedef struct tfp_known tfp_known; /* flops/rules/shared/rule.h */

typedef enum tfp_flops_source {
    TFP_FLOPS_FILES,      /* take the numbers of the input files; infer nothing */
    TFP_FLOPS_TENSORFLOW, /* the numbers that TensorFlow's op log would have */
    TFP_FLOPS_OWN         /* infer as much as possible */
} tfp_flops_source;

typedef struct tfp_assumed_shape {
    tfp_str name;
    tfp_dims shape;
} tfp_assumed_shape;

typedef struct tfp_assume {
    int64_t batch; /* size of the unknown first dimension of every input op of known rank; 0: none assumed */
    const tfp_assumed_shape *shapes;
    size_t shape_count;
    tfp_str signature; /* the signature to count; empty: serving_default, or the first; "all": the whole graph */
} tfp_assume;

typedef enum tfp_count_state {
    TFP_COUNTED,
    TFP_NO_FORMULA,
    TFP_NO_SHAPE /* there is a formula, but a needed shape is unknown, or the number does not fit into 64 bits */
} tfp_count_state;

typedef struct tfp_work { /* the known part; TFP_UNKNOWN when a sum does not fit into 64 bits */
    int64_t flops, macs, bytes;
    int64_t ops, counted;
    bool loops_unknown;
} tfp_work;

/* The cost of one execution of a node, unless stated otherwise; the array is parallel to program->nodes. A node of a
 * function has the facts common to all calls that the model may run or, if it runs none, to all calls. */
typedef struct tfp_node_flops {
    const tfp_known *outs; /* shapes and types of its outputs */
    tfp_known *common;     /* storage of outs where the calls differ */
    uint32_t out_count;
    bool seen; /* false only when memory or the work limit ended the inference before it */
    tfp_count_state state;
    int64_t flops,
        macs;      /* the node itself, without bodies that it calls; TFP_UNKNOWN unless counted, or where it varies */
    bool varies;   /* each call has a count, and these differ */
    int64_t bytes; /* read and written; TFP_UNKNOWN when a shape or type is not known */
    int64_t trips; /* of a while: iterations; TFP_UNKNOWN when not fixed (then its bodies count once), also at the
                          LoopCond of such a TF1 loop; else 1 */
    /* an output of its body needs it, or it has an effect; all nodes of a graph without signatures */
    bool needed;
    int64_t loop_runs; /* how often one run of its body executes it: more than once in TF1 loops */
    tfp_work all;      /* including the bodies that it calls, times iterations, as far as known */
    bool reached;      /* one execution of the main graph may run it, perhaps in a branch that does not count */
    int64_t runs;      /* by one execution of the main graph: calls and iterations */
    int64_t run_flops, run_macs, run_bytes; /* sums of these runs; bytes are TFP_UNKNOWN if those of one run are */
} tfp_node_flops;

typedef struct tfp_flops {
    tfp_arena arena;
    const tfp_profile *profile;
    const tfp_program *program;
    tfp_node_flops *nodes;   /* one for each of program->nodes */
    const char **wrong;      /* per node: the mismatch that its rule found, in words; NULL: none */
    uint32_t *program_node;  /* for each node of the profile: index in program->nodes, or TFP_NONE */
    tfp_work total;          /* of one execution of the main graph */
    int64_t batches_assumed; /* outputs whose first dimension was assumed */
    int64_t recursive_calls; /* calls of recursive functions, whose cost is unknown */
    uint32_t signature;      /* index in program->signatures of the one that is counted; TFP_NONE: the whole graph */
    tfp_str recursion;       /* the first recursive chain: "f -> g -> f" */
    bool cut_short;          /* a limit on work or memory was reached: later nodes are unknown */
} tfp_flops;

/* Whether an operation feeds data into the graph: a placeholder, a queue, an iterator. engine/told.c */
bool tfp_brings_input(tfp_str op);

/* Works out the whole program. Errors: TFP_NOMEM; TFP_BADARG a profile without a program; TFP_NOTFOUND an assumed
 * name. */
tfp_status tfp_flops_new(const tfp_profile *p, tfp_flops_source source, const tfp_assume *assume, tfp_flops **out,
                         tfp_error *err);
void tfp_flops_free(tfp_flops *f);

#endif
