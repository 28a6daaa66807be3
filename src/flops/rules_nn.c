/* flops/rules_nn.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_nn[] = { { NULL } };
