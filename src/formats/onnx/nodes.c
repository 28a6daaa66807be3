// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/nodes.c: makes the nodes of an ONNX model: their names, attributes, inputs and outputs; initializers become
 * parameters or constants. Attributes are kept as TensorFlow's AttrValues, which the rules of float operations read.
 * Message layout: NodeProto, AttributeProto, ValueInfoProto, TypeProto of onnx.proto; attr_value.proto. */
#include "formats/onnx/maker.h"
#include "formats/weights/weights.h"
#include "model/files/weights.h"
#include "model/tables/profile.h"

#include <stdio.h>
#include <stdlib.h>

enum { OUTPUTS_MOST = 1024 };

/* ---- names ---- */

/* The name of a node: without the leading slash that PyTorch writes, and without characters that mark an output. Names
 * of values, such as parameters, are split at their dots. */
tfp_strid tfp_onnx_node_name(maker *k, tfp_str name, bool dots)
{
    while (name.size && name.data[0] == '/') name = (tfp_str){ name.data + 1, name.size - 1 };
    k->name.size = 0;
    tfp_str prefix = { k->prefix.data ? k->prefix.data : "", k->prefix.size };
    if (!tfp_str_begins(name, prefix)) tfp_buf_str(&k->name, prefix);
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        tfp_buf_char(&k->name, dots && c == '.' ? '/' : c == ':' || (c == '^' && i == 0) ? '_' : c);
    }
    if (!name.size) tfp_buf_text(&k->name, "unnamed");
    if (k->name.failed) k->no_memory = true;
    if (k->no_memory) return 0;
    size_t plain = k->name.size;
    tfp_strid id = tfp_build_made_string(k->b, (tfp_str){ k->name.data, plain });
    uint32_t again = tfp_map64_get(&k->taken, id);
    if (again == TFP_NONE && tfp_build_find(k->b, (tfp_str){ k->name.data, plain }) == TFP_NONE) {
        k->no_memory |= !tfp_map64_put(&k->taken, id, 0);
        return id;
    }
    again = again == TFP_NONE ? 0 : again;
    for (tfp_strid first = id; !k->no_memory; id = TFP_NONE) { /* try the next number that is free */
        char number[16];
        snprintf(number, sizeof number, "_%u", ++again);
        k->name.size = plain;
        tfp_buf_text(&k->name, number);
        k->no_memory |= k->name.failed || !tfp_map64_put(&k->taken, first, again);
        if (k->no_memory) break;
        id = tfp_build_made_string(k->b, (tfp_str){ k->name.data, k->name.size });
        if (tfp_map64_get(&k->taken, id) != TFP_NONE ||
            tfp_build_find(k->b, (tfp_str){ k->name.data, k->name.size }) != TFP_NONE)
            continue;
        k->no_memory |= !tfp_map64_put(&k->taken, id, 0);
        return id;
    }
    return 0;
}

/* ---- attributes ---- */

/* Adds an attribute to the current node: the AttrValue in k->value. */
void tfp_onnx_add_attr(maker *k, tfp_str name)
{
    if (k->value.failed) k->no_memory = true;
    if (k->no_memory) return;
    tfp_str value = { k->value.data ? k->value.data : "", k->value.size };
    if (k->program) tfp_program_add_attr(k->program, name, value);
    if (!(k->b->p->reads & TFP_READS_ATTRS)) return;
    size_t entry = tfp_put_open(&k->attrs, 11);
    tfp_put_bytes_always(&k->attrs, 1, name);
    tfp_put_bytes_always(&k->attrs, 2, value);
    tfp_put_close(&k->attrs, entry);
}

/* Writes a TensorShapeProto as field `number`; rank < 0: unknown. */
static void put_shape(tfp_buf *to, uint32_t number, const int64_t *dims, int rank)
{
    size_t shape = tfp_put_open(to, number);
    if (rank < 0) tfp_put_int(to, 3, 1);
    for (int i = 0; i < rank; i++) {
        size_t dim = tfp_put_open(to, 2);
        tfp_put_int_always(to, 1, dims[i]);
        tfp_put_close(to, dim);
    }
    tfp_put_close(to, shape);
}

