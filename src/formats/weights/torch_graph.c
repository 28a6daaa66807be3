// SPDX-License-Identifier: Apache-2.0
/* formats/weights/torch_graph.c: the graph of a program of torch.export: operators of ATen with the shapes of all tensors,
 * which are added like those of a trace. Calls of higher order (cond, while_loop, no_grad) have graphs among their
 * arguments; nothing recurses: open graphs are on a stack. Source: torch/_export/serde/schema.py. */
#include "formats/weights/torch.h"
#include "model/builder.h"
#include "model/recorded.h"
#include "model/tables/profile.h"

typedef struct graph {        /* one that is being read */
    tfp_pvalue nodes, values; /* values: its tensors by name */
    tfp_map64 at;             /* name -> index in values */
    size_t next;              /* the next node */
    uint64_t around;          /* the range of a body; 0: none */
    tfp_str module;           /* the module around the previous operator, with the id of its range */
    uint64_t module_id;
    uint32_t number; /* names of tensors are its own */
} graph;

typedef struct program {
    tfp_builder *b;
    tfp_pickle *m;
    TFP_VEC(graph) stack;
    tfp_recorded_op op;       /* the operator that is being read */
    tfp_recorded_texts texts; /* texts of its arguments */
    uint64_t count;           /* number of operators and ranges so far, for their ids */
    uint32_t graphs;
} program;

static graph *top(program *p) { return &p->stack.at[p->stack.size - 1]; }

static tfp_pvalue member_of(tfp_pickle *m, tfp_pvalue of, const char *name, const char *inner)
{
    return tfp_pickle_named(m, tfp_pickle_named(m, of, name), inner);
}

/* ---- arguments ---- */

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
    int64_t dims[TFP_TORCH_DIMS_MOST], dtype = 0;
    size_t count;
    tfp_pvalue name = tfp_pickle_named(p->m, tensor, "name");
    graph *g = top(p);
    uint32_t at = tfp_map64_get(&g->at, name);
    tfp_pvalue value = at == TFP_NONE ? 0 : tfp_pickle_value(p->m, g->values, at);
    tfp_str text;
    if (!tfp_pickle_text(p->m, name, &text)) return false;
    tfp_recorded_tensor t = { .id = (uint64_t)g->number << 32 | (tfp_build_made_string(p->b, text) + (uint64_t)1),
                              .position = position,
                              .shape = TFP_NONE };
    bool known = tfp_torch_read_sizes(p->m, tfp_pickle_named(p->m, value, "sizes"), dims, &count);
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

/* Texts such as padding="same" and the equation of an einsum; others could not stand between quotes. */
static bool is_plain(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (!memchr(" ,.->_", s.data[i], 6) && !(s.data[i] >= '0' && s.data[i] <= '9') &&
            !((s.data[i] | 32) >= 'a' && (s.data[i] | 32) <= 'z'))
            return false;
    return s.size < 500;
}

