// SPDX-License-Identifier: Apache-2.0
/* formats/graph/program.c: reads a GraphDef as the profile's program: every node with all its inputs and attributes,
 * every function, and the signatures and variables of a MetaGraphDef. In: wire bytes whose main graph graphdef.c has
 * read before. Out: rows of a tfp_program; strings through a tfp_builder. Uses base, wire, model. Message layout:
 * tensorflow/core/framework/graph.proto, node_def.proto, attr_value.proto, function.proto, op_def.proto,
 * variable.proto; core/protobuf/meta_graph.proto, saved_object_graph.proto. */
#include "formats/graph/attrs.h"
#include "formats/graph/program_parts.h"
#include "model/tables/profile.h"
#include "query/order.h"

/* ---- pieces ---- */

uint32_t tfp_program_read_shape(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field)
{
    if (!tfp_read_shape(outer, field, &r->shape)) return TFP_NONE;
    size_t count = r->shape.dims.size;
    return tfp_build_shape(r->b, r->shape.dims.at, count, !count && !r->shape.unknown_rank);
}

/* Whether it is the first node with that name in a body. */
static bool is_first(tfp_program_reader *r, tfp_strid name, uint32_t body)
{
    size_t size = r->in.size;
    if (name >= size) {
        if (!ok(r, tfp_reserve(&r->in, (size_t)name + 1))) return false;
        memset(r->in.at + size, 0, ((size_t)name + 1 - size) * sizeof(uint32_t));
        r->in.size = (size_t)name + 1;
    }
    if (r->in.at[name] == body + 1) return false;
    r->in.at[name] = body + 1;
    return true;
}

/* ---- attributes ---- */

/* bytes: most values are types and shapes that recur in many nodes, so short values are decoded once */
#define SHORT_VALUE 64

void tfp_program_add_named_attr(tfp_program_reader *r, tfp_strid name, tfp_str value)
{
    tfp_program_attr a = { .name = name };
    tfp_strid id = value.size <= SHORT_VALUE ? tfp_intern(&r->values, value) : TFP_NONE;
    if (id < r->decoded.size) {
        a = r->decoded.at[id];
        a.name = name;
    } else {
        ok(r, tfp_decode_attr(value, &r->g->arena, &a));
        if (id != TFP_NONE) ok(r, tfp_push(&r->decoded, a));
    }
    APPEND(r, attrs, a);
}

void tfp_program_add_attr(tfp_program_reader *r, tfp_str name, tfp_str value)
{
    tfp_program_add_named_attr(r, tfp_build_string(r->b, name), value);
}

/* Sorts by name, so that a node's attributes are found fast; if a name is repeated the last one is kept. */
static const tfp_sort_key by_name[] = { TFP_UP(tfp_program_attr, name), { 0 } };

static void sort_attrs(tfp_program_reader *r, uint32_t first)
{
    uint32_t count = ROWS(r, attrs) - first, kept = 0;
    if (!count) return;
    tfp_program_attr *at = r->g->attrs.at + first;
    if (count > 16) {
        ok(r, tfp_order_rows(at, sizeof *at, count, by_name));
    } else {
        for (uint32_t i = 1; i < count; i++) {
            tfp_program_attr a = at[i];
            uint32_t to = i;
            for (; to > 0 && a.name < at[to - 1].name; to--) at[to] = at[to - 1];
            at[to] = a;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (i + 1 == count || at[i].name != at[i + 1].name) at[kept++] = at[i];
    r->g->attrs.size = first + kept;
}

void tfp_program_read_attr(tfp_program_reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_graph_entry e = tfp_read_attr_entry(outer, field);
    if (!outer->fault) tfp_program_add_attr(r, e.name, tfp_wire_bytes(&e.value));
}

/* ---- inputs: "n", "n:k", "^n", and in functions "n:output:k" or "n:output" ---- */

static int32_t output_number(tfp_str s)
{
    int64_t n = TFP_INDEX_BAD;
    if (tfp_is_output_number(s)) tfp_parse_int64(s, &n);
    return (int32_t)n;
}

static tfp_str cut_before(tfp_str s, const char *at) { return (tfp_str){ s.data, (size_t)(at - s.data) }; }
static tfp_str cut_after(tfp_str s, const char *at) { return (tfp_str){ at + 1, s.size - (size_t)(at + 1 - s.data) }; }

tfp_program_input tfp_program_parse_input(tfp_program_reader *r, tfp_str input, bool in_function)
{
    tfp_program_input e = { 0 };
    tfp_str name = input;
    const char *colon = input.size ? memchr(input.data, ':', input.size) : NULL;
    if (colon) {
        name = cut_before(input, colon);
        tfp_str output = cut_after(input, colon);
        const char *last = in_function && output.size ? memchr(output.data, ':', output.size) : NULL;
        if (last) {
            e.index = output_number(cut_after(output, last));
            e.output = tfp_build_string(r->b, cut_before(output, last));
        } else if (in_function && !tfp_is_output_number(output)) {
            e.output = tfp_build_string(r->b, output);
        } else {
            e.index = output_number(output);
        }
    }
    e.control = name.size && name.data[0] == '^';
    if (e.control) name = (tfp_str){ name.data + 1, name.size - 1 };
    e.source = tfp_build_string(r->b, name);
    return e;
}

/* ---- nodes: NodeDef ---- */

tfp_status tfp_program_read_node(tfp_program_reader *r, tfp_wire w, uint32_t body, tfp_error *err)
{
    tfp_program_node n = { .input_first = ROWS(r, inputs), .attr_first = ROWS(r, attrs) };
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: n.name = tfp_build_string(r->b, tfp_field_bytes(&w, &f)); break;
        case 2: n.op = tfp_build_string(r->b, tfp_field_bytes(&w, &f)); break;
        case 3: {
            tfp_program_input e = tfp_program_parse_input(r, tfp_field_bytes(&w, &f), body != 0);
            APPEND(r, inputs, e);
            break;
        }
        case 5: tfp_program_read_attr(r, &w, &f); break;
        }
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (s) return s;
    if (!is_first(r, n.name, body)) {
        r->g->inputs.size = n.input_first;
        r->g->attrs.size = n.attr_first;
        return reader_status(r, err);
    }
    n.input_count = ROWS(r, inputs) - n.input_first;
    sort_attrs(r, n.attr_first);
    n.attr_count = ROWS(r, attrs) - n.attr_first;
    APPEND(r, nodes, n);
    return reader_status(r, err);
}

/* Moves nodes of the main graph that came after functions to the front: the nodes of a body must be contiguous. */
static tfp_status settle_main(tfp_program_reader *r, uint32_t first, tfp_error *err)
{
    tfp_program *g = r->g;
    tfp_program_body *all = g->bodies.at;
    uint32_t end = all[0].node_first + all[0].node_count, more = ROWS(r, nodes) - first;
    all[0].node_count += more;
    if (!more || end == first) return TFP_OK;
    tfp_program_node *moved = malloc(more * sizeof *moved);
    if (!moved) return tfp_nomem(err);
    memcpy(moved, g->nodes.at + first, more * sizeof *moved);
    memmove(g->nodes.at + end + more, g->nodes.at + end, (first - end) * sizeof *moved);
    memcpy(g->nodes.at + end, moved, more * sizeof *moved);
    free(moved);
    for (size_t i = 1; i < g->bodies.size; i++) all[i].node_first += more;
    return TFP_OK;
}

/* ---- graphs ---- */

static tfp_status read_nodes(tfp_program_reader *r, tfp_wire w, tfp_error *err)
{
    tfp_status s = TFP_OK;
    size_t count = 0;
    uint32_t first = ROWS(r, nodes);
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire node = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, tfp_program_read_node(r, node, 0, err), "node %zu", count++);
    }
    if (!s) s = tfp_wire_end(&w, err);
    return s ? s : settle_main(r, first, err);
}

