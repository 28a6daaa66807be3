// SPDX-License-Identifier: Apache-2.0
/* formats/graph/graphdef.c: reads a GraphDef, alone or inside a MetaGraphDef or a SavedModel, as nodes and inputs. In:
 * the message's bytes, text or binary, from a file or from a SavedModel's folder. Out: calls on a tfp_builder. Uses
 * base, wire, model. Message layout: tensorflow/core/framework/graph.proto, node_def.proto, attr_value.proto,
 * tensor_shape.proto; core/protobuf/meta_graph.proto, saved_model.proto. */
#include "formats/files/format.h"
#include "formats/graph/graphdef.h"
#include "formats/graph/graphdef_parts.h"
#include "formats/graph/program.h"
#include "formats/graph/sniff.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct pending_attr { /* the value of an attribute; if a name is repeated the last value counts, as in a map */
    tfp_wire value;
    bool given;
} pending_attr;

typedef struct node_reader { /* its memory is reused for each node */
    tfp_builder *b;
    tfp_str function; /* the function whose body is read; empty in the graph itself */
    tfp_buf scratch;
    TFP_VEC(tfp_str) inputs;
    tfp_graph_shape shape; /* the shape that was read last */
    tfp_buf attrs;
    bool no_memory;
} node_reader;

static void node_reader_free(node_reader *r)
{
    tfp_vec_free(&r->inputs);
    tfp_vec_free(&r->shape.dims);
    tfp_buf_free(&r->attrs);
    tfp_buf_free(&r->scratch);
}

/* A node's name in the profile: nodes of a function's body are in the function's scope. Valid until the next call. */
static tfp_str full_name(node_reader *r, tfp_str name)
{
    if (!r->function.size) return name;
    r->scratch.size = 0;
    tfp_buf_str(&r->scratch, r->function);
    tfp_buf_char(&r->scratch, '/');
    tfp_buf_str(&r->scratch, name);
    if (r->scratch.failed) r->no_memory = true;
    return r->no_memory ? name : (tfp_str){ r->scratch.data, r->scratch.size };
}

static uint32_t read_shape(node_reader *r, tfp_wire *outer, const tfp_field *field)
{
    if (!tfp_read_shape(outer, field, &r->shape)) return TFP_NONE;
    const tfp_graph_shape *shape = &r->shape;
    return tfp_build_shape(r->b, shape->dims.at, shape->dims.size, !shape->dims.size && !shape->unknown_rank);
}

/* ---- attributes: AttrValue ---- */

static void read_own_shape(node_reader *r, tfp_wire *outer, pending_attr *attr, uint32_t node)
{
    tfp_wire w = attr->value;
    for (tfp_field f; attr->given && tfp_wire_next(&w, &f);)
        if (f.number == 7) tfp_build_row(r->b, node)->shape = read_shape(r, &w, &f);
    tfp_wire_join(outer, &w, "attr shape");
}

/* Reads the list with one shape per output. */
static void read_output_shapes(node_reader *r, tfp_wire *outer, pending_attr *attr, uint32_t node)
{
    int32_t slot = 0;
    tfp_wire w = attr->value;
    for (tfp_field f; attr->given && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire list = tfp_field_message(&w, &f);
        for (tfp_field g; tfp_wire_next(&list, &g);) {
            if (g.number != 7) continue;
            uint32_t shape = read_shape(r, &list, &g);
            if (shape != TFP_NONE) tfp_build_output(r->b, node, slot++, shape);
        }
        tfp_wire_join(&w, &list, "list");
    }
    tfp_wire_join(outer, &w, "attr _output_shapes");
}

static void read_data_format(node_reader *r, tfp_wire *outer, pending_attr *attr, uint32_t node)
{
    tfp_wire w = attr->value;
    for (tfp_field f; attr->given && tfp_wire_next(&w, &f);)
        if (f.number == 2) tfp_build_row(r->b, node)->data_format = tfp_build_string(r->b, tfp_field_bytes(&w, &f));
    tfp_wire_join(outer, &w, "attr data_format");
}

/* clang-format off */
static const struct {
    const char *name;
    void (*read)(node_reader *r, tfp_wire *outer, pending_attr *attr, uint32_t node);
} known_attrs[] = {
    { "shape",          read_own_shape },
    { "_output_shapes", read_output_shapes },
    { "data_format",    read_data_format },
};
/* clang-format on */
#define KNOWN_ATTRS (sizeof known_attrs / sizeof *known_attrs)

/* Reads an entry of attr: name -> AttrValue. It is kept in the same form, as an entry of ProfileNode.attrs (field
 * 11). */
