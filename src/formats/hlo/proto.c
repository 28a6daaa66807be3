// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/proto.c: reads the bytes of an HloProto as an HLO module (formats/hlo/hlo.h). Message layout:
 * xla/service/hlo.proto, xla/xla_data.proto. */
#include "formats/hlo/hlo.h"
#include "model/tables/profile.h"

typedef struct reader {
    tfp_builder *b;
    tfp_hlo_module *m;
} reader;

static tfp_strid text(reader *r, tfp_wire *w, const tfp_field *f)
{
    return tfp_build_string(r->b, tfp_field_bytes(w, f));
}

/* ---- shapes ---- */

#define SHAPE_DEPTH 32 /* levels of nested tuples; deeper ones are left out */

/* Reads a ShapeProto; tuples are flattened without recursion. Returns an index in shapes. */
static uint32_t read_shape(reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_hlo_module *m = r->m;
    tfp_hlo_shape s = { .first = (uint32_t)m->arrays.size };
    tfp_wire levels[SHAPE_DEPTH];
    tfp_hlo_array arrays[SHAPE_DEPTH];
    size_t depth = 1;
    levels[0] = tfp_field_message(outer, field);
    arrays[0] = (tfp_hlo_array){ .dim_first = (uint32_t)m->dims.size };
    while (depth && !r->b->status) {
        tfp_wire *w = &levels[depth - 1];
        tfp_hlo_array *a = &arrays[depth - 1];
        tfp_field f = { 0 };
        uint64_t v;
        if (!tfp_wire_next(w, &f)) {
            if (a->type != TFP_HLO_TUPLE) tfp_build_keep(r->b, tfp_push(&m->arrays, *a));
            tfp_wire_join(depth > 1 ? &levels[depth - 2] : outer, w, "shape");
            depth--;
        } else if (f.number == 2) {
            a->type = (uint32_t)tfp_field_uint(w, &f);
            if (a->type == TFP_HLO_TUPLE) s.tuple = true;
        } else if (f.number == 3) {
            if (!a->dim_count) a->dim_first = (uint32_t)m->dims.size;
            for (tfp_packed p = tfp_packed_start(w, &f, TFP_VARINT); tfp_packed_next(w, &p, &v);)
                if (tfp_build_keep(r->b, tfp_push(&m->dims, (int64_t)v))) a->dim_count++;
        } else if (f.number == 4 && depth < SHAPE_DEPTH) {
            levels[depth] = tfp_field_message(w, &f);
            arrays[depth++] = (tfp_hlo_array){ .dim_first = (uint32_t)m->dims.size };
        }
    }
    s.count = (uint32_t)m->arrays.size - s.first;
    return tfp_build_keep(r->b, tfp_push(&m->shapes, s)) ? (uint32_t)m->shapes.size - 1 : TFP_NONE;
}

/* ---- instructions ---- */

/* OpMetadata */
static void read_metadata(reader *r, tfp_wire *outer, const tfp_field *field, tfp_hlo_instruction *i)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: i->op_type = text(r, &w, &f); break;
        case 2: i->op_name = text(r, &w, &f); break;
        case 3: i->file = text(r, &w, &f); break;
        case 4: i->line = tfp_field_int32(&w, &f); break;
        case 15: i->frame = (uint32_t)tfp_field_uint(&w, &f); break;
        }
    }
    tfp_wire_join(outer, &w, "metadata");
}

/* Window: the product of its sizes */
static void read_window(tfp_wire *outer, const tfp_field *field, tfp_hlo_instruction *i)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire d = tfp_field_message(&w, &f);
        int64_t size = 0;
        for (tfp_field g; tfp_wire_next(&d, &g);)
            if (g.number == 1) size = tfp_field_int(&d, &g);
        tfp_wire_join(&w, &d, "window");
        i->work.window = size < 0 ? 0 : tfp_mul(i->work.window, size, NULL);
    }
    tfp_wire_join(outer, &w, "window");
}

static void read_convolution(tfp_wire *outer, const tfp_field *field, tfp_hlo_instruction *i)
{
    tfp_wire w = tfp_field_message(outer, field);
    i->work.kernel_input = 0; /* protobuf does not write the number 0 */
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 3) i->work.kernel_input = tfp_field_int32(&w, &f);
    tfp_wire_join(outer, &w, "convolution_dimension_numbers");
}

static void read_dot(reader *r, tfp_wire *outer, const tfp_field *field, tfp_hlo_instruction *i)
{
    uint64_t v;
    tfp_wire w = tfp_field_message(outer, field);
    i->work.contract_first = (uint32_t)r->m->numbers.size;
    i->work.contract_count = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v);)
            if (tfp_build_keep(r->b, tfp_push(&r->m->numbers, (int64_t)v))) i->work.contract_count++;
    }
    tfp_wire_join(outer, &w, "dot_dimension_numbers");
}

