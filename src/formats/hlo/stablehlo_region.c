// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/stablehlo_region.c: values, instructions and regions of a StableHLO module. A region's instructions are
 * collected, and become a computation when it ends. */
#include "formats/hlo/stablehlo.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"

/* ---- values ---- */

int64_t tfp_shlo_new_value(tfp_shlo *r, uint32_t shape)
{
    tfp_shlo_value v = { shape, 0, 0 };
    return tfp_build_keep(r->b, tfp_push(&r->values, v)) ? (int64_t)r->values.size - 1 : TFP_SHLO_NONE;
}

void tfp_shlo_name_value(tfp_shlo *r, tfp_strid name, int64_t id)
{
    uint64_t key = (uint64_t)tfp_shlo_top(r)->scope << 32 | name;
    if (id >= 0 && name) tfp_build_keep(r->b, tfp_map64_put(&r->value_by_name, key, (uint32_t)id));
}

void tfp_shlo_name_results(tfp_shlo *r, int64_t id)
{
    const tfp_shlo_frame *f = tfp_shlo_top(r);
    if (f->names.size == 1 && id >= 0) tfp_shlo_name_value(r, f->names.at[0].name, id);
    if (f->names.size < 2 || id < 0) return;
    tfp_shlo_value whole = r->values.at[id];
    uint32_t part = 0;
    for (size_t i = 0; i < f->names.size && !r->b->status; i++) {
        tfp_shlo_result n = f->names.at[i];
        int64_t value = id; /* results whose types are missing stay one value */
        if (n.count <= whole.parts && part <= whole.parts - n.count) {
            value = whole.first_part + part;
            if (n.count > 1) { /* "%a:2, %b": a part of the results, of which "%a#1" names one */
                value = tfp_shlo_new_value(r, whole.shape);
                if (value >= 0) r->values.at[value].parts = n.count;
                if (value >= 0) r->values.at[value].first_part = whole.first_part + part;
            }
        }
        tfp_shlo_name_value(r, n.name, value);
        part += n.count;
    }
}

/* Looks up "%NAME" or "%NAME#2", from the innermost region outwards. */
static int64_t take_value(tfp_shlo *r, tfp_str *s)
{
    if (!tfp_shlo_take(s, "%")) return TFP_SHLO_NONE;
    tfp_strid name = tfp_build_string(r->b, tfp_shlo_word(s));
    int64_t part = tfp_shlo_take(s, "#") ? tfp_shlo_number(s) : -1;
    for (size_t i = r->frames.size; i-- > 0 && !r->b->status;) {
        uint32_t at = tfp_map64_get(&r->value_by_name, (uint64_t)r->frames.at[i].scope << 32 | name);
        if (at == TFP_NONE) continue;
        const tfp_shlo_value *v = &r->values.at[at];
        if (part < 0 || (part == 0 && !v->parts)) return at;
        return part < (int64_t)v->parts ? (int64_t)v->first_part + part : TFP_SHLO_NONE;
    }
    return TFP_SHLO_NONE;
}

/* ---- instructions ---- */

tfp_hlo_instruction tfp_shlo_instruction(tfp_shlo *r, tfp_strid opcode, uint32_t shape, int64_t id)
{
    return (tfp_hlo_instruction){ .id = id,
                                  .opcode = opcode,
                                  .shape = shape,
                                  /* an index in places, until places are resolved */
                                  .frame = r->place == TFP_NONE ? 0 : r->place + 1,
                                  .work.window = 1,
                                  .work.kernel_input = -1,
                                  .trips = -1,
                                  .parameter = -1,
                                  .index = -1,
                                  .operand_first = (uint32_t)r->m->ids.size,
                                  .called_first = (uint32_t)r->m->ids.size };
}

/* Makes a name such as "dot_general.7". */
tfp_strid tfp_shlo_numbered(tfp_shlo *r, tfp_str name, int64_t id)
{
    tfp_buf text = { 0 };
    tfp_buf_str(&text, name);
    tfp_buf_printf(&text, ".%lld", (long long)id);
    return tfp_build_composed(r->b, &text);
}

void tfp_shlo_push(tfp_shlo *r, tfp_hlo_instruction i)
{
    bool room = tfp_shlo_top(r)->instructions.size < TFP_NONE / 2;
    tfp_build_keep(r->b, room && tfp_push(&tfp_shlo_top(r)->instructions, i));
}

