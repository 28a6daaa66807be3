// SPDX-License-Identifier: Apache-2.0
/* store/directory.c: the frame of a file: its head, its foot, and the directory of its tables and columns, of both
 * versions. Offsets and sizes are checked here, so that readers of columns need not check whether they lie in the
 * file. */
#include "base/crc32c.h"
#include "store/store.h"
#include "wire/proto.h"

#include <libdeflate.h>

const char tfp_store_magic[8] = { (char)0x89, 't', 'f', 'p', 'r', 'o', 'f', '\n' };

static const char again[] = "convert the original files again";

const tfp_store_entry *tfp_store_entry_find(const tfp_store_file *f, const char *table, const char *column)
{
    for (size_t i = 0; i < f->entries.size; i++)
        if (strcmp(f->entries.at[i].column, column) == 0 && strcmp(f->entries.at[i].table, table) == 0)
            return &f->entries.at[i];
    return NULL;
}

static tfp_status damaged_entry(size_t i, tfp_error *err)
{
    return tfp_fail(err, TFP_BADFILE, "damaged: entry %zu of its directory: %s", i, again);
}

/* ---- version 1 ---- */

static tfp_status add_unpacked(tfp_store_file *f, const tfp_store_unpacked_entry *e, uint64_t end, tfp_error *err)
{
    bool named = memchr(e->table, 0, sizeof e->table) && memchr(e->column, 0, sizeof e->column);
    if (!named || e->offset > end || e->size > end - e->offset || e->rows >= TFP_NONE - 1)
        return damaged_entry(f->entries.size, err);
    const char *column = strcmp(e->column, "events.origin_unix_ns") ? e->column : "origin_unix_ns";
    tfp_store_entry entry = { .table = e->table,
                              .column = column,
                              .width = e->width,
                              .crc = e->crc,
                              .rows = e->rows,
                              .offset = e->offset,
                              .size = e->size };
    return tfp_push(&f->entries, entry) ? TFP_OK : tfp_nomem(err);
}

static tfp_status read_unpacked(tfp_store_file *f, tfp_str bytes, const tfp_store_foot *foot, tfp_error *err)
{
    const tfp_store_unpacked_entry *e = (const void *)bytes.data;
    if (bytes.size % sizeof *e || bytes.size / sizeof *e != foot->entries)
        return tfp_fail(err, TFP_BADFILE, "cut short, or its end is damaged: %s", again);
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < foot->entries && !s; i++) s = add_unpacked(f, &e[i], foot->directory, err);
    return s;
}

/* ---- version 2 ---- */

typedef struct bytes_reader {
    const uint8_t *at, *end;
    uint64_t block; /* the offset of the next column's blocks */
    bool bad;       /* the bytes ended or are invalid; all further numbers read as 0 */
    bool newer;     /* a table or a column that is not in the lists here */
} bytes_reader;

static const uint8_t *take(bytes_reader *r, uint64_t size)
{
    const uint8_t *at = r->at;
    if (r->bad || size > (uint64_t)(r->end - r->at)) {
        r->bad = true;
        return NULL;
    }
    r->at += size;
    return at;
}

static uint64_t take_varint(bytes_reader *r)
{
    tfp_varint v = tfp_varint_long(r->at, r->end);
    if (!v.at) r->bad = true;
    if (r->bad) return 0;
    r->at = v.at;
    return v.value;
}

/* Reads the sizes of this many blocks, and the checksum of all. */
static void take_blocks(bytes_reader *r, tfp_store_entry *e, uint64_t count)
{
    const uint8_t *from = r->at;
    e->offset = r->block;
    for (uint64_t i = 0; i < count && !r->bad; i++) {
        uint64_t size = take_varint(r);
        if (!size || size > TFP_PACK_MOST) r->bad = true;
        e->size += size;
    }
    e->here = (tfp_str){ (const char *)from, (size_t)(r->at - from) };
    r->block += e->size;
    const uint8_t *crc = take(r, sizeof e->crc);
    if (crc) memcpy(&e->crc, crc, sizeof e->crc);
}

