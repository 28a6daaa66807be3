// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_run_meta.c: RunMetadata, together with a small graph that has some of its nodes. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part parts[] = { drive_graph, { "run_meta", data, size } };
    drive_bytes(parts, 2);
    return 0;
}
