// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_query.c: SQL over a small profile that is given twice, under two names. */
#include "drive.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* the value of -time_limit below; a query may also take the time until the next check of the limit */
static const double seconds_most = 0.5;

static double now(void)
{
    struct timespec t = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void write_all(const tfp_report *r, tfp_error *err)
{
    /* larger results take time that is better spent on other statements */
    if (tfp_report_row_count(r) <= 1000) drive_table(r, err);
}

static void ask(const tfp_profile *p, const char *sql, tfp_error *err)
{
    const tfp_profile *both[] = { p, p };
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    double start = now();
    if (!o || tfp_options_set(o, "time_limit", "0.5", err)) abort();
    tfp_status s = tfp_query(both, NULL, 2, sql, o, &r, err);
    const char *message = tfp_error_message(err);
    if (s && (r || !*message || strchr(message, '\n'))) abort();
    if (s && s != TFP_BADARG && s != TFP_LIMIT) abort();
    if (!s) write_all(r, err);
    if (now() - start > seconds_most + 10) abort();
    tfp_report_free(r);
    tfp_options_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *sql = malloc(size + 1);
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    const drive_part g = drive_graph;
    if (sql && err && p && tfp_profile_add_bytes(p, g.format, "graph", g.data, g.size, err) == TFP_OK &&
        tfp_profile_finish(p, err) == TFP_OK) {
        if (size) memcpy(sql, data, size);
        sql[size] = '\0';
        ask(p, sql, err);
    }
    tfp_profile_free(p);
    tfp_error_free(err);
    free(sql);
    return 0;
}
