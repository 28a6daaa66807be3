// SPDX-License-Identifier: Apache-2.0
/* formats/graph/graphdef_parts.h: parts of a GraphDef that both its readers need: graphdef.c, which keeps what
 * TensorFlow's tool keeps, and program.c, which keeps everything. Inline: a wire whose address is not passed on stays
 * in registers. */
#ifndef TFP_GRAPHDEF_PARTS_H
#define TFP_GRAPHDEF_PARTS_H

#include "wire/proto.h"

/* An entry of a map: name -> message or text. */
typedef struct tfp_graph_entry {
    tfp_str name;
    tfp_wire value;
} tfp_graph_entry;

static inline tfp_graph_entry tfp_read_entry(tfp_wire *outer, const tfp_field *field, const char *place)
{
    tfp_graph_entry e = { .name = { "", 0 } };
    tfp_wire w = tfp_field_message(outer, field);
    e.value = tfp_wire_start(e.name);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            e.name = tfp_field_bytes(&w, &f);
        else if (f.number == 2)
            e.value = tfp_field_message(&w, &f);
    }
    tfp_wire_join(outer, &w, place);
    return e;
}

/* Reads an entry of attr, name -> AttrValue, and checks the value's top level even when nobody needs it. */
static inline tfp_graph_entry tfp_read_attr_entry(tfp_wire *outer, const tfp_field *field)
{
    tfp_graph_entry e = tfp_read_entry(outer, field, "attr");
    tfp_wire w = e.value;
    for (tfp_field f; tfp_wire_next(&w, &f);) {}
    tfp_wire_join(outer, &w, "attr");
    return e;
}

/* A TensorShapeProto. */
typedef struct tfp_graph_shape {
    TFP_VEC(int64_t) dims;
    bool unknown_rank, no_memory;
} tfp_graph_shape;

static inline int64_t tfp_read_dim(tfp_wire *outer, const tfp_field *field)
{
    int64_t size = 0;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) size = tfp_field_int(&w, &f);
    tfp_wire_join(outer, &w, "dim");
    return size;
}

/* False at a fault or when memory is out; the previous content of `shape` is lost. */
static inline bool tfp_read_shape(tfp_wire *outer, const tfp_field *field, tfp_graph_shape *shape)
{
    shape->unknown_rank = false;
    shape->dims.size = 0;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 3) shape->unknown_rank = tfp_field_bool(&w, &f);
        if (f.number == 2 && !tfp_push(&shape->dims, tfp_read_dim(&w, &f))) shape->no_memory = true;
    }
    tfp_wire_join(outer, &w, "shape");
    return !w.fault && !shape->no_memory;
}

/* Whether this is the k of "n:k": only digits, and not too many. */
static inline bool tfp_is_output_number(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] < '0' || s.data[i] > '9') return false;
    return s.size > 0 && s.size < 10;
}

#endif
