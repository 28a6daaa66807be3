// SPDX-License-Identifier: Apache-2.0
/* wire/proto.h: the protobuf wire format, reading without copies and writing. Knows no message. The reader is inline,
 * down to the one-byte case of a varint: a profile of 85 MB has 15 million fields, and a wire whose address does not
 * escape stays in registers. Rare cases (long varints, groups, messages for faults) are in proto.c. */
#ifndef TFP_PROTO_H
#define TFP_PROTO_H

#include "base/base.h"
#include "base/io.h"

#if defined(__GNUC__)
#define TFP_WIRE_INLINE static inline __attribute__((always_inline))
#else
#define TFP_WIRE_INLINE static inline
#endif

/* ---- reading: loop over tfp_wire_next, switch on the number, one check at the end ---- */
typedef enum tfp_wire_type {
    TFP_VARINT = 0,
    TFP_FIXED64 = 1,
    TFP_BYTES = 2,
    TFP_GROUP = 3,
    TFP_GROUP_END = 4,
    TFP_FIXED32 = 5
} tfp_wire_type;

typedef struct tfp_wire {
    const uint8_t *at, *end, *start;
    uint64_t base;        /* offset of `start` in the file */
    const char *fault;    /* the first fault, or NULL; the following members are set with it */
    uint64_t fault_at;    /* offset in the file */
    uint32_t fault_field; /* number and wire type of the field at fault, 0 when they do not matter */
    uint32_t fault_type;
    /* enclosing messages; not an array, because gcc would then keep the wire in memory */
    const char *place, *outer_place, *outermost_place;
} tfp_wire;

typedef struct tfp_field {
    uint32_t number;
    uint32_t type;  /* tfp_wire_type; never a group */
    uint64_t value; /* varint and fixed */
    tfp_str bytes;  /* length-delimited */
} tfp_field;

/* The parts that are not inline: they take pointers only, so that a tfp_wire need not be in memory. */
typedef struct tfp_varint {
    uint64_t value;
    const uint8_t *at; /* after it, or NULL at a fault */
} tfp_varint;
tfp_varint tfp_varint_long(const uint8_t *at, const uint8_t *end);
const char *tfp_varint_fault(const uint8_t *at, const uint8_t *end); /* why tfp_varint_long returned NULL */
tfp_status tfp_wire_failed(tfp_wire w, tfp_error *err);

/* A wire over bytes at offset `base` of the file (0 if it does not matter); errors report offsets in the file. */
static inline tfp_wire tfp_wire_start_at(tfp_str bytes, uint64_t base)
{
    tfp_wire w;
    w.at = w.start = (const uint8_t *)bytes.data;
    w.end = bytes.size ? w.at + bytes.size : w.at;
    w.base = base;
    w.fault = NULL;
    return w;
}
static inline tfp_wire tfp_wire_start(tfp_str bytes) { return tfp_wire_start_at(bytes, 0); }

/* Records the first fault and ends the loop. Always false. */
static inline bool tfp_wire_fault(tfp_wire *w, const uint8_t *at, const char *fault)
{
    if (!w->fault) {
        w->fault = fault;
        w->fault_at = w->base + (uint64_t)(at - w->start);
        w->fault_field = w->fault_type = 0;
        w->place = w->outer_place = w->outermost_place = NULL;
    }
    w->at = w->end;
    return false;
}

/* Takes over a fault of a nested message named `place` (a literal). */
static inline void tfp_wire_join(tfp_wire *w, const tfp_wire *inner, const char *place)
{
    if (!inner->fault || w->fault) return;
    w->fault = inner->fault;
    w->fault_at = inner->fault_at;
    w->fault_field = inner->fault_field;
    w->fault_type = inner->fault_type;
    w->place = inner->place ? inner->place : place;
    w->outer_place = !inner->place || inner->outer_place ? inner->outer_place : place;
    w->outermost_place = inner->outer_place ? place : NULL;
    w->at = w->end;
}

/* Field 1 of a nested message as text: its name, or the key of a map entry; the last one counts. "" when absent. */
tfp_str tfp_field_name(tfp_wire *outer, const tfp_field *field, const char *place);

