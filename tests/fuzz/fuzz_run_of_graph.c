// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/fuzz_run_of_graph.c: graph, run_meta and op_log in one input, each behind a length of two bytes, so that
 * names, ids and shapes of one meet those of the others. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = { "graph", "run_meta", "run_meta", "op_log" };
    drive_part parts[4];
    size_t count = 0;
    uint64_t pick = drive_pick(data, size);
    while (count < 4 && size >= 2) {
        size_t part = (size_t)data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        if (part > size) part = size;
        parts[count] = (drive_part){ formats[count], data, part };
        count++;
        data += part;
        size -= part;
    }
    if (count) drive_bytes(parts, count);
    if (count > 1 && (drive_everything || pick % 4 == 0)) drive_grown(parts, count);
    return 0;
}
