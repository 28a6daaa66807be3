// SPDX-License-Identifier: Apache-2.0
/* examples/watch.c: watch.h: how the ranks of the jobs on this machine do right now, as JSON. */
#include <tfprof/tfprof.h>
#include <tfprof/watch.h>

#include <stdio.h>

static int to_stdout(void *ctx, const void *data, size_t size)
{
    (void)ctx;
    return fwrite(data, 1, size, stdout) != size;
}

int main(void)
{
    tfp_error *err = tfp_error_new();
    tfp_watch *w = tfp_watch_new();
    tfp_report *jobs = NULL;
    tfp_status s = w ? tfp_watch_set(w, "once", NULL, err) : TFP_NOMEM;
    if (!s) s = tfp_watch_run(w, NULL, &jobs, err);
    if (!s) s = tfp_report_write(jobs, "json", to_stdout, NULL, err);
    if (s) fprintf(stderr, "watch: %s\n", tfp_error_message(err));
    tfp_report_free(jobs);
    tfp_watch_free(w);
    tfp_error_free(err);
    return s == TFP_OK ? 0 : 1;
}
