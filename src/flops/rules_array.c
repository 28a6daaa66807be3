/* flops/rules_array.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_array[] = { { NULL } };
