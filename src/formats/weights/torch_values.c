// SPDX-License-Identifier: Apache-2.0
/* formats/weights/torch_values.c: finds the tensors in a pickled value of torch.save: a state_dict, a training
 * checkpoint of several, or a whole module. In the pickle a tensor is a call of one of torch's rebuild functions; these
 * are recognized, not called. Tensors that are the same part of the same storage count once. Source: torch/_utils.py,
 * torch/serialization.py, torch/nn/modules/module.py. */
#include "formats/weights/torch.h"
#include "model/builder.h"
#include "model/files/weights.h"
#include "model/tables/profile.h"

enum { DEPTH_MOST = 100, NAME_MOST = 4096 };

/* ---- types ---- */

/* clang-format off */
static const struct {
    const char *storage; /* the text before "Storage"; NULL: it has no storage class of its own */
    const char *name;
    const char *element; /* the name of its elements in a trace */
    unsigned bits;
    int number; /* in torch.export's files; 0: none */
} types[] = {
    { "Float", "float32", "float", 32, 7 },
    { "Double", "float64", "double", 64, 8 },
    { "Half", "float16", "c10::Half", 16, 6 },
    { "BFloat16", "bfloat16", "c10::BFloat16", 16, 13 },
    { "Long", "int64", "long int", 64, 5 },
    { "Int", "int32", "int", 32, 4 },
    { "Short", "int16", "short int", 16, 3 },
    { "Char", "int8", "signed char", 8, 2 },
    { "Byte", "uint8", "unsigned char", 8, 1 },
    { "Bool", "bool", "bool", 8, 12 },
    { "ComplexFloat", "complex64", "c10::complex<float>", 64, 10 },
    { "ComplexDouble", "complex128", "c10::complex<double>", 128, 11 },
    { NULL, "complex32", "c10::complex<c10::Half>", 32, 9 },
    { "QInt8", "qint8", "c10::qint8", 8, 0 },
    { "QUInt8", "quint8", "c10::quint8", 8, 0 },
    { "QInt32", "qint32", "c10::qint32", 32, 0 },
    { "QUInt4x2", "quint4x2", "c10::quint4x2", 4, 0 },
    { "QUInt2x4", "quint2x4", "c10::quint2x4", 2, 0 },
    { NULL, "uint16", "unsigned short", 16, 28 },
    { NULL, "uint32", "unsigned int", 32, 34 },
    { NULL, "uint64", "unsigned long", 64, 35 },
    { NULL, "float8_e4m3fn", "c10::Float8_e4m3fn", 8, 29 },
    { NULL, "float8_e5m2", "c10::Float8_e5m2", 8, 30 },
    { NULL, "float8_e4m3fnuz", "c10::Float8_e4m3fnuz", 8, 31 },
    { NULL, "float8_e5m2fnuz", "c10::Float8_e5m2fnuz", 8, 32 },
    { NULL, "float8_e8m0fnu", "c10::Float8_e8m0fnu", 8, 33 },
    { NULL, "float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2", 8, 0 },
};
/* clang-format on */

static tfp_torch_type type_at(size_t i)
{
    return (tfp_torch_type){ tfp_str_of(types[i].name), tfp_str_of(types[i].element), types[i].bits };
}

static tfp_torch_type type_of(tfp_str written)
{
    for (size_t i = written.size; i-- > 0;)
        if (written.data[i] == '.') {
            written = (tfp_str){ written.data + i + 1, written.size - i - 1 };
            break;
        }
    tfp_str ending = TFP_STR("Storage"), kind = written;
    if (tfp_str_ends(written, ending)) kind.size -= ending.size;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (tfp_str_eq(written, tfp_str_of(types[i].name)) ||
            (types[i].storage && kind.size < written.size && tfp_str_eq(kind, tfp_str_of(types[i].storage))))
            return type_at(i);
    return (tfp_torch_type){ written, written, 0 };
}

tfp_torch_type tfp_torch_type_numbered(int64_t number)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].number && types[i].number == number) return type_at(i);
    return (tfp_torch_type){ TFP_STR("unknown"), TFP_STR(""), 0 };
}

