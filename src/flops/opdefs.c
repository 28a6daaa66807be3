/* flops/opdefs.c */
#include "flops/rule.h"

const tfp_opdef tfp_opdefs[] = { { "NoOp", "" } };
const size_t tfp_opdef_count = 1;