/* Adds an instruction that the text does not have: a tuple, or an element of one. */
int64_t tfp_shlo_push_made(tfp_shlo *r, tfp_str opcode, uint32_t shape, const int64_t *operands, size_t count,
                           int32_t index)
{
    int64_t id = tfp_shlo_new_value(r, shape);
    tfp_hlo_instruction i = tfp_shlo_instruction(r, tfp_build_string(r->b, opcode), shape, id);
    i.name = tfp_shlo_numbered(r, opcode, id);
    i.index = index;
    for (size_t k = 0; k < count && !r->b->status; k++)
        if (tfp_build_keep(r->b, tfp_push(&r->m->ids, operands[k]))) i.operand_count++;
    tfp_shlo_push(r, i);
    return id;
}

static uint32_t shape_of_part(tfp_shlo *r, uint32_t shape, uint32_t part)
{
    const tfp_hlo_shape *s = &r->m->shapes.at[shape];
    tfp_hlo_shape one = { s->first + part, 1, false };
    if (part >= s->count) return TFP_NONE;
    return tfp_build_keep(r->b, tfp_push(&r->m->shapes, one)) ? (uint32_t)r->m->shapes.size - 1 : TFP_NONE;
}

void tfp_shlo_push_parts(tfp_shlo *r, int64_t tuple, uint32_t shape, uint32_t count)
{
    r->values.at[tuple].first_part = (uint32_t)r->values.size;
    r->values.at[tuple].parts = count;
    for (uint32_t k = 0; k < count && !r->b->status; k++)
        tfp_shlo_push_made(r, TFP_STR("get-tuple-element"), shape_of_part(r, shape, k), &tuple, 1, (int32_t)k);
}

int64_t tfp_shlo_push_parameter(tfp_shlo *r, tfp_strid name, uint32_t shape, int32_t number)
{
    int64_t id = tfp_shlo_new_value(r, shape);
    tfp_hlo_instruction i = tfp_shlo_instruction(r, tfp_build_string(r->b, TFP_STR("parameter")), shape, id);
    i.name = name;
    i.parameter = number;
    tfp_shlo_push(r, i);
    return id;
}

/* ---- frames ---- */

bool tfp_shlo_open(tfp_shlo *r, int kind, tfp_strid name, bool loop)
{
    tfp_shlo_frame f = { .scope = r->scopes++, .name = name, .loop = loop, .op = TFP_NONE };
    f.kind = kind;
    return tfp_build_keep(r->b, tfp_push(&r->frames, f));
}

void tfp_shlo_free_frame(tfp_shlo_frame *f)
{
    tfp_vec_free(&f->instructions);
    tfp_vec_free(&f->roots);
    tfp_vec_free(&f->called);
    tfp_vec_free(&f->arguments);
    tfp_vec_free(&f->names);
}

/* Reads "%a: TYPE, %b: TYPE {...} loc(...)": the parameters of a computation; in a loop they are elements of one
 * parameter. */
void tfp_shlo_parameters(tfp_shlo *r, tfp_str s, int32_t *number)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    uint32_t before = r->place;
    f->arguments.size = 0;
    while (tfp_shlo_take(&s, "%") && !r->b->status) {
        tfp_shlo_name a = { tfp_build_string(r->b, tfp_shlo_word(&s)), TFP_NONE };
        size_t end = tfp_shlo_outside(s, ",)");
        tfp_str type = { s.data, end }, place = tfp_shlo_behind(type, " loc(");
        uint32_t count;
        r->place = place.size ? tfp_shlo_read_place(r, place) : TFP_NONE;
        type.size = tfp_shlo_outside(type, "{");
        if (tfp_shlo_take(&type, ":")) a.shape = tfp_shlo_types(r, &type, &count);
        if (f->loop)
            tfp_build_keep(r->b, tfp_push(&f->arguments, a));
        else
            tfp_shlo_name_value(r, a.name, tfp_shlo_push_parameter(r, a.name, a.shape, (*number)++));
        s = (tfp_str){ s.data + end, s.size - end };
        if (!tfp_shlo_take(&s, ",")) break;
    }
    r->place = before;
}

/* Adds one parameter, a tuple, whose elements have the names. */
void tfp_shlo_loop_parameters(tfp_shlo *r, const tfp_shlo_name *names, size_t count)
{
    tfp_hlo_shape shape = { .first = (uint32_t)r->m->arrays.size, .tuple = true };
    for (size_t i = 0; i < count && !r->b->status; i++) {
        const tfp_hlo_shape *s = names[i].shape == TFP_NONE ? NULL : &r->m->shapes.at[names[i].shape];
        tfp_hlo_array a = s && s->count == 1 ? r->m->arrays.at[s->first] : (tfp_hlo_array){ .type = TFP_HLO_OPAQUE };
        tfp_build_keep(r->b, tfp_push(&r->m->arrays, a));
    }
    shape.count = (uint32_t)r->m->arrays.size - shape.first;
    if (!tfp_build_keep(r->b, tfp_push(&r->m->shapes, shape))) return;
    uint32_t at = (uint32_t)r->m->shapes.size - 1;
    int64_t tuple = tfp_shlo_push_parameter(r, tfp_build_string(r->b, TFP_STR("state")), at, 0);
    if (r->b->status) return;
    tfp_shlo_push_parts(r, tuple, at, (uint32_t)count);
    for (size_t i = 0; i < count && !r->b->status; i++)
        tfp_shlo_name_value(r, names[i].name, (int64_t)(r->values.at[tuple].first_part + i));
}

