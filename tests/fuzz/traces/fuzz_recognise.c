// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/traces/fuzz_recognise.c: a file of unknown format, given by path: windows, gzip, detection of the
 * format. */
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/input", drive_folder());
    drive_file("input", data, size);
    tfp_error *err = tfp_error_new();
    const char *format = tfp_recognise_file(path, err);
    if (!format && !*tfp_error_message(err)) abort();
    tfp_profile *p = tfp_profile_new();
    if (p && tfp_profile_add_file(p, NULL, path, err) == TFP_OK) {
        if (!format) abort(); /* no error, but no format either */
        drive_profile(p, drive_pick(data, size));
    }
    tfp_profile_free(p);
    tfp_error_free(err);
    drive_remove("input");
    return 0;
}
