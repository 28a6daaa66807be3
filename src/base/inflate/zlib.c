// SPDX-License-Identifier: Apache-2.0
/* base/inflate/zlib.c: unpacks by zlib. */
#include "base/inflate/inflate.h"

#define ZLIB_CONST /* makes zlib declare its input as const */
#include <zlib.h>

struct tfp_inflate {
    z_stream stream;
};

tfp_inflate *tfp_inflate_new(void)
{
    tfp_inflate *z = calloc(1, sizeof *z);
    if (!z) return NULL;
    int rc = inflateInit2(&z->stream, 15 + 16);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    if (rc == Z_OK)
        rc = inflateValidate(&z->stream, 0); /* a build for fuzzing ignores checksums, as in tfp_checksum_fits */
#endif
    if (rc == Z_OK) return z;
    free(z);
    return NULL;
}

bool tfp_inflate_reset(tfp_inflate *z) { return inflateReset(&z->stream) == Z_OK; }

tfp_inflated tfp_inflate_some(tfp_inflate *z, tfp_str *in, char *to, size_t room, size_t *got)
{
    z_stream *s = &z->stream;
    uInt have = in->size < UINT32_MAX ? (uInt)in->size : UINT32_MAX, most = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
    s->next_in = (const Bytef *)in->data;
    s->avail_in = have;
    s->next_out = (Bytef *)to;
    s->avail_out = most;
    int rc = inflate(s, Z_NO_FLUSH);
    *got = most - s->avail_out;
    in->data += have - s->avail_in;
    in->size -= have - s->avail_in;
    if (rc == Z_MEM_ERROR) return TFP_INFLATE_NOMEM;
    if (rc == Z_STREAM_END) return TFP_INFLATE_END;
    return rc == Z_OK || rc == Z_BUF_ERROR ? TFP_INFLATE_MORE : TFP_INFLATE_DAMAGED;
}

void tfp_inflate_free(tfp_inflate *z)
{
    if (z) inflateEnd(&z->stream);
    free(z);
}
