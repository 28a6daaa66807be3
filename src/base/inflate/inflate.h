// SPDX-License-Identifier: Apache-2.0
/* base/inflate/inflate.h: unpacks one member of gzip data piece by piece, and checks its sum: by zlib (zlib.c), or by ISA-L where the
 * build has it (isal.c), which is three times as fast. */
#ifndef TFP_INFLATE_H
#define TFP_INFLATE_H

#include "base/base.h"

typedef enum tfp_inflated {
    TFP_INFLATE_MORE, /* the member goes on */
    TFP_INFLATE_END,
    TFP_INFLATE_DAMAGED,
    TFP_INFLATE_NOMEM
} tfp_inflated;

typedef struct tfp_inflate tfp_inflate;
tfp_inflate *tfp_inflate_new(void);     /* NULL when memory runs out */
bool tfp_inflate_reset(tfp_inflate *z); /* for the next member; false: out of memory */
/* Takes bytes off the beginning of `in` and writes at most `room` bytes; *got: how many. */
tfp_inflated tfp_inflate_some(tfp_inflate *z, tfp_str *in, char *to, size_t room, size_t *got);
void tfp_inflate_free(tfp_inflate *z);

#endif
