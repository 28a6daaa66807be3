/* flops/rules_quantized.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_quantized[] = { { NULL } };