/* Reads ONNX's TensorShapeProto: dims have a value, or a name if unknown. Returns the rank, -1: unknown. */
static int read_shape(tfp_wire w, int64_t dims[TFP_ONNX_RANK_MOST])
{
    int rank = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        if (rank == TFP_ONNX_RANK_MOST) return -1;
        dims[rank] = -1;
        tfp_wire dim = tfp_field_message(&w, &f);
        for (tfp_field g; tfp_wire_next(&dim, &g);)
            if (g.number == 1 && g.type == TFP_VARINT && g.value <= INT64_MAX) dims[rank] = (int64_t)g.value;
        rank++;
    }
    return w.fault ? -1 : rank;
}

/* Reads a tensor's rank (-1: unknown) and type from a TypeProto. */
static int read_type(tfp_str bytes, int64_t dims[TFP_ONNX_RANK_MOST], int *dtype)
{
    int rank = -1;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue; /* tensor_type */
        tfp_wire tensor = tfp_field_message(&w, &f);
        for (tfp_field g; tfp_wire_next(&tensor, &g);) {
            if (g.number == 1 && g.type == TFP_VARINT) *dtype = tfp_onnx_type_of(g.value)->dtype;
            if (g.number == 2) rank = read_shape(tfp_field_message(&tensor, &g), dims);
        }
    }
    return rank;
}

static tfp_str info_of(const maker *k, const tfp_onnx_value *v)
{
    return v && v->info_size ? (tfp_str){ k->m->infos.data + v->info_at, v->info_size } : (tfp_str){ "", 0 };
}

static tfp_status put_attr_value(maker *k, tfp_wire *w, const tfp_field *f, size_t *list, tfp_error *err)
{
    static const uint8_t listed[] = {
        [7] = 4, [8] = 3, [9] = 2
    }; /* floats, ints, strings: the list fields of the two messages */
    tfp_onnx_tensor t;
    switch (f->number) {
    case 2:
        tfp_put_tag(&k->value, 4, TFP_FIXED32);
        for (uint32_t i = 0, bits = tfp_field_fixed32(w, f); i < 4; i++) tfp_buf_char(&k->value, (char)(bits >> 8 * i));
        return TFP_OK;
    case 3: tfp_put_int_always(&k->value, 3, tfp_field_int(w, f)); return TFP_OK;
    case 4: tfp_put_bytes_always(&k->value, 2, tfp_field_bytes(w, f)); return TFP_OK;
    case 5: {
        size_t at = k->value.size, tensor = tfp_put_open(&k->value, 8), before = k->value.size;
        tfp_status s = tfp_onnx_read_tensor(tfp_field_message(w, f), &t, &k->value, err);
        bool some = k->value.size > before;
        tfp_put_close(&k->value, tensor);
        if (!some) k->value.size = at;
        return s;
    }
    case 7:
    case 8:
    case 9: break;
    default: return TFP_OK;
    }
    if (*list == SIZE_MAX) *list = tfp_put_open(&k->value, 1);
    if (f->type == TFP_BYTES)
        tfp_put_bytes_always(&k->value, listed[f->number], f->bytes); /* a string, or packed numbers */
    else if (f->type == TFP_VARINT)
        tfp_put_int_always(&k->value, listed[f->number], (int64_t)f->value);
    else if (f->type == TFP_FIXED32 && f->number == 7) {
        tfp_put_tag(&k->value, 4, TFP_FIXED32);
        for (int i = 0; i < 4; i++) tfp_buf_char(&k->value, (char)(f->value >> 8 * i));
    }
    return TFP_OK;
}

void tfp_onnx_add_number(maker *k, const char *name, int64_t value)
{
    k->value.size = 0;
    tfp_put_int_always(&k->value, 3, value);
    tfp_onnx_add_attr(k, tfp_str_of(name));
}

