// SPDX-License-Identifier: Apache-2.0
/* formats/onnx/bodies.c: reads the nodes of an ONNX graph with the bodies in them: those of If, Loop and Scan. Nothing recurses:
 * bodies that are open are on a stack. maker.h says what becomes of them. */
#include "formats/onnx/maker.h"
#include "model/tables/profile.h"

enum { DEPTH_MOST = 64, BODIES_MOST = 2 };

typedef enum kind { LEAF, IF, LOOP, SCAN } kind;

typedef struct body {
    tfp_wire nodes; /* those that are left; field 1 of a GraphProto */
    size_t count;   /* nodes so far, for errors */
    /* for a body; the main graph has none of these */
    kind kind;
    tfp_wire node; /* the node that it belongs to */
    tfp_strid name;
    tfp_str op, graphs[BODIES_MOST], graph; /* graph: the one that is being read */
    int way, ways;
    size_t shadowed, first; /* sizes of lists before it: values that it hides, results */
    size_t next;            /* names of LoopNext nodes of its variables begin here, in the reader's list */
    tfp_strid around;       /* the owner and the way around it */
    int64_t around_way;
} body;

typedef struct reader {
    maker *k;
    TFP_VEC(body) stack;
    TFP_VEC(tfp_strid) next; /* names of LoopNext nodes */
} reader;

/* ---- what a node has ---- */

static kind kind_of(tfp_str op)
{
    if (tfp_str_eq(op, TFP_STR("If"))) return IF;
    if (tfp_str_eq(op, TFP_STR("Loop"))) return LOOP;
    return tfp_str_eq(op, TFP_STR("Scan")) ? SCAN : LEAF;
}

/* The i-th field `number` of a message that holds bytes, empty when there are fewer; *count, if given: how many. */
static tfp_str part(tfp_wire w, uint32_t number, size_t i, size_t *count)
{
    tfp_str found = { "", 0 };
    size_t n = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == number && f.type == TFP_BYTES && n++ == i) found = tfp_field_bytes(&w, &f);
    if (count) *count = n;
    return found;
}

static size_t parts(tfp_wire w, uint32_t number)
{
    size_t count;
    part(w, number, SIZE_MAX, &count);
    return count;
}

/* The attribute of that name: field `number` of its AttributeProto; a number list is read by the caller. */
static tfp_wire attribute(tfp_wire node, const char *name)
{
    for (tfp_field f; tfp_wire_next(&node, &f);) {
        if (f.number != 5) continue;
        tfp_wire w = tfp_field_message(&node, &f);
        if (tfp_str_eq(part(w, 1, 0, NULL), tfp_str_of(name))) return w;
    }
    return tfp_wire_start((tfp_str){ "", 0 });
}

static int64_t number_of(tfp_wire node, const char *name, int64_t fallback)
{
    tfp_wire w = attribute(node, name);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 3 && f.type == TFP_VARINT) fallback = (int64_t)f.value;
    return fallback;
}

/* The i-th number of a list. */
static int64_t listed(tfp_wire node, const char *name, size_t i)
{
    tfp_wire w = attribute(node, name);
    size_t n = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        uint64_t value;
        if (f.number != 8) continue;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &value);)
            if (n++ == i) return (int64_t)value;
    }
    return 0;
}

static tfp_str name_of_info(tfp_str info) { return part(tfp_wire_start(info), 1, 0, NULL); }

/* ---- the beginning of a body ---- */

/* A node that the body makes of one of its inputs. */
typedef struct body_input {
    tfp_str name, from; /* from: the value that comes in; empty: none */
    const char *op;
    int64_t axis;   /* that is gone through; -1: none */
    tfp_strid next; /* the node with the value of the next iteration; 0: none */
} body_input;

