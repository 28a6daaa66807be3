// SPDX-License-Identifier: Apache-2.0
/* watch/tables.c: the columns of watch's tables, made from tables.def, and rows to and from batches. */
#include "watch/tables.h"

#include <math.h>

#define TABLE(table, help) static const tfp_table_column table[] = {
#define COLUMN(title, kind, measure, meaning)                                                                          \
    { .name = #title,                                                                                                  \
      .type = TFP_CELL_##kind,                                                                                         \
      .unit = TFP_##measure,                                                                                           \
      .offset = offsetof(STRUCT, title),                                                                               \
      .help = meaning },
#define END(table)                                                                                                     \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }                                                                                                                  \
    }                                                                                                                  \
    ;
#include "watch/tables.def"

#define ROW(row, table, help) { #table, help, table, sizeof table / sizeof *table - 1, sizeof(row) },
#define TABLE(table, help) ROW(STRUCT, table, help)
#define COLUMN(title, kind, measure, meaning)
#define END(table)
const tfp_watch_schema tfp_watch_tables[TFP_WATCH_TABLES] = {
#include "watch/tables.def"
};

tfp_watch_table_id tfp_watch_find(tfp_str name)
{
    int i = 0;
    while (i < TFP_WATCH_TABLES && !tfp_str_eq(name, tfp_str_of(tfp_watch_tables[i].name))) i++;
    return (tfp_watch_table_id)i;
}

void tfp_watch_clear(tfp_watch_table_id table, void *row)
{
    const double unknown = NAN;
    const int64_t absent = TFP_ABSENT;
    const tfp_str none = { NULL, 0 };
    for (const tfp_table_column *c = tfp_watch_tables[table].columns; c->name; c++) {
        char *field = (char *)row + c->offset;
        if (c->type == TFP_CELL_TEXT)
            memcpy(field, &none, sizeof none);
        else if (c->type == TFP_CELL_REAL)
            memcpy(field, &unknown, sizeof unknown);
        else
            memcpy(field, &absent, sizeof absent);
    }
}

void tfp_watch_put(tfp_batch *b, tfp_watch_table_id table, const void *row)
{
    for (const tfp_table_column *c = tfp_watch_tables[table].columns; c->name; c++) {
        const char *field = (const char *)row + c->offset;
        int64_t number;
        double real;
        tfp_str text;
        if (c->type == TFP_CELL_TEXT) {
            memcpy(&text, field, sizeof text);
            tfp_batch_text(b, text);
        } else if (c->type == TFP_CELL_REAL) {
            memcpy(&real, field, sizeof real);
            tfp_batch_real(b, real);
        } else {
            memcpy(&number, field, sizeof number);
            tfp_batch_int_if(b, number != TFP_ABSENT, number);
        }
    }
}

void tfp_watch_take(const tfp_batch *b, tfp_watch_table_id table, size_t at, void *row)
{
    tfp_watch_clear(table, row);
    for (size_t i = 0; i < b->column_count; i++) {
        const tfp_table_column *from = &b->columns[i];
        char *field = (char *)row + tfp_watch_tables[table].columns[i].offset;
        if (tfp_cell_absent(from, at)) continue;
        if (from->type == TFP_CELL_TEXT) {
            tfp_str text = tfp_cell_text(b, from->cells[at]);
            memcpy(field, &text, sizeof text);
        } else {
            memcpy(field, &from->cells[at], sizeof(uint64_t));
        }
    }
}
