// SPDX-License-Identifier: Apache-2.0
/* flops/params/parameters.c: which variables of a profile are the model's parameters. For a graph: its variable
 * operations (with signatures of a SavedModel only the variables that these use), each once, however many handles it
 * has. Whether they are trained comes from the object graph, from collections, from an op log's types, and from the
 * operations of optimizers. For a checkpoint alone: its variables, told apart by their names. In: a profile with a
 * program, or a checkpoint. Out: a kind and a count for each node. */
#include "base/dtype.h"

#include "flops/params/finder.h"
#include "model/builder.h"
#include "model/files/weights.h"
#include "model/program.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tensors.h"

#define TRAINABLE_TYPE TFP_STR("_trainable_variables")

/* ---- attributes ---- */

static int type_attr(const tfp_finder *f, const tfp_program_node *n, const char *name)
{
    const tfp_program_attr *a = tfp_program_attr_find(f->p, f->g, n, name);
    return a && a->kind == TFP_ATTR_TYPE ? (int)a->number : 0;
}

static tfp_str text_attr(const tfp_finder *f, const tfp_program_node *n, const char *name)
{
    const tfp_program_attr *a = tfp_program_attr_find(f->p, f->g, n, name);
    return a && a->kind == TFP_ATTR_TEXT ? a->text : (tfp_str){ "", 0 };
}

/* ---- which nodes are variables ---- */

/* The number of elements; -1: unknown or impossible. */
static int64_t elements_of(const tfp_profile *p, uint32_t shape)
{
    int64_t product = 1;
    bool clamped = false;
    if (shape == TFP_NONE || tfp_graph_of(p)->shapes.at[shape].count == 0) return -1;
    const tfp_shape *s = &tfp_graph_of(p)->shapes.at[shape];
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t d = tfp_graph_of(p)->dims.at[s->first + i];
        if (d < 0) return -1;
        product = tfp_mul(product, d, &clamped);
    }
    return clamped ? -1 : product;
}

/* A function's graph has a placeholder for each captured variable. */
static bool is_variable(const tfp_finder *f, const tfp_program_node *n)
{
    tfp_str op = tfp_text(f->p, n->op);
    if (tfp_is_word(op, "VarHandleOp VariableV2 Variable")) return true;
    return tfp_str_eq(op, TFP_STR("Placeholder")) && type_attr(f, n, "dtype") == TFP_DT_RESOURCE;
}

static void add_variable(tfp_finder *f, uint32_t i)
{
    const tfp_program_node *n = tfp_main_node(f, i);
    uint32_t node = tfp_named_node(f->p, n->name);
    if (node == TFP_NONE || !is_variable(f, n)) return;
    int dtype = type_attr(f, n, "dtype");
    bool held = dtype == TFP_DT_RESOURCE;
    tfp_model_variable v = { .name = tfp_text(f->p, n->name), .node = node, .dtype = held ? 0 : dtype, .elements = -1 };
    if (!held) v.elements = elements_of(f->p, tfp_graph_of(f->p)->nodes.at[node].shape);
    f->variable_of[i] = (uint32_t)f->all.size;
    if (!tfp_push(&f->all, v)) f->failed = true;
}

static uint32_t *none_each(tfp_finder *f, size_t count)
{
    uint32_t *rows = TFP_NEW(&f->arena, uint32_t, count);
    if (rows) memset(rows, 0xff, count * sizeof *rows); /* TFP_NONE */
    return rows;
}

static bool collect(tfp_finder *f)
{
    uint32_t count = tfp_main_graph(f)->node_count;
    f->node_of = none_each(f, tfp_strings_of(f->p)->count);
    f->variable_of = none_each(f, count);
    f->taken = TFP_NEW(&f->arena, bool, count);
    if (!f->node_of || !f->variable_of || !f->taken) return false;
    for (uint32_t i = 0; i < count; i++) {
        f->node_of[tfp_main_node(f, i)->name] = i;
        add_variable(f, i);
    }
    return !f->failed;
}

/* ---- the contents of captured variables: taken from the operations that read them ---- */

