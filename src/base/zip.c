// SPDX-License-Identifier: Apache-2.0
/* base/zip.c: the directory of a ZIP archive and the data of its entries. Every offset and size is first checked
 * against the file. */
#include "base/zip.h"

#define ZLIB_CONST /* makes zlib declare its input as const */
#include <zlib.h>

enum {
    LOCAL = 30,     /* bytes of a header before the name */
    CENTRAL = 46,   /* bytes of a directory row before the name */
    END = 22,       /* bytes of the end record before its comment */
    LOCATOR = 20,   /* bytes of the record that locates the 64-bit end record */
    END64 = 56,     /* bytes of the 64-bit end record */
    COMMENT = 65535 /* most bytes of a comment */
};
#define DIRECTORY_MOST ((uint64_t)64 << 20)
#define PACKED_MOST 1000 /* how many times bigger unpacked data may be; deflate cannot exceed 1,032 */

static uint64_t number(const char *at, unsigned bytes)
{
    uint64_t n = 0;
    while (bytes-- > 0) n = n << 8 | (unsigned char)at[bytes];
    return n;
}

bool tfp_is_zip(tfp_str head) { return tfp_str_begins(head, (tfp_str){ "PK\3\4", 4 }); }

/* ---- the directory ---- */

typedef struct directory {
    uint64_t at, size, count;
} directory;

static tfp_status cut_short(tfp_error *err)
{
    return tfp_fail(err, TFP_BADFILE, "cut short: an archive without its directory, which is at the end");
}

/* Reads the 64-bit end record, which repeats everything; it exists when a number did not fit into the other record. */
static tfp_status find_long(tfp_input *in, uint64_t end_at, directory *d, tfp_error *err)
{
    tfp_str text = { 0 };
    if (end_at < LOCATOR) return TFP_OK;
    tfp_status s = tfp_input_seek(in, end_at - LOCATOR, err);
    if (!s) s = tfp_input_peek(in, LOCATOR, &text, err);
    if (s || text.size < LOCATOR || memcmp(text.data, "PK\6\7", 4) != 0) return s;
    uint64_t at = number(text.data + 8, 8);
    if (at > end_at - LOCATOR) return cut_short(err);
    s = tfp_input_seek(in, at, err);
    if (!s) s = tfp_input_peek(in, END64, &text, err);
    if (s) return s;
    if (text.size < END64 || memcmp(text.data, "PK\6\6", 4) != 0) return cut_short(err);
    *d = (directory){ number(text.data + 48, 8), number(text.data + 40, 8), number(text.data + 32, 8) };
    return TFP_OK;
}

static tfp_status find_directory(tfp_input *in, directory *d, tfp_error *err)
{
    uint64_t behind = in->total < END + COMMENT ? in->total : END + COMMENT;
    tfp_str text;
    tfp_status s = tfp_input_seek(in, in->total - behind, err);
    if (!s) s = tfp_input_peek(in, (size_t)behind, &text, err);
    if (s) return s;
    for (size_t i = text.size < END ? 0 : text.size - END + 1; i-- > 0;) {
        const char *end = text.data + i;
        if (memcmp(end, "PK\5\6", 4) != 0 || number(end + 20, 2) + END + i > text.size) continue;
        *d = (directory){ number(end + 16, 4), number(end + 12, 4), number(end + 10, 2) };
        bool is_long = d->at == UINT32_MAX || d->size == UINT32_MAX || d->count == UINT16_MAX;
        return is_long ? find_long(in, in->total - behind + i, d, err) : TFP_OK;
    }
    return cut_short(err);
}

/* Reads 64-bit sizes and offsets, which are in an extra field, in this order; it has only those that did not fit. */
static void read_long(tfp_zip_entry *e, tfp_str extra)
{
    uint64_t *fields[] = { &e->size, &e->packed, &e->at };
    while (extra.size >= 4) {
        size_t kind = (size_t)number(extra.data, 2), size = (size_t)number(extra.data + 2, 2);
        if (size > extra.size - 4) return;
        const char *at = extra.data + 4, *end = at + size;
        for (size_t i = 0; kind == 1 && i < 3; i++)
            if (*fields[i] == UINT32_MAX && end - at >= 8) *fields[i] = number(at, 8), at += 8;
        extra = (tfp_str){ extra.data + 4 + size, extra.size - 4 - size };
    }
}

/* Reads a row of the directory and returns its size; 0: it is malformed, or its offset is beyond the directory. */
static size_t read_row(tfp_str text, uint64_t directory_at, tfp_zip_entry *e)
{
    if (text.size < CENTRAL || memcmp(text.data, "PK\1\2", 4) != 0) return 0;
    size_t name = (size_t)number(text.data + 28, 2), extra = (size_t)number(text.data + 30, 2);
    size_t size = CENTRAL + name + extra + (size_t)number(text.data + 32, 2);
    if (size > text.size) return 0;
    *e = (tfp_zip_entry){ .name = { text.data + CENTRAL, name },
                          .at = number(text.data + 42, 4),
                          .packed = number(text.data + 20, 4),
                          .size = number(text.data + 24, 4),
                          .method = (unsigned)number(text.data + 10, 2),
                          .encrypted = text.data[8] & 1 };
    read_long(e, (tfp_str){ text.data + CENTRAL + name, extra });
    return e->at <= directory_at && e->packed <= directory_at - e->at ? size : 0;
}

