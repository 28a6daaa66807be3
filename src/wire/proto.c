// SPDX-License-Identifier: Apache-2.0
/* wire/proto.c: the protobuf wire format, the parts that are not inline in proto.h: long varints, groups, messages for
 * faults, reading the top level of a file in windows, and writing. Knows no message.
 * Layout: protobuf.dev/programming-guides/encoding. */
#include "wire/proto.h"

/* ---- varints ---- */

/* Reads a varint byte by byte: near the end of the bytes, and to find faults. */
static tfp_varint varint_bytewise(const uint8_t *at, const uint8_t *end)
{
    tfp_varint v = { 0, NULL };
    for (unsigned shift = 0; at < end && shift < 70; shift += 7) {
        uint8_t byte = *at++;
        v.value |= (uint64_t)(byte & 0x7f) << shift; /* of the tenth byte only one bit fits, as in protobuf */
        if (byte < 0x80) {
            v.at = at;
            return v;
        }
    }
    return v;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Reads the ninth and the tenth byte, which negative numbers have. */
static tfp_varint varint_tail(uint64_t x, const uint8_t *at, const uint8_t *end)
{
    if (at < end && at[0] < 0x80) return (tfp_varint){ x | (uint64_t)at[0] << 56, at + 1 };
    if (end - at < 2 || at[1] >= 0x80) return (tfp_varint){ 0, NULL };
    return (tfp_varint){ x | (uint64_t)(at[0] & 0x7f) << 56 | (uint64_t)at[1] << 63, at + 2 };
}

/* Up to eight bytes at once: find the last byte, then push the groups of seven bits together. Times since 1970 take
 * eight bytes, and every execution has some. */
tfp_varint tfp_varint_long(const uint8_t *at, const uint8_t *end)
{
    if (end - at < 8) return varint_bytewise(at, end);
    uint64_t x;
    memcpy(&x, at, 8);
    uint64_t stops = ~x & UINT64_C(0x8080808080808080);
    unsigned bits = stops ? (unsigned)__builtin_ctzll(stops) + 1 : 64; /* 8 for each byte */
    x &= UINT64_MAX >> (64 - bits);
    x = (x & UINT64_C(0x007f007f007f007f)) | (x & UINT64_C(0x7f007f007f007f00)) >> 1;
    x = (x & UINT64_C(0x00003fff00003fff)) | (x & UINT64_C(0x3fff00003fff0000)) >> 2;
    x = (x & UINT64_C(0x000000000fffffff)) | (x & UINT64_C(0x0fffffff00000000)) >> 4;
    at += bits / 8;
    return stops ? (tfp_varint){ x, at } : varint_tail(x, at, end);
}
#else
tfp_varint tfp_varint_long(const uint8_t *at, const uint8_t *end) { return varint_bytewise(at, end); }
#endif

const char *tfp_varint_fault(const uint8_t *at, const uint8_t *end)
{
    return end - at >= 10 ? "varint longer than 10 bytes" : "varint cut short";
}

/* ---- groups: deprecated, but still legal ---- */

typedef struct group {
    const uint8_t *at; /* after the group, or the byte at fault */
    const char *fault;
} group;

/* Skips one value that is no group; NULL fault on success. */
static group skip_value(const uint8_t *at, const uint8_t *end, unsigned type)
{
    uint64_t size = type == TFP_FIXED64 ? 8 : type == TFP_FIXED32 ? 4 : 0;
    if (type == TFP_VARINT || type == TFP_BYTES) {
        tfp_varint v = varint_bytewise(at, end);
        if (!v.at) return (group){ at, tfp_varint_fault(at, end) };
        at = v.at;
        if (type == TFP_BYTES) size = v.value;
    } else if (!size) {
        return (group){ at, "unknown wire type" };
    }
    if (size > (uint64_t)(end - at)) return (group){ at, "length past the end" };
    return (group){ at + size, NULL };
}

/* Groups nest. Open groups are counted, but their numbers are not kept: only the outermost one must end with the number
 * that it began with, because the reader continues after it. */
static group skip_group(const uint8_t *at, const uint8_t *end, uint32_t number)
{
    for (size_t depth = 1; at < end;) {
        tfp_varint tag = varint_bytewise(at, end);
        if (!tag.at) return (group){ at, tfp_varint_fault(at, end) };
        unsigned type = tag.value & 7;
        if (tag.value < 8) return (group){ at, "field number 0" };
        if (tag.value > UINT32_MAX) return (group){ at, "field number too large" };
        if (type == TFP_GROUP) {
            depth++;
        } else if (type == TFP_GROUP_END) {
            if (--depth == 0)
                return (group){ tag.value >> 3 == number ? tag.at : at,
                                tag.value >> 3 == number ? NULL : "end of another group" };
        } else {
            group g = skip_value(tag.at, end, type);
            if (g.fault) return g;
            tag.at = g.at;
        }
        at = tag.at;
    }
    return (group){ end, "group without an end" };
}

/* ---- rare fields ---- */

static bool next_fixed(tfp_wire *w, const uint8_t *at, tfp_field *f)
{
    size_t size = f->type == TFP_FIXED64 ? 8 : 4;
    if (size > (size_t)(w->end - at)) return tfp_wire_fault(w, w->at, "number cut short");
    f->value = 0;
    for (size_t i = 0; i < size; i++) f->value |= (uint64_t)at[i] << (8 * i);
    w->at = at + size;
    return true;
}

static bool next_bytes(tfp_wire *w, const uint8_t *at, tfp_field *f)
{
    uint64_t size;
    if (!tfp_wire_varint(w, &at, &size)) return false;
    if (size > (uint64_t)(w->end - at)) return tfp_wire_fault(w, w->at, "length past the end");
    f->bytes = (tfp_str){ (const char *)at, (size_t)size };
    w->at = at + size;
    return true;
}

static bool next_varint(tfp_wire *w, const uint8_t *at, tfp_field *f)
{
    if (!tfp_wire_varint(w, &at, &f->value)) return false;
    w->at = at;
    return true;
}

bool tfp_wire_next_rare(tfp_wire *w, tfp_field *f)
{
    while (w->at < w->end) {
        const uint8_t *at = w->at;
        uint64_t tag;
        if (!tfp_wire_varint(w, &at, &tag)) return false;
        if (tag < 8) return tfp_wire_fault(w, w->at, "field number 0");
        if (tag > UINT32_MAX) return tfp_wire_fault(w, w->at, "field number too large");
        *f = (tfp_field){ .number = (uint32_t)(tag >> 3), .type = tag & 7, .bytes = { "", 0 } };
        switch (f->type) {
        case TFP_VARINT: return next_varint(w, at, f);
        case TFP_BYTES: return next_bytes(w, at, f);
        case TFP_FIXED64:
        case TFP_FIXED32: return next_fixed(w, at, f);
        case TFP_GROUP: {
            group g = skip_group(at, w->end, f->number);
            if (g.fault) return tfp_wire_fault(w, g.at, g.fault);
            w->at = g.at;
            break;
        }
        case TFP_GROUP_END: return tfp_wire_fault(w, w->at, "end of a group that was not begun");
        default: return tfp_wire_fault(w, w->at, "unknown wire type");
        }
    }
    return false;
}

/* ---- faults ---- */

tfp_status tfp_wire_failed(tfp_wire w, tfp_error *err)
{
    unsigned long long at = w.fault_at;
    tfp_status s = w.fault_field ? tfp_fail(err, TFP_BADFILE, "field %u has wire type %u before byte %llu",
                                            w.fault_field, w.fault_type, at)
                                 : tfp_fail(err, TFP_BADFILE, "%s at byte %llu", w.fault, at);
    if (w.place) s = tfp_within(err, s, "%s", w.place);
    if (w.outer_place) s = tfp_within(err, s, "%s", w.outer_place);
    if (w.outermost_place) s = tfp_within(err, s, "%s", w.outermost_place);
    return s;
}

/* ---- typed fields that are rare ---- */

uint32_t tfp_field_fixed32(tfp_wire *w, const tfp_field *f)
{
    return tfp_field_is(w, f, TFP_FIXED32) ? (uint32_t)f->value : 0;
}

double tfp_field_double(tfp_wire *w, const tfp_field *f)
{
    uint64_t bits = tfp_field_is(w, f, TFP_FIXED64) ? f->value : 0;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- the top level of a file ---- */

#define TAG_AND_LENGTH ((size_t)20) /* two varints */

/* Reads the field at the start of `seen`; its payload may extend beyond. *size is the size of the whole field. */
static bool top_field(tfp_wire *w, uint64_t left, tfp_field *f, uint64_t *size)
{
    const uint8_t *at = w->at;
    uint64_t tag, length = 0;
    if (!tfp_wire_varint(w, &at, &tag)) return false;
    *f = (tfp_field){ .number = (uint32_t)(tag >> 3), .type = tag & 7, .bytes = { "", 0 } };
    if (tag < 8) return tfp_wire_fault(w, w->at, "field number 0");
    if (tag > UINT32_MAX) return tfp_wire_fault(w, w->at, "field number too large");
    if (f->type == TFP_BYTES) {
        if (!tfp_wire_varint(w, &at, &length)) return false;
        *size = (uint64_t)(at - w->at);
        if (length > left - *size) return tfp_wire_fault(w, w->at, "length past the end");
        *size += length;
        f->bytes.size = (size_t)length;
        return true;
    }
    if (f->type == TFP_GROUP) { /* the caller retries with all remaining bytes */
        *size = 0;
        return true;
    }
    if (!tfp_wire_next(w, f)) return false;
    *size = (uint64_t)(w->at - w->start);
    return true;
}

/* Skips a group at the top level. It reads the rest of the file into memory, which is rare: no known message has a
 * group there. */
static tfp_status skip_top_group(tfp_input *in, tfp_error *err)
{
    tfp_str rest;
    tfp_field f;
    uint64_t left = tfp_input_left(in);
    tfp_status s = tfp_input_peek(in, (size_t)left, &rest, err);
    if (s) return s;
    if (rest.size > left) rest.size = (size_t)left; /* the buffer may hold more than the input's part */
    tfp_wire w = tfp_wire_start_at(rest, tfp_input_at(in));
    const uint8_t *at = w.at;
    uint64_t tag;
    if (!tfp_wire_varint(&w, &at, &tag)) return tfp_wire_end(&w, err);
    f.number = (uint32_t)(tag >> 3);
    group g = skip_group(at, w.end, f.number);
    if (g.fault) {
        tfp_wire_fault(&w, g.at, g.fault);
        return tfp_wire_end(&w, err);
    }
    return tfp_input_skip(in, (size_t)(g.at - w.start), err);
}

tfp_status tfp_wire_peek_input(tfp_input *in, tfp_field *f, uint64_t *size, tfp_error *err)
{
    tfp_str seen;
    uint64_t left = tfp_input_left(in);
    tfp_status s = tfp_input_peek(in, TAG_AND_LENGTH, &seen, err);
    if (s) return s;
    if (seen.size > left) seen.size = (size_t)left;
    tfp_wire w = tfp_wire_start_at(seen, tfp_input_at(in));
    return top_field(&w, left, f, size) ? TFP_OK : tfp_wire_end(&w, err);
}

tfp_status tfp_wire_skip_input(tfp_input *in, const tfp_field *f, uint64_t size, tfp_error *err)
{
    return f->type == TFP_GROUP ? skip_top_group(in, err) : tfp_input_seek(in, tfp_input_at(in) + size, err);
}

bool tfp_wire_next_input(tfp_input *in, tfp_field *f, tfp_status *s, tfp_error *err)
{
    uint64_t left;
    while (!*s && (left = tfp_input_left(in)) > 0) {
        tfp_str seen;
        if ((*s = tfp_input_peek(in, TAG_AND_LENGTH, &seen, err))) return false;
        if (seen.size > left) seen.size = (size_t)left; /* the buffer may hold more than the input's part */
        tfp_wire w = tfp_wire_start_at(seen, tfp_input_at(in));
        uint64_t size;
        if (!top_field(&w, left, f, &size)) {
            *s = tfp_wire_end(&w, err);
            return false;
        }
        if (f->type == TFP_GROUP) {
            *s = skip_top_group(in, err);
            continue;
        }
        if ((*s = tfp_input_peek(in, (size_t)size, &seen, err))) return false;
        if (f->type == TFP_BYTES) f->bytes.data = seen.data + size - f->bytes.size;
        *s = tfp_input_skip(in, (size_t)size, err);
        return !*s;
    }
    return false;
}

tfp_wire tfp_input_wire(const tfp_input *in, const tfp_field *f)
{
    return tfp_wire_start_at((tfp_str){ f->bytes.data, 0 }, tfp_input_at(in) - f->bytes.size);
}

/* ---- cutting between fields ---- */

uint64_t tfp_wire_field_size(tfp_str seen)
{
    tfp_wire w = tfp_wire_start(seen);
    const uint8_t *at = w.at;
    uint64_t tag, value = 0, size = 0;
    if (!tfp_wire_varint(&w, &at, &tag) || tag < 8 || tag > UINT32_MAX) return 0;
    switch (tag & 7) {
    case TFP_VARINT:
    case TFP_BYTES:
        if (!tfp_wire_varint(&w, &at, &value)) return 0;
        if ((tag & 7) == TFP_BYTES) size = value;
        break;
    case TFP_FIXED64: size = 8; break;
    case TFP_FIXED32: size = 4; break;
    default: return 0;
    }
    return tfp_add((int64_t)(at - w.start), size > INT64_MAX ? INT64_MAX : (int64_t)size, NULL);
}

size_t tfp_wire_whole_fields(tfp_str seen, size_t most)
{
    size_t at = 0;
    if (seen.size > most) seen.size = most;
    for (;;) {
        uint64_t size = tfp_wire_field_size((tfp_str){ seen.data + at, seen.size - at });
        if (size == 0 || size > seen.size - at) return at;
        at += (size_t)size;
    }
}

/* ---- writing ---- */

void tfp_put_varint(tfp_buf *b, uint64_t v)
{
    char bytes[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) bytes[n++] = (char)(v | 0x80);
    bytes[n++] = (char)v;
    tfp_buf_add(b, bytes, n);
}

void tfp_put_tag(tfp_buf *b, uint32_t number, tfp_wire_type type) { tfp_put_varint(b, (uint64_t)number << 3 | type); }

void tfp_put_fixed64(tfp_buf *b, uint32_t number, uint64_t v)
{
    tfp_put_tag(b, number, TFP_FIXED64);
    for (int i = 0; i < 8; i++) tfp_buf_char(b, (char)(v >> (8 * i) & 0xff));
}

void tfp_put_double(tfp_buf *b, uint32_t number, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    tfp_put_fixed64(b, number, bits);
}

void tfp_put_int_always(tfp_buf *b, uint32_t number, int64_t v)
{
    tfp_put_tag(b, number, TFP_VARINT);
    tfp_put_varint(b, (uint64_t)v);
}

void tfp_put_int(tfp_buf *b, uint32_t number, int64_t v)
{
    if (v) tfp_put_int_always(b, number, v);
}

void tfp_put_bytes_always(tfp_buf *b, uint32_t number, tfp_str v)
{
    tfp_put_tag(b, number, TFP_BYTES);
    tfp_put_varint(b, v.size);
    tfp_buf_add(b, v.data, v.size);
}

void tfp_put_bytes(tfp_buf *b, uint32_t number, tfp_str v)
{
    if (v.size) tfp_put_bytes_always(b, number, v);
}

void tfp_put_packed_ints(tfp_buf *b, uint32_t number, const int64_t *v, size_t count)
{
    if (!count) return;
    size_t at = tfp_put_open(b, number);
    for (size_t i = 0; i < count; i++) tfp_put_varint(b, (uint64_t)v[i]);
    tfp_put_close(b, at);
}

size_t tfp_put_open(tfp_buf *b, uint32_t number)
{
    tfp_put_tag(b, number, TFP_BYTES);
    tfp_buf_char(b, 0); /* the length: one byte if it is short, as usual */
    return b->size;
}

void tfp_put_close(tfp_buf *b, size_t at)
{
    if (b->failed) return;
    size_t size = b->size - at;
    unsigned extra = 0;
    for (size_t rest = size; rest >= 0x80; rest >>= 7) extra++;
    if (extra) {
        tfp_buf_fill(b, 0, extra);
        if (b->failed) return;
        memmove(b->data + at + extra, b->data + at, size);
    }
    char *length = b->data + at - 1;
    for (unsigned i = 0; i < extra; i++, size >>= 7) length[i] = (char)(size | 0x80);
    length[extra] = (char)size;
}

void tfp_put_string(tfp_buf *b, uint32_t number, tfp_str s)
{
    if (tfp_utf8_valid(s)) {
        tfp_put_bytes_always(b, number, s);
        return;
    }
    size_t at = tfp_put_open(b, number);
    tfp_escape(b, s);
    tfp_put_close(b, at);
}

size_t tfp_varint_size(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7) n++;
    return n;
}

tfp_str tfp_field_name(tfp_wire *outer, const tfp_field *field, const char *place)
{
    tfp_str name = { "", 0 };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) name = tfp_field_bytes(&w, &f);
    tfp_wire_join(outer, &w, place);
    return name;
}
