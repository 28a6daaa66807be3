// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/graph.c: turns the graph of an ONNX model into nodes and inputs (nodes.c) with the bodies in it (bodies.c), its
 * initializers into parameters or constants, and with TFP_READS_PROGRAM all of it into the program. */
#include "formats/onnx/maker.h"
#include "model/tables/profile.h"

/* ---- the whole ---- */

static tfp_status make(maker *k, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; !s && i < k->m->weights.size; i++) s = tfp_onnx_add_weight(k, &k->m->weights.at[i], err);
    for (size_t i = 0, count = k->m->values.size; !s && i < count;
         i++) /* before IR version 4 initializers are also listed as inputs */
        if (k->m->values.at[i].input && k->m->values.at[i].node == TFP_NONE) s = tfp_onnx_add_graph_input(k, i, err);
    tfp_str nodes = { k->m->nodes.data ? k->m->nodes.data : "", k->m->nodes.size };
    return s ? s : tfp_onnx_read_nodes(k, tfp_wire_start(nodes), err);
}

tfp_status tfp_onnx_build(tfp_onnx_model *m, tfp_error *err)
{
    tfp_builder *b = m->b;
    maker k = { .m = m, .b = b };
    bool wanted = b->p->reads & (TFP_READS_PROGRAM | TFP_READS_GRAPHS);
    if (wanted && !(k.program = tfp_program_start(b))) return tfp_nomem(err);
    if (wanted) tfp_program_onnx(k.program);
    tfp_status s = make(&k, err);
    if (!s && (k.no_memory || m->no_memory)) s = tfp_nomem(err);
    if (wanted) s = tfp_program_end(k.program, s, err);
    tfp_build_has(b, TFP_HAS_GRAPH);
    tfp_map64_free(&k.taken);
    tfp_buf_free(&k.name);
    tfp_buf_free(&k.value);
    tfp_buf_free(&k.attrs);
    tfp_vec_free(&k.outputs);
    tfp_vec_free(&k.in_types);
    tfp_buf_free(&k.prefix);
    tfp_vec_free(&k.shadowed);
    tfp_vec_free(&k.results);
    tfp_vec_free(&k.result_types);
    return s;
}
