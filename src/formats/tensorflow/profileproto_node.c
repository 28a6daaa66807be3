// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_node.c: reads one node of a ProfileProto: adds a row to the profile, and keeps what
 * must wait for the end. In: a ProfileNode. Out: calls on a tfp_builder. Message: ProfileNode of tfprof_log.proto. */
#include "formats/graph/tfdevice.h"
#include "formats/tensorflow/profileproto_parts.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"

#include <stdlib.h>

uint32_t tfp_profile_trace(tfp_profile_reader *r, raw_trace t)
{
    if (!t.bytes.size) return TFP_NONE;
    for (uint64_t key = t.hash;; key++) {
        uint32_t at = tfp_map64_get(&r->traces.by_hash, key);
        if (at != TFP_NONE && tfp_str_eq(r->traces.list.at[at].bytes, t.bytes)) return at;
        if (at != TFP_NONE) continue;
        if (!r->of_piece) t.bytes.data = tfp_arena_copy(&r->arena, t.bytes);
        at = (uint32_t)r->traces.list.size;
        bool room = t.bytes.data && tfp_push(&r->traces.list, t) && tfp_map64_put(&r->traces.by_hash, key, at);
        return tfp_profile_ok(r, room) ? at : TFP_NONE;
    }
}

/* Reads an entry of output_shapes: slot -> Tuple; without numbers the shape is unknown. */
static void read_output(tfp_profile_reader *r, tfp_str bytes)
{
    tfp_profile_entry e = tfp_profile_read_entry(r, bytes, false, "output_shapes");
    r->one.dims.size = 0;
    tfp_wire tuple = tfp_wire_start(e.value);
    for (tfp_field f; tfp_wire_next(&tuple, &f);) {
        uint64_t v;
        if (f.number != 1) continue;
        for (tfp_packed p = tfp_packed_start(&tuple, &f, TFP_VARINT); tfp_packed_next(&tuple, &p, &v);)
            tfp_profile_ok(r, tfp_push(&r->one.dims, (int64_t)v));
    }
    TFP_PROFILE_END(r, tuple, "output_shapes");
    uint32_t shape = tfp_build_shape(r->b, r->one.dims.at, r->one.dims.size, false);
    output o = { (int32_t)(uint32_t)e.key, shape, (uint32_t)r->one.outputs.size };
    if (shape != TFP_NONE) tfp_profile_ok(r, tfp_push(&r->one.outputs, o));
}

static int by_slot(const void *a, const void *b)
{
    const output *x = a, *y = b;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* Adds the outputs in order of their slots; if two have the same slot the last in the file is kept. */
static void build_outputs(tfp_profile_reader *r, uint32_t node)
{
    output *o = r->one.outputs.at;
    size_t count = r->one.outputs.size;
    bool sorted = true;
    for (size_t i = 1; i < count; i++) sorted &= o[i - 1].slot < o[i].slot;
    if (!sorted) qsort(o, count, sizeof *o, by_slot);
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && o[i].slot == o[i + 1].slot)
            tfp_profile_warn(r, "outputs that come twice in one node, the last kept", o[i].slot);
        else
            tfp_build_output(r->b, node, o[i].slot, o[i].shape);
    }
}

/* Inputs are resolved when all nodes are known. Here the node's own two maps are joined: position -> source, and source
 * -> which of its outputs. Both maps are short, except in a hostile file: then a hash table is made. */
static int32_t output_index_of(tfp_profile_reader *r, tfp_map64 *table, int64_t source)
{
    size_t count = r->one.sources.size;
    if (count > 8) {
        uint32_t at = tfp_map64_get(table, (uint64_t)source);
        return at == TFP_NONE ? 0 : r->one.sources.at[at].output_index;
    }
    for (size_t i = count; i-- > 0;)
        if (r->one.sources.at[i].source == source) return r->one.sources.at[i].output_index;
    return 0;
}

static int by_position(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->position != y->position) return x->position < y->position ? -1 : 1;
    return x->output_index < y->output_index ? -1 : 1; /* the original order, see below */
}

