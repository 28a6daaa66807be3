/* flops/rules_text.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_text[] = { { NULL } };
