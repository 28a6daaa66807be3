// SPDX-License-Identifier: Apache-2.0
/* server/agent/findings.h: findings of `tfprof watch` as log records of OTLP. */
#ifndef TFP_SERVER_FINDINGS_H
#define TFP_SERVER_FINDINGS_H

#include "agent.h"

/* Where a collector takes logs: /v1/logs instead of /v1/metrics, or where the address has no path. False: `why`
 * has the reason. */
bool findings_url(const char *text, http_url *out, const char **why);
/* Whether a finding is sent: `change` and `ended` are only kept. */
bool finding_alarms(const char *json);
/* ExportLogsServiceRequest of OTLP 1.x with one finding, the JSON object of tfp_watch_fn. names: with lines and
 * names of programs. */
void findings_otlp(const char *json, bool names, int64_t unix_ns, answer *out);

#endif
