// SPDX-License-Identifier: Apache-2.0
/* base/source.h: random access to bytes: a regular file read piece by piece, or memory. For formats that are read on
 * demand. */
#ifndef TFP_SOURCE_H
#define TFP_SOURCE_H

#include "base/base.h"

typedef struct tfp_source {
    const char *data; /* NULL: the bytes are in the file */
    int fd;
    uint64_t size;
} tfp_source;

/* Opens regular files only (never waits for a FIFO). Errors are without the path. */
tfp_status tfp_source_open(tfp_source *s, const char *path, tfp_error *err);
/* Borrows bytes in memory. */
tfp_source tfp_source_memory(tfp_str bytes);
/* Copies `size` bytes from `offset` on. TFP_BADFILE when the source ends earlier. Threads may read concurrently. */
tfp_status tfp_source_read(const tfp_source *s, uint64_t offset, void *to, size_t size, tfp_error *err);
void tfp_source_close(tfp_source *s); /* a zeroed one is fine */

#endif
