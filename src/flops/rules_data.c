/* flops/rules_data.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_data[] = { { NULL } };
