// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/v2.c: checkpoints of version 2: P.index, a table of entries, and P.data-SSSSS-of-NNNNN with
 * values. In: the index; later, one entry's bytes. Out: variables with their parts; wide values. Uses base, wire,
 * model. Layout: tensorflow/core/protobuf/tensor_bundle.proto, core/util/tensor_bundle. Keys: "" for the header; a name
 * for a variable; a 0 byte and an ordered code of name and slice for a slice of a partitioned variable. Keys of slices
 * sort before all names. */
#include "formats/checkpoint/parts.h"

#include "base/crc32c.h"
#include "query/order.h"

#include <stdio.h>
#include <stdlib.h>

/* A BundleEntryProto. */
typedef struct entry {
    int dtype;
    int64_t shard, offset, size;
    uint32_t crc;
    tfp_str shape, all; /* all: the whole message */
    bool sliced;
} entry;

/* An entry of a slice, kept until its variable's entry is read. */
typedef struct slice_entry {
    tfp_str key;
    int dtype;
    uint64_t count; /* elements */
    tfp_part part;
} slice_entry;

typedef struct index_reader {
    tfp_checkpoint *c;
    tfp_builder *b;
    tfp_arena arena; /* memory for the keys of slices */
    TFP_VEC(slice_entry) slices;
    tfp_map64 file_of_shard;
    tfp_buf key;
    int64_t shard_count;
} index_reader;

/* ---- header and entries ---- */

static tfp_status read_header(index_reader *r, tfp_str bytes, tfp_error *err)
{
    tfp_status s = TFP_OK;
    int64_t endianness = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; s == TFP_OK && tfp_wire_next(&w, &f);) {
        switch (f.number) { /* BundleHeaderProto */
        case 1: r->shard_count = tfp_field_int32(&w, &f); break;
        case 2: endianness = tfp_field_int32(&w, &f); break;
        case 3: s = tfp_checkpoint_version(tfp_field_bytes(&w, &f), err); break;
        }
    }
    if (!s) s = tfp_wire_end(&w, err);
    if (!s && (endianness < 0 || endianness > 1))
        s = tfp_fail(err, TFP_BADFILE, "unknown byte order %lld", (long long)endianness);
    r->c->big_endian = endianness == 1;
    return s;
}

static tfp_status read_entry(entry *e, tfp_str bytes, tfp_error *err)
{
    *e = (entry){ .all = bytes };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        switch (f.number) { /* BundleEntryProto */
        case 1: e->dtype = tfp_field_int32(&w, &f); break;
        case 2: e->shape = tfp_field_bytes(&w, &f); break;
        case 3: e->shard = tfp_field_int32(&w, &f); break;
        case 4: e->offset = tfp_field_int(&w, &f); break;
        case 5: e->size = tfp_field_int(&w, &f); break;
        case 6: e->crc = tfp_field_fixed32(&w, &f); break;
        case 7: e->sliced = true; break; /* the slices themselves are read by add_slices */
        }
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && e->dtype <= 0) s = tfp_fail(err, TFP_BADFILE, "type %d", e->dtype);
    return s;
}

/* ---- the files with values ---- */

/* Finds the file of a shard and checks it when it is first named. */
static tfp_status find_file(index_reader *r, int64_t shard, uint32_t *file, tfp_error *err)
{
    tfp_checkpoint *c = r->c;
    if (shard < 0 || shard >= r->shard_count)
        return tfp_fail(err, TFP_BADFILE, "shard %lld of %lld", (long long)shard, (long long)r->shard_count);
    *file = tfp_map64_get(&r->file_of_shard, (uint64_t)shard);
    if (*file != TFP_NONE || !c->prefix) return TFP_OK;
    size_t room = strlen(c->prefix) + 64;
    tfp_shard f = { .path = tfp_arena_alloc(&c->arena, room) };
    if (!f.path) return tfp_nomem(err);
    snprintf(f.path, room, "%s.data-%05lld-of-%05lld", c->prefix, (long long)shard, (long long)r->shard_count);
    tfp_source source;
    tfp_status s = tfp_source_open(&source, f.path, err);
    f.size = source.size;
    tfp_source_close(&source);
    if (s) return tfp_within(err, s, "%s", tfp_base_name(f.path));
    c->file_bytes += f.size;
    *file = (uint32_t)c->files.size;
    return tfp_push(&c->files, f) && tfp_map64_put(&r->file_of_shard, (uint64_t)shard, *file) ? TFP_OK : tfp_nomem(err);
}

/* Whether this many elements can take this many bytes. */
static bool size_fits(int dtype, int64_t size, uint64_t count)
{
    const tfp_dtype *d = tfp_dtype_of(dtype);
    if (size < 0) return false;
    if (d->class == TFP_DTYPE_OPAQUE) return true;
    /* each string has a length of at least one byte; the checksum of the lengths has four */
    if (d->class == TFP_DTYPE_STRING) return size >= 4 && (uint64_t)size - 4 >= count;
    return (uint64_t)size / d->size == count && (uint64_t)size % d->size == 0;
}

