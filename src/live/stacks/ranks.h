// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks.h: the table `hang` of running processes: where each rank of a job is. */
#ifndef TFP_LIVE_RANKS_H
#define TFP_LIVE_RANKS_H

#include "live/stacks/ranks_judge.h"
#include "views/core/grid.h"

extern const tfp_table_column tfp_rank_columns[];

#endif
