/* flops/rules_signal.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_signal[] = { { NULL } };
