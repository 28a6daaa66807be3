/* flops/rules_shared.c */
#include "flops/rule.h"
