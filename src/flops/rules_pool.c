/* flops/rules_pool.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_pool[] = { { NULL } };