/* Writes a number, a plain text, or a list of numbers: "[2, 2]". */
static void put_scalar(program *p, tfp_pvalue v, tfp_buf *text)
{
    int64_t whole;
    double real;
    tfp_str word;
    if (tfp_pickle_kind_of(v) == TFP_PICKLE_BOOL && tfp_pickle_int(p->m, v, &whole))
        tfp_buf_text(text, whole ? "True" : "False");
    else if (tfp_pickle_kind_of(v) == TFP_PICKLE_INT && tfp_pickle_int(p->m, v, &whole))
        tfp_buf_int(text, whole);
    else if (tfp_pickle_real(p->m, v, &real))
        tfp_buf_printf(text, "%.17g", real);
    else if (tfp_pickle_text(p->m, v, &word) && is_plain(word))
        tfp_buf_str(text, word);
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

/* Adds a range: a module, or a body of a call. Returns its id. */
static uint64_t add_range(program *p, tfp_str name, uint64_t parent, tfp_recorded_body body, int64_t trips)
{
    tfp_buf path = { 0 };
    tfp_buf_str(&path, name);
    for (size_t i = 0; i < path.size; i++)
        if (path.data[i] == '.') path.data[i] = '/';
    p->op = (tfp_recorded_op){ .id = ++p->count,
                               .parent = parent,
                               .scope = true,
                               .body = (uint8_t)body,
                               .trips = trips,
                               .tensors = (uint32_t)p->b->p->recorded->tensors.size };
    p->op.above = p->op.node = TFP_NONE;
    if (path.failed) p->b->status = TFP_NOMEM;
    if (!path.failed) p->op.name = tfp_build_made_string(p->b, text_of(&path));
    push_row(p);
    tfp_buf_free(&path);
    return p->count;
}

/* A module is the range around its operators; each time it begins it gets a new row. */
static void enter_module(program *p, tfp_str module)
{
    graph *g = top(p);
    if (tfp_str_eq(module, g->module)) return;
    g->module = module;
    g->module_id = module.size ? add_range(p, module, g->around, TFP_BODY_NONE, 1) : 0;
}

/* ---- arguments by name: those with their default value are not in the file ---- */

static const struct {
    const char *ops; /* names, one blank between them */
    const char *names[8], *defaults[8];
} signatures[] = {
    { "aten::conv1d aten::conv2d aten::conv3d",
      { "input", "weight", "bias", "stride", "padding", "dilation", "groups" },
      { "", "", "", "[1]", "[0]", "[1]", "1" } },
    { "aten::conv_transpose1d aten::conv_transpose2d aten::conv_transpose3d",
      { "input", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation" },
      { "", "", "", "[1]", "[0]", "[0]", "1", "[1]" } },
};

static tfp_pvalue input_named(program *p, tfp_pvalue inputs, const char *name)
{
    for (size_t i = 0; i < tfp_pickle_count(p->m, inputs); i++) {
        tfp_pvalue input = tfp_pickle_item(p->m, inputs, i);
        tfp_str text;
        if (tfp_pickle_text(p->m, tfp_pickle_named(p->m, input, "name"), &text) && tfp_str_eq(text, tfp_str_of(name)))
            return tfp_pickle_named(p->m, input, "arg");
    }
    return 0;
}

static void add_inputs(program *p, tfp_str name, tfp_pvalue inputs)
{
    size_t count = tfp_pickle_count(p->m, inputs), row = 0, rows = sizeof signatures / sizeof *signatures;
    while (row < rows && !tfp_is_word(name, signatures[row].ops)) row++;
    bool named = row < rows && input_named(p, inputs, "weight"); /* otherwise they are in order */
    for (size_t i = 0; row == rows && i < count && !p->b->status; i++)
        add_argument(p, tfp_pickle_named(p->m, tfp_pickle_item(p->m, inputs, i), "arg"), (int32_t)i, false);
    for (size_t i = 0; row < rows && i < 8 && signatures[row].names[i] && !p->b->status; i++) {
        tfp_pvalue arg = named ? input_named(p, inputs, signatures[row].names[i])
                               : tfp_pickle_named(p->m, tfp_pickle_item(p->m, inputs, i), "arg");
        if (arg)
            add_argument(p, arg, (int32_t)i, false);
        else
            tfp_recorded_put(&p->texts, TFP_STR("[]"), TFP_STR("ScalarList"), tfp_str_of(signatures[row].defaults[i]));
    }
}

/* ---- bodies: calls of higher order have graphs among their arguments ---- */

static const struct {
    const char *op;
    tfp_recorded_body body;
    int over; /* the argument whose first dimension is the number of iterations; -1: unknown */
} callers[] = {
    { "higher_order::cond", TFP_BODY_BRANCH, -1 },     { "higher_order::switch", TFP_BODY_BRANCH, -1 },
    { "higher_order::while_loop", TFP_BODY_LOOP, -1 }, { "higher_order::associative_scan", TFP_BODY_LOOP, -1 },
    { "higher_order::scan", TFP_BODY_LOOP, 2 },        { "higher_order::map", TFP_BODY_LOOP, 1 },
    { "higher_order::map_impl", TFP_BODY_LOOP, 1 },
};

/* The first dimension of the first tensor of an argument; -1: unknown. */
static int64_t length_of(program *p, tfp_pvalue inputs, int over)
{
    int64_t dims[TFP_TORCH_DIMS_MOST];
    size_t count = 0;
    if (over < 0) return -1;
    tfp_pvalue arg = tfp_pickle_named(p->m, tfp_pickle_item(p->m, inputs, (size_t)over), "arg");
    tfp_pvalue many = tfp_pickle_named(p->m, arg, "as_tensors");
    tfp_pvalue one = many ? tfp_pickle_item(p->m, many, 0) : tfp_pickle_named(p->m, arg, "as_tensor");
    uint32_t at = tfp_map64_get(&top(p)->at, tfp_pickle_named(p->m, one, "name"));
    tfp_pvalue value = at == TFP_NONE ? 0 : tfp_pickle_value(p->m, top(p)->values, at);
    bool known = tfp_torch_read_sizes(p->m, tfp_pickle_named(p->m, value, "sizes"), dims, &count);
    return known && count ? dims[0] : -1;
}

/* ---- the iterations of a while_loop: a counter from a constant, by a constant, to a constant ---- */

enum { NODES_LOOKED_AT = 4096 };

static tfp_pvalue argument_of(program *p, tfp_pvalue node, size_t i)
{
    return tfp_pickle_named(p->m, tfp_pickle_item(p->m, tfp_pickle_named(p->m, node, "inputs"), i), "arg");
}

/* The name of the i-th tensor in a list of inputs or outputs. */
static tfp_pvalue tensor_named(program *p, tfp_pvalue of, const char *list, size_t i)
{
    return member_of(p->m, tfp_pickle_item(p->m, tfp_pickle_named(p->m, of, list), i), "as_tensor", "name");
}

static bool calls(program *p, tfp_pvalue node, const char *op)
{
    tfp_str target;
    return tfp_pickle_text(p->m, tfp_pickle_named(p->m, node, "target"), &target) &&
           tfp_str_begins(target, tfp_str_of(op));
}

/* The node that makes a tensor; NOTHING: none of the first ones does. */
static tfp_pvalue maker_of(program *p, tfp_pvalue nodes, tfp_pvalue name)
{
    size_t count = tfp_pickle_count(p->m, nodes);
    for (size_t i = 0; name && i < count && i < NODES_LOOKED_AT; i++)
        if (tensor_named(p, tfp_pickle_item(p->m, nodes, i), "outputs", 0) == name)
            return tfp_pickle_item(p->m, nodes, i);
    return 0;
}

static bool constant_of(program *p, tfp_pvalue node, int64_t *out)
{
    *out = calls(p, node, "torch.ops.aten.ones.");
    if (*out || calls(p, node, "torch.ops.aten.zeros.")) return true;
    size_t at = calls(p, node, "torch.ops.aten.full.");
    return (at || calls(p, node, "torch.ops.aten.scalar_tensor.")) &&
           tfp_pickle_int(p->m, tfp_pickle_named(p->m, argument_of(p, node, at), "as_int"), out);
}

static int64_t while_trips(program *p, tfp_pvalue inputs)
{
    tfp_pvalue condition = member_of(p->m, tfp_pickle_item(p->m, inputs, 0), "arg", "as_graph");
    tfp_pvalue body = member_of(p->m, tfp_pickle_item(p->m, inputs, 1), "arg", "as_graph");
    tfp_pvalue carried = member_of(p->m, tfp_pickle_item(p->m, inputs, 2), "arg", "as_tensors");
    condition = tfp_pickle_named(p->m, condition, "graph");
    body = tfp_pickle_named(p->m, body, "graph");
    tfp_pvalue tests = tfp_pickle_named(p->m, condition, "nodes"), test = tfp_pickle_item(p->m, tests, 0);
    bool or_equal = calls(p, test, "torch.ops.aten.le.");
    int64_t start, step, end;
    if (tfp_pickle_count(p->m, tests) != 1 || (!or_equal && !calls(p, test, "torch.ops.aten.lt."))) return -1;
    tfp_pvalue counter = member_of(p->m, argument_of(p, test, 0), "as_tensor", "name");
    size_t k = 0, count = tfp_pickle_count(p->m, tfp_pickle_named(p->m, condition, "inputs"));
    while (k < count && tensor_named(p, condition, "inputs", k) != counter) k++;
    tfp_pvalue sum = maker_of(p, tfp_pickle_named(p->m, body, "nodes"), tensor_named(p, body, "outputs", k));
    tfp_pvalue added = member_of(p->m, argument_of(p, sum, 0), "as_tensor", "name");
    bool returned = tensor_named(p, condition, "outputs", 0) == tensor_named(p, test, "outputs", 0);
    if (!counter || !returned || k == count || !calls(p, sum, "torch.ops.aten.add.") ||
        added != tensor_named(p, body, "inputs", k) ||
        tfp_pickle_count(p->m, tfp_pickle_named(p->m, sum, "inputs")) != 2)
        return -1;
    tfp_pvalue first = maker_of(p, top(p)->nodes, tfp_pickle_named(p->m, tfp_pickle_item(p->m, carried, k), "name"));
    if (!first || !constant_of(p, first, &start) ||
        !tfp_pickle_int(p->m, tfp_pickle_named(p->m, argument_of(p, test, 1), "as_int"), &end) ||
        !tfp_pickle_int(p->m, tfp_pickle_named(p->m, argument_of(p, sum, 1), "as_int"), &step) || step < 1)
        return -1;
    int64_t room = tfp_add(tfp_add(end, or_equal, NULL), tfp_mul(start, -1, NULL), NULL);
    return room <= 0 ? 0 : room / step + (room % step != 0);
}

/* Begins a graph: its operators are read next. */
static void push_graph(program *p, tfp_pvalue of, uint64_t around)
{
    graph g = { .nodes = tfp_pickle_named(p->m, of, "nodes"),
                .values = tfp_pickle_named(p->m, of, "tensor_values"),
                .around = around,
                .number = p->graphs++ };
    for (uint32_t i = 0; i < tfp_pickle_pairs(p->m, g.values) && !p->b->status; i++)
        if (!tfp_map64_put(&g.at, tfp_pickle_key(p->m, g.values, i), i)) p->b->status = TFP_NOMEM;
    if (p->b->status || !tfp_push(&p->stack, g)) {
        tfp_map64_free(&g.at);
        p->b->status = TFP_NOMEM;
    }
}

static void add_bodies(program *p, tfp_str name, tfp_pvalue inputs, uint64_t call)
{
    tfp_recorded_body kind = TFP_BODY_ONCE;
    int64_t trips = 1;
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++) {
        if (!tfp_str_eq(name, tfp_str_of(callers[i].op))) continue;
        kind = callers[i].body;
        if (kind == TFP_BODY_LOOP) trips = length_of(p, inputs, callers[i].over);
        if (tfp_str_eq(name, TFP_STR("higher_order::while_loop"))) trips = while_trips(p, inputs);
    }
    for (size_t i = 0; i < tfp_pickle_count(p->m, inputs) && !p->b->status; i++) {
        tfp_pvalue body = member_of(p->m, tfp_pickle_item(p->m, inputs, i), "arg", "as_graph");
        tfp_str text = { "body", 4 };
        if (!body) continue;
        tfp_pickle_text(p->m, tfp_pickle_named(p->m, body, "name"), &text);
        push_graph(p, tfp_pickle_named(p->m, body, "graph"), add_range(p, text, call, kind, trips));
    }
}

static bool has_bodies(program *p, tfp_pvalue inputs)
{
    for (size_t i = 0; i < tfp_pickle_count(p->m, inputs); i++)
        if (member_of(p->m, tfp_pickle_item(p->m, inputs, i), "arg", "as_graph")) return true;
    return false;
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
    uint64_t call = ++p->count, parent = top(p)->module_id ? top(p)->module_id : top(p)->around;
    /* what flex_attention calls for each score is no body: the call has a formula */
    bool bodies = has_bodies(p, inputs) && !tfp_str_has(target, TFP_STR("flex_attention"));
    p->op = (tfp_recorded_op){ .id = call,
                               .parent = parent,
                               .name = name,
                               .body = bodies ? TFP_BODY_CALL : TFP_BODY_NONE,
                               .tensors = (uint32_t)t->tensors.size };
    p->op.above = p->op.node = TFP_NONE;
    add_inputs(p, tfp_text(p->b->p, name), inputs);
    for (size_t i = 0; i < tfp_pickle_count(p->m, outputs) && !p->b->status; i++)
        add_argument(p, tfp_pickle_item(p->m, outputs, i), (int32_t)i, true);
    tfp_recorded_take(p->b, &p->texts, &p->op);
    push_row(p);
    if (bodies) add_bodies(p, tfp_text(p->b->p, name), inputs, call);
}

tfp_status tfp_torch_add_graph(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err)
{
    tfp_pvalue whole = member_of(m, root, "graph_module", "graph");
    program p = { .b = b, .m = m };
    if (tfp_pickle_kind_of(tfp_pickle_named(m, whole, "nodes")) != TFP_PICKLE_LIST)
        return tfp_fail(err, TFP_BADFILE, "no graph of torch.export");
    push_graph(&p, whole, 0);
    while (p.stack.size) {
        graph *g = top(&p);
        if (g->next < tfp_pickle_count(m, g->nodes) && !b->status) {
            add_operator(&p, tfp_pickle_item(m, g->nodes, g->next++));
            continue;
        }
        tfp_map64_free(&g->at);
        p.stack.size--;
    }
    if (!b->status && !tfp_push(&b->p->recorded->files, (uint32_t)b->p->recorded->ops.size)) b->status = TFP_NOMEM;
    tfp_vec_free(&p.stack);
    tfp_recorded_texts_free(&p.texts);
    return tfp_builder_status(b, err);
}