/* Reads an AttributeProto without the graphs in it: bodies.c reads those of If, Loop and Scan. */
tfp_status tfp_onnx_read_attr(maker *k, tfp_wire w, tfp_error *err)
{
    tfp_str name = { "", 0 };
    size_t list = SIZE_MAX;
    tfp_status s = TFP_OK;
    k->value.size = 0;
    for (tfp_field f; !s && tfp_wire_next(&w, &f);) {
        if (f.number == 1) name = tfp_field_bytes(&w, &f);
        s = put_attr_value(k, &w, &f, &list, err);
    }
    if (list != SIZE_MAX) tfp_put_close(&k->value, list);
    if (!s && name.size && k->value.size) tfp_onnx_add_attr(k, name);
    return s ? s : tfp_wire_end(&w, err);
}

/* ---- nodes ---- */

void tfp_onnx_start_node(maker *k, tfp_strid name, tfp_str op)
{
    k->node = tfp_build_node(k->b, tfp_text(k->b->p, name), op, true);
    k->attrs.size = 0;
    k->row = (tfp_program_node){ .name = name, .op = tfp_build_string(k->b, op) };
    if (!k->program) return;
    k->row.input_first = tfp_program_input_count(k->program);
    k->row.attr_first = tfp_program_attr_count(k->program);
}

tfp_status tfp_onnx_end_node(maker *k, tfp_error *err)
{
    if (k->owner) {
        k->value.size = 0;
        tfp_put_bytes_always(&k->value, 2, tfp_text(k->b->p, k->owner));
        tfp_onnx_add_attr(k, TFP_STR("_in"));
        tfp_onnx_add_number(k, "_way", k->way);
    }
    if (k->attrs.failed || k->no_memory) return tfp_nomem(err);
    if (k->node != TFP_NONE && k->attrs.size) tfp_build_attrs(k->b, k->node, (tfp_str){ k->attrs.data, k->attrs.size });
    if (k->program) {
        k->row.input_count = tfp_program_input_count(k->program) - k->row.input_first;
        tfp_program_sort_attrs(k->program, k->row.attr_first);
        k->row.attr_count = tfp_program_attr_count(k->program) - k->row.attr_first;
        tfp_program_add_node(k->program, &k->row);
    }
    return tfp_builder_status(k->b, err);
}

/* Adds shapes and types of the outputs as two attributes of the current node; k->outputs names them. */
void tfp_onnx_tell_outputs(maker *k, tfp_str op)
{
    int64_t dims[TFP_ONNX_RANK_MOST];
    tfp_buf types = { 0 };
    size_t type_list = tfp_put_open(&types, 1);
    k->value.size = 0;
    size_t list = tfp_put_open(&k->value, 1);
    for (uint32_t i = 0; i < k->outputs.size && i < OUTPUTS_MOST; i++) {
        tfp_onnx_value *v =
            k->outputs.at[i].size ? tfp_onnx_value_of(k->m, tfp_build_string(k->b, k->outputs.at[i])) : NULL;
        int dtype = v ? v->dtype : 0, rank = read_type(info_of(k, v), dims, &dtype);
        dtype = tfp_onnx_output_type(op, i, k->in_types.at, k->in_types.size, dtype);
        put_shape(&k->value, 7, dims, rank);
        tfp_put_int_always(&types, 6, dtype);
        if (rank >= 0 && k->node != TFP_NONE)
            tfp_build_output(k->b, k->node, (int32_t)i, tfp_build_shape(k->b, dims, (size_t)rank, rank == 0));
        if (!v) continue;
        if (v->node != TFP_NONE) continue; /* another node made it already */
        *v = (tfp_onnx_value){
            .name = v->name, .info_at = v->info_at, .info_size = v->info_size, .node = k->row.name, .slot = i
        };
        v->dtype = dtype;
    }
    tfp_put_close(&k->value, list);
    tfp_put_close(&types, type_list);
    if (k->outputs.size) tfp_onnx_add_attr(k, TFP_STR("_output_shapes"));
    k->value.size = 0;
    tfp_buf_add(&k->value, types.data, types.size);
    k->no_memory |= types.failed;
    tfp_buf_free(&types);
    if (k->outputs.size) tfp_onnx_add_attr(k, TFP_STR("_output_types"));
}

