/* flops/fold.c */
#include "flops/rule.h"

const tfp_fold_rule tfp_fold_rules[] = { { NULL } };
