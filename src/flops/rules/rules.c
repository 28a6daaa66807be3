// SPDX-License-Identifier: Apache-2.0
/* flops/rules/rules.c: the lists of rules, and the hash table that finds an op's rule. */
#include "flops/core/rule_index.h"
#include "flops/rules/onnx/onnx.h"

#include <pthread.h>

static const tfp_op_rule *const lists[] = {
    tfp_rules_control, tfp_rules_math,       tfp_rules_reduce, tfp_rules_matrix, tfp_rules_contract,
    tfp_rules_linalg,  tfp_rules_nn,         tfp_rules_conv,   tfp_rules_pool,   tfp_rules_norm,
    tfp_rules_rnn,     tfp_rules_quantized,  tfp_rules_array,  tfp_rules_lookup, tfp_rules_index,
    tfp_rules_state,   tfp_rules_optimizer,  tfp_rules_random, tfp_rules_sparse, tfp_rules_segment,
    tfp_rules_image,   tfp_rules_signal,     tfp_rules_text,   tfp_rules_data,   tfp_rules_tensor_array,
    tfp_rules_list,    tfp_rules_collective, tfp_rules_tpu,    tfp_rules_other,
};
static const tfp_fold_rule *const folds[] = { tfp_folds_values, tfp_folds_math, tfp_folds_reduce, tfp_folds_move,
                                              tfp_folds_index };
enum { LIST_COUNT = sizeof lists / sizeof *lists, FOLD_COUNT = sizeof folds / sizeof *folds };

/* The next name of a row; false at the end. */
static bool next_name(const char **ops, tfp_str *name)
{
    while (**ops == ' ') (*ops)++;
    *name = (tfp_str){ *ops, strcspn(*ops, " ") };
    *ops += name->size;
    return name->size > 0;
}

const tfp_op_rule *tfp_rule_find(tfp_str op)
{
    for (size_t i = 0; i < LIST_COUNT; i++)
        for (const tfp_op_rule *r = lists[i]; r->ops; r++)
            if (tfp_is_word(op, r->ops)) return r;
    return NULL;
}

static const tfp_fold_rule *fold_of(tfp_str op)
{
    for (size_t i = 0; i < FOLD_COUNT; i++)
        for (const tfp_fold_rule *f = folds[i]; f->ops; f++)
            if (tfp_is_word(op, f->ops)) return f;
    return NULL;
}

static char *rule_names; /* of all lists, each with a NUL after it, because callers may keep them */

static void find_rule_names(void)
{
    tfp_buf all = { 0 };
    tfp_str name;
    for (size_t i = 0; i < LIST_COUNT; i++)
        for (const tfp_op_rule *r = lists[i]; r->ops; r++)
            for (const char *at = r->ops; next_name(&at, &name);) {
                tfp_buf_str(&all, name);
                tfp_buf_char(&all, 0);
            }
    tfp_buf_char(&all, 0); /* an empty name ends the list */
    if (all.failed) tfp_buf_free(&all);
    rule_names = all.data;
}

const char *tfp_rule_name(size_t i)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_rule_names);
    const char *at = rule_names;
    while (at && *at && i-- > 0) at += strlen(at) + 1;
    return at && *at ? at : NULL;
}

/* Ops that move less than their inputs and outputs. */
static const struct {
    tfp_moves moves;
    const char *ops;
} movers[] = {
    { TFP_MOVES_NOTHING,
      "Identity IdentityN Reshape Squeeze ExpandDims StopGradient PreventGradient Snapshot Enter Exit Switch Merge "
      "NextIteration LoopCond RefEnter RefExit RefSwitch RefMerge RefNextIteration Shape ShapeN Size Rank "
      "ReadVariableOp NoOp Bitcast VariableShape EnsureShape _Arg _Retval PlaceholderWithDefault" },
    { TFP_MOVES_OUTPUTS,
      "Gather GatherV2 GatherNd ResourceGather ResourceGatherNd Slice StridedSlice Split SplitV Unpack" },
};

