// SPDX-License-Identifier: Apache-2.0
/* base/escape.c: the one function that makes foreign text safe to show: names, types, devices, paths.
 * Control characters, DEL and bytes that are not valid UTF-8 print as \xNN; C1 and bidi controls as \u{NNNN}. */
#include "base/base.h"

size_t tfp_utf8(tfp_str s, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)s.data;
    if (s.size == 0) return 0;
    if (p[0] < 0x80) {
        *code = p[0];
        return 1;
    }
    size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || s.size < n) return 0;
    uint32_t c = p[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if ((n == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (n == 4 && (c < 0x10000 || c > 0x10ffff))) return 0;
    *code = c;
    return n;
}

bool tfp_utf8_valid(tfp_str s)
{
    for (uint32_t code; s.size;) {
        size_t n = tfp_utf8(s, &code);
        if (!n) return false;
        s.data += n;
        s.size -= n;
    }
    return true;
}

/* Characters that change the text around them: C1, marks and overrides of direction, line separators. */
static bool is_hidden_control(uint32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

bool tfp_is_plain(tfp_str s)
{
    /* eight bytes at a time: a high bit is set where a byte is below 0x20, above 0x7f, or DEL (0x7f + 1 = 0x80) */
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    size_t i = 0;
    for (uint64_t w; i + 8 <= s.size; i += 8) {
        memcpy(&w, s.data + i, 8);
        if ((w | (w - 0x20 * ones) | ((w & ~high) + ones)) & high) return false;
    }
    for (; i < s.size; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c < 0x20 || c >= 0x7f) return false;
    }
    return true;
}

void tfp_escape(tfp_buf *b, tfp_str s)
{
    static const char hex[] = "0123456789abcdef";
    if (tfp_is_plain(s)) {
        tfp_buf_str(b, s);
        return;
    }
    while (s.size) {
        uint32_t code;
        size_t n = tfp_utf8(s, &code);
        if (n == 0 || code < 0x20 || code == 0x7f) {
            unsigned char c = (unsigned char)s.data[0];
            char shown[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };
            tfp_buf_add(b, shown, 4);
            n = 1;
        } else if (is_hidden_control(code)) {
            tfp_buf_printf(b, "\\u{%04X}", (unsigned)code);
        } else {
            tfp_buf_add(b, s.data, n);
        }
        s.data += n;
        s.size -= n;
    }
}

void tfp_text_give(tfp_str all, char *out, size_t room)
{
    if (!room || !out) return;
    size_t n = all.size < room ? all.size : room - 1;
    while (n < all.size && n && ((unsigned char)all.data[n] & 0xc0) == 0x80) n--;
    if (n) memcpy(out, all.data, n);
    out[n] = '\0';
}
