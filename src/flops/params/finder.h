// SPDX-License-Identifier: Apache-2.0
/* flops/params/finder.h: shared by the files that find a model's variables: the graph, and its variables so far. */
#ifndef TFP_FINDER_H
#define TFP_FINDER_H

#include "flops/params/variables.h"
#include "model/program.h"

typedef struct tfp_finder {
    const tfp_profile *p;
    const tfp_program *g;
    tfp_arena arena;
    TFP_VEC(tfp_model_variable) all;
    uint32_t *node_of;     /* for each string: the main graph's node of that name, or TFP_NONE */
    uint32_t *variable_of; /* for each node of the main graph: index in all, or TFP_NONE */
    bool *taken;           /* per node of the main graph: a signature's outputs need it */
    bool trains;           /* some optimizer's operation is in the main graph */
    int64_t idle;          /* like tfp_parameter_counts.idle */
    bool failed;
} tfp_finder;

static inline const tfp_program_body *tfp_main_graph(const tfp_finder *f) { return &f->g->bodies.at[0]; }
static inline const tfp_program_node *tfp_main_node(const tfp_finder *f, uint32_t i)
{
    return &f->g->nodes.at[tfp_main_graph(f)->node_first + i];
}
/* Input k, which must exist; NULL for a control input. */
static inline const tfp_program_input *tfp_input_of(const tfp_finder *f, const tfp_program_node *n, uint32_t k)
{
    const tfp_program_input *e = &f->g->inputs.at[n->input_first + k];
    return e->control ? NULL : e;
}

/* Marks variables by the operations that optimizers apply to them (ApplyAdam). */
void tfp_mark_applied(tfp_finder *f);
/* The same for optimizers that write out their updates in a scope of their own. False when memory runs out. */
bool tfp_mark_updated(tfp_finder *f);

#endif
