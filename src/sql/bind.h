// SPDX-License-Identifier: Apache-2.0
/* sql/bind.h: values for the parameters of a statement. */
#ifndef TFP_SQL_BIND_H
#define TFP_SQL_BIND_H

#include "options/options.h"
#include "sql/guard.h"

/* TFP_BADARG for a parameter without a value or a value without a parameter. If SQLite rejects a value, its code is in
 * *rc and the result is TFP_OK. */
tfp_status sql_bind(sql_session *s, sqlite3_stmt *statement, const tfp_bindings *values, int *rc, tfp_error *err);

#endif
