/* flops/rules.c: the lists of rules, and the table by which an op finds its own. */
#include "flops/rule.h"
#include "flops/engine.h"

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
    return true;
}

const tfp_rule_set *tfp_rule_index_find(const tfp_rule_index *x, tfp_str op)
{
    size_t at = (size_t)tfp_hash(op.data, op.size) & (TFP_RULE_SLOTS - 1);
    for (; x->slots[at].op; at = (at + 1) & (TFP_RULE_SLOTS - 1))
        if (tfp_str_eq(op, tfp_str_of(x->slots[at].op))) return &x->slots[at];
    return &x->slots[at]; /* an empty one */
}