/* Sorts the node's inputs by position; if two have the same position the last in the file is kept. */
static void sort_edges(tfp_profile_reader *r, node_ref *n)
{
    size_t count = r->edges.size - n->edge_first, kept = 0;
    bool sorted = true;
    if (!count) return;
    edge *edges = r->edges.at + n->edge_first;
    for (size_t i = 1; i < count; i++) sorted &= edges[i - 1].position < edges[i].position;
    if (!sorted) {
        for (size_t i = 0; i < count; i++) edges[i].output_index = (int32_t)i;
        qsort(edges, count, sizeof *edges, by_position);
    }
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && edges[i].position == edges[i + 1].position)
            tfp_profile_warn(r, "input positions that come twice in one node, the last kept", edges[i].position);
        else
            edges[kept++] = edges[i];
    }
    r->edges.size = n->edge_first + kept;
    n->edge_count = (uint32_t)kept;
}

static void finish_edges(tfp_profile_reader *r, node_ref *n)
{
    tfp_map64 table = { 0 };
    sort_edges(r, n);
    for (size_t i = 0; r->one.sources.size > 8 && i < r->one.sources.size; i++)
        tfp_profile_ok(r, tfp_map64_put(&table, (uint64_t)r->one.sources.at[i].source, (uint32_t)i));
    for (uint32_t i = 0; i < n->edge_count; i++) {
        edge *e = &r->edges.at[n->edge_first + i];
        e->output_index = output_index_of(r, &table, e->source);
    }
    tfp_map64_free(&table);
}

/* Reads an entry of attrs: name -> AttrValue. All of them are kept unchanged for writing the profile again; one is
 * interpreted. */
static void read_attr(tfp_profile_reader *r, tfp_str bytes, uint32_t node)
{
    tfp_profile_entry e = tfp_profile_read_entry(r, bytes, true, "attrs");
    tfp_str text = { "", 0 };
    bool wanted = tfp_str_eq(e.name, TFP_STR("data_format"));
    tfp_wire v = tfp_wire_start(e.value);
    for (tfp_field f; tfp_wire_next(&v, &f);) /* values that are not used must be well-formed, but may be of any kind */
        if (wanted && f.number == 2) text = tfp_field_bytes(&v, &f);
    TFP_PROFILE_END(r, v, "attrs");
    if (wanted) tfp_build_row(r->b, node)->data_format = tfp_build_string(r->b, text);
    if (r->p->reads & TFP_READS_ATTRS) tfp_put_bytes_always(&r->one.attrs, 11, bytes);
    tfp_profile_program_attr(r, e.name, e.value);
}

static void push_edge(tfp_profile_reader *r, tfp_profile_int_pair pair, bool of_input)
{
    if (of_input)
        tfp_profile_ok(r, tfp_push(&r->edges, ((edge){ pair.value, (int32_t)pair.key, 0 })));
    else
        tfp_profile_ok(r, tfp_push(&r->one.sources, ((edge){ pair.key, 0, (int32_t)pair.value })));
}

/* The row needs the name and the operation first. They come before the long parts of a node; if a file has them again
 * later, that is handled then. */
static uint32_t start_node(tfp_profile_reader *r, tfp_str bytes)
{
    tfp_str name = { "", 0 }, op = name;
    unsigned seen = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; seen != 3 && tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            name = tfp_field_bytes(&w, &f), seen |= 1;
        else if (f.number == 9)
            op = tfp_field_bytes(&w, &f), seen |= 2;
    }
    TFP_PROFILE_END(r, w, NULL);
    return w.fault ? TFP_NONE : tfp_build_node(r->b, name, op, false);
}

/* Reads the name. If there are two the last counts; the profile's table of names is then rebuilt. */
static void read_name(tfp_profile_reader *r, tfp_node *n, tfp_str name)
{
    if (tfp_str_eq(name, tfp_text(r->p, n->name))) return;
    n->name = tfp_build_string(r->b, name);
    r->keys.twice = true;
}

static void read_op(tfp_profile_reader *r, tfp_node *n, tfp_str op)
{
    if (!tfp_str_eq(op, tfp_text(r->p, n->op))) n->op = tfp_build_string(r->b, op);
}

static void read_type(tfp_profile_reader *r, uint32_t node, tfp_str type)
{
    tfp_strid op = tfp_build_row(r->b, node)->op;
    bool is_op = tfp_str_eq(type, tfp_text(r->p, op));
    tfp_build_type(r->b, node, is_op ? op : tfp_profile_text(r, &r->same.type, type));
}

static void read_device(tfp_profile_reader *r, uint32_t node, tfp_str name)
{
    tfp_strid before = r->same.device.id, device = tfp_profile_text(r, &r->same.device, name);
    if (device != before || !r->same.device_on) r->same.device_on = tfp_tf_device_of(r->same.device.text).on;
    tfp_build_node_device(r->b, node, device, r->same.device_on);
}

