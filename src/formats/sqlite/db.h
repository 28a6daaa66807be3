// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/db.h: a SQLite file as a reader of formats sees it: real tables, columns that may be missing, rows one after the
 * other. Opened read-only and immutable: nothing is written beside it, and no view or trigger of the file runs. */
#ifndef TFP_FORMATS_DB_H
#define TFP_FORMATS_DB_H

#include "base/io.h"
#include "sqlite/api.h"

typedef struct tfp_db {
    const sql_api *api;
    sqlite3 *db;
    char *bytes;      /* of an input in memory */
    tfp_map64 tables; /* by the hash of the name: what it is */
    uint64_t left;    /* how many bytes of rows may still be read: pages of a damaged file may be in a tree many times */
} tfp_db;

#define TFP_DB_COLUMNS 12
typedef struct tfp_db_rows {
    tfp_db *db;
    sqlite3_stmt *statement;
    unsigned have; /* a bit for each column that the table has */
    int count;
} tfp_db_rows;

tfp_status tfp_db_open(tfp_db *d, tfp_input *in, tfp_error *err);
void tfp_db_close(tfp_db *d);
bool tfp_db_has(const tfp_db *d, const char *table); /* a real table of that name */
bool tfp_db_has_view(const tfp_db *d, const char *view);
/* What follows `prefix` in the names of real tables, each ended by NUL, if it is of letters, digits and _ only. */
tfp_status tfp_db_endings(const tfp_db *d, const char *prefix, tfp_buf *out, tfp_error *err);
/* The rows of a real table. columns: names with blanks between; missing ones are NULL in each row. No such table: no rows. */
tfp_status tfp_db_start(tfp_db_rows *r, tfp_db *d, const char *table, const char *columns, tfp_error *err);
/* The next row; false at the end and after a fault, which tfp_db_end tells. */
bool tfp_db_next(tfp_db_rows *r);
tfp_status tfp_db_end(tfp_db_rows *r, tfp_status s, tfp_error *err);
bool tfp_db_int(const tfp_db_rows *r, int i,
                int64_t *out); /* also of a number kept as text; false: NULL or another value */
bool tfp_db_text(const tfp_db_rows *r, int i, tfp_str *out); /* valid until the next row */

#endif
