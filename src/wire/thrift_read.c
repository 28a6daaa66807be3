// SPDX-License-Identifier: Apache-2.0
/* wire/thrift_read.c: reads Thrift's compact protocol, without recursion. */
#include "wire/thrift_read.h"

static uint8_t byte(tfp_thrift_in *in)
{
    if (in->at < in->end) return *in->at++;
    in->fault = true;
    return 0;
}

static uint64_t varint(tfp_thrift_in *in)
{
    tfp_varint v = tfp_varint_long(in->at, in->end);
    in->fault |= !v.at;
    if (!v.at) return 0;
    in->at = v.at;
    return v.value;
}

static int64_t read_int(tfp_thrift_in *in)
{
    uint64_t n = varint(in);
    return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
}

tfp_str tfp_thrift_read_text(tfp_thrift_in *in)
{
    uint64_t size = varint(in);
    if (in->fault || size > (uint64_t)(in->end - in->at)) {
        in->fault = true;
        return (tfp_str){ "", 0 };
    }
    tfp_str s = { (const char *)in->at, (size_t)size };
    in->at += size;
    return s;
}

bool tfp_thrift_next(tfp_thrift_in *in, tfp_thrift_field *f)
{
    uint8_t head = byte(in);
    if (in->fault || !(head & 15)) return false;
    f->type = (tfp_thrift_type)(head & 15);
    int64_t number = head >> 4 ? f->number + (head >> 4) : read_int(in);
    in->fault |= number < 0 || number > INT16_MAX || f->type > TFP_THRIFT_STRUCT;
    f->number = (int)number;
    return !in->fault;
}

size_t tfp_thrift_read_list(tfp_thrift_in *in, tfp_thrift_type *of)
{
    uint8_t head = byte(in);
    uint64_t count = head >> 4 == 15 ? varint(in) : head >> 4;
    *of = (tfp_thrift_type)(head & 15);
    in->fault |= count > (uint64_t)(in->end - in->at); /* each item takes at least one byte */
    return in->fault ? 0 : (size_t)count;
}

/* A struct or a collection that is open while a value is skipped. */
typedef struct open_value {
    bool is_struct;
    uint64_t left;               /* values */
    tfp_thrift_type type, other; /* types of values that alternate: keys and values of a map */
    tfp_thrift_field field;
} open_value;

static void skip_bytes(tfp_thrift_in *in, size_t size)
{
    in->fault |= size > (size_t)(in->end - in->at);
    if (!in->fault) in->at += size;
}

/* Skips a value without parts; false for other types, which `v` then describes. */
static bool skip_simple(tfp_thrift_in *in, tfp_thrift_type type, bool in_list, open_value *v)
{
    *v = (open_value){ 0 };
    switch (type) {
    case TFP_THRIFT_TRUE:
    case TFP_THRIFT_FALSE:
        if (in_list) byte(in);
        return true;
    case TFP_THRIFT_I8: byte(in); return true;
    case TFP_THRIFT_I16:
    case TFP_THRIFT_I32:
    case TFP_THRIFT_I64: varint(in); return true;
    case TFP_THRIFT_DOUBLE: skip_bytes(in, 8); return true;
    case TFP_THRIFT_BINARY: tfp_thrift_read_text(in); return true;
    case TFP_THRIFT_LIST:
    case TFP_THRIFT_SET:
        v->left = tfp_thrift_read_list(in, &v->type);
        v->other = v->type;
        return false;
    case TFP_THRIFT_MAP: {
        uint64_t count = varint(in);
        uint8_t types = count ? byte(in) : 0;
        in->fault |= count > (uint64_t)(in->end - in->at);
        v->left = in->fault ? 0 : 2 * count;
        v->type = (tfp_thrift_type)(types >> 4);
        v->other = (tfp_thrift_type)(types & 15);
        return false;
    }
    case TFP_THRIFT_STRUCT: v->is_struct = true; return false;
    default: in->fault = true; return true;
    }
}

void tfp_thrift_skip(tfp_thrift_in *in, tfp_thrift_type type)
{
    enum { DEEPEST = 32 };
    open_value open[DEEPEST], v;
    size_t depth = 0;
    if (skip_simple(in, type, false, &v)) return;
    open[depth++] = v;
    while (depth && !in->fault) {
        open_value *top = &open[depth - 1];
        tfp_thrift_type next;
        if (top->is_struct) {
            if (!tfp_thrift_next(in, &top->field)) {
                depth--;
                continue;
            }
            next = top->field.type;
        } else {
            if (!top->left) {
                depth--;
                continue;
            }
            next = top->left-- % 2 ? top->other : top->type;
        }
        if (skip_simple(in, next, !top->is_struct, &v)) continue;
        in->fault |= depth == DEEPEST;
        if (!in->fault) open[depth++] = v;
    }
}

int64_t tfp_thrift_int_of(tfp_thrift_in *in, const tfp_thrift_field *f)
{
    if (f->type == TFP_THRIFT_I16 || f->type == TFP_THRIFT_I32 || f->type == TFP_THRIFT_I64) return read_int(in);
    tfp_thrift_skip(in, f->type);
    return 0;
}
