// SPDX-License-Identifier: Apache-2.0
/* server/report_page.c: the page's files unpacked, text made safe for HTML, and data packed piece by piece. */
#include "report_page.h"
#include "page.h"

#include <malloc.h>
#include <string.h>

#define PACK_LEVEL 3   /* level 6 takes three times as long for a tenth less */
#define TABLE_START 12 /* bytes of a table in columns before its header; its length is the last four of them */
#define LONG_AFTER ((uLong)8 << 20) /* an answer with more bytes is packed at level 1 from here on */

static const page_file *find_file(const char *end)
{
    size_t size = strlen(end);
    for (const page_file *f = page_files; f->name; f++) {
        size_t n = strlen(f->name);
        if (n >= size && strcmp(f->name + n - size, end) == 0) return f;
    }
    return NULL;
}

bool page_has(const char *end) { return find_file(end) != NULL; }

bool page_unpack(const char *end, answer *out)
{
    const page_file *f = find_file(end);
    if (!f) return false;
    char part[16384];
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)f->data, .avail_in = (uInt)f->size };
    if (inflateInit2(&z, 15 + 16) != Z_OK) return false;
    int rc = Z_OK;
    while (rc == Z_OK) {
        z.next_out = (unsigned char *)part;
        z.avail_out = sizeof part;
        rc = inflate(&z, Z_NO_FLUSH);
        if (rc == Z_OK || rc == Z_STREAM_END) answer_add(out, part, sizeof part - z.avail_out);
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END && !answer_failed(out);
}

bool page_unpack_text(const char *end, answer *out)
{
    bool ok = page_unpack(end, out);
    answer_add(out, "", 1);
    return ok && !answer_failed(out);
}

void page_add_html(answer *a, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': answer_text(a, "&amp;"); break;
        case '<': answer_text(a, "&lt;"); break;
        case '>': answer_text(a, "&gt;"); break;
        case '"': answer_text(a, "&quot;"); break;
        default: answer_add(a, text, 1);
        }
    }
}

static void add_base64(answer *a, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = (uint32_t)data[i] << 16;
        if (i + 1 < size) bits |= (uint32_t)data[i + 1] << 8;
        if (i + 2 < size) bits |= data[i + 2];
        char four[4] = { digits[bits >> 18], digits[bits >> 12 & 63], i + 1 < size ? digits[bits >> 6 & 63] : '=',
                         i + 2 < size ? digits[bits & 63] : '=' };
        answer_add(a, four, sizeof four);
    }
}

bool packer_start(packer *p, answer *out, bool planes)
{
    memset(p, 0, sizeof *p);
    p->out = out;
    p->planes = planes;
    p->head = TABLE_START;
    p->z.next_out = p->part;
    p->z.avail_out = sizeof p->part;
    return deflateInit2(&p->z, PACK_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

static void encode(packer *p)
{
    add_base64(p->out, p->part, sizeof p->part - p->z.avail_out);
    p->z.next_out = p->part;
    p->z.avail_out = sizeof p->part;
}

static int deflate_some(packer *p, int flush)
{
    if (!p->z.avail_out) encode(p);
    int rc = deflate(&p->z, flush);
    if (rc == Z_STREAM_END) encode(p);
    return rc;
}

static int pack(packer *p, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        uInt n = size < (1u << 30) ? (uInt)size : 1u << 30;
        p->z.next_in = (unsigned char *)(uintptr_t)at;
        p->z.avail_in = n;
        if (p->z.total_in > LONG_AFTER && !p->quick) {
            p->quick = true;
            deflateParams(&p->z, 1, Z_DEFAULT_STRATEGY);
        }
        while (p->z.avail_in)
            if (deflate_some(p, Z_NO_FLUSH) != Z_OK) return -1;
        at += n;
        size -= n;
    }
    return answer_failed(p->out);
}

static int pack_planes(packer *p)
{
    unsigned char planes[PLANES_SIZE];
    for (size_t i = 0; i < PLANES_SIZE; i++) planes[i % 8 * (PLANES_SIZE / 8) + i / 8] = p->block[i];
    p->held = 0;
    return pack(p, planes, sizeof planes);
}

/* The header: its first bytes tell how long the rest is. */
static int pack_head(packer *p)
{
    const unsigned char *b = p->block;
    bool first = p->held == TABLE_START && !p->z.total_in;
    int failed = pack(p, b, p->held);
    p->head = first ? (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24 : p->head - p->held;
    p->held = 0;
    return failed;
}

int packer_write(void *ctx, const void *data, size_t size)
{
    packer *p = ctx;
    int failed = 0;
    if (!p->planes) return pack(p, data, size);
    for (const char *at = data; size && !failed;) {
        size_t most = p->head && p->head < PLANES_SIZE ? p->head : PLANES_SIZE;
        size_t n = most - p->held < size ? most - p->held : size;
        memcpy(p->block + p->held, at, n);
        p->held += n;
        at += n;
        size -= n;
        if (p->held == most) failed = p->head ? pack_head(p) : pack_planes(p);
    }
    return failed;
}

bool packer_end(packer *p)
{
    int rc;
    bool failed = pack(p, p->block, p->held) != 0;
    while ((rc = deflate_some(p, Z_FINISH)) == Z_OK || rc == Z_BUF_ERROR) {}
    deflateEnd(&p->z);
    return !failed && rc == Z_STREAM_END && !answer_failed(p->out);
}

void page_reuse_memory(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 256 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}
