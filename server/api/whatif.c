// SPDX-License-Identifier: Apache-2.0
/* server/api/whatif.c: the gains of changes, for the page: a refused replay is an answer here, not an error. */
#include "data/reports.h"

/* The table, as JSON; it is freed. */
static void put_table(tfp_report *report, tfp_error *err, answer *a)
{
    answer table = { 0 };
    if (report_json(report, err, &table, a)) {
        json_open(a, NULL, '{');
        json_text(a, "refused", NULL);
        json_raw(a, "table", table.data);
        json_close(a, '}');
    }
    answer_free(&table);
    tfp_report_free(report);
}

static void put_refusal(const tfp_error *err, answer *a)
{
    json_open(a, NULL, '{');
    json_text(a, "refused", tfp_error_message(err));
    json_raw(a, "table", "null");
    json_close(a, '}');
}

static void build(const question *q, tfp_options *o, tfp_error *err, answer *a)
{
    tfp_report *report = NULL;
    tfp_options_every_value(o, true);
    tfp_status s = tfp_report_build(q->profile.profile, "whatif", o, &report, err);
    if (!s)
        put_table(report, err, a);
    else if (s == TFP_BADFILE)
        put_refusal(err, a);
    else
        answer_failure(a, s, err);
}

static void answer_whatif(const question *q, answer *a)
{
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err)
        a->no_memory = true;
    else if (options_of(q->request, "", o, a))
        build(q, o, err, a);
    tfp_error_free(err);
    tfp_options_free(o);
}

const route routes_whatif[] = { { "/api/v1/profiles/*/whatif", answer_whatif, "*", ROUTE_PROFILE }, { 0 } };