bool tfp_torch_read_sizes(tfp_pickle *m, tfp_pvalue sizes, int64_t dims[TFP_TORCH_DIMS_MOST], size_t *count)
{
    *count = tfp_pickle_count(m, sizes);
    if (tfp_pickle_kind_of(sizes) != TFP_PICKLE_LIST || *count > TFP_TORCH_DIMS_MOST) return false;
    for (size_t i = 0; i < *count; i++) {
        tfp_pvalue size = tfp_pickle_item(m, sizes, i);
        tfp_pvalue hint =
            tfp_pickle_named(m, tfp_pickle_named(m, tfp_pickle_named(m, size, "as_expr"), "hint"), "as_int");
        if (!tfp_pickle_int(m, tfp_pickle_named(m, size, "as_int"), &dims[i]) && !tfp_pickle_int(m, hint, &dims[i]))
            return false;
        if (dims[i] < 0) return false;
    }
    return true;
}

/* ---- tensors ---- */

typedef struct frame { /* a container that is being walked */
    tfp_pvalue value;
    size_t next, name_size; /* index of the next member; length of the name so far */
    bool pairs;
} frame;

typedef struct walk {
    tfp_builder *b;
    tfp_pickle *m;
    tfp_buf name;
    TFP_VEC(frame) stack;
    tfp_map64 seen, tensors; /* containers, and parts of storages */
    tfp_map64 states;        /* states of objects that were visited: many objects may share one */
    tfp_pvalue modules, parameters, buffers;
    bool too_deep;
} walk;

typedef struct tensor {
    tfp_pvalue storage; /* the argument of a persistent id, or NOTHING */
    tfp_pvalue sizes, offset;
    tfp_torch_type type;
} tensor;

static tfp_str text_of(const walk *w, tfp_pvalue v)
{
    tfp_str text = { "", 0 };
    tfp_pickle_text(w->m, v, &text);
    return text;
}

static tfp_pvalue argument(const walk *w, tfp_pvalue args, size_t i) { return tfp_pickle_item(w->m, args, i); }

/* Functions whose arguments begin with storage, offset, size; this table has the position of each. Functions without a
 * storage (meta) have dtype, size. */
static const struct {
    const char *name;
    int inner;                 /* the argument that is the tensor itself; -1: none */
    int storage, sizes, dtype; /* -1: none */
} rebuilders[] = {
    { "torch._utils._rebuild_tensor", -1, 0, 2, -1 },
    { "torch._utils._rebuild_tensor_v2", -1, 0, 2, -1 },
    { "torch._utils._rebuild_tensor_v3", -1, 0, 2, 6 },
    { "torch._utils._rebuild_qtensor", -1, 0, 2, -1 },
    { "torch._utils._rebuild_meta_tensor_no_storage", -1, -1, 1, 0 },
    { "torch._utils._rebuild_parameter", 0, -1, -1, -1 },
    { "torch._utils._rebuild_parameter_with_state", 0, -1, -1, -1 },
};

/* Steps into the call that rebuilds a tensor of a subclass: function, class, arguments. */
static void step_into_type(const walk *w, tfp_str *function, tfp_pvalue *args)
{
    if (!tfp_str_eq(*function, TFP_STR("torch._tensor._rebuild_from_type_v2"))) return;
    *function = text_of(w, argument(w, *args, 0));
    *args = argument(w, *args, 2);
}

static bool find_tensor(const walk *w, tfp_pvalue v, tensor *out)
{
    for (int inner = 0; inner < 4 && tfp_pickle_kind_of(v) == TFP_PICKLE_CALL; inner++) {
        tfp_str function = text_of(w, tfp_pickle_callee(w->m, v));
        tfp_pvalue args = tfp_pickle_args(w->m, v);
        size_t i = 0, count = sizeof rebuilders / sizeof *rebuilders;
        step_into_type(w, &function, &args);
        while (i < count && !tfp_str_eq(function, tfp_str_of(rebuilders[i].name))) i++;
        if (i == count) return false;
        if (rebuilders[i].inner >= 0) {
            v = argument(w, args, (size_t)rebuilders[i].inner);
            continue;
        }
        *out = (tensor){ .sizes = argument(w, args, (size_t)rebuilders[i].sizes) };
        if (rebuilders[i].storage >= 0) {
            out->storage = tfp_pickle_args(w->m, argument(w, args, (size_t)rebuilders[i].storage));
            out->offset = argument(w, args, 1);
            out->type = type_of(text_of(w, argument(w, out->storage, 1)));
        }
        if (rebuilders[i].dtype >= 0) out->type = type_of(text_of(w, argument(w, args, (size_t)rebuilders[i].dtype)));
        return true;
    }
    return false;
}