static void take_here(bytes_reader *r, tfp_store_entry *e, uint64_t size)
{
    const uint8_t *at = take(r, size);
    if (at) e->here = (tfp_str){ (const char *)at, (size_t)size };
}

static void take_numbers(bytes_reader *r, tfp_store_entry *e)
{
    if (e->rows > TFP_STORE_HERE_ROWS) {
        take_blocks(r, e, e->rows / TFP_PACK_ROWS + (e->rows % TFP_PACK_ROWS > 0));
        return;
    }
    size_t size = r->end - r->at < (ptrdiff_t)TFP_PACK_HEAD ? 0 : tfp_pack_size(r->at, (size_t)e->rows, e->width);
    if (!size) r->bad = true;
    take_here(r, e, size);
}

static void take_texts(bytes_reader *r, tfp_store_entry *e)
{
    uint64_t told = take_varint(r);
    e->ended = told & 1;
    e->unpacked = told >> 1;
    if (e->unpacked > TFP_STORE_HERE_BYTES)
        take_blocks(r, e, e->unpacked / TFP_PACK_BYTES + (e->unpacked % TFP_PACK_BYTES > 0));
    else
        take_here(r, e, e->unpacked);
}

static bool take_column(tfp_store_file *f, bytes_reader *r, const tfp_store_entry *table, const char *name,
                        size_t width)
{
    tfp_store_entry e = {
        .table = table->table, .column = name, .width = (uint32_t)width, .packed = true, .rows = table->rows
    };
    if (width)
        take_numbers(r, &e);
    else
        take_texts(r, &e);
    return r->bad || tfp_push(&f->entries, e);
}

/* Reads the columns of a table whose bits are set. False if memory is out. */
static bool take_columns(tfp_store_file *f, bytes_reader *r, const tfp_schema_table *t, const tfp_store_entry *e)
{
    uint64_t there = take_varint(r);
    bool memory = !t->chain.there || take_column(f, r, e, TFP_STORE_OWNER, sizeof(uint32_t));
    if (there >> t->column_count) r->newer = r->bad = true;
    for (size_t i = 0; i < t->column_count && memory && !r->bad; i++)
        if (there >> i & 1) memory = take_column(f, r, e, t->columns[i].name, t->columns[i].width);
    return memory;
}

static bool take_table(tfp_store_file *f, bytes_reader *r, uint64_t *number)
{
    uint64_t next = take_varint(r);
    if (next >= TFP_TABLES - *number) r->newer = r->bad = true;
    if (r->bad) return true;
    const tfp_schema_table *t = &tfp_schema_tables[*number + next];
    *number += next + 1;
    tfp_store_entry e = { .table = t->name, .column = "", .rows = take_varint(r) };
    if (!e.rows || e.rows >= TFP_NONE - 1) r->bad = true;
    return r->bad || (tfp_push(&f->entries, e) && take_columns(f, r, t, &e));
}

static tfp_status read_entries(tfp_store_file *f, tfp_str bytes, uint64_t end, tfp_error *err)
{
    bytes_reader r = { (const uint8_t *)bytes.data, (const uint8_t *)bytes.data + bytes.size, sizeof(tfp_store_head),
                       false, false };
    tfp_store_entry strings = { .table = TFP_STORE_STRINGS, .rows = take_varint(&r) };
    uint64_t number = 0;
    if (strings.rows >= TFP_NONE - 1) r.bad = true;
    bool memory = take_column(f, &r, &strings, "value", 0);
    while (memory && r.at < r.end && !r.bad) memory = take_table(f, &r, &number);
    if (!memory) return tfp_nomem(err);
    if (r.newer) return tfp_fail(err, TFP_BADFILE, "it has tables or columns that only a newer tfprof reads");
    return r.bad || r.block != end ? damaged_entry(f->entries.size, err) : TFP_OK;
}