/* Makes a part of an entry that has bytes of its own. */
static tfp_status make_part(index_reader *r, const entry *e, uint64_t count, tfp_part *part, tfp_error *err)
{
    *part = (tfp_part){ .extent_first = TFP_NONE, .crc = e->crc };
    if (!size_fits(e->dtype, e->size, count))
        return tfp_fail(err, TFP_BADFILE, "%lld bytes for %llu elements of %s", (long long)e->size,
                        (unsigned long long)count, tfp_dtype_name(e->dtype));
    tfp_status s = find_file(r, e->shard, &part->file, err);
    if (s) return s;
    part->offset = (uint64_t)e->offset;
    part->size = (uint64_t)e->size;
    if (part->file == TFP_NONE) return e->offset < 0 ? tfp_fail(err, TFP_BADFILE, "negative offset") : TFP_OK;
    const tfp_shard *f = &r->c->files.at[part->file];
    if (e->offset < 0 || part->offset > f->size || part->size > f->size - part->offset)
        return tfp_fail(err, TFP_BADFILE, "bytes %lld to %lld reach outside %s, which has %llu", (long long)e->offset,
                        (long long)tfp_add(e->offset, e->size, NULL), tfp_base_name(f->path),
                        (unsigned long long)f->size);
    return TFP_OK;
}

/* ---- slices ---- */

static tfp_status add_slice_entry(index_reader *r, tfp_str key, const entry *e, tfp_error *err)
{
    tfp_checkpoint *c = r->c;
    slice_entry slice = { .dtype = e->dtype };
    size_t dims_before = c->dims.size;
    tfp_status s = tfp_checkpoint_shape(c, e->shape, err);
    if (s) return s;
    if (!tfp_dims_count(c->dims.at + dims_before, c->dims.size - dims_before, &slice.count))
        return tfp_fail(err, TFP_BADFILE, "impossible shape");
    c->dims.size = dims_before;
    s = make_part(r, e, slice.count, &slice.part, err);
    if (!s) s = tfp_checkpoint_keep(c, key.size + sizeof slice, err);
    if (s) return s;
    slice.key = (tfp_str){ tfp_arena_copy(&r->arena, key), key.size };
    return slice.key.data && tfp_push(&r->slices, slice) ? TFP_OK : tfp_nomem(err);
}

static int by_key(const void *key, const void *e)
{
    return tfp_str_cmp(*(const tfp_str *)key, ((const slice_entry *)e)->key);
}

/* Adds one slice that a variable lists. */
static tfp_status add_slice(index_reader *r, const tfp_variable *v, tfp_str bytes, tfp_error *err)
{
    tfp_checkpoint *c = r->c;
    uint32_t extent_first = (uint32_t)c->extents.size;
    uint64_t count;
    tfp_status s = tfp_checkpoint_slice(c, bytes, v, err);
    if (!s) s = tfp_slice_count(c->dims.at + v->dim_first, c->extents.at + extent_first, v->dim_count, &count, err);
    if (s) return s;
    r->key.size = 0;
    tfp_slice_key(&r->key, v->name, c->extents.at + extent_first, v->dim_count);
    if (r->key.failed) return tfp_nomem(err);
    tfp_str key = { r->key.data, r->key.size };
    const slice_entry *e =
        r->slices.size ? bsearch(&key, r->slices.at, r->slices.size, sizeof *r->slices.at, by_key) : NULL;
    if (!e) return tfp_fail(err, TFP_BADFILE, "has no entry");
    if (e->dtype != v->dtype || e->count != count)
        return tfp_fail(err, TFP_BADFILE, "its entry has another type or shape");
    tfp_part part = e->part;
    part.extent_first = extent_first;
    return tfp_push(&c->parts, part) ? TFP_OK : tfp_nomem(err);
}

static tfp_status add_slices(index_reader *r, const tfp_variable *v, tfp_str entry_bytes, tfp_error *err)
{
    tfp_status s = TFP_OK;
    size_t i = 0;
    tfp_wire w = tfp_wire_start(entry_bytes);
    for (tfp_field f = { 0 }; s == TFP_OK && tfp_wire_next(&w, &f);)
        if (f.number == 7) s = tfp_within(err, add_slice(r, v, tfp_field_bytes(&w, &f), err), "slice %zu", i++);
    return s ? s : tfp_wire_end(&w, err);
}

/* ---- variables ---- */

