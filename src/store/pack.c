// SPDX-License-Identifier: Apache-2.0
/* store/pack.c: packs and unpacks blocks of numbers and pieces of texts. Numbers are in the byte order of the machine,
 * which is assumed to be little endian: the first plane has the lowest bytes. */
#include "store/pack.h"

#include <libdeflate.h>

#define LEVEL 6 /* higher levels save 2 % on numbers and take twice the time */

/* ---- numbers to planes ---- */

static uint64_t number_at(const tfp_pack_numbers *n, size_t i)
{
    switch (n->width) {
    case 1: return ((const uint8_t *)n->at)[i];
    case 4: return ((const uint32_t *)n->at)[i];
    default: return ((const uint64_t *)n->at)[i];
    }
}

/* Moves the sign of a number of 1, 4 or 8 bytes into its lowest bit, so that small numbers have zeros in their high
 * bytes. */
static uint64_t fold_sign(uint64_t n, size_t width)
{
    unsigned bits = (unsigned)width * 8;
    uint64_t sign = n >> (bits - 1) & 1;
    return (n << 1 ^ (0 - sign)) & (UINT64_MAX >> (64 - bits));
}

static uint64_t changed_at(const tfp_pack_numbers *n, size_t i, tfp_pack_method method)
{
    uint64_t at = number_at(n, i);
    switch (method) {
    case TFP_PACK_SIGNED: return fold_sign(at, n->width);
    case TFP_PACK_DELTA: return fold_sign(i ? at - number_at(n, i - 1) : at, n->width);
    case TFP_PACK_BESIDE: return fold_sign(at - (uint64_t)n->beside[i], n->width);
    default: return at;
    }
}

size_t tfp_pack_split(const tfp_pack_numbers *n, tfp_pack_method method, unsigned char *out)
{
    uint64_t first = changed_at(n, 0, method), differ = 0;
    for (size_t i = 1; i < n->count; i++) differ |= changed_at(n, i, method) ^ first;
    unsigned mask = 0;
    unsigned char *planes[8], *at = out + TFP_PACK_HEAD;
    for (size_t k = 0; k < n->width; k++) {
        bool varies = differ >> (8 * k) & 0xff;
        mask |= (unsigned)varies << k;
        planes[k] = at;
        at += varies ? n->count : 1;
    }
    out[0] = (unsigned char)method;
    out[1] = (unsigned char)mask;
    for (size_t i = 0; i < n->count; i++) {
        uint64_t c = changed_at(n, i, method);
        for (size_t k = 0; k < n->width; k++)
            if (i == 0 || mask >> k & 1) planes[k][i] = (unsigned char)(c >> (8 * k));
    }
    return (size_t)(at - out);
}

size_t tfp_pack_size(const unsigned char head[TFP_PACK_HEAD], size_t count, size_t width)
{
    size_t size = TFP_PACK_HEAD;
    size_t least = head[0] == TFP_PACK_BESIDE ? 8 : head[0] == TFP_PACK_PLAIN ? 1 : 4;
    if (head[0] >= TFP_PACK_METHODS || width < least || head[1] >> width || !count || count > TFP_PACK_ROWS) return 0;
    for (size_t k = 0; k < width; k++) size += head[1] >> k & 1 ? count : 1;
    return size;
}

/* ---- planes to numbers: loops that the compiler makes vectors of ---- */

static void join_words(const unsigned char *at, unsigned mask, size_t count, uint32_t *to)
{
    uint32_t same = 0;
    const unsigned char *planes = at;
    for (size_t k = 0; k < 4; planes += mask >> k & 1 ? count : 1, k++)
        if (!(mask >> k & 1)) same |= (uint32_t)*planes << (8 * k);
    for (size_t i = 0; i < count; i++) to[i] = same;
    for (size_t k = 0; k < 4; at += mask >> k & 1 ? count : 1, k++)
        for (size_t i = 0; mask >> k & 1 && i < count; i++) to[i] |= (uint32_t)at[i] << (8 * k);
}

static void join_longs(const unsigned char *at, unsigned mask, size_t count, uint64_t *to)
{
    uint64_t same = 0;
    const unsigned char *planes = at;
    for (size_t k = 0; k < 8; planes += mask >> k & 1 ? count : 1, k++)
        if (!(mask >> k & 1)) same |= (uint64_t)*planes << (8 * k);
    for (size_t i = 0; i < count; i++) to[i] = same;
    for (size_t k = 0; k < 8; at += mask >> k & 1 ? count : 1, k++)
        for (size_t i = 0; mask >> k & 1 && i < count; i++) to[i] |= (uint64_t)at[i] << (8 * k);
}

static void undo_words(tfp_pack_method method, size_t count, uint32_t *at)
{
    for (size_t i = 0; method != TFP_PACK_PLAIN && i < count; i++) at[i] = at[i] >> 1 ^ (0 - (at[i] & 1));
    for (size_t i = 1; method == TFP_PACK_DELTA && i < count; i++) at[i] += at[i - 1];
}

static void undo_longs(tfp_pack_method method, size_t count, uint64_t *at)
{
    for (size_t i = 0; method != TFP_PACK_PLAIN && i < count; i++) at[i] = at[i] >> 1 ^ (0 - (at[i] & 1));
    for (size_t i = 1; method == TFP_PACK_DELTA && i < count; i++) at[i] += at[i - 1];
}

