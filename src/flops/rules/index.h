// SPDX-License-Identifier: Apache-2.0
/* flops/rules/index.h: all that is known of an operation, found by its name: its rule, how its constants fold, its row in
 * TensorFlow's registry, the functions that it calls, the bytes that it moves. */
#ifndef TFP_RULE_INDEX_H
#define TFP_RULE_INDEX_H

#include "flops/flops.h"

/* ---- calls: ops that run functions ---- */
typedef enum tfp_call_kind { TFP_CALL_PLAIN, TFP_CALL_BRANCH, TFP_CALL_WHILE, TFP_CALL_FOR } tfp_call_kind;
typedef struct tfp_call_op {
    const char *ops; /* names, as in a rule */
    tfp_call_kind kind;
    const char *functions[2]; /* attributes that name them */
    const char *list;         /* or an attribute that lists them */
    uint32_t first_arg;       /* data inputs before it are not handed on */
    uint32_t last_kept;       /* data inputs at the end that are not handed on */
} tfp_call_op;
extern const tfp_call_op tfp_call_ops[]; /* ends with an empty row */

/* ---- the tables by op ---- */
typedef struct tfp_logged { /* what TensorFlow's op log says of a node */
    tfp_count_state state;
    int64_t flops; /* any number: its products wrap */
} tfp_logged;
typedef struct tfp_registered tfp_registered;
struct tfp_registered { /* an op of TensorFlow's registry, counted as TensorFlow does; tensorflow.c */
    const char *ops;
    tfp_logged (*count)(const tfp_op *op, const tfp_registered *row);
    int per;
};
extern const tfp_registered tfp_registry[]; /* ends with an empty row */

typedef struct tfp_importer_rule { /* of TensorFlow's importer, importer.c */
    const char *ops;
    void (*shape)(tfp_op *op); /* in place of the rule's; NULL: the rule's own */
    unsigned whole;            /* inputs, as TFP_WHOLE */
    bool forgets_held;
} tfp_importer_rule;
extern const tfp_importer_rule tfp_importer_rules[]; /* ends with an empty row */

typedef enum tfp_moves {                    /* which bytes an op moves */
                         TFP_MOVES_ALL,     /* its inputs and outputs */
                         TFP_MOVES_OUTPUTS, /* of its first input only what it gives */
                         TFP_MOVES_NOTHING  /* it hands its input on, or looks at its shape only */
} tfp_moves;

typedef struct tfp_rule_set { /* all that is known of an op */
    tfp_str op;               /* without a name: nothing */
    const tfp_op_rule *rule;
    const tfp_importer_rule *importer; /* NULL: it knows as much as the rule */
    const tfp_fold_rule *fold;
    const tfp_registered *registered;
    const tfp_call_op *call; /* NULL: it runs no function */
    tfp_moves moves;
    bool merge, next; /* of loops of TensorFlow 1: Merge and NextIteration */
} tfp_rule_set;
#define TFP_RULE_SLOTS ((size_t)8192)
typedef struct tfp_rule_index {
    tfp_rule_set *slots;
} tfp_rule_index;
bool tfp_rule_index_new(tfp_rule_index *x, tfp_arena *arena);
const tfp_rule_set *tfp_rule_index_find(const tfp_rule_index *x, tfp_str op); /* an empty one when there is none */

#endif