static tfp_status add_whole(index_reader *r, const tfp_variable *v, const entry *e, tfp_error *err)
{
    tfp_checkpoint *c = r->c;
    tfp_part part;
    uint64_t count;
    if (!tfp_dims_count(c->dims.at + v->dim_first, v->dim_count, &count))
        return tfp_fail(err, TFP_BADFILE, "impossible shape");
    tfp_status s = make_part(r, e, count, &part, err);
    return s ? s : tfp_push(&c->parts, part) ? TFP_OK : tfp_nomem(err);
}

static tfp_status add_variable(index_reader *r, tfp_str name, const entry *e, tfp_error *err)
{
    tfp_checkpoint *c = r->c;
    tfp_variable v = { .dtype = e->dtype, .dim_first = (uint32_t)c->dims.size, .part_first = (uint32_t)c->parts.size };
    tfp_status s = tfp_checkpoint_keep(c, name.size + sizeof v + sizeof(tfp_part), err);
    if (!s) s = tfp_checkpoint_shape(c, e->shape, err);
    if (s) return s;
    v.dim_count = (uint32_t)c->dims.size - v.dim_first;
    v.name = (tfp_str){ tfp_arena_copy(&c->arena, name), name.size };
    if (!v.name.data) return tfp_nomem(err);
    s = e->sliced ? add_slices(r, &v, e->all, err) : add_whole(r, &v, e, err);
    if (s) return s;
    v.part_count = (uint32_t)c->parts.size - v.part_first;
    tfp_checkpoint_warn_type(r->b, v.dtype, name);
    return tfp_push(&c->variables, v) ? TFP_OK : tfp_nomem(err);
}

static tfp_status add_entry(index_reader *r, tfp_str key, tfp_str value, tfp_error *err)
{
    entry e;
    tfp_status s = read_entry(&e, value, err);
    if (s) return s;
    return key.data[0] == 0 ? add_slice_entry(r, key, &e, err) : add_variable(r, key, &e, err);
}

/* Refuses two entries with the same bytes: TensorFlow never writes them, and many of them would make a small file look
 * like much data. */
static const tfp_sort_key by_place[] = { TFP_UP(tfp_part, file), TFP_UP(tfp_part, offset), { 0 } };

static tfp_status check_overlap(const tfp_checkpoint *c, tfp_error *err)
{
    TFP_VEC(uint32_t) order = { 0 };
    tfp_status s = TFP_OK;
    if (!tfp_reserve(&order, c->parts.size + 1)) return tfp_nomem(err);
    for (size_t i = 0; i < c->parts.size; i++)
        if (c->parts.at[i].size && c->parts.at[i].file != TFP_NONE) order.at[order.size++] = (uint32_t)i;
    if (!tfp_order_items(order.at, order.size, by_place, c->parts.at, sizeof *c->parts.at)) s = tfp_nomem(err);
    for (size_t i = 1; !s && i < order.size; i++) {
        const tfp_part *a = &c->parts.at[order.at[i - 1]], *b = &c->parts.at[order.at[i]];
        if (a->file == b->file && b->offset - a->offset < a->size)
            s = tfp_fail(err, TFP_BADFILE, "entries overlap at byte %llu of %s", (unsigned long long)b->offset,
                         tfp_base_name(c->files.at[b->file].path));
    }
    tfp_vec_free(&order);
    return s;
}

static tfp_status read_entries(index_reader *r, tfp_walk *w, tfp_error *err)
{
    tfp_status s;
    if (!tfp_walk_next(w, err)) return w->status ? w->status : tfp_fail(err, TFP_BADFILE, "empty index");
    if (w->key.size) return tfp_fail(err, TFP_BADFILE, "no header");
    if ((s = tfp_within(err, read_header(r, w->value, err), "header"))) return s;
    while (tfp_walk_next(w, err)) {
        s = add_entry(r, w->key, w->value, err);
        if (s && w->key.data[0])
            return tfp_within(err, s, "%.*s", w->key.size > 1000 ? 1000 : (int)w->key.size, w->key.data);
        if (s) return tfp_within(err, s, "entry of a slice");
    }
    return w->status;
}

tfp_status tfp_checkpoint_read_v2(tfp_checkpoint *c, tfp_builder *b, const tfp_source *index, tfp_error *err)
{
    index_reader r = { .c = c, .b = b };
    tfp_sstable table;
    c->version = 2;
    tfp_status s = tfp_sstable_read(&table, index, err);
    tfp_walk w = tfp_walk_start(&table, index);
    if (!s) s = read_entries(&r, &w, err);
    if (!s) s = check_overlap(c, err);
    tfp_walk_free(&w);
    tfp_sstable_free(&table);
    tfp_arena_free(&r.arena);
    tfp_vec_free(&r.slices);
    tfp_map64_free(&r.file_of_shard);
    tfp_buf_free(&r.key);
    return s;
}

/* ---- values ---- */

