// SPDX-License-Identifier: Apache-2.0
/* base/gunzip.h: unpacks gzip data, as a whole or piece by piece. For base/input.c; other rooms read through a
 * tfp_input. */
#ifndef TFP_GUNZIP_H
#define TFP_GUNZIP_H

#include "base/base.h"

bool tfp_is_gzip(tfp_str start);

/* Whether gzip data of that size, whose last four bytes are `trailer`, are too big to unpack as a whole. The trailer is
 * the file's own claim, so false may be wrong. */
bool tfp_gzip_is_big(uint64_t packed, const unsigned char trailer[4]);

/* Unpacks everything, up to TFP_STREAM_LIMIT. *cut: the data end inside a member; `out` has everything before. *big:
 * the result is TFP_LIMIT because of that limit, and the data can be read piece by piece instead. */
tfp_status tfp_gunzip_whole(tfp_str packed, tfp_buf *out, bool *cut, bool *big, tfp_error *err);

/* Unpacks the beginning of gzip data, at most out->capacity bytes. *ended: that was everything. */
tfp_status tfp_gunzip_head(tfp_str packed, tfp_buf *out, bool *ended, tfp_error *err);

/* Unpacks piece by piece; only a window of 32 KB of the output is kept. */
typedef struct tfp_gunzip tfp_gunzip;
/* Starts at the beginning of a file's descriptor, which stays the caller's, or of borrowed bytes in memory (fd -1).
 * NULL when memory runs out. */
tfp_gunzip *tfp_gunzip_start(int fd, tfp_str packed);
/* Reads the next bytes, as many as fit; *got is less only at the end. Refuses data that are almost nothing but
 * repetition. */
tfp_status tfp_gunzip_read(tfp_gunzip *g, char *to, size_t room, size_t *got, tfp_error *err);
bool tfp_gunzip_was_cut(const tfp_gunzip *g);               /* at the end: the data ended in a member */
tfp_status tfp_gunzip_again(tfp_gunzip *g, tfp_error *err); /* goes back to the beginning */
void tfp_gunzip_free(tfp_gunzip *g);

#endif
