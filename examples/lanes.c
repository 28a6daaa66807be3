// SPDX-License-Identifier: Apache-2.0
/* examples/lanes.c: timeline.h: what each thread and stream of a profile did.
 *   ./lanes trace.json */
#include <tfprof/tfprof.h>

#include <inttypes.h>
#include <stdio.h>

static void print(const tfp_report *lanes)
{
    for (size_t row = 0; row < tfp_report_row_count(lanes); row++) {
        int64_t spans = 0;
        double busy = 0;
        char title[64];
        tfp_report_string(lanes, row, "title", title, sizeof title);
        if (tfp_report_int(lanes, row, "spans", &spans) && tfp_report_real(lanes, row, "busy_us", &busy))
            printf("%8" PRId64 " spans %12.1f us busy  %s\n", spans, busy, title);
    }
}

int main(int argc, char **argv)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_timeline *t = NULL;
    tfp_report *lanes = NULL;
    if (p) tfp_profile_keep(p, TFP_KEEP_MEMORY | TFP_KEEP_ALL);
    tfp_status s = argc < 2 ? TFP_BADARG : tfp_profile_add_file(p, NULL, argv[1], err);
    if (!s) s = tfp_profile_finish(p, err);
    if (!s) s = tfp_timeline_new(p, &t, err);
    if (!s) s = tfp_timeline_lanes(t, -1, &lanes, err);
    if (!s) print(lanes);
    if (s) fprintf(stderr, "lanes: %s\n", tfp_error_message(err));
    tfp_report_free(lanes);
    tfp_timeline_free(t);
    tfp_profile_free(p);
    tfp_error_free(err);
    return s == TFP_OK ? 0 : 1;
}
