// SPDX-License-Identifier: Apache-2.0
/* wire/orderedcode.c: writes ordered codes. There is no reader: a caller makes the key that it looks for and
 * compares, and so never has to trust a key from a file. */
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

/* n bytes hold a sign and 7n - 1 bits: the sign bit is turned over so that negative numbers come first, and as many bits
 * after it as there are further bytes repeat it, which makes the length part of the order. */
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