static tfp_status make_input(maker *k, const body_input *in, tfp_error *err)
{
    tfp_strid id = tfp_onnx_node_name(k, in->name, true);
    if (k->no_memory) return tfp_nomem(err);
    k->outputs.size = k->in_types.size = 0;
    if (!tfp_push(&k->outputs, in->name)) return tfp_nomem(err);
    tfp_onnx_start_node(k, id, tfp_str_of(in->op));
    if (in->from.size) tfp_onnx_add_input(k, in->from, 0);
    if (in->next) tfp_onnx_add_source(k, (tfp_program_input){ .source = in->next }, 0, 1);
    if (in->axis >= 0) tfp_onnx_add_number(k, "axis", in->axis);
    tfp_onnx_shadow_value(k, in->name);
    tfp_onnx_tell_outputs(k, tfp_str_of(in->op));
    return tfp_onnx_end_node(k, err);
}

/* The inputs of a Loop's body: its number, its condition, its variables; of a Scan's: variables, then an element of each
 * input that is gone through. */
static tfp_status make_inputs(reader *r, body *b, tfp_error *err)
{
    tfp_wire graph = tfp_wire_start(b->graph);
    size_t count = parts(graph, 11), scans = b->kind == SCAN ? (size_t)number_of(b->node, "num_scan_inputs", 0) : 0;
    size_t fixed = b->kind == LOOP ? 2 : 0, at = 0;
    tfp_status s = TFP_OK;
    if (scans > count) scans = count;
    for (tfp_field f; !s && b->kind != IF && tfp_wire_next(&graph, &f);) {
        if (f.number != 11) continue;
        body_input in = { .name = name_of_info(tfp_field_bytes(&graph, &f)), .from = { "", 0 }, .axis = -1 };
        bool element = at + scans >= count, state = at >= fixed && !element;
        if (at >= fixed) in.from = part(b->node, 1, at, NULL);
        in.op = state ? "LoopState" : element ? "ScanElement" : at ? "LoopCondition" : "LoopCounter";
        if (state) {
            tfp_buf text = { 0 };
            tfp_buf_printf(&text, "next_%zu", at - fixed);
            in.next = tfp_onnx_node_name(r->k, (tfp_str){ text.data ? text.data : "", text.size }, false);
            if (text.failed || !tfp_push(&r->next, in.next)) r->k->no_memory = true;
            tfp_buf_free(&text);
        }
        if (element) in.axis = listed(b->node, "scan_input_axes", at + scans - count);
        if (element && in.axis < 0) in.axis = INT32_MAX; /* counted from the end: its shape stays unknown */
        s = make_input(r->k, &in, err);
        at++;
    }
    return s;
}

/* The types of a body's values, and its initializers. */
static tfp_status take_values(reader *r, const body *b, tfp_error *err)
{
    maker *k = r->k;
    tfp_wire graph = tfp_wire_start(b->graph);
    tfp_status s = TFP_OK;
    for (tfp_field f; !s && tfp_wire_next(&graph, &f);) {
        tfp_str bytes = f.type == TFP_BYTES ? tfp_field_bytes(&graph, &f) : (tfp_str){ "", 0 };
        if (f.number >= 11 && f.number <= 13) {
            tfp_str name = name_of_info(bytes);
            tfp_onnx_value *v = name.size ? tfp_onnx_value_of(k->m, tfp_build_string(k->b, name)) : NULL;
            if (v && v->node != TFP_NONE) continue; /* a value from outside that is a result */
            tfp_onnx_shadow_value(k, name);
            s = tfp_within(err, tfp_onnx_add_info(k->m, bytes, false, err), "value info");
        }
        if (f.number != 5) continue;
        tfp_onnx_shadow_value(k, part(tfp_wire_start(bytes), 8, 0, NULL));
        s = tfp_within(err, tfp_onnx_add_initializer(k->m, bytes, err), "initializer");
        if (!s) s = tfp_onnx_add_weight(k, &k->m->weights.at[k->m->weights.size - 1], err);
    }
    return s ? s : tfp_wire_end(&graph, err);
}

