// SPDX-License-Identifier: Apache-2.0
/* outputs/data/parquet_page.c: reads pages of a Parquet column: unpacks them, then reads levels, then values or indexes into
 * a dictionary. */
#include "outputs/data/parquet_page.h"
#include "outputs/data/parquet.h"
#include "wire/thrift_read.h"

#include <libdeflate.h>
#include <snappy-c.h>

enum { PLAIN_DICTIONARY = 2, NOT_PACKED = 0, SNAPPY = 1, PAGE_MOST = 1 << 30 };

typedef struct page_head {
    int64_t type, unpacked, packed, values, encoding;
} page_head;

typedef struct pages {
    tfp_parquet_cells *c;
    int codec;
    size_t done; /* cells that are filled so far */
    uint64_t *dictionary;
    size_t dictionary_size;
    uint32_t *numbers; /* levels or indexes of a page */
    tfp_buf plain;     /* a page, unpacked */
} pages;

static tfp_status damaged(tfp_error *err) { return tfp_fail(err, TFP_BADFILE, "damaged page"); }

/* ---- heads ---- */

static void read_inner(tfp_thrift_in *in, page_head *h)
{
    for (tfp_thrift_field f = { 0 }; tfp_thrift_next(in, &f);) {
        int64_t n = tfp_thrift_int_of(in, &f);
        if (f.number == 1) h->values = n;
        if (f.number == 2) h->encoding = n;
    }
}

static page_head read_head(tfp_thrift_in *in)
{
    page_head h = { .type = -1, .encoding = -1 };
    for (tfp_thrift_field f = { 0 }; tfp_thrift_next(in, &f);) {
        if ((f.number == 5 || f.number == 7) && f.type == TFP_THRIFT_STRUCT) {
            read_inner(in, &h);
            continue;
        }
        int64_t n = tfp_thrift_int_of(in, &f);
        if (f.number == 1) h.type = n;
        if (f.number == 2) h.unpacked = n;
        if (f.number == 3) h.packed = n;
    }
    return h;
}

/* ---- bytes ---- */

static tfp_status gunzip(tfp_str packed, char *to, size_t size, tfp_error *err)
{
    size_t got = 0;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!d) return tfp_nomem(err);
    bool ok = libdeflate_gzip_decompress(d, packed.data, packed.size, to, size, &got) == LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(d);
    return ok && got == size ? TFP_OK : damaged(err);
}

static tfp_status refuse_codec(int codec, tfp_error *err)
{
    static const char *const names[] = { [3] = "lzo", [4] = "brotli", [5] = "lz4", [6] = "zstd", [7] = "lz4_raw" };
    char number[32];
    snprintf(number, sizeof number, "codec %d", codec);
    bool known = codec >= 0 && (size_t)codec < sizeof names / sizeof *names && names[codec];
    return tfp_fail(err, TFP_BADFILE,
                    "compressed with %s; only snappy, gzip and no compression are read. Rewrite the file, with DuckDB: "
                    "COPY (FROM 'OLD.parquet') TO 'NEW.parquet' (FORMAT parquet, COMPRESSION snappy)",
                    known ? names[codec] : number);
}

/* Deflate and Snappy expand bytes by at most about 1,032 times, so a bigger size is forged. */
static tfp_status unpack(pages *p, const page_head *h, tfp_str packed, tfp_str *out, tfp_error *err)
{
    size_t size = (size_t)h->unpacked, got = size;
    *out = packed;
    if (p->codec == NOT_PACKED) return size == packed.size ? TFP_OK : damaged(err);
    if (p->codec != SNAPPY && p->codec != TFP_PARQUET_GZIP) return refuse_codec(p->codec, err);
    if (size / 1100 > packed.size) return damaged(err);
    p->plain.size = 0;
    tfp_buf_fill(&p->plain, 0, size + 1);
    if (p->plain.failed) return tfp_nomem(err);
    *out = (tfp_str){ p->plain.data, size };
    if (p->codec == TFP_PARQUET_GZIP) return gunzip(packed, p->plain.data, size, err);
    size_t length;
    if (snappy_uncompressed_length(packed.data, packed.size, &length) != SNAPPY_OK || length != size ||
        snappy_uncompress(packed.data, packed.size, p->plain.data, &got) != SNAPPY_OK)
        return damaged(err);
    return TFP_OK;
}

