// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_inspector.c: lines of NCCL's inspector in two files, as two ranks, through every view. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part parts[2] = { { "inspector", data, size }, { "inspector", data, size } };
    drive_bytes(parts, 2);
    return 0;
}
