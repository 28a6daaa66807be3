// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_tfprof_bare.c: only the reader of files of `tfprof convert`, without views. The fuzzing build
 * skips checksums, so that changed bytes are not refused by them. */
#include "drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tfp_profile *p = tfp_profile_new();
    if (p && tfp_profile_add_bytes(p, "tfprof", "tables", data, size, NULL) == TFP_OK) tfp_profile_finish(p, NULL);
    tfp_profile_free(p);
    return 0;
}
