// SPDX-License-Identifier: Apache-2.0
/* sql/tables.c: the tables of queries, with the columns that the lists of schema/ and computed.def show; the table
 * `columns` lists them. */
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/runs.h"
#include "sql/cells.h"
#include "sql/grids.h"
#include "sql/near.h"

/* clang-format off */

/* The table in SQL of a table of the model. */
#define SQL_OF(id) ((id) == TFP_TABLE_NODES ? SQL_NODES : (id) == TFP_TABLE_EXECS ? SQL_EXECUTIONS : (id) == TFP_TABLE_MEMORIES ? SQL_MEMORY : \
                    (id) == TFP_TABLE_TRACES ? SQL_TRACES : SQL_PROCESSES)
#define KIND_OF(type, rule) ((rule) == TFP_RULE_STRING ? SQL_TEXT : (rule) == TFP_RULE_ROW || (rule) == TFP_RULE_ROW_OR_NONE ? SQL_INDEX : \
                             _Generic((type){ 0 }, double: SQL_REAL, default: sizeof(type) == 8 ? SQL_INT64 : sizeof(type) == 4 ? SQL_INT32 : SQL_BYTE))
#define TYPE_OF(kind) ((kind) == SQL_TEXT ? 's' : (kind) == SQL_REAL ? 'r' : 'i')

/* A column of the model is a column of SQL where SQL(at, name) follows its help: CELL, otherwise NO_CELL. */
#define CELL(at, name, field, kind, arg, help) [at] = { name, TYPE_OF(kind), kind, offsetof(STRUCT, field), SQL_OF(arg), NULL, help },
#define NO_CELL(...)
#define AS_SQL(at, name) CELL, at, name, SAME
#define AS_SQL_US(at, name) CELL, at, name, IN_MICROS
#define AS_HIDDEN NO_CELL, 0, 0, SAME
#define SAME(kind) kind
#define IN_MICROS(kind) SQL_MICROS
#define HELP_OF(help, ...) help
#define SHOWN_OF(help, shown, ...) shown
#define SHOW(shown, ...) SHOW_AS(shown, __VA_ARGS__)
#define SHOW_AS(shown, ...) SHOW_CELL(AS_##shown, __VA_ARGS__)
#define SHOW_CELL(...) PUT_CELL(__VA_ARGS__)
#define PUT_CELL(cell, at, name, unit, field, kind, arg, help) cell(at, name, field, unit(kind), arg, help)

