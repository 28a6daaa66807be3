// SPDX-License-Identifier: Apache-2.0
/* flops/engine/engine.h: the parts of the engine: bodies made ready, instances of them, what a call is. Only for
 * src/flops/. */
#ifndef TFP_ENGINE_H
#define TFP_ENGINE_H

#include "flops/flops.h"
#include "flops/rules/index.h"

/* ---- a body made ready: the program's nodes with everything looked up ---- */
typedef struct tfp_edge {
    uint32_t from; /* number in the body: its arguments first, then its nodes; TFP_NONE: not there */
    uint32_t slot;
    bool back; /* closes a loop of TensorFlow 1: NextIteration into Merge */
} tfp_edge;

typedef struct tfp_local {           /* an argument or a node */
    uint32_t edge_first, edge_count; /* data inputs */
    uint32_t out_first, out_count;   /* -> types and an instance's outs */
    uint32_t call_first, call_count; /* -> calls: numbers of bodies, TFP_NONE when the library lacks it */
    const tfp_rule_set *rules;
    const tfp_call_op *call; /* NULL: calls nothing */
    uint32_t weight;         /* what one look at it costs, in steps */
} tfp_local;

typedef struct tfp_body {
    const tfp_program_body *def;
    uint32_t arg_count, count; /* arguments, arguments and nodes */
    uint32_t out_count;        /* of all */
    tfp_local *locals;
    uint32_t *order; /* every argument and node once, sources before users */
    tfp_edge *results;
    tfp_edge
        *origins; /* per local: behind all that only hands on what it gets (Identity, Switch): what comes out there */
    bool *needed; /* per local: what no output needs does not run; NULL: all of them */
    tfp_known *args; /* what the signature says of the arguments */
    TFP_VEC(tfp_edge) edges;
    TFP_VEC(int) types;
    TFP_VEC(uint32_t) calls;
    bool ready, loops;
    bool running; /* an instance of it is at work: it cannot call itself */
} tfp_body;

/* ---- an instance: a body with the arguments of one or more calls ---- */
typedef struct tfp_child { /* a call that stands in an instance */
    uint32_t local;        /* the node */
    uint32_t call;         /* which of its functions */
    uint32_t instance;
} tfp_child;

typedef struct tfp_instance {
    uint32_t body;
    tfp_known *args;    /* arg_count */
    tfp_known *outs;    /* by the body's out_first */
    tfp_known *results; /* result_count */
    TFP_VEC(tfp_child) children;
    const char **wrong; /* per local, NULL as a whole when nothing is */
    bool done, used;
    int64_t runs;       /* per execution of the main graph; 0 when it never runs there */
    tfp_work total;     /* of one execution */
    int64_t *node_runs; /* per local, by loops of TensorFlow 1; NULL without */
} tfp_instance;

typedef struct tfp_engine {
    tfp_flops *f;
    tfp_arena *arena; /* of f: shapes live as long as it */
    const tfp_profile *profile;
    const tfp_program *program;
    tfp_flops_source source;
    const tfp_assume *assume;
    uint32_t signature; /* the one that is counted; TFP_NONE: the whole graph */
    tfp_rule_index rules;
    tfp_body *bodies;        /* as program->bodies */
    uint32_t *profile_node;  /* per node of the main graph: -> the nodes of the profile, TFP_NONE */
    uint32_t *local_by_name; /* by strid, of the body that is made ready; TFP_NONE else */
    TFP_VEC(tfp_instance) instances;
    TFP_VEC(uint32_t) finished; /* instances, those that are called before those that call them */
    tfp_map64 instance_by_key;
    tfp_map64 result_slots;   /* body << 32 | name of a result -> its number; of bodies in `named` */
    bool *named;              /* per body: result_slots has it */
    uint64_t work, work_most; /* in steps: see tfp_local.weight. Past it nothing more is worked out */
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

/* Counts steps; false past the limit. */
static inline bool tfp_charge(tfp_engine *e, uint64_t steps)
{
    e->work += steps;
    return e->work <= e->work_most;
}
#define TFP_STEP_ELEMENTS 16 /* elements that cost as much as a step */

tfp_status tfp_body_ready(tfp_engine *e, uint32_t body, tfp_error *err); /* body.c */
void tfp_body_free(tfp_body *b);
bool tfp_find_needed(const tfp_engine *e, tfp_body *b); /* needed.c; while local_by_name knows the body's names */
/* What an edge brings, behind all that only hands on what it gets. */
static inline tfp_edge tfp_origin(const tfp_body *b, tfp_edge edge)
{
    return edge.from == TFP_NONE || b->origins[edge.from].from == edge.from ? edge : b->origins[edge.from];
}
tfp_dims tfp_stored_shape(tfp_op *op, uint32_t shape);   /* told.c */
tfp_status tfp_infer_all(tfp_engine *e, tfp_error *err); /* infer.c */
tfp_status tfp_count_all(tfp_engine *e, tfp_error *err); /* count.c */
/* An op as its rules see it, with inputs and outputs as this instance has them. false without memory. */
bool tfp_op_of(tfp_engine *e, const tfp_body *b, const tfp_instance *x, uint32_t local, tfp_op *op);
/* How often a while loop runs its body, from its condition, its body and what comes in; TFP_UNKNOWN when that is not
 * fixed. loops.c */
int64_t tfp_while_trips(const tfp_engine *e, const tfp_instance *cond, const tfp_instance *body, const tfp_known *in,
                        uint32_t count);
/* What a list or variable holds whichever of two comes; NULL when that is not known. infer.c */
const tfp_held *tfp_either_held(tfp_op *op, const tfp_held *a, const tfp_held *b);
/* What variable i is after so many iterations, if it is a counter; NAN else. loops.c */
double tfp_while_counter(const tfp_engine *e, const tfp_instance *cond, const tfp_instance *body, const tfp_known *in,
                         uint32_t count, uint32_t i, int64_t trips);
/* Of loops of TensorFlow 1, per local of a body: how often one run of the body executes it, and whether it is a LoopCond
 * whose loop nobody knows the trips of (it counts once then). Both NULL without such loops. false without memory. loops.c */
typedef struct tfp_loop_counts {
    int64_t *runs;
    bool *unknown;
} tfp_loop_counts;
bool tfp_loop_runs(tfp_engine *e, const tfp_body *b, const tfp_instance *x, tfp_loop_counts *out);

#endif
