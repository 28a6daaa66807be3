// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow_batch.h: rows of a batch as an array of the Arrow C data interface. */
#ifndef TFP_ARROW_BATCH_H
#define TFP_ARROW_BATCH_H

#include "outputs/data/arrow_parts.h"

/* Copies rows from *row on, at most `rows_most`, and moves *row past them; an array also ends with the row at which a text column reaches
 * `text_most` bytes, because offsets have 32 bits. On failure *out is a released array. TFP_LIMIT: a text is too long for Arrow. */
tfp_status tfp_arrow_of_batch(const tfp_batch *b, size_t *row, size_t rows_most, size_t text_most,
                              struct ArrowArray *out, tfp_error *err);

#endif
