// SPDX-License-Identifier: Apache-2.0
/* views/memory/records.h: tables of what was recorded, which tfp_records gives: they show no view's rows, and need no SQL. */
#ifndef TFP_RECORDS_H
#define TFP_RECORDS_H

#include "model/tables/types.h"

/* The report's profile and step are set; TFP_NONE: all steps, or where one is needed the last. */
tfp_status tfp_records_memory(tfp_report *r, tfp_error *err);
tfp_status tfp_records_peak(tfp_report *r, tfp_error *err);

#endif
