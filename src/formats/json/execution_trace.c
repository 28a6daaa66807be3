// SPDX-License-Identifier: Apache-2.0
/* formats/json/execution_trace.c: PyTorch's execution trace (ExecutionTraceObserver), the form that Chakra's tools read
 * too. In: an object with `schema` and `nodes`; each node is a call with its arguments and outputs. Tensors are [id,
 * storage, offset, elements, bytes, device]. In schemas 1.0.0 and 1.0.1 a node's lists of values, shapes and types and
 * its attributes are members; from 1.0.2 on they are in `inputs`, `outputs` and `attrs`, and from 1.1.0 on `parent` is
 * called `ctrl_deps`. Layout: torch/csrc/profiler/standalone/execution_trace_observer.cpp. */
#include "formats/files/format.h"
#include "formats/json/text.h"
#include "model/builder.h"
#include "model/recorded.h"
#include "model/span_names.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

enum { DIMS = 64 };

/* Values, shapes and types; each list has one item per argument. */
typedef struct arguments {
    tfp_str values, shapes, types;
} arguments;

typedef struct reader {
    tfp_builder *b;
    tfp_recorded_op op;
    arguments in, out;
    tfp_recorded_texts texts;
    tfp_buf text;
    bool schema, nodes;
    int64_t unreadable;
    tfp_str all; /* the file */
    tfp_jresync sync;
    size_t first_broken;
} reader;

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    tfp_jscan j = tfp_jscan_start(head);
    tfp_jscan_text key;
    if (tfp_jscan_peek(&j) != '{') return 0;
    j.at++;
    if (!tfp_jscan_member(&j, true, &key) || !tfp_str_eq(key.raw, TFP_STR("schema"))) return 0;
    return tfp_str_has(head, TFP_STR("\"nodes\"")) ? 97 : 0;
}

/* ---- arguments ---- */

static uint32_t shape_of(reader *r, tfp_str shape)
{
    int64_t dims[DIMS];
    size_t count = 0;
    tfp_jscan j = tfp_jscan_start(shape);
    if (tfp_jscan_peek(&j) != '[') return TFP_NONE;
    j.at++;
    for (bool first = true; tfp_jscan_item(&j, first) && count < DIMS; first = false)
        if (tfp_jscan_integer(&j, &dims[count]) && dims[count] >= 0) count++;
    return tfp_build_shape(r->b, dims, count, count == 0);
}

/* Reads [id, storage, ...]. */
static void add_tensor(reader *r, tfp_str value, tfp_str shape, int32_t position, bool output)
{
    tfp_recorded_tensor t = { .position = position, .shape = TFP_NONE };
    tfp_jscan j = tfp_jscan_start(value);
    if (tfp_jscan_peek(&j) != '[') return;
    j.at++;
    if (!tfp_jscan_item(&j, true) || !tfp_jscan_unsigned(&j, &t.id) || !t.id) return;
    if (!tfp_jscan_item(&j, false) || !tfp_jscan_unsigned(&j, &t.storage) || !t.storage)
        return; /* an undefined tensor */
    if (output) t.shape = shape_of(r, shape);
    if (!tfp_build_keep(r->b,
                        r->b->p->recorded->tensors.size < TFP_NONE - 1 && tfp_push(&r->b->p->recorded->tensors, t)))
        return;
    *(output ? &r->op.output_count : &r->op.input_count) += 1;
}

static tfp_str raw_of(const tfp_jscan_value *v)
{
    return v->kind >= TFP_JSCAN_STRING ? v->text.raw : (tfp_str){ "", 0 };
}

/* Adds the tensors of a list; nested lists hold no tensors. */
static void add_list(reader *r, tfp_str values, tfp_str shapes, int32_t position, bool output)
{
    tfp_jscan v = tfp_jscan_start(values), s = tfp_jscan_start(shapes);
    if (tfp_jscan_peek(&v) != '[' || tfp_jscan_peek(&s) != '[') return;
    v.at++, s.at++;
    for (bool first = true; tfp_jscan_item(&v, first) && !r->b->status; first = false) {
        tfp_jscan_value value, shape = { 0 };
        tfp_jscan_value_of(&v, &value);
        if (tfp_jscan_item(&s, first)) tfp_jscan_value_of(&s, &shape);
        if (!v.fault && value.kind == TFP_JSCAN_ARRAY) add_tensor(r, raw_of(&value), raw_of(&shape), position, output);
    }
}

