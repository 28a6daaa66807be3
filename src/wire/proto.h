/* wire/proto.h: the protobuf wire format, reading without copies and writing. Knows no message. */
#ifndef TFP_PROTO_H
#define TFP_PROTO_H

#include "base/base.h"
#include "base/io.h"

/* ---- reading: loop over tfp_wire_next, switch on the number, one check at the end ---- */
typedef enum tfp_wire_type { TFP_VARINT = 0, TFP_FIXED64 = 1, TFP_BYTES = 2, TFP_FIXED32 = 5 } tfp_wire_type;

typedef struct tfp_wire {
    const uint8_t *at, *end, *start;
    const char *fault; /* the first fault, NULL while all is well */
    size_t fault_at;
} tfp_wire;

typedef struct tfp_field {
    uint32_t number;
    uint32_t type;  /* tfp_wire_type */
    uint64_t value; /* varint and fixed */
    tfp_str bytes;  /* length-delimited */
} tfp_field;

tfp_wire tfp_wire_start(tfp_str bytes);
/* The next field, or false at the end or at a fault. Groups (types 3 and 4) are skipped whole, without recursion. */
bool tfp_wire_next(tfp_wire *w, tfp_field *f);
/* TFP_OK, or TFP_BADFILE with what was wrong and the byte offset inside this message. */
tfp_status tfp_wire_end(const tfp_wire *w, tfp_error *err);

/* A field as what the .proto says it is; another wire type is a fault ("field 3 has wire type 5") and gives 0 or "". */
tfp_str tfp_field_bytes(tfp_wire *w, const tfp_field *f);
uint64_t tfp_field_uint(tfp_wire *w, const tfp_field *f);
int64_t tfp_field_int(tfp_wire *w, const tfp_field *f);
int32_t tfp_field_int32(tfp_wire *w, const tfp_field *f); /* low 32 bits, as protobuf does */
bool tfp_field_bool(tfp_wire *w, const tfp_field *f);
uint32_t tfp_field_fixed32(tfp_wire *w, const tfp_field *f);
float tfp_field_float(tfp_wire *w, const tfp_field *f);
double tfp_field_double(tfp_wire *w, const tfp_field *f);

/* A repeated scalar, packed or not: for (tfp_packed p = tfp_packed_start(&w, &f); tfp_packed_next(&w, &p, &v);)
 * `type` is the scalar's own wire type. */
typedef struct tfp_packed {
    tfp_wire in;
    uint32_t type;
    bool single;
    uint64_t value;
} tfp_packed;
tfp_packed tfp_packed_start(tfp_wire *w, const tfp_field *f, tfp_wire_type type);
bool tfp_packed_next(tfp_wire *w, tfp_packed *p, uint64_t *value);

/* ---- reading the top level of a file in windows ----
 * The payload of a length-delimited field is contiguous in the input's buffer until the next call. */
bool tfp_wire_next_input(tfp_input *in, tfp_field *f, tfp_status *s, tfp_error *err); /* false: end, or *s set */

/* ---- writing: into a tfp_buf; zero scalars and empty strings are left out unless asked for with _always ---- */
void tfp_put_tag(tfp_buf *b, uint32_t number, tfp_wire_type type);
void tfp_put_varint(tfp_buf *b, uint64_t v);
void tfp_put_int(tfp_buf *b, uint32_t number, int64_t v);
void tfp_put_int_always(tfp_buf *b, uint32_t number, int64_t v);
void tfp_put_bytes(tfp_buf *b, uint32_t number, tfp_str v);
void tfp_put_bytes_always(tfp_buf *b, uint32_t number, tfp_str v);
void tfp_put_double(tfp_buf *b, uint32_t number, double v);
void tfp_put_packed_ints(tfp_buf *b, uint32_t number, const int64_t *v, size_t count);
/* A nested message: at = tfp_put_open(b, 4); ... tfp_put_close(b, at). */
size_t tfp_put_open(tfp_buf *b, uint32_t number);
void tfp_put_close(tfp_buf *b, size_t at);

#endif
