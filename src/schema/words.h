// SPDX-License-Identifier: Apache-2.0
/* schema/words.h: the words of the lists of columns; each list includes it first, and schema/end.h last. A list is:
 *
 *     #define STRUCT tfp_flow
 *     BEGIN("a link between spans")
 *         REF(from, SPANS, "its start")        a row of the table spans
 *         REF(to, SPANS, "its end")
 *         ENUM(tfp_flow_kind, kind, TFP_FLOW_OTHER + 1, "its kind")
 *     END
 *     #undef STRUCT
 *
 * Included plainly, a list declares its structs. An includer that wants something else of it defines BEGIN(help), END and
 * COLUMN, which all stored columns are: type, name, rule with its argument (schema.h), whether its numbers are stored
 * relative to the column before, help. Beside them stand fields that no file needs: MEMORY_ONLY(type, name, help),
 * HEADS(prefix, table), the first and the last row of a chain, and NEXT, the next row of a chain.
 *
 * For SQL a column has, after its help, SQL(at, name), or SQL_US(at, name) for nanoseconds that are shown as
 * microseconds; `at` is its number among the columns of the table in SQL. Columns of SQL that are no fields are
 * KEY(at, name, help), the number of the row, PROFILE(at), the profile's name, OWNER(at, name, table, help), the row
 * that has this one in its chain, and COMPUTED(at, name, type, function, help) by a function of sql/cells.c. */
#ifndef COLUMN
#define SCHEMA_STRUCTS
#define STRUCT_OF(row) typedef struct row {
#define END_OF(row)                                                                                                    \
    }                                                                                                                  \
    row;
#define BEGIN(help) STRUCT_OF(STRUCT)
#define END END_OF(STRUCT)
#define COLUMN(type, name, rule, arg, beside, ...) type name;
#define MEMORY_ONLY(type, name, ...) type name;
#define HEADS(prefix, table) uint32_t prefix##_first, prefix##_last;
#define NEXT uint32_t next;
#endif
#define ANY(type, name, ...) COLUMN(type, name, ANY, 0, false, __VA_ARGS__)
#define NATURAL(name, ...) COLUMN(int64_t, name, NOT_NEGATIVE, 0, false, __VA_ARGS__)
#define BESIDE(name, ...) COLUMN(int64_t, name, ANY, 0, true, __VA_ARGS__)
#define BOOL(name, ...) COLUMN(bool, name, BELOW, 2, false, __VA_ARGS__)
#define ENUM(type, name, limit, ...) COLUMN(type, name, BELOW, limit, false, __VA_ARGS__)
#define STRING(name, ...) COLUMN(tfp_strid, name, STRING, 0, false, __VA_ARGS__)
#define REF(name, table, ...) COLUMN(uint32_t, name, ROW, TFP_TABLE_##table, false, __VA_ARGS__)
#define REF_OR_NONE(name, table, ...) COLUMN(uint32_t, name, ROW_OR_NONE, TFP_TABLE_##table, false, __VA_ARGS__)
/* The first of several rows; the next column has their number. */
#define FIRST(name, table, ...) COLUMN(uint32_t, name, RANGE, TFP_TABLE_##table, false, __VA_ARGS__)
#define TEXT(type, name, ...) COLUMN(type, name, TEXT, 0, false, __VA_ARGS__)
#define TEXT_OR_NULL(type, name, ...) COLUMN(type, name, TEXT_OR_NULL, 0, false, __VA_ARGS__)
#ifndef MEMORY_ONLY
#define MEMORY_ONLY(type, name, ...)
#define HEADS(prefix, table)
#define NEXT
#endif
#ifndef READ
#define READ(column) column
#endif
#ifndef RARE
#define RARE(column) column
#endif
#ifndef JOIN
#define JOIN(column) column
#endif
#ifndef COMPUTED
#define SCHEMA_NO_SQL
#define KEY(at, name, help)
#define PROFILE(at)
#define OWNER(at, name, table, help)
#define COMPUTED(at, name, type, function, help)
#endif
