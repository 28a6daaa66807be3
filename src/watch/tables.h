// SPDX-License-Identifier: Apache-2.0
/* watch/tables.h: the rows of `tfprof watch` and the tables that they make. An unknown value is NAN (REAL), TFP_ABSENT (INT, DATE,
 * TIME), or a text without data. Texts of a row are borrowed: a function that keeps them copies them. */
#ifndef TFP_WATCH_TABLES_H
#define TFP_WATCH_TABLES_H

#include "outputs/data/batch.h"

typedef tfp_str tfp_watch_TEXT;
typedef double tfp_watch_REAL;
typedef int64_t tfp_watch_INT, tfp_watch_DATE, tfp_watch_TIME;
#define STRUCT_OF(row) typedef struct row {
#define END_OF(row)                                                                                                    \
    }                                                                                                                  \
    row;
#define TABLE(table, help) STRUCT_OF(STRUCT)
#define COLUMN(name, type, unit, help) tfp_watch_##type name;
#define END(table) END_OF(STRUCT)
#include "watch/tables.def" /* tfp_watch_step, tfp_watch_finding, tfp_watch_job */
#undef STRUCT_OF
#undef END_OF

typedef enum tfp_watch_table_id {
    TFP_WATCH_STEPS,
    TFP_WATCH_FINDINGS,
    TFP_WATCH_JOBS,
    TFP_WATCH_TABLES
} tfp_watch_table_id;

typedef struct tfp_watch_schema {
    const char *name, *help;
    const tfp_table_column *columns; /* with offsets in the row; ended by a NULL name */
    size_t count, row_size;
} tfp_watch_schema;
extern const tfp_watch_schema tfp_watch_tables[TFP_WATCH_TABLES];

tfp_watch_table_id tfp_watch_find(tfp_str name); /* TFP_WATCH_TABLES: there is none of that name */
/* Makes all values of a row unknown. */
void tfp_watch_clear(tfp_watch_table_id table, void *row);
/* Appends a row to a batch of the table's columns. */
void tfp_watch_put(tfp_batch *b, tfp_watch_table_id table, const void *row);
/* Reads a row of such a batch; its texts live as long as those of the batch. */
void tfp_watch_take(const tfp_batch *b, tfp_watch_table_id table, size_t at, void *row);

#endif
