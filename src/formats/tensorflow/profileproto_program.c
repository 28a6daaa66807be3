// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_program.c: keeps the nodes of a ProfileProto as a program, for shapes and float
 * operations, as far as the file has them. It has no functions, and control inputs look like other inputs; an operation
 * that takes a list says in an attribute how many of its inputs are data. */
#include "formats/graph/graphdef_parts.h"
#include "formats/tensorflow/profileproto_parts.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"

static bool is_kept(const tfp_profile_reader *r) { return r->p->reads & (TFP_READS_PROGRAM | TFP_READS_GRAPHS); }

bool tfp_profile_program_start(tfp_profile_reader *r)
{
    if (!is_kept(r)) return true;
    r->program = tfp_program_start(r->b);
    return r->program != NULL;
}

/* ---- data inputs of operations that take a list ---- */

/* clang-format off */
static const struct {
    const char *op;
    int64_t others; /* number of data inputs beside the N of the list */
} lists[] = {
    { "AddN", 0 }, { "AccumulateNV2", 0 }, { "Concat", 1 }, { "ConcatOffset", 1 }, { "ConcatV2", 1 }, { "Einsum", 0 },
    { "Merge", 0 }, { "Pack", 0 }, { "ParallelConcat", 0 }, { "RefMerge", 0 }, { "ShapeN", 0 },
};
/* clang-format on */

/* The attribute N; INT64_MAX when there is none. */
static int64_t list_length(const tfp_profile *p, const tfp_program_node *n)
{
    const tfp_program_attr *a = tfp_program_attr_find(p, p->program, n, "N");
    return a && a->kind == TFP_ATTR_INT ? a->number : INT64_MAX;
}

static int64_t data_inputs(const tfp_profile *p, const tfp_program_node *n)
{
    tfp_str op = tfp_text(p, n->op);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (tfp_str_eq(op, tfp_str_of(lists[i].op))) return tfp_add(list_length(p, n), lists[i].others, NULL);
    return INT64_MAX;
}

/* ---- shapes ---- */

/* Writes a TensorShapeProto. The file has 1 both for a scalar and for one element, so that shape is unknown. */
static void put_shape(tfp_buf *out, const tfp_profile *p, uint32_t shape)
{
    const tfp_shape *s = &p->graph->shapes.at[shape];
    bool one = s->count == 1 && p->graph->dims.at[s->first] == 1;
    size_t at = tfp_put_open(out, 7);
    if (s->count == 0 || one) tfp_put_int(out, 3, 1);
    for (uint32_t i = 0; i < s->count && !one; i++) {
        size_t dim = tfp_put_open(out, 2);
        tfp_put_int(out, 1, p->graph->dims.at[s->first + i]);
        tfp_put_close(out, dim);
    }
    tfp_put_close(out, at);
}

#define SLOTS_MOST 1000

/* Makes the attribute _output_shapes from the outputs in the file. */
static void put_shapes(tfp_profile_reader *r, const tfp_node *n, tfp_buf *value)
{
    const tfp_profile *p = r->p;
    int32_t next = 0;
    value->size = 0;
    size_t list = tfp_put_open(value, 1);
    for (TFP_EACH(p->graph->outputs, o, n->output_first)) {
        int32_t slot = p->graph->outputs.at[o].slot;
        if (slot < next || slot >= SLOTS_MOST) continue;
        for (; next < slot; next++) {
            size_t unknown = tfp_put_open(value, 7);
            tfp_put_int(value, 3, 1);
            tfp_put_close(value, unknown);
        }
        put_shape(value, p, p->graph->outputs.at[o].shape);
        next = slot + 1;
    }
    tfp_put_close(value, list);
    tfp_profile_ok(r, !value->failed);
}

/* ---- attributes and nodes ---- */

static void push_attr(tfp_profile_reader *r, tfp_str name, tfp_str value)
{
    tfp_profile_ok(r, tfp_push(&r->attrs, ((raw_attr){ tfp_build_string(r->b, name), value })));
}

void tfp_profile_program_attr(tfp_profile_reader *r, tfp_str name, tfp_str value)
{
    if (r->program)
        tfp_program_add_attr(r->program, name, value);
    else if (r->of_piece && is_kept(r))
        push_attr(r, name, value);
}