static void join(const unsigned char *block, size_t count, size_t width, void *numbers)
{
    const unsigned char *planes = block + TFP_PACK_HEAD;
    if (width == 1 && block[1]) {
        memcpy(numbers, planes, count);
    } else if (width == 1) {
        memset(numbers, *planes, count);
    } else if (width == 4) {
        join_words(planes, block[1], count, numbers);
        undo_words((tfp_pack_method)block[0], count, numbers);
    } else {
        join_longs(planes, block[1], count, numbers);
        undo_longs((tfp_pack_method)block[0], count, numbers);
    }
}

/* ---- deflate ---- */

bool tfp_packer_start(tfp_packer *p)
{
    *p = (tfp_packer){ libdeflate_alloc_compressor(LEVEL), malloc(TFP_PACK_MOST), malloc(TFP_PACK_MOST),
                       malloc(TFP_PACK_MOST) };
    return p->deflate && p->split && p->packed && p->other;
}

void tfp_packer_free(tfp_packer *p)
{
    if (p->deflate) libdeflate_free_compressor(p->deflate);
    free(p->split);
    free(p->packed);
    free(p->other);
}

/* Deflates the bytes after the first `head` bytes, which stay unchanged. If the result is not smaller, all bytes stay
 * unchanged. */
static tfp_str deflate_behind(tfp_packer *p, const unsigned char *bytes, size_t size, size_t head, unsigned char *to)
{
    size_t got = size > head + 1
                     ? libdeflate_deflate_compress(p->deflate, bytes + head, size - head, to + head, size - head - 1)
                     : 0;
    if (!got) return (tfp_str){ (const char *)memcpy(to, bytes, size), size };
    memcpy(to, bytes, head);
    return (tfp_str){ (const char *)to, head + got };
}

static tfp_str pack_by(tfp_packer *p, const tfp_pack_numbers *n, tfp_pack_method method, unsigned char *to)
{
    size_t size = tfp_pack_split(n, method, p->split);
    return deflate_behind(p, p->split, size, TFP_PACK_HEAD, to);
}

tfp_str tfp_pack_block(tfp_packer *p, const tfp_pack_numbers *n, tfp_pack_method *method)
{
    tfp_pack_method last = n->width == 1 ? TFP_PACK_PLAIN : n->beside ? TFP_PACK_BESIDE : TFP_PACK_DELTA;
    if (*method != TFP_PACK_METHODS) return pack_by(p, n, *method, p->packed);
    *method = TFP_PACK_PLAIN;
    tfp_str best = pack_by(p, n, *method, p->packed);
    for (tfp_pack_method w = TFP_PACK_SIGNED; w <= last; w++) {
        tfp_str s = pack_by(p, n, w, p->other);
        if (s.size >= best.size) continue;
        unsigned char *swap = p->packed;
        p->packed = p->other;
        p->other = swap;
        best = s;
        *method = w;
    }
    return best;
}

tfp_str tfp_pack_plain(tfp_packer *p, const tfp_pack_numbers *n)
{
    unsigned char *to = p->split;
    to[0] = TFP_PACK_PLAIN;
    to[1] = (unsigned char)((1u << n->width) - 1);
    for (size_t i = 0; i < n->count; i++)
        for (size_t k = 0; k < n->width; k++)
            to[TFP_PACK_HEAD + k * n->count + i] = (unsigned char)(number_at(n, i) >> (8 * k));
    return (tfp_str){ (const char *)to, TFP_PACK_HEAD + n->count * n->width };
}

tfp_str tfp_pack_piece(tfp_packer *p, tfp_str bytes)
{
    return deflate_behind(p, (const unsigned char *)bytes.data, bytes.size, 0, p->packed);
}

bool tfp_unpacker_start(tfp_unpacker *u)
{
    *u = (tfp_unpacker){ libdeflate_alloc_decompressor(), malloc(TFP_PACK_MOST), malloc(TFP_PACK_MOST) };
    return u->inflate && u->packed && u->plain;
}

void tfp_unpacker_free(tfp_unpacker *u)
{
    if (u->inflate) libdeflate_free_decompressor(u->inflate);
    free(u->packed);
    free(u->plain);
}

bool tfp_unpack_piece(tfp_unpacker *u, tfp_str piece, void *to, size_t size)
{
    if (piece.size == size) return size ? memcpy(to, piece.data, size) != NULL : true;
    return piece.size < size &&
           libdeflate_deflate_decompress(u->inflate, piece.data, piece.size, to, size, NULL) == LIBDEFLATE_SUCCESS;
}

bool tfp_unpack_block(tfp_unpacker *u, tfp_str block, const tfp_pack_numbers *n, void *to)
{
    const unsigned char *at = (const unsigned char *)block.data;
    size_t size = block.size > TFP_PACK_HEAD ? tfp_pack_size(at, n->count, n->width) : 0;
    bool beside = size && *at == TFP_PACK_BESIDE;
    if (!size || block.size > size || (beside && !n->beside)) return false;
    if (block.size < size) {
        tfp_str rest = { block.data + TFP_PACK_HEAD, block.size - TFP_PACK_HEAD };
        memcpy(u->plain, at, TFP_PACK_HEAD);
        if (!tfp_unpack_piece(u, rest, u->plain + TFP_PACK_HEAD, size - TFP_PACK_HEAD)) return false;
        at = u->plain;
    }
    join(at, n->count, n->width, to);
    for (size_t i = 0; beside && i < n->count; i++) ((uint64_t *)to)[i] += (uint64_t)n->beside[i];
    return true;
}
