// SPDX-License-Identifier: Apache-2.0
/* outputs/core/rows.h: many rows of text, formatted by several threads and written in order. */
#ifndef TFP_ROWS_H
#define TFP_ROWS_H

#include "base/io.h"

/* Writes rows 0 .. count - 1, about `bytes` bytes in all: `write` appends the text of rows first .. end - 1. With many
 * rows several threads call it in parallel, for parts of them; only this thread calls the sink's function. */
void tfp_rows_write(tfp_sink *s, size_t count, size_t bytes,
                    void (*write)(const void *ctx, size_t first, size_t end, tfp_buf *out), const void *ctx);

#endif
