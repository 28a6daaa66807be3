// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_speedscope.c: stacks of speedscope, through every view. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "speedscope", data, size };
    drive_bytes(&part, 1);
    return 0;
}
