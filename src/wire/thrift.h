// SPDX-License-Identifier: Apache-2.0
/* wire/thrift.h: Thrift's compact protocol, in which Parquet writes its headers and its footer: fields whose numbers
 * are stored as differences, in structs that may nest.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md */
#ifndef TFP_THRIFT_H
#define TFP_THRIFT_H

#include "wire/proto.h"

enum { TFP_THRIFT_DEEPEST = 12 };

typedef enum tfp_thrift_type {
    TFP_THRIFT_STOP = 0,
    TFP_THRIFT_TRUE = 1,
    TFP_THRIFT_FALSE = 2,
    TFP_THRIFT_I8 = 3,
    TFP_THRIFT_I16 = 4,
    TFP_THRIFT_I32 = 5,
    TFP_THRIFT_I64 = 6,
    TFP_THRIFT_DOUBLE = 7,
    TFP_THRIFT_BINARY = 8,
    TFP_THRIFT_LIST = 9,
    TFP_THRIFT_SET = 10,
    TFP_THRIFT_MAP = 11,
    TFP_THRIFT_STRUCT = 12
} tfp_thrift_type;

/* ---- writing: fields in ascending order; a struct is begun as a field or as an item of a list, and ended ---- */
typedef struct tfp_thrift {
    tfp_buf *out;
    int last[TFP_THRIFT_DEEPEST]; /* by depth: number of the previous field */
    int depth;
} tfp_thrift;
static inline tfp_thrift tfp_thrift_start(tfp_buf *out) { return (tfp_thrift){ .out = out }; }
void tfp_thrift_end(tfp_thrift *t);                       /* of the outermost struct, or of one that was begun */
void tfp_thrift_struct(tfp_thrift *t, int field);         /* begins one in a field */
void tfp_thrift_item(tfp_thrift *t);                      /* begins one in a list */
void tfp_thrift_i32(tfp_thrift *t, int field, int64_t n); /* the number must fit into 32 bits */
void tfp_thrift_i64(tfp_thrift *t, int field, int64_t n);
void tfp_thrift_bool(tfp_thrift *t, int field, bool b);
void tfp_thrift_text(tfp_thrift *t, int field, tfp_str s);
void tfp_thrift_list(tfp_thrift *t, int field, tfp_thrift_type of, size_t count);
void tfp_thrift_list_i32(tfp_thrift *t, int64_t n);
void tfp_thrift_list_text(tfp_thrift *t, tfp_str s);

#endif