static tfp_status read_rows(tfp_zip *z, const directory *d, tfp_error *err)
{
    tfp_str text = { z->directory.data, z->directory.size };
    for (uint64_t i = 0; i < d->count; i++) {
        tfp_zip_entry e;
        size_t size = read_row(text, d->at, &e);
        if (!size) return tfp_fail(err, TFP_BADFILE, "damaged: row %llu of its directory", (unsigned long long)i + 1);
        if (!tfp_push(&z->entries, e)) return tfp_nomem(err);
        text = (tfp_str){ text.data + size, text.size - size };
    }
    return TFP_OK;
}

tfp_status tfp_zip_open(tfp_zip *z, tfp_input *in, tfp_error *err)
{
    directory d = { 0, 0, 0 };
    tfp_str text = { NULL, 0 };
    *z = (tfp_zip){ 0 };
    tfp_status s = tfp_input_check_size(in, err);
    if (!s) s = find_directory(in, &d, err);
    if (s) return s;
    if (d.at > in->total || d.size > in->total - d.at || d.count > d.size / CENTRAL) return cut_short(err);
    if (d.size > DIRECTORY_MOST) return tfp_fail(err, TFP_LIMIT, "the archive's directory is over 64 MB");
    s = tfp_input_seek(in, d.at, err);
    if (!s) s = tfp_input_peek(in, (size_t)d.size, &text, err);
    if (s) return s;
    tfp_buf_add(&z->directory, text.data, text.size < d.size ? text.size : (size_t)d.size);
    return z->directory.failed ? tfp_nomem(err) : read_rows(z, &d, err);
}

void tfp_zip_free(tfp_zip *z)
{
    tfp_vec_free(&z->entries);
    tfp_buf_free(&z->directory);
}

const tfp_zip_entry *tfp_zip_find(const tfp_zip *z, const char *ending)
{
    for (size_t i = 0; i < z->entries.size; i++)
        if (tfp_str_ends(z->entries.at[i].name, tfp_str_of(ending))) return &z->entries.at[i];
    return NULL;
}

/* ---- data ---- */

/* Finds where the data begin: the header before them has its own sizes for the name and the extra field. */
static tfp_status seek_data(const tfp_zip_entry *e, tfp_input *in, tfp_error *err)
{
    tfp_str text;
    tfp_status s = tfp_input_seek(in, e->at, err);
    if (!s) s = tfp_input_peek(in, LOCAL, &text, err);
    if (s) return s;
    if (text.size < LOCAL || !tfp_is_zip(text)) return tfp_fail(err, TFP_BADFILE, "no header where the directory says");
    uint64_t at = e->at + LOCAL + number(text.data + 26, 2) + number(text.data + 28, 2);
    if (at > in->total || e->packed > in->total - at)
        return tfp_fail(err, TFP_BADFILE, "its data lie past the end of the file");
    return tfp_input_seek(in, at, err);
}

static tfp_status inflate_all(tfp_str packed, size_t size, tfp_buf *out, tfp_error *err)
{
    z_stream z = { .next_in = (const unsigned char *)packed.data, .avail_in = (unsigned)packed.size };
    tfp_buf_fill(out, 0, size + 1);
    if (out->failed || inflateInit2(&z, -15) != Z_OK) return tfp_nomem(err);
    z.next_out = (unsigned char *)out->data;
    z.avail_out =
        (unsigned)size + 1; /* one byte more than expected, to notice when there is more data than the directory says */
    int rc = inflate(&z, Z_FINISH);
    out->size = size + 1 - z.avail_out;
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR) return tfp_nomem(err);
    return rc == Z_STREAM_END && out->size == size ? TFP_OK : tfp_fail(err, TFP_BADFILE, "damaged data");
}

static tfp_status read_data(const tfp_zip_entry *e, tfp_input *in, tfp_buf *out, tfp_error *err)
{
    tfp_str packed;
    if (e->encrypted) return tfp_fail(err, TFP_BADFILE, "it is encrypted");
    if (e->method != 0 && e->method != Z_DEFLATED)
        return tfp_fail(err, TFP_BADFILE, "packed by method %u; only stored and deflated files are read", e->method);
    if (e->size / PACKED_MOST > e->packed || (!e->method && e->size != e->packed))
        return tfp_fail(err, TFP_BADFILE, "it cannot have the size that the directory says");
    if (e->size > TFP_STREAM_LIMIT || e->packed > TFP_STREAM_LIMIT)
        return tfp_fail(err, TFP_LIMIT, "it is over 256 MB");
    tfp_status s = seek_data(e, in, err);
    if (!s) s = tfp_input_peek(in, (size_t)e->packed, &packed, err);
    if (s) return s;
    if (packed.size < e->packed) return tfp_fail(err, TFP_BADFILE, "cut short");
    packed.size = (size_t)e->packed;
    out->size = 0;
    if (e->method) return inflate_all(packed, (size_t)e->size, out, err);
    tfp_buf_add(out, packed.data, packed.size);
    return out->failed ? tfp_nomem(err) : TFP_OK;
}

tfp_status tfp_zip_read(const tfp_zip_entry *e, tfp_input *in, tfp_buf *out, tfp_error *err)
{
    int size = (int)(e->name.size < 200 ? e->name.size : 200);
    return tfp_within(err, read_data(e, in, out, err), "%.*s", size, e->name.data);
}