static void add_plain(tfp_buf *b, const tfp_jscan_value *v)
{
    if (v->kind == TFP_JSCAN_BOOL) tfp_buf_text(b, v->number ? "True" : "False");
    if (v->kind == TFP_JSCAN_INT) tfp_buf_int(b, v->number);
    if (v->kind == TFP_JSCAN_REAL) tfp_buf_printf(b, "%.17g", v->real);
}

/* Writes a number, or a list of numbers: "[2, 2]". Words, such as devices, are skipped. */
static void put_plain(reader *r, const tfp_jscan_value *v)
{
    bool list = v->kind == TFP_JSCAN_ARRAY;
    tfp_jscan j = tfp_jscan_start(raw_of(v));
    r->text.size = 0;
    if (list) tfp_buf_char(&r->text, *j.at++);
    for (bool first = true; list && tfp_jscan_item(&j, first); first = false) {
        tfp_jscan_value item;
        tfp_jscan_value_of(&j, &item);
        if (!first) tfp_buf_text(&r->text, ", ");
        add_plain(&r->text, &item);
    }
    if (list)
        tfp_buf_char(&r->text, ']');
    else
        add_plain(&r->text, v);
    tfp_str text = { r->text.data ? r->text.data : "", r->text.size };
    tfp_recorded_put(&r->texts, TFP_STR("[]"),
                     list        ? TFP_STR("ScalarList")
                     : text.size ? TFP_STR("Scalar")
                                 : TFP_STR(""),
                     text);
    tfp_build_keep(r->b, !r->text.failed);
}

static void add_argument(reader *r, tfp_str type, const tfp_jscan_value *v, tfp_str shape, int32_t position,
                         bool output)
{
    tfp_str tensor = TFP_STR("Tensor(");
    if (tfp_str_begins(type, TFP_STR("Tensor(nullptr"))) { /* an undefined tensor */
        if (!output) tfp_recorded_put(&r->texts, shape, TFP_STR(""), TFP_STR(""));
    } else if (tfp_str_begins(type, tensor)) {
        add_tensor(r, raw_of(v), shape, position, output);
        size_t end = type.size - (type.data[type.size - 1] == ')');
        if (!output)
            tfp_recorded_put(&r->texts, shape, (tfp_str){ type.data + tensor.size, end - tensor.size }, TFP_STR(""));
    } else if (tfp_str_has(type, tensor)) {
        add_list(r, raw_of(v), shape, position, output);
        if (!output) tfp_recorded_put(&r->texts, shape, TFP_STR("TensorList"), TFP_STR(""));
    } else if (!output) {
        put_plain(r, v);
    }
}

static void add_arguments(reader *r, const arguments *a, bool output)
{
    tfp_jscan v = tfp_jscan_start(a->values), s = tfp_jscan_start(a->shapes), t = tfp_jscan_start(a->types);
    if (!a->values.size || !a->types.size || tfp_jscan_peek(&v) != '[' || tfp_jscan_peek(&t) != '[') return;
    bool shapes = a->shapes.size && tfp_jscan_peek(&s) == '[';
    v.at++, s.at += shapes, t.at++;
    int32_t position = 0;
    for (bool first = true; tfp_jscan_item(&v, first) && !r->b->status; first = false) {
        tfp_jscan_value value, type = { 0 }, shape = { 0 };
        tfp_jscan_value_of(&v, &value);
        if (tfp_jscan_item(&t, first)) tfp_jscan_value_of(&t, &type);
        if (shapes && tfp_jscan_item(&s, first)) tfp_jscan_value_of(&s, &shape);
        tfp_str dims = shape.kind == TFP_JSCAN_ARRAY ? shape.text.raw : TFP_STR("[]");
        if (!v.fault) add_argument(r, raw_of(&type), &value, dims, position++, output);
    }
}

/* ---- calls ---- */

static void read_arguments_member(tfp_str object, arguments *out)
{
    tfp_jscan j = tfp_jscan_start(object);
    tfp_jscan_text key;
    j.at++;
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        tfp_jscan_value v;
        tfp_jscan_value_of(&j, &v);
        if (v.kind != TFP_JSCAN_ARRAY) continue;
        if (tfp_str_eq(key.raw, TFP_STR("values"))) out->values = v.text.raw;
        if (tfp_str_eq(key.raw, TFP_STR("shapes"))) out->shapes = v.text.raw;
        if (tfp_str_eq(key.raw, TFP_STR("types"))) out->types = v.text.raw;
    }
}

