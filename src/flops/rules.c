/* flops/rules.c */
#include "flops/rule.h"