static void read_node_fields(tfp_profile_reader *r, tfp_str bytes, uint32_t node, node_ref *ref)
{
    tfp_node *n = tfp_build_row(r->b, node); /* the pointer is valid: no node is added meanwhile */
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: read_name(r, n, tfp_field_bytes(&w, &f)); break;
        case 2: push_edge(r, tfp_profile_pair(r, tfp_field_bytes(&w, &f), "inputs"), true); break;
        case 4: {
            uint64_t v;
            for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v);)
                tfp_profile_ok(r, tfp_push(&r->one.shape, (int64_t)v));
            break;
        }
        case 5: read_type(r, node, tfp_field_bytes(&w, &f)); break;
        case 6: read_device(r, node, tfp_field_bytes(&w, &f)); break;
        case 7: n->host_device = tfp_profile_text(r, &r->same.host, tfp_field_bytes(&w, &f)); break;
        case 8:
            n->float_ops = tfp_profile_positive(r, tfp_field_int(&w, &f), "negative float operations, taken as 0");
            break;
        case 9: read_op(r, n, tfp_field_bytes(&w, &f)); break;
        case 10: {
            tfp_str trace = tfp_field_bytes(&w, &f);
            uint64_t base = r->window_at + (uint64_t)(trace.data - r->window);
            uint64_t hash = tfp_hash(trace.data, trace.size);
            ref->trace = tfp_profile_trace(r, (raw_trace){ trace, hash, base, r->nodes.size, TFP_NONE });
            break;
        }
        case 11: read_attr(r, tfp_field_bytes(&w, &f), node); break;
        case 12: tfp_profile_read_exec(r, tfp_field_bytes(&w, &f), node); break;
        case 13: n->id = tfp_field_int(&w, &f); break;
        case 14: push_edge(r, tfp_profile_pair(r, tfp_field_bytes(&w, &f), "src_output_index"), false); break;
        case 15: read_output(r, tfp_field_bytes(&w, &f)); break;
        }
    }
    TFP_PROFILE_END(r, w, NULL);
}

/* Makes the node from the fields that were read. */
static void finish_node(tfp_profile_reader *r, uint32_t node, node_ref *ref)
{
    finish_edges(r, ref);
    build_outputs(r, node);
    if (r->one.shape.size) {
        uint32_t shape = tfp_build_shape(r->b, r->one.shape.at, r->one.shape.size, false);
        tfp_build_row(r->b, node)->shape = shape;
    }
    if (r->one.attrs.size) tfp_build_attrs(r->b, node, (tfp_str){ r->one.attrs.data, r->one.attrs.size });
    tfp_profile_program_attrs_to(r, node, ref);
}

static tfp_status add_key(tfp_profile_reader *r, uint32_t node, node_ref ref, tfp_error *err)
{
    if (tfp_build_row(r->b, node)->id != ref.key)
        tfp_profile_warn(r, "nodes whose id differs from the number by which inputs refer to them", ref.key);
    uint32_t at = (uint32_t)r->nodes.size, before = tfp_profile_find_key(r, ref.key);
    if (before != TFP_NONE) {
        tfp_profile_warn(r, "node numbers that come twice, the last kept", ref.key);
        r->nodes.at[before].lost = r->keys.twice = true;
    }
    return tfp_push(&r->nodes, ref) && tfp_profile_put_key(r, ref.key, at) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_profile_read_node(tfp_profile_reader *r, tfp_str bytes, int64_t key, tfp_error *err)
{
    node_ref ref = { .key = key, .trace = TFP_NONE, .edge_first = (uint32_t)r->edges.size };
    uint32_t node = start_node(r, bytes);
    r->one.sources.size = r->one.attrs.size = r->one.shape.size = r->one.outputs.size = 0;
    if (node != TFP_NONE) {
        tfp_build_row(r->b, node)->id = 0; /* protobuf does not write the number 0 */
        tfp_profile_program_attrs_from(r, &ref);
        read_node_fields(r, bytes, node, &ref);
        if (!r->fault.fault) finish_node(r, node, &ref);
    }
    if (r->fault.fault) return tfp_wire_failed(r->fault, err);
    if (r->no_memory || r->one.attrs.failed) return tfp_nomem(err);
    tfp_status s = tfp_builder_status(r->b, err);
    return s ? s : add_key(r, node, ref, err);
}
