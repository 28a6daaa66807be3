// SPDX-License-Identifier: Apache-2.0
/* flops/engine/machine.h: the inference machine, shared by its files: infer.c runs it, stated.c adds facts from outside
 * the rules, instances.c finds bodies with their arguments, calls.c runs calls. */
#ifndef TFP_MACHINE_H
#define TFP_MACHINE_H

#include "flops/engine/engine.h"

/* attempts until a loop's shapes agree; afterwards its attributes are used, or the shapes are unknown */
#define TRIES_MAX 8

typedef struct tfp_relaxed { /* for a Merge that begins a loop: the result of the last pass */
    tfp_dims shape;
    const tfp_held *held;
    bool found;
} tfp_relaxed;

typedef struct tfp_frame { /* an instance of a body while its nodes are being inferred */
    uint32_t instance;
    uint32_t at;                 /* index in the body's order */
    uint32_t pass;               /* passes over a body with TF1 loops */
    uint32_t tries;              /* of the current While */
    uint32_t call_at;            /* of the current call: the index of its next function */
    bool found, lost;            /* some earlier function of the call could be inferred; some could not */
    tfp_known *loop;             /* the assumed variables; NULL before the first attempt */
    const tfp_attr_list *stated; /* the loop's attribute about the variables */
    tfp_relaxed *relaxed;        /* per local; NULL without loops */
} tfp_frame;

typedef struct tfp_machine {
    tfp_engine *e;
    TFP_VEC(tfp_frame) stack;
    bool no_memory;
} tfp_machine;

typedef struct tfp_request { /* asks for an instance */
    uint32_t body;
    tfp_call_kind kind;
    const tfp_known *given; /* arguments; NULL: take the signature's */
    uint32_t given_count;
} tfp_request;

/* infer.c */
tfp_known tfp_nothing_known(int dtype);
void tfp_forget_outputs(tfp_op *op, const tfp_body *b, const tfp_local *l);

/* stated.c: attributes, run metadata, assumptions */
void tfp_also_known(tfp_op *op, uint32_t i, tfp_dims stated);
void tfp_fill_run_shapes(tfp_engine *e, const tfp_instance *x, const tfp_body *b);
void tfp_tell_assumed(tfp_engine *e, tfp_op *op);
void tfp_tell_attributes(tfp_op *op);
void tfp_tell_runs(const tfp_engine *e, tfp_op *op, uint32_t node);

/* recursion.c: records that a function calls itself, and through which others. */
void tfp_calls_itself(tfp_machine *m, uint32_t body);

/* instances.c */
bool tfp_same_known(const tfp_known *a, const tfp_known *b);
uint32_t tfp_instance_of(tfp_machine *m, tfp_request r, bool *started);
void tfp_add_child(tfp_machine *m, uint32_t parent, uint32_t local, uint32_t call, uint32_t instance);

/* calls.c. False: a function is not ready yet, and the call must be repeated. */
bool tfp_call_all(tfp_machine *m, tfp_frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local);
bool tfp_call_while(tfp_machine *m, tfp_frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local);
bool tfp_call_for(tfp_machine *m, tfp_frame *f, tfp_op *op, const tfp_body *b, const tfp_local *l, uint32_t local);

#endif
