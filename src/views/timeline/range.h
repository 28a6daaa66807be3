// SPDX-License-Identifier: Apache-2.0
/* views/timeline/range.h: reports of a part of the recording: -range FROM:TO, counted from the first start as the timeline does, -ranks and -device. */
#ifndef TFP_VIEWS_RANGE_H
#define TFP_VIEWS_RANGE_H

#include "model/join/cut.h"
#include "model/tables/types.h"

/* Makes the report one of the range, ranks and device that its options ask for: its profile becomes a cut (r->cut). */
tfp_status tfp_report_cut(tfp_report *r, tfp_error *err);

#endif
