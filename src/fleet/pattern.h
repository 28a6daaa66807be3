// SPDX-License-Identifier: Apache-2.0
/* fleet/pattern.h: patterns of paths, such as "job={job}/rank={rank}": each part between slashes fits a whole folder, anywhere in
 * a path; {name} takes the fewest characters that fit and * is one without a name. */
#ifndef TFP_FLEET_PATTERN_H
#define TFP_FLEET_PATTERN_H

#include "base/base.h"

tfp_status tfp_pattern_check(const char *pattern, tfp_error *err);
/* Calls take(ctx, name, value) for each name of the first place that fits, and sets *ok to false when a call is false. */
bool tfp_pattern_fits(const char *pattern, tfp_str path, bool (*take)(void *ctx, tfp_str name, tfp_str value), void *ctx,
                      bool *ok);
/* Whether a name fits one of several patterns with * and ?, separated by commas. */
bool tfp_glob_fits_one(const char *globs, tfp_str name);

#endif
