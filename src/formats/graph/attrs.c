// SPDX-License-Identifier: Apache-2.0
/* formats/graph/attrs.c: decodes an AttrValue to a number, a text, a shape, a tensor or a list of these. In: the
 * message's bytes. Out: a tfp_program_attr; nothing in it points into the input. Message layout:
 * tensorflow/core/framework/attr_value.proto, tensor_shape.proto, tensor.proto. */
#include "base/dtype.h"

#include "formats/graph/attrs.h"
#include "wire/proto.h"

typedef struct decoder {
    tfp_arena *arena;
    bool no_memory, fault;
} decoder;

static void *ok(decoder *d, void *memory)
{
    d->no_memory |= !memory;
    return memory;
}

static tfp_str copied(decoder *d, tfp_str text)
{
    const char *copy = ok(d, tfp_arena_copy(d->arena, text));
    return copy ? (tfp_str){ copy, text.size } : (tfp_str){ "", 0 };
}

/* DataType; the reference types of TensorFlow 1 are the plain types plus 100. */
static int plain_type(uint64_t dtype)
{
    return dtype > 2 * TFP_DT_REF ? 0 : (int)(dtype > TFP_DT_REF ? dtype - TFP_DT_REF : dtype);
}

static double real_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float real;
    memcpy(&real, &low, sizeof real);
    return (double)real;
}

/* ---- shapes ---- */

static int64_t decode_dim(decoder *d, tfp_str bytes)
{
    int64_t size = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1 && f.type == TFP_VARINT) size = (int64_t)f.value;
    d->fault |= w.fault != NULL;
    return size < 0 ? TFP_DIM_UNKNOWN : size;
}

/* Decodes a TensorShapeProto. A shape whose rank TensorFlow refuses counts as unknown. */
static tfp_dims decode_shape(decoder *d, tfp_str bytes)
{
    int64_t dims[TFP_RANK_MOST];
    int rank = 0;
    bool any = false;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f) && !any;) {
        if (f.number == 3 && f.type == TFP_VARINT) any = f.value != 0;
        if (f.number != 2 || f.type != TFP_BYTES) continue;
        any |= rank == TFP_RANK_MOST;
        if (!any) dims[rank++] = decode_dim(d, f.bytes);
    }
    if (w.fault || any) return TFP_ANY_DIMS;
    if (!rank) return TFP_SCALAR_DIMS;
    int64_t *at = ok(d, TFP_NEW(d->arena, int64_t, (size_t)rank));
    if (!at) return TFP_ANY_DIMS;
    memcpy(at, dims, (size_t)rank * sizeof *at);
    return (tfp_dims){ rank, at };
}

/* ---- tensors ---- */

static const tfp_attr_tensor *decode_tensor(decoder *d, tfp_str bytes)
{
    tfp_attr_tensor *t = ok(d, TFP_NEW(d->arena, tfp_attr_tensor, 1));
    if (!t) return NULL;
    t->shape = TFP_SCALAR_DIMS;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT) t->dtype = (int)f.value;
        if (f.number == 2 && f.type == TFP_BYTES) t->shape = decode_shape(d, f.bytes);
    }
    d->fault |= w.fault != NULL;
    if (bytes.size <= TFP_PROGRAM_TENSOR_MAX) t->proto = copied(d, bytes);
    return t;
}

/* ---- functions ---- */

/* The name in a NameAttrList. */
static tfp_str decode_function(decoder *d, tfp_str bytes)
{
    tfp_str name = { "", 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1 && f.type == TFP_BYTES) name = f.bytes;
    return copied(d, name);
}

/* ---- lists: AttrValue.ListValue ---- */

static bool is_number(uint32_t field) { return field == 3 || field == 5 || field == 6; } /* i, b, type */

