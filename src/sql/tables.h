// SPDX-License-Identifier: Apache-2.0
/* sql/tables.h: the tables that queries see: one row for each table, one for each of its columns. Queries read the
 * profile's own arrays; nothing is copied. Row numbers continue from profile to profile, so that a number identifies
 * one row among all profiles, and joins need not compare the profile. */
#ifndef TFP_SQL_TABLES_H
#define TFP_SQL_TABLES_H

#include "model/tables/types.h"
#include "schema/schema.h"

typedef struct tfp_parameter_counts tfp_parameter_counts; /* flops/core/parameters.h */

typedef enum sql_table_id {
    SQL_PROFILES,
    SQL_NODES,
    SQL_TYPES,
    SQL_EDGES,
    SQL_OUTPUTS,
    SQL_STEPS,
    SQL_EXECUTIONS,
    SQL_SPANS,
    SQL_MEMORY,
    SQL_BUFFERS,
    SQL_ALLOCATIONS,
    SQL_TRACES,
    SQL_CODE,
    SQL_PROCESSES,
    SQL_LANES,
    SQL_SPAN_ARGS,
    SQL_COUNTERS,
    SQL_COLUMNS,
    SQL_TABLE_COUNT
} sql_table_id;

/* One of the profiles that a query reads. */
typedef struct sql_source {
    const tfp_profile *p;
    tfp_str name;
    const tfp_parameter_counts *parameters; /* counted by variables; NULL: elements of the attribute shape */
    uint32_t base[SQL_TABLE_COUNT];         /* the number of its first row */
    uint32_t *owners[SQL_TABLE_COUNT];      /* the row that owns each row; made at first use */
    uint32_t *args;                         /* by span of a trace: its first row of span_args; one more at the end */
} sql_source;

typedef struct sql_index { /* rows by the hash of a column's cell */
    uint32_t *start;       /* by hash & mask: indexes into rows; one more at the end */
    uint32_t *rows, mask;
} sql_index;

enum { SQL_COLUMN_MOST = 24 }; /* columns of a table, with the end of the list */

typedef struct sql_data {
    sql_source *sources;
    size_t count;
    uint32_t rows[SQL_TABLE_COUNT]; /* of all profiles */
    sql_index indexes[SQL_TABLE_COUNT][SQL_COLUMN_MOST];
    tfp_arena arena; /* the indexes and owners */
} sql_data;

typedef struct sql_cell {
    char type; /* 'i', 'r', 's', or 0: NULL */
    bool made; /* the text is in the given buffer, not in the profile */
    int64_t i;
    double r;
    tfp_str s;
} sql_cell;

typedef struct sql_row {
    const sql_data *d;
    const sql_source *in;
    uint32_t at; /* in the profile's own array */
} sql_row;

typedef enum sql_kind {
    SQL_KEY,     /* the row's number */
    SQL_OWNER,   /* the number of the row that it belongs to */
    SQL_PROFILE, /* the profile's name */
    SQL_INT64,   /* a field of the row */
    SQL_MICROS,  /* a field in nanoseconds */
    SQL_REAL,
    SQL_INT32,
    SQL_BYTE,
    SQL_INDEX, /* a field: the number of a row of another table, TFP_NONE is NULL */
    SQL_TEXT,  /* a field: a string, the empty one is NULL */
    SQL_MADE   /* by a function */
} sql_kind;

typedef struct sql_column {
    const char *name;
    char type; /* 'i', 'r', 's', or 'v': a cell has the type of its value */
    sql_kind kind;
    size_t at;        /* of the field */
    sql_table_id row; /* the meaning of the number */
    void (*make)(const sql_row *row, tfp_buf *text, sql_cell *out);
    const char *help;
} sql_column;

#define SQL_COMPUTED TFP_TABLES /* sql_table.model: the rows are no table of the model */

typedef struct sql_table {
    const char *name;
    tfp_table_id model; /* whose rows these are */
    int owner;          /* the table whose rows own those of this one, by a chain or a range of the model, or -1 */
    const char *help;
    const sql_column *columns; /* ended by a NULL name */
} sql_table;
extern const sql_table sql_tables[SQL_TABLE_COUNT];

/* Numbers the rows of all profiles. Errors: TFP_LIMIT more than fit into 32 bits; TFP_NOMEM. */
tfp_status sql_data_start(sql_data *d, const tfp_profile *const *p, const char *const *names, size_t count,
                          tfp_error *err);
void sql_data_end(sql_data *d);

bool sql_data_own(sql_data *d, sql_table_id table); /* prepares what SQL_OWNER columns need; false if memory is out */
const sql_index *sql_data_index(sql_data *d, sql_table_id table, int column); /* NULL without memory */
uint64_t sql_hash(const sql_cell *c);

/* Row `number` of a table. False for a row without an owner (a repeated execution), which is left out. */
bool sql_find(const sql_data *d, sql_table_id table, uint32_t number, sql_row *out);
void sql_read(const sql_row *row, sql_table_id table, const sql_column *c, tfp_buf *text, sql_cell *out);

#endif