static tfp_status begin_body(reader *r, tfp_error *err)
{
    static const char *const ways[] = { "then", "else" };
    body *b = &r->stack.at[r->stack.size - 1];
    maker *k = r->k;
    b->graph = b->graphs[b->way];
    b->nodes = tfp_wire_start(b->graph);
    b->count = 0;
    b->next = r->next.size;
    k->owner = b->name;
    k->way = b->way;
    k->prefix.size = 0;
    tfp_buf_str(&k->prefix, tfp_text(k->b->p, b->name));
    tfp_buf_printf(&k->prefix, "/%s/", b->kind == IF ? ways[b->way] : "body");
    if (k->prefix.failed) return tfp_nomem(err);
    tfp_status s = take_values(r, b, err);
    return s ? s : make_inputs(r, b, err);
}

/* ---- the end of a body ---- */

static tfp_status add_result(maker *k, tfp_str name, tfp_error *err)
{
    int dtype;
    tfp_program_input in = tfp_onnx_source_of(k, name, &dtype);
    return tfp_push(&k->results, in) && tfp_push(&k->result_types, dtype) ? TFP_OK : tfp_nomem(err);
}

/* The values with which the variables of a loop begin its next iteration. */
static tfp_status make_next(reader *r, const body *b, size_t first, tfp_error *err)
{
    maker *k = r->k;
    tfp_status s = TFP_OK;
    for (size_t i = b->next; i < r->next.size && !s; i++) {
        size_t result = first + (i - b->next) + (b->kind == LOOP);
        k->outputs.size = k->in_types.size = 0;
        tfp_onnx_start_node(k, r->next.at[i], TFP_STR("LoopNext"));
        if (result < k->results.size) tfp_onnx_add_source(k, k->results.at[result], k->result_types.at[result], 0);
        s = tfp_onnx_end_node(k, err);
    }
    return s;
}

static void restore(maker *k, size_t shadowed)
{
    while (k->shadowed.size > shadowed) {
        const tfp_onnx_shadow *old = &k->shadowed.at[--k->shadowed.size];
        k->m->values.at[old->at] = old->before;
    }
}

/* Adds the node itself, which takes the results of its bodies. */
static tfp_status add_owner(reader *r, const body *b, tfp_error *err)
{
    maker *k = r->k;
    tfp_wire w = b->node;
    tfp_status s = TFP_OK;
    node_head head;
    tfp_onnx_read_head(k, &w, &head);
    w = b->node;
    tfp_onnx_start_node(k, b->name, b->op);
    k->in_types.size = 0;
    int32_t position = 0;
    for (tfp_field f; !s && tfp_wire_next(&w, &f);) {
        if (f.number == 1) tfp_onnx_add_input(k, tfp_field_bytes(&w, &f), position++);
        if (f.number == 5) s = tfp_within(err, tfp_onnx_read_attr(k, tfp_field_message(&w, &f), err), "attribute");
    }
    tfp_onnx_add_number(k, "_results", position);
    for (size_t i = b->first; i < k->results.size; i++)
        tfp_onnx_add_source(k, k->results.at[i], k->result_types.at[i], position++);
    for (size_t i = 0; i < k->outputs.size; i++) { /* an output has the type of a result */
        size_t result = b->first + i + (b->kind == LOOP);
        tfp_onnx_shadow_value(k, k->outputs.at[i]);
        tfp_str name = k->outputs.at[i];
        tfp_onnx_value *v = name.size ? tfp_onnx_value_of(k->m, tfp_build_string(k->b, name)) : NULL;
        if (v && !v->dtype && result < k->result_types.size) v->dtype = k->result_types.at[result];
    }
    k->results.size = k->result_types.size = b->first;
    tfp_onnx_tell_outputs(k, b->op);
    return s ? s : tfp_onnx_end_node(k, err);
}

