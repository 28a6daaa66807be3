// SPDX-License-Identifier: Apache-2.0
/* fleet/tables.h: the fleet's tables, to which each trace adds rows: one list of columns for Parquet, Arrow, SQL and the
 * documentation. Times are microseconds, sizes bytes; unknown values are absent. */
#ifndef TFP_FLEET_TABLES_H
#define TFP_FLEET_TABLES_H

#include "outputs/data/batch.h"

typedef enum tfp_fleet_table_id {
    TFP_FLEET_RUNS,
    TFP_FLEET_STEPS,
    TFP_FLEET_STEP_DEVICES,
    TFP_FLEET_OPS,
    TFP_FLEET_MODULES,
    TFP_FLEET_LINES,
    TFP_FLEET_KERNELS,
    TFP_FLEET_COLLECTIVES,
    TFP_FLEET_TRANSFERS,
    TFP_FLEET_MEMORY_PEAKS,
    TFP_FLEET_FINDINGS,
    TFP_FLEET_LIMITS,
    TFP_FLEET_FAILURES,
    TFP_FLEET_TABLES
} tfp_fleet_table_id;

typedef struct tfp_fleet_schema {
    const char *name, *help;
    const tfp_table_column *columns;
    size_t count;
} tfp_fleet_schema;
extern const tfp_fleet_schema tfp_fleet_tables[TFP_FLEET_TABLES];

#define TFP_FLEET_BIT(table) (1u << (table))
#define TFP_FLEET_ALL ((1u << TFP_FLEET_TABLES) - 1)
/* The tables that an index has unless others are asked for: limits are computed only then. */
#define TFP_FLEET_USUAL (TFP_FLEET_ALL & ~TFP_FLEET_BIT(TFP_FLEET_LIMITS))

/* The table with that name; TFP_FLEET_TABLES: none. */
tfp_fleet_table_id tfp_fleet_find(tfp_str name);
/* Makes an empty batch with the table's columns; false: out of memory. */
bool tfp_fleet_batch(tfp_batch *b, tfp_fleet_table_id table, tfp_texts *texts);

#endif