static uint64_t little(const char *at, size_t size)
{
    uint64_t n = 0;
    for (size_t i = 0; i < size; i++) n |= (uint64_t)(uint8_t)at[i] << (8 * i);
    return n;
}

/* Reads numbers of `width` bits: runs of equal numbers, and packed groups of eight. */
static bool read_runs(tfp_str in, unsigned width, uint32_t *out, size_t count)
{
    size_t n = 0, bytes = (width + 7) / 8;
    while (n < count && in.size) {
        tfp_varint v = tfp_varint_long((const uint8_t *)in.data, (const uint8_t *)in.data + in.size);
        if (!v.at) return false;
        in.size -= (size_t)((const char *)v.at - in.data);
        in.data = (const char *)v.at;
        uint64_t amount = v.value >> 1;
        if (!(v.value & 1)) {
            if (bytes > in.size || !amount) return false;
            uint32_t x = (uint32_t)little(in.data, bytes);
            for (; amount && n < count; amount--) out[n++] = x;
            in.data += bytes, in.size -= bytes;
            continue;
        }
        if (amount > in.size || (width && amount > in.size / width)) return false;
        uint64_t bits = 0, mask = width == 32 ? UINT32_MAX : (UINT64_C(1) << width) - 1;
        size_t at = 0;
        for (uint64_t i = 0, held = 0; i < amount * 8; i++) {
            while (held < width) bits |= (uint64_t)(uint8_t)in.data[at++] << held, held += 8;
            if (n < count) out[n++] = (uint32_t)(bits & mask);
            bits >>= width, held -= width;
        }
        in.data += amount * width, in.size -= (size_t)amount * width;
    }
    return n == count;
}

/* ---- values ---- */

static size_t width_of(tfp_cell_type type) { return type == TFP_CELL_DATE ? 4 : 8; }

/* Reads one PLAIN value; false past the end. */
static bool plain_value(const pages *p, tfp_str *in, uint64_t *out)
{
    size_t size = width_of(p->c->type);
    if (p->c->type == TFP_CELL_TEXT) {
        if (in->size < 4 || (size = (size_t)little(in->data, 4)) > in->size - 4) return false;
        *out = tfp_intern(&p->c->texts->table, (tfp_str){ in->data + 4, size });
        size += 4;
    } else {
        if (in->size < size) return false;
        *out = little(in->data, size);
        if (p->c->type == TFP_CELL_DATE) *out = (uint64_t)(int64_t)(int32_t)(uint32_t)*out;
    }
    in->data += size, in->size -= size;
    return true;
}

static tfp_status read_dictionary(pages *p, const page_head *h, tfp_str in, tfp_error *err)
{
    if (p->dictionary || (uint64_t)h->values > in.size || p->c->type == TFP_CELL_BOOL) return damaged(err);
    p->dictionary = calloc((size_t)h->values + 1, sizeof *p->dictionary);
    if (!p->dictionary) return tfp_nomem(err);
    for (; p->dictionary_size < (size_t)h->values; p->dictionary_size++) {
        uint64_t *cell = &p->dictionary[p->dictionary_size];
        if (!plain_value(p, &in, cell)) return damaged(err);
        if (p->c->type == TFP_CELL_TEXT && *cell == TFP_NONE) return tfp_nomem(err);
    }
    return TFP_OK;
}

/* Reads which of the page's cells have a value, and advances `in` past the levels. */
static bool read_levels(pages *p, tfp_str *in, size_t count, size_t *present)
{
    uint8_t *absent = p->c->absent + p->done;
    memset(absent, 0, count);
    *present = count;
    if (!p->c->optional) return true;
    if (in->size < 4) return false;
    size_t size = (size_t)little(in->data, 4);
    if (size > in->size - 4 || !read_runs((tfp_str){ in->data + 4, size }, 1, p->numbers, count)) return false;
    for (size_t i = 0; i < count; i++) {
        absent[i] = p->numbers[i] == 0;
        *present -= absent[i];
    }
    in->data += 4 + size, in->size -= 4 + size;
    return true;
}

