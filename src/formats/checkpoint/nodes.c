// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/nodes.c: applies a checkpoint to the nodes once all files are read. Without a graph its variables
 * become the nodes; with a graph the nodes of the same names are marked as variables. */
#include "base/dtype.h"
#include "formats/checkpoint/parts.h"
#include "formats/files/format.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"

/* Without a graph the variables are the nodes. */
static void build_checkpoint_nodes(tfp_builder *b)
{
    tfp_profile *p = b->p;
    if (tfp_checkpoint_count(p->checkpoint)) tfp_build_has(b, TFP_HAS_VARIABLES);
    for (size_t i = 0; i < tfp_checkpoint_count(p->checkpoint) && !tfp_builder_status(b, NULL); i++) {
        size_t count;
        const int64_t *dims = tfp_checkpoint_dims(p->checkpoint, i, &count);
        uint32_t node =
            tfp_build_node(b, tfp_checkpoint_name(p->checkpoint, i), TFP_STR("_checkpoint_variables"), true);
        /* strings are no parameters */
        if (node == TFP_NONE || tfp_checkpoint_dtype(p->checkpoint, i) == TFP_DT_STRING) continue;
        uint32_t shape = tfp_build_shape(b, dims, count, count == 0);
        tfp_build_row(b, node)->shape = shape;
    }
}

static void mark_checkpoint_variables(tfp_builder *b)
{
    tfp_strid type = tfp_build_string(b, TFP_STR("_checkpoint_variables"));
    for (size_t i = 0; i < tfp_checkpoint_count(b->p->checkpoint); i++) {
        uint32_t node = tfp_build_find(b, tfp_checkpoint_name(b->p->checkpoint, i));
        if (node != TFP_NONE && !b->status) tfp_build_type(b, node, type);
    }
}

void tfp_checkpoint_finish(tfp_builder *b)
{
    const tfp_profile *p = b->p;
    const char *file = b->file;
    if (!p->checkpoint) return;
    if (tfp_checkpoint_count(p->checkpoint)) tfp_build_has(b, TFP_HAS_TENSORS);
    if (p->about.graph_file) b->file = p->about.graph_file;
    if (!tfp_has(p, TFP_HAS_GRAPH) && !p->graph->nodes.size && !p->events->spans.size) build_checkpoint_nodes(b);
    b->file = file;
    /* a ProfileProto has types of its own, and TensorFlow does not change them by a checkpoint */
    if (!tfp_has(p, TFP_HAS_TYPES)) mark_checkpoint_variables(b);
}
