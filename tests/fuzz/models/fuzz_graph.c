// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_graph.c: GraphDef, MetaGraphDef and SavedModel, binary; what begins like text goes to the text
 * reader. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const drive_part parts[] = { { "graph", data, size } };
    drive_bytes(parts, 1);
    return 0;
}
