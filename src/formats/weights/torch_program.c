// SPDX-License-Identifier: Apache-2.0
/* formats/weights/torch_program.c: a program of torch.export (.pt2). data/weights/NAME_weights_config.json has its
 * parameters and buffers, models/NAME.json its graph: operators of ATen with the shapes of all tensors. Operators are
 * added like those of a trace. Before PyTorch 2.8 both were one JSON file beside a file of torch.save. Source:
 * torch/_export/serde/schema.py, torch/export/pt2_archive/constants.py. */
#include "formats/weights/torch.h"
#include "model/builder.h"
#include "model/files/weights.h"
#include "model/recorded.h"
#include "model/tables/profile.h"

enum { DIMS_MOST = 64 };

typedef struct program {
    tfp_builder *b;
    tfp_pickle *m;
    tfp_pvalue values;        /* tensors of the graph by name */
    tfp_map64 at;             /* name -> index in values */
    tfp_recorded_op op;       /* the operator that is being read */
    tfp_recorded_texts texts; /* texts of its arguments */
    uint64_t count;           /* number of operators and modules so far, for their ids */
    tfp_str module;           /* the module around the previous operator, with the id of its row */
    uint64_t module_id;
} program;

static tfp_pvalue member_of(tfp_pickle *m, tfp_pvalue of, const char *name, const char *inner)
{
    return tfp_pickle_named(m, tfp_pickle_named(m, of, name), inner);
}

/* Reads sizes. A size that depends on the input has the value that it had at the export. False: one is unknown. */
static bool read_sizes(tfp_pickle *m, tfp_pvalue sizes, int64_t dims[DIMS_MOST], size_t *count)
{
    *count = tfp_pickle_count(m, sizes);
    if (tfp_pickle_kind_of(sizes) != TFP_PICKLE_LIST || *count > DIMS_MOST) return false;
    for (size_t i = 0; i < *count; i++) {
        tfp_pvalue size = tfp_pickle_item(m, sizes, i);
        tfp_pvalue hint = member_of(m, tfp_pickle_named(m, size, "as_expr"), "hint", "as_int");
        if (!tfp_pickle_int(m, tfp_pickle_named(m, size, "as_int"), &dims[i]) && !tfp_pickle_int(m, hint, &dims[i]))
            return false;
        if (dims[i] < 0) return false;
    }
    return true;
}

/* ---- parameters and buffers ---- */

static tfp_status add_weight(tfp_builder *b, tfp_pickle *m, tfp_str name, tfp_pvalue v, tfp_error *err)
{
    int64_t dims[DIMS_MOST], dtype = 0, elements = 0, parameter = 0;
    tfp_pvalue meta = tfp_pickle_named(m, v, "tensor_meta");
    tfp_weight_row row = { .name = name, .dims = dims };
    if (!read_sizes(m, tfp_pickle_named(m, meta, "sizes"), dims, &row.dim_count) ||
        !tfp_weight_elements(dims, row.dim_count, &elements)) {
        tfp_build_warn(b, "tensors with an impossible shape, left out", name);
        return TFP_OK;
    }
    tfp_pickle_int(m, tfp_pickle_named(m, meta, "dtype"), &dtype);
    tfp_pickle_int(m, tfp_pickle_named(m, v, "is_param"), &parameter);
    tfp_torch_type type = tfp_torch_type_numbered(dtype);
    row.type = type.name;
    row.bytes = tfp_mul(elements, type.bits, NULL) / 8;
    row.kind = parameter ? TFP_WEIGHT_TRAINED : TFP_WEIGHT_FIXED;
    return tfp_weight_add(b, &row, err);
}

/* Reads {"config": {NAME: {"path_name", "is_param", "tensor_meta"}}}. Names that share a file are one tensor. */
static tfp_status add_weights(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err)
{
    tfp_pvalue config = tfp_pickle_named(m, root, "config");
    tfp_map64 files = { 0 };
    tfp_status s = TFP_OK;
    if (tfp_pickle_kind_of(config) != TFP_PICKLE_DICT) s = tfp_fail(err, TFP_BADFILE, "no `config`");
    for (size_t i = 0; !s && i < tfp_pickle_pairs(m, config); i++) {
        tfp_str name;
        tfp_pvalue v = tfp_pickle_value(m, config, i), file = tfp_pickle_named(m, v, "path_name");
        if (!tfp_pickle_text(m, tfp_pickle_key(m, config, i), &name)) continue;
        if (file && tfp_map64_get(&files, file) != TFP_NONE) continue;
        if (file && !tfp_map64_put(&files, file, 1)) s = tfp_nomem(err);
        if (!s) s = add_weight(b, m, name, v, err);
    }
    tfp_map64_free(&files);
    return s;
}

