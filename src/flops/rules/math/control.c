// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/control.c: TF1 control flow, and the ops at the ends of functions. Calls, If, Case and While are
 * worked out by infer.c; they have a row here because every op needs one, and cost nothing themselves. */
#include "flops/core/rule_index.h"

static void hand_on(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) {
        tfp_set(op, i, tfp_in(op, 0));
        op->out[i].held = tfp_in_held(op, 0);
    }
}

/* A loop constant is the same tensor in each iteration; any other is a new tensor each time. */
static void enter(tfp_op *op)
{
    hand_on(op);
    if (tfp_attr_bool(op, "is_constant", false) && op->out_count) op->out[0].elements = tfp_in_elements(op, 0);
}

static void merge(tfp_op *op)
{
    tfp_dims all = tfp_in(op, 0);
    for (uint32_t i = 1; i < op->in_count; i++) all = tfp_either(op, all, tfp_in(op, i));
    tfp_set(op, 0, all);
    tfp_set(op, 1, TFP_SCALAR_DIMS);
    if (!op->out_count || !op->in_count) return;
    const tfp_held *held = tfp_in_held(op, 0);
    for (uint32_t i = 1; i < op->in_count && !op->importer; i++) held = tfp_either_held(op, held, tfp_in_held(op, i));
    op->out[0].held = held;
}

/* clang-format off */
const tfp_op_rule tfp_rules_control[] = {
    { "Enter RefEnter", enter, TFP_MOVES },
    { "Exit RefExit NextIteration RefNextIteration Switch RefSwitch _SwitchN", hand_on, TFP_MOVES },
    { "Merge RefMerge", merge, TFP_MOVES },
    { "LoopCond", tfp_scalar_outputs, TFP_MOVES },
    { "ControlTrigger Abort NoOp _Retval _DeviceRetval", tfp_no_outputs, TFP_MOVES },
    { "_Arg _DeviceArg", tfp_unknown_outputs, TFP_MOVES },
    { "PartitionedCall StatefulPartitionedCall TPUPartitionedCall RemoteCall XlaLaunch", NULL, tfp_count_zero, 0,
      "that of its function", "calls" },
    { "If StatelessIf _If", NULL, tfp_count_zero, 0, "that of its more expensive branch", "calls" },
    { "Case StatelessCase", NULL, tfp_count_zero, 0, "that of its most expensive branch", "calls" },
    { "While StatelessWhile _While", NULL, tfp_count_zero, 0, "that of its functions times iterations", "calls" },
    { "For", NULL, tfp_count_zero, 0, "that of its function times iterations", "calls" },
    { NULL },
};
/* clang-format on */

/* ---- operations that run functions ---- */

/* clang-format off */
const tfp_call_op tfp_call_ops[] = {
    { "PartitionedCall StatefulPartitionedCall", TFP_CALL_PLAIN,  { "f" },                          NULL,       0, 0 },
    { "TPUPartitionedCall",                      TFP_CALL_PLAIN,  { "f" },                          NULL,       0, 1 },
    { "RemoteCall",                              TFP_CALL_PLAIN,  { "f" },                          NULL,       1, 0 },
    { "XlaLaunch",                               TFP_CALL_PLAIN,  { "function" },                   NULL,       0, 0 },
    { "If StatelessIf _If",                      TFP_CALL_BRANCH, { "then_branch", "else_branch" }, NULL,       1, 0 },
    { "Case StatelessCase",                      TFP_CALL_BRANCH, { NULL },                         "branches", 1, 0 },
    { "While StatelessWhile _While",             TFP_CALL_WHILE,  { "cond", "body" },               NULL,       0, 0 },
    { "For",                                     TFP_CALL_FOR,    { "body" },                       NULL,       3, 0 },
    { NULL },
};
/* clang-format on */
