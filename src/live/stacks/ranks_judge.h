// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_judge.h: what is known of each rank of a job, and which ranks the others wait for. */
#ifndef TFP_LIVE_RANKS_JUDGE_H
#define TFP_LIVE_RANKS_JUDGE_H

#include "options/cells.h"

typedef struct tfp_rank_row {
    int64_t rank, world, pid; /* rank, world: TFP_ABSENT when the environment does not have them; pid: it has ended */
    tfp_str finding, collective, line, state, dump, why,
        stack;              /* why: the reason why it was not read; no data: it was read */
    uint64_t job;           /* ranks with the same number are of one job */
    int64_t cpu_ns, waits;  /* of the main thread when it was last read: CPU time, voluntary switches */
    tfp_str group;          /* the process group of its collective; no members: not known */
    const int64_t *members; /* sorted */
    size_t member_count;
    bool by_count, asked; /* its collective is known from counts of RAS, not from its line; it was asked */
    bool moved;           /* its functions changed, or it went through a collective, since it was first read */
    bool runs;            /* only its line or its CPU time changed: a loop */
} tfp_rank_row;

/* Whether its process ended: of a rank without a process that has a dump it is not known. */
static inline bool tfp_rank_has_ended(const tfp_rank_row *row) { return row->pid == TFP_ABSENT && !row->dump.size; }

/* The rows of ranks, as parts of bigger structs: each is at the same offset. */
typedef struct tfp_rank_rows {
    char *rows;
    size_t row_size, offset, count;
} tfp_rank_rows;
/* Sets the finding of each row of a job and writes the verdict. Returns the finding of the ranks at fault, `waits` if
 * all are in one collective, `crossed` if they wait in a circle; no data: there are none. */
tfp_str tfp_ranks_verdict(const tfp_rank_rows *all, uint64_t job, tfp_buf *b);
/* Sets the finding of each row, adds the verdict above the table, and a note that counts the processes that were not
 * read. */
tfp_status tfp_ranks_judge(tfp_report *r, const tfp_rank_rows *all, tfp_error *err);

/* ---- several looks at a process ---- */

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
