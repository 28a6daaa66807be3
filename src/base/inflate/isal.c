// SPDX-License-Identifier: Apache-2.0
/* base/inflate/isal.c: unpacks by Intel's ISA-L (libisal). */
#include "base/inflate/inflate.h"

#include <isa-l/igzip_lib.h>
#include <stdint.h>

struct tfp_inflate {
    struct inflate_state state;
};

tfp_inflate *tfp_inflate_new(void)
{
    tfp_inflate *z = calloc(1, sizeof *z);
    if (!z) return NULL;
    isal_inflate_init(&z->state);
    tfp_inflate_reset(z);
    return z;
}

bool tfp_inflate_reset(tfp_inflate *z)
{
    isal_inflate_reset(&z->state);
    z->state.crc_flag = ISAL_GZIP;
    return true;
}

tfp_inflated tfp_inflate_some(tfp_inflate *z, tfp_str *in, char *to, size_t room, size_t *got)
{
    struct inflate_state *s = &z->state;
    uint32_t have = in->size < UINT32_MAX ? (uint32_t)in->size : UINT32_MAX;
    uint32_t most = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    s->next_in = (uint8_t *)(uintptr_t)in->data; /* it only reads them */
    s->avail_in = have;
    s->next_out = (uint8_t *)to;
    s->avail_out = most;
    int rc = isal_inflate(s);
    *got = most - s->avail_out;
    in->data += have - s->avail_in;
    in->size -= have - s->avail_in;
    if (rc != ISAL_DECOMP_OK) return TFP_INFLATE_DAMAGED;
    if (s->block_state == ISAL_BLOCK_FINISH) return TFP_INFLATE_END;
    bool stands = have && most && s->avail_in == have && !*got;
    return stands ? TFP_INFLATE_DAMAGED : TFP_INFLATE_MORE;
}

void tfp_inflate_free(tfp_inflate *z) { free(z); }
