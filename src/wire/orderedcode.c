// SPDX-License-Identifier: Apache-2.0
/* wire/orderedcode.c: writes ordered codes. There is no reader: callers build the key that they search for and compare
 * it, so that keys from a file are never decoded. */
#include "wire/orderedcode.h"

/* How many bytes a number needs in big-endian order; they are written right-aligned into bytes[8]. */
static unsigned big_endian(uint64_t v, uint8_t bytes[8])
{
    unsigned used = 0;
    for (unsigned i = 0; i < 8; i++) {
        bytes[7 - i] = (uint8_t)(v >> (8 * i));
        if (bytes[7 - i]) used = i + 1;
    }
    return used;
}

/* A byte count, then that many bytes. */
void tfp_put_ordered_uint(tfp_buf *b, uint64_t v)
{
    uint8_t bytes[8];
    unsigned used = big_endian(v, bytes);
    tfp_buf_char(b, (char)used);
    tfp_buf_add(b, bytes + 8 - used, used);
}

/* n bytes contain a sign and 7n - 1 bits. The sign bit is inverted, so that negative numbers sort first. The bits after
 * it repeat it once for each further byte, so that the length is part of the order. */
void tfp_put_ordered_int(tfp_buf *b, int64_t v)
{
    uint64_t magnitude = v < 0 ? ~(uint64_t)v : (uint64_t)v;
    unsigned size = 1;
    while (size < 10 && magnitude >> (7 * size - 1)) size++;
    uint8_t fill = v < 0 ? 0xff : 0, bytes[10] = { fill, fill };
    for (unsigned i = 0; i < 8; i++) bytes[9 - i] = (uint8_t)((uint64_t)v >> (8 * i));
    uint8_t *at = bytes + 10 - size;
    at[0] ^= (uint8_t)(0xff00 >> (size < 8 ? size : 8));
    if (size >= 8) at[1] ^= (uint8_t)(0xff00 >> (size - 8));
    tfp_buf_add(b, at, size);
}

/* Bytes 0 and 255 are escaped; 0 1 is the end. */
void tfp_put_ordered_bytes(tfp_buf *b, tfp_str s)
{
    for (size_t i = 0; i < s.size; i++) {
        tfp_buf_char(b, s.data[i]);
        if (s.data[i] == 0)
            tfp_buf_char(b, (char)0xff);
        else if ((uint8_t)s.data[i] == 0xff)
            tfp_buf_char(b, 0);
    }
    tfp_buf_add(b, "\0\1", 2);
}