/* ---- operators ---- */

static void put_shape(tfp_buf *b, const int64_t *dims, size_t count)
{
    tfp_buf_char(b, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) tfp_buf_char(b, ',');
        tfp_buf_int(b, dims[i]);
    }
    tfp_buf_char(b, ']');
}

/* Adds a tensor {"name"} as an edge, with its shape; false: the graph does not have it. */
static bool add_edge(program *p, tfp_pvalue tensor, int32_t position, bool output, tfp_buf *shape, tfp_str *type)
{
    int64_t dims[DIMS_MOST], dtype = 0;
    size_t count;
    tfp_pvalue name = tfp_pickle_named(p->m, tensor, "name");
    uint32_t at = tfp_map64_get(&p->at, name);
    tfp_pvalue value = at == TFP_NONE ? 0 : tfp_pickle_value(p->m, p->values, at);
    tfp_str text;
    if (!tfp_pickle_text(p->m, name, &text)) return false;
    tfp_recorded_tensor t = { .id = tfp_build_made_string(p->b, text) + (uint64_t)1,
                              .position = position,
                              .shape = TFP_NONE };
    bool known = read_sizes(p->m, tfp_pickle_named(p->m, value, "sizes"), dims, &count);
    tfp_pickle_int(p->m, tfp_pickle_named(p->m, value, "dtype"), &dtype);
    *type = tfp_torch_type_numbered(dtype).element;
    if (known) put_shape(shape, dims, count);
    if (known && output) t.shape = tfp_build_shape(p->b, dims, count, count == 0);
    if (p->b->p->recorded->tensors.size >= TFP_NONE - 1 || !tfp_push(&p->b->p->recorded->tensors, t))
        p->b->status = TFP_NOMEM;
    *(output ? &p->op.output_count : &p->op.input_count) += 1;
    return known;
}

static tfp_str text_of(const tfp_buf *b) { return (tfp_str){ b->data ? b->data : "", b->size }; }

/* Writes a number, or a list of numbers: "[2, 2]". */
static void put_scalar(program *p, tfp_pvalue v, tfp_buf *text)
{
    int64_t whole;
    double real;
    if (tfp_pickle_kind_of(v) == TFP_PICKLE_BOOL && tfp_pickle_int(p->m, v, &whole))
        tfp_buf_text(text, whole ? "True" : "False");
    else if (tfp_pickle_kind_of(v) == TFP_PICKLE_INT && tfp_pickle_int(p->m, v, &whole))
        tfp_buf_int(text, whole);
    else if (tfp_pickle_real(p->m, v, &real))
        tfp_buf_printf(text, "%.17g", real);
}

static void add_scalars(program *p, tfp_pvalue v)
{
    tfp_buf text = { 0 };
    bool list = tfp_pickle_kind_of(v) == TFP_PICKLE_LIST;
    if (list) tfp_buf_char(&text, '[');
    for (size_t i = 0; list && i < tfp_pickle_count(p->m, v); i++) {
        if (i) tfp_buf_text(&text, ", ");
        put_scalar(p, tfp_pickle_item(p->m, v, i), &text);
    }
    if (list)
        tfp_buf_char(&text, ']');
    else
        put_scalar(p, v, &text);
    tfp_recorded_put(&p->texts, TFP_STR("[]"),
                     list        ? TFP_STR("ScalarList")
                     : text.size ? TFP_STR("Scalar")
                                 : TFP_STR(""),
                     text_of(&text));
    if (text.failed) p->b->status = TFP_NOMEM;
    tfp_buf_free(&text);
}

