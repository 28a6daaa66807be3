// SPDX-License-Identifier: Apache-2.0
/* sql/guard.h: what a query may do, and for how long. */
#ifndef TFP_SQL_GUARD_H
#define TFP_SQL_GUARD_H

#include "sql/vtab.h"

enum {
    SQL_MEMORY_MOST = 256 << 20, /* memory that SQLite itself may use during a query */
    SQL_LENGTH_MOST = 50000      /* bytes of a statement */
};

/* Allows only reading the tables of tables.h, with functions that are known to end; call it after the tables are
 * registered. Returns SQLite's result code. */
int sql_guard_set(sql_session *s);
/* Whether a statement is small enough for SQLite after expansion, checked before SQLite parses it. TFP_LIMIT,
 * TFP_NOMEM. */
tfp_status sql_guard_size(const char *sql, tfp_error *err);
/* Starts the clock; later sql_session.stopped has the reason why a query was stopped. */
void sql_guard_start(sql_session *s);

#endif
