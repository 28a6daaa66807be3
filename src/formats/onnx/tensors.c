// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/tensors.c: tensors of ONNX: names, types and shapes, and the values of small ones in TensorFlow's form,
 * from which float operations fold constants. Message layout: TensorProto of onnx.proto, tensor.proto of TensorFlow. */
#include "formats/onnx/onnx.h"

enum { INT32_DATA = 5 };

/* The field of TensorFlow's TensorProto that takes ONNX's values field; 0: none. */
static uint32_t field_for(uint32_t number, int dtype)
{
    enum { HALF = 19, BFLOAT16 = 14, BOOL = 10, UINT32 = 22 };
    switch (number) {
    case 4: return 5; /* float_data */
    case INT32_DATA: return dtype == BOOL ? 11 : dtype == HALF || dtype == BFLOAT16 ? 13 : 7;
    case 7: return 10;                         /* int64_data */
    case 9: return 4;                          /* raw_data */
    case 10: return 6;                         /* double_data */
    case 11: return dtype == UINT32 ? 16 : 17; /* uint64_data */
    default: return 0;
    }
}

static void put_value(tfp_buf *as, uint32_t number, const tfp_field *f)
{
    switch (f->type) {
    case TFP_BYTES: tfp_put_bytes(as, number, f->bytes); break;
    case TFP_VARINT: tfp_put_int_always(as, number, (int64_t)f->value); break;
    case TFP_FIXED64: tfp_put_fixed64(as, number, f->value); break;
    default: /* a single float, not packed */
        tfp_put_tag(as, number, TFP_FIXED32);
        for (int i = 0; i < 4; i++) tfp_buf_char(as, (char)(f->value >> 8 * i));
    }
}

static void put_shape(tfp_buf *as, const tfp_onnx_tensor *t)
{
    size_t shape = tfp_put_open(as, 2);
    for (size_t i = 0; i < t->dim_count; i++) {
        size_t dim = tfp_put_open(as, 2);
        tfp_put_int_always(as, 1, t->dims[i]);
        tfp_put_close(as, dim);
    }
    tfp_put_close(as, shape);
}

/* Reads name, type and dims. */
static const char *read_head(tfp_wire *w, tfp_onnx_tensor *t)
{
    const char *fault = NULL;
    *t = (tfp_onnx_tensor){ .name = { "", 0 } };
    for (tfp_field f; tfp_wire_next(w, &f);) {
        if (f.number == 2) t->type = tfp_field_uint(w, &f);
        if (f.number == 8) t->name = tfp_field_bytes(w, &f);
        if (f.number != 1) continue;
        uint64_t dim;
        for (tfp_packed p = tfp_packed_start(w, &f, TFP_VARINT); tfp_packed_next(w, &p, &dim);) {
            if (dim > INT64_MAX) fault = "a negative dimension";
            if (t->dim_count == TFP_ONNX_RANK_MOST) fault = "too many dimensions";
            if (!fault) t->dims[t->dim_count++] = (int64_t)dim;
        }
    }
    return fault;
}

/* TensorFlow takes missing values as zeros, so a tensor that lacks some of its values is not kept. */
static tfp_status put_tensor(tfp_wire w, const tfp_onnx_tensor *t, tfp_buf *as, tfp_error *err)
{
    size_t start = as->size, room = TFP_ONNX_VALUES_MOST;
    int dtype = tfp_onnx_type_of(t->type)->dtype;
    bool whole = false;
    tfp_put_int(as, 1, dtype);
    put_shape(as, t);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        uint32_t number = field_for(f.number, dtype);
        if (!number || (f.type == TFP_BYTES && !f.bytes.size)) continue;
        whole = f.bytes.size <= room;
        if (!whole) break;
        room -= f.bytes.size;
        put_value(as, number, &f);
    }
    if (!whole) as->size = start;
    return as->failed ? tfp_nomem(err) : tfp_wire_end(&w, err);
}

tfp_status tfp_onnx_read_tensor(tfp_wire w, tfp_onnx_tensor *t, tfp_buf *as, tfp_error *err)
{
    tfp_wire values = w;
    const char *fault = read_head(&w, t);
    tfp_status s = tfp_wire_end(&w, err);
    if (s) return s;
    if (fault)
        return tfp_fail(err, TFP_BADFILE, "tensor %.*s: %s", (int)(t->name.size < 200 ? t->name.size : 200),
                        t->name.data, fault);
    return as ? put_tensor(values, t, as, err) : TFP_OK;
}
