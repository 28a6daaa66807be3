// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_graph.h: which rank is at fault by the process groups that ranks wait in. */
#ifndef TFP_LIVE_RANKS_GRAPH_H
#define TFP_LIVE_RANKS_GRAPH_H

#include "live/stacks/ranks_judge.h"

/* Writes the verdict about the ranks of a job that wait in several groups, and sets their findings. False: the groups
 * do not tell. */
bool tfp_ranks_graph(tfp_rank_row **rows, size_t count, tfp_buf *b);

#endif
