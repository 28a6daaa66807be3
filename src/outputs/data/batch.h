// SPDX-License-Identifier: Apache-2.0
/* outputs/data/batch.h: rows of a table in columns of eight bytes a cell: what Parquet and Arrow are written from, and how the
 * tables of a trace go from one process to another. */
#ifndef TFP_BATCH_H
#define TFP_BATCH_H

#include "options/cells.h"

typedef struct tfp_report tfp_report;

/* Distinct texts; several batches may share them. */
typedef struct tfp_texts {
    tfp_arena arena;
    tfp_strtab table;
} tfp_texts;
bool tfp_texts_start(tfp_texts *t); /* false without memory */
bool tfp_texts_clear(tfp_texts *t); /* forgets all texts; false without memory */
void tfp_texts_free(tfp_texts *t);

typedef struct tfp_batch {
    tfp_table_column *columns; /* with an array of cells, and a flag for each row whether it is absent */
    size_t column_count, row_count, capacity;
    size_t at;        /* the column of the next cell */
    tfp_texts *texts; /* borrowed */
    bool failed;      /* memory was out, so rows are missing */
} tfp_batch;

/* Starts an empty batch with copies of these columns' names, types and units; false: out of memory. */
bool tfp_batch_start(tfp_batch *b, const tfp_table_column *columns, size_t count, tfp_texts *texts);
void tfp_batch_clear(tfp_batch *b); /* removes the rows, keeps the memory */
void tfp_batch_free(tfp_batch *b);
size_t tfp_batch_bytes(const tfp_batch *b);     /* size of its cells */
bool tfp_batch_room(tfp_batch *b, size_t rows); /* makes room for more rows; false: out of memory */

/* Puts the next cell; the cell of the last column ends the row. */
void tfp_batch_none(tfp_batch *b);
void tfp_batch_int(tfp_batch *b, int64_t n);
void tfp_batch_int_if(tfp_batch *b, bool known, int64_t n); /* absent if it is not known */
void tfp_batch_real(tfp_batch *b, double x);                /* absent if it is NAN */
void tfp_batch_text(tfp_batch *b, tfp_str s); /* absent if data is NULL. Bytes that are not UTF-8 become \xNN */

static inline double tfp_cell_real(uint64_t cell)
{
    double x;
    memcpy(&x, &cell, sizeof x);
    return x;
}
static inline tfp_str tfp_cell_text(const tfp_batch *b, uint64_t cell)
{
    return tfp_strtab_get(&b->texts->table, (tfp_strid)cell);
}

/* ---- a report as batches (report_batch.c) ---- */
/* Starts a batch with the columns of the report's flat table; their names must outlive it. */
tfp_status tfp_batch_of_report(tfp_batch *b, const tfp_report *r, tfp_texts *texts, tfp_error *err);
/* Copies rows from *row on, at most `most`, and advances *row. */
tfp_status tfp_batch_fill(tfp_batch *b, const tfp_report *r, uint32_t *row, size_t most, tfp_error *err);

#endif
