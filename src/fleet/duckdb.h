// SPDX-License-Identifier: Apache-2.0
/* fleet/duckdb.h: SQL over an index, answered by duckdb. */
#ifndef TFP_FLEET_DUCKDB_H
#define TFP_FLEET_DUCKDB_H

#include "fleet/tables.h"

bool tfp_duckdb_is_index(const char *path);
/* Appends a statement that makes a view of an index's table. out: its absolute path, because DuckDB would resolve a relative one
 * differently. */
void tfp_duckdb_put_view(tfp_buf *b, const char *out, const char *table);
/* The views of all tables that are there, those of tfprof watch too. */
void tfp_duckdb_put_views(tfp_buf *b, const char *out);
/* Runs one SELECT over the tables of an index. Errors: TFP_BADFILE duckdb is not installed, or its message about the SQL; TFP_LIMIT;
 * TFP_NOMEM; TFP_CANCELLED by the options' callback. */
tfp_status tfp_duckdb_query(const char *out, const char *sql, const tfp_options *o, tfp_report **report,
                            tfp_error *err);

#endif
