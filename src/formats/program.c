/* formats/program.c */
#include "model/program.h"
