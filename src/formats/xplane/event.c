// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/event.c: reads a piece of an XPlane line into rows, on any thread. It handles only the usual events:
 * times and short stats. Rows whose bytes differ only in times and in numbers of their own are of one kind, so strings
 * and classes are looked up once per kind. All other events (steps, roots, allocations, odd times, faults) are left to
 * line.c, which reads any event. Message layout: XEvent and XStat of tsl/profiler/protobuf/xplane.proto. */
#include "formats/xplane/parts.h"

#define KEY_MOST 512                             /* most bytes of a key; events with longer stats are left to line.c */
#define KEY_HEAD (2 * sizeof(uint32_t) + 1)      /* metadata, the running module, the line's kind */
#define KINDS_MOST 20000                         /* most kinds of a slot; when it has more it starts again */
#define OFFSET_MOST INT64_C(4000000000000000000) /* in ps; sums of two of these and of a line's start do not overflow */
#define BASE_MOST INT64_C(4000000000000000000)   /* in ns */

static bool ok(tfp_xslot *s, bool fine)
{
    if (!fine) s->failed = true;
    return fine;
}

/* ---- kinds ---- */

typedef struct key {
    uint8_t at[KEY_MOST];
    size_t size;
} key;

static inline bool add(key *k, const void *bytes, size_t size)
{
    if (size > sizeof k->at - k->size) return false;
    memcpy(k->at + k->size, bytes, size);
    k->size += size;
    return true;
}

static bool same(const tfp_xslot *s, uint32_t kind, const key *k)
{
    const tfp_xkind *x = &s->kinds.at[kind];
    return x->key_size == k->size && memcmp(s->keys.at + x->key_first, k->at, k->size) == 0;
}

static uint32_t new_kind(tfp_xslot *s, const key *k, uint64_t hash, bool has_run)
{
    uint32_t at = (uint32_t)s->kinds.size;
    tfp_xkind kind = { (uint32_t)s->keys.size, (uint32_t)k->size, TFP_NONE, TFP_NONE, has_run };
    if (!ok(s, tfp_reserve(&s->keys, s->keys.size + k->size + 8) && tfp_push(&s->kinds, kind) &&
                   tfp_map64_put(&s->kind_by_hash, hash, at)))
        return TFP_NONE;
    memcpy(s->keys.at + s->keys.size, k->at, k->size);
    s->keys.size += k->size;
    return at;
}

static uint32_t kind_of(tfp_xslot *s, const key *k, uint32_t meta, bool has_run)
{
    uint32_t *recent = &s->recent[meta % TFP_XRECENT];
    if (*recent != TFP_NONE && same(s, *recent, k)) return *recent;
    for (uint64_t hash = tfp_hash(k->at, k->size);; hash++) {
        uint32_t at = tfp_map64_get(&s->kind_by_hash, hash);
        if (at == TFP_NONE) return *recent = new_kind(s, k, hash, has_run);
        if (same(s, at, k)) return *recent = at;
    }
}

static void forget_kinds(tfp_xslot *s)
{
    s->kinds.size = s->keys.size = 0;
    tfp_map64_clear(&s->kind_by_hash);
    for (size_t i = 0; i < TFP_XRECENT; i++) s->recent[i] = TFP_NONE;
}

static tfp_xuse use_of(const tfp_xslot *s, uint64_t id)
{
    uint32_t name = id < s->plane->stat_by_id.near.size ? s->plane->stat_by_id.near.at[id] : TFP_NONE;
    if (name == TFP_NONE) return id < TFP_XIDS_NEAR ? TFP_XUSE_NONE : TFP_XUSE_ODD;
    switch (s->plane->stat_names.at[name].known) {
    case XS_NOISE: return TFP_XUSE_NONE;
    case XS_OTHER: return s->sums ? TFP_XUSE_NONE : TFP_XUSE_KIND;
    case XS_CORRELATION_ID: return TFP_XUSE_CORRELATION;
    case XS_RUN_ID: return TFP_XUSE_RUN;
    case XS_STEP_NUM:
    case XS_ROOT:
    case XS_ALLOCATION_BYTES:
    case XS_BYTES_ALLOCATED:
    case XS_BYTES_RESERVED:
    case XS_ALLOCATOR:
    case XS_ADDRESS: return TFP_XUSE_ODD;
    default: return TFP_XUSE_KIND;
    }
}

void tfp_xplane_slot_start(tfp_xslot *s, const tfp_xplane *p, bool sums)
{
    forget_kinds(s);
    s->plane = p;
    s->sums = sums;
    for (size_t id = 0; id < sizeof s->uses; id++) s->uses[id] = (uint8_t)use_of(s, id);
}

/* ---- events ---- */

typedef struct bytes {
    const uint8_t *at, *end;
    const uint8_t *readable; /* the end of the piece, at `end` or after it */
} bytes;