/* Adds the numbers of one field, packed or not; while `list` has no room yet they are only counted. */
static void add_numbers(tfp_wire *w, const tfp_field *f, tfp_attr_list *list)
{
    uint64_t value;
    bool reals = f->number == 4;
    for (tfp_packed p = tfp_packed_start(w, f, reals ? TFP_FIXED32 : TFP_VARINT); tfp_packed_next(w, &p, &value);) {
        list->size++;
        size_t at = reals ? list->real_count++ : list->number_count++;
        if (reals && list->reals) list->reals[at] = real_of(value);
        if (!reals && list->numbers) list->numbers[at] = f->number == 6 ? plain_type(value) : (int64_t)value;
    }
}

static void add_members(decoder *d, tfp_wire w, tfp_attr_list *list)
{
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (is_number(f.number) || f.number == 4) {
            add_numbers(&w, &f, list);
            continue;
        }
        list->size++;
        if (f.type != TFP_BYTES) continue;
        size_t at;
        switch (f.number) {
        case 2:
            at = list->text_count++;
            if (list->texts) list->texts[at] = copied(d, f.bytes);
            break;
        case 7:
            at = list->shape_count++;
            if (list->shapes) list->shapes[at] = decode_shape(d, f.bytes);
            break;
        case 9:
            at = list->function_count++;
            if (list->functions) list->functions[at] = decode_function(d, f.bytes);
            break;
        }
    }
    d->fault |= w.fault != NULL;
}

/* Goes through the list twice: first to count its members, then to store them. */
static const tfp_attr_list *decode_list(decoder *d, tfp_str bytes)
{
    tfp_attr_list count = { 0 }, *list = ok(d, TFP_NEW(d->arena, tfp_attr_list, 1));
    add_members(d, tfp_wire_start(bytes), &count);
    if (!list || d->fault) return list;
#define ROOM(type, n) ((n) ? ok(d, TFP_NEW(d->arena, type, n)) : NULL)
    list->numbers = ROOM(int64_t, count.number_count);
    list->reals = ROOM(double, count.real_count);
    list->texts = ROOM(tfp_str, count.text_count);
    list->shapes = ROOM(tfp_dims, count.shape_count);
    list->functions = ROOM(tfp_str, count.function_count);
#undef ROOM
    if (!d->no_memory) add_members(d, tfp_wire_start(bytes), list);
    return list;
}

/* ---- the value ---- */

/* Finds the last field, which is the one that counts in a oneof. */
static bool last_field(tfp_str value, tfp_field *out)
{
    bool found = false;
    tfp_wire w = tfp_wire_start(value);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if ((f.number >= 1 && f.number <= 8) || f.number == 10) *out = f, found = true;
    return found && !w.fault;
}

bool tfp_decode_attr(tfp_str value, tfp_arena *arena, tfp_program_attr *out)
{
    decoder d = { arena, false, false };
    tfp_field f = { 0 };
    static const tfp_wire_type types[] = { TFP_GROUP,  TFP_BYTES, TFP_BYTES, TFP_VARINT, TFP_FIXED32, TFP_VARINT,
                                           TFP_VARINT, TFP_BYTES, TFP_BYTES, TFP_GROUP,  TFP_BYTES };
    out->kind = TFP_ATTR_NONE;
    if (!last_field(value, &f) || f.type != (uint32_t)types[f.number]) return true;
    switch ((tfp_attr_kind)f.number) {
    case TFP_ATTR_NONE: break;
    case TFP_ATTR_LIST: out->list = decode_list(&d, f.bytes); break;
    case TFP_ATTR_TEXT: out->text = copied(&d, f.bytes); break;
    case TFP_ATTR_INT: out->number = (int64_t)f.value; break;
    case TFP_ATTR_REAL: out->real = real_of(f.value); break;
    case TFP_ATTR_BOOL: out->number = f.value != 0; break;
    case TFP_ATTR_TYPE: out->number = plain_type(f.value); break;
    case TFP_ATTR_SHAPE: out->shape = decode_shape(&d, f.bytes); break;
    case TFP_ATTR_TENSOR: out->tensor = decode_tensor(&d, f.bytes); break;
    case TFP_ATTR_FUNCTION: out->text = decode_function(&d, f.bytes); break;
    }
    out->kind = d.fault || d.no_memory ? TFP_ATTR_NONE : (tfp_attr_kind)f.number;
    return !d.no_memory;
}