static tfp_status put_indexed(pages *p, tfp_str in, size_t count, size_t present, tfp_error *err)
{
    unsigned width = in.size ? (uint8_t)in.data[0] : 0;
    if (present && (!in.size || width > 32 || !p->dictionary)) return damaged(err);
    if (present && !read_runs((tfp_str){ in.data + 1, in.size - 1 }, width, p->numbers, present)) return damaged(err);
    for (size_t i = 0, n = 0; i < count; i++) {
        uint64_t *cell = &p->c->cells[p->done + i];
        *cell = 0;
        if (p->c->absent[p->done + i]) continue;
        if (p->numbers[n] >= p->dictionary_size) return damaged(err);
        *cell = p->dictionary[p->numbers[n++]];
    }
    return TFP_OK;
}

static tfp_status put_plain(pages *p, tfp_str in, size_t count, tfp_error *err)
{
    size_t bit = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t *cell = &p->c->cells[p->done + i];
        *cell = 0;
        if (p->c->absent[p->done + i]) continue;
        if (p->c->type == TFP_CELL_BOOL) {
            if (bit / 8 >= in.size) return damaged(err);
            *cell = (uint8_t)in.data[bit / 8] >> (bit % 8) & 1;
            bit++;
        } else if (!plain_value(p, &in, cell)) {
            return damaged(err);
        }
        if (p->c->type == TFP_CELL_TEXT && *cell == TFP_NONE) return tfp_nomem(err);
    }
    return TFP_OK;
}

static tfp_status read_data(pages *p, const page_head *h, tfp_str in, tfp_error *err)
{
    size_t count = (size_t)h->values, present;
    if (count > p->c->count - p->done || !read_levels(p, &in, count, &present)) return damaged(err);
    tfp_status s;
    if (h->encoding == TFP_PARQUET_DICTIONARY || h->encoding == PLAIN_DICTIONARY)
        s = put_indexed(p, in, count, present, err);
    else if (h->encoding == TFP_PARQUET_PLAIN)
        s = put_plain(p, in, count, err);
    else
        s = tfp_fail(err, TFP_BADFILE, "encoding %lld is not known", (long long)h->encoding);
    p->done += count;
    return s;
}

static tfp_status read_page(pages *p, tfp_str *in, tfp_error *err)
{
    tfp_thrift_in head = tfp_thrift_in_start(*in);
    page_head h = read_head(&head);
    size_t left = (size_t)(head.end - head.at);
    if (head.fault || h.packed < 0 || (uint64_t)h.packed > left || h.unpacked < 0 || h.unpacked > PAGE_MOST ||
        h.values < 0)
        return damaged(err);
    tfp_str packed = { (const char *)head.at, (size_t)h.packed }, plain;
    *in = (tfp_str){ packed.data + packed.size, left - packed.size };
    if (h.type != TFP_PARQUET_DATA_PAGE && h.type != TFP_PARQUET_DICTIONARY_PAGE)
        return tfp_fail(err, TFP_BADFILE, "pages of type %lld are not known", (long long)h.type);
    tfp_status s = unpack(p, &h, packed, &plain, err);
    if (s) return s;
    return h.type == TFP_PARQUET_DATA_PAGE ? read_data(p, &h, plain, err) : read_dictionary(p, &h, plain, err);
}

tfp_status tfp_parquet_cells_read(tfp_parquet_cells *c, int codec, tfp_str bytes, tfp_error *err)
{
    pages p = { .c = c, .codec = codec };
    tfp_status s = TFP_OK;
    p.numbers = malloc((c->count + 1) * sizeof *p.numbers);
    if (!p.numbers) s = tfp_nomem(err);
    while (!s && p.done < c->count) s = bytes.size ? read_page(&p, &bytes, err) : damaged(err);
    free(p.numbers);
    free(p.dictionary);
    tfp_buf_free(&p.plain);
    return s;
}
