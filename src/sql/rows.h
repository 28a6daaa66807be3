// SPDX-License-Identifier: Apache-2.0
/* sql/rows.h: rows of the views op and scope as rows of queries: every number that -select knows is a column, whatever
 * its kind. */
#ifndef TFP_SQL_ROWS_H
#define TFP_SQL_ROWS_H

#include "options/options.h"
#include "sql/tables.h"
#include "views/core/handle.h"
#include "views/core/view.h"

/* Column `i`; false past the end. */
bool sql_row_column_at(size_t i, tfp_table_column *out);

/* A report with every row and every number. A column that the view refuses for this profile, such as a statistic of
 * stacks that are sums, is without numbers. TFP_NOMEM, or why the profile has no rows. */
tfp_status sql_rows_build(const tfp_profile *p, const tfp_view *view, tfp_moments range, tfp_report **out);

void sql_row_cell_at(const tfp_report *r, size_t row, size_t column, sql_cell *out);

#endif
