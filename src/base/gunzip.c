// SPDX-License-Identifier: Apache-2.0
/* base/gunzip.c: unpacks gzip data. Small data go through libdeflate, which is three times as fast as zlib but needs
 * all of the output in memory at once. Others are unpacked piece by piece (base/inflate/inflate.h), as are data that libdeflate
 * refuses: several members, and truncated data. Members may follow one another, and the last may be followed by zeros,
 * as gzip(1) accepts. */
#include "base/gunzip.h"
#include "base/inflate/inflate.h"
#include "base/io.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK ((size_t)256 << 10) /* bytes processed at a time */
#define BIG_PAGE ((uintptr_t)2 << 20)

/* Limits on the unpacked size. Only a small part of honest files is repetition; files that are almost nothing else are
 * refused early. */
#define BOMB_FREE ((uint64_t)64 << 20)
#define BOMB_RATIO 128
#define MOST_RATIO 1032 /* the best ratio of deflate */

static uint64_t unpacked_limit(uint64_t packed)
{
    uint64_t limit = packed > UINT64_MAX / BOMB_RATIO ? UINT64_MAX : packed * BOMB_RATIO;
    return limit < BOMB_FREE ? BOMB_FREE : limit;
}

static tfp_status over_ratio(uint64_t packed, tfp_error *err)
{
    return tfp_fail(err, TFP_LIMIT, "%llu bytes of gzip that unpack to more than %llu MB", (unsigned long long)packed,
                    (unsigned long long)(unpacked_limit(packed) >> 20));
}

bool tfp_is_gzip(tfp_str s)
{
    return s.size >= 2 && (unsigned char)s.data[0] == 0x1f && (unsigned char)s.data[1] == 0x8b;
}

static uint64_t told_size(const unsigned char t[4])
{
    return (uint64_t)t[0] | (uint64_t)t[1] << 8 | (uint64_t)t[2] << 16 | (uint64_t)t[3] << 24;
}

bool tfp_gzip_is_big(uint64_t packed, const unsigned char trailer[4])
{
    uint64_t size = told_size(trailer);
    return packed > TFP_STREAM_LIMIT || (size > TFP_STREAM_LIMIT && size <= unpacked_limit(packed));
}

/* ---- piece by piece ---- */

struct tfp_gunzip {
    tfp_inflate *z;
    tfp_str left;   /* packed bytes that were not taken yet */
    int fd;         /* -1: the bytes are in memory */
    tfp_str packed; /* the bytes in memory */
    char *buffer;   /* packed bytes read from the file */
    uint64_t taken, given;
    bool behind;         /* between two members */
    bool no_more, ended; /* end of the input; end of the output */
    bool cut;            /* cut: the data end inside a member */
};

tfp_gunzip *tfp_gunzip_start(int fd, tfp_str packed)
{
    tfp_gunzip *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->fd = fd;
    g->packed = packed;
    if ((fd < 0 || (lseek(fd, 0, SEEK_SET) == 0 && (g->buffer = malloc(CHUNK)))) && (g->z = tfp_inflate_new()))
        return g;
    free(g->buffer);
    free(g);
    return NULL;
}

void tfp_gunzip_free(tfp_gunzip *g)
{
    if (!g) return;
    tfp_inflate_free(g->z);
    free(g->buffer);
    free(g);
}

bool tfp_gunzip_was_cut(const tfp_gunzip *g) { return g->cut; }

tfp_status tfp_gunzip_again(tfp_gunzip *g, tfp_error *err)
{
    if (g->fd >= 0 && lseek(g->fd, 0, SEEK_SET) != 0) return tfp_fail(err, TFP_BADFILE, "cannot read it again");
    if (!tfp_inflate_reset(g->z)) return tfp_nomem(err);
    g->left.size = 0;
    g->taken = g->given = 0;
    g->behind = g->no_more = g->ended = g->cut = false;
    return TFP_OK;
}

static uint64_t used(const tfp_gunzip *g) { return g->taken - g->left.size; }

static tfp_status damaged(const tfp_gunzip *g, const char *why, tfp_error *err)
{
    return tfp_fail(err, TFP_BADFILE, "damaged gzip data near byte %llu%s", (unsigned long long)used(g), why);
}

/* Reads more packed bytes and appends them to the unread ones. */
static tfp_status take_more(tfp_gunzip *g, tfp_error *err)
{
    size_t have = g->left.size, more = 0;
    if (g->fd < 0) {
        more = g->packed.size - (size_t)g->taken < CHUNK ? g->packed.size - (size_t)g->taken : CHUNK;
        g->left.data = g->packed.data + used(g);
    } else {
        if (have) memmove(g->buffer, g->left.data, have);
        ssize_t n = tfp_read_some(g->fd, g->buffer + have, CHUNK - have);
        if (n < 0) return tfp_fail_errno(err, "cannot read");
        more = (size_t)n;
        g->left.data = g->buffer;
    }
    g->left.size = have + more;
    g->taken += more;
    g->no_more = more == 0;
    return TFP_OK;
}

