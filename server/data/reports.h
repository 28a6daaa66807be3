// SPDX-License-Identifier: Apache-2.0
/* server/data/reports.h: the library's reports and errors as answers, and requests as its options. */
#ifndef TFP_SERVER_REPORTS_H
#define TFP_SERVER_REPORTS_H

#include "api/routes.h"
#include "tfprof/tfprof.h"

/* The answer to a failed call of the library. */
void answer_failure(answer *a, tfp_status s, const tfp_error *err);
/* The options of a request, without those in `except` (one blank between); false: the answer says which is wrong. */
bool options_of(const request *r, const char *except, tfp_options *o, answer *a);
/* The report as JSON, as a text that ends with NUL; false: the answer says what failed. */
bool report_json(tfp_report *report, tfp_error *err, answer *text, answer *a);
/* The report as the parameter `format` says (json without one); it is freed. After a failure, the failure. */
void answer_report(const request *r, tfp_status s, tfp_report *report, const tfp_error *err, answer *a);

#endif
