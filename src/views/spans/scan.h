// SPDX-License-Identifier: Apache-2.0
/* views/spans/scan.h: a scan (index.c) over the spans of some kinds that a report is for: in its step and time range, of a process.
 *
 *     for (tfp_span_scan s = tfp_span_scan_of(r, x, TFP_SPANS(ACTIVITY)); tfp_span_scan_next(&s);) ... s.span, s.unit ...
 */
#ifndef TFP_SPAN_SCAN_H
#define TFP_SPAN_SCAN_H

#include "base/steps.h"
#include "views/spans/trace.h"

#define TFP_SPANS(kind) (1u << TFP_SPAN_##kind)

typedef struct tfp_span_scan {
    uint32_t span, unit; /* the current span, and its unit in the index */
    uint32_t next;
    unsigned kinds; /* bits TFP_SPANS(kind) */
    tfp_step_choice step;
    const tfp_trace_index *x;
} tfp_span_scan;

tfp_span_scan tfp_span_scan_of(const tfp_report *r, const tfp_trace_index *x, unsigned kinds);
bool tfp_span_scan_next(tfp_span_scan *s); /* false: there is none left */

#endif
