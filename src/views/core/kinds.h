// SPDX-License-Identifier: Apache-2.0
/* views/core/kinds.h: what the kinds of columns of -select (options.h, tfp_column_kind) do in a report: one row each. How outputs write
 * them stands in each output, in a table by kind. */
#ifndef TFP_KINDS_H
#define TFP_KINDS_H

#include "views/core/engine.h"

typedef struct tfp_kind_rules {
    const char *name;
    bool number;  /* its cells are numbers; the functions are NULL for other kinds */
    bool adds_up; /* what rows have of their own adds up to their total: a share of the whole means something */
    bool of_sums; /* its cells are worked out from sums, so stats and diff can work them out for single steps */
    bool (*in_row)(const tfp_report *r, uint32_t row, tfp_column_id column, bool total,
                   double *out); /* as tfp_cell_number */
    double (*in_place)(const tfp_report *r, tfp_column_id column, const tfp_values *v,
                       size_t i); /* as tfp_place_number */
} tfp_kind_rules;
extern const tfp_kind_rules tfp_kinds[TFP_COLUMN_KINDS];

#endif
