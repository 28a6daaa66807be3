// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/drive_table.c: a table in every form of the registry. */
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void drive_table(const tfp_report *r, tfp_error *err)
{
    const char *output;
    for (size_t i = 0; (output = tfp_list(TFP_OUTPUTS, i)); i++) {
        drive_text t = { 0 };
        tfp_status status = tfp_report_write(r, output, drive_take, &t, err);
        bool always = strcmp(output, "text") == 0 || strcmp(output, "json") == 0 || strcmp(output, "csv") == 0;
        free(t.data);
        if (!status || (status == TFP_BADARG && !always)) continue;
        fprintf(stderr, "broken promise: a table has this form: %s\n", output);
        abort();
    }
}
