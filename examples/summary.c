// SPDX-License-Identifier: Apache-2.0
/* examples/summary.c: the five nodes of a profile that take the most time, by the library's public functions alone.
 *   cc summary.c $(pkg-config --cflags --libs tfprof) -o summary && ./summary profile_10 */
#include <tfprof/tfprof.h>

#include <stdio.h>

/* Adds the files and makes the profile ready to be read. */
static tfp_status load(tfp_profile *p, char **paths, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (; s == TFP_OK && *paths; paths++) s = tfp_profile_add_file(p, NULL, *paths, err);
    return s ? s : tfp_profile_finish(p, err);
}

static void print_top(const tfp_report *r)
{
    for (size_t row = 1, shown = 0; row < tfp_report_row_count(r) && shown < 5; row++) {
        double us;
        if (!tfp_report_real(r, row, "micros", &us) || us == 0) continue;
        printf("%10.0f us  %s\n", us, tfp_report_row_name(r, row));
        shown++;
    }
}

static tfp_status summarize(const tfp_profile *p, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    tfp_status s = o ? TFP_OK : TFP_NOMEM;
    if (!s) s = tfp_options_set(o, "account_type_regexes", ".*", err);
    if (!s) s = tfp_options_set(o, "max_depth", "100", err);
    if (!s) s = tfp_options_set(o, "order_by", "micros", err);
    if (!s) s = tfp_report_build(p, "scope", o, &r, err);
    if (!s) {
        double us = 0;
        tfp_report_real(r, 0, "total_micros", &us);
        printf("%zu nodes, %zu steps, %.0f us\n", tfp_profile_node_count(p), tfp_profile_step_count(p), us);
        print_top(r);
    }
    tfp_report_free(r);
    tfp_options_free(o);
    return s;
}

int main(int argc, char **argv)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_status s = argc < 2 || !p ? TFP_BADARG : load(p, argv + 1, err);
    if (!s) s = summarize(p, err);
    if (s)
        fprintf(stderr, "summary: %s\n", *tfp_error_message(err) ? tfp_error_message(err) : "usage: summary FILE...");
    tfp_profile_free(p);
    tfp_error_free(err);
    return s == TFP_OK ? 0 : 1;
}