/* After the end of a member: starts the next one. */
static tfp_status begin_member(tfp_gunzip *g, tfp_error *err)
{
    tfp_str left = g->left;
    while (left.size && left.data[0] == 0) left.data++, left.size--;
    g->left = left;
    if (left.size < 2 && !g->no_more) return TFP_OK; /* read more first */
    g->ended = left.size == 0;
    g->behind = false;
    if (g->ended) return TFP_OK;
    if (!tfp_is_gzip(left)) return damaged(g, ": no next member", err);
    return tfp_inflate_reset(g->z) ? TFP_OK : tfp_nomem(err);
}

static tfp_status inflate_some(tfp_gunzip *g, char *to, size_t room, size_t *got, tfp_error *err)
{
    size_t most = room < UINT32_MAX ? room : UINT32_MAX, more;
    tfp_inflated made = tfp_inflate_some(g->z, &g->left, to, most, &more);
    *got += more;
    g->given += more;
    if (made == TFP_INFLATE_NOMEM) return tfp_nomem(err);
    if (made == TFP_INFLATE_DAMAGED) return damaged(g, "", err);
    g->behind = made == TFP_INFLATE_END;
    g->ended = g->cut = !g->behind && g->no_more && more < most;
    return TFP_OK;
}

/* As tfp_gunzip_read, with the output limit that `packed` input bytes allow. */
static tfp_status read_within(tfp_gunzip *g, uint64_t packed, char *to, size_t room, size_t *got, tfp_error *err)
{
    tfp_status s = TFP_OK;
    *got = 0;
    while (!s && !g->ended && *got < room) {
        if (g->left.size < 2 && !g->no_more) s = take_more(g, err);
        if (!s) s = g->behind ? begin_member(g, err) : inflate_some(g, to + *got, room - *got, got, err);
        uint64_t input = packed > used(g) ? packed : used(g);
        if (!s && g->given > unpacked_limit(input)) s = over_ratio(input, err);
    }
    return s;
}

tfp_status tfp_gunzip_read(tfp_gunzip *g, char *to, size_t room, size_t *got, tfp_error *err)
{
    return read_within(g, 0, to, room, got, err);
}

/* ---- as a whole ---- */

/* Asks for huge pages: unpacked data are written once, and a fault for each page of 4 KB would cost as much as
 * unpacking. The size comes from the file and may be wrong, so pages that are never written must cost nothing. */
static void ask_for_big_pages(const tfp_buf *b)
{
    uintptr_t first = ((uintptr_t)b->data + BIG_PAGE - 1) / BIG_PAGE * BIG_PAGE;
    uintptr_t end = ((uintptr_t)b->data + b->capacity) / BIG_PAGE * BIG_PAGE;
    if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
}

/* Small data go through the faster library; the size in the trailer is only a guess, and a wrong one fails here. */
static bool gunzip_fast(tfp_str packed, uint64_t limit, tfp_buf *out)
{
    if (packed.size < 18) return false;
    uint64_t size = told_size((const unsigned char *)packed.data + packed.size - 4);
    if (size == 0 || size > limit || size / MOST_RATIO > packed.size) return false;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    bool ok = false;
    if (d && tfp_grow((void **)&out->data, &out->capacity, (size_t)size + 1, 1)) {
        size_t taken = 0, got = 0;
        ask_for_big_pages(out);
        ok = libdeflate_gzip_decompress_ex(d, packed.data, packed.size, out->data, (size_t)size, &taken, &got) ==
                 LIBDEFLATE_SUCCESS &&
             taken == packed.size;
        out->size = ok ? got : 0;
    }
    libdeflate_free_decompressor(d);
    return ok;
}

tfp_status tfp_gunzip_whole(tfp_str packed, tfp_buf *out, bool *cut, bool *big, tfp_error *err)
{
    uint64_t limit = unpacked_limit(packed.size);
    if (limit > TFP_STREAM_LIMIT) limit = TFP_STREAM_LIMIT;
    if (gunzip_fast(packed, limit, out)) return TFP_OK;
    out->size = 0;
    tfp_gunzip *g = tfp_gunzip_start(-1, packed);
    tfp_status s = g ? TFP_OK : tfp_nomem(err);
    while (!s && !g->ended) {
        size_t got = 0;
        if (out->size > limit) {
            *big = limit == TFP_STREAM_LIMIT;
            s = over_ratio(packed.size, err);
        } else if (out->capacity - out->size < CHUNK &&
                   !tfp_grow((void **)&out->data, &out->capacity, out->size + CHUNK, 1)) {
            s = tfp_nomem(err);
        } else {
            s = read_within(g, packed.size, out->data + out->size, CHUNK, &got, err);
            out->size += got;
        }
    }
    *cut = !s && g->cut;
    tfp_gunzip_free(g);
    return s;
}

tfp_status tfp_gunzip_head(tfp_str packed, tfp_buf *out, bool *ended, tfp_error *err)
{
    tfp_inflate *z = tfp_inflate_new();
    if (!z) return tfp_nomem(err);
    tfp_inflated made = tfp_inflate_some(z, &packed, out->data, out->capacity, &out->size);
    tfp_inflate_free(z);
    *ended = made == TFP_INFLATE_END;
    return made == TFP_INFLATE_DAMAGED || made == TFP_INFLATE_NOMEM ? tfp_fail(err, TFP_BADFILE, "damaged gzip data")
                                                                    : TFP_OK;
}
