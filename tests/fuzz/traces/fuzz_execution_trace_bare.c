// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_execution_trace_bare.c: only the reader of recorded calls and the construction of their graph,
 * without views. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tfp_profile *p = tfp_profile_new();
    if (p && tfp_profile_add_bytes(p, "execution_trace", "calls", data, size, NULL) == TFP_OK)
        tfp_profile_finish(p, NULL);
    tfp_profile_free(p);
    return 0;
}
