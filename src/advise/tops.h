// SPDX-License-Identifier: Apache-2.0
/* advise/tops.h: the tables of `summary` that show what takes longest. */
#ifndef TFP_TOPS_H
#define TFP_TOPS_H

#include "views/trace/facts.h"

/* Adds them as parts of the report: kernels, then operations, modules and lines. f: NULL if there is no trace. */
tfp_status tfp_summary_tops(tfp_report *r, const tfp_trace_facts *f, tfp_error *err);

#endif