static tfp_status end_body(reader *r, tfp_error *err)
{
    body *b = &r->stack.at[r->stack.size - 1];
    maker *k = r->k;
    size_t first = k->results.size;
    tfp_wire graph = tfp_wire_start(b->graph);
    tfp_status s = TFP_OK;
    for (tfp_field f; !s && tfp_wire_next(&graph, &f);)
        if (f.number == 12) s = add_result(k, name_of_info(tfp_field_bytes(&graph, &f)), err);
    if (!s && b->kind != IF) s = make_next(r, b, first, err);
    r->next.size = b->next;
    restore(k, b->shadowed);
    if (s) return s;
    if (++b->way < b->ways) return begin_body(r, err);
    body done = *b;
    r->stack.size--;
    k->owner = done.around;
    k->way = done.around_way;
    k->prefix.size = 0;
    if (r->stack.size > 1) { /* the prefix of the body around it */
        const body *outer = &r->stack.at[r->stack.size - 1];
        tfp_buf_str(&k->prefix, tfp_text(k->b->p, outer->name));
        tfp_buf_text(&k->prefix, outer->kind != IF ? "/body/" : outer->way ? "/else/" : "/then/");
    }
    return add_owner(r, &done, err);
}

/* ---- nodes ---- */

/* The graphs of a node, those of If in the order then, else. False: it lacks one. */
static bool take_graphs(body *b)
{
    b->ways = b->kind == IF ? 2 : 1;
    for (int i = 0; i < b->ways; i++) {
        const char *name = b->kind != IF ? "body" : i ? "else_branch" : "then_branch";
        b->graphs[i] = part(attribute(b->node, name), 6, 0, NULL);
        if (!b->graphs[i].size) return false;
    }
    /* before version 9 the inputs of a Scan had a batch, and lengths before them */
    return b->kind != SCAN || parts(tfp_wire_start(b->graphs[0]), 11) == parts(b->node, 1);
}

static tfp_status read_node(reader *r, tfp_wire w, tfp_error *err)
{
    maker *k = r->k;
    node_head head;
    body b = { .node = w, .around = k->owner, .around_way = k->way };
    tfp_onnx_read_head(k, &w, &head);
    tfp_status s = tfp_wire_end(&w, err);
    bool own = !head.domain.size || tfp_str_eq(head.domain, TFP_STR("ai.onnx"));
    b.kind = own && !s ? kind_of(head.op) : LEAF;
    if (s || b.kind == LEAF) return s ? s : tfp_onnx_read_node(k, b.node, err);
    if (!take_graphs(&b) || r->stack.size > DEPTH_MOST) {
        tfp_build_warn(k->b, "bodies of nodes (If, Loop, Scan) that are left out", head.name);
        return tfp_onnx_read_node(k, b.node, err);
    }
    b.op = tfp_onnx_op_name(k, &head);
    b.name = tfp_onnx_node_name(k, head.name, false);
    b.shadowed = k->shadowed.size;
    b.first = k->results.size;
    if (k->no_memory || !tfp_push(&r->stack, b)) return tfp_nomem(err);
    return begin_body(r, err);
}

tfp_status tfp_onnx_read_nodes(maker *k, tfp_wire nodes, tfp_error *err)
{
    reader r = { .k = k };
    body whole = { .nodes = nodes };
    tfp_status s = tfp_push(&r.stack, whole) ? TFP_OK : tfp_nomem(err);
    while (!s && r.stack.size) {
        body *b = &r.stack.at[r.stack.size - 1];
        tfp_field f;
        if (tfp_wire_next(&b->nodes, &f)) {
            size_t number = b->count;
            if (f.number != 1) continue;
            b->count++;
            s = tfp_within(err, read_node(&r, tfp_field_message(&b->nodes, &f), err), "node %zu", number);
            continue;
        }
        s = tfp_wire_end(&b->nodes, err);
        if (s || r.stack.size == 1) break;
        s = end_body(&r, err);
    }
    tfp_vec_free(&r.stack);
    tfp_vec_free(&r.next);
    return s;
}
