// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks.h: the table `hang` of running processes: where each rank of a job is. */
#ifndef TFP_LIVE_RANKS_H
#define TFP_LIVE_RANKS_H

#include "live/stacks/ranks_judge.h"
#include "views/core/grid.h"

extern const tfp_table_column tfp_rank_columns[];

/* ---- ranks_looks.c: several looks at a process ---- */

enum { TFP_RANK_LOOKS = 8 };
typedef struct tfp_rank_look {
    uint64_t functions; /* hash of the stack without its lines */
    tfp_str line, stack;
} tfp_rank_look;
typedef struct tfp_rank_looks { /* none: the process was not read */
    tfp_rank_look at[TFP_RANK_LOOKS];
    size_t count;
    bool inside, passed; /* it was seen in a collective; it went through one */
} tfp_rank_looks;

void tfp_rank_add_look(tfp_rank_looks *all, const tfp_rank_row *row);
/* Says which of the ranks moved, by the looks at each. */
void tfp_ranks_settle(tfp_rank_row *rows, const tfp_rank_looks *looks, size_t count);

#endif
