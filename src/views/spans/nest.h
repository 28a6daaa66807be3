// SPDX-License-Identifier: Apache-2.0
/* views/spans/nest.h: what a report makes of the nesting with Python frames. */
#ifndef TFP_TRACE_NEST_H
#define TFP_TRACE_NEST_H

#include "model/join/cut.h"
#include "model/nest.h"
#include "model/tables/types.h"

/* Durations become the parts within a range; c NULL: as they are. */
void tfp_nest_cut(const tfp_profile *p, const tfp_cut *c, tfp_nest *n);
/* Duration less the durations of the children, by span; NULL without memory. */
int64_t *tfp_nest_self(const tfp_profile *p, const tfp_nest *n, tfp_arena *arena);
/* Tells of the spans that were cut, if any. */
tfp_status tfp_nest_note(tfp_report *r, const tfp_nest *n, tfp_error *err);

#endif