static void store32(uint8_t *to, uint32_t v, bool big_endian)
{
    for (unsigned i = 0; i < 4; i++) to[big_endian ? 3 - i : i] = (uint8_t)(v >> (8 * i));
}

static uint32_t load32(const uint8_t *at, bool big_endian)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++) v |= (uint32_t)at[big_endian ? 3 - i : i] << (8 * i);
    return v;
}

/* Adds a length to the checksum: as 4 bytes, or as 8 when it needs them. */
static uint32_t crc_length(uint32_t crc, uint64_t length, bool big_endian)
{
    uint8_t bytes[8];
    bool wide = length > UINT32_MAX;
    store32(bytes + (wide && big_endian ? 4 : 0), (uint32_t)length, big_endian);
    if (wide) store32(bytes + (big_endian ? 0 : 4), (uint32_t)(length >> 32), big_endian);
    return tfp_crc32c(crc, bytes, wide ? 8 : 4);
}

/* Reads strings: varint lengths, a checksum of 4 bytes over them, the texts. The lengths are first stored in the places
 * of the strings. */
static tfp_status read_strings(tfp_str bytes, bool big_endian, size_t count, tfp_str *to, uint32_t *crc, tfp_error *err)
{
    const uint8_t *at = (const uint8_t *)bytes.data, *end = at + bytes.size;
    *crc = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t length = 0;
        unsigned shift = 0;
        for (; at < end && shift < 63 && *at >= 0x80; shift += 7) length |= (uint64_t)(*at++ & 0x7f) << shift;
        if (at == end || *at >= 0x80) return tfp_fail(err, TFP_BADFILE, "lengths of strings cut short");
        length |= (uint64_t)*at++ << shift;
        if (length > bytes.size) return tfp_fail(err, TFP_BADFILE, "string longer than the data");
        to[i].size = (size_t)length;
        *crc = crc_length(*crc, length, big_endian);
    }
    if (end - at < 4 || !tfp_checksum_fits(tfp_crc32c_mask(*crc), load32(at, big_endian)))
        return tfp_fail(err, TFP_BADFILE, "checksum of the lengths of strings does not match");
    *crc = tfp_crc32c(*crc, at, (size_t)(end - at));
    at += 4;
    for (size_t i = 0; i < count; at += to[i].size, i++) {
        if (to[i].size > (size_t)(end - at)) return tfp_fail(err, TFP_BADFILE, "strings cut short");
        to[i].data = (const char *)at;
    }
    return at == end ? TFP_OK : tfp_fail(err, TFP_BADFILE, "more bytes than its strings have");
}

static tfp_status check_and_widen(const tfp_checkpoint *c, const tfp_part_read *x, tfp_str bytes, tfp_error *err)
{
    const tfp_part *part = x->part;
    int dtype = x->v->dtype;
    bool strings = tfp_dtype_of(dtype)->class == TFP_DTYPE_STRING;
    uint32_t crc = strings ? 0 : tfp_crc32c(0, bytes.data, bytes.size);
    tfp_status s = strings ? read_strings(bytes, c->big_endian, x->count, x->to, &crc, err) : TFP_OK;
    if (!s && !tfp_checksum_fits(tfp_crc32c_mask(crc), part->crc))
        s = tfp_fail(err, TFP_BADFILE, "checksum of bytes %llu to %llu does not match",
                     (unsigned long long)part->offset, (unsigned long long)(part->offset + part->size));
    return s || strings ? s : tfp_widen(dtype, bytes, c->big_endian, x->count, x->to, err);
}

static tfp_status read_bytes(const tfp_checkpoint *c, const tfp_part *part, char *bytes, tfp_error *err)
{
    tfp_reader *r;
    tfp_status s = tfp_reader_take(c, part->file, &r, err);
    if (s) return s;
    s = tfp_source_read(&r->source, part->offset, bytes, (size_t)part->size, err);
    tfp_reader_give(r);
    return s;
}

/* Strings stay where they were read; numbers are kept only in wide form. */
tfp_status tfp_checkpoint_read_part_v2(const tfp_checkpoint *c, const tfp_part_read *x, tfp_error *err)
{
    const tfp_part *part = x->part;
    if (part->file == TFP_NONE)
        return tfp_fail(err, TFP_BADFILE, "its values lie in files beside the index, which was not given by its path");
    bool is_string = tfp_dtype_of(x->v->dtype)->class == TFP_DTYPE_STRING;
    char *bytes = is_string ? tfp_tensor_alloc(x->owner, (size_t)part->size) : malloc((size_t)part->size + 1);
    tfp_status s = bytes ? read_bytes(c, part, bytes, err) : tfp_nomem(err);
    if (!s) s = check_and_widen(c, x, (tfp_str){ bytes, (size_t)part->size }, err);
    if (!is_string) free(bytes);
    return s;
}
