// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/leaves.c: walks the tree of a table from left to right, without recursion, and decodes the wanted
 * columns of each row in place. Anything that the format does not allow ends the walk: the file is damaged. */
#include "formats/sqlite/leaves.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { INTERIOR = 5, LEAF = 13, FILE_HEADER = 100 };

#define WINDOW ((size_t)256 << 10) /* most bytes that are read at once */
#define NEAR 8                     /* pages; a page that far behind the window is read in sequence */
#define VISIT 64                   /* what a page costs of the bytes that may be read */
#define WHOLE ((uint64_t)64 << 20) /* most bytes of a row on overflow pages, as SQLite's limit in db.c */

static uint32_t two(const uint8_t *b) { return (uint32_t)b[0] << 8 | b[1]; }
static uint32_t four(const uint8_t *b) { return two(b) << 16 | two(b + 2); }

/* ---- pages ---- */

/* Fills the window from there on. False: the file ends earlier than it should. */
static bool fill(tfp_pages *p, uint64_t at, size_t want)
{
    p->base = at;
    p->filled = 0;
    while (p->filled < want) {
        ssize_t n = pread(p->fd, p->window + p->filled, want - p->filled, (off_t)(at + p->filled));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        p->filled += (size_t)n;
    }
    return p->filled >= p->page;
}

/* A page, valid until the next one is asked for; NULL: there is none. */
static const uint8_t *page_at(tfp_pages *p, uint32_t number)
{
    uint64_t at = (uint64_t)(number - 1) * p->page;
    if (!number || at + p->page > p->size) return NULL;
    *p->left = *p->left < VISIT ? 0 : *p->left - VISIT;
    if (!*p->left) return NULL;
    if (p->bytes) return p->bytes + at;
    if (at < p->base || at + p->page > p->base + p->filled) {
        uint64_t end = p->base + p->filled, rest = p->size - at;
        bool follows = at >= end && at - end < (uint64_t)NEAR * p->page;
        p->run = follows ? p->run * 2 : p->run / 2;
        p->run = p->run > WINDOW ? WINDOW : p->run < p->page ? p->page : p->run;
        if (!fill(p, at, rest < p->run ? (size_t)rest : p->run)) return NULL;
    }
    return p->window + (at - p->base);
}

bool tfp_pages_open(tfp_pages *p, int fd, tfp_str bytes, uint64_t size, uint64_t *left)
{
    uint8_t header[FILE_HEADER];
    *p = (tfp_pages){ .fd = fd, .bytes = (const uint8_t *)bytes.data, .size = size, .left = left };
    if (size < FILE_HEADER) return false;
    if (bytes.data)
        memcpy(header, bytes.data, FILE_HEADER);
    else if (pread(fd, header, FILE_HEADER, 0) != FILE_HEADER)
        return false;
    p->page = two(header + 16) == 1 ? 65536 : two(header + 16);
    p->usable = p->page - header[20];
    bool utf8 = four(header + 56) == 1;
    if (p->page < 512 || p->page & (p->page - 1) || p->usable < 480 || !utf8) return false;
    if (!bytes.data) p->window = malloc(WINDOW);
    return bytes.data || p->window;
}

void tfp_pages_close(tfp_pages *p) { free(p->window); }

/* ---- the tree ---- */

static bool stop(tfp_leaves *l, tfp_leaf_state state)
{
    l->state = state;
    return false;
}

/* Goes to a page: a leaf becomes the current one, and an interior page is put on the path. */
static bool visit(tfp_leaves *l, uint32_t number)
{
    const uint8_t *page = page_at(l->pages, number);
    if (!page) return stop(l, TFP_LEAF_BAD);
    uint32_t header = number == 1 ? FILE_HEADER : 0, count = two(page + header + 3);
    uint8_t kind = page[header];
    if (header + (kind == LEAF ? 8u : 12u) + count * 2 > l->pages->usable) return stop(l, TFP_LEAF_BAD);
    l->number = number;
    l->leaf = page;
    l->header = header;
    l->next = 0;
    l->count = kind == LEAF ? count : 0;
    if (kind == LEAF) return true;
    if (kind != INTERIOR || l->depth == TFP_LEAF_DEPTH) return stop(l, TFP_LEAF_BAD);
    tfp_leaf_level *level = &l->levels[l->depth];
    if (!level->page) level->page = malloc(l->pages->page);
    if (!level->page) return stop(l, TFP_LEAF_NOMEM);
    memcpy(level->page, page, l->pages->page);
    level->header = header;
    level->next = 0;
    level->count = count;
    l->depth++;
    return true;
}

/* Visits the next child of the path's last page. */
static bool descend(tfp_leaves *l)
{
    tfp_leaf_level *level = &l->levels[l->depth - 1];
    const uint8_t *header = level->page + level->header;
    uint32_t i = level->next++;
    if (i == level->count) return visit(l, four(header + 8));
    uint32_t cell = two(header + 12 + (size_t)i * 2);
    return cell + 4 > l->pages->usable ? stop(l, TFP_LEAF_BAD) : visit(l, four(level->page + cell));
}

static bool next_leaf(tfp_leaves *l)
{
    while (l->next >= l->count) {
        while (l->depth && l->levels[l->depth - 1].next > l->levels[l->depth - 1].count) l->depth--;
        if (!l->depth) return stop(l, TFP_LEAF_END);
        if (!descend(l)) return false;
    }
    return true;
}

