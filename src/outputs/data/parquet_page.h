// SPDX-License-Identifier: Apache-2.0
/* outputs/data/parquet_page.h: reads the pages of a Parquet column as cells. */
#ifndef TFP_PARQUET_PAGE_H
#define TFP_PARQUET_PAGE_H

#include "outputs/data/parquet_read.h"

typedef struct tfp_parquet_cells {
    tfp_cell_type type;
    tfp_texts *texts;
    bool optional;
    size_t count;    /* expected number of cells */
    uint64_t *cells; /* cells to fill */
    uint8_t *absent; /* flags to fill */
} tfp_parquet_cells;

/* Reads all pages of a column from its bytes. Errors: TFP_BADFILE damaged, or a compression or encoding that is not
 * known; TFP_NOMEM. */
tfp_status tfp_parquet_cells_read(tfp_parquet_cells *c, int codec, tfp_str bytes, tfp_error *err);

#endif