static void learn(tfp_finder *f, const tfp_program_node *n, uint32_t k, uint32_t shape, int dtype)
{
    const tfp_program_input *e = k < n->input_count ? tfp_input_of(f, n, k) : NULL;
    uint32_t at = e ? f->node_of[e->source] : TFP_NONE;
    uint32_t v = at == TFP_NONE ? TFP_NONE : f->variable_of[at];
    if (v == TFP_NONE || f->all.at[v].elements >= 0) return;
    f->all.at[v].elements = elements_of(f->p, shape);
    f->all.at[v].dtype = dtype;
}

/* Copies a call's facts about its arguments to the called function. */
static void learn_from_call(tfp_finder *f, const tfp_program_node *n)
{
    const tfp_program_attr *called = tfp_program_attr_find(f->p, f->g, n, "f");
    tfp_str name = called && called->kind == TFP_ATTR_FUNCTION ? called->text : (tfp_str){ "", 0 };
    tfp_strid id = name.size ? tfp_strtab_find(tfp_strings_of(f->p), name) : TFP_NONE;
    uint32_t body = id == TFP_NONE ? TFP_NONE : tfp_map64_get(&f->g->body_by_name, id);
    if (body == TFP_NONE) return;
    const tfp_program_body *b = &f->g->bodies.at[body];
    for (uint32_t k = 0; k < b->arg_count && k < n->input_count; k++) {
        const tfp_program_arg *arg = &f->g->args.at[b->arg_first + k];
        if (arg->handle_shape != TFP_NONE) learn(f, n, k, arg->handle_shape, arg->handle_dtype);
    }
}

static void learn_held(tfp_finder *f)
{
    bool unknown = false;
    for (size_t i = 0; i < f->all.size; i++) unknown |= f->all.at[i].elements < 0;
    for (uint32_t i = 0; unknown && i < tfp_main_graph(f)->node_count; i++) {
        const tfp_program_node *n = tfp_main_node(f, i);
        tfp_str op = tfp_text(f->p, n->op);
        uint32_t node = tfp_named_node(f->p, n->name);
        if (tfp_str_eq(op, TFP_STR("ReadVariableOp")) && node != TFP_NONE) {
            uint32_t output = tfp_graph_of(f->p)->nodes.at[node].output_first;
            if (output != TFP_NONE)
                learn(f, n, 0, tfp_graph_of(f->p)->outputs.at[output].shape, type_attr(f, n, "dtype"));
        } else {
            learn_from_call(f, n);
        }
    }
}

/* ---- signatures: only nodes that they use belong to the model ---- */

static bool is_model_signature(const tfp_finder *f, const tfp_program_signature *s)
{
    tfp_str key = tfp_text(f->p, s->key);
    return !tfp_str_eq(key, TFP_STR("__saved_model_init_op")) && !tfp_str_eq(key, TFP_STR("__saved_model_train_op"));
}

/* Marks all nodes that the outputs of signatures need. False when there is no signature. */
static bool mark_taken(tfp_finder *f)
{
    TFP_VEC(uint32_t) todo = { 0 };
    bool any = false;
    for (size_t i = 0; i < f->g->signatures.size; i++) {
        const tfp_program_signature *s = &f->g->signatures.at[i];
        uint32_t at = is_model_signature(f, s) ? f->node_of[s->node] : TFP_NONE;
        if (at == TFP_NONE) continue;
        any = true;
        if (!f->taken[at] && !tfp_push(&todo, at)) f->failed = true;
        f->taken[at] = true;
    }
    while (todo.size && !f->failed) {
        const tfp_program_node *n = tfp_main_node(f, todo.at[--todo.size]);
        for (uint32_t k = 0; k < n->input_count; k++) {
            const tfp_program_input *e = tfp_input_of(f, n, k);
            uint32_t at = e ? f->node_of[e->source] : TFP_NONE;
            if (at == TFP_NONE || f->taken[at]) continue;
            f->taken[at] = true;
            if (!tfp_push(&todo, at)) f->failed = true;
        }
    }
    tfp_vec_free(&todo);
    return any;
}

