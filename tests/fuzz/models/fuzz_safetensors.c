// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_safetensors.c: files of weights in safetensors and the index of several, through every
 * view. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part part = { "safetensors", data, size };
    drive_bytes(&part, 1);
    return 0;
}
