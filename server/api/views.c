// SPDX-License-Identifier: Apache-2.0
/* server/api/views.c: reports of one profile: its views, with every option as a parameter. */
#include "data/reports.h"

#include <string.h>

static void answer_view(const question *q, answer *a)
{
    const char *view = q->words.text[1], *format = request_value(q->request, "format");
    if (!tfp_help(TFP_VIEWS, view)) {
        answer_error(a, ANSWER_UNKNOWN, "no view '%s'", view);
        return;
    }
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    if (!o || !err) {
        a->no_memory = true;
    } else if (options_of(q->request, "", o, a)) {
        tfp_report *report = NULL;
        tfp_options_every_value(o, !format || strncmp(format, "json", 4) == 0);
        tfp_status s = tfp_report_build(q->profile.profile, view, o, &report, err);
        answer_report(q->request, s, report, err, a);
    }
    tfp_error_free(err);
    tfp_options_free(o);
}

const route routes_views[] = { { "/api/v1/profiles/*/views/*", answer_view, "*", ROUTE_PROFILE }, { 0 } };
