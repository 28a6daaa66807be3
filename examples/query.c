// SPDX-License-Identifier: Apache-2.0
/* examples/query.c: profile.h and report.h: an SQL query of a profile, its cells one by one, those that are absent too, and its notes.
 *   ./query profile_10 */
#include <tfprof/tfprof.h>

#include <inttypes.h>
#include <stdio.h>

static void print(const tfp_report *r)
{
    for (size_t row = 0; row < tfp_report_row_count(r); row++) {
        int64_t runs = 0;
        double us = 0;
        char op[64];
        tfp_report_string(r, row, "op", op, sizeof op);
        printf("%s: %" PRId64 " nodes", op, tfp_report_int(r, row, "nodes", &runs) ? runs : 0);
        if (tfp_report_real(r, row, "us", &us)) printf(", %.1f us", us); /* else none of them ran: absent, not 0 */
        printf("\n");
    }
    for (size_t i = 0; tfp_report_note(r, i); i++)
        printf("%s: %s\n", tfp_report_note_code(r, i), tfp_report_note(r, i));
}

int main(int argc, char **argv)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_report *r = NULL;
    tfp_status s = argc < 2 ? TFP_BADARG : tfp_profile_add_file(p, NULL, argv[1], err);
    if (!s) s = tfp_profile_finish(p, err);
    const tfp_profile *const profiles[] = { p };
    if (!s)
        s = tfp_query(profiles, NULL, 1,
                      "SELECT op, count(*) AS nodes, sum(us) AS us FROM nodes LEFT JOIN"
                      " (SELECT node, 1.0 * (accelerator_us + cpu_us) AS us FROM executions) USING (node) GROUP BY op",
                      NULL, &r, err);
    if (!s) print(r);
    if (s) fprintf(stderr, "query: %s\n", tfp_error_message(err));
    tfp_report_free(r);
    tfp_profile_free(p);
    tfp_error_free(err);
    return s == TFP_OK ? 0 : 1;
}
