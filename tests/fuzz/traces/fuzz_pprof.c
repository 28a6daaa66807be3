// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_pprof.c: sampled stacks, through every view. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "pprof", data, size };
    drive_bytes(&part, 1);
    return 0;
}