/* Adds an argument: {"as_tensor": {"name"}}, {"as_tensors": [...]}, {"as_int": 3} ... */
static void add_argument(program *p, tfp_pvalue arg, int32_t position, bool output)
{
    tfp_pvalue one = tfp_pickle_named(p->m, arg, "as_tensor"), many = tfp_pickle_named(p->m, arg, "as_tensors");
    tfp_buf shape = { 0 };
    tfp_str type = TFP_STR("TensorList");
    if (many) tfp_buf_char(&shape, '[');
    for (size_t i = 0; i < tfp_pickle_count(p->m, many); i++) {
        tfp_str any;
        if (i) tfp_buf_char(&shape, ',');
        if (!add_edge(p, tfp_pickle_item(p->m, many, i), position, output, &shape, &any)) tfp_buf_text(&shape, "[]");
    }
    if (many) tfp_buf_char(&shape, ']');
    if (one && !add_edge(p, one, position, output, &shape, &type)) tfp_buf_text(&shape, "[]");
    if (!output && (one || many)) tfp_recorded_put(&p->texts, text_of(&shape), type, TFP_STR(""));
    if (!output && !one && !many) add_scalars(p, tfp_pickle_value(p->m, arg, 0));
    if (shape.failed) p->b->status = TFP_NOMEM;
    tfp_buf_free(&shape);
}

/* The operator's name: "torch.ops.aten.linear.default" is aten::linear. Calls that are no operators of a library
 * compute nothing. */
static tfp_strid operator_name(program *p, tfp_str target)
{
    tfp_str begin = TFP_STR("torch.ops.");
    tfp_buf name = { 0 };
    if (!tfp_str_begins(target, begin)) return 0;
    for (size_t i = begin.size, dots = 0; i < target.size; i++) {
        if (target.data[i] != '.')
            tfp_buf_char(&name, target.data[i]);
        else if (dots++)
            break;
        else
            tfp_buf_text(&name, "::");
    }
    if (name.failed) p->b->status = TFP_NOMEM;
    tfp_strid id = name.size && !name.failed ? tfp_build_made_string(p->b, text_of(&name)) : 0;
    tfp_buf_free(&name);
    return id;
}

/* The innermost module around an operator. The text has the outermost first, separated by semicolons:
 * "NAME,layers.0,torch.nn.Linear". */
static tfp_str module_of(program *p, tfp_pvalue node)
{
    tfp_str stack = { "", 0 };
    tfp_pickle_text(p->m, member_of(p->m, node, "metadata", "nn_module_stack"), &stack);
    size_t begin = stack.size, end;
    while (begin > 0 && stack.data[begin - 1] != ';') begin--;
    while (begin < stack.size && stack.data[begin] != ',') begin++;
    if (begin < stack.size) begin++;
    for (end = begin; end < stack.size && stack.data[end] != ',';) end++;
    return (tfp_str){ stack.data + begin, end - begin };
}

static void push_row(program *p)
{
    tfp_recorded_tables *t = p->b->p->recorded;
    if (t->ops.size >= TFP_NONE - 1 || !tfp_push(&t->ops, p->op)) p->b->status = TFP_NOMEM;
}

/* A module is the range around its operators; each time it begins it gets a new row. */
static void enter_module(program *p, tfp_str module)
{
    tfp_buf path = { 0 };
    if (tfp_str_eq(module, p->module)) return;
    p->module = module;
    p->module_id = 0;
    if (!module.size) return;
    tfp_buf_str(&path, module);
    for (size_t i = 0; i < path.size; i++)
        if (path.data[i] == '.') path.data[i] = '/';
    p->module_id = ++p->count;
    p->op =
        (tfp_recorded_op){ .id = p->module_id, .scope = true, .tensors = (uint32_t)p->b->p->recorded->tensors.size };
    p->op.above = p->op.node = TFP_NONE;
    if (path.failed) p->b->status = TFP_NOMEM;
    if (!path.failed) p->op.name = tfp_build_made_string(p->b, text_of(&path));
    push_row(p);
    tfp_buf_free(&path);
}

/* Arguments with their default value are not in the file, but a convolution needs stride, padding and dilation to be
 * counted. */
static void add_defaults(program *p, tfp_str name, size_t count)
{
    static const char *const defaults[] = { "", "", "", "[1]", "[0]", "[1]" };
    if (!tfp_str_begins(name, TFP_STR("aten::conv")) || name.size != strlen("aten::conv1d")) return;
    for (; count < sizeof defaults / sizeof *defaults; count++)
        tfp_recorded_put(&p->texts, TFP_STR("[]"), TFP_STR("ScalarList"), tfp_str_of(defaults[count]));
}

