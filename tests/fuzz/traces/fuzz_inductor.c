// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_inductor.c: Inductor's description of its kernels, together with a trace that has two of
 * them. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char trace[] =
        "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"triton_a\",\"ts\":1,\"dur\":2,\"pid\":0,"
        "\"tid\":7,\"args\":{\"device\":0,\"stream\":7,\"correlation\":5}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
        "\"triton_poi_fused_add_0\",\"ts\":4,\"dur\":2,\"pid\":0,\"tid\":7,\"args\":{\"device\":0,\"stream\":7}}]}";
    const drive_part parts[] = { { "kineto", (const uint8_t *)trace, sizeof trace - 1 }, { "inductor", data, size } };
    drive_bytes(parts, 2);
    return 0;
}
