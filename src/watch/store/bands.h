// SPDX-License-Identifier: Apache-2.0
/* watch/store/bands.h: the steps of processes in equal parts of time, as a picture of many of them needs. */
#ifndef TFP_WATCH_BANDS_H
#define TFP_WATCH_BANDS_H

#include "options/options.h"
#include "watch/store/store.h"

/* Makes the table `watch_bands`. `settings`: names and values in turn, ended by NULL: job (its whole name), from and
 * to (microseconds since 1970), count (of parts, 10 to 2000); value NULL: the default, all and 240. Errors:
 * TFP_BADARG a setting; TFP_BADFILE no store; TFP_NOMEM. */
tfp_status watch_bands_of(const char *dir, const char *const *settings, const tfp_options *o, tfp_report **out,
                          tfp_error *err);

#endif
