/* flops/infer.c */
#include "flops/rule.h"
