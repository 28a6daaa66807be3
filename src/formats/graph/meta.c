// SPDX-License-Identifier: Apache-2.0
/* formats/graph/meta.c: the contents of a MetaGraphDef beside its graph: signatures, and variables of the object graph
 * (TensorFlow 2) or of collections (TensorFlow 1). Message layout: tensorflow/core/protobuf/meta_graph.proto,
 * saved_object_graph.proto, core/framework/variable.proto. */
#include "formats/graph/program_parts.h"

/* ---- signatures ---- */

/* Reads an entry of outputs, name -> TensorInfo. A map has no order, so the output with the least name counts as the
 * first. */
static void read_output(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, tfp_str *least, tfp_strid *node)
{
    tfp_str tensor = { "", 0 };
    tfp_graph_entry e = tfp_read_entry(outer, field, "outputs");
    for (tfp_field f; tfp_wire_next(&e.value, &f);)
        if (f.number == 1) tensor = tfp_field_bytes(&e.value, &f);
    tfp_wire_join(outer, &e.value, "outputs");
    tfp_strid from = tensor.size ? tfp_program_parse_input(r, tensor, false).source : 0;
    if (from) APPEND(r, outputs, from);
    if (!tensor.size || (*node && tfp_str_cmp(e.name, *least) >= 0)) return;
    *least = e.name;
    *node = from;
}

/* Reads an entry of signature_def, key -> SignatureDef. */
static void read_signature_def(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_str least = { "", 0 };
    tfp_graph_entry e = tfp_read_entry(outer, field, "signature_def");
    tfp_program_signature signature = { .key = tfp_build_string(r->b, e.name), .output_first = ROWS(r, outputs) };
    for (tfp_field f; tfp_wire_next(&e.value, &f);)
        if (f.number == 2) read_output(r, &e.value, &f, &least, &signature.node);
    tfp_wire_join(outer, &e.value, "signature_def");
    signature.output_count = ROWS(r, outputs) - signature.output_first;
    if (!outer->fault && signature.node) APPEND(r, signatures, signature);
}

/* ---- variables: of the object graph (TensorFlow 2), of collections (TensorFlow 1) ---- */

static tfp_str without_output(tfp_str name)
{
    bool first = name.size > 2 && memcmp(name.data + name.size - 2, ":0", 2) == 0;
    return first ? (tfp_str){ name.data, name.size - 2 } : name;
}

static void read_saved_variable(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_program_variable v = { .shape = TFP_NONE, .trainable = TFP_TRAINABLE_NO };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: v.dtype = tfp_field_int32(&w, &f); break;
        case 2: v.shape = tfp_program_read_shape(r, &w, &f); break;
        case 3: v.trainable = tfp_field_bool(&w, &f) ? TFP_TRAINABLE_YES : TFP_TRAINABLE_NO; break;
        case 6: v.name = tfp_build_string(r->b, without_output(tfp_field_bytes(&w, &f))); break;
        }
    }
    tfp_wire_join(outer, &w, "variable");
    if (!w.fault && APPEND(r, variables, v)) r->g->has_objects = true;
}

/* An ObjectReference: the number of an object, and the name that its owner has for it. */
typedef struct child {
    uint64_t object;
    tfp_str name;
} child;

static child read_child(tfp_wire *outer, const tfp_field *field)
{
    child c = { 0, { "", 0 } };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) c.object = tfp_field_uint(&w, &f);
        if (f.number == 2) c.name = tfp_field_bytes(&w, &f);
    }
    tfp_wire_join(outer, &w, "children");
    return c;
}

/* Keras' archives have two lists under the root that tell which variables the model freezes; the variables themselves
 * do not tell. */
typedef struct object_reader {
    TFP_VEC(uint32_t) variable; /* for each object: index in variables, TFP_NONE */
    uint64_t trained, fixed;    /* object numbers of these lists; 0, the root: there are none */
} object_reader;

static void read_object(tfp_program_reader *r, object_reader *o, tfp_wire *outer, const tfp_field *field)
{
    uint32_t row = TFP_NONE;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && !o->variable.size) {
            child c = read_child(&w, &f);
            if (tfp_str_eq(c.name, TFP_STR("trainable_variables"))) o->trained = c.object;
            if (tfp_str_eq(c.name, TFP_STR("non_trainable_variables"))) o->fixed = c.object;
        } else if (f.number == 7) {
            row = ROWS(r, variables);
            read_saved_variable(r, &w, &f);
        }
    }
    tfp_wire_join(outer, &w, "nodes");
    ok(r, tfp_push(&o->variable, row < r->g->variables.size ? row : TFP_NONE));
}

