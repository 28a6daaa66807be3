// SPDX-License-Identifier: Apache-2.0
/* compare/steps.h: the table `steps` as rows of one number each, with a value for every step; used by stats and diff.
 * */
#ifndef TFP_COMPARE_STEPS_H
#define TFP_COMPARE_STEPS_H

#include "options/columns.h"

/* The columns of -select that such rows can have: times, and the number of activities. */
#define TFP_STEP_COLUMNS (UINT64_C(1) << TFP_C_MICROS | UINT64_C(1) << TFP_C_OCCURRENCE)

typedef struct tfp_step_values {
    tfp_column_id column;
    double *at; /* one value for each step of the device, in the order of the table; absent values are left out */
    size_t count;
} tfp_step_values;

typedef struct tfp_step_table {
    /* its rows: the root, which is the mean duration of a step over the devices, then DEVICE/COLUMN of the table, or
     * `rank N/DEVICE/COLUMN` if there are several ranks. It owns all of this; the caller frees it. */
    tfp_report *report;
    tfp_step_values *rows; /* one for each row of the report */
} tfp_step_table;

/* Makes the rows whose column is selected and whose name passes the filters. The options are those of the command. */
tfp_status tfp_step_table_of(const tfp_profile *p, const tfp_options *o, tfp_step_table *out, tfp_error *err);

/* The same for the table `lines`: the root, and the own time of each line, with one value each; for a trace it is the
 * time per step. */
tfp_status tfp_line_table_of(const tfp_profile *p, const tfp_options *o, tfp_step_table *out, tfp_error *err);

#endif
