// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_op_log.c: OpLogProto, together with a small graph that has the nodes of some of its
 * entries. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part parts[] = { drive_graph, { "op_log", data, size } };
    drive_bytes(parts, 2);
    return 0;
}
