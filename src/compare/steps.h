// SPDX-License-Identifier: Apache-2.0
/* compare/steps.h: the table `steps` as rows of one number each, with its value in every step: what stats and diff tell of it. */
#ifndef TFP_COMPARE_STEPS_H
#define TFP_COMPARE_STEPS_H

#include "options/columns.h"

/* The columns of -select that such rows have: of times, and of how many activities there were. */
#define TFP_STEP_COLUMNS (UINT64_C(1) << TFP_C_MICROS | UINT64_C(1) << TFP_C_OCCURRENCE)

typedef struct tfp_step_values {
    tfp_column_id column;
    double *at; /* one a step that the device has, in the order of the table; what is absent there is left out */
    size_t count;
} tfp_step_values;

typedef struct tfp_step_table {
    tfp_report
        *report; /* its rows: the root, which is the mean duration of a step over the devices, then DEVICE/COLUMN of
                         the table, of several ranks `rank N/DEVICE/COLUMN`. Owns all of this; to be freed. */
    tfp_step_values *rows; /* one for each row of the report */
} tfp_step_table;

/* Rows whose column is selected and whose name the filters of names show. The options are those of the command. */
tfp_status tfp_step_table_of(const tfp_profile *p, const tfp_options *o, tfp_step_table *out, tfp_error *err);

/* The same of the table `lines`: the root, and the own time of each line, one value each, of traces that of a step. */
tfp_status tfp_line_table_of(const tfp_profile *p, const tfp_options *o, tfp_step_table *out, tfp_error *err);

#endif
