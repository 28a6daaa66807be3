/* flops/rules_matrix.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_matrix[] = { { NULL } };
