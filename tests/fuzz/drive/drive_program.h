// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/drive_program.h: checks what graphs left in a profile's program, and computes its shapes and
 * counts. */
#ifndef TFP_DRIVE_PROGRAM_H
#define TFP_DRIVE_PROGRAM_H

#include "drive.h"

#include "model/program.h"

void drive_program(const tfp_profile *p, uint64_t pick); /* does nothing without a program */

#endif
