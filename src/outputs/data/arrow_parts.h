// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow_parts.h: Arrow's arrays and schemas of columns, which reports (arrow.c) and batches (arrow_batch.c) fill. */
#ifndef TFP_ARROW_PARTS_H
#define TFP_ARROW_PARTS_H

#include "outputs/data/arrow.h"
#include "outputs/data/batch.h"

/* A column's own memory, ArrowArray.private_data. The validity bitmap comes first in Arrow, then values, bits or offsets, then text. */
typedef struct tfp_arrow_column {
    const void *buffers[3];
    uint8_t *valid; /* NULL when the column can have no nulls */
    void *values;
    tfp_buf text;
} tfp_arrow_column;

/* An array with room for that many rows, of which it has none yet. Of the columns only names, types, units and `whole` count. On
 * failure a partial array remains, and must be released. */
bool tfp_arrow_start(struct ArrowArray *a, const tfp_batch_column *columns, size_t count, size_t rows);
/* Sets the final buffers when no more rows come. */
void tfp_arrow_end_column(struct ArrowArray *a);
/* The schema of such arrays; false without memory. */
bool tfp_arrow_schema(struct ArrowSchema *out, const tfp_batch_column *columns, size_t count);

static inline void tfp_arrow_set_bit(uint8_t *bits, size_t i) { bits[i / 8] |= (uint8_t)(1u << i % 8); }

#endif
