// SPDX-License-Identifier: Apache-2.0
/* views/spans/nest.h: adapts the nesting with Python frames to a report. */
#ifndef TFP_TRACE_NEST_H
#define TFP_TRACE_NEST_H

#include "model/join/cut.h"
#include "model/nest.h"
#include "model/span_names.h"
#include "model/tables/types.h"

/* Clips durations to a range; c NULL: leaves them as they are. */
void tfp_nest_cut(const tfp_profile *p, const tfp_cut *c, tfp_nest *n);
/* For each span its duration minus its children's; NULL: out of memory. */
int64_t *tfp_nest_self(const tfp_profile *p, const tfp_nest *n, tfp_arena *arena);
#define TFP_LINE_OF_CALL "CallFrom" /* stat of a frame: "FILE:LINE" in its caller */
/* The caller's frame with the line from which a span was called, by the stat `key`; false: it is not told, or is of another file
 * than the caller. */
bool tfp_line_of_call(const tfp_profile *p, tfp_strid key, uint32_t span, uint32_t caller, tfp_python_frame *out);
/* Adds a note about spans that were cut, if any. */
tfp_status tfp_nest_note(tfp_report *r, const tfp_nest *n, tfp_error *err);

#endif