tfp_program_input tfp_onnx_source_of(maker *k, tfp_str name, int *dtype)
{
    tfp_program_input in = { 0 };
    *dtype = 0;
    if (!name.size) return in; /* an optional output that is left out has no name */
    tfp_onnx_value *v = tfp_onnx_value_of(k->m, tfp_build_string(k->b, name));
    if (!v) return k->no_memory = true, in;
    *dtype = v->dtype;
    in.source = v->node == TFP_NONE ? v->name : v->node;
    in.index = (int32_t)v->slot;
    if (v->node == TFP_NONE) tfp_build_warn(k->b, "inputs of nodes that no earlier node makes", name);
    return in;
}

void tfp_onnx_add_source(maker *k, tfp_program_input in, int dtype, int32_t position)
{
    if (k->node != TFP_NONE && in.source) tfp_build_input(k->b, k->node, position, in.source, in.index);
    if (k->program) tfp_program_add_input(k->program, in);
    if (!tfp_push(&k->in_types, dtype)) k->no_memory = true;
}

void tfp_onnx_add_input(maker *k, tfp_str name, int32_t position)
{
    int dtype;
    tfp_program_input in = tfp_onnx_source_of(k, name, &dtype);
    tfp_onnx_add_source(k, in, dtype, position);
}

void tfp_onnx_shadow_value(maker *k, tfp_str name)
{
    tfp_onnx_value *v = k->owner && name.size ? tfp_onnx_value_of(k->m, tfp_build_string(k->b, name)) : NULL;
    if (v && !tfp_push(&k->shadowed, ((tfp_onnx_shadow){ (uint32_t)(v - k->m->values.at), *v }))) k->no_memory = true;
    if (v) *v = (tfp_onnx_value){ .name = v->name, .info_at = v->info_at, .info_size = v->info_size, .node = TFP_NONE };
}

void tfp_onnx_read_head(maker *k, tfp_wire *w, node_head *head)
{
    *head = (node_head){ { "", 0 }, { "", 0 }, { "", 0 } };
    k->outputs.size = 0;
    for (tfp_field f; tfp_wire_next(w, &f);) {
        if (f.number == 2 && !tfp_push(&k->outputs, tfp_field_bytes(w, &f))) k->no_memory = true;
        if (f.number == 3) head->name = tfp_field_bytes(w, &f);
        if (f.number == 4) head->op = tfp_field_bytes(w, &f);
        if (f.number == 7) head->domain = tfp_field_bytes(w, &f);
    }
    if (!head->name.size && k->outputs.size) head->name = k->outputs.at[0];
}

/* An operator of another domain has the domain's name before its own. */
tfp_str tfp_onnx_op_name(maker *k, const node_head *head)
{
    if (!head->domain.size || tfp_str_eq(head->domain, TFP_STR("ai.onnx"))) return head->op;
    k->name.size = 0;
    tfp_buf_str(&k->name, head->domain);
    tfp_buf_text(&k->name, "::");
    tfp_buf_str(&k->name, head->op);
    if (k->name.failed) k->no_memory = true;
    return k->no_memory ? head->op
                        : tfp_text(k->b->p, tfp_build_made_string(k->b, (tfp_str){ k->name.data, k->name.size }));
}

