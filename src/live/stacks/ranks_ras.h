// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_ras.h: asks the RAS of jobs of NCCL which of their ranks are behind. */
#ifndef TFP_LIVE_RANKS_RAS_H
#define TFP_LIVE_RANKS_RAS_H

#include "live/stacks/ranks_judge.h"

/* Asks for each job of which no rank moves or is seen in a collective; sets the collectives of the ranks that wait. It
 * takes 2 s a job at most. */
tfp_status tfp_ranks_ask_ras(tfp_rank_row *rows, size_t count, tfp_arena *a, tfp_error *err);

#endif
