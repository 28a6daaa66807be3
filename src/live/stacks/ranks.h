// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks.h: the table `hang` of running processes: where each rank of a job is, and which of them the others wait for. */
#ifndef TFP_LIVE_RANKS_H
#define TFP_LIVE_RANKS_H

#include "views/core/grid.h"

typedef struct tfp_rank_row {
    int64_t rank, world, pid; /* rank, world: TFP_ABSENT where the environment does not tell */
    tfp_str finding, collective, line, state, dump, stack;
} tfp_rank_row;
extern const tfp_row_column tfp_rank_columns[];

/* Rows of ranks, each at the same place in a bigger struct. */
typedef struct tfp_rank_rows {
    char *rows;
    size_t row_size, offset, count;
} tfp_rank_rows;
/* Sets the finding of each row and says the verdict above the table. False without memory. */
bool tfp_ranks_judge(tfp_report *r, const tfp_rank_rows *all);

#endif
