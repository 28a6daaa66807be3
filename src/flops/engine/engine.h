// SPDX-License-Identifier: Apache-2.0
/* flops/engine/engine.h: the parts of the engine: prepared bodies, their instances, calls. For src/flops/ only. */
#ifndef TFP_ENGINE_H
#define TFP_ENGINE_H

#include "flops/core/flops.h"
#include "flops/core/rule_index.h"

/* ---- a prepared body: the program's nodes with everything looked up ---- */
typedef struct tfp_edge {
    uint32_t from; /* index in the body: its arguments first, then its nodes; TFP_NONE: absent */
    uint32_t slot;
    bool back; /* closes a loop of TensorFlow 1: NextIteration into Merge */
} tfp_edge;

typedef struct tfp_local {           /* an argument or a node */
    uint32_t edge_first, edge_count; /* data inputs */
    uint32_t out_first, out_count;   /* index in the body's types and in an instance's outs */
    uint32_t call_first,
        call_count; /* index in calls, which has indexes of bodies; TFP_NONE: the library lacks the function */
    const tfp_rule_set *rules;
    const tfp_call_op *call; /* NULL: calls nothing */
    uint32_t weight;         /* the cost of visiting it once, in steps */
} tfp_local;

typedef struct tfp_body {
    const tfp_program_body *def;
    uint32_t arg_count, count; /* arguments; arguments and nodes together */
    uint32_t out_count;        /* outputs of all locals */
    tfp_local *locals;
    uint32_t *order; /* every argument and node once, sources before users */
    tfp_edge *results;
    /* per local: where its value comes from, through nodes that only forward an input (Identity, Switch) */
    tfp_edge *origins;
    bool *needed;    /* per local: false if no output needs it, so it does not run; NULL: all are needed */
    tfp_known *args; /* facts about the arguments from the signature */
    TFP_VEC(tfp_edge) edges;
    TFP_VEC(int) types;
    TFP_VEC(uint32_t) calls;
    bool ready, loops;
    bool running; /* an instance is being worked out: a call of the body would be recursion */
} tfp_body;

/* ---- an instance: a body with the arguments of one or more calls ---- */
typedef struct tfp_child { /* a call made by an instance */
    uint32_t local;        /* the node */
    uint32_t call;         /* which of its functions */
    uint32_t instance;
    int64_t times; /* how often one execution of the node runs it: iterations, or 0 for a branch that is not counted */
} tfp_child;

/* For TF1 loops, per local of a body: how often one run of the body executes it, and whether it is a LoopCond of a loop
 * whose number of iterations is unknown (it counts once then). Both NULL without such loops. */
typedef struct tfp_loop_counts {
    int64_t *runs;
    bool *unknown;
} tfp_loop_counts;

typedef struct tfp_instance {
    uint32_t body;
    tfp_known *args;    /* one for each argument */
    tfp_known *outs;    /* indexed by out_first of the body's locals */
    tfp_known *results; /* one for each result */
    TFP_VEC(tfp_child) children;
    const char **wrong; /* per local: an error in words; the array is NULL when there is none */
    bool done, used;
    bool reached;          /* an execution of the main graph may run it */
    int64_t runs;          /* per execution of the main graph, as far as it counts; 0 in a branch that costs less */
    tfp_work total;        /* of one execution */
    tfp_loop_counts loops; /* of its nodes */
} tfp_instance;

typedef struct tfp_engine {
    tfp_flops *f;
    tfp_arena *arena; /* belongs to f: shapes live as long as f */
    const tfp_profile *profile;
    const tfp_program *program;
    tfp_flops_source source;
    const tfp_assume *assume;
    uint32_t signature; /* the signature that is counted; TFP_NONE: the whole graph */
    tfp_rule_index rules;
    tfp_body *bodies;        /* parallel to program->bodies */
    uint32_t *profile_node;  /* for each node of the main graph: index in the profile's nodes, or TFP_NONE */
    uint32_t *local_by_name; /* by strid, for the body being prepared; TFP_NONE elsewhere */
    TFP_VEC(tfp_instance) instances;
    TFP_VEC(uint32_t) finished; /* instances, callees before callers */
    tfp_map64 instance_by_key;
    tfp_map64 result_slots;   /* body << 32 | name of a result -> its index; for bodies in `named` */
    bool *named;              /* per body: result_slots has it */
    uint64_t work, work_most; /* in steps (tfp_local.weight); past work_most the engine stops */
    uint64_t outs_used, outs_most;
    TFP_VEC(tfp_known) scratch; /* the inputs of the node at hand */
    TFP_VEC(tfp_known) call_in; /* the inputs of the call at hand */
    TFP_VEC(tfp_known) call_args;
    bool importer;
} tfp_engine;

static inline const tfp_program_node *tfp_node_of(const tfp_engine *e, const tfp_body *b, uint32_t local)
{
    return local < b->arg_count ? NULL : &e->program->nodes.at[b->def->node_first + local - b->arg_count];
}

/* Counts steps of work; false past the limit. */
static inline bool tfp_charge(tfp_engine *e, uint64_t steps)
{
    e->work += steps;
    return e->work <= e->work_most;
}
#define TFP_STEP_ELEMENTS 16 /* elements that cost as much as a step */

tfp_status tfp_body_ready(tfp_engine *e, uint32_t body, tfp_error *err); /* body.c */
void tfp_body_free(tfp_body *b);
bool tfp_find_needed(const tfp_engine *e, tfp_body *b); /* needed.c; call it while local_by_name has the body's names */
/* The source of an edge, through nodes that only forward an input. */
static inline tfp_edge tfp_origin(const tfp_body *b, tfp_edge edge)
{
    return edge.from == TFP_NONE || b->origins[edge.from].from == edge.from ? edge : b->origins[edge.from];
}
tfp_dims tfp_stored_shape(tfp_op *op, uint32_t shape);   /* stated.c */
tfp_status tfp_infer_all(tfp_engine *e, tfp_error *err); /* infer.c */
tfp_status tfp_count_all(tfp_engine *e, tfp_error *err); /* count.c */
/* An op as its rules see it, with the inputs and outputs of this instance. False when memory runs out. */
bool tfp_op_of(tfp_engine *e, const tfp_body *b, const tfp_instance *x, uint32_t local, tfp_op *op);
/* A call of While: its condition and body, and the incoming values. */
typedef struct tfp_while {
    const tfp_instance *cond, *body;
    const tfp_known *in;
    uint32_t count;
} tfp_while;
/* How often a while loop runs its body, from its condition, its body and its inputs; TFP_UNKNOWN when that is not
 * fixed. loops.c */
int64_t tfp_while_trips(const tfp_engine *e, const tfp_while *w);
/* The value of variable i after the loop's iterations, if it is a counter; NAN otherwise. loops.c */
double tfp_while_counter(const tfp_engine *e, const tfp_while *w, uint32_t i, int64_t trips);
/* Whether a body has conditions of TensorFlow 1. For one that has: gives the nodes of ways that are not the most expensive
 * ones 0 runs; `flops` has those of one execution of each local. False when memory runs out. branches.c */
bool tfp_has_branches(const tfp_engine *e, const tfp_body *b);
bool tfp_branch_runs(tfp_engine *e, const tfp_instance *x, const int64_t *flops, tfp_loop_counts *counts);
/* Finds the loop counts of an instance. False when memory runs out. loops.c */
bool tfp_loop_runs(tfp_engine *e, const tfp_body *b, const tfp_instance *x, tfp_loop_counts *out);

#endif