/* Takes a field that is a member in old schemas and an attribute in new ones. */
static void take_attribute(reader *r, tfp_str name, const tfp_jscan_value *v)
{
    if (v->kind != TFP_JSCAN_INT) return;
    if (tfp_str_eq(name, TFP_STR("rf_id"))) r->op.call = (uint64_t)v->number;
    if (tfp_str_eq(name, TFP_STR("tid"))) r->op.thread = v->number;
    if (tfp_str_eq(name, TFP_STR("scope"))) r->op.scope = v->number == 7; /* RecordScope::USER_SCOPE */
}

static void read_attributes(reader *r, tfp_str array)
{
    tfp_jscan j = tfp_jscan_start(array);
    tfp_jscan_text key;
    j.at++;
    for (bool first = true; tfp_jscan_item(&j, first); first = false) {
        tfp_str name = { "", 0 };
        tfp_jscan_value v = { 0 }, any;
        if (tfp_jscan_peek(&j) != '{') {
            tfp_jscan_skip(&j);
            continue;
        }
        j.at++;
        for (bool begin = true; tfp_jscan_member(&j, begin, &key); begin = false) {
            tfp_jscan_value_of(&j, &any);
            if (tfp_str_eq(key.raw, TFP_STR("name"))) name = raw_of(&any);
            if (tfp_str_eq(key.raw, TFP_STR("value"))) v = any;
        }
        take_attribute(r, name, &v);
    }
}

static void take_member(reader *r, tfp_str key, const tfp_jscan_value *v)
{
    static const struct {
        const char *key;
        size_t at;
    } lists[] = {
        { "inputs", offsetof(reader, in.values) },         { "input_shapes", offsetof(reader, in.shapes) },
        { "input_types", offsetof(reader, in.types) },     { "outputs", offsetof(reader, out.values) },
        { "output_shapes", offsetof(reader, out.shapes) }, { "output_types", offsetof(reader, out.types) },
    };
    for (size_t i = 0; v->kind == TFP_JSCAN_ARRAY && i < sizeof lists / sizeof *lists; i++)
        if (tfp_str_eq(key, tfp_str_of(lists[i].key))) *(tfp_str *)((char *)r + lists[i].at) = v->text.raw;
    if (v->kind == TFP_JSCAN_OBJECT && tfp_str_eq(key, TFP_STR("inputs"))) read_arguments_member(v->text.raw, &r->in);
    if (v->kind == TFP_JSCAN_OBJECT && tfp_str_eq(key, TFP_STR("outputs"))) read_arguments_member(v->text.raw, &r->out);
    if (v->kind == TFP_JSCAN_ARRAY && tfp_str_eq(key, TFP_STR("attrs"))) read_attributes(r, v->text.raw);
    if (v->kind == TFP_JSCAN_STRING && tfp_str_eq(key, TFP_STR("name"))) r->op.name = tfp_json_string(r->b, &v->text);
    take_attribute(r, key, v);
    if (v->kind != TFP_JSCAN_INT) return;
    if (tfp_str_eq(key, TFP_STR("id"))) r->op.id = (uint64_t)v->number;
    if (tfp_str_eq(key, TFP_STR("parent")) || tfp_str_eq(key, TFP_STR("ctrl_deps"))) r->op.parent = (uint64_t)v->number;
}

static void read_node(reader *r, tfp_jscan *j)
{
    tfp_jscan_text key;
    tfp_recorded_tables *t = r->b->p->recorded;
    r->op = (tfp_recorded_op){ .tensors = (uint32_t)t->tensors.size, .above = TFP_NONE, .node = TFP_NONE };
    r->in = r->out = (arguments){ { "", 0 }, { "", 0 }, { "", 0 } };
    j->at++;
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        tfp_jscan_value v;
        tfp_jscan_value_of(j, &v);
        if (!j->fault) take_member(r, key.raw, &v);
    }
    if (j->fault || r->b->status) return;
    r->unreadable += !r->op.id || !r->op.name;
    if (!r->op.id || !r->op.name) return;
    tfp_str name = tfp_text(r->b->p, r->op.name);
    r->op.root = tfp_str_begins(name, TFP_STR("[pytorch|profiler|execution_")) ||
                 tfp_str_begins(name, TFP_STR(TFP_PROFILER_STEP));
    add_arguments(r, &r->in, false);
    add_arguments(r, &r->out, true);
    tfp_recorded_take(r->b, &r->texts, &r->op);
    tfp_build_keep(r->b, t->ops.size < TFP_NONE - 1 && tfp_push(&t->ops, r->op));
}

