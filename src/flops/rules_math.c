/* flops/rules_math.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_math[] = { { NULL } };
