// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive_program.h: checks what a profile's graphs left in its program, and works it out. */
#ifndef TFP_DRIVE_PROGRAM_H
#define TFP_DRIVE_PROGRAM_H

#include "drive.h"

#include "model/program.h"

void drive_program(const tfp_profile *p, uint64_t pick); /* harmless without a program */

#endif