bool tfp_leaves_start(tfp_leaves *l, tfp_pages *p, uint32_t root)
{
    l->pages = p;
    return visit(l, root);
}

void tfp_leaves_free(tfp_leaves *l)
{
    for (size_t i = 0; i < TFP_LEAF_DEPTH; i++) free(l->levels[i].page);
    tfp_buf_free(&l->whole);
}

/* ---- rows ---- */

/* Reads a number of up to nine bytes; NULL: it does not end before `end`. */
static const uint8_t *varint(const uint8_t *at, const uint8_t *end, uint64_t *out)
{
    if (at < end && *at < 128) return *out = *at, at + 1;
    uint64_t n = 0;
    for (int i = 0; i < 8 && at < end; i++) {
        n = n << 7 | (*at & 127);
        if (*at++ < 128) return *out = n, at;
    }
    if (at >= end) return NULL;
    return *out = n << 8 | *at, at + 1;
}

static uint64_t bytes_of(uint64_t type)
{
    static const uint8_t sizes[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };
    return type < 12 ? sizes[type] : (type - 12) / 2;
}

int64_t tfp_leaf_int(const tfp_leaf_value *v)
{
    size_t size = (size_t)bytes_of(v->type);
    if (!size) return v->type == 9;
    uint64_t n = v->at[0] & 128 ? UINT64_MAX : 0;
    for (size_t i = 0; i < size; i++) n = n << 8 | v->at[i];
    return (int64_t)n;
}

/* Finds the wanted values of a row. `have`: how many of its `size` bytes are there. *more: a wanted value is beyond
 * them. */
static bool decode(tfp_leaves *l, const uint8_t *row, uint64_t have, uint64_t size, bool *more)
{
    const uint8_t *end = row + have;
    uint64_t header, type;
    const uint8_t *at = varint(row, end, &header);
    *more = at && header > have && have < size;
    if (!at || header > have) return false;
    uint64_t body = header;
    const uint8_t *types_end = row + header;
    for (int i = 0; i < l->positions; i++) {
        tfp_leaf_value *v = l->slot[i] ? &l->values[l->slot[i] - 1] : NULL;
        if (at >= types_end) { /* the row is older than the column, whose default is NULL */
            if (v) *v = (tfp_leaf_value){ 0, row };
            continue;
        }
        if (!(at = varint(at, types_end, &type))) return false;
        uint64_t bytes = bytes_of(type);
        if (bytes > size - body) return false;
        if (v) {
            *v = (tfp_leaf_value){ type, row + body };
            *more |= body + bytes > have;
        }
        body += bytes;
    }
    return !*more;
}

/* Collects a row that continues on overflow pages: the first `local` bytes, and the number of the next page. */
static bool collect(tfp_leaves *l, const uint8_t *row, uint64_t local, uint64_t size)
{
    uint32_t next = four(row + local), usable = l->pages->usable;
    l->whole.size = 0;
    if (size > WHOLE || size > l->pages->size) return stop(l, TFP_LEAF_BAD);
    tfp_buf_add(&l->whole, row, (size_t)local);
    while (l->whole.size < size && !l->whole.failed) {
        const uint8_t *page = page_at(l->pages, next);
        if (!page) return stop(l, TFP_LEAF_BAD);
        uint64_t rest = size - l->whole.size;
        next = four(page);
        tfp_buf_add(&l->whole, page + 4, (size_t)(rest < usable - 4 ? rest : usable - 4));
    }
    return !l->whole.failed || stop(l, TFP_LEAF_NOMEM);
}

/* How many bytes of a row are on its leaf. */
static uint64_t local_bytes(uint64_t size, uint32_t usable)
{
    uint64_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
    if (size <= most) return size;
    uint64_t local = least + (size - least) % (usable - 4);
    return local <= most ? local : least;
}

/* Reads the wanted values of a row that is only partly on its leaf. */
static bool decode_whole(tfp_leaves *l, const uint8_t *row, uint64_t local, uint64_t size)
{
    bool more;
    if (!collect(l, row, local, size)) return false;
    l->leaf = page_at(l->pages, l->number); /* the window went on */
    return l->leaf && decode(l, (const uint8_t *)l->whole.data, size, size, &more);
}

bool tfp_leaves_next(tfp_leaves *l)
{
    if (l->state != TFP_LEAF_ROW || !next_leaf(l)) return false;
    uint32_t usable = l->pages->usable, cell = two(l->leaf + l->header + 8 + (size_t)l->next++ * 2);
    const uint8_t *end = l->leaf + usable, *at = l->leaf + cell;
    uint64_t size, key;
    bool more;
    if (cell >= usable || !(at = varint(at, end, &size)) || !(at = varint(at, end, &key))) return stop(l, TFP_LEAF_BAD);
    uint64_t local = local_bytes(size, usable);
    if (local + (local < size ? 4 : 0) > (uint64_t)(end - at)) return stop(l, TFP_LEAF_BAD);
    if (!decode(l, at, local, size, &more) && (!more || !decode_whole(l, at, local, size)))
        return l->state == TFP_LEAF_ROW && stop(l, TFP_LEAF_BAD);
    if (l->rowid >= 0 && !l->values[l->rowid].type) {
        for (int i = 8; i-- > 0; key >>= 8) l->key[i] = (uint8_t)key;
        l->values[l->rowid] = (tfp_leaf_value){ 6, l->key };
    }
    return true;
}
