// SPDX-License-Identifier: Apache-2.0
/* model/join/remark.h: a trace with other steps: those that ranges mark whose names match. All tables are shared with
 * the profile except those in which steps stand. */
#ifndef TFP_REMARK_H
#define TFP_REMARK_H

#include "model/tables/profile.h"

typedef bool (*tfp_name_fn)(void *ctx, tfp_str name);

/* Fills `out` from a profile that has its spans, with memory of the arena, which must live as long. `found`: the number of
 * ranges that match; 0: `out` is not filled. Processes without such ranges keep their steps. False: out of memory. */
bool tfp_remark(const tfp_profile *whole, tfp_arena *a, tfp_name_fn matches, void *ctx, size_t *found,
                tfp_profile *out);
/* Frees what the arena does not hold. */
void tfp_remark_end(tfp_profile *marked);

#endif