static void read_attr(node_reader *r, tfp_wire *outer, const tfp_field *field, pending_attr *pending)
{
    tfp_graph_entry e = tfp_read_attr_entry(outer, field);
    for (size_t i = 0; i < KNOWN_ATTRS; i++)
        if (tfp_str_eq(e.name, tfp_str_of(known_attrs[i].name))) pending[i] = (pending_attr){ e.value, true };
    if (r->b->p->reads & TFP_READS_ATTRS) tfp_put_bytes_always(&r->attrs, 11, field->bytes);
}

/* ---- inputs: "n", "n:k", "^n", and in functions "n:output:k" ---- */

/* The name of an input's source, without the number of the output. TensorFlow's release builds lose that number too,
 * because they parse it inside a check of debug builds. */
static tfp_str source_of(const node_reader *r, tfp_str input)
{
    tfp_str name = input, output = { "", 0 };
    const char *colon = input.size ? memchr(input.data, ':', input.size) : NULL;
    if (colon) {
        name.size = (size_t)(colon - input.data);
        output = (tfp_str){ colon + 1, input.size - name.size - 1 };
        const char *last = r->function.size ? memrchr(output.data, ':', output.size) : NULL;
        if (last) output = (tfp_str){ last + 1, output.size - (size_t)(last + 1 - output.data) };
    }
    bool control = name.size && name.data[0] == '^';
    if (control) name = (tfp_str){ name.data + 1, name.size - 1 };
    bool bad_output = colon && (control || !tfp_is_output_number(output));
    if (!name.size || name.data[0] == '^' || bad_output) tfp_build_warn(r->b, "malformed inputs", input);
    return name;
}

static void build_inputs(node_reader *r, uint32_t node)
{
    for (size_t i = 0; i < r->inputs.size; i++) {
        tfp_str name = full_name(r, source_of(r, r->inputs.at[i]));
        tfp_build_input(r->b, node, (int32_t)i, tfp_build_string(r->b, name), 0);
    }
}

/* ---- nodes: NodeDef ---- */

typedef struct node_head {
    tfp_str name, op, device;
} node_head;

static void read_node_fields(node_reader *r, tfp_wire *w, node_head *head, pending_attr *pending)
{
    for (tfp_field f; tfp_wire_next(w, &f);) {
        switch (f.number) {
        case 1: head->name = tfp_field_bytes(w, &f); break;
        case 2: head->op = tfp_field_bytes(w, &f); break;
        case 3:
            if (!tfp_push(&r->inputs, tfp_field_bytes(w, &f))) r->no_memory = true;
            break;
        case 4: head->device = tfp_field_bytes(w, &f); break;
        case 5: read_attr(r, w, &f, pending); break;
        }
    }
}

static tfp_status read_node(node_reader *r, tfp_wire w, tfp_graph_source source, tfp_error *err)
{
    node_head head = { { "", 0 }, { "", 0 }, { "", 0 } };
    pending_attr pending[KNOWN_ATTRS];
    for (size_t i = 0; i < KNOWN_ATTRS; i++) pending[i] = (pending_attr){ tfp_wire_start(head.name), false };
    r->inputs.size = r->attrs.size = 0;
    read_node_fields(r, &w, &head, pending);
    tfp_status s = tfp_wire_end(&w, err);
    if (s) return s;
    tfp_str name = full_name(r, head.name);
    if (tfp_build_find(r->b, name) != TFP_NONE) {
        if (!source.overlaps) tfp_build_warn(r->b, "nodes with the name of an earlier node, left out", name);
        return TFP_OK;
    }
    uint32_t node = tfp_build_node(r->b, name, head.op, true);
    if (node == TFP_NONE) return tfp_builder_status(r->b, err);
    tfp_build_row(r->b, node)->graph_device = tfp_build_string(r->b, head.device);
    for (size_t i = 0; i < KNOWN_ATTRS; i++) known_attrs[i].read(r, &w, &pending[i], node);
    build_inputs(r, node);
    if (r->attrs.size) tfp_build_attrs(r->b, node, (tfp_str){ r->attrs.data, r->attrs.size });
    if ((s = tfp_wire_end(&w, err))) return s;
    return r->no_memory || r->shape.no_memory || r->attrs.failed ? tfp_nomem(err) : tfp_builder_status(r->b, err);
}

/* ---- functions: FunctionDefLibrary ---- */

/* Reads an OpDef: its name, and a node for each argument, so that inputs have a source. */
static tfp_status read_signature(node_reader *r, tfp_wire w, tfp_error *err)
{
    tfp_wire args = w;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) r->function = tfp_field_bytes(&w, &f);
    for (tfp_field f; r->function.size && tfp_wire_next(&args, &f);) {
        if (f.number != 2) continue;
        tfp_str name = { "", 0 };
        tfp_wire arg = tfp_field_message(&args, &f);
        for (tfp_field g; tfp_wire_next(&arg, &g);)
            if (g.number == 1) name = tfp_field_bytes(&arg, &g);
        tfp_wire_join(&args, &arg, "input_arg");
        name = full_name(r, name);
        if (tfp_build_find(r->b, name) == TFP_NONE) tfp_build_node(r->b, name, TFP_STR("_Arg"), true);
    }
    tfp_wire_join(&w, &args, "signature");
    return tfp_wire_end(&w, err);
}