#define COLUMN(type, name, rule, arg, beside, ...) \
    SHOW(SHOWN_OF(__VA_ARGS__, HIDDEN, 0), name, KIND_OF(type, TFP_RULE_##rule), arg, HELP_OF(__VA_ARGS__, 0))
#define KEY(at, name, help) [at] = { name, 'i', SQL_KEY, 0, 0, NULL, help },
#define PROFILE(at) [at] = { "profile", 's', SQL_PROFILE, 0, 0, NULL, "the profile it is in: the file's name" },
#define OWNER(at, name, table, help) [at] = { name, 'i', SQL_OWNER, 0, SQL_OF(TFP_TABLE_##table), NULL, help },
#define COMPUTED(at, name, type, function, help) [at] = { name, type, SQL_MADE, 0, 0, sql_##function, help },

#define COLUMNS_OF(row) columns_of_##row
#define COLUMNS_OF_STRUCT(row) COLUMNS_OF(row)
/* Lists without a column for SQL make arrays that no table uses. */
#define BEGIN(help) __attribute__((unused)) static const sql_column COLUMNS_OF_STRUCT(STRUCT)[SQL_COLUMN_MOST] = { [SQL_COLUMN_MOST - 1] = { 0 },
#define END };
#include "sql/columns.h"

const sql_table sql_tables[SQL_TABLE_COUNT] = {
    [SQL_PROFILES] = { "profiles", SQL_COMPUTED, -1, "the files", columns_of_sql_profile },
    [SQL_NODES] = { "nodes", TFP_TABLE_NODES, -1, "the nodes of the graph", columns_of_tfp_node },
    [SQL_TYPES] = { "types", TFP_TABLE_TYPES, SQL_NODES, "the types of nodes; a node may have several", columns_of_tfp_type },
    [SQL_EDGES] = { "edges", TFP_TABLE_INPUTS, SQL_NODES, "which node takes which output of which node", columns_of_tfp_input_edge },
    [SQL_OUTPUTS] = { "outputs", TFP_TABLE_OUTPUTS, SQL_NODES, "the shapes of the nodes' outputs", columns_of_tfp_output },
    [SQL_STEPS] = { "steps", TFP_TABLE_STEPS, -1, "the steps that were recorded", columns_of_tfp_step },
    [SQL_EXECUTIONS] = { "executions", TFP_TABLE_EXECS, SQL_NODES, "a row for each node and step in which it ran", columns_of_tfp_exec },
    [SQL_SPANS] = { "spans", TFP_TABLE_RUN_SPANS, SQL_EXECUTIONS, "what ran where and when: executions, and the events of traces", columns_of_sql_span },
    [SQL_MEMORY] = { "memory", TFP_TABLE_MEMORIES, SQL_EXECUTIONS, "the memory of each run", columns_of_tfp_memory },
    [SQL_BUFFERS] = { "buffers", TFP_TABLE_BUFFERS, SQL_MEMORY, "the outputs of each run", columns_of_tfp_buffer },
    [SQL_ALLOCATIONS] = { "allocations", TFP_TABLE_ALLOCATIONS, SQL_EXECUTIONS, "allocations and frees, in order", columns_of_tfp_allocation },
    [SQL_TRACES] = { "traces", TFP_TABLE_TRACES, -1, "how nodes were made", columns_of_tfp_trace },
    [SQL_CODE] = { "code", TFP_TABLE_TRACE_FRAMES, SQL_TRACES, "the lines of code that made nodes", columns_of_sql_code },
    [SQL_PROCESSES] = { "processes", TFP_TABLE_PROCESSES, -1, "the processes of traces", columns_of_tfp_process },
    [SQL_LANES] = { "lanes", TFP_TABLE_LANES, -1, "devices, streams and threads", columns_of_tfp_lane },
    [SQL_SPAN_ARGS] = { "span_args", SQL_COMPUTED, -1, "the arguments of spans in traces", columns_of_sql_arg },
    [SQL_COUNTERS] = { "counters", TFP_TABLE_COUNTERS, -1, "counters over time", columns_of_tfp_counter_sample },
    [SQL_COLUMNS] = { "columns", SQL_COMPUTED, -1, "all tables and their columns", columns_of_sql_about },
};
/* clang-format on */

typedef struct place {
    const char *table, *name, *type, *help;
} place;

/* Column `at`, numbered through all tables, those of grids.c last; no table past the end. */
static place column_at(uint32_t at)
{
    const char *table = NULL;
    tfp_table_column more = { .name = "", .help = "" };
    for (const sql_table *t = sql_tables; t < sql_tables + SQL_TABLE_COUNT; t++)
        for (const sql_column *c = t->columns; c->name; c++)
            if (!at--) return (place){ t->name, c->name, sql_type_name(c->type), c->help };
    bool there = sql_grid_column_at(at, &table, &more);
    return (place){ there ? table : NULL, more.name, sql_type_name((char)more.type), more.help };
}

const char *sql_column_at(uint32_t i, const char **table)
{
    place found = column_at(i);
    *table = found.table;
    return found.name;
}

void sql_columns_table(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, column_at(row->at).table);
}

void sql_columns_name(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, column_at(row->at).name);
}

void sql_columns_type(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, column_at(row->at).type);
}

void sql_columns_help(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, column_at(row->at).help);
}
