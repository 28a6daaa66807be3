// SPDX-License-Identifier: Apache-2.0
/* views/timeline/range.h: reports of a part of the recording (-range FROM:TO, counted from the first start as the timeline does). */
#ifndef TFP_VIEWS_RANGE_H
#define TFP_VIEWS_RANGE_H

#include "model/join/cut.h"
#include "model/types.h"

/* The part of a trace between two moments of its timeline, with memory of the arena. */
tfp_status tfp_range_cut(const tfp_profile *whole, tfp_arena *a, int64_t from_ns, int64_t to_ns, tfp_cut *out,
                         tfp_error *err);
/* Makes the report one of the range that its options ask for: its profile becomes a cut (r->cut). */
tfp_status tfp_report_cut(tfp_report *r, tfp_error *err);

#endif