/* Reads the next eight bytes, little-endian. */
static inline uint64_t eight(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#define LAST_BITS UINT64_C(0x8080808080808080)

/* Reads a varint of at most 9 bytes. Up to eight bytes are handled at once: neighbouring groups of seven bits are
 * joined in pairs. */
static inline bool varint(bytes *b, uint64_t *out)
{
    if (b->at < b->end && *b->at < 128) return *out = *b->at++, true;
    uint64_t word = b->readable - b->at >= 8 ? eight(b->at) : LAST_BITS, last = ~word & LAST_BITS, value = 0;
    if (last) {
        size_t size = ((size_t)__builtin_ctzll(last) + 1) / 8;
        word &= (last ^ (last - 1)) & ~LAST_BITS;
        word = (word & UINT64_C(0x7f007f007f007f00)) >> 1 | (word & UINT64_C(0x007f007f007f007f));
        word = (word & UINT64_C(0x3fff00003fff0000)) >> 2 | (word & UINT64_C(0x00003fff00003fff));
        *out = (word & UINT64_C(0x0fffffff00000000)) >> 4 | (word & UINT64_C(0x000000000fffffff));
        b->at += size;
        return b->at <= b->end;
    }
    for (unsigned shift = 0; b->at < b->end && shift < 63; shift += 7) {
        uint64_t byte = *b->at++;
        value |= (byte & 127) << shift;
        if (byte < 128) return *out = value, true;
    }
    return false;
}

/* Reads an XStat in the form that all writers use: its id, then its value. False: another form; line.c reads the
 * event. */
static inline bool take_stat(const tfp_xslot *s, bytes *event, key *k, tfp_xrow *row, bool *has_run)
{
    const uint8_t *begin = event->at;
    uint64_t size, id, value = 0;
    if (!varint(event, &size) || size > (uint64_t)(event->end - event->at)) return false;
    bytes b = { event->at, event->at + size, event->readable };
    event->at = b.end;
    if (b.at == b.end || *b.at++ != (1 << 3 | TFP_VARINT) || !varint(&b, &id) || b.at == b.end) return false;
    unsigned tag = *b.at++;
    bool number = tag == (3 << 3 | TFP_VARINT) || tag == (4 << 3 | TFP_VARINT);
    if (number || tag == (7 << 3 | TFP_VARINT)) {
        if (!varint(&b, &value) || b.at != b.end) return false;
    } else if (tag == (5 << 3 | TFP_BYTES)) {
        if (!varint(&b, &value) || value != (uint64_t)(b.end - b.at)) return false;
    } else if (tag != (2 << 3 | TFP_FIXED64) || b.end - b.at != 8) {
        return false;
    }
    switch (id < sizeof s->uses ? (tfp_xuse)s->uses[id] : use_of(s, id)) {
    case TFP_XUSE_NONE: return true;
    case TFP_XUSE_KIND: return add(k, begin, (size_t)(b.end - begin));
    case TFP_XUSE_CORRELATION: row->correlation = value; return number && add(k, "c", 1);
    case TFP_XUSE_RUN:
        row->run = value;
        *has_run = true;
        return number;
    default: return false;
    }
}

/* Sets the times of an event; false: they are odd. */
static inline bool set_times(const tfp_xslot *s, uint64_t offset, uint64_t duration, tfp_xrow *row)
{
    int64_t base = s->line->timestamp_ns;
    if (duration == 0 || offset > OFFSET_MOST || duration > OFFSET_MOST || base < 0 || base > BASE_MOST) return false;
    row->start_ns = base + (int64_t)(offset / 1000);
    row->duration_ns = base + (int64_t)((offset + duration) / 1000) - row->start_ns;
    return true;
}

typedef struct again { /* state of comparing an event with the key of the last one of its type */
    const uint8_t *want, *want_end;
    bool has_run;
} again;

/* Whether a stat equals the one in the key, or is a number of the event's own. */
static inline bool stat_again(const tfp_xslot *s, bytes *event, again *a, tfp_xrow *row)
{
    const uint8_t *at = event->at;
    if (event->readable - at < 8) return false;
    uint64_t word = eight(at);
    size_t size = 1 + (word & 255), id = word >> 16 & 255;
    unsigned tag = word >> 24 & 255;
    if (size > (size_t)(event->end - at) || size < 5 || (word >> 8 & 255) != (1 << 3 | TFP_VARINT) || id > 127)
        return false;
    unsigned use = s->uses[id];
    event->at += size;
    if (use == TFP_XUSE_KIND) {
        if (size > (size_t)(a->want_end - a->want)) return false;
        bool same = size <= 8 ? (word ^ eight(a->want)) << (64 - 8 * size) == 0 : memcmp(at, a->want, size) == 0;
        a->want += size;
        return same;
    }
    if (tag != (3 << 3 | TFP_VARINT) && tag != (4 << 3 | TFP_VARINT)) return false;
    uint64_t value;
    bytes b = { at + 4, at + size, event->readable };
    if (use == TFP_XUSE_ODD || !varint(&b, &value) || b.at != b.end) return false;
    if (use == TFP_XUSE_RUN) {
        row->run = value;
        a->has_run = true;
    } else if (use == TFP_XUSE_CORRELATION) {
        row->correlation = value;
        if (a->want == a->want_end || *a->want++ != 'c') return false;
    }
    return true;
}

/* Reads an event that differs from the last one of its type only in its numbers, as most do; false: it may differ in
 * more. */
static inline bool read_again(tfp_xslot *s, bytes b, tfp_xrow *row)
{
    uint64_t id, offset = 0, duration = 0;
    if (b.at == b.end || *b.at++ != (1 << 3 | TFP_VARINT) || !varint(&b, &id)) return false;
    uint32_t meta = tfp_xids_get(&s->plane->meta_by_id, id), at = s->recent[meta % TFP_XRECENT], told;
    if (at == TFP_NONE) return false;
    const tfp_xkind *kind = &s->kinds.at[at];
    const uint8_t *head = s->keys.at + kind->key_first;
    again a = { head + KEY_HEAD, head + kind->key_size, false };
    while (b.at < b.end) {
        bool fine = false;
        switch (*b.at++) {
        case 2 << 3 | TFP_VARINT: fine = varint(&b, &offset); break;
        case 3 << 3 | TFP_VARINT: fine = varint(&b, &duration); break;
        case 4 << 3 | TFP_BYTES: fine = stat_again(s, &b, &a, row); break;
        }
        if (!fine) return false;
    }
    memcpy(&told, head, sizeof told);
    if (told != meta || a.want != a.want_end || a.has_run != kind->has_run || !set_times(s, offset, duration, row))
        return false;
    uint32_t module = s->plane->runs.size ? tfp_xplane_running(s->plane, row->start_ns) : 0;
    memcpy(&told, head + sizeof meta, sizeof told);
    row->kind = at;
    return told == module && head[2 * sizeof meta] == (uint8_t)(s->line->kind << 1 | a.has_run);
}

/* Reads an event of the common form. False: it has another form, and is read a second time by the general reader. */
static inline bool read_event(tfp_xslot *s, bytes b, tfp_xrow *row)
{
    uint64_t id = 0, offset = 0, duration = 0;
    bool has_run = false;
    key k;
    k.size = KEY_HEAD;
    while (b.at < b.end) {
        bool fine = false;
        switch (*b.at++) {
        case 1 << 3 | TFP_VARINT: fine = varint(&b, &id); break;
        case 2 << 3 | TFP_VARINT: fine = varint(&b, &offset); break;
        case 3 << 3 | TFP_VARINT: fine = varint(&b, &duration); break;
        case 4 << 3 | TFP_BYTES: fine = take_stat(s, &b, &k, row, &has_run); break;
        }
        if (!fine) return false;
    }
    uint32_t meta = tfp_xids_get(&s->plane->meta_by_id, id);
    if (meta == TFP_NONE || !set_times(s, offset, duration, row)) return false;
    uint32_t module = s->plane->runs.size ? tfp_xplane_running(s->plane, row->start_ns) : 0;
    memcpy(k.at, &meta, sizeof meta);
    memcpy(k.at + sizeof meta, &module, sizeof module);
    k.at[2 * sizeof meta] = (uint8_t)(s->line->kind << 1 | has_run);
    row->kind = kind_of(s, &k, meta, has_run);
    return !s->failed;
}

void tfp_xplane_parse(tfp_xslot *s)
{
    tfp_wire w = tfp_wire_start_at(s->bytes, s->base);
    s->rows.size = 0;
    if (s->kinds.size > KINDS_MOST) forget_kinds(s);
    while (w.at < w.end && !s->failed) {
        tfp_field f;
        tfp_xrow row = { .at = (uint32_t)(w.at - w.start), .kind = TFP_NONE };
        bool more = tfp_wire_next(&w, &f), event = more && f.number == 4 && f.type == TFP_BYTES;
        const uint8_t *from = event ? (const uint8_t *)f.bytes.data : NULL;
        bytes b = { from, event ? from + f.bytes.size : NULL, w.end };
        if (!event || !read_again(s, b, &row)) {
            row = (tfp_xrow){ .at = row.at };
            if (!event || !read_event(s, b, &row)) row.kind = TFP_NONE;
        }
        ok(s, tfp_push(&s->rows, row));
        if (!more) break; /* the event is read a second time, which reports the fault */
    }
}

void tfp_xplane_slot_free(tfp_xslot *s)
{
    tfp_vec_free(&s->rows);
    tfp_vec_free(&s->kinds);
    tfp_vec_free(&s->keys);
    tfp_map64_free(&s->kind_by_hash);
    tfp_buf_free(&s->own);
}
