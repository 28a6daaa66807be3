// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata_shapes.c: the shapes that a node's outputs had when it ran, from which float
 * operations are worked out. In: a NodeExecStats. Out: calls on a tfp_builder. Message layout: step_stats.proto,
 * tensor_description.proto. */
#include "formats/tensorflow/runmetadata.h"

typedef struct run_shape {
    int32_t slot;
    bool given;
    int rank;
    int64_t dims[TFP_RANK_MOST];
} run_shape;

/* TensorShapeProto */
static void read_shape(tfp_wire *outer, const tfp_field *field, run_shape *s)
{
    s->given = true;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 3 && tfp_field_bool(&w, &f)) s->given = false;
        if (f.number != 2) continue;
        if (s->rank == TFP_RANK_MOST) s->given = false;
        int64_t size = 0;
        tfp_wire dim = tfp_field_message(&w, &f);
        for (tfp_field g; tfp_wire_next(&dim, &g);)
            if (g.number == 1) size = tfp_field_int(&dim, &g);
        if (s->rank < TFP_RANK_MOST) s->dims[s->rank++] = size;
    }
}

/* NodeOutput */
static void read_output(tfp_wire *outer, const tfp_field *field, run_shape *s)
{
    s->slot = s->rank = 0;
    s->given = false;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) s->slot = tfp_field_int32(&w, &f);
        if (f.number != 3) continue;
        tfp_wire d = tfp_field_message(&w, &f);
        for (tfp_field g; tfp_wire_next(&d, &g);)
            if (g.number == 2) read_shape(&d, &g, s);
    }
}

/* The bytes were checked when they were read before. */
void tfp_read_run_shapes(tfp_builder *b, tfp_wire w, uint32_t node)
{
    run_shape s;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 7) continue;
        read_output(&w, &f, &s);
        if (s.given) tfp_build_run_shape(b, node, s.slot, s.dims, (size_t)s.rank);
    }
}
