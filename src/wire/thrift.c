// SPDX-License-Identifier: Apache-2.0
/* wire/thrift.c: writes Thrift's compact protocol. */
#include "wire/thrift.h"

static uint64_t zigzag(int64_t n) { return ((uint64_t)n << 1) ^ (n < 0 ? UINT64_MAX : 0); }

static void field(tfp_thrift *t, int number, tfp_thrift_type type)
{
    int delta = number - t->last[t->depth];
    t->last[t->depth] = number;
    if (delta > 0 && delta < 16) {
        tfp_buf_char(t->out, (char)(delta << 4 | (int)type));
        return;
    }
    tfp_buf_char(t->out, (char)type);
    tfp_put_varint(t->out, zigzag(number));
}

void tfp_thrift_end(tfp_thrift *t)
{
    tfp_buf_char(t->out, TFP_THRIFT_STOP);
    if (t->depth > 0) t->depth--;
}

void tfp_thrift_item(tfp_thrift *t)
{
    if (t->depth + 1 >= TFP_THRIFT_DEEPEST)
        t->out->failed = true;
    else
        t->last[++t->depth] = 0;
}

void tfp_thrift_struct(tfp_thrift *t, int number)
{
    field(t, number, TFP_THRIFT_STRUCT);
    tfp_thrift_item(t);
}

void tfp_thrift_i32(tfp_thrift *t, int number, int64_t n)
{
    field(t, number, TFP_THRIFT_I32);
    tfp_put_varint(t->out, zigzag(n));
}

void tfp_thrift_i64(tfp_thrift *t, int number, int64_t n)
{
    field(t, number, TFP_THRIFT_I64);
    tfp_put_varint(t->out, zigzag(n));
}

void tfp_thrift_bool(tfp_thrift *t, int number, bool b) { field(t, number, b ? TFP_THRIFT_TRUE : TFP_THRIFT_FALSE); }

void tfp_thrift_list_text(tfp_thrift *t, tfp_str s)
{
    tfp_put_varint(t->out, s.size);
    tfp_buf_str(t->out, s);
}

void tfp_thrift_text(tfp_thrift *t, int number, tfp_str s)
{
    field(t, number, TFP_THRIFT_BINARY);
    tfp_thrift_list_text(t, s);
}

void tfp_thrift_list(tfp_thrift *t, int number, tfp_thrift_type of, size_t count)
{
    field(t, number, TFP_THRIFT_LIST);
    tfp_buf_char(t->out, (char)((count < 15 ? count : 15) << 4 | of));
    if (count >= 15) tfp_put_varint(t->out, count);
}

void tfp_thrift_list_i32(tfp_thrift *t, int64_t n) { tfp_put_varint(t->out, zigzag(n)); }
