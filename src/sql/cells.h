// SPDX-License-Identifier: Apache-2.0
/* sql/cells.h: the functions that compute cells: `out` gets the cell of a row; a computed
 * text is stored in `b`. */
#ifndef TFP_SQL_CELLS_H
#define TFP_SQL_CELLS_H

#include "model/tables/read.h"
#include "sql/tables.h"
#include "sqlite/api.h"

/* Gives a cell to SQLite; `failed`: there was no memory for its text. */
void sql_give(const sql_api *a, sqlite3_context *context, const sql_cell *cell, bool failed);
/* The name in SQL of a type of columns here ('i', 'r', 's') or of a table (tfp_cell_type). */
const char *sql_type_name(char type);

static inline void sql_put_int(sql_cell *out, int64_t i)
{
    out->type = 'i';
    out->i = i;
}
static inline void sql_put_text(sql_cell *out, const char *text)
{
    out->type = 's';
    out->s = tfp_str_of(text);
}
/* A string of the profile; none is NULL. */
static inline void sql_put_string(const sql_row *row, tfp_strid id, sql_cell *out)
{
    if (!id) return;
    out->type = 's';
    out->s = tfp_text(row->in->p, id);
}

/* The functions that the lists of columns name. */
#define BEGIN(help)
#define END
#define COLUMN(...)
#define KEY(at, name, help)
#define PROFILE(at)
#define OWNER(at, name, table, help)
#define COMPUTED(at, name, type, function, help) void sql_##function(const sql_row *row, tfp_buf *b, sql_cell *out);
#include "sql/columns.h"
#undef BEGIN
#undef END
#undef COLUMN
#undef KEY
#undef PROFILE
#undef OWNER
#undef COMPUTED

#endif
