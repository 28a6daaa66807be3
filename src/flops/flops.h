/* flops/flops.h: shapes and float operations of a profile's program, worked out from the graph alone. */
#ifndef TFP_FLOPS_H
#define TFP_FLOPS_H

#include "flops/rule.h"

typedef enum tfp_flops_source {
    TFP_FLOPS_FILES,      /* what the inputs say: nothing is worked out */
    TFP_FLOPS_TENSORFLOW, /* what TensorFlow's op log would have said */
    TFP_FLOPS_OWN         /* all that we can */
} tfp_flops_source;

typedef struct tfp_assumed_shape {
    tfp_str name;
    tfp_dims shape;
} tfp_assumed_shape;

typedef struct tfp_assume {
    int64_t batch; /* for the unknown first dimension of every Placeholder of known rank; 0: none */
    const tfp_assumed_shape *shapes;
    size_t shape_count;
} tfp_assume;

typedef enum tfp_count_state {
    TFP_COUNTED,
    TFP_NO_FORMULA,
    TFP_NO_SHAPE /* it has a formula, but a shape that it needs is not known, or the number does not fit into 64 bits */
} tfp_count_state;

typedef struct tfp_node_flops {    /* of one execution of a node; beside program->nodes */
    uint32_t out_first, out_count; /* -> shapes */
    tfp_count_state state;
    int64_t flops, macs;         /* of the node itself, without bodies that it calls; TFP_UNKNOWN unless counted */
    int64_t all_flops, all_macs; /* with the bodies that it calls, as far as they are counted; loops by trips */
    int64_t bytes;               /* of its inputs and outputs; TFP_UNKNOWN when a shape or type is not known */
    int64_t trips; /* of a while: iterations, TFP_UNKNOWN when they are not known (then counted once); else 1 */
    /* Ops of its bodies, per execution (as all_flops): how many there are, and have a count. Itself counts as one when it
     * calls nothing. */
    int64_t all_ops, all_counted;
} tfp_node_flops;

typedef struct tfp_flops {
    tfp_arena arena;
    const tfp_profile *profile;
    const tfp_program *program;
    tfp_node_flops *nodes; /* one for each of program->nodes */
    tfp_dims *shapes;
    const int *types;       /* DataType of each of shapes */
    uint32_t *program_node; /* per node of the profile: -> program->nodes, TFP_NONE */
    int64_t *calls;         /* per body: how often one execution of the main graph runs it; 0 never */
    bool loops_unknown;     /* some while loop was counted once because nobody knows its trips */
    const char **wrong;     /* per node: what did not fit together, NULL; */
} tfp_flops;

/* Works out the whole program. Errors: TFP_NOMEM; TFP_BADARG a profile without a program; TFP_NOTFOUND an assumed name. */
tfp_status tfp_flops_new(const tfp_profile *p, tfp_flops_source source, const tfp_assume *assume, tfp_flops **out,
                         tfp_error *err);
void tfp_flops_free(tfp_flops *f);

#endif
