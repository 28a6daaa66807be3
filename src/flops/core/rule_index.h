// SPDX-License-Identifier: Apache-2.0
/* flops/core/rule_index.h: finds everything about an operation by its name: its rule, how its constants fold, its row
 * in TensorFlow's registry, the functions that it calls, the bytes that it moves. */
#ifndef TFP_RULE_INDEX_H
#define TFP_RULE_INDEX_H

#include "flops/core/flops.h"
#include "flops/rules/shared/rule.h"

/* ---- calls: ops that run functions ---- */
typedef enum tfp_call_kind { TFP_CALL_PLAIN, TFP_CALL_BRANCH, TFP_CALL_WHILE, TFP_CALL_FOR } tfp_call_kind;
typedef struct tfp_call_op {
    const char *ops; /* names, as in a rule */
    tfp_call_kind kind;
    const char *functions[2]; /* attributes that name the functions */
    const char *list;         /* or an attribute that lists the functions */
    uint32_t first_arg;       /* earlier data inputs are not passed to the function */
    uint32_t last_kept;       /* how many last data inputs are not passed to the function */
} tfp_call_op;
extern const tfp_call_op tfp_call_ops[]; /* ends with an empty row */

/* ---- the tables by op ---- */
typedef struct tfp_logged { /* TensorFlow's op log entry for a node */
    tfp_count_state state;
    int64_t flops; /* any value: TensorFlow's products wrap */
} tfp_logged;
typedef struct tfp_registered tfp_registered;
struct tfp_registered { /* an op of TensorFlow's registry, counted as TensorFlow does; tensorflow.c */
    const char *ops;
    tfp_logged (*count)(const tfp_op *op, const tfp_registered *row);
    int per;
    const char *needs;  /* the shapes that must be known, in this order: 0, 1: of an input; o: of the first output */
    bool channels_last; /* no other data_format is counted */
};
tfp_logged tfp_registered_count(const tfp_op *op, const tfp_registered *row);
extern const tfp_registered tfp_registry[]; /* ends with an empty row */

typedef struct tfp_importer_rule { /* how TensorFlow's importer differs; importer.c */
    const char *ops;
    void (*shape)(tfp_op *op); /* in place of the rule's; NULL: the rule's own */
    unsigned whole;            /* inputs, as TFP_WHOLE */
    bool forgets_held;
} tfp_importer_rule;
extern const tfp_importer_rule tfp_importer_rules[]; /* ends with an empty row */

typedef enum tfp_moves {                    /* the bytes that an op moves */
                         TFP_MOVES_ALL,     /* its inputs and outputs */
                         TFP_MOVES_OUTPUTS, /* its outputs, and as many bytes of its first input */
                         TFP_MOVES_NOTHING  /* it forwards its input, or uses its shape only */
} tfp_moves;

typedef struct tfp_rule_set { /* everything known of an op */
    tfp_str op;               /* empty: the op is unknown */
    const tfp_op_rule *rule;
    const tfp_importer_rule *importer; /* NULL: the importer knows as much as the rule */
    const tfp_fold_rule *fold;
    const tfp_registered *registered;
    const tfp_call_op *call; /* NULL: it runs no function */
    const char *outputs;     /* as in tfp_opdef; NULL: TensorFlow has no such op */
    tfp_moves moves;
    bool merge, next; /* the op is Merge or NextIteration of a TF1 loop */
} tfp_rule_set;
#define TFP_RULE_SLOTS ((size_t)8192)
typedef struct tfp_rule_index {
    tfp_rule_set *slots;
} tfp_rule_index;
/* Makes the index of TensorFlow's operations or, with `onnx`, of the operators of ONNX. */
bool tfp_rule_index_new(tfp_rule_index *x, bool onnx, tfp_arena *arena);
const tfp_rule_set *tfp_rule_index_find(const tfp_rule_index *x, tfp_str op); /* an empty one when there is none */

#endif
