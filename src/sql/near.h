// SPDX-License-Identifier: Apache-2.0
/* sql/near.h: what an unknown table or column of a query may have meant. */
#ifndef TFP_SQL_NEAR_H
#define TFP_SQL_NEAR_H

#include <stdint.h>

enum { SQL_HINT_MAX = 160 };
/* After SQLite's message that there is no such table or column: the nearest name, and where all are listed. "" for other messages. */
void sql_near(const char *message, const char *query, char hint[SQL_HINT_MAX]);

/* tables.c: a column, numbered through all tables, those of grids.c last; *table is NULL past the end. Returns its name. */
const char *sql_column_at(uint32_t i, const char **table);

#endif
