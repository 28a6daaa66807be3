// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/trend.h: finds the jobs and operations of an index that changed for good. */
#ifndef TFP_TREND_H
#define TFP_TREND_H

#include "fleet/tables.h"
#include "options/options.h"

/* Makes the table. `settings`: names and values in turn, ended by NULL: q, min-change, since, job, op; value NULL: the
 * default. *regressed: number of rows that got slower, before -top cuts the table. Errors: TFP_BADARG a setting;
 * TFP_BADFILE; TFP_NOMEM. */
tfp_status tfp_trend_of(const char *index, const char *const *settings, const tfp_options *o, tfp_report **out,
                        size_t *regressed, tfp_error *err);

#endif
