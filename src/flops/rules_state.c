/* flops/rules_state.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_state[] = { { NULL } };
