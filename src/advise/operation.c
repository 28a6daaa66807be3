// SPDX-License-Identifier: Apache-2.0
/* advise/operation.c: operations that have a faster form: batch normalisation in many small operations, and NHWC
 * layout on a GPU. Where runs were recorded, only operations that ran count. */
#include "advise/checker.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "views/core/handle.h"

#include <math.h>

typedef struct operations {
    const tfp_profile *p;
    bool ran; /* whether runs were recorded */
    uint32_t count, example;
} operations;

static tfp_str op_of(const tfp_profile *p, uint32_t node) { return tfp_text(p, tfp_graph_of(p)->nodes.at[node].op); }

static void take(operations *o, uint32_t node)
{
    if (o->ran && tfp_graph_of(o->p)->nodes.at[node].exec_first == TFP_NONE) return;
    if (!o->count++) o->example = node;
}

/* The rank of a node's first output; -1: unknown. */
static int rank_of(const tfp_profile *p, uint32_t node)
{
    uint32_t first = tfp_graph_of(p)->nodes.at[node].output_first;
    uint32_t shape = first != TFP_NONE && tfp_graph_of(p)->outputs.at[first].slot == 0
                         ? tfp_graph_of(p)->outputs.at[first].shape
                         : TFP_NONE;
    if (shape == TFP_NONE) return -1;
    const tfp_shape *s = &tfp_graph_of(p)->shapes.at[shape];
    return s->scalar ? 0 : s->count ? (int)s->count : -1;
}

/* Whether batch normalisation can be fused. tf.nn.batch_normalization makes SCOPE/batchnorm/Rsqrt and, for the tensor
 * itself, SCOPE/batchnorm/mul_1. The fused operation takes only tensors of rank 4 or 5. */
static bool can_be_fused(const tfp_profile *p, tfp_str rsqrt)
{
    tfp_buf name = { 0 };
    tfp_buf_add(&name, rsqrt.data, rsqrt.size - strlen("Rsqrt"));
    tfp_buf_text(&name, "mul_1");
    uint32_t scaled = name.failed ? TFP_NONE : tfp_find_node(p, (tfp_str){ name.data, name.size });
    tfp_buf_free(&name);
    int rank = scaled == TFP_NONE ? -1 : rank_of(p, scaled);
    return rank == 4 || rank == 5;
}

static bool is_unfused_norm(const tfp_profile *p, uint32_t node)
{
    tfp_str op = op_of(p, node), name = tfp_text(p, tfp_graph_of(p)->nodes.at[node].name);
    if (tfp_str_eq(op, TFP_STR("BatchNormWithGlobalNormalization"))) return true;
    return tfp_str_eq(op, TFP_STR("Rsqrt")) && tfp_str_ends(name, TFP_STR("batchnorm/Rsqrt")) && can_be_fused(p, name);
}

/* Whether an operation's speed depends on the layout. */
static bool has_layout(tfp_str op)
{
    static const char *const kinds[] = {
        "Conv2D", "Conv3D", "DepthwiseConv2d", "MaxPool", "AvgPool", "FusedBatchNorm"
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tfp_str_begins(op, tfp_str_of(kinds[i]))) return true;
    return false;
}

static bool is_nhwc_on_gpu(const tfp_profile *p, uint32_t node)
{
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[node];
    return n->data_format && tfp_str_eq(tfp_text(p, n->data_format), TFP_STR("NHWC")) && has_layout(op_of(p, node)) &&
           n->flags & TFP_NODE_ON_ACCELERATOR;
}

typedef struct wording {
    const char *one, *many, *advice;
} wording;

static tfp_status find(tfp_report *r, uint32_t row, const operations *o, const wording *w, tfp_error *err)
{
    if (!o->count) return TFP_OK;
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, "%u %s", (unsigned)o->count, o->count == 1 ? w->one : w->many);
    tfp_buf_text(&b, o->count == 1 ? ": " : ", such as ");
    tfp_escape(&b, tfp_text(tfp_profile_of(r), tfp_graph_of(tfp_profile_of(r))->nodes.at[o->example].name));
    tfp_buf_printf(&b, " (%s)", w->advice);
    tfp_status s = tfp_checker_find_text(r, row, &b, err);
    if (!s) tfp_checker_about(r, NAN, "tfprof op");
    return s;
}

static tfp_status check(tfp_report *r, uint32_t row, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    operations norms = { .p = p, .ran = tfp_executions_of(p)->execs.size > 0 }, nhwc = norms;
    bool converted = false; /* set if TensorFlow's layout optimizer changed the layout when the graph ran */
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        if (is_unfused_norm(p, i)) take(&norms, i);
        if (is_nhwc_on_gpu(p, i)) take(&nhwc, i);
        converted =
            converted || tfp_str_has(tfp_text(p, tfp_graph_of(p)->nodes.at[i].name), TFP_STR("LayoutOptimizer"));
    }
    static const wording fuse = { "batch normalisation is not fused", "batch normalisations are not fused",
                                  "FusedBatchNormV3 is faster" };
    static const wording layout = { "operation on a GPU has NHWC layout", "operations on a GPU have NHWC layout",
                                    "NCHW may be faster for 32-bit floats" };
    tfp_status s = find(r, row, &norms, &fuse, err);
    if (s || converted) return s;
    return find(r, row, &nhwc, &layout, err);
}

const tfp_checker tfp_checker_operation = {
    "OperationChecker",
    "Batch normalisation in many small operations instead of one fused operation, and NHWC layout on a GPU.", check,
    tfp_tensorflow_operation
};
