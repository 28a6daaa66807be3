// SPDX-License-Identifier: Apache-2.0
/* wire/sstable.c: LevelDB tables. The footer names the index block, the index block names the data blocks.
 *     block:  entries, restart offsets (uint32 each), their number (uint32)      then 1 byte compression, 4 bytes crc
 *     entry:  bytes shared with the key before, bytes not shared, size of the value (varints); unshared bytes, value
 * Tables are not trusted: blocks must follow each other in the file and keys must ascend, which keeps every
 * search and every walk linear in the size of the file. */
#include "wire/sstable.h"

#include "base/crc32c.h"
#include "query/order.h"

#include <snappy-c.h>
#include <stdlib.h>

#define FOOTER_SIZE 48
#define TRAILER_SIZE 5
#define BLOCK_LIMIT ((size_t)1 << 30)
#define SNAPPY_GROWTH 22  /* three bytes can expand to 64 */
#define RESTART_STEPS 512 /* most entries between two restart points; TensorFlow writes 16 */
#define KEYS_GROWTH 16    /* memory for the keys of the index: this many times the file's size, plus KEYS_SLACK */
#define KEYS_SLACK ((size_t)4 << 20)

static const uint8_t magic[8] = { 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb };

static uint32_t load32(const char *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A varint at *at, before end. */
static bool load_varint(const char **at, const char *end, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = (uint8_t) * (*at)++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

/* A handle: offset and size of a block that, with its trailer, ends before `limit`. */
static bool load_handle(const char **at, const char *end, uint64_t limit, uint64_t *offset, uint64_t *size)
{
    return load_varint(at, end, offset) && load_varint(at, end, size) && *offset <= limit && *size <= limit - *offset &&
           TRAILER_SIZE <= limit - *offset - *size;
}

/* ---- one block ---- */

static tfp_status unpack(char **bytes, size_t *size, tfp_error *err)
{
    size_t plain_size;
    if (snappy_uncompressed_length(*bytes, *size, &plain_size) != SNAPPY_OK)
        return tfp_fail(err, TFP_BADFILE, "damaged snappy data");
    if (plain_size / SNAPPY_GROWTH > *size)
        return tfp_fail(err, TFP_BADFILE, "snappy data that grows to %zu bytes", plain_size);
    char *plain = malloc(plain_size + 1);
    if (!plain) return tfp_nomem(err);
    if (snappy_uncompress(*bytes, *size, plain, &plain_size) != SNAPPY_OK) {
        free(plain);
        return tfp_fail(err, TFP_BADFILE, "damaged snappy data");
    }
    free(*bytes);
    *bytes = plain;
    *size = plain_size;
    return TFP_OK;
}

static tfp_status check_block(char **bytes, size_t *size, tfp_error *err)
{
    uint32_t crc = tfp_crc32c_mask(tfp_crc32c(0, *bytes, *size + 1));
    uint8_t compression = (uint8_t)(*bytes)[*size];
    if (!tfp_checksum_fits(crc, load32(*bytes + *size + 1))) return tfp_fail(err, TFP_BADFILE, "checksum does not fit");
    if (compression > 1) return tfp_fail(err, TFP_BADFILE, "unknown compression %u", compression);
    return compression == 1 ? unpack(bytes, size, err) : TFP_OK;
}

/* A block's bytes, checked and unpacked. The caller frees *bytes, also after an error. */
static tfp_status read_block(const tfp_source *source, uint64_t offset, uint64_t size, char **bytes, size_t *plain_size,
                             tfp_error *err)
{
    *bytes = NULL;
    *plain_size = 0;
    tfp_status s = TFP_OK;
    if (size > BLOCK_LIMIT) {
        s = tfp_fail(err, TFP_LIMIT, "more than 1 GB");
    } else if (!(*bytes = malloc((size_t)size + TRAILER_SIZE))) {
        s = tfp_nomem(err);
    } else if (!(s = tfp_source_read(source, offset, *bytes, (size_t)size + TRAILER_SIZE, err))) {
        *plain_size = (size_t)size;
        s = check_block(bytes, plain_size, err);
    }
    return tfp_within(err, s, "block at byte %llu", (unsigned long long)offset);
}

/* ---- walking ---- */

tfp_walk tfp_walk_start(const tfp_sstable *t, const tfp_source *source)
{
    return (tfp_walk){ .table = t, .source = source, .block = SIZE_MAX };
}

void tfp_walk_free(tfp_walk *w)
{
    free(w->bytes);
    tfp_buf_free(&w->key_bytes);
    *w = (tfp_walk){ 0 };
}

static bool fail(tfp_walk *w, tfp_status s, tfp_error *err, const char *what)
{
    if (s == TFP_NOMEM)
        tfp_nomem(err);
    else
        tfp_fail(err, s, "block at byte %llu: %s at byte %zu", (unsigned long long)w->offset, what, w->at);
    w->status = s;
    return false;
}

/* Places the walk before the first entry of its bytes. */
static bool enter_block(tfp_walk *w, size_t size, tfp_error *err)
{
    w->at = 0;
    w->fresh = true;
    w->restart_count = size >= 4 ? load32(w->bytes + size - 4) : 0;
    if (size < 4 || w->restart_count > (size - 4) / 4)
        return fail(w, TFP_BADFILE, err, "wrong number of restart points");
    w->entries_end = size - 4 - 4 * w->restart_count;
    return true;
}

static bool load_block(tfp_walk *w, size_t block, tfp_error *err)
{
    const tfp_sstable_block *b = &w->table->blocks.at[block];
    size_t size;
    free(w->bytes);
    w->block = SIZE_MAX;
    w->status = read_block(w->source, b->offset, b->size, &w->bytes, &size, err);
    if (w->status) return false;
    w->offset = b->offset;
    if (!enter_block(w, size, err)) return false;
    w->block = block;
    return true;
}

/* Whether the new key is greater than key_bytes; both agree in their first `shared` bytes. */
static bool ascends(const tfp_walk *w, size_t shared, tfp_str rest)
{
    if (shared == w->key_bytes.size) return rest.size > 0;
    return tfp_str_cmp(rest, (tfp_str){ w->key_bytes.data + shared, w->key_bytes.size - shared }) > 0;
}

/* Reads the entry at w->at. `check` is false after a jump, when key_bytes does not hold the previous key. */
static bool read_entry(tfp_walk *w, bool check, tfp_error *err)
{
    const char *at = w->bytes + w->at, *end = w->bytes + w->entries_end;
    uint64_t shared, rest, value_size;
    if (!load_varint(&at, end, &shared) || !load_varint(&at, end, &rest) || !load_varint(&at, end, &value_size) ||
        rest > (uint64_t)(end - at) || value_size > (uint64_t)(end - at) - rest)
        return fail(w, TFP_BADFILE, err, "entry cut short");
    if (shared > (w->fresh ? 0 : w->key_bytes.size))
        return fail(w, TFP_BADFILE, err, "entry shares more bytes than the previous key has");
    if (check && !ascends(w, (size_t)shared, (tfp_str){ at, (size_t)rest }))
        return fail(w, TFP_BADFILE, err, "keys do not ascend");
    w->key_bytes.size = (size_t)shared;
    tfp_buf_add(&w->key_bytes, at, (size_t)rest);
    if (w->key_bytes.failed) return fail(w, TFP_NOMEM, err, "");
    w->fresh = false;
    w->key = (tfp_str){ w->key_bytes.data ? w->key_bytes.data : "", w->key_bytes.size };
    w->value = (tfp_str){ at + rest, (size_t)value_size };
    w->at = (size_t)(at + rest + value_size - w->bytes);
    return true;
}

/* At the end of a block: its last key must not exceed its index key, so that searches by the index are right. */
static bool leave_block(tfp_walk *w, tfp_error *err)
{
    if (tfp_str_cmp(w->key, w->table->blocks.at[w->block].last_key) <= 0) return true;
    return fail(w, TFP_BADFILE, err, "last key is beyond its index key");
}

bool tfp_walk_next(tfp_walk *w, tfp_error *err)
{
    if (w->status) return false;
    while (w->block == SIZE_MAX || w->at == w->entries_end) {
        size_t next = w->block == SIZE_MAX ? 0 : w->block + 1;
        if (next > 0 && !w->fresh && !leave_block(w, err)) return false;
        if (next >= w->table->blocks.size || !load_block(w, next, err)) return false;
    }
    if (!w->fresh) return read_entry(w, true, err);
    /* the first key of a block comes after the index key of the block before */
    if (!read_entry(w, false, err)) return false;
    if (w->block == 0 || tfp_str_cmp(w->key, w->table->blocks.at[w->block - 1].last_key) > 0) return true;
    return fail(w, TFP_BADFILE, err, "first key is not beyond the block before");
}

/* ---- searching ---- */

/* The first block whose index key is not less than the key. */
static size_t block_of(const tfp_sstable *t, tfp_str key)
{
    size_t low;
    TFP_LOWER_BOUND(low, 0, t->blocks.size, tfp_str_cmp(t->blocks.at[low].last_key, key) < 0);
    return low;
}

/* Goes to restart point i and reads its entry, whose key is stored whole. */
static bool jump(tfp_walk *w, size_t i, tfp_error *err)
{
    uint32_t at = load32(w->bytes + w->entries_end + 4 * i);
    w->fresh = true;
    if (at >= w->entries_end) return fail(w, TFP_BADFILE, err, "restart point outside");
    w->at = at;
    return read_entry(w, false, err);
}

/* Reads the entry of the last restart point whose key is not after the key (or of the first one). */
static bool seek(tfp_walk *w, tfp_str key, tfp_error *err)
{
    size_t low = 0, high = w->restart_count;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (!jump(w, mid, err)) return false;
        if (tfp_str_cmp(w->key, key) <= 0)
            low = mid;
        else
            high = mid;
    }
    return jump(w, low, err);
}

tfp_status tfp_walk_find(tfp_walk *w, const tfp_source *source, tfp_str key, tfp_error *err)
{
    size_t block = block_of(w->table, key);
    w->source = source;
    w->status = TFP_OK;
    if (block == w->table->blocks.size) return TFP_NOTFOUND;
    if (block != w->block && !load_block(w, block, err)) return w->status;
    if (w->restart_count == 0) return TFP_NOTFOUND;
    if (!seek(w, key, err)) return w->status;
    for (size_t steps = 0;; steps++) {
        int order = tfp_str_cmp(w->key, key);
        if (order >= 0 || w->at == w->entries_end) return order == 0 ? TFP_OK : TFP_NOTFOUND;
        if (steps == RESTART_STEPS) fail(w, TFP_BADFILE, err, "too few restart points");
        if (w->status || !read_entry(w, true, err)) return w->status;
    }
}

/* ---- footer and index ---- */

bool tfp_sstable_is(const tfp_source *source)
{
    char end[8];
    return source->size >= FOOTER_SIZE && tfp_source_read(source, source->size - 8, end, 8, NULL) == TFP_OK &&
           memcmp(end, magic, 8) == 0;
}

static tfp_status read_footer(const tfp_source *source, uint64_t handles[4], tfp_error *err)
{
    char footer[FOOTER_SIZE];
    if (source->size < FOOTER_SIZE) return tfp_fail(err, TFP_BADFILE, "too short for a checkpoint's table");
    tfp_status s = tfp_source_read(source, source->size - FOOTER_SIZE, footer, FOOTER_SIZE, err);
    if (s) return s;
    if (memcmp(footer + FOOTER_SIZE - 8, magic, 8) != 0)
        return tfp_fail(err, TFP_BADFILE, "not a checkpoint's table (no magic number at its end)");
    const char *at = footer, *end = footer + FOOTER_SIZE - 8;
    uint64_t limit = source->size - FOOTER_SIZE;
    if (!load_handle(&at, end, limit, &handles[0], &handles[1]) ||
        !load_handle(&at, end, limit, &handles[2], &handles[3]))
        return tfp_fail(err, TFP_BADFILE, "footer: block outside the file");
    return TFP_OK;
}

static tfp_status add_block(tfp_sstable *t, tfp_str key, tfp_str handle, uint64_t limit, tfp_error *err)
{
    tfp_sstable_block b = { .last_key = key };
    const char *at = handle.data, *end = handle.data + handle.size;
    uint64_t least = 0;
    if (t->blocks.size) {
        const tfp_sstable_block *before = &t->blocks.at[t->blocks.size - 1];
        least = before->offset + before->size + TRAILER_SIZE;
    }
    if (!load_handle(&at, end, limit, &b.offset, &b.size)) return tfp_fail(err, TFP_BADFILE, "block outside the file");
    if (b.offset < least) return tfp_fail(err, TFP_BADFILE, "blocks overlap or are out of order");
    b.last_key.data = tfp_arena_copy(&t->arena, key);
    if (!b.last_key.data && t->arena.used + key.size + 32 > t->arena.limit)
        return tfp_fail(err, TFP_LIMIT, "keys too long for the file's size");
    return b.last_key.data && tfp_push(&t->blocks, b) ? TFP_OK : tfp_nomem(err);
}

/* The index block is walked as if it were the one data block of a table. */
static tfp_status read_index(tfp_sstable *t, const tfp_source *source, uint64_t offset, uint64_t size, tfp_error *err)
{
    tfp_walk w = tfp_walk_start(t, source);
    size_t plain_size;
    tfp_status s = read_block(source, offset, size, &w.bytes, &plain_size, err);
    w.offset = offset;
    if (!s && !enter_block(&w, plain_size, err)) s = w.status;
    while (!s && w.at < w.entries_end) {
        if (!read_entry(&w, !w.fresh, err))
            s = w.status;
        else
            s = add_block(t, w.key, w.value, source->size - FOOTER_SIZE, err);
    }
    tfp_walk_free(&w);
    return s;
}

tfp_status tfp_sstable_read(tfp_sstable *t, const tfp_source *source, tfp_error *err)
{
    uint64_t handles[4];
    char *meta = NULL;
    size_t meta_size;
    *t = (tfp_sstable){ .file_size = source->size };
    t->arena.limit =
        source->size > SIZE_MAX / KEYS_GROWTH / 2 ? SIZE_MAX / 2 : (size_t)source->size * KEYS_GROWTH + KEYS_SLACK;
    tfp_status s = read_footer(source, handles, err);
    if (s) return s;
    s = tfp_within(err, read_block(source, handles[0], handles[1], &meta, &meta_size, err), "list of extra blocks");
    free(meta);
    return s ? s : tfp_within(err, read_index(t, source, handles[2], handles[3], err), "index");
}

void tfp_sstable_free(tfp_sstable *t)
{
    tfp_vec_free(&t->blocks);
    tfp_arena_free(&t->arena);
}
