/* flops/rules_optimizer.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_optimizer[] = { { NULL } };
