// SPDX-License-Identifier: Apache-2.0
/* views/spans/nest.h: adapts the nesting with Python frames to a report. */
#ifndef TFP_TRACE_NEST_H
#define TFP_TRACE_NEST_H

#include "model/join/cut.h"
#include "model/nest.h"
#include "model/tables/types.h"

/* Clips durations to a range; c NULL: leaves them as they are. */
void tfp_nest_cut(const tfp_profile *p, const tfp_cut *c, tfp_nest *n);
/* For each span its duration minus its children's; NULL: out of memory. */
int64_t *tfp_nest_self(const tfp_profile *p, const tfp_nest *n, tfp_arena *arena);
/* Whether frames tell the line of each call, "FILE:LINE" in the caller, as PyTorch's do from 2.15 on. Rows of code are then lines, and
 * functions for their time outside of calls. */
#define TFP_LINE_OF_CALL "CallFrom"
bool tfp_has_lines_of_calls(const tfp_profile *p);
/* Adds a note about spans that were cut, if any. */
tfp_status tfp_nest_note(tfp_report *r, const tfp_nest *n, tfp_error *err);

#endif
