/* flops/rules_random.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_random[] = { { NULL } };
