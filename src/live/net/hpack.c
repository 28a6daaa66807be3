// SPDX-License-Identifier: Apache-2.0
/* live/net/hpack.c: header blocks of HTTP/2 (RFC 7541), as far as an answer needs them: literals, Huffman codes and the static
 * table's statuses. We announce a dynamic table of size 0, so a reference to one is an error. */
#include "live/net/http2.h"

/* The code of RFC 7541, appendix B, is canonical: how many symbols have 5 to 30 bits, and the symbols in order. */
static const unsigned char code_counts[] = { 10, 26, 32, 6,  0,  5,  3,  2, 6,  2,  3,  0, 0,
                                             0,  3,  8,  13, 26, 29, 12, 4, 15, 19, 29, 0, 3 };
/* clang-format off */
static const unsigned char code_symbols[256] = {
    48, 49, 50, 97, 99, 101, 105, 111, 115, 116, 32, 37, 45, 46, 47, 51, 52, 53, 54, 55,
    56, 57, 61, 65, 95, 98, 100, 102, 103, 104, 108, 109, 110, 112, 114, 117, 58, 66, 67, 68,
    69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 89,
    106, 107, 113, 118, 119, 120, 121, 122, 38, 42, 44, 59, 88, 90, 33, 34, 40, 41, 63, 39,
    43, 124, 35, 62, 0, 36, 64, 91, 93, 126, 94, 125, 60, 96, 123, 92, 195, 208, 128, 130,
    131, 162, 184, 194, 224, 226, 153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230, 129,
    132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190,
    196, 198, 228, 232, 233, 1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157,
    158, 165, 166, 168, 174, 175, 180, 182, 183, 188, 191, 197, 231, 239, 9, 142, 144, 145, 148, 159,
    171, 206, 215, 225, 236, 237, 199, 207, 234, 235, 192, 193, 200, 201, 202, 205, 210, 213, 218, 219,
    238, 240, 242, 243, 255, 203, 204, 211, 212, 214, 221, 222, 223, 241, 244, 245, 246, 247, 248, 250,
    251, 252, 253, 254, 2, 3, 4, 5, 6, 7, 8, 11, 12, 14, 15, 16, 17, 18, 19, 20,
    21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 127, 220, 249, 10, 13, 22
};
/* clang-format on */

static bool huffman(tfp_str in, tfp_buf *out)
{
    uint32_t code = 0, first = 0;
    size_t bits = 0, passed = 0;
    for (size_t i = 0; i < in.size; i++) {
        for (int b = 7; b >= 0; b--) {
            code = code << 1 | ((unsigned char)in.data[i] >> b & 1);
            first <<= 1;
            if (++bits > 30) return false;
            if (bits < 5) continue;
            uint32_t count = code_counts[bits - 5];
            if (code - first < count && passed + (code - first) < 256) {
                tfp_buf_char(out, (char)code_symbols[passed + (code - first)]);
                code = first = 0;
                bits = passed = 0;
                continue;
            }
            first += count;
            passed += count;
        }
    }
    return bits < 8 && code == ((uint32_t)1 << bits) - 1; /* the rest is padding: one bits */
}

typedef struct reader {
    const unsigned char *at, *end;
} reader;

static bool read_int(reader *r, int bits, uint64_t *out)
{
    uint64_t most = ((uint64_t)1 << bits) - 1;
    if (r->at == r->end) return false;
    *out = *r->at++ & most;
    if (*out < most) return true;
    for (unsigned shift = 0; shift < 35 && r->at < r->end; shift += 7) {
        unsigned char c = *r->at++;
        *out += (uint64_t)(c & 127) << shift;
        if (!(c & 128)) return true;
    }
    return false;
}

static bool read_string(reader *r, tfp_buf *out)
{
    uint64_t size;
    out->size = 0;
    bool coded = r->at < r->end && (*r->at & 128);
    if (!read_int(r, 7, &size) || size > (uint64_t)(r->end - r->at)) return false;
    tfp_str text = { (const char *)r->at, (size_t)size };
    r->at += size;
    if (coded) return huffman(text, out);
    tfp_buf_str(out, text);
    return true;
}

/* Passes on the names and values that matter here; other entries of the static table are passed on without text. */
static void tell_static(uint64_t index, tfp_header_fn fn, void *ctx)
{
    static const char *const statuses[] = { "200", "204", "206", "304", "400", "404", "500" };
    if (index >= 8 && index <= 14) fn(ctx, TFP_STR(":status"), tfp_str_of(statuses[index - 8]));
}

bool tfp_hpack_read(tfp_str block, tfp_header_fn fn, void *ctx)
{
    if (!block.size) return true;
    reader r = { (const unsigned char *)block.data, (const unsigned char *)block.data + block.size };
    tfp_buf name = { 0 }, value = { 0 };
    bool fine = true;
    while (fine && r.at < r.end) {
        uint64_t index;
        if (*r.at & 0x80) {
            fine = read_int(&r, 7, &index) && index >= 1 && index <= 61;
            if (fine) tell_static(index, fn, ctx);
            continue;
        }
        if ((*r.at & 0xe0) == 0x20) { /* an update of the dynamic table's size */
            fine = read_int(&r, 5, &index);
            continue;
        }
        fine = read_int(&r, *r.at & 0x40 ? 6 : 4, &index) && index <= 61;
        name.size = 0;
        if (fine && index == 0) fine = read_string(&r, &name);
        if (fine && index >= 8 && index <= 14) tfp_buf_text(&name, ":status");
        fine = fine && read_string(&r, &value) && !name.failed && !value.failed;
        if (fine && name.size) fn(ctx, (tfp_str){ name.data, name.size }, (tfp_str){ value.data, value.size });
    }
    tfp_buf_free(&name);
    tfp_buf_free(&value);
    return fine;
}