tfp_status tfp_program_add_graph(tfp_program_reader *r, tfp_wire w, tfp_error *err)
{
    tfp_status s = read_nodes(r, w, err);
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 2) continue;
        tfp_wire library = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, tfp_program_read_library(r, library, err), "library");
    }
    return s ? s : tfp_wire_end(&w, err);
}

/* ---- graphs in other forms ---- */

uint32_t tfp_program_attr_count(const tfp_program_reader *r) { return ROWS(r, attrs); }
void tfp_program_sort_attrs(tfp_program_reader *r, uint32_t first) { sort_attrs(r, first); }
uint32_t tfp_program_input_count(const tfp_program_reader *r) { return ROWS(r, inputs); }
void tfp_program_add_input(tfp_program_reader *r, tfp_program_input input) { APPEND(r, inputs, input); }

void tfp_program_add_node(tfp_program_reader *r, const tfp_program_node *n)
{
    uint32_t first = ROWS(r, nodes);
    if (!is_first(r, n->name, 0) || !APPEND(r, nodes, *n)) return;
    r->no_memory |= settle_main(r, first, NULL) != TFP_OK;
}

/* ---- the reader itself ---- */

static void reader_free(tfp_program_reader *r)
{
    tfp_strtab_free(&r->values);
    tfp_arena_free(&r->scratch);
    tfp_vec_free(&r->decoded);
    tfp_vec_free(&r->in);
    tfp_map64_free(&r->results);
    tfp_vec_free(&r->shape.dims);
    free(r);
}

static tfp_program *new_program(void)
{
    tfp_program *g = calloc(1, sizeof *g);
    tfp_program_body main_graph = { 0 };
    if (!g || tfp_push(&g->bodies, main_graph)) return g;
    tfp_program_free(g);
    return NULL;
}

static bool start(tfp_program_reader *r)
{
    tfp_profile *p = r->b->p;
    if (!p->program || p->program->finished) {
        tfp_program *g = new_program();
        if (!g) return false;
        r->before = p->program;
        p->program = g;
    }
    r->g = p->program;
    r->g->arena.limit = p->arena.limit;
    const tfp_program_body *main_graph = &r->g->bodies.at[0];
    for (uint32_t i = 0; i < main_graph->node_count; i++)
        is_first(r, r->g->nodes.at[main_graph->node_first + i].name, 0);
    return !r->no_memory && tfp_strtab_init(&r->values, &r->scratch) == TFP_OK &&
           tfp_push(&r->decoded, (tfp_program_attr){ 0 }); /* for the empty text, which has the id 0 */
}

tfp_program_reader *tfp_program_start(tfp_builder *b)
{
    tfp_program_reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->b = b;
    if (start(r)) return r;
    tfp_program_end(r, TFP_NOMEM, NULL);
    return NULL;
}

void tfp_program_saved_model(tfp_program_reader *r) { r->g->saved_model = true; }
void tfp_program_onnx(tfp_program_reader *r) { r->g->onnx = true; }

tfp_status tfp_program_end(tfp_program_reader *r, tfp_status s, tfp_error *err)
{
    if (!s) s = reader_status(r, err);
    tfp_profile *p = r->b->p;
    tfp_program *gone = r->before;
    if (s && r->g) { /* an incomplete program is dropped */
        gone = p->program;
        p->program = r->before;
    }
    tfp_program_free(gone);
    reader_free(r);
    return s;
}
