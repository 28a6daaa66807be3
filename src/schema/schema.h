// SPDX-License-Identifier: Apache-2.0
/* schema/schema.h: the tables and columns of the model as data, for code that handles all of them alike: freeing,
 * measuring, appending, storing. The lists are schema/model.def (tables) and the other files of this folder (columns);
 * model/schema.c makes the data of them. */
#ifndef TFP_SCHEMA_H
#define TFP_SCHEMA_H

#include "base/base.h"
#include "schema/reads.h"

/* The tables, by their numbers in stored files. */
typedef enum tfp_table_id {
#define ONE(id, ...) TFP_TABLE_##id,
#define ROWS(id, ...) TFP_TABLE_##id,
#define LIST(id, ...) TFP_TABLE_##id,
#define VALUES(id, ...) TFP_TABLE_##id,
#define ARRAYS(id, ...) TFP_TABLE_##id,
#define MADE(id, ...) TFP_TABLE_##id,
#include "schema/model.def"
    TFP_TABLES
} tfp_table_id;

/* The rule for the numbers of a column. A stored number that breaks it ends the reading. */
typedef enum tfp_rule {
    TFP_RULE_ANY,
    TFP_RULE_BELOW,        /* less than `arg` */
    TFP_RULE_NOT_NEGATIVE, /* 64 bits */
    TFP_RULE_STRING,       /* a tfp_strid */
    TFP_RULE_ROW,          /* a row of the table `arg` */
    TFP_RULE_ROW_OR_NONE,  /* the same, or TFP_NONE; TFP_NONE is read when that table is not kept */
    TFP_RULE_RANGE,        /* the first of several rows of the table `arg`; the next word of the row has their number */
    /* texts, whose width is 0 */
    TFP_RULE_TEXT,         /* char *, ended by NUL */
    TFP_RULE_TEXT_OR_NULL, /* the same, or NULL */
    TFP_RULE_BYTES         /* tfp_str */
} tfp_rule;

typedef struct tfp_schema_column {
    const char *name; /* NULL: the end of the list */
    size_t at; /* offset in the row; for TFP_FORM_ARRAYS: offset of the pointer to the column's array, in its struct */
    size_t width;
    tfp_rule rule;
    uint32_t arg;
    bool beside; /* similar to the previous column, which has 8-byte numbers too, so the differences may be smaller */
    const char *help;
} tfp_schema_column;

typedef enum tfp_table_form {
    TFP_FORM_ROWS,   /* a growable array of rows */
    TFP_FORM_ARRAYS, /* an array for each column */
    TFP_FORM_ONE     /* the struct itself: one row */
} tfp_table_form;

/* Rows that an owner chains by `next`: a file stores the owner of each row, and reading rebuilds the chains. */
typedef struct tfp_schema_chain {
    tfp_table_id owner;
    size_t first, last, next; /* offsets: in the owner's row, and in the row itself */
    bool there;
} tfp_schema_chain;

#define TFP_PART_NONE SIZE_MAX /* the table exists in files only */
typedef struct tfp_schema_table {
    const char *name;
    tfp_table_form form;
    size_t part;     /* offset in the profile of the pointer to the part that has the table */
    size_t at, item; /* offset there; bytes of a row */
    const tfp_schema_column *columns;
    size_t column_count;
    unsigned keep; /* TFP_READS_...: kept only if one of these is set; 0: always. See tfp_store_wants_program, too */
    tfp_schema_chain chain;
    const char *help;
} tfp_schema_table;
extern const tfp_schema_table tfp_schema_tables[TFP_TABLES];

/* A growable array or a struct of arrays as every one of them begins. It may alias them: for the compiler each TFP_VEC
 * is a type of its own. */
typedef struct __attribute__((may_alias)) tfp_rows {
    void *at;
    size_t size, capacity;
} tfp_rows;

/* The address of a table; NULL if the profile lacks the part: the program. */
void *tfp_table_at(const tfp_schema_table *t, const tfp_profile *p);
bool tfp_table_is_of_program(const tfp_schema_table *t);
size_t tfp_table_count(const tfp_schema_table *t, const void *at); /* rows; 0 for NULL */
size_t tfp_table_row_bytes(const tfp_schema_table *t);             /* bytes of a row, with its owner if it is chained */

/* All tables and maps of a profile, of which some may be missing. */
size_t tfp_tables_memory(const tfp_profile *p); /* bytes in use: memory that was never touched takes no room */
void tfp_tables_clear(tfp_profile *p);          /* empties them, except the spans */
void tfp_tables_free(tfp_profile *p);

#endif
