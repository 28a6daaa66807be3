// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_capture.c: a trace, captures of its graphs and the lines of Inductor's kernels in one input,
 * each after a length of two bytes, so that names and ids of one part occur in the others. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = { "kineto", "capture", "inductor", "capture" };
    drive_part parts[4];
    size_t count = drive_split(formats, 4, data, size, parts), whole = 0;
    while (whole < count && parts[whole].size) whole++; /* only the parts before the first empty one */
    if (whole) drive_bytes(parts, whole);
    return 0;
}
