/* model/program.c */
#include "model/program.h"
