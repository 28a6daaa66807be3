/* flops/rules_linalg.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_linalg[] = { { NULL } };
