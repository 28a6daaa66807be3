// SPDX-License-Identifier: Apache-2.0
/* store/blocks.c: reads columns: the blocks of numbers or pieces of texts of a packed column, one after another; and
 * columns of texts of both versions, whose sizes and bytes stay in memory unchanged. */
#include "base/crc32c.h"
#include "model/tables/profile.h"
#include "store/store.h"
#include "wire/proto.h"

tfp_store_blocks tfp_store_blocks_of(const tfp_store_entry *e)
{
    return (tfp_store_blocks){ .e = e, .sizes = e->here, .at = e->offset };
}

/* The next block, read into u->packed unless it is in the directory. Sizes were checked with the directory. */
static tfp_store_fault next_block(const tfp_store_file *f, tfp_store_blocks *b, tfp_unpacker *u, tfp_str *block)
{
    *block = b->e->here;
    if (!b->e->size) return TFP_STORE_FINE;
    const uint8_t *at = (const uint8_t *)b->sizes.data, *end = at + b->sizes.size;
    tfp_varint v = tfp_varint_long(at, end);
    if (!v.at || v.value > TFP_PACK_MOST) return TFP_STORE_WRONG;
    b->sizes = (tfp_str){ (const char *)v.at, (size_t)(end - v.at) };
    *block = (tfp_str){ (const char *)u->packed, (size_t)v.value };
    if (tfp_source_read(&f->in, b->at, u->packed, block->size, NULL)) return TFP_STORE_UNREAD;
    b->at += block->size;
    b->crc = tfp_crc32c(b->crc, u->packed, block->size);
    return TFP_STORE_FINE;
}

tfp_store_fault tfp_store_next_numbers(const tfp_store_file *f, tfp_store_blocks *b, tfp_unpacker *u,
                                       tfp_pack_numbers numbers, void *to)
{
    tfp_str block;
    tfp_store_fault fault = next_block(f, b, u, &block);
    if (fault) return fault;
    return tfp_unpack_block(u, block, &numbers, to) ? TFP_STORE_FINE : TFP_STORE_WRONG;
}

/* ---- texts ---- */

static tfp_store_fault unpack_pieces(const tfp_store_file *f, tfp_store_blocks *b, tfp_unpacker *u, char *to)
{
    size_t size = (size_t)b->e->unpacked;
    if (!b->e->size && size) memcpy(to, b->e->here.data, size);
    for (size_t done = 0, some; b->e->size && done < size; done += some) {
        tfp_str piece;
        tfp_store_fault fault = next_block(f, b, u, &piece);
        some = size - done < TFP_PACK_BYTES ? size - done : TFP_PACK_BYTES;
        if (!fault && !tfp_unpack_piece(u, piece, to + done, some)) fault = TFP_STORE_WRONG;
        if (fault) return fault;
    }
    return TFP_STORE_FINE;
}

/* The bytes of a column in the form of version 1, except for the sizes of texts that need none. */
static tfp_store_fault read_bytes(const tfp_store_file *f, const tfp_store_entry *e, char *to)
{
    tfp_store_blocks b = tfp_store_blocks_of(e);
    tfp_unpacker u;
    tfp_store_fault fault = tfp_unpacker_start(&u) ? TFP_STORE_FINE : TFP_STORE_NO_MEMORY;
    if (!fault && e->packed) fault = unpack_pieces(f, &b, &u, to);
    if (!fault && !e->packed) {
        fault = tfp_source_read(&f->in, e->offset, to, (size_t)e->size, NULL) ? TFP_STORE_UNREAD : TFP_STORE_FINE;
        b.crc = tfp_crc32c(0, to, (size_t)e->size);
    }
    tfp_unpacker_free(&u);
    return !fault && !tfp_checksum_fits(b.crc, e->crc) ? TFP_STORE_CHANGED : fault;
}

/* Finds the sizes of texts that each end with a 0 byte and have no other. */
static bool measure(const char *at, const char *end, size_t rows, uint32_t *sizes)
{
    for (size_t i = 0; i < rows; i++) {
        const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        if (!stop || stop - at >= TFP_NONE) return false;
        sizes[i] = (uint32_t)(stop - at);
        at = stop + 1;
    }
    return at == end;
}

/* Whether the texts match their sizes, each ends with a 0 byte, and nothing follows the last. */
static bool sizes_fit(const uint32_t *sizes, size_t rows, const char *bytes, size_t size)
{
    uint64_t need = 0;
    for (size_t i = 0; i < rows; i++) {
        if (sizes[i] == TFP_NONE) continue;
        need += (uint64_t)sizes[i] + 1;
        if (need > size || bytes[need - 1] != 0) return false;
    }
    return need == size;
}

tfp_store_fault tfp_store_read_texts(tfp_store_file *f, const tfp_store_entry *e, size_t rows, const uint32_t **sizes,
                                     const char **bytes)
{
    uint64_t size = e->packed ? e->unpacked : e->size, least = e->ended ? rows : (uint64_t)rows * sizeof(uint32_t);
    if (e->width || e->rows != rows || size > SIZE_MAX / 4 || size < least) return TFP_STORE_ABSENT;
    size_t head = rows * sizeof(uint32_t), before = e->ended ? head : 0;
    char *all = tfp_arena_alloc(&f->p->arena, before + (size_t)size + 1);
    if (!all) return TFP_STORE_NO_MEMORY;
    tfp_store_fault fault = read_bytes(f, e, all + before);
    if (fault) return fault;
    *sizes = (const uint32_t *)(void *)all;
    *bytes = all + head;
    size_t left = before + (size_t)size - head;
    if (e->ended)
        return measure(*bytes, *bytes + left, rows, (uint32_t *)(void *)all) ? TFP_STORE_FINE : TFP_STORE_WRONG;
    return sizes_fit(*sizes, rows, *bytes, left) ? TFP_STORE_FINE : TFP_STORE_WRONG;
}
