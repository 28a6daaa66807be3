/* flops/body.c */
#include "flops/rule.h"
