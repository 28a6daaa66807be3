/* flops/rules_rnn.c */
#include "flops/rule.h"

const tfp_op_rule tfp_rules_rnn[] = { { NULL } };
