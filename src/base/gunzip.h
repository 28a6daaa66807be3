// SPDX-License-Identifier: Apache-2.0
/* base/gunzip.h: gzip data unpacked, as a whole or piece by piece. For base/input.c; others read through a tfp_input. */
#ifndef TFP_GUNZIP_H
#define TFP_GUNZIP_H

#include "base/base.h"

bool tfp_is_gzip(tfp_str start);

/* Whether gzip data of that size, whose last four bytes are `trailer`, are too big to be unpacked as a whole. The trailer
 * is what the file says of itself: false says nothing. */
bool tfp_gzip_is_big(uint64_t packed, const unsigned char trailer[4]);

/* All of it, up to TFP_STREAM_LIMIT. *cut: the data end in a member, and `out` has what came before. *big: TFP_LIMIT is
 * returned because of that limit, and piece by piece the data can be read. */
tfp_status tfp_gunzip_whole(tfp_str packed, tfp_buf *out, bool *cut, bool *big, tfp_error *err);

/* What the beginning of gzip data unpacks to, at most out->capacity bytes. *ended: it was all. */
tfp_status tfp_gunzip_head(tfp_str packed, tfp_buf *out, bool *ended, tfp_error *err);

/* Piece by piece, with a window of 32 KB and nothing else held of what is unpacked. */
typedef struct tfp_gunzip tfp_gunzip;
/* Of a file's descriptor, which stays the caller's, from its beginning; or of bytes in memory (fd -1), borrowed. NULL
 * without memory. */
tfp_gunzip *tfp_gunzip_start(int fd, tfp_str packed);
/* The next bytes, as many as there is room for; *got is less at the end only. Refuses data that are hardly anything but
 * repetition. */
tfp_status tfp_gunzip_read(tfp_gunzip *g, char *to, size_t room, size_t *got, tfp_error *err);
bool tfp_gunzip_was_cut(const tfp_gunzip *g);               /* at the end: the data ended in a member */
tfp_status tfp_gunzip_again(tfp_gunzip *g, tfp_error *err); /* goes back to the beginning */
void tfp_gunzip_free(tfp_gunzip *g);

#endif