/* Identifies a part of a storage by its key, offset and sizes. */
static uint64_t piece_of(const walk *w, const tensor *t, const int64_t *dims, size_t count)
{
    int64_t offset = 0;
    tfp_pickle_int(w->m, t->offset, &offset);
    struct {
        tfp_pvalue storage;
        int64_t offset;
        uint64_t dims;
    } piece = { argument(w, t->storage, 2), offset, tfp_hash((const char *)dims, count * sizeof *dims) };
    return tfp_hash((const char *)&piece, sizeof piece);
}

/* Bytes of a tensor. A view that repeats elements has more elements than are stored. */
static int64_t bytes_of(const walk *w, const tensor *t, int64_t elements)
{
    int64_t stored;
    if (!t->storage) return 0;
    if (tfp_pickle_int(w->m, argument(w, t->storage, 4), &stored) && stored >= 0 && stored < elements)
        elements = stored;
    return tfp_mul(elements, t->type.bits, NULL) / 8;
}

static tfp_status add_tensor(walk *w, const tensor *t, bool optimizer, tfp_error *err)
{
    int64_t dims[TFP_TORCH_DIMS_MOST], elements;
    tfp_weight_row row = { .name = { w->name.data ? w->name.data : "", w->name.size },
                           .type = t->type.name,
                           .dims = dims };
    row.dim_count = tfp_pickle_count(w->m, t->sizes);
    bool ok = row.dim_count <= TFP_TORCH_DIMS_MOST;
    for (size_t i = 0; ok && i < row.dim_count; i++) ok = tfp_pickle_int(w->m, argument(w, t->sizes, i), &dims[i]);
    if (!ok || !tfp_weight_elements(dims, row.dim_count, &elements)) {
        tfp_build_warn(w->b, "tensors with an impossible shape, left out", row.name);
        return TFP_OK;
    }
    if (t->storage) {
        uint64_t piece = piece_of(w, t, dims, row.dim_count);
        if (tfp_map64_get(&w->tensors, piece) != TFP_NONE) return TFP_OK;
        if (!tfp_map64_put(&w->tensors, piece, 1)) return tfp_nomem(err);
    }
    row.bytes = bytes_of(w, t, elements);
    row.kind = optimizer ? TFP_WEIGHT_OF_OPTIMIZER : TFP_WEIGHT_OF_MODEL;
    return tfp_weight_add(w->b, &row, err);
}

/* ---- containers ---- */

/* Whether it is a dict in module.__dict__ whose members have names like the module's own members. */
static bool is_nameless(const walk *w, tfp_pvalue key)
{
    return key && (key == w->modules || key == w->parameters || key == w->buffers);
}

/* What to walk for a module or a container: a dict, a list, or the dict that is a module's state. Clears *ok when
 * memory is out. */
static tfp_pvalue container_of(walk *w, tfp_pvalue v, bool *ok)
{
    tfp_pickle_kind kind = tfp_pickle_kind_of(v);
    if (kind == TFP_PICKLE_LIST || kind == TFP_PICKLE_TUPLE || kind == TFP_PICKLE_DICT) return v;
    if (kind != TFP_PICKLE_CALL) return 0;
    if (tfp_pickle_pairs(w->m, v)) return v;
    tfp_pvalue state = tfp_pickle_state(w->m, v);
    bool module = tfp_str_begins(text_of(w, tfp_pickle_callee(w->m, v)), TFP_STR("__torch__."));
    if (!module) {
        if (tfp_map64_get(&w->states, state) != TFP_NONE) return 0; /* it is no module, or was visited */
        *ok = tfp_map64_put(&w->states, state, 1);
        module = tfp_pickle_member(w->m, state, w->modules) || tfp_pickle_member(w->m, state, w->parameters);
    }
    return module && tfp_pickle_kind_of(state) == TFP_PICKLE_DICT ? state : 0;
}