tfp_status tfp_onnx_read_node(maker *k, tfp_wire w, tfp_error *err)
{
    node_head head;
    tfp_wire whole = w;
    tfp_status s = TFP_OK;
    int32_t position = 0;
    tfp_onnx_read_head(k, &w, &head);
    if ((s = tfp_wire_end(&w, err))) return s;
    tfp_str op = tfp_onnx_op_name(k, &head);
    tfp_strid name = tfp_onnx_node_name(k, head.name, false);
    if (k->no_memory) return tfp_nomem(err);
    tfp_onnx_start_node(k, name, op);
    k->in_types.size = 0;
    for (tfp_field f; !s && tfp_wire_next(&whole, &f);) {
        if (f.number == 1) tfp_onnx_add_input(k, tfp_field_bytes(&whole, &f), position++);
        if (f.number == 5) s = tfp_within(err, tfp_onnx_read_attr(k, tfp_field_message(&whole, &f), err), "attribute");
    }
    if (!s) s = tfp_wire_end(&whole, err);
    if (s) return s;
    for (size_t i = 0; i < k->outputs.size; i++) tfp_onnx_shadow_value(k, k->outputs.at[i]);
    tfp_onnx_tell_outputs(k, op);
    return tfp_onnx_end_node(k, err);
}

/* ---- inputs and initializers ---- */

tfp_status tfp_onnx_add_graph_input(maker *k, size_t at, tfp_error *err)
{
    tfp_str name = tfp_text(k->b->p, k->m->values.at[at].name);
    tfp_strid id = tfp_onnx_node_name(k, name, true);
    if (k->no_memory) return tfp_nomem(err);
    k->outputs.size = k->in_types.size = 0;
    if (!tfp_push(&k->outputs, name)) return tfp_nomem(err);
    tfp_onnx_start_node(k, id, TFP_STR("Input"));
    tfp_onnx_tell_outputs(k, TFP_STR("Input"));
    return tfp_onnx_end_node(k, err);
}

tfp_status tfp_onnx_add_weight(maker *k, const tfp_onnx_weight *w, tfp_error *err)
{
    tfp_onnx_value *v = &k->m->values.at[w->value];
    const tfp_onnx_type *type = tfp_onnx_type_of(w->type);
    tfp_str name = tfp_text(k->b->p, v->name);
    const int64_t *dims = k->m->dims.at ? k->m->dims.at + w->dim_first : NULL;
    if (v->node != TFP_NONE) {
        tfp_build_warn(k->b, "initializers with the name of an earlier one, left out", name);
        return TFP_OK;
    }
    v->node = tfp_onnx_node_name(k, name, true);
    v->dtype = type->dtype;
    if (k->no_memory) return tfp_nomem(err);
    tfp_onnx_start_node(k, v->node, type->trains ? TFP_STR("Initializer") : TFP_STR("Constant"));
    k->value.size = 0;
    size_t list = tfp_put_open(&k->value, 1);
    put_shape(&k->value, 7, dims, (int)w->dim_count);
    tfp_put_close(&k->value, list);
    tfp_onnx_add_attr(k, TFP_STR("_output_shapes"));
    k->value.size = 0;
    list = tfp_put_open(&k->value, 1);
    tfp_put_int_always(&k->value, 6, v->dtype);
    tfp_put_close(&k->value, list);
    tfp_onnx_add_attr(k, TFP_STR("_output_types"));
    k->value.size = 0;
    if (w->tensor_size) tfp_put_bytes(&k->value, 8, (tfp_str){ k->m->tensors.data + w->tensor_at, w->tensor_size });
    if (w->tensor_size) tfp_onnx_add_attr(k, TFP_STR("value"));
    tfp_weight_row row = { .name = name, .type = tfp_str_of(type->name), .dims = dims, .dim_count = w->dim_count };
    int64_t elements;
    if (!tfp_weight_elements(dims, w->dim_count, &elements))
        return tfp_fail(err, TFP_BADFILE, "initializer %.*s: impossible shape",
                        (int)(name.size < 200 ? name.size : 200), name.data);
    row.bytes = tfp_mul(elements, type->bits, NULL);
    row.bytes = row.bytes / 8 + (row.bytes % 8 != 0);
    tfp_status s = tfp_onnx_end_node(k, err);
    if (s || k->node == TFP_NONE) return s;
    return tfp_weight_of_node(k->b, k->node, &row, type->trains, err);
}
