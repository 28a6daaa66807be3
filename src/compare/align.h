// SPDX-License-Identifier: Apache-2.0
/* compare/align.h: finds which rows of several reports of one view are the same row. */
#ifndef TFP_ALIGN_H
#define TFP_ALIGN_H

#include "compare/items.h"
#include "model/tables/types.h"

/* Counts the rows with one name in one place, for the code view, where frames may have equal names. */
typedef struct tfp_occurrences {
    TFP_VEC(uint32_t) next, report;
    uint32_t number; /* number of the report being aligned */
    bool failed;     /* no memory */
} tfp_occurrences;
void tfp_occurrences_free(tfp_occurrences *t);

/* Finds or makes the item of each row and stores it in `items`. TFP_NONE: the row is not among fixed items. False: out of
 * memory. */
bool tfp_align(tfp_items *x, const tfp_report *r, tfp_occurrences *t, uint32_t *items);

#endif
