// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_xplane_bare.c: XPlane traces are only read and joined, which is fast enough for a fuzzer to
 * get deep into the format. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tfp_profile *p = tfp_profile_new();
    if (p && tfp_profile_add_bytes(p, "xplane", "fuzzed", data, size, NULL) == TFP_OK) tfp_profile_finish(p, NULL);
    tfp_profile_free(p);
    return 0;
}
