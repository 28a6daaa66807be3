// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_snapshot.c: memory snapshots of PyTorch, through every view. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "snapshot", data, size };
    drive_bytes(&part, 1);
    return 0;
}
