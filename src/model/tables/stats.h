// SPDX-License-Identifier: Apache-2.0
/* model/tables/stats.h: stats of spans: keys with values, in sets that are stored once. */
#ifndef TFP_TABLES_STATS_H
#define TFP_TABLES_STATS_H

#include "model/tables/types.h"

/* A stat is a key and a value; equal sets of stats are stored once. */
typedef enum tfp_stat_type { TFP_STAT_INT, TFP_STAT_REAL, TFP_STAT_TEXT } tfp_stat_type;
typedef union tfp_stat_value {
    int64_t number;
    double real;
    uint64_t text; /* a tfp_strid */
} tfp_stat_value;

#include "schema/traces/stats.def"

/* The stat of a span with that key and type, or NULL. TFP_NONE is no span's key. */
const tfp_stat *tfp_typed_stat(const tfp_event_tables *t, uint32_t span, tfp_strid key, tfp_stat_type type);

#endif