/* A varint at *at; false at a fault. */
TFP_WIRE_INLINE bool tfp_wire_varint(tfp_wire *w, const uint8_t **at, uint64_t *value)
{
    if (*at < w->end && **at < 0x80) {
        *value = *(*at)++;
        return true;
    }
    if (w->end - *at >= 2 && (*at)[1] < 0x80) { /* lengths of messages, counts of bytes */
        *value = (uint64_t)((*at)[0] & 0x7f) | (uint64_t)(*at)[1] << 7;
        *at += 2;
        return true;
    }
    tfp_varint v = tfp_varint_long(*at, w->end);
    if (!v.at) return tfp_wire_fault(w, *at, tfp_varint_fault(*at, w->end));
    *value = v.value;
    *at = v.at;
    return true;
}

/* The rare fields: long tags, fixed numbers, groups, and faults. */
bool tfp_wire_next_rare(tfp_wire *w, tfp_field *f);

/* The next field, or false at the end or at a fault. Groups (types 3 and 4) are skipped whole, without recursion. */
TFP_WIRE_INLINE bool tfp_wire_next(tfp_wire *w, tfp_field *f)
{
    if (w->at >= w->end) return false;
    const uint8_t *at = w->at;
    uint32_t tag = *at++;
    uint64_t value;
    if (tag < 0x80 && tag >= 8 && (tag & 5) == 0) { /* a varint or bytes, with a number below 16 */
        if (!tfp_wire_varint(w, &at, &value)) return false;
        *f = (tfp_field){ tag >> 3, tag & 7, value, { "", 0 } };
        if (f->type == TFP_VARINT) {
            w->at = at;
            return true;
        }
        if (value > (uint64_t)(w->end - at)) return tfp_wire_fault(w, w->at, "length past the end");
        f->bytes.data = (const char *)at;
        f->bytes.size = (size_t)value;
        w->at = at + value;
        return true;
    }
    tfp_wire copy = *w; /* so that *w and *f need no address */
    tfp_field rare = { 0 };
    bool more = tfp_wire_next_rare(&copy, &rare);
    *w = copy;
    *f = rare;
    return more;
}

/* TFP_OK, or TFP_BADFILE with the fault and its offset in the file. */
static inline tfp_status tfp_wire_end(const tfp_wire *w, tfp_error *err)
{
    return w->fault ? tfp_wire_failed(*w, err) : TFP_OK;
}

/* ---- a field read as the type in its .proto; another wire type is a fault and gives 0 or "" ---- */
static inline bool tfp_field_is(tfp_wire *w, const tfp_field *f, tfp_wire_type type)
{
    if (f->type == (uint32_t)type) return true;
    if (!w->fault) {
        tfp_wire_fault(w, w->at, "wrong wire type");
        w->fault_field = f->number;
        w->fault_type = f->type;
    }
    return false;
}
static inline tfp_str tfp_field_bytes(tfp_wire *w, const tfp_field *f)
{
    return tfp_field_is(w, f, TFP_BYTES) ? f->bytes : (tfp_str){ "", 0 };
}
/* A nested message; its faults report offsets in the file, too. */
static inline tfp_wire tfp_field_message(tfp_wire *w, const tfp_field *f)
{
    if (!tfp_field_is(w, f, TFP_BYTES)) return tfp_wire_start((tfp_str){ "", 0 });
    return tfp_wire_start_at(f->bytes, w->base + (uint64_t)((const uint8_t *)f->bytes.data - w->start));
}
static inline uint64_t tfp_field_uint(tfp_wire *w, const tfp_field *f)
{
    return tfp_field_is(w, f, TFP_VARINT) ? f->value : 0;
}
static inline int64_t tfp_field_int(tfp_wire *w, const tfp_field *f) { return (int64_t)tfp_field_uint(w, f); }
/* The low 32 bits, as protobuf does. */
static inline int32_t tfp_field_int32(tfp_wire *w, const tfp_field *f)
{
    return (int32_t)(uint32_t)tfp_field_uint(w, f);
}
static inline bool tfp_field_bool(tfp_wire *w, const tfp_field *f) { return tfp_field_uint(w, f) != 0; }
uint32_t tfp_field_fixed32(tfp_wire *w, const tfp_field *f);
double tfp_field_double(tfp_wire *w, const tfp_field *f);

