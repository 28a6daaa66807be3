// SPDX-License-Identifier: Apache-2.0
/* formats/weights/torch_program.c: a program of torch.export (.pt2). data/weights/NAME_weights_config.json has its
 * parameters and buffers, models/NAME.json its graph (torch_graph.c). Before PyTorch 2.8 both were one JSON file beside a file of torch.save. Source:
 * torch/_export/serde/schema.py, torch/export/pt2_archive/constants.py. */
#include "formats/weights/torch.h"
#include "model/builder.h"
#include "model/files/weights.h"

/* ---- parameters and buffers ---- */

static tfp_status add_weight(tfp_builder *b, tfp_pickle *m, tfp_str name, tfp_pvalue v, tfp_error *err)
{
    int64_t dims[TFP_TORCH_DIMS_MOST], dtype = 0, elements = 0, parameter = 0;
    tfp_pvalue meta = tfp_pickle_named(m, v, "tensor_meta");
    tfp_weight_row row = { .name = name, .dims = dims };
    if (!tfp_torch_read_sizes(m, tfp_pickle_named(m, meta, "sizes"), dims, &row.dim_count) ||
        !tfp_weight_elements(dims, row.dim_count, &elements)) {
        tfp_build_warn(b, "tensors with an impossible shape, left out", name);
        return TFP_OK;
    }
    tfp_pickle_int(m, tfp_pickle_named(m, meta, "dtype"), &dtype);
    tfp_pickle_int(m, tfp_pickle_named(m, v, "is_param"), &parameter);
    tfp_torch_type type = tfp_torch_type_numbered(dtype);
    row.type = type.name;
    row.bytes = tfp_mul(elements, type.bits, NULL) / 8;
    row.kind = parameter ? TFP_WEIGHT_TRAINED : TFP_WEIGHT_FIXED;
    return tfp_weight_add(b, &row, err);
}

/* Reads {"config": {NAME: {"path_name", "is_param", "tensor_meta"}}}. Names that share a file are one tensor. */
static tfp_status add_weights(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err)
{
    tfp_pvalue config = tfp_pickle_named(m, root, "config");
    tfp_map64 files = { 0 };
    tfp_status s = TFP_OK;
    if (tfp_pickle_kind_of(config) != TFP_PICKLE_DICT) s = tfp_fail(err, TFP_BADFILE, "no `config`");
    for (size_t i = 0; !s && i < tfp_pickle_pairs(m, config); i++) {
        tfp_str name;
        tfp_pvalue v = tfp_pickle_value(m, config, i), file = tfp_pickle_named(m, v, "path_name");
        if (!tfp_pickle_text(m, tfp_pickle_key(m, config, i), &name)) continue;
        if (file && tfp_map64_get(&files, file) != TFP_NONE) continue;
        if (file && !tfp_map64_put(&files, file, 1)) s = tfp_nomem(err);
        if (!s) s = add_weight(b, m, name, v, err);
    }
    tfp_map64_free(&files);
    return s;
}

/* ---- the files of an archive ---- */

typedef tfp_status (*add_fn)(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err);

static tfp_status add_json(tfp_builder *b, const tfp_zip_entry *e, tfp_input *in, add_fn add, tfp_error *err)
{
    tfp_buf text = { 0 };
    tfp_pickle *m = tfp_pickle_new(0);
    tfp_pvalue root = 0;
    tfp_status s = m ? tfp_zip_read(e, in, &text, err) : tfp_nomem(err);
    if (!s) {
        s = tfp_pickle_read_json(m, (tfp_str){ text.data ? text.data : "", text.size }, &root, err);
        if (!s) s = add(b, m, root, err);
        tfp_within(err, s, "%.*s", (int)(e->name.size < 200 ? e->name.size : 200), e->name.data);
    }
    tfp_pickle_free(m);
    tfp_buf_free(&text);
    return s;
}

bool tfp_torch_is_program(const tfp_zip *z)
{
    return tfp_zip_find(z, "_weights_config.json") || tfp_zip_find(z, "serialized_exported_program.json");
}

static bool is_graph(tfp_str name)
{
    return (tfp_str_has(name, TFP_STR("/models/")) && tfp_str_ends(name, TFP_STR(".json"))) ||
           tfp_str_ends(name, TFP_STR("serialized_exported_program.json"));
}

tfp_status tfp_torch_add_program(tfp_builder *b, const tfp_zip *z, tfp_input *in, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < z->entries.size && !s; i++) {
        const tfp_zip_entry *e = &z->entries.at[i];
        if (tfp_str_ends(e->name, TFP_STR("_weights_config.json")))
            s = add_json(b, e, in, add_weights, err);
        else if (is_graph(e->name))
            s = add_json(b, e, in, tfp_torch_add_graph, err);
    }
    return s;
}
