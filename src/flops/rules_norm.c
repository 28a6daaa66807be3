/* flops/rules_norm.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_norm[] = { { NULL } };
