// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow_parts.h: the rows of a table, of a report or a batch, as arrays of the Arrow C data interface; and the schema of such arrays. */
#ifndef TFP_ARROW_PARTS_H
#define TFP_ARROW_PARTS_H

#include "views/core/table.h"
#include "outputs/data/arrow.h"
#include "outputs/data/batch.h"

typedef struct tfp_arrow_rows {
    const tfp_table_column *columns;
    size_t column_count, row_count;
    size_t rows_most, text_most; /* of one array: rows, and bytes of one column of texts */
    tfp_cells cells;             /* the caller frees them */
} tfp_arrow_rows;
static inline tfp_arrow_rows tfp_arrow_rows_of(const tfp_batch *b, size_t rows_most, size_t text_most)
{
    return (tfp_arrow_rows){ b->columns, b->column_count, b->row_count,
                             rows_most,  text_most,       { .texts = &b->texts->table } };
}

/* Copies rows from *row on, and moves *row past them. An array ends with the row at which a column of texts reaches `text_most`
 * bytes, because offsets have 32 bits. On failure *out is a released array. TFP_LIMIT: a text is too long for Arrow. */
tfp_status tfp_arrow_next(tfp_arrow_rows *t, size_t *row, struct ArrowArray *out, tfp_error *err);
/* The schema of such arrays; false without memory. */
bool tfp_arrow_schema(struct ArrowSchema *out, const tfp_table_column *columns, size_t count);

#endif
