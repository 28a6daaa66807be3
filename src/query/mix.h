// SPDX-License-Identifier: Apache-2.0
/* query/mix.h: the texts that take most of each row's time, in one cell: "a.py:3:f 70%|b.py:8:g 30%". At most three, the share of the row in
 * whole percent; one of over 99.5 % stands alone, without a share. Knows no profile. */
#ifndef TFP_QUERY_MIX_H
#define TFP_QUERY_MIX_H

#include "query/groups.h"

typedef struct tfp_mix {
    tfp_groups parts;
} tfp_mix;
#define TFP_MIX_NONE "(none)"

/* Adds time of a row; text empty: TFP_MIX_NONE. The text must outlive the mix. False: out of memory. */
bool tfp_mix_add(tfp_mix *m, uint32_t row, tfp_str text, int64_t ns);
/* Writes the cell of each of `count` rows. first: the part that leads each cell, as a whole text; NULL: not wanted. Texts are in the
 * arena. */
bool tfp_mix_texts(tfp_mix *m, tfp_arena *arena, size_t count, tfp_str *cells, tfp_str *first);
void tfp_mix_free(tfp_mix *m);

#endif
