// SPDX-License-Identifier: Apache-2.0
/* fleet/pattern.h: patterns of paths, such as "job={job}/rank={rank}": each part between slashes matches a whole folder name,
 * anywhere in a path. {name} takes as few characters as possible; * is a placeholder without a name. */
#ifndef TFP_FLEET_PATTERN_H
#define TFP_FLEET_PATTERN_H

#include "base/base.h"

tfp_status tfp_pattern_check(const char *pattern, tfp_error *err);
/* Matches a pattern and calls take(ctx, name, value) for each name, at the first place that fits. Sets *ok to false when
 * a call returns false. */
bool tfp_pattern_fits(const char *pattern, tfp_str path, bool (*take)(void *ctx, tfp_str name, tfp_str value),
                      void *ctx, bool *ok);
/* Whether a name fits one of several patterns with * and ?, separated by commas. */
bool tfp_glob_fits_one(const char *globs, tfp_str name);

#endif
