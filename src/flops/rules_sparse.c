/* flops/rules_sparse.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_sparse[] = { { NULL } };
