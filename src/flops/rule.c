/* flops/rule.c */
#include "flops/rule.h"
