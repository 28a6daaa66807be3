/* flops/rules_conv.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_conv[] = { { NULL } };
