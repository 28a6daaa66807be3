// SPDX-License-Identifier: Apache-2.0
/* outputs/data/parquet.h: writes batches as a Parquet file: one row group for each, every column optional. Columns with
 * repeated texts or numbers have dictionaries; pages are compressed with gzip. https://github.com/apache/parquet-format */
#ifndef TFP_PARQUET_H
#define TFP_PARQUET_H

#include "outputs/data/batch.h"

#include <stdio.h>

struct libdeflate_compressor;

typedef struct tfp_parquet {
    tfp_write_fn fn;
    void *ctx;
    uint64_t written; /* bytes written so far */
    int64_t row_count;
    size_t group_count;
    tfp_buf groups; /* RowGroup structs for the footer */
    tfp_buf bytes;  /* the pages of the column that is being written */
    struct libdeflate_compressor *deflate;
} tfp_parquet;

/* Starts a file; its bytes are passed to fn. */
tfp_status tfp_parquet_start(tfp_parquet *w, tfp_write_fn fn, void *ctx, tfp_error *err);
/* Writes the rows of a batch. Every batch of a file has the same columns. */
tfp_status tfp_parquet_group(tfp_parquet *w, const tfp_batch *b, tfp_error *err);
/* Writes the footer. The columns are those of the batch; its rows are ignored. */
tfp_status tfp_parquet_end(tfp_parquet *w, const tfp_batch *b, tfp_error *err);
void tfp_parquet_free(tfp_parquet *w);

/* Numbers of the format, which the reader of an index's own files needs too. */
enum { TFP_PARQUET_PLAIN = 0, TFP_PARQUET_RLE = 3, TFP_PARQUET_DICTIONARY = 8 };
enum {
    TFP_PARQUET_BOOLEAN = 0,
    TFP_PARQUET_INT32 = 1,
    TFP_PARQUET_INT64 = 2,
    TFP_PARQUET_DOUBLE = 5,
    TFP_PARQUET_BYTES = 6
};
enum { TFP_PARQUET_DATA_PAGE = 0, TFP_PARQUET_DICTIONARY_PAGE = 2, TFP_PARQUET_GZIP = 2 };
#define TFP_PARQUET_MAGIC TFP_STR("PAR1")

/* ---- parquet_values.c: how the cells of a column become bytes ---- */
typedef struct tfp_parquet_values {
    tfp_buf levels; /* which rows have a value, as runs of 1 and 0 */
    tfp_buf plain;  /* the values; with a dictionary, its entries */
    tfp_buf dictionary, indexes;
    size_t distinct; /* entries of the dictionary; 0: there is none */
    size_t nulls;
    bool bounded;      /* min and max are set */
    uint64_t min, max; /* cells */
    bool failed;
} tfp_parquet_values;
void tfp_parquet_encode(tfp_parquet_values *v, const tfp_batch *b, const tfp_table_column *c);
void tfp_parquet_values_free(tfp_parquet_values *v);
/* Writes a value in PLAIN encoding for statistics, without the size of a text. */
void tfp_parquet_put_bound(tfp_buf *out, const tfp_batch *b, const tfp_table_column *c, uint64_t cell);
void tfp_parquet_put_u32(tfp_buf *b, uint32_t n);

#endif
