// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/fuzz_xplane.c: XPlane traces: planes, lines, events, and the HLO modules inside. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "xplane", data, size };
    drive_bytes(&part, 1);
    return 0;
}