/* Reads a FunctionDef. A function without a name cannot be called and makes no scope. */
static tfp_status read_function(node_reader *r, tfp_wire w, tfp_graph_source source, tfp_error *err)
{
    bool wanted = r->b->p->reads & TFP_READS_FUNCTIONS;
    tfp_status s = TFP_OK;
    tfp_wire nodes = w;
    r->function = (tfp_str){ "", 0 };
    for (tfp_field f; s == TFP_OK && wanted && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire signature = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_signature(r, signature, err), "signature");
    }
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&nodes, &f);) {
        if (f.number != 3) continue;
        tfp_wire node = tfp_field_message(&nodes, &f);
        if (nodes.fault) break;
        if (r->function.size)
            s = tfp_within(err, read_node(r, node, source, err), "node_def");
        else if (!source.overlaps)
            tfp_build_warn(r->b, "nodes in functions, which are not part of the graph", TFP_STR(""));
    }
    if (!s) s = tfp_wire_end(&nodes, err);
    return s ? s : tfp_wire_end(&w, err);
}

static tfp_status read_library(node_reader *r, tfp_wire w, tfp_graph_source source, tfp_error *err)
{
    tfp_status s = TFP_OK;
    size_t count = 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire function = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_function(r, function, source, err), "function %zu", count++);
    }
    r->function = (tfp_str){ "", 0 };
    return s ? s : tfp_wire_end(&w, err);
}

/* ---- graphs: GraphDef, MetaGraphDef, SavedModel ---- */

/* Reads a field of the GraphDef; versions are skipped. A field of a wrong wire type sets the fault in `w`. */
static tfp_status read_graph_field(node_reader *r, tfp_wire *w, const tfp_field *f, size_t *count,
                                   tfp_graph_source source, tfp_error *err)
{
    if (f->number != 1 && f->number != 2) return TFP_OK;
    tfp_wire message = tfp_field_message(w, f);
    if (w->fault) return TFP_OK;
    if (f->number == 1) return tfp_within(err, read_node(r, message, source, err), "node %zu", (*count)++);
    return tfp_within(err, read_library(r, message, source, err), "library");
}

/* Adds the nodes of a GraphDef to the profile; of nodes with one name the first is kept. Nodes of its function library
 * are not part of the graph: they are left out with a warning, or with TFP_READS_FUNCTIONS become FUNCTION/NODE. */
static tfp_status read_graph_def(tfp_builder *b, tfp_wire w, tfp_graph_source source, tfp_error *err)
{
    node_reader r = { .b = b };
    tfp_status s = TFP_OK;
    size_t count = 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) s = read_graph_field(&r, &w, &f, &count, source, err);
    node_reader_free(&r);
    return s ? s : tfp_wire_end(&w, err);
}

/* Reads a GraphDef file in windows: one node or function library is in memory at a time. */
static tfp_status read_graph_windows(tfp_builder *b, tfp_input *in, tfp_graph_source source, tfp_error *err)
{
    node_reader r = { .b = b };
    tfp_status s = TFP_OK;
    size_t count = 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next_input(in, &f, &s, err);) {
        tfp_wire w = tfp_input_wire(in, &f);
        s = read_graph_field(&r, &w, &f, &count, source, err);
        if (!s) s = tfp_wire_end(&w, err);
    }
    node_reader_free(&r);
    return s;
}

/* Reads the same bytes twice: for the tables of the four views, and for the program. */
static tfp_status read_whole_graph(tfp_builder *b, tfp_wire w, tfp_graph_source source, tfp_error *err)
{
    tfp_status s = read_graph_def(b, w, source, err);
    return s || !source.program ? s : tfp_program_add_graph(source.program, w, err);
}

static tfp_status read_meta_graph(tfp_builder *b, tfp_wire w, tfp_graph_source source, tfp_error *err)
{
    tfp_status s = TFP_OK;
    tfp_wire whole = w;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 2) continue;
        tfp_wire graph = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_whole_graph(b, graph, source, err), "graph_def");
    }
    if (!s) s = tfp_wire_end(&w, err);
    return s || !source.program ? s : tfp_program_add_meta(source.program, whole, err);
}