/* A repeated scalar, packed or not: for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p,
 * &v);) `type` is the scalar's own wire type. */
typedef struct tfp_packed {
    tfp_wire in;
    uint32_t type;
    bool single;
    uint64_t value;
} tfp_packed;
static inline tfp_packed tfp_packed_start(tfp_wire *w, const tfp_field *f, tfp_wire_type type)
{
    tfp_packed p;
    p.type = type;
    p.single = f->type == (uint32_t)type;
    p.value = p.single ? f->value : 0;
    p.in = p.single ? tfp_wire_start((tfp_str){ "", 0 }) : tfp_field_message(w, f);
    return p;
}
static inline bool tfp_packed_next(tfp_wire *w, tfp_packed *p, uint64_t *value)
{
    if (p->single) {
        *value = p->value;
        p->single = false;
        return true;
    }
    if (p->in.at >= p->in.end) return false;
    const uint8_t *at = p->in.at;
    if (p->type == TFP_VARINT) {
        if (!tfp_wire_varint(&p->in, &at, value)) {
            tfp_wire_join(w, &p->in, "packed numbers");
            return false;
        }
        p->in.at = at;
        return true;
    }
    size_t size = p->type == TFP_FIXED64 ? 8 : 4;
    if (size > (size_t)(p->in.end - at)) return tfp_wire_fault(w, w->at, "packed numbers cut short");
    *value = 0;
    for (size_t i = 0; i < size; i++) *value |= (uint64_t)at[i] << (8 * i);
    p->in.at = at + size;
    return true;
}

/* ---- reading the top level of a file in windows ----
 * The payload of a length-delimited field is contiguous in the input's buffer until the next call. */
bool tfp_wire_next_input(tfp_input *in, tfp_field *f, tfp_status *s, tfp_error *err); /* false: end, or *s set */
/* The tag and length of the next field, without moving: *size is the size of the whole field; for a length-delimited
 * one f->bytes has only the size set. A group has *size 0. Fails when the field extends beyond the input. */
tfp_status tfp_wire_peek_input(tfp_input *in, tfp_field *f, uint64_t *size, tfp_error *err);
/* Continues after the field that was peeked. */
tfp_status tfp_wire_skip_input(tfp_input *in, const tfp_field *f, uint64_t size, tfp_error *err);
/* An empty wire positioned after the field that tfp_wire_next_input returned: the tfp_field_ functions can
 * then be used on it, and tfp_wire_end(&w, err) tells whether the field had the right type. */
tfp_wire tfp_input_wire(const tfp_input *in, const tfp_field *f);

/* How many bytes the field at the start of `seen` takes, which may be more than `seen` has; 0 when unknown, or when it
 * is a group. */
uint64_t tfp_wire_field_size(tfp_str seen);
/* How many of the first `most` bytes are whole fields that are not groups. */
size_t tfp_wire_whole_fields(tfp_str seen, size_t most);

/* ---- writing: into a tfp_buf; zero scalars and empty strings are left out unless asked for with _always ---- */
void tfp_put_tag(tfp_buf *b, uint32_t number, tfp_wire_type type);
void tfp_put_varint(tfp_buf *b, uint64_t v);
void tfp_put_int(tfp_buf *b, uint32_t number, int64_t v);
void tfp_put_int_always(tfp_buf *b, uint32_t number, int64_t v);
void tfp_put_fixed64(tfp_buf *b, uint32_t number, uint64_t v); /* also zero */
void tfp_put_double(tfp_buf *b, uint32_t number, double v);    /* also zero */
void tfp_put_bytes(tfp_buf *b, uint32_t number, tfp_str v);
void tfp_put_bytes_always(tfp_buf *b, uint32_t number, tfp_str v);
/* A string field. Readers refuse strings that are not UTF-8, so such a text is written escaped. */
void tfp_put_string(tfp_buf *b, uint32_t number, tfp_str s);
size_t tfp_varint_size(uint64_t v); /* bytes that it takes */
void tfp_put_packed_ints(tfp_buf *b, uint32_t number, const int64_t *v, size_t count);
/* A nested message: at = tfp_put_open(b, 4); ... tfp_put_close(b, at). */
size_t tfp_put_open(tfp_buf *b, uint32_t number);
void tfp_put_close(tfp_buf *b, size_t at);

#endif