/* Drops variables that no signature uses, and second handles of one variable, which share a name. */
static void leave_out_others(tfp_finder *f)
{
    bool by_signature = mark_taken(f);
    tfp_map64 shared = { 0 };
    for (uint32_t i = 0; i < tfp_main_graph(f)->node_count && !f->failed; i++) {
        if (f->variable_of[i] == TFP_NONE) continue;
        tfp_model_variable *v = &f->all.at[f->variable_of[i]];
        if (by_signature && !f->taken[i]) v->kind = v->kind == TFP_SLOT ? TFP_SLOT : TFP_UNUSED;
        if (v->kind == TFP_UNUSED) continue;
        tfp_str name = text_attr(f, tfp_main_node(f, i), "shared_name");
        if (!name.size) continue;
        uint64_t key = tfp_hash(name.data, name.size);
        uint32_t before = tfp_map64_get(&shared, key);
        if (before != TFP_NONE && tfp_str_eq(text_attr(f, tfp_main_node(f, before), "shared_name"), name))
            v->kind = TFP_UNUSED;
        else if (before == TFP_NONE && !tfp_map64_put(&shared, key, i))
            f->failed = true;
    }
    tfp_map64_free(&shared);
}

/* ---- facts in the file about its variables ---- */

/* Variables that cannot be told apart, and the facts they agree on. Variables from collections have no type and no
 * shape. */
typedef struct stated_key {
    int64_t elements;
    tfp_strid name;
    int32_t dtype;
} stated_key;

typedef struct stated_row {
    stated_key key;
    bool trained, fixed;
    bool handled, counts; /* the graph has such a variable; it has one that is not left out */
} stated_row;

typedef struct stated {
    TFP_VEC(stated_row) rows;
    tfp_map64 row_of; /* hash of a key -> rows */
} stated;

static stated_row *stated_find(const stated *t, stated_key key)
{
    uint32_t at = tfp_map64_get(&t->row_of, tfp_hash(&key, sizeof key));
    if (at == TFP_NONE || memcmp(&t->rows.at[at].key, &key, sizeof key) != 0) return NULL;
    return &t->rows.at[at];
}

static bool stated_add(const tfp_finder *f, stated *t, const tfp_program_variable *v)
{
    stated_key key = { elements_of(f->p, v->shape), v->name, v->dtype };
    stated_row *row = stated_find(t, key);
    if (!row) {
        bool ok = tfp_push(&t->rows, ((stated_row){ .key = key })) &&
                  tfp_map64_put(&t->row_of, tfp_hash(&key, sizeof key), (uint32_t)t->rows.size - 1);
        if (!ok) return false;
        row = &t->rows.at[t->rows.size - 1];
    }
    row->trained |= v->trainable == TFP_TRAINABLE_YES;
    row->fixed |= v->trainable == TFP_TRAINABLE_NO;
    return true;
}

static void stated_free(stated *t)
{
    tfp_vec_free(&t->rows);
    tfp_map64_free(&t->row_of);
}

/* NULL when the file has no facts about such a variable. */
static stated_row *stated_of(const stated *t, tfp_strid name, const tfp_model_variable *v)
{
    if (name == TFP_NONE) return NULL;
    stated_row *row = stated_find(t, (stated_key){ v->elements, name, v->dtype });
    return row ? row : stated_find(t, (stated_key){ -1, name, 0 });
}

/* "kernel" for "kernel_1": handles of variables with equal names are numbered. */
static tfp_strid without_number(const tfp_finder *f, tfp_str name)
{
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9') size--;
    if (size < 2 || size == name.size || name.data[size - 1] != '_') return TFP_NONE;
    return tfp_strtab_find(tfp_strings_of(f->p), (tfp_str){ name.data, size - 1 });
}

/* Object graphs list every variable, so a handle that they lack (`whole`) is a second handle of a listed one.
 * Collections may be incomplete. */
static void hear_of(const tfp_finder *f, const stated *t, tfp_model_variable *v, bool whole)
{
    stated_row *row = stated_of(t, tfp_graph_of(f->p)->nodes.at[v->node].name, v);
    if (!row) row = stated_of(t, without_number(f, v->name), v);
    if (row) row->handled = true;
    if (row) row->counts |= v->kind != TFP_UNUSED;
    if (v->kind != TFP_NO_PARAMETER) return;
    if (!row && whole) v->kind = TFP_UNUSED;
    if (row && row->trained != row->fixed) v->kind = row->trained ? TFP_TRAINED : TFP_FIXED;
}