/* The slot of an operation, or the free slot where it would go. */
static tfp_rule_set *place(const tfp_rule_index *x, tfp_str op)
{
    size_t at = (size_t)tfp_hash(op.data, op.size) & (TFP_RULE_SLOTS - 1);
    while (x->slots[at].op.size && !tfp_str_eq(x->slots[at].op, op)) at = (at + 1) & (TFP_RULE_SLOTS - 1);
    return &x->slots[at];
}

static tfp_rule_set *placed(tfp_rule_index *x, tfp_str op)
{
    tfp_rule_set *s = place(x, op);
    s->op = op;
    return s;
}

/* Sets a member of the entry of each operation of a row. */
#define EACH(x, names, set)                                                                                            \
    for (const char *at = (names); next_name(&at, &name);) placed((x), name)->set

static void add_tensorflow(tfp_rule_index *x)
{
    tfp_str name;
    for (size_t i = LIST_COUNT; i-- > 0;)
        for (const tfp_op_rule *r = lists[i]; r->ops; r++) {
            EACH(x, r->ops, rule = r);
            EACH(x, r->ops, outputs = TFP_USUAL_OUTPUTS);
        }
    for (const tfp_importer_rule *r = tfp_importer_rules; r->ops; r++) EACH(x, r->ops, importer = r);
    for (size_t i = 0; i < FOLD_COUNT; i++)
        for (const tfp_fold_rule *f = folds[i]; f->ops; f++) EACH(x, f->ops, fold = f);
    for (const tfp_registered *f = tfp_registry; f->ops; f++) EACH(x, f->ops, registered = f);
    for (const tfp_opdef *d = tfp_opdefs; d->ops; d++) EACH(x, d->ops, outputs = d->outputs);
    for (const tfp_call_op *c = tfp_call_ops; c->ops; c++) EACH(x, c->ops, call = c);
    for (size_t i = 0; i < sizeof movers / sizeof *movers; i++) EACH(x, movers[i].ops, moves = movers[i].moves);
    EACH(x, "Merge RefMerge", merge = true);
    EACH(x, "NextIteration RefNextIteration", next = true);
}

static void add_onnx(tfp_rule_index *x)
{
    tfp_str name;
    for (size_t i = 0; tfp_onnx_rules[i]; i++)
        for (const tfp_op_rule *r = tfp_onnx_rules[i]; r->ops; r++) EACH(x, r->ops, rule = r);
    for (const tfp_fold_rule *f = tfp_onnx_folds; f->ops; f++) EACH(x, f->ops, fold = f);
    for (size_t i = 0; tfp_onnx_as_tensorflow[i].onnx; i++) {
        const tfp_fold_rule *fold = fold_of(tfp_str_of(tfp_onnx_as_tensorflow[i].tensorflow));
        EACH(x, tfp_onnx_as_tensorflow[i].onnx, fold = fold);
    }
    for (const tfp_fold_rule *f = tfp_onnx_body_folds; f->ops; f++) EACH(x, f->ops, fold = f);
    placed(x, TFP_STR("LoopState"))->rule = tfp_rule_find(TFP_STR("Merge")); /* as loops of TensorFlow 1 */
    placed(x, TFP_STR("LoopState"))->merge = true;
    placed(x, TFP_STR("LoopNext"))->rule = tfp_rule_find(TFP_STR("NextIteration"));
    placed(x, TFP_STR("LoopNext"))->next = true;
    placed(x, TFP_STR("Einsum"))->rule = tfp_rule_find(TFP_STR("Einsum")); /* the same equation */
    EACH(x,
         "Identity Reshape Flatten Squeeze Unsqueeze Shape Size Dropout Input Initializer Constant If Loop Scan "
         "LoopState "
         "LoopNext LoopCounter LoopCondition",
         moves = TFP_MOVES_NOTHING);
    EACH(x, "Gather GatherElements GatherND Slice Split", moves = TFP_MOVES_OUTPUTS);
}

bool tfp_rule_index_new(tfp_rule_index *x, bool onnx, tfp_arena *arena)
{
    x->slots = TFP_NEW(arena, tfp_rule_set, TFP_RULE_SLOTS);
    if (!x->slots) return false;
    onnx ? add_onnx(x) : add_tensorflow(x);
    return true;
}

const tfp_rule_set *tfp_rule_index_find(const tfp_rule_index *x, tfp_str op) { return place(x, op); }
