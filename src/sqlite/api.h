// SPDX-License-Identifier: Apache-2.0
/* sqlite/api.h: SQLite, loaded when the first query or SQLite file needs it: other commands do not spend time on it,
 * and run without it. A table of pointers in place of plain calls also prevents mixing with another SQLite in the
 * process (TensorFlow exports its own). */
#ifndef TFP_SQL_API_H
#define TFP_SQL_API_H

#include "base/base.h"

#include <sqlite3.h>

/* The functions that are used, without "sqlite3_". */
#define SQL_FUNCTIONS(F)                                                                                               \
    F(bind_double)                                                                                                     \
    F(bind_int64)                                                                                                      \
    F(bind_null)                                                                                                       \
    F(bind_parameter_count)                                                                                            \
    F(bind_parameter_index)                                                                                            \
    F(bind_parameter_name)                                                                                             \
    F(bind_text)                                                                                                       \
    F(close)                                                                                                           \
    F(column_bytes)                                                                                                    \
    F(column_count)                                                                                                    \
    F(column_decltype)                                                                                                 \
    F(column_double)                                                                                                   \
    F(column_int64)                                                                                                    \
    F(column_name)                                                                                                     \
    F(column_text)                                                                                                     \
    F(column_type)                                                                                                     \
    F(create_function)                                                                                                 \
    F(create_module)                                                                                                   \
    F(db_config)                                                                                                       \
    F(deserialize)                                                                                                     \
    F(declare_vtab)                                                                                                    \
    F(errmsg)                                                                                                          \
    F(exec)                                                                                                            \
    F(extended_errcode)                                                                                                \
    F(finalize)                                                                                                        \
    F(limit)                                                                                                           \
    F(memory_used)                                                                                                     \
    F(mprintf)                                                                                                         \
    F(free)                                                                                                            \
    F(open_v2)                                                                                                         \
    F(prepare_v2)                                                                                                      \
    F(progress_handler)                                                                                                \
    F(result_error)                                                                                                    \
    F(result_double)                                                                                                   \
    F(result_error_nomem)                                                                                              \
    F(result_error_toobig)                                                                                             \
    F(result_int64)                                                                                                    \
    F(result_null)                                                                                                     \
    F(result_text)                                                                                                     \
    F(result_value)                                                                                                    \
    F(set_authorizer)                                                                                                  \
    F(step)                                                                                                            \
    F(value_bytes)                                                                                                     \
    F(value_double)                                                                                                    \
    F(value_int64)                                                                                                     \
    F(value_numeric_type)                                                                                              \
    F(value_text)                                                                                                      \
    F(value_type)                                                                                                      \
    F(vtab_collation)

typedef struct sql_api {
#define SQL_FIELD(name) __typeof__(&sqlite3_##name) name;
    SQL_FUNCTIONS(SQL_FIELD)
#undef SQL_FIELD
} sql_api;

/* Fills the table, once; it does not change afterwards. Threads: any number at a time. */
tfp_status sql_api_load(const sql_api **out, tfp_error *err);
/* only after sql_api_load; for SQL functions, which are called without a session */
const sql_api *sql_api_loaded(void);

#endif
