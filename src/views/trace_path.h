/* views/trace_path.h: the table of `steps -critical_path`. */
#ifndef TFP_TRACE_PATH_H
#define TFP_TRACE_PATH_H

#include "views/trace.h"

/* Fills the report's grid: by class and name, how much of the steps' critical paths it is. */
tfp_status tfp_trace_path(tfp_report *r, const tfp_trace_index *x, tfp_error *err);

#endif
