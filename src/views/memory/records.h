// SPDX-License-Identifier: Apache-2.0
/* views/memory/records.h: tables of recorded memory for tfp_records. They do not use any view's rows, and need no SQL. */
#ifndef TFP_RECORDS_H
#define TFP_RECORDS_H

#include "model/tables/types.h"

/* The report's profile and step must be set; step TFP_NONE: all steps, or the last one if a single step is needed. */
tfp_status tfp_records_memory(tfp_report *r, tfp_error *err);
tfp_status tfp_records_peak(tfp_report *r, tfp_error *err);

#endif
