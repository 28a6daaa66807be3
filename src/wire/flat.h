// SPDX-License-Identifier: Apache-2.0
/* wire/flat.h: writes FlatBuffers, in which Arrow describes its streams: tables whose fields are found by a list of
 * offsets. A table is written before the objects that it refers to; a reference is set when its target is written.
 * https://flatbuffers.dev/internals */
#ifndef TFP_FLAT_BUFFERS_H
#define TFP_FLAT_BUFFERS_H

#include "base/base.h"

enum { TFP_FLAT_FIELDS = 8 };

typedef struct tfp_flat_field {
    unsigned size; /* 1, 2, 4 or 8 bytes; 0: absent. A reference has 4 */
    int64_t value; /* of a reference: 0, until tfp_flat_refer sets it */
} tfp_flat_field;
#define TFP_FLAT_REFERENCE ((tfp_flat_field){ 4, 0 })

typedef struct tfp_flat_table {
    size_t at;                      /* in the buffer */
    size_t fields[TFP_FLAT_FIELDS]; /* places of its fields; 0: absent */
} tfp_flat_table;

/* The buffer begins with the reference to its first table. */
void tfp_flat_start(tfp_buf *b);
tfp_flat_table tfp_flat_put_table(tfp_buf *b, const tfp_flat_field *fields, size_t count);
size_t tfp_flat_put_string(tfp_buf *b, tfp_str s);
/* A list of `count` references; with `size` 8 a list of structs of 64-bit numbers, which the caller appends. Item i is
 * at the result + 4 + 4 * i. */
size_t tfp_flat_put_list(tfp_buf *b, size_t count, unsigned size);
void tfp_flat_refer(tfp_buf *b, size_t field, size_t target);
void tfp_flat_put_number(tfp_buf *b, int64_t n, unsigned size);

#endif
