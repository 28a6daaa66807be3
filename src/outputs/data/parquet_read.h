// SPDX-License-Identifier: Apache-2.0
/* outputs/data/parquet_read.h: reads Parquet files of plain columns back into batches: those that parquet.c writes, and what other
 * programs write with the same columns, where it uses the encodings and compressions that parquet_page.c knows. */
#ifndef TFP_PARQUET_READ_H
#define TFP_PARQUET_READ_H

#include "base/source.h"
#include "outputs/data/batch.h"

typedef struct tfp_parquet_chunk { /* a column of a row group, in the file */
    int64_t at, size;
    int codec;
} tfp_parquet_chunk;

typedef struct tfp_parquet_file {
    tfp_source source;
    const tfp_table_column *columns; /* the columns to read; borrowed */
    size_t column_count, group_count;
    tfp_parquet_chunk *chunks; /* group_count times column_count; size 0: the file has no such column */
    int64_t *rows;             /* rows of each group */
    bool *optional;            /* for each column */
} tfp_parquet_file;

/* Errors: TFP_BADFILE no Parquet file, damaged, or a column of another type; TFP_NOMEM. */
tfp_status tfp_parquet_open(tfp_parquet_file *f, const char *path, const tfp_table_column *columns, size_t count,
                            tfp_error *err);
/* The same for bytes in memory, which must outlive it. */
tfp_status tfp_parquet_open_bytes(tfp_parquet_file *f, tfp_str bytes, const tfp_table_column *columns, size_t count,
                                  tfp_error *err);
/* Appends the rows of a group to a batch of these columns. Errors: TFP_BADFILE, TFP_NOMEM; the batch is then useless. */
tfp_status tfp_parquet_read_group(const tfp_parquet_file *f, size_t group, tfp_batch *b, tfp_error *err);
void tfp_parquet_close(tfp_parquet_file *f);

/* Reads a file group by group and passes the rows of each to take(), in a batch that it may change. Errors name the file. */
tfp_status tfp_parquet_each(const char *path, const tfp_table_column *columns, size_t count,
                            tfp_status (*take)(void *ctx, tfp_batch *b, tfp_error *err), void *ctx, tfp_error *err);

#endif
