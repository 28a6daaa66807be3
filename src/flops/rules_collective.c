/* flops/rules_collective.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_collective[] = { { NULL } };
