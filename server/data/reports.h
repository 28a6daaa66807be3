// SPDX-License-Identifier: Apache-2.0
/* server/data/reports.h: turns the library's reports and errors into answers, and requests into its options. */
#ifndef TFP_SERVER_REPORTS_H
#define TFP_SERVER_REPORTS_H

#include "api/routes.h"
#include "tfprof/tfprof.h"

/* The answer to a failed call of the library. */
void answer_failure(answer *a, tfp_status s, const tfp_error *err);
/* Sets the options of a request, except those in `except` (separated by one blank); false: the answer says which is
 * wrong. */
bool options_of(const request *r, const char *except, tfp_options *o, answer *a);
/* The report as JSON text, ended by NUL; false: the answer has the reason. */
bool report_json(tfp_report *report, tfp_error *err, answer *text, answer *a);
/* Answers with the report in the format that the parameter `format` names (json by default); frees it. After a failure
 * answers with the error. */
void answer_report(const request *r, tfp_status s, tfp_report *report, const tfp_error *err, answer *a);
/* Answers with the id of a profile that was added to the catalog; it is read when a request uses this id. */
void answer_added(answer *a, const char *id, const char *path);

#endif
