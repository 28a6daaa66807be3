// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_flight.c: dumps of PyTorch's flight recorder as pickle and JSON, two of them as two ranks,
 * through every view. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part parts[2] = { { "flight", data, size }, { "flight", data, size } };
    drive_bytes(parts, 2);
    return 0;
}
