/* flops/rules_reduce.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_reduce[] = { { NULL } };