/* Elements of the file's variables of which every handle was left out: no signature uses them. False without memory. */
static bool find_idle(tfp_finder *f, const stated *t)
{
    TFP_VEC(tfp_model_variable) idle = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < t->rows.size; i++) {
        const stated_row *row = &t->rows.at[i];
        if (!row->handled || row->counts || row->key.elements <= 0) continue;
        ok = tfp_push(&idle, ((tfp_model_variable){ .name = tfp_text(f->p, row->key.name),
                                                    .node = TFP_NONE,
                                                    .dtype = row->key.dtype,
                                                    .elements = row->key.elements }));
    }
    ok = ok && tfp_variables_by_name(idle.at, idle.size);
    for (size_t i = 0; ok && i < idle.size; i++)
        if (idle.at[i].kind == TFP_NO_PARAMETER || idle.at[i].kind == TFP_TRAINED)
            f->idle = tfp_add(f->idle, idle.at[i].elements, NULL);
    tfp_vec_free(&idle);
    return ok;
}

static void hear(tfp_finder *f)
{
    stated t = { 0 };
    bool whole = f->g->has_objects;
    for (size_t i = 0; i < f->g->signatures.size; i++) whole &= !is_model_signature(f, &f->g->signatures.at[i]);
    for (size_t i = 0; i < f->g->variables.size && !f->failed; i++)
        f->failed = !stated_add(f, &t, &f->g->variables.at[i]);
    for (size_t i = 0; i < f->all.size && f->g->variables.size && !f->failed; i++) hear_of(f, &t, &f->all.at[i], whole);
    if (!f->failed) f->failed = !find_idle(f, &t);
    stated_free(&t);
}

/* An op log gives trainable variables a type. */
static void hear_types(tfp_finder *f)
{
    tfp_strid type = tfp_strtab_find(tfp_strings_of(f->p), TRAINABLE_TYPE);
    for (size_t i = 0; type != TFP_NONE && i < f->all.size; i++)
        for (TFP_EACH(tfp_graph_of(f->p)->types, t, tfp_graph_of(f->p)->nodes.at[f->all.at[i].node].type_first))
            if (tfp_graph_of(f->p)->types.at[t].name == type) f->all.at[i].kind = TFP_TRAINED;
}

/* ---- putting it together ---- */

static bool find_in_graph(tfp_finder *f)
{
    if (!collect(f)) return false;
    learn_held(f);
    tfp_mark_applied(f);
    if (!tfp_mark_updated(f)) return false;
    hear_types(f);
    if (!tfp_variables_by_name(f->all.at, f->all.size)) return false;
    leave_out_others(f);
    if (!f->failed) hear(f);
    return !f->failed;
}

static bool find_in_weights(tfp_finder *f, tfp_arena *arena, tfp_parameter_counts *out)
{
    static const tfp_parameter_kind kinds[] = {
        [TFP_WEIGHT_OF_MODEL] = TFP_PARAMETER,
        [TFP_WEIGHT_TRAINED] = TFP_TRAINED,
        [TFP_WEIGHT_FIXED] = TFP_FIXED,
        [TFP_WEIGHT_OF_OPTIMIZER] = TFP_SLOT,
    };
    out->bytes_of = TFP_NEW(arena, int64_t, tfp_graph_of(f->p)->nodes.size + 1);
    bool ok = out->bytes_of != NULL;
    for (size_t i = 0; ok && i < tfp_weights_of(f->p)->size; i++) {
        const tfp_weight *w = &tfp_weights_of(f->p)->at[i];
        tfp_model_variable v = { .name = tfp_text(f->p, tfp_graph_of(f->p)->nodes.at[w->node].name),
                                 .elements = w->elements };
        v.node = w->node;
        v.dtype = -1 - (int32_t)w->type;
        v.kind = kinds[w->kind];
        out->bytes_of[w->node] = w->bytes;
        ok = tfp_push(&f->all, v);
    }
    return ok;
}

static bool is_of_checkpoint(const tfp_profile *p) { return tfp_checkpoint_of(p) && tfp_has(p, TFP_HAS_VARIABLES); }

static bool find_in_checkpoint(tfp_finder *f)
{
    for (size_t i = 0; i < tfp_checkpoint_count(tfp_checkpoint_of(f->p)); i++) {
        tfp_model_variable v = { .name = tfp_checkpoint_name(tfp_checkpoint_of(f->p), i), .elements = -1 };
        v.node = tfp_find_node(f->p, v.name);
        if (v.node == TFP_NONE) continue;
        v.elements = elements_of(f->p, tfp_graph_of(f->p)->nodes.at[v.node].shape);
        v.dtype = tfp_checkpoint_dtype(tfp_checkpoint_of(f->p), i);
        if (!tfp_push(&f->all, v)) return false;
    }
    if (!tfp_variables_by_name(f->all.at, f->all.size)) return false;
    for (size_t i = 0; i < f->all.size; i++) f->trains |= f->all.at[i].kind == TFP_TRAINED;
    return true;
}

