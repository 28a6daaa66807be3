// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/db.h: gives readers of formats access to a SQLite file: real tables, columns that may be missing, rows
 * one after the other. The file is opened read-only and immutable: nothing is written beside it, and no view or trigger
 * in it runs. */
#ifndef TFP_FORMATS_DB_H
#define TFP_FORMATS_DB_H

#include "base/io.h"
#include "formats/sqlite/leaves.h"
#include "sqlite/api.h"

typedef struct tfp_db {
    const sql_api *api;
    sqlite3 *db;
    char *bytes;      /* contents of an input in memory */
    tfp_map64 tables; /* hash of a name -> the first page of a table's tree; 0: a view */
    uint64_t left;    /* bytes of rows that may still be read: a damaged file's tree may contain a page many times */
    tfp_pages pages;
    bool has_pages; /* rows of plain tables are read from pages, not by SQLite */
} tfp_db;

#define TFP_DB_COLUMNS TFP_LEAF_COLUMNS
typedef struct tfp_db_rows {
    tfp_db *db;
    sqlite3_stmt *statement;
    unsigned have; /* one bit for each column that the table has */
    int count;
    unsigned placed; /* one bit for each column whose position in the table is known */
    bool direct;     /* rows come from `leaves`; otherwise from the statement */
    tfp_leaves leaves;
    uint8_t value[TFP_DB_COLUMNS]; /* of each column; of leaves */
} tfp_db_rows;

tfp_status tfp_db_open(tfp_db *d, tfp_input *in, tfp_error *err);
void tfp_db_close(tfp_db *d);
bool tfp_db_has(const tfp_db *d, const char *table); /* whether there is a real table of that name */
/* Writes the name of the newest version of a real table: `table`_V9 to `table`_V2, or `table` itself. */
void tfp_db_latest(const tfp_db *d, const char *table, char *name, size_t size);
bool tfp_db_has_view(const tfp_db *d, const char *view);
/* Lists what follows `prefix` in the names of real tables, if it has only letters, digits and _; each is ended by
 * NUL. */
tfp_status tfp_db_endings(const tfp_db *d, const char *prefix, tfp_buf *out, tfp_error *err);
/* Starts to read the rows of a real table. columns: names with blanks between them; a missing column is NULL in each
 * row. A missing table has no rows. */
tfp_status tfp_db_start(tfp_db_rows *r, tfp_db *d, const char *table, const char *columns, tfp_error *err);
/* Reads the next row; false at the end and after a fault, which tfp_db_end returns. */
bool tfp_db_next(tfp_db_rows *r);
tfp_status tfp_db_end(tfp_db_rows *r, tfp_status s, tfp_error *err);
bool tfp_db_int(const tfp_db_rows *r, int i,
                int64_t *out); /* also reads a number that is stored as text; false: NULL or another value */
int64_t tfp_db_number(const tfp_db_rows *r, int i);          /* the same; 0: NULL or another value */
bool tfp_db_text(const tfp_db_rows *r, int i, tfp_str *out); /* valid until the next row */

#endif