/* Opens a region of the last operation. */
bool tfp_shlo_open_region(tfp_shlo *r)
{
    tfp_shlo_frame *owner = tfp_shlo_top(r);
    bool loop = tfp_str_eq(tfp_text(r->b->p, owner->instructions.at[owner->op].opcode), TFP_STR("while"));
    if (!tfp_shlo_open(r, TFP_SHLO_REGION, owner->instructions.at[owner->op].name, loop)) return false;
    owner = &r->frames.at[r->frames.size - 2];
    if (loop && owner->arguments.size) tfp_shlo_loop_parameters(r, owner->arguments.at, owner->arguments.size);
    return !r->b->status;
}

/* Closes a region: its instructions become a computation. Returns its id. */
int64_t tfp_shlo_close(tfp_shlo *r)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    uint32_t at = (uint32_t)r->m->computations.size;
    bool body = f->loop && r->frames.size > 1 && r->frames.at[r->frames.size - 2].called.size == 1;
    int64_t root = f->roots.size ? f->roots.at[0] : TFP_SHLO_NONE;
    if (f->roots.size > 1 || (body && f->roots.size))
        root = tfp_shlo_push_made(r, TFP_STR("tuple"), tfp_shlo_tuple(r, f->roots.at, f->roots.size), f->roots.at,
                                  f->roots.size, -1);
    f = tfp_shlo_top(r);
    tfp_hlo_computation c = { .name = f->name,
                              .id = f->kind == TFP_SHLO_FUNCTION ? (int64_t)f->name : TFP_SHLO_REGIONS + f->scope,
                              .root_id = root,
                              .first = (uint32_t)r->m->instructions.size,
                              .count = (uint32_t)f->instructions.size,
                              .root = TFP_NONE };
    for (size_t i = 0; i < f->instructions.size && !r->b->status; i++) {
        f->instructions.at[i].computation = at;
        tfp_build_keep(r->b, tfp_push(&r->m->instructions, f->instructions.at[i]));
    }
    tfp_build_keep(r->b, tfp_push(&r->m->computations, c));
    tfp_shlo_free_frame(f);
    r->frames.size--;
    return c.id;
}

/* Takes the values in a text, except those in quotes. In a while "%name = %value" names the arguments of its
 * regions. */
tfp_status tfp_shlo_operands(tfp_shlo *r, tfp_str s, bool loop, tfp_hlo_instruction *i, tfp_error *err)
{
    TFP_VEC(int64_t) ids = { 0 };
    tfp_status status = TFP_OK;
    while (s.size && !status && !r->b->status) {
        if (s.data[0] == '"') tfp_shlo_quoted(&s);
        if (!s.size || s.data[0] != '%') {
            if (s.size && s.data[0] != '"') s = (tfp_str){ s.data + 1, s.size - 1 };
            continue;
        }
        tfp_str whole = s, name = { s.data + 1, s.size - 1 };
        tfp_strid argument = loop ? tfp_build_string(r->b, tfp_shlo_word(&name)) : 0;
        bool named = loop && tfp_shlo_take(&name, "=");
        if (named) {
            tfp_shlo_blanks(&name);
            s = name;
        }
        int64_t id = take_value(r, &s);
        if (id < 0) status = tfp_shlo_fail(r, whole.data, err, "a value that no operation defines");
        if (status || !tfp_build_keep(r->b, tfp_push(&ids, id))) break;
        if (named)
            tfp_build_keep(
                r->b, tfp_push(&tfp_shlo_top(r)->arguments, ((tfp_shlo_name){ argument, r->values.at[id].shape })));
    }
    if (!status && loop && ids.size && !r->b->status) {
        int64_t tuple =
            tfp_shlo_push_made(r, TFP_STR("tuple"), tfp_shlo_tuple(r, ids.at, ids.size), ids.at, ids.size, -1);
        ids.at[0] = tuple;
        ids.size = 1;
    }
    i->operand_first = (uint32_t)r->m->ids.size;
    for (size_t k = 0; k < ids.size && !r->b->status; k++)
        if (tfp_build_keep(r->b, tfp_push(&r->m->ids, ids.at[k]))) i->operand_count++;
    i->called_first = (uint32_t)r->m->ids.size;
    tfp_vec_free(&ids);
    return status ? status : tfp_builder_status(r->b, err);
}
