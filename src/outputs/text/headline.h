// SPDX-License-Identifier: Apache-2.0
/* outputs/text/headline.h: a table for people, below a line that replaces its first row (tfp_report.headline). */
#ifndef TFP_HEADLINE_H
#define TFP_HEADLINE_H

#include "outputs/core/output.h"
#include "views/core/grid.h"

void tfp_headline_put(const tfp_report *r, tfp_buf *out);
/* The columns that people see, and all rows except the first one. The caller frees out->columns; cells belong to the report.
 * False if memory is out. */
bool tfp_headline_grid(const tfp_report *r, tfp_grid *out);

#endif
