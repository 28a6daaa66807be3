/* flops/rules/control.c: control flow of TensorFlow 1, and what begins and ends functions. Calls, If, Case and While
 * are worked out by infer.c; they stand here so that they have a row, and cost nothing themselves. */
#include "flops/engine/engine.h"

static void hand_on(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) {
        tfp_set(op, i, tfp_in(op, 0));
        op->out[i].held = tfp_in_held(op, 0);
    }
}

/* What is constant in a loop is the same in each iteration; what is not is another tensor each time. */
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
    { "Enter",                   enter,               TFP_MOVES },
    { "RefEnter",                enter,               TFP_MOVES },
    { "Exit",                    hand_on,             TFP_MOVES },
    { "RefExit",                 hand_on,             TFP_MOVES },
    { "NextIteration",           hand_on,             TFP_MOVES },
    { "RefNextIteration",        hand_on,             TFP_MOVES },
    { "Switch",                  hand_on,             TFP_MOVES },
    { "RefSwitch",               hand_on,             TFP_MOVES },
    { "_SwitchN",                hand_on,             TFP_MOVES },
    { "Merge",                   merge,               TFP_MOVES },
    { "RefMerge",                merge,               TFP_MOVES },
    { "LoopCond",                tfp_scalar_outputs,  TFP_MOVES },
    { "ControlTrigger",          tfp_no_outputs,      TFP_MOVES },
    { "Abort",                   tfp_no_outputs,      TFP_MOVES },
    { "NoOp",                    tfp_no_outputs,      TFP_MOVES },
    { "_Arg",                    tfp_unknown_outputs, TFP_MOVES },
    { "_DeviceArg",              tfp_unknown_outputs, TFP_MOVES },
    { "_Retval",                 tfp_no_outputs,      TFP_MOVES },
    { "_DeviceRetval",           tfp_no_outputs,      TFP_MOVES },
    { "PartitionedCall",         NULL,                tfp_count_zero, 0, "that of its function", "calls" },
    { "StatefulPartitionedCall", NULL,                tfp_count_zero, 0, "that of its function", "calls" },
    { "TPUPartitionedCall",      NULL,                tfp_count_zero, 0, "that of its function", "calls" },
    { "RemoteCall",              NULL,                tfp_count_zero, 0, "that of its function", "calls" },
    { "XlaLaunch",               NULL,                tfp_count_zero, 0, "that of its function", "calls" },
    { "If",                      NULL,                tfp_count_zero, 0, "that of its dearer branch", "calls" },
    { "StatelessIf",             NULL,                tfp_count_zero, 0, "that of its dearer branch", "calls" },
    { "_If",                     NULL,                tfp_count_zero, 0, "that of its dearer branch", "calls" },
    { "Case",                    NULL,                tfp_count_zero, 0, "that of its dearest branch", "calls" },
    { "StatelessCase",           NULL,                tfp_count_zero, 0, "that of its dearest branch", "calls" },
    { "While",                   NULL,                tfp_count_zero, 0, "that of its functions times iterations", "calls" },
    { "StatelessWhile",          NULL,                tfp_count_zero, 0, "that of its functions times iterations", "calls" },
    { "_While",                  NULL,                tfp_count_zero, 0, "that of its functions times iterations", "calls" },
    { "For",                     NULL,                tfp_count_zero, 0, "that of its function times iterations", "calls" },
    { NULL },
};
/* clang-format on */
