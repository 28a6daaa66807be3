// SPDX-License-Identifier: Apache-2.0
/* views/timeline/range.h: reports of a part of the recording: -range FROM:TO (relative to the first start, as in the
 * timeline), -ranks and -device. */
#ifndef TFP_VIEWS_RANGE_H
#define TFP_VIEWS_RANGE_H

#include "model/join/cut.h"
#include "model/tables/types.h"

/* Limits the report to the range, ranks and device in its options: its profile becomes a cut (r->cut). */
tfp_status tfp_report_cut(tfp_report *r, tfp_error *err);

/* Gives the report the steps that ranges mark whose names match -step_marker: its profile becomes one with other steps. */
tfp_status tfp_report_mark(tfp_report *r, tfp_error *err);
/* The same for a profile: fills `out` from the arena, which must live as long; NULL without the option. Ended with
 * tfp_remark_end. */
tfp_status tfp_mark_steps(const tfp_profile *p, const tfp_options *o, tfp_arena *a, tfp_profile **out, tfp_error *err);

/* For each process the time, on its file's clock, at which the timeline and -range begin. NULL: out of memory. */
int64_t *tfp_timeline_zeros(const tfp_profile *p, tfp_arena *a);

#endif
