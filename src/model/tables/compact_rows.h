// SPDX-License-Identifier: Apache-2.0
/* model/tables/compact_rows.h: how the rows of compact lanes are stored. Only the store knows it (tools/sizes.py): tables/compact.c and
 * model/trace/. */
#ifndef TFP_COMPACT_ROWS_H
#define TFP_COMPACT_ROWS_H

#include "base/base.h"

#define TFP_COMPACT_LONG UINT32_MAX
typedef struct tfp_compact_row {
    uint32_t start;    /* ns after the block's base */
    uint32_t duration; /* ns; TFP_COMPACT_LONG: `rest` is an index in longs */
    uint32_t rest;     /* in a nested lane the self time, otherwise the correlation */
    uint32_t kind;     /* index in kinds */
} tfp_compact_row;
typedef struct tfp_compact_long { /* a span of more than four seconds */
    int64_t duration_ns;
    int64_t self_ns;
    uint32_t correlation;
} tfp_compact_long;
typedef struct tfp_compact_block {
    struct tfp_compact_block *next;
    int64_t base_ns;
    uint32_t size, capacity;
    tfp_compact_row rows[];
} tfp_compact_block;

#endif
