// SPDX-License-Identifier: Apache-2.0
/* model/join/runs.h: what RunMetadata and ProfileProto recorded, as a trace of events: so the tables of a trace (steps, transfer,
 * wait, check, kernel) answer for them too. docs/traces.md says what becomes what. */
#ifndef TFP_RUNS_H
#define TFP_RUNS_H

#include "model/tables/types.h"

/* Whether there is something to make a trace of: spans of executions (TFP_KEEP_MEMORY), and no trace of its own. */
bool tfp_has_runs(const tfp_profile *p);
/* A new profile with processes, lanes, spans and steps, already finished; the caller frees it. It borrows nothing. */
tfp_status tfp_runs_trace(const tfp_profile *p, tfp_profile **out, tfp_error *err);

#endif