static tfp_status read_packed(tfp_store_file *f, tfp_str packed, const tfp_store_foot *foot, tfp_error *err)
{
    size_t size = (size_t)foot->entries;
    bool there = foot->entries <= TFP_STORE_DIRECTORY && size / TFP_PACK_RATIO <= packed.size;
    if (!there) return tfp_fail(err, TFP_BADFILE, "damaged: its directory has another size: %s", again);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    f->directory = malloc(size + 1);
    bool memory = d && f->directory;
    there = memory &&
            libdeflate_deflate_decompress(d, packed.data, packed.size, f->directory, size, NULL) == LIBDEFLATE_SUCCESS;
    if (d) libdeflate_free_decompressor(d);
    if (!memory) return tfp_nomem(err);
    if (!there) return tfp_fail(err, TFP_BADFILE, "damaged: its directory cannot be unpacked: %s", again);
    return read_entries(f, (tfp_str){ f->directory, size }, foot->directory, err);
}

/* ---- the frame ---- */

static tfp_status check_head(const tfp_store_head *head, tfp_error *err)
{
    if (memcmp(head->magic, tfp_store_magic, sizeof head->magic) != 0)
        return tfp_fail(err, TFP_BADFILE, "not a file of tfprof convert");
    if (head->order != TFP_STORE_ORDER)
        return tfp_fail(err, TFP_BADFILE, "written by a machine of another byte order: %s", again);
    if (head->version != TFP_STORE_VERSION && head->version != TFP_STORE_VERSION_UNPACKED)
        return tfp_fail(err, TFP_BADFILE, "of version %u, where this tfprof reads versions %u and %u: %s",
                        head->version, TFP_STORE_VERSION_UNPACKED, TFP_STORE_VERSION, again);
    return TFP_OK;
}

static tfp_status read_foot(tfp_store_file *f, tfp_store_foot *foot, tfp_error *err)
{
    uint64_t end = f->in.size - sizeof *foot;
    tfp_status s = tfp_source_read(&f->in, end, foot, sizeof *foot, err);
    if (s) return s;
    if (memcmp(foot->magic, tfp_store_magic, sizeof foot->magic) != 0 || foot->order != TFP_STORE_ORDER ||
        foot->directory > end)
        return tfp_fail(err, TFP_BADFILE, "cut short, or its end is damaged: %s", again);
    return TFP_OK;
}

/* The directory's bytes as stored. Freed by the caller. */
static tfp_status read_bytes(tfp_store_file *f, const tfp_store_head *head, const tfp_store_foot *foot, tfp_str *out,
                             tfp_error *err)
{
    uint64_t size = f->in.size - sizeof *foot - foot->directory;
    char *bytes = size > SIZE_MAX / 4 ? NULL : malloc((size_t)size + 1);
    *out = (tfp_str){ bytes, (size_t)size };
    if (!bytes) return tfp_nomem(err);
    tfp_status s = tfp_source_read(&f->in, foot->directory, bytes, out->size, err);
    if (s) return s;
    uint32_t crc = tfp_crc32c(tfp_crc32c(0, head, sizeof *head), bytes, out->size);
    if (!tfp_checksum_fits(tfp_crc32c(crc, foot, offsetof(tfp_store_foot, crc)), foot->crc))
        return tfp_fail(err, TFP_BADFILE, "damaged: its directory has another checksum: %s", again);
    return TFP_OK;
}

tfp_status tfp_store_read_directory(tfp_store_file *f, tfp_error *err)
{
    tfp_store_head head;
    tfp_store_foot foot;
    tfp_str bytes = { NULL, 0 };
    if (f->in.size < sizeof head + sizeof foot) return tfp_fail(err, TFP_BADFILE, "cut short: %s", again);
    tfp_status s = tfp_source_read(&f->in, 0, &head, sizeof head, err);
    if (!s) s = check_head(&head, err);
    if (!s) s = read_foot(f, &foot, err);
    if (!s) s = read_bytes(f, &head, &foot, &bytes, err);
    if (!s)
        s = head.version == TFP_STORE_VERSION ? read_packed(f, bytes, &foot, err) : read_unpacked(f, bytes, &foot, err);
    if (!s && head.version == TFP_STORE_VERSION_UNPACKED)
        f->directory = (char *)(uintptr_t)bytes.data; /* the names of entries point into it */
    else
        free((void *)(uintptr_t)bytes.data);
    return s;
}