/* Reads numbers into `ids`, which is parallel to `links`. */
static void read_ids(reader *r, tfp_wire *w, const tfp_field *f, uint32_t *count)
{
    uint64_t v;
    for (tfp_packed p = tfp_packed_start(w, f, TFP_VARINT); tfp_packed_next(w, &p, &v);)
        if (tfp_build_keep(r->b, tfp_push(&r->m->ids, (int64_t)v))) (*count)++;
}

static void read_fft(tfp_wire *w, const tfp_field *f, tfp_hlo_instruction *i)
{
    uint64_t v;
    for (tfp_packed p = tfp_packed_start(w, f, TFP_VARINT); tfp_packed_next(w, &p, &v);)
        i->work.fft_points = tfp_mul(i->work.fft_points ? i->work.fft_points : 1, (int64_t)v, NULL);
}

/* Operands and called computations are stored contiguously, but a file may mix them, so the fields are read twice. */
static void read_links(reader *r, tfp_wire w, tfp_hlo_instruction *i)
{
    tfp_wire again = w;
    i->operand_first = (uint32_t)r->m->ids.size;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 36) read_ids(r, &w, &f, &i->operand_count);
    i->called_first = (uint32_t)r->m->ids.size;
    for (tfp_field f; tfp_wire_next(&again, &f);)
        if (f.number == 38) read_ids(r, &again, &f, &i->called_count);
}

/* Reads a LiteralProto: the single integer of a scalar. */
static void read_literal(tfp_wire *outer, const tfp_field *field, tfp_hlo_instruction *i)
{
    uint64_t v;
    size_t count = 0;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number < 4 || f.number > 7) continue; /* s32s, s64s, u32s, u64s */
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v); count++)
            i->constant.value = (int64_t)v;
    }
    i->constant.has_value = count == 1;
    tfp_wire_join(outer, &w, "literal");
}

static uint8_t direction_of(tfp_str name)
{
    if (tfp_str_eq(name, TFP_STR("LT"))) return TFP_HLO_LT;
    return tfp_str_eq(name, TFP_STR("LE")) ? TFP_HLO_LE : 0;
}

static void read_instruction(reader *r, tfp_wire *outer, const tfp_field *field, uint32_t computation)
{
    tfp_wire w = tfp_field_message(outer, field);
    tfp_hlo_instruction i = {
        .work.window = 1, .work.kernel_input = -1, .trips = -1, .shape = TFP_NONE, .parameter = -1, .index = 0
    };
    i.computation = computation;
    read_links(r, w, &i);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: i.name = text(r, &w, &f); break;
        case 2: i.opcode = text(r, &w, &f); break;
        case 3: i.shape = read_shape(r, &w, &f); break;
        case 7: read_metadata(r, &w, &f, &i); break;
        case 8: read_literal(&w, &f, &i); break;
        case 13: i.index = tfp_field_int32(&w, &f); break;
        case 9: i.parameter = tfp_field_int32(&w, &f); break;
        case 11: i.custom = tfp_str_eq(tfp_field_bytes(&w, &f), TFP_STR("kCustom")); break;
        case 15: read_window(&w, &f, &i); break;
        case 16: read_convolution(&w, &f, &i); break;
        case 28: i.target = text(r, &w, &f); break;
        case 30: read_dot(r, &w, &f, &i); break;
        case 32: read_fft(&w, &f, &i); break;
        case 35: i.id = tfp_field_int(&w, &f); break;
        case 36:
        case 38: break; /* done in read_links */
        case 63: i.direction = direction_of(tfp_field_bytes(&w, &f)); break;
        case 43: i.trips = tfp_hlo_trips(i.config = tfp_field_bytes(&w, &f)); break;
        }
    }
    tfp_wire_join(outer, &w, "instruction");
    /* protobuf does not write the number 0 */
    if (i.parameter < 0 && tfp_str_eq(tfp_text(r->b->p, i.opcode), TFP_STR("parameter"))) i.parameter = 0;
    tfp_build_keep(r->b, tfp_push(&r->m->instructions, i));
}

/* HloComputationProto */
static tfp_status read_computation(reader *r, tfp_wire w, tfp_error *err)
{
    tfp_hlo_module *m = r->m;
    tfp_hlo_computation c = { .first = (uint32_t)m->instructions.size, .root = TFP_NONE };
    uint32_t index = (uint32_t)m->computations.size;
    for (tfp_field f; !r->b->status && tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: c.name = text(r, &w, &f); break;
        case 2: read_instruction(r, &w, &f, index); break;
        case 5: c.id = tfp_field_int(&w, &f); break;
        case 6: c.root_id = tfp_field_int(&w, &f); break;
        }
    }
    c.count = (uint32_t)m->instructions.size - c.first;
    tfp_build_keep(r->b,
                   m->instructions.size < TFP_NONE / 2 && m->ids.size < TFP_NONE / 2 && tfp_push(&m->computations, c));
    tfp_status s = tfp_wire_end(&w, err);
    return s ? s : tfp_builder_status(r->b, err);
}

