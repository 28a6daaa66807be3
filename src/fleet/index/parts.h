// SPDX-License-Identifier: Apache-2.0
/* fleet/index/parts.h: the names of the parts of a table. */
#ifndef TFP_FLEET_PARTS_H
#define TFP_FLEET_PARTS_H

#include "fleet/tables.h"

typedef TFP_VEC(char *) tfp_part_names;

/* The names in OUT/TABLE that end with .parquet, sorted; none when there is no such folder. */
tfp_status tfp_part_names_read(tfp_part_names *names, const char *out, const char *table, tfp_error *err);
/* The columns of a table, and the function that takes its rows. */
typedef struct tfp_part_columns {
    tfp_fleet_table_id table;
    const char *name; /* of a table that is no fleet table; NULL: `table` */
    const tfp_table_column *columns;
    size_t count;
    tfp_status (*take)(void *ctx, tfp_batch *b, tfp_error *err);
} tfp_part_columns;
/* Reads all parts of the table in the folder `out`. */
tfp_status tfp_parts_each(const char *out, const tfp_part_columns *x, void *ctx, tfp_error *err);
void tfp_part_names_free(tfp_part_names *names);

#endif
