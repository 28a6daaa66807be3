/* flops/count.c */
#include "flops/rule.h"