/* Reads all meta graphs. They are variants of one model: training and serving share most of their nodes. */
static tfp_status read_saved_model(tfp_builder *b, tfp_wire w, tfp_graph_source source, tfp_error *err)
{
    tfp_status s = TFP_OK;
    size_t count = 0;
    for (tfp_field f; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 2) continue;
        tfp_wire meta = tfp_field_message(&w, &f);
        if (!w.fault) s = tfp_within(err, read_meta_graph(b, meta, source, err), "meta graph %zu", count++);
        source.overlaps = true;
    }
    return s ? s : tfp_wire_end(&w, err);
}

/* ---- files and folders ---- */

/* Whether the file must be in memory as a whole: to read the bytes a second time for the program, or for a model of
 * several graphs. */
static tfp_status read_kind(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_graph_source source, tfp_error *err)
{
    if (kind == TFP_KIND_GRAPH && !source.program) return read_graph_windows(b, in, source, err);
    tfp_str bytes;
    tfp_status s = tfp_input_all(in, &bytes, err);
    if (s) return s;
    tfp_wire w = tfp_wire_start(bytes);
    if (kind == TFP_KIND_SAVED_MODEL) return read_saved_model(b, w, source, err);
    if (kind == TFP_KIND_META_GRAPH) return read_meta_graph(b, w, source, err);
    return read_whole_graph(b, w, source, err);
}

static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    size_t before = b->p->graph->nodes.size;
    /* parameters of a SavedModel are counted by its variables, in every command */
    bool saved = kind == TFP_KIND_SAVED_MODEL, wanted = saved || b->p->reads & (TFP_READS_PROGRAM | TFP_READS_GRAPHS);
    tfp_graph_source source = { .overlaps = b->p->files->finished_before,
                                .program = wanted ? tfp_program_start(b) : NULL };
    if (wanted && !source.program) return tfp_nomem(err);
    if (saved) tfp_program_saved_model(source.program);
    tfp_status s = read_kind(b, in, kind, source, err);
    if (wanted) s = tfp_program_end(source.program, s, err);
    if (!s && b->p->graph->nodes.size == before && !source.overlaps)
        tfp_build_warn(b, "all of its nodes are in earlier files", TFP_STR(""));
    tfp_build_has(b, TFP_HAS_GRAPH);
    b->p->about.graph_file = tfp_arena_copy(&b->p->arena, tfp_str_of(b->file));
    return s || b->p->about.graph_file ? s : tfp_nomem(err);
}

#define GRAPHS (TFP_KINDS(TFP_KIND_GRAPH) | TFP_KINDS(TFP_KIND_META_GRAPH) | TFP_KINDS(TFP_KIND_SAVED_MODEL))

static tfp_status read_graph(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    return tfp_read_message(b, in, GRAPHS, read_binary, err);
}

static int probe(tfp_str head, uint64_t total) { return tfp_sniff_score(head, total, GRAPHS); }

static const char *const model_files[] = { "saved_model.pb", "saved_model.pbtxt", NULL };

/* Finds the model file in a folder; false when there is none, or when the path is too long. */
static bool model_in(const char *path, char file[PATH_MAX])
{
    for (size_t i = 0; model_files[i]; i++) {
        int size = snprintf(file, PATH_MAX, "%s/%s", path, model_files[i]);
        if (size > 0 && size < PATH_MAX && tfp_exists(file)) return true;
    }
    return false;
}

/* A SavedModel is recognized by its folder; the fingerprint beside it is not read. */
static bool name_is(const char *name, tfp_path_fact fact)
{
    if (fact == TFP_PATH_PART) return strcmp(name, "fingerprint.pb") == 0;
    for (size_t i = 0; model_files[i]; i++)
        if (strcmp(name, model_files[i]) == 0) return true;
    return false;
}

static bool probe_path(const char *path)
{
    char file[PATH_MAX];
    return tfp_is_folder(path) && model_in(path, file);
}

static tfp_status read_path(tfp_builder *b, const char *path, tfp_error *err)
{
    char file[PATH_MAX];
    if (!model_in(path, file)) return tfp_fail(err, TFP_BADFILE, "a folder without a saved_model.pb");
    tfp_input in = { .fd = -1 };
    tfp_status s = tfp_input_open(&in, file, err);
    if (!s) s = tfp_input_check_whole(&in, err);
    in.progress = b->p->files->progress;
    in.progress_ctx = b->p->files->progress_ctx;
    if (!s) s = read_graph(b, &in, err);
    tfp_input_close(&in);
    return tfp_within(err, s, "%s", strrchr(file, '/') + 1);
}

const tfp_format tfp_format_graph = {
    .name = "graph",
    .from = TFP_FROM_TENSORFLOW,
    .help = "GraphDef, MetaGraphDef or SavedModel (file or folder), text or binary: nodes, inputs, shapes, attributes",
    .stands = TFP_FORMAT_IS(LEADS),
    .probe = probe,
    .read = read_graph,
    .read_path = read_path,
    .probe_path = probe_path,
    .name_is = name_is,
};
