// SPDX-License-Identifier: Apache-2.0
/* model/join/runs.h: converts recordings of RunMetadata and ProfileProto into a trace of events, so that the tables of
 * a trace (steps, transfer, wait, check, kernel) work for them too. docs/traces.md describes the conversion. */
#ifndef TFP_RUNS_H
#define TFP_RUNS_H

#include "model/tables/types.h"

/* Whether a trace can be made: there are spans of executions (TFP_READS_RUNS), and no trace yet. */
bool tfp_has_runs(const tfp_profile *p);
/* Makes a new profile with processes, lanes, spans and steps, complete; the caller frees it. It borrows nothing. */
tfp_status tfp_runs_trace(const tfp_profile *p, tfp_profile **out, tfp_error *err);

#endif
