/* flops/rules_list.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_list[] = { { NULL } };