static void add_operator(program *p, tfp_pvalue node)
{
    const tfp_recorded_tables *t = p->b->p->recorded;
    tfp_pvalue inputs = tfp_pickle_named(p->m, node, "inputs"), outputs = tfp_pickle_named(p->m, node, "outputs");
    tfp_str target = { "", 0 };
    tfp_pickle_text(p->m, tfp_pickle_named(p->m, node, "target"), &target);
    tfp_strid name = operator_name(p, target);
    if (!name) return;
    enter_module(p, module_of(p, node));
    p->op = (tfp_recorded_op){
        .id = ++p->count, .parent = p->module_id, .name = name, .tensors = (uint32_t)t->tensors.size
    };
    p->op.above = p->op.node = TFP_NONE;
    for (size_t i = 0; i < tfp_pickle_count(p->m, inputs) && !p->b->status; i++)
        add_argument(p, tfp_pickle_named(p->m, tfp_pickle_item(p->m, inputs, i), "arg"), (int32_t)i, false);
    add_defaults(p, tfp_text(p->b->p, name), tfp_pickle_count(p->m, inputs));
    for (size_t i = 0; i < tfp_pickle_count(p->m, outputs) && !p->b->status; i++)
        add_argument(p, tfp_pickle_item(p->m, outputs, i), (int32_t)i, true);
    tfp_recorded_take(p->b, &p->texts, &p->op);
    push_row(p);
}

static tfp_status add_graph(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err)
{
    tfp_pvalue graph = member_of(m, root, "graph_module", "graph"), nodes = tfp_pickle_named(m, graph, "nodes");
    program p = { .b = b, .m = m, .values = tfp_pickle_named(m, graph, "tensor_values") };
    if (tfp_pickle_kind_of(nodes) != TFP_PICKLE_LIST) return tfp_fail(err, TFP_BADFILE, "no graph of torch.export");
    for (uint32_t i = 0; i < tfp_pickle_pairs(m, p.values) && !b->status; i++)
        if (!tfp_map64_put(&p.at, tfp_pickle_key(m, p.values, i), i)) b->status = TFP_NOMEM;
    for (size_t i = 0; i < tfp_pickle_count(m, nodes) && !b->status; i++)
        add_operator(&p, tfp_pickle_item(m, nodes, i));
    if (!b->status && !tfp_push(&b->p->recorded->files, (uint32_t)b->p->recorded->ops.size)) b->status = TFP_NOMEM;
    tfp_map64_free(&p.at);
    tfp_recorded_texts_free(&p.texts);
    return tfp_builder_status(b, err);
}

/* ---- the files of an archive ---- */

typedef tfp_status (*add_fn)(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err);

static tfp_status add_json(tfp_builder *b, const tfp_zip_entry *e, tfp_input *in, add_fn add, tfp_error *err)
{
    tfp_buf text = { 0 };
    tfp_pickle *m = tfp_pickle_new(0);
    tfp_pvalue root = 0;
    tfp_status s = m ? tfp_zip_read(e, in, &text, err) : tfp_nomem(err);
    if (!s) {
        s = tfp_pickle_read_json(m, text_of(&text), &root, err);
        if (!s) s = add(b, m, root, err);
        tfp_within(err, s, "%.*s", (int)(e->name.size < 200 ? e->name.size : 200), e->name.data);
    }
    tfp_pickle_free(m);
    tfp_buf_free(&text);
    return s;
}

bool tfp_torch_is_program(const tfp_zip *z)
{
    return tfp_zip_find(z, "_weights_config.json") || tfp_zip_find(z, "serialized_exported_program.json");
}

static bool is_graph(tfp_str name)
{
    return (tfp_str_has(name, TFP_STR("/models/")) && tfp_str_ends(name, TFP_STR(".json"))) ||
           tfp_str_ends(name, TFP_STR("serialized_exported_program.json"));
}

tfp_status tfp_torch_add_program(tfp_builder *b, const tfp_zip *z, tfp_input *in, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < z->entries.size && !s; i++) {
        const tfp_zip_entry *e = &z->entries.at[i];
        if (tfp_str_ends(e->name, TFP_STR("_weights_config.json")))
            s = add_json(b, e, in, add_weights, err);
        else if (is_graph(e->name))
            s = add_json(b, e, in, add_graph, err);
    }
    return s;
}
