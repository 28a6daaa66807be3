// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_hlo.c: HLO modules, as protos and as text, and StableHLO. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "hlo", data, size };
    drive_bytes(&part, 1);
    return 0;
}
