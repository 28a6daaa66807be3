// SPDX-License-Identifier: Apache-2.0
/* outputs/text/headline.h: a table for people below a line that stands for its first row (tfp_report.headline). */
#ifndef TFP_HEADLINE_H
#define TFP_HEADLINE_H

#include "outputs/core/output.h"
#include "views/core/grid.h"

void tfp_headline_put(const tfp_report *r, tfp_buf *out);
/* The columns that people see, and the rows but that of the line. The caller frees out->columns; cells are the report's. False
 * without memory. */
bool tfp_headline_grid(const tfp_report *r, tfp_grid *out);

#endif
