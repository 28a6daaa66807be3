/* flops/rules/rules.c: the lists of rules, and the table by which an op finds its own. */
#include "flops/rules/rule.h"
#include "flops/engine/engine.h"

static const tfp_op_rule *const lists[] = {
    tfp_rules_control,   tfp_rules_math,      tfp_rules_reduce, tfp_rules_matrix,  tfp_rules_contract,
    tfp_rules_linalg,    tfp_rules_nn,        tfp_rules_conv,   tfp_rules_pool,    tfp_rules_norm,
    tfp_rules_rnn,       tfp_rules_quantized, tfp_rules_array,  tfp_rules_index,   tfp_rules_state,
    tfp_rules_optimizer, tfp_rules_random,    tfp_rules_sparse, tfp_rules_segment, tfp_rules_image,
    tfp_rules_signal,    tfp_rules_text,      tfp_rules_data,   tfp_rules_list,    tfp_rules_collective,
    tfp_rules_other,
};
enum { LIST_COUNT = sizeof lists / sizeof *lists };

const tfp_op_rule *tfp_rule_find(const char *op)
{
    for (size_t i = 0; i < LIST_COUNT; i++)
        for (const tfp_op_rule *r = lists[i]; r->op; r++)
            if (strcmp(r->op, op) == 0) return r;
    return NULL;
}

const tfp_op_rule *tfp_rule_at(size_t i)
{
    for (size_t k = 0; k < LIST_COUNT; k++)
        for (const tfp_op_rule *r = lists[k]; r->op; r++)
            if (i-- == 0) return r;
    return NULL;
}

/* What moves less than its inputs and outputs. */
static const struct {
    const char *op;
    tfp_moves moves;
} movers[] = {
    { "Identity", TFP_MOVES_NOTHING },
    { "IdentityN", TFP_MOVES_NOTHING },
    { "Reshape", TFP_MOVES_NOTHING },
    { "Squeeze", TFP_MOVES_NOTHING },
    { "ExpandDims", TFP_MOVES_NOTHING },
    { "StopGradient", TFP_MOVES_NOTHING },
    { "PreventGradient", TFP_MOVES_NOTHING },
    { "Snapshot", TFP_MOVES_NOTHING },
    { "Enter", TFP_MOVES_NOTHING },
    { "Exit", TFP_MOVES_NOTHING },
    { "Switch", TFP_MOVES_NOTHING },
    { "Merge", TFP_MOVES_NOTHING },
    { "NextIteration", TFP_MOVES_NOTHING },
    { "LoopCond", TFP_MOVES_NOTHING },
    { "RefEnter", TFP_MOVES_NOTHING },
    { "RefExit", TFP_MOVES_NOTHING },
    { "RefSwitch", TFP_MOVES_NOTHING },
    { "RefMerge", TFP_MOVES_NOTHING },
    { "RefNextIteration", TFP_MOVES_NOTHING },
    { "Shape", TFP_MOVES_NOTHING },
    { "ShapeN", TFP_MOVES_NOTHING },
    { "Size", TFP_MOVES_NOTHING },
    { "Rank", TFP_MOVES_NOTHING },
    { "ReadVariableOp", TFP_MOVES_NOTHING },
    { "NoOp", TFP_MOVES_NOTHING },
    { "Bitcast", TFP_MOVES_NOTHING },
    { "VariableShape", TFP_MOVES_NOTHING },
    { "EnsureShape", TFP_MOVES_NOTHING },
    { "_Arg", TFP_MOVES_NOTHING },
    { "_Retval", TFP_MOVES_NOTHING },
    { "PlaceholderWithDefault", TFP_MOVES_NOTHING },
    { "Gather", TFP_MOVES_OUTPUTS },
    { "GatherV2", TFP_MOVES_OUTPUTS },
    { "GatherNd", TFP_MOVES_OUTPUTS },
    { "ResourceGather", TFP_MOVES_OUTPUTS },
    { "ResourceGatherNd", TFP_MOVES_OUTPUTS },
    { "Slice", TFP_MOVES_OUTPUTS },
    { "StridedSlice", TFP_MOVES_OUTPUTS },
    { "Split", TFP_MOVES_OUTPUTS },
    { "SplitV", TFP_MOVES_OUTPUTS },
    { "Unpack", TFP_MOVES_OUTPUTS },
};

/* An op's place: the row with its name, made when there is none. */
static tfp_rule_set *place(tfp_rule_index *x, const char *name)
{
    size_t at = (size_t)tfp_hash(name, strlen(name)) & (TFP_RULE_SLOTS - 1);
    while (x->slots[at].op && strcmp(x->slots[at].op, name) != 0) at = (at + 1) & (TFP_RULE_SLOTS - 1);
    x->slots[at].op = name;
    return &x->slots[at];
}

bool tfp_rule_index_new(tfp_rule_index *x, tfp_arena *arena)
{
    x->slots = TFP_NEW(arena, tfp_rule_set, TFP_RULE_SLOTS);
    if (!x->slots) return false;
    for (size_t i = 0; i < LIST_COUNT; i++)
        for (const tfp_op_rule *r = lists[i]; r->op; r++) {
            tfp_rule_set *s = place(x, r->op);
            if (!s->rule) s->rule = r;
        }
    for (const tfp_fold_rule *f = tfp_fold_rules; f->op; f++) place(x, f->op)->fold = f;
    for (const tfp_registered *f = tfp_registry; f->op; f++) place(x, f->op)->registered = f;
    for (const tfp_call_op *c = tfp_call_ops; c->op; c++) place(x, c->op)->call = c;
    for (size_t i = 0; i < sizeof movers / sizeof *movers; i++) place(x, movers[i].op)->moves = movers[i].moves;
    place(x, "Merge")->merge = place(x, "RefMerge")->merge = true;
    place(x, "NextIteration")->next = place(x, "RefNextIteration")->next = true;
    return true;
}

const tfp_rule_set *tfp_rule_index_find(const tfp_rule_index *x, tfp_str op)
{
    size_t at = (size_t)tfp_hash(op.data, op.size) & (TFP_RULE_SLOTS - 1);
    for (; x->slots[at].op; at = (at + 1) & (TFP_RULE_SLOTS - 1))
        if (tfp_str_eq(op, tfp_str_of(x->slots[at].op))) return &x->slots[at];
    return &x->slots[at]; /* an empty one */
}
