// SPDX-License-Identifier: Apache-2.0
/* model/graphs/lcs.h: the longest common subsequences of two rows of names: their length, and where all of them put each item.
 * Knows no profile. */
#ifndef TFP_GRAPHS_LCS_H
#define TFP_GRAPHS_LCS_H

#include "base/base.h"

typedef struct tfp_row_of_names { /* numbers of names; equal numbers are equal names */
    const uint32_t *at;
    uint32_t count;
} tfp_row_of_names;

enum { TFP_ALIGN_CELLS_MOST = 1000000000 };

/* Length of a longest common subsequence; UINT32_MAX: out of memory. */
uint32_t tfp_lcs_length(tfp_row_of_names a, tfp_row_of_names b);
/* Calls `take` for each item of a that every longest common subsequence has, and each of its positions in b, in order. False: out
 * of memory, or `take` returned false. The rows must not have more than TFP_ALIGN_CELLS_MOST pairs. */
bool tfp_lcs_align(tfp_row_of_names a, tfp_row_of_names b, bool (*take)(void *ctx, uint32_t item, uint32_t position),
                   void *ctx);

#endif
