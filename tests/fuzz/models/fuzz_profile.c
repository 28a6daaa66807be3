// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_profile.c: ProfileProto, the whole profile in one message. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part parts[] = { { "profile", data, size } };
    drive_bytes(parts, 1);
    return 0;
}