static void read_list(tfp_program_reader *r, object_reader *o, tfp_wire *outer, const tfp_field *field,
                      tfp_trainable trainable)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        child c = read_child(&w, &f);
        uint32_t row = c.object < o->variable.size ? o->variable.at[c.object] : TFP_NONE;
        if (row != TFP_NONE) r->g->variables.at[row].trainable = trainable;
    }
    tfp_wire_join(outer, &w, "nodes");
}

static void read_lists(tfp_program_reader *r, object_reader *o, tfp_wire w)
{
    uint64_t object = 0;
    for (size_t i = 0; i < r->g->variables.size; i++) r->g->variables.at[i].trainable = TFP_TRAINABLE_UNKNOWN;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        if (object && object == o->trained) read_list(r, o, &w, &f, TFP_TRAINABLE_YES);
        if (object && object == o->fixed) read_list(r, o, &w, &f, TFP_TRAINABLE_NO);
        object++;
    }
}

/* Reads a SavedObjectGraph: its objects, some of which are variables. */
static tfp_status read_objects(tfp_program_reader *r, tfp_wire w, tfp_error *err)
{
    object_reader o = { 0 };
    tfp_wire whole = w;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) read_object(r, &o, &w, &f);
    tfp_status s = tfp_wire_end(&w, err);
    if (!s) s = reader_status(r, err);
    if (!s && o.trained && o.fixed) read_lists(r, &o, whole);
    tfp_vec_free(&o.variable);
    return s;
}

/* VariableDef. */
static void read_variable_def(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, tfp_map64 *seen, bool all)
{
    tfp_program_variable v = { .shape = TFP_NONE, .trainable = TFP_TRAINABLE_NO };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) v.name = tfp_build_string(r->b, without_output(tfp_field_bytes(&w, &f)));
        if (f.number == 7 && tfp_field_bool(&w, &f)) v.trainable = TFP_TRAINABLE_YES;
    }
    tfp_wire_join(outer, &w, "value");
    if (all) v.trainable = TFP_TRAINABLE_YES;
    if (w.fault || !v.name) return;
    uint32_t at = tfp_map64_get(seen, v.name);
    if (at == TFP_NONE) {
        ok(r, tfp_map64_put(seen, v.name, ROWS(r, variables)));
        APPEND(r, variables, v);
    } else if (v.trainable == TFP_TRAINABLE_YES && !r->no_memory) {
        r->g->variables.at[at].trainable = TFP_TRAINABLE_YES;
    }
}

/* Reads an entry of collection_def. The collections named here hold variables; others may hold anything. */
static void read_collection(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, tfp_map64 *seen)
{
    tfp_graph_entry e = tfp_read_entry(outer, field, "collection_def");
    bool trainable = tfp_str_eq(e.name, TFP_STR("trainable_variables"));
    bool wanted = trainable || tfp_str_eq(e.name, TFP_STR("variables")) ||
                  tfp_str_eq(e.name, TFP_STR("global_variables")) || tfp_str_eq(e.name, TFP_STR("model_variables"));
    for (tfp_field f; wanted && tfp_wire_next(&e.value, &f);) {
        if (f.number != 2) continue;
        tfp_wire list = tfp_field_message(&e.value, &f);
        for (tfp_field g; tfp_wire_next(&list, &g);)
            if (g.number == 1) read_variable_def(r, &list, &g, seen, trainable);
        tfp_wire_join(&e.value, &list, "bytes_list");
    }
    tfp_wire_join(outer, &e.value, "collection_def");
}

static tfp_status read_collections(tfp_program_reader *r, tfp_wire w, tfp_error *err)
{
    tfp_map64 seen = { 0 };
    for (uint32_t i = 0; i < r->g->variables.size; i++) ok(r, tfp_map64_put(&seen, r->g->variables.at[i].name, i));
    for (tfp_field f; !r->no_memory && tfp_wire_next(&w, &f);)
        if (f.number == 4) read_collection(r, &w, &f, &seen);
    tfp_map64_free(&seen);
    tfp_status s = tfp_wire_end(&w, err);
    return s ? s : reader_status(r, err);
}

/* The variables come from the first meta graph that has an object graph: the others have the same ones. */
tfp_status tfp_program_add_meta(tfp_program_reader *r, tfp_wire w, tfp_error *err)
{
    tfp_status s = TFP_OK;
    tfp_wire whole = w;
    bool wanted = r->g->variables.size == 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number == 5) read_signature_def(r, &w, &f);
        if (f.number != 7 || !wanted) continue;
        tfp_wire objects = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_objects(r, objects, err), "object_graph_def");
    }
    if (!s) s = tfp_wire_end(&w, err);
    if (!s) s = reader_status(r, err);
    return s ? s : read_collections(r, whole, err);
}
