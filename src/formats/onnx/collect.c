// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/collect.c: collects the types of values and the initializers of a graph. Message layout: ValueInfoProto,
 * TensorProto of onnx.proto. */
#include "formats/onnx/onnx.h"

enum { SCALES_MOST = 8 }; /* elements of a tensor of floats from which a shape may be computed */

tfp_status tfp_onnx_status(const tfp_onnx_model *m, tfp_error *err)
{
    bool failed = m->no_memory || m->nodes.failed || m->infos.failed || m->tensors.failed;
    return failed ? tfp_nomem(err) : tfp_builder_status(m->b, err);
}

tfp_status tfp_onnx_add_info(tfp_onnx_model *m, tfp_str bytes, bool input, tfp_error *err)
{
    tfp_str name = { "", 0 }, type = { "", 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) name = tfp_field_bytes(&w, &f);
        if (f.number == 2) type = tfp_field_bytes(&w, &f);
    }
    tfp_onnx_value *v = name.size ? tfp_onnx_value_of(m, tfp_build_string(m->b, name)) : NULL;
    if (v && type.size && !v->info_size) {
        v->info_at = m->infos.size;
        v->info_size = type.size;
        tfp_buf_str(&m->infos, type);
    }
    if (v) v->input |= input;
    return tfp_wire_end(&w, err);
}

tfp_status tfp_onnx_add_initializer(tfp_onnx_model *m, tfp_str bytes, tfp_error *err)
{
    tfp_onnx_tensor t;
    tfp_onnx_weight w = { .dim_first = m->dims.size, .tensor_at = m->tensors.size };
    tfp_status s = tfp_onnx_read_tensor(tfp_wire_start(bytes), &t, &m->tensors, err);
    if (s) return s;
    tfp_onnx_value *v = tfp_onnx_value_of(m, tfp_build_string(m->b, t.name));
    if (!v) return tfp_nomem(err);
    w.value = (uint32_t)(v - m->values.at);
    w.type = t.type;
    w.dim_count = t.dim_count;
    w.tensor_size = m->tensors.size - w.tensor_at;
    for (size_t i = 0; i < t.dim_count; i++) m->no_memory |= !tfp_push(&m->dims, t.dims[i]);
    /* shapes are computed from indices and from the scales of a Resize */
    if (tfp_onnx_type_of(t.type)->trains && (t.dim_count > 1 || (t.dim_count && t.dims[0] > SCALES_MOST)))
        m->tensors.size -= w.tensor_size, w.tensor_size = 0;
    m->no_memory |= !tfp_push(&m->weights, w);
    return tfp_onnx_status(m, err);
}
