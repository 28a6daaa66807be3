// SPDX-License-Identifier: Apache-2.0
/* sql/grids.h: the tables of a trace (steps, transfer ...) as tables of queries: their rows are those of the
 * reports. */
#ifndef TFP_SQL_GRIDS_H
#define TFP_SQL_GRIDS_H

#include "sql/vtab.h"

/* Registers them with the session's connection; returns SQLite's result code. */
int sql_grids_register(sql_session *s);
bool sql_is_grid(const char *name);

/* A column of one of them, numbered through all tables; the first of each table is the profile. False past the end. */
bool sql_grid_column_at(size_t i, const char **table, tfp_table_column *out);

#endif
