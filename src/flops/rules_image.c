/* flops/rules_image.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_image[] = { { NULL } };