static tfp_status enter(walk *w, tfp_pvalue v, tfp_error *err)
{
    bool ok = true;
    tfp_pvalue at = container_of(w, v, &ok);
    if (!ok) return tfp_nomem(err);
    if (!at || tfp_map64_get(&w->seen, at) != TFP_NONE) return TFP_OK;
    if (w->stack.size >= DEPTH_MOST) {
        w->too_deep = true;
        return TFP_OK;
    }
    tfp_pickle_kind kind = tfp_pickle_kind_of(at);
    frame f = { at, 0, w->name.size, kind != TFP_PICKLE_LIST && kind != TFP_PICKLE_TUPLE };
    return tfp_map64_put(&w->seen, at, 1) && tfp_push(&w->stack, f) ? TFP_OK : tfp_nomem(err);
}

/* Adds the key to the name; false: the key cannot be part of a name. */
static bool add_name(walk *w, tfp_pvalue key)
{
    int64_t number;
    if (is_nameless(w, key)) return true;
    if (w->name.size) tfp_buf_char(&w->name, '.');
    if (tfp_pickle_kind_of(key) == TFP_PICKLE_TEXT)
        tfp_buf_str(&w->name, text_of(w, key));
    else if (tfp_pickle_kind_of(key) == TFP_PICKLE_INT && tfp_pickle_int(w->m, key, &number))
        tfp_buf_int(&w->name, number);
    else
        return false;
    if (w->name.size > NAME_MOST) w->too_deep = true;
    return w->name.size <= NAME_MOST;
}

static tfp_status visit(walk *w, tfp_pvalue v, tfp_error *err)
{
    tensor t;
    bool optimizer = tfp_str_begins((tfp_str){ w->name.data ? w->name.data : "", w->name.size }, TFP_STR("optim"));
    return find_tensor(w, v, &t) ? add_tensor(w, &t, optimizer, err) : enter(w, v, err);
}

static tfp_status next_member(walk *w, tfp_error *err)
{
    frame *f = &w->stack.at[w->stack.size - 1];
    size_t count = f->pairs ? tfp_pickle_pairs(w->m, f->value) : tfp_pickle_count(w->m, f->value), i = f->next++;
    w->name.size = f->name_size;
    if (i >= count) {
        w->stack.size--;
        return TFP_OK;
    }
    if (f->pairs)
        return add_name(w, tfp_pickle_key(w->m, f->value, i)) ? visit(w, tfp_pickle_value(w->m, f->value, i), err)
                                                              : TFP_OK;
    if (w->name.size) tfp_buf_char(&w->name, '.');
    tfp_buf_int(&w->name, (int64_t)i);
    return visit(w, tfp_pickle_item(w->m, f->value, i), err);
}

tfp_status tfp_torch_add_values(tfp_builder *b, tfp_pickle *m, tfp_pvalue root, tfp_error *err)
{
    walk w = { .b = b, .m = m };
    w.modules = tfp_pickle_word(m, TFP_STR("_modules"));
    w.parameters = tfp_pickle_word(m, TFP_STR("_parameters"));
    w.buffers = tfp_pickle_word(m, TFP_STR("_buffers"));
    size_t before = b->p->weights->size;
    tfp_status s = w.modules && w.parameters && w.buffers ? visit(&w, root, err) : tfp_nomem(err);
    while (!s && w.stack.size) s = w.name.failed ? tfp_nomem(err) : next_member(&w, err);
    if (!s && w.too_deep)
        tfp_build_warn(b, "values nested over 100 deep, or with names over 4,096 characters, left out", TFP_STR(""));
    if (!s && b->p->weights->size == before) s = tfp_fail(err, TFP_BADFILE, "no tensor in what torch.save wrote");
    tfp_buf_free(&w.name);
    tfp_vec_free(&w.stack);
    tfp_map64_free(&w.seen);
    tfp_map64_free(&w.states);
    tfp_map64_free(&w.tensors);
    return s ? s : tfp_builder_status(b, err);
}
