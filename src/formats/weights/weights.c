// SPDX-License-Identifier: Apache-2.0
/* formats/weights/weights.c: adds a tensor of a weights file as a node with its shape, and as a row that tells how it
 * is stored. */
#include "formats/weights/weights.h"
#include "model/builder.h"
#include "model/files/weights.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"

bool tfp_weight_elements(const int64_t *dims, size_t count, int64_t *out)
{
    bool clamped = false;
    *out = 1;
    for (size_t i = 0; i < count; i++) {
        if (dims[i] < 0) return false;
        *out = tfp_mul(*out, dims[i], &clamped);
    }
    return !clamped;
}

tfp_status tfp_weight_of_node(tfp_builder *b, uint32_t node, const tfp_weight_row *row, bool counts, tfp_error *err)
{
    tfp_weight w = { .node = node, .bytes = row->bytes, .kind = (uint8_t)row->kind };
    if (!tfp_weight_elements(row->dims, row->dim_count, &w.elements))
        return tfp_fail(err, TFP_BADFILE, "tensor %.*s: impossible shape",
                        (int)(row->name.size < 200 ? row->name.size : 200), row->name.data);
    w.type = tfp_build_made_string(b, row->type);
    uint32_t shape = tfp_build_shape(b, row->dims, row->dim_count, row->dim_count == 0);
    tfp_build_row(b, node)->shape = shape;
    if (counts && !tfp_push(b->p->weights, w)) b->status = TFP_NOMEM;
    tfp_build_has(b, TFP_HAS_VARIABLES);
    return tfp_builder_status(b, err);
}

tfp_status tfp_weight_add(tfp_builder *b, const tfp_weight_row *row, tfp_error *err)
{
    tfp_buf name = { 0 };
    tfp_status s = TFP_OK;
    tfp_buf_str(&name, row->name);
    if (name.failed) return tfp_nomem(err);
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '.') name.data[i] = '/';
    tfp_str path = { name.data ? name.data : "", name.size };
    if (tfp_build_find(b, path) != TFP_NONE) {
        tfp_build_warn(b, "tensors with the name of an earlier tensor, left out", row->name);
    } else {
        uint32_t node = tfp_build_node(b, path, TFP_STR("_checkpoint_variables"), true);
        if (node != TFP_NONE) s = tfp_weight_of_node(b, node, row, true, err);
    }
    tfp_buf_free(&name);
    return s ? s : tfp_builder_status(b, err);
}
