// SPDX-License-Identifier: Apache-2.0
/* views/core/kinds.h: how the kinds of columns of -select (options.h, tfp_column_kind) behave in a report, one row per kind. How
 * outputs write them is in a table by kind in each output. */
#ifndef TFP_KINDS_H
#define TFP_KINDS_H

#include "views/core/engine.h"

typedef struct tfp_kind_rules {
    const char *name;
    bool number;  /* its cells are numbers; for other kinds the functions are NULL */
    bool adds_up; /* the rows' own values add up to their total, so a share of the total makes sense */
    bool of_sums; /* its cells are computed from sums, so stats and diff can compute them for single steps */
    bool (*in_row)(const tfp_report *r, uint32_t row, tfp_column_id column, bool total,
                   double *out); /* as tfp_cell_number */
    double (*in_place)(const tfp_report *r, tfp_column_id column, const tfp_values *v,
                       size_t i); /* as tfp_place_number */
} tfp_kind_rules;
extern const tfp_kind_rules tfp_kinds[TFP_COLUMN_KINDS];

#endif
