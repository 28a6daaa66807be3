// SPDX-License-Identifier: Apache-2.0
/* sql/guard.h: what a query may do, and for how long. */
#ifndef TFP_SQL_GUARD_H
#define TFP_SQL_GUARD_H

#include "sql/vtab.h"

enum {
    SQL_MEMORY_MOST = 256 << 20, /* of SQLite's own, while a query runs */
    SQL_LENGTH_MOST = 50000      /* bytes of a statement */
};

/* Nothing but reading the tables of tables.h, with functions that are known to end: to be set when the connection has
 * its tables. SQLite's result code. */
int sql_guard_set(sql_session *s);
/* Whether a statement is small enough for SQLite once its names are expanded, checked before SQLite sees it.
 * TFP_LIMIT, TFP_NOMEM. */
tfp_status sql_guard_size(const char *sql, tfp_error *err);
/* The clock starts; sql_session.stopped tells later why a query was stopped. */
void sql_guard_start(sql_session *s);

#endif
