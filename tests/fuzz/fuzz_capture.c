// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/fuzz_capture.c: a trace, captures of its graphs and the lines of Inductor's kernels in one input, each behind a
 * length of two bytes, so that names and ids of one meet those of the others. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = { "kineto", "capture", "inductor", "capture" };
    drive_part parts[4];
    size_t count = 0;
    while (count < 4 && size >= 2) {
        size_t part = (size_t)data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        if (part > size) part = size;
        if (part) parts[count] = (drive_part){ formats[count], data, part };
        if (!part) break;
        count++;
        data += part;
        size -= part;
    }
    if (count) drive_bytes(parts, count);
    return 0;
}
