// SPDX-License-Identifier: Apache-2.0
/* sql/vtab.h: the tables of tables.h, as SQLite's virtual tables. */
#ifndef TFP_SQL_VTAB_H
#define TFP_SQL_VTAB_H

#include "options/options.h"
#include "sqlite/api.h"
#include "sql/tables.h"

enum { SQL_TEXT_MOST = 4 << 20 }; /* bytes of one text in a query */

typedef struct sql_session sql_session;

typedef struct sql_module { /* the parts of a connection's table */
    sql_session *session;
    sql_table_id table;
} sql_module;

enum { SQL_GRID_MOST = 20 };
typedef struct sql_grid_module { /* the same for a table whose rows come from a report (grids.c) */
    sql_session *session;
    size_t grid;
} sql_grid_module;

struct sql_session {
    const sql_api *api;
    sql_data data;
    sqlite3 *db;
    sql_module modules[SQL_TABLE_COUNT];
    sql_grid_module grids[SQL_GRID_MOST];
    bool declaring;     /* SQLite is parsing one of our own declarations */
    bool parameters;    /* the statement reads nodes.parameters */
    const char *text;   /* the query */
    tfp_report *answer; /* the query's report, which gets the notes of reports whose rows it reads */
    /* set by the guard, sql/guard.h */
    tfp_progress_fn progress;
    void *progress_ctx;
    double seconds;           /* 0: no limit */
    const tfp_options *asked; /* of the query: its range and lines are those of tables whose rows come from a report */
    int64_t started_ns;
    int64_t memory_before;
    uint64_t ticks;
    tfp_status stopped; /* why a query was stopped */
};

/* Registers all tables with the session's connection; returns SQLite's result code. */
int sql_vtab_register(sql_session *s);

#endif
