/* flops/rules_control.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_control[] = { { NULL } };
