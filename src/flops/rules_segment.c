/* flops/rules_segment.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_segment[] = { { NULL } };
