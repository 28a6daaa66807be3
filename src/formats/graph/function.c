// SPDX-License-Identifier: Apache-2.0
/* formats/graph/function.c: the functions of a graph: their arguments, results and bodies. Message: FunctionDefLibrary
 * of tensorflow/core/framework/function.proto. */
#include "formats/graph/program_parts.h"

/* ResourceHandleProto.DtypeAndShape */
static void read_handle(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, tfp_program_arg *a)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) a->handle_dtype = tfp_field_int32(&w, &f);
        if (f.number == 2) a->handle_shape = tfp_program_read_shape(r, &w, &f);
    }
    tfp_wire_join(outer, &w, "handle_data");
}

/* Reads an OpDef.ArgDef, of an argument or of a result. */
static tfp_program_arg read_arg(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, const char *place)
{
    tfp_program_arg a = { .shape = TFP_NONE, .handle_shape = TFP_NONE };
    bool handle = false;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) a.name = tfp_build_string(r->b, tfp_field_bytes(&w, &f));
        if (f.number == 3) a.dtype = tfp_field_int32(&w, &f);
        if (f.number == 7 && !handle) {
            /* a list of resources has one entry for each, but TensorFlow never writes lists in signatures */
            handle = true;
            read_handle(r, &w, &f, &a);
        }
    }
    tfp_wire_join(outer, &w, place);
    return a;
}

static uint64_t result_key(uint32_t body, tfp_strid name) { return (uint64_t)body << 32 | name; }

static void read_signature(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, uint32_t body)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 2) {
            tfp_program_arg a = read_arg(r, &w, &f, "input_arg");
            APPEND(r, args, a);
        } else if (f.number == 3) {
            tfp_program_result result = { .name = read_arg(r, &w, &f, "output_arg").name };
            ok(r, tfp_map64_put(&r->results, result_key(body, result.name), ROWS(r, results)));
            APPEND(r, results, result);
        }
    }
    tfp_wire_join(outer, &w, "signature");
}

/* Reads an entry of ret: the output of the body that is a result. */
static void read_ret(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, uint32_t body)
{
    tfp_graph_entry e = tfp_read_entry(outer, field, "ret");
    tfp_strid name = tfp_build_string(r->b, e.name);
    uint32_t at = tfp_map64_get(&r->results, result_key(body, name));
    if (at < r->g->results.size) r->g->results.at[at].from = tfp_program_parse_input(r, tfp_wire_bytes(&e.value), true);
}

/* Reads an entry of control_ret: name of a control output -> a node that runs in every call. */
static void read_control(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_graph_entry e = tfp_read_entry(outer, field, "control_ret");
    tfp_strid node = tfp_build_string(r->b, tfp_wire_bytes(&e.value));
    APPEND(r, controls, node);
}

/* The first shape of an AttrValue's list, or its shape. */
static uint32_t first_shape(tfp_program_reader *r, tfp_wire *outer, tfp_wire w)
{
    uint32_t shape = TFP_NONE;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 7) shape = tfp_program_read_shape(r, &w, &f);
        if (f.number != 1) continue;
        tfp_wire list = tfp_field_message(&w, &f);
        for (tfp_field g; shape == TFP_NONE && tfp_wire_next(&list, &g);)
            if (g.number == 7) shape = tfp_program_read_shape(r, &list, &g);
        tfp_wire_join(&w, &list, "list");
    }
    tfp_wire_join(outer, &w, "attr _output_shapes");
    return shape;
}

/* Reads an entry of arg_attr: number of an argument -> ArgAttrs. */
static void read_arg_attr(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field, const tfp_program_body *body)
{
    uint64_t arg = 0;
    tfp_wire w = tfp_field_message(outer, field), attrs = tfp_wire_start((tfp_str){ "", 0 });
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) arg = tfp_field_uint(&w, &f);
        if (f.number == 2) attrs = tfp_field_message(&w, &f);
    }
    for (tfp_field f; tfp_wire_next(&attrs, &f);) {
        if (f.number != 1) continue;
        tfp_graph_entry e = tfp_read_attr_entry(&attrs, &f);
        if (attrs.fault || arg >= body->arg_count || !tfp_str_eq(e.name, TFP_STR("_output_shapes"))) continue;
        uint32_t shape = first_shape(r, &attrs, e.value);
        r->g->args.at[body->arg_first + arg].shape = shape;
    }
    tfp_wire_join(&w, &attrs, "attr");
    tfp_wire_join(outer, &w, "arg_attr");
}

/* Reads the fields other than nodes. Fields may come in any order, and the signature is needed for the others. */
static tfp_status read_head(tfp_program_reader *r, tfp_wire w, uint32_t number, tfp_program_body *body, tfp_error *err)
{
    tfp_wire rest = w;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) read_signature(r, &w, &f, number);
    body->arg_count = ROWS(r, args) - body->arg_first;
    body->result_count = ROWS(r, results) - body->result_first;
    for (tfp_field f; !w.fault && !r->no_memory && tfp_wire_next(&rest, &f);) {
        if (f.number == 4) read_ret(r, &rest, &f, number);
        if (f.number == 5) tfp_program_read_attr(r, &rest, &f);
        if (f.number == 6) read_control(r, &rest, &f);
        if (f.number == 7) read_arg_attr(r, &rest, &f, body);
    }
    body->attr_count = ROWS(r, attrs) - body->attr_first;
    body->control_count = ROWS(r, controls) - body->control_first;
    tfp_status s = tfp_wire_end(&w, err);
    if (!s) s = tfp_wire_end(&rest, err);
    return s ? s : reader_status(r, err);
}

static tfp_status read_body(tfp_program_reader *r, tfp_wire w, uint32_t number, tfp_error *err)
{
    tfp_status s = TFP_OK;
    size_t count = 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 3) continue;
        tfp_wire node = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, tfp_program_read_node(r, node, number, err), "node_def %zu", count++);
    }
    return s ? s : tfp_wire_end(&w, err);
}

/* Reads a FunctionDef. One without a name cannot be called; the first one with a name is kept. */
static tfp_status read_function(tfp_program_reader *r, tfp_wire w, tfp_error *err)
{
    tfp_str name = { "", 0 };
    tfp_wire head = w;
    for (tfp_field f; tfp_wire_next(&head, &f);)
        if (f.number == 1) name = tfp_field_name(&head, &f, "signature");
    tfp_status s = tfp_wire_end(&head, err);
    tfp_program_body body = { .name = tfp_build_string(r->b, name),
                              .node_first = ROWS(r, nodes),
                              .arg_first = ROWS(r, args),
                              .result_first = ROWS(r, results),
                              .attr_first = ROWS(r, attrs),
                              .control_first = ROWS(r, controls) };
    if (s || !name.size || tfp_map64_get(&r->g->body_by_name, body.name) != TFP_NONE) return s;
    uint32_t number = ROWS(r, bodies);
    s = read_head(r, w, number, &body, err);
    if (!s) s = read_body(r, w, number, err);
    if (s) return s;
    body.node_count = ROWS(r, nodes) - body.node_first;
    if (APPEND(r, bodies, body)) ok(r, tfp_map64_put(&r->g->body_by_name, body.name, number));
    return reader_status(r, err);
}

tfp_status tfp_program_read_library(tfp_program_reader *r, tfp_wire w, tfp_error *err)
{
    tfp_status s = TFP_OK;
    size_t count = 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire function = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_function(r, function, err), "function %zu", count++);
    }
    return s ? s : tfp_wire_end(&w, err);
}
