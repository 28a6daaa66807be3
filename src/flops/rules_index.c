/* flops/rules_index.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_index[] = { { NULL } };
