// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_dumps.h: ranks whose dumps are there, beside ranks that run. */
#ifndef TFP_LIVE_RANKS_DUMPS_H
#define TFP_LIVE_RANKS_DUMPS_H

#include "live/stacks/ranks_judge.h"

typedef TFP_VEC(tfp_rank_row) tfp_rank_list;
/* Adds a row for each dump of the profile whose rank does not run. False: out of memory. */
bool tfp_ranks_add_dumps(const tfp_profile *p, uint64_t job, tfp_arena *a, tfp_rank_list *rows);

#endif
