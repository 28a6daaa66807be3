// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/trend.h: which jobs and operations of an index changed for good. */
#ifndef TFP_TREND_H
#define TFP_TREND_H

#include "fleet/tables.h"
#include "options/options.h"

/* `settings`: names and values in turn, ended by NULL: q, min-change, since, job, op; those with value NULL have their default.
 * *regressed: how many rows of the table got slower, before -top cuts it.
 * Errors: TFP_BADARG a setting; TFP_BADFILE; TFP_NOMEM. */
tfp_status tfp_trend_of(const char *index, const char *const *settings, const tfp_options *o, tfp_report **out, size_t *regressed,
                        tfp_error *err);

#endif
