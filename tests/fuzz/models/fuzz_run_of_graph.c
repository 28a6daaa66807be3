// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_run_of_graph.c: graph, run_meta and op_log in one input, each after a length of two bytes, so
 * that names, ids and shapes of one part occur in the others. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = { "graph", "run_meta", "run_meta", "op_log" };
    drive_part parts[4];
    size_t count = drive_split(formats, 4, data, size, parts);
    uint64_t pick = drive_pick(data, size);
    if (count) drive_bytes(parts, count);
    if (count > 1 && (drive_everything || pick % 4 == 0)) drive_grown(parts, count);
    return 0;
}
