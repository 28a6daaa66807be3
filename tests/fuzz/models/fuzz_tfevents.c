// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_tfevents.c: an event file of TensorFlow 1, through every view. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "tfevents", data, size };
    drive_bytes(&part, 1);
    return 0;
}
