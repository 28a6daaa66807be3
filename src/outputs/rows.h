// SPDX-License-Identifier: Apache-2.0
/* outputs/rows.h: many rows of text, formatted by several threads and written in order. */
#ifndef TFP_ROWS_H
#define TFP_ROWS_H

#include "base/io.h"

/* Writes the rows 0 .. count - 1, of some `bytes` in all: `write` appends the text of the rows first .. end - 1. With many
 * rows it is called for parts of them, by several threads at a time; the sink's function is called by this thread only. */
void tfp_rows_write(tfp_sink *s, size_t count, size_t bytes,
                    void (*write)(const void *ctx, size_t first, size_t end, tfp_buf *out), const void *ctx);

#endif