void tfp_profile_program_attrs_from(tfp_profile_reader *r, node_ref *ref)
{
    ref->attr_first = r->program ? tfp_program_attr_count(r->program) : (uint32_t)r->attrs.size;
}

#define SHAPES TFP_STR("_output_shapes")

/* For a piece: adds the shapes of the node's outputs unless they are among its attributes. */
static void push_shapes(tfp_profile_reader *r, const tfp_node *n, node_ref *ref)
{
    bool there = n->output_first == TFP_NONE;
    for (size_t i = ref->attr_first; i < r->attrs.size && !there; i++)
        there = tfp_str_eq(tfp_text(r->p, r->attrs.at[i].name), SHAPES);
    if (!there) {
        put_shapes(r, n, &r->one.shapes);
        tfp_str value = tfp_buf_copy(&r->one.shapes, &r->p->arena);
        if (tfp_profile_ok(r, value.data != NULL)) push_attr(r, SHAPES, value);
    }
    ref->attr_count = (uint32_t)r->attrs.size - ref->attr_first;
}

/* Called when the node's outputs are known and before the next node's attributes come. */
void tfp_profile_program_attrs_to(tfp_profile_reader *r, uint32_t node, node_ref *ref)
{
    const tfp_node *n = &r->p->graph->nodes.at[node];
    if (!r->program) {
        if (r->of_piece && is_kept(r)) push_shapes(r, n, ref);
        return;
    }
    tfp_program_sort_attrs(r->program, ref->attr_first);
    tfp_program_node attrs = { .attr_first = ref->attr_first,
                               .attr_count = tfp_program_attr_count(r->program) - ref->attr_first };
    if (n->output_first != TFP_NONE && !tfp_program_attr_find(r->p, r->p->program, &attrs, SHAPES.data)) {
        put_shapes(r, n, &r->one.shapes);
        if (!r->one.shapes.failed)
            tfp_program_add_attr(r->program, SHAPES, (tfp_str){ r->one.shapes.data, r->one.shapes.size });
        tfp_program_sort_attrs(r->program, ref->attr_first);
    }
    ref->attr_count = tfp_program_attr_count(r->program) - ref->attr_first;
}

void tfp_profile_program_append(tfp_profile_reader *whole, const tfp_profile_reader *r, const tfp_strid *strings,
                                node_ref *ref)
{
    if (!whole->program) return;
    uint32_t first = tfp_program_attr_count(whole->program);
    for (uint32_t i = 0; i < ref->attr_count; i++) {
        const raw_attr *a = &r->attrs.at[ref->attr_first + i];
        tfp_program_add_named_attr(whole->program, strings[a->name], a->value);
    }
    tfp_program_sort_attrs(whole->program, first);
    ref->attr_first = first;
    ref->attr_count = tfp_program_attr_count(whole->program) - first;
}

static void add_node(tfp_profile_reader *r, const tfp_node *row, const node_ref *ref)
{
    tfp_program_node n = {
        .name = row->name, .op = row->op, .attr_first = ref->attr_first, .attr_count = ref->attr_count
    };
    int64_t data = data_inputs(r->p, &n);
    n.input_first = tfp_program_input_count(r->program);
    for (uint32_t k = 0; k < ref->edge_count; k++) {
        const edge *e = &r->edges.at[ref->edge_first + k];
        bool lost = e->source < 0;
        tfp_program_input input = { .source = lost ? 0 : (tfp_strid)e->source,
                                    .index = lost ? TFP_INDEX_BAD : e->output_index,
                                    .control = k >= data };
        tfp_program_add_input(r->program, input);
    }
    n.input_count = tfp_program_input_count(r->program) - n.input_first;
    tfp_program_add_node(r->program, &n);
}

tfp_status tfp_profile_program_finish(tfp_profile_reader *r, tfp_status s, tfp_error *err)
{
    if (!r->program) return s;
    for (size_t i = 0; i < r->nodes.size && !s; i++)
        add_node(r, &r->p->graph->nodes.at[r->first_row + i], &r->nodes.at[i]);
    s = tfp_program_end(r->program, s, err);
    r->program = NULL;
    return s;
}