/* Reads all nodes; those that are no JSON are left out and counted. */
static void read_nodes(reader *r, tfp_jscan *j)
{
    r->nodes = true;
    j->at++;
    for (bool first = true; !r->b->status;) {
        const char *item = j->at;
        if (!tfp_jscan_item(j, first) && !j->fault) return;
        if (!j->fault && tfp_jscan_peek(j) == '{') {
            read_node(r, j);
        } else if (!j->fault) {
            tfp_jscan_skip(j);
            r->unreadable++;
        }
        first = j->fault;
        if (!j->fault) continue;
        if (!r->sync.broken) r->first_broken = (size_t)(j->at - r->all.data);
        if (!tfp_jresync_recover(&r->sync, j, r->all, item)) return;
    }
}

/* Warns of what was left out; fails when that is more than the rest. */
static tfp_status tell_broken(reader *r, const tfp_jscan *j, size_t ops, tfp_error *err)
{
    tfp_buf place = { 0 };
    if (r->sync.broken > ops)
        return tfp_fail(err, TFP_BADFILE, "byte %zu: no JSON; %llu of %llu calls are broken", r->first_broken,
                        (unsigned long long)r->sync.broken, (unsigned long long)(r->sync.broken + ops));
    tfp_buf_printf(&place, "byte %zu", r->first_broken);
    if (r->sync.broken)
        tfp_build_warn_many(r->b, "broken calls (no JSON), left out",
                            (tfp_str){ place.data ? place.data : "", place.size }, (size_t)r->sync.broken);
    place.size = 0;
    if (j->commas) tfp_buf_printf(&place, "byte %zu", (size_t)(j->comma_at - r->all.data));
    if (j->commas)
        tfp_build_warn_many(r->b, "commas too many or missing", (tfp_str){ place.data ? place.data : "", place.size },
                            (size_t)j->commas);
    tfp_buf_free(&place);
    return TFP_OK;
}

static tfp_status read_object(reader *r, tfp_str text, tfp_error *err)
{
    tfp_jscan j = tfp_jscan_start(text);
    tfp_jscan_text key;
    size_t before = r->b->p->recorded->ops.size;
    r->all = text;
    r->sync.needs = "id";
    j.lenient = true;
    if (tfp_jscan_peek(&j) != '{') return tfp_fail(err, TFP_BADFILE, "no JSON object");
    j.at++;
    for (bool first = true; tfp_jscan_member(&j, first, &key) && !r->b->status; first = false) {
        if (tfp_str_eq(key.raw, TFP_STR("nodes")) && tfp_jscan_peek(&j) == '[') {
            read_nodes(r, &j);
            continue;
        }
        r->schema |= tfp_str_eq(key.raw, TFP_STR("schema"));
        tfp_jscan_skip(&j);
    }
    tfp_status s = tfp_builder_status(r->b, err);
    unsigned long long at = (unsigned long long)(j.at - text.data);
    if (s) return s;
    s = tell_broken(r, &j, r->b->p->recorded->ops.size - before, err);
    if (s) return s;
    if (j.fault == TFP_JSCAN_WRONG) return tfp_fail(err, TFP_BADFILE, "byte %llu: %s", at, j.wrong);
    if (j.fault) return tfp_fail(err, TFP_BADFILE, "cut short after byte %zu", text.size);
    if (!r->schema || !r->nodes)
        return tfp_fail(err, TFP_BADFILE, "no execution trace: it has no `schema` or no `nodes`");
    if (tfp_jscan_peek(&j)) return tfp_fail(err, TFP_BADFILE, "byte %llu: text after the end of the trace", at);
    return TFP_OK;
}

static tfp_status read_et(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b };
    tfp_str text;
    tfp_status s = tfp_input_all(in, &text, err);
    if (!s) s = read_object(&r, text, err);
    if (!s && r.unreadable) tfp_build_warn_many(b, "calls without an id or a name", TFP_STR(""), (size_t)r.unreadable);
    if (!s) tfp_build_keep(b, tfp_push(&b->p->recorded->files, (uint32_t)b->p->recorded->ops.size));
    tfp_recorded_texts_free(&r.texts);
    tfp_buf_free(&r.text);
    return s ? s : tfp_builder_status(b, err);
}

const tfp_format tfp_format_execution_trace = {
    .name = "execution_trace",
    .from = TFP_FROM_PYTORCH,
    .help = "execution trace of PyTorch (ExecutionTraceObserver): beside a trace the graph of its operators, alone a "
            "graph without times",
    .probe = probe,
    .read = read_et,
};
