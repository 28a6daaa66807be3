// SPDX-License-Identifier: Apache-2.0
/* wire/thrift_read.h: reads Thrift's compact protocol. The first error is kept, and everything read after it is empty,
 * so that a reader needs one check at its end. */
#ifndef TFP_THRIFT_READ_H
#define TFP_THRIFT_READ_H

#include "wire/thrift.h"

typedef struct tfp_thrift_in {
    const uint8_t *at, *end;
    bool fault;
} tfp_thrift_in;
static inline tfp_thrift_in tfp_thrift_in_start(tfp_str bytes)
{
    return (tfp_thrift_in){ (const uint8_t *)bytes.data, (const uint8_t *)bytes.data + bytes.size, false };
}

/* A field of the current struct: its number is stored relative to the previous one. */
typedef struct tfp_thrift_field {
    int number;
    tfp_thrift_type type;
} tfp_thrift_field;
bool tfp_thrift_next(tfp_thrift_in *in, tfp_thrift_field *f); /* starts from { 0 }; false at the end of the struct */

tfp_str tfp_thrift_read_text(tfp_thrift_in *in);
/* The head of a list: the number and type of its items; never more items than bytes left. */
size_t tfp_thrift_read_list(tfp_thrift_in *in, tfp_thrift_type *of);
void tfp_thrift_skip(tfp_thrift_in *in, tfp_thrift_type type); /* any value */
/* The number in a field of that type; fields of other types are skipped and give 0. */
int64_t tfp_thrift_int_of(tfp_thrift_in *in, const tfp_thrift_field *f);

#endif