/* In a file that says which variables are trained, all others are not trained. */
static tfp_parameter_kind rest_kind(const tfp_finder *f) { return f->trains ? TFP_FIXED : TFP_PARAMETER; }

static void give(const tfp_finder *f, tfp_parameter_counts *out)
{
    out->idle = f->idle;
    for (size_t i = 0; i < f->all.size; i++) {
        const tfp_model_variable *v = &f->all.at[i];
        tfp_parameter_kind kind = v->kind == TFP_NO_PARAMETER ? rest_kind(f) : v->kind;
        bool counts = kind == TFP_TRAINED || kind == TFP_FIXED || kind == TFP_PARAMETER;
        int64_t elements = v->elements < 0 ? 0 : v->elements;
        out->elements_of[v->node] = elements;
        out->dtype[v->node] = v->dtype > TFP_DT_REF ? v->dtype - TFP_DT_REF : v->dtype;
        out->kinds[v->node] = (uint8_t)kind;
        out->elements[kind] = tfp_add(out->elements[kind], elements, &out->clamped);
        if (!counts) continue;
        out->own[v->node] = elements;
        out->total = tfp_add(out->total, elements, &out->clamped);
        out->unknown += v->elements < 0;
    }
}

tfp_status tfp_parameters(const tfp_profile *p, tfp_arena *arena, tfp_parameter_counts *out, tfp_error *err)
{
    tfp_finder f = { .p = p, .g = tfp_program_of(p) };
    *out = (tfp_parameter_counts){ .kinds = TFP_NEW(arena, uint8_t, tfp_graph_of(p)->nodes.size),
                                   .own = TFP_NEW(arena, int64_t, tfp_graph_of(p)->nodes.size),
                                   .elements_of = TFP_NEW(arena, int64_t, tfp_graph_of(p)->nodes.size),
                                   .dtype = TFP_NEW(arena, int32_t, tfp_graph_of(p)->nodes.size) };
    bool ok = out->kinds && out->own && out->elements_of && out->dtype;
    if (ok && tfp_weights_of(p)->size && (!f.g || f.g->onnx))
        ok = find_in_weights(&f, arena, out);
    else if (ok && f.g)
        ok = find_in_graph(&f);
    else if (ok && is_of_checkpoint(p))
        ok = find_in_checkpoint(&f);
    if (ok) give(&f, out);
    tfp_vec_free(&f.all);
    tfp_arena_free(&f.arena);
    return ok ? TFP_OK : tfp_nomem(err);
}

bool tfp_parameters_once(const tfp_profile *p)
{
    return (tfp_program_of(p) && tfp_program_of(p)->saved_model) || tfp_has(p, TFP_HAS_VARIABLES);
}

const char *const *tfp_parameter_types(tfp_parameter_kind kind)
{
    static const char *const types[TFP_PARAMETER_KINDS][3] = {
        [TFP_TRAINED] = { "_model_variables", "_trainable_variables" },
        [TFP_FIXED] = { "_model_variables", "_non_trainable_variables" },
        [TFP_PARAMETER] = { "_model_variables" },
        [TFP_SLOT] = { "_optimizer_variables" },
        [TFP_BOOKKEEPING] = { "_bookkeeping_variables" },
    };
    return types[kind];
}

tfp_status tfp_parameters_mark(tfp_builder *b, tfp_error *err)
{
    tfp_arena arena = { 0 };
    tfp_parameter_counts counts;
    if (!is_of_checkpoint(b->p) && !tfp_weights_of(b->p)->size) return TFP_OK;
    tfp_status s = tfp_parameters(b->p, &arena, &counts, err);
    for (uint32_t i = 0; !s && i < tfp_graph_of(b->p)->nodes.size; i++)
        for (const char *const *type = tfp_parameter_types((tfp_parameter_kind)counts.kinds[i]); *type; type++)
            tfp_build_type(b, i, tfp_build_string(b, tfp_str_of(*type)));
    tfp_arena_free(&arena);
    return s ? s : tfp_builder_status(b, err);
}
