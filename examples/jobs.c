// SPDX-License-Identifier: Apache-2.0
/* examples/jobs.c: live.h: the deep-learning jobs that run on this machine, as JSON. */
#include <tfprof/tfprof.h>

#include <stdio.h>

static int to_stdout(void *ctx, const void *data, size_t size)
{
    (void)ctx;
    return fwrite(data, 1, size, stdout) != size;
}

int main(void)
{
    tfp_error *err = tfp_error_new();
    tfp_live *l = tfp_live_new();
    tfp_report *jobs = NULL;
    tfp_status s = l ? tfp_live_sample(l, err) : TFP_NOMEM;
    if (!s) s = tfp_live_top(l, NULL, &jobs, err);
    if (!s) s = tfp_report_write(jobs, "json", to_stdout, NULL, err);
    if (s) fprintf(stderr, "jobs: %s\n", tfp_error_message(err));
    tfp_report_free(jobs);
    tfp_live_free(l);
    tfp_error_free(err);
    return s == TFP_OK ? 0 : 1;
}
