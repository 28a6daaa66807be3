/* flops/tensorflow.c */
#include "flops/rule.h"