/* ---- call stacks: StackFrameIndexProto ---- */

static void read_place(reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_hlo_place p = { 0 };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: p.file = (uint32_t)tfp_field_uint(&w, &f); break;
        case 2: p.function = (uint32_t)tfp_field_uint(&w, &f); break;
        case 3: p.line = tfp_field_int32(&w, &f); break;
        }
    }
    tfp_wire_join(outer, &w, "file_locations");
    tfp_build_keep(r->b, tfp_push(&r->m->places, p));
}

static void read_frame(reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_hlo_frame frame = { 0 };
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) frame.place = (uint32_t)tfp_field_uint(&w, &f);
        if (f.number == 2) frame.parent = (uint32_t)tfp_field_uint(&w, &f);
    }
    tfp_wire_join(outer, &w, "stack_frames");
    tfp_build_keep(r->b, tfp_push(&r->m->frames, frame));
}

static void read_frames(reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; !r->b->status && tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: tfp_build_keep(r->b, tfp_push(&r->m->files, text(r, &w, &f))); break;
        case 2: tfp_build_keep(r->b, tfp_push(&r->m->functions, text(r, &w, &f))); break;
        case 3: read_place(r, &w, &f); break;
        case 4: read_frame(r, &w, &f); break;
        }
    }
    tfp_wire_join(outer, &w, "stack_frame_index");
}

/* ---- the order in which it runs: HloScheduleProto ---- */

/* Reads the ids of a computation's instructions: InstructionSequence. */
static void read_sequence(reader *r, tfp_wire *outer, const tfp_field *field)
{
    uint64_t id;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &id);)
            if (!tfp_build_keep(r->b, r->m->schedule.size < TFP_NONE / 2 && tfp_push(&r->m->schedule, (int64_t)id)))
                break;
    }
    tfp_wire_join(outer, &w, "instruction_ids");
}

/* Reads a map: computation -> sequence. */
static void read_schedule(reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; !r->b->status && tfp_wire_next(&w, &f);) {
        if (f.number != 1) continue;
        tfp_wire entry = tfp_field_message(&w, &f);
        for (tfp_field e; !r->b->status && tfp_wire_next(&entry, &e);)
            if (e.number == 2) read_sequence(r, &entry, &e);
        tfp_wire_join(&w, &entry, "sequences");
    }
    tfp_wire_join(outer, &w, "schedule");
}

/* ---- the module: HloModuleProto ---- */

static tfp_status read_module(reader *r, tfp_wire w, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (tfp_field f; !s && tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: r->m->name = text(r, &w, &f); break;
        case 3: {
            tfp_wire inner = tfp_field_message(&w, &f);
            if (!w.fault)
                s = tfp_within(err, read_computation(r, inner, err), "computation %zu", r->m->computations.size);
            break;
        }
        case 5: r->m->id = tfp_field_int(&w, &f); break;
        case 6: r->m->entry_id = tfp_field_int(&w, &f); break;
        case 7: read_schedule(r, &w, &f); break;
        case 17: read_frames(r, &w, &f); break;
        }
    }
    return s ? s : tfp_wire_end(&w, err);
}

/* Whether it is the module itself: an HloProto holds its module as a message in field 1; an HloModuleProto begins with
 * its name, a text. */
static bool is_module(tfp_wire w)
{
    bool computations = false;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 3 || f.number == 6)
            computations |= (f.number == 3) == (f.type == TFP_BYTES);
        else if (f.number == 1 && f.type == TFP_BYTES && f.bytes.size && f.bytes.data[0] == '\n')
            return false;
    return computations;
}

tfp_status tfp_hlo_read_proto(tfp_builder *b, tfp_wire w, tfp_hlo_module *m, tfp_error *err)
{
    reader r = { b, m };
    *m = (tfp_hlo_module){ .entry = TFP_NONE };
    tfp_status s = TFP_OK;
    if (is_module(w)) {
        s = read_module(&r, w, err);
    } else {
        for (tfp_field f; !s && tfp_wire_next(&w, &f);) {
            if (f.number != 1) continue;
            tfp_wire inner = tfp_field_message(&w, &f);
            if (!w.fault) s = tfp_within(err, read_module(&r, inner, err), "hlo_module");
        }
        if (!s) s = tfp_wire_end(&w, err);
    }
    if (!s) s = tfp_hlo_complete(b, m, err);
    if (s) tfp_hlo_free(m);
    return s;
}
