// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/class.c: the class of a trace's event: host op, API call, annotation or device activity; its name and
 * its place in the model. Events that agree in everything on which this depends share a class, which is found by a
 * hash. */
#include "formats/xplane/parts.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"
#include "query/order.h"

/* ---- the program of an event ---- */

typedef struct facts { /* stats of the event and its metadata; the event's own come first */
    const tfp_xvalue *flops, *bytes, *source, *stack;
    tfp_strid tf_op, name, hlo_op, hlo_module, details;
    bool copy_details, set_details;
    uint64_t program;
    int64_t ordinal;
    bool has_program, has_call, of_graph;
} facts;

static void take(tfp_xreader *r, facts *f, const tfp_xvalue *v)
{
    switch (v->known) {
    case XS_TF_OP:
        if (!f->tf_op) f->tf_op = tfp_xplane_strid(r, v);
        break;
    case XS_HLO_OP:
        if (!f->hlo_op) f->hlo_op = tfp_xplane_strid(r, v);
        break;
    case XS_HLO_MODULE:
        if (!f->hlo_module) f->hlo_module = tfp_xplane_strid(r, v);
        break;
    case XS_PROGRAM_ID:
        if (!f->has_program && v->type == TFP_STAT_INT) {
            f->program = (uint64_t)v->number;
            f->has_program = true;
        }
        break;
    case XS_DEVICE_ORDINAL:
        if (v->type == TFP_STAT_INT) f->ordinal = v->number;
        break;
    case XS_NAME:
        if (!f->name) f->name = tfp_xplane_strid(r, v);
        break;
    case XS_KERNEL_DETAILS:
    case XS_COPY_DETAILS:
    case XS_SET_DETAILS:
        if (!f->details) f->details = tfp_xplane_strid(r, v);
        f->copy_details |= v->known == XS_COPY_DETAILS;
        f->set_details |= v->known == XS_SET_DETAILS;
        break;
    case XS_FLOPS:
        if (!f->flops) f->flops = v;
        break;
    case XS_BYTES_ACCESSED:
        if (!f->bytes) f->bytes = v;
        break;
    case XS_SOURCE:
        if (!f->source) f->source = v;
        break;
    case XS_SOURCE_STACK:
        if (!f->stack) f->stack = v;
        break;
    case XS_CORRELATION_ID: f->has_call = true; break;
    default: f->of_graph |= v->key == r->graph_id; break;
    }
}

tfp_strid tfp_xplane_running(const tfp_xplane *p, int64_t at_ns)
{
    size_t low;
    TFP_LOWER_BOUND(low, 0, p->runs.size, p->runs.at[low].start_ns <= at_ns);
    return low && p->runs.at[low - 1].end_ns >= at_ns ? p->runs.at[low - 1].module : 0;
}

typedef struct program {    /* the instruction of an event in a program of the file */
    tfp_hlo_module *module; /* NULL: the file has no such program */
    uint32_t row;           /* index in its instructions; TFP_NONE: none */
} program;

static tfp_hlo_module *find_module(const tfp_xreader *r, const facts *f, tfp_strid name)
{
    uint32_t at = f->has_program ? tfp_map64_get(&r->programs.by_number, f->program) : TFP_NONE;
    if (at == TFP_NONE && name) at = tfp_map64_get(&r->programs.by_name, name);
    return at == TFP_NONE ? NULL : &r->programs.modules.at[at];
}

/* ---- call stacks of TPU events: "FILE:LINE:COLUMN" a line, outermost first; or "FILE:LINE" alone ---- */

#define FRAMES_MOST 128

static bool digits(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] < '0' || s.data[i] > '9') return false;
    return s.size > 0 && s.size < 10;
}

static size_t last_colon(tfp_str s)
{
    while (s.size > 0 && s.data[s.size - 1] != ':') s.size--;
    return s.size; /* the position after it */
}

static bool frame_of(tfp_xreader *r, tfp_str line, tfp_code_frame *out)
{
    size_t at = last_colon(line);
    tfp_str number = { line.data + at, line.size - at };
    if (at < 2 || !digits(number)) return false;
    tfp_str file = { line.data, at - 1 };
    size_t before = last_colon(file);
    tfp_str other = { file.data + before, file.size - before };
    if (before >= 2 && digits(other)) { /* the previous number was a column */
        number = other;
        file.size = before - 1;
    }
    int64_t n = 0;
    tfp_parse_int64(number, &n);
    *out = (tfp_code_frame){ .file = tfp_build_string(r->b, file), .line = (int32_t)n };
    return true;
}

static uint32_t trace_of_text(tfp_xreader *r, tfp_str text)
{
    tfp_code_frame frames[FRAMES_MOST];
    size_t count = 0;
    while (text.size && count < FRAMES_MOST) {
        tfp_str line = tfp_str_cut_line(&text);
        if (frame_of(r, line, &frames[count])) count++;
    }
    return tfp_build_trace(r->b, frames, count);
}

static uint32_t trace_of(tfp_xreader *r, const facts *f, const tfp_hlo_module *m, uint32_t instruction)
{
    uint32_t trace = TFP_NONE;
    if (m && instruction != TFP_NONE) trace = tfp_hlo_trace(r->b, m, &m->instructions.at[instruction]);
    if (trace == TFP_NONE && f->stack) trace = trace_of_text(r, tfp_xplane_text(r, f->stack));
    if (trace == TFP_NONE && f->source) trace = trace_of_text(r, tfp_xplane_text(r, f->source));
    return trace;
}

/* ---- what it is ---- */

static int8_t memory_kind(tfp_str name)
{
    if (tfp_str_eq(name, TFP_STR("MemoryAllocation"))) return 1;
    return tfp_str_eq(name, TFP_STR("MemoryDeallocation")) ? -1 : 0;
}

/* Classifies a host event. Its kind may still change with its duration: without one it is no annotation. `what`: what
 * its instruction does. */
static void classify_host(tfp_xreader *r, tfp_xclass *c, const tfp_xmeta *m, const facts *f, tfp_strid what)
{
    c->name = m->name;
    c->kind = TFP_SPAN_ANNOTATION;
    c->path = m->name;
    c->memory = memory_kind(tfp_text(r->p, m->name));
    if (f->has_call) {
        c->kind = TFP_SPAN_CALL;
        c->path = c->op = m->name;
    } else if (f->hlo_op) {
        c->kind = TFP_SPAN_OP;
        c->name = f->hlo_op;
        c->class = tfp_xplane_class_of(XL_HOST, TFP_STR(""), tfp_text(r->p, what));
    } else if (m->op) {
        c->kind = TFP_SPAN_OP;
        c->path = m->op;
        c->op = m->op_type;
        if (tfp_str_begins(tfp_text(r->p, c->op), TFP_STR("Collective"))) c->class = TFP_CLASS_COMMUNICATION;
    } else {
        tfp_step_name step;
        c->begins_step = tfp_is_keras_step(tfp_text(r->p, m->name));
        c->names_step = tfp_step_name_of(tfp_text(r->p, m->name), &step);
    }
}

static tfp_strid async_name(tfp_xreader *r, tfp_strid instruction)
{
    tfp_buf name = { 0 };
    tfp_buf_str(&name, tfp_text(r->p, instruction));
    tfp_buf_text(&name, " (async)");
    return tfp_build_composed(r->b, &name);
}

static void classify_device(tfp_xreader *r, tfp_xclass *c, const tfp_xmeta *m, const facts *f, tfp_strid what)
{
    tfp_xline_kind line = (tfp_xline_kind)c->key.line_kind;
    c->name = line == XL_OPS || line == XL_ASYNC ? m->instruction : m->name;
    if (line == XL_MODULES || line == XL_SHOWN) {
        c->kind = TFP_SPAN_OTHER;
        return;
    }
    c->kind = TFP_SPAN_ACTIVITY;
    c->class = tfp_xplane_class_of(line, tfp_text(r->p, c->name), tfp_text(r->p, what));
    if (c->class == TFP_CLASS_COMPUTE && f->copy_details) c->class = TFP_CLASS_COPY;
    if (c->class == TFP_CLASS_COMPUTE && f->set_details) c->class = TFP_CLASS_SET;
    if (line == XL_ASYNC) c->name = async_name(r, c->name);
}

/* What an instruction does: its opcode; for a part of an asynchronous operation, the opcode of the computation that its
 * start calls. */
static tfp_strid opcode_of(const tfp_xreader *r, const tfp_hlo_module *m, uint32_t row)
{
    for (unsigned depth = 0; depth < 4; depth++) { /* done, update, start, and the called computation */
        const tfp_hlo_instruction *i = &m->instructions.at[row];
        if (!tfp_str_begins(tfp_text(r->p, i->opcode), TFP_STR("async-"))) return i->opcode;
        uint32_t called = i->called_count ? m->links.at[i->called_first] : TFP_NONE;
        uint32_t next = called != TFP_NONE ? m->computations.at[called].root
                        : i->operand_count ? m->links.at[i->operand_first]
                                           : TFP_NONE;
        if (next == TFP_NONE) return i->opcode;
        row = next;
    }
    return m->instructions.at[row].opcode;
}

/* What the event's instruction does. Newer JAX names a collective after its own operation ("psum.7"), so the program in
 * the file is asked first. Where the program is not clear, as a fusion may contain a collective, the instruction's name
 * decides. */
static tfp_strid what_it_does(const tfp_xreader *r, const program *g, tfp_strid instruction)
{
    static const char *const open[] = { "fusion", "call", "custom-call", "async-start", "async-update", "async-done" };
    tfp_strid opcode = g->row == TFP_NONE ? 0 : opcode_of(r, g->module, g->row);
    for (size_t i = 0; opcode && i < sizeof open / sizeof *open; i++)
        if (tfp_str_eq(tfp_text(r->p, opcode), tfp_str_of(open[i]))) return instruction;
    return opcode ? opcode : instruction;
}

/* Adds stats of the metadata that the reader does not use itself. */
static void add_meta_stats(tfp_xreader *r, const tfp_xplane *p, const tfp_xmeta *m)
{
    for (uint32_t i = 0; i < m->value_count; i++) {
        tfp_stat s;
        const tfp_xvalue *v = &p->values.at[m->value_first + i];
        if (v->known == XS_OTHER && tfp_xplane_stat(r, v, &s)) tfp_build_keep(r->b, tfp_push(&r->classes.stats, s));
    }
}

/* Whether it is a name that XLA gives to everything that it runs on a GPU, which tells no place. */
static bool is_module_word(tfp_str name)
{
    if (name.size && name.data[name.size - 1] == ':') name.size--;
    return !name.size || tfp_str_eq(name, TFP_STR("XlaModule")) || tfp_str_eq(name, TFP_STR("TSL:XlaModule")) ||
           tfp_str_eq(name, TFP_STR("Thunk"));
}

/* The framework's name of an activity or a thunk. */
static tfp_strid op_name_of(const tfp_xreader *r, const facts *f, const program *g, bool host)
{
    if (f->tf_op && !is_module_word(tfp_text(r->p, f->tf_op))) return f->tf_op;
    if (f->name && !host && tfp_text(r->p, f->name).size) return f->name;
    return g->row == TFP_NONE ? 0 : g->module->instructions.at[g->row].op_name;
}

static program program_of(tfp_xreader *r, tfp_xclass *c, const facts *f, tfp_strid instruction, int64_t start_ns)
{
    tfp_xline_kind line = (tfp_xline_kind)c->key.line_kind;
    program g = { find_module(r, f, f->hlo_module), TFP_NONE };
    c->module = f->hlo_module ? f->hlo_module : g.module ? g.module->name : 0;
    if (!c->module && (line == XL_OPS || line == XL_ASYNC)) {
        c->module = tfp_xplane_running(&r->planes.at[c->plane], start_ns);
        g.module = find_module(r, f, c->module);
    }
    if (g.module && instruction) g.row = tfp_hlo_find(g.module, instruction);
    return g;
}

static void place(tfp_xreader *r, tfp_xclass *c, const facts *f, const program *g, tfp_strid instruction)
{
    bool host = c->key.line_kind == XL_HOST, stream = tfp_xline_is_stream((tfp_xline_kind)c->key.line_kind);
    tfp_strid op_name = op_name_of(r, f, g, host);
    bool placed = host ? c->kind == TFP_SPAN_OP && f->hlo_op : c->kind == TFP_SPAN_ACTIVITY && (op_name || instruction);
    if (!placed && stream) c->path = c->op = tfp_build_string(r->b, TFP_STR("(no op)"));
    if (!placed) return;
    if (g->module) g->module->ran = true;
    tfp_hlo_where w =
        tfp_hlo_place_of(r->b, tfp_text(r->p, op_name), tfp_text(r->p, c->module), tfp_text(r->p, instruction));
    c->path = w.path;
    c->op = w.op;
    c->trace = trace_of(r, f, g->module, g->row);
    if (c->trace != TFP_NONE) tfp_build_has(r->b, TFP_HAS_CODE);
}

static void classify(tfp_xreader *r, tfp_xclass *c, const facts *f, int64_t start_ns)
{
    const tfp_xplane *p = &r->planes.at[c->plane];
    const tfp_xmeta *m = &p->metas.at[c->key.meta];
    tfp_xline_kind line = (tfp_xline_kind)c->key.line_kind;
    tfp_strid instruction = line == XL_OPS || line == XL_ASYNC ? m->instruction : f->hlo_op;
    program g = program_of(r, c, f, instruction, start_ns);
    tfp_strid what = what_it_does(r, &g, instruction);
    if (line == XL_HOST)
        classify_host(r, c, m, f, what);
    else
        classify_device(r, c, m, f, what);
    if (c->kind == TFP_SPAN_OP && c->class == TFP_CLASS_COMMUNICATION) c->marks |= TFP_MARK_COLLECTIVE;
    bool buffer = tfp_xline_is_stream(line) && tfp_xplane_in_buffer(r, g.module, g.row, f->hlo_op, f->of_graph);
    if (!buffer) place(r, c, f, &g, instruction); /* otherwise the join finds out which instruction it is */
    if (buffer && g.module) g.module->ran = true;
    if (tfp_xline_is_stream(line) && c->module && !buffer) c->instruction = f->hlo_op;
    c->stat_first = (uint32_t)r->classes.stats.size;
    if (c->kind != TFP_SPAN_OTHER) {
        tfp_xplane_put_text(r, "hlo_op", instruction);
        tfp_xplane_put_text(r, "hlo_module", c->module);
        tfp_xplane_put_text(r,
                            f->set_details    ? "memset_details"
                            : f->copy_details ? "memcpy_details"
                                              : "kernel_details",
                            f->details);
        tfp_xplane_put_text(r, "name", f->name);
        if (f->ordinal >= 0) tfp_xplane_put_number(r, "device_ordinal", f->ordinal);
        tfp_xplane_put_details(r, f->details);
        tfp_xplane_put_work(r, &(tfp_xtold){ f->flops, f->bytes }, g.module, g.row, instruction);
        if (buffer && f->has_program) tfp_xplane_put_number(r, "program_id", (int64_t)f->program);
        add_meta_stats(r, p, m);
    }
    c->stat_count = (uint32_t)r->classes.stats.size - c->stat_first;
    c->stats = tfp_build_stats(r->b, c->stat_count ? r->classes.stats.at + c->stat_first : NULL, c->stat_count);
}

/* ---- one class for equal events ---- */

static bool same(const tfp_xclass *c, uint32_t plane, const tfp_xclass_key *key)
{
    return c->plane == plane && memcmp(&c->key, key, sizeof *key) == 0;
}

uint32_t tfp_xplane_classify(tfp_xreader *r, uint32_t plane, uint32_t line_kind, uint32_t meta, int64_t start_ns)
{
    const tfp_xvalue *values = r->event.values.at;
    size_t count = r->event.values.size;
    facts f = { .ordinal = -1 };
    tfp_xplane *p = &r->planes.at[plane];
    tfp_xmeta *m = &p->metas.at[meta];
    for (size_t i = 0; i < count; i++) take(r, &f, &values[i]);
    tfp_xclass_key key;
    memset(&key, 0, sizeof key); /* padding too, because the key is compared byte by byte */
    key.meta = meta;
    key.line_kind = line_kind | (unsigned)f.has_call << 8 | (unsigned)f.of_graph << 9;
    key.tf_op = f.tf_op;
    key.name = f.name;
    key.hlo_op = f.hlo_op;
    key.hlo_module = f.hlo_module;
    key.details = f.details;
    key.program = f.program + f.has_program; /* plus 1, because 0 is a valid program */
    key.ordinal = f.ordinal;
    bool by_time = !f.hlo_module && (line_kind == XL_OPS || line_kind == XL_ASYNC) && p->runs.size;
    if (by_time) key.hlo_module = tfp_xplane_running(p, start_ns);
    if (m->last_class != TFP_NONE && same(&r->classes.list.at[m->last_class], plane, &key)) return m->last_class;
    uint64_t hash = tfp_hash(&key, sizeof key) + plane;
    for (;; hash++) {
        uint32_t at = tfp_map64_get(&r->classes.by_hash, hash);
        if (at == TFP_NONE) break;
        if (same(&r->classes.list.at[at], plane, &key)) return m->last_class = at;
    }
    tfp_xclass c = {
        .key = key, .plane = plane, .trace = TFP_NONE, .stats = TFP_NONE, .compact = { TFP_NONE, TFP_NONE }
    };
    for (uint32_t i = 0; i < m->value_count; i++) take(r, &f, &p->values.at[m->value_first + i]);
    c.key.line_kind = line_kind;
    classify(r, &c, &f, start_ns);
    c.key = key;
    uint32_t at = (uint32_t)r->classes.list.size;
    if (!tfp_build_keep(r->b, tfp_push(&r->classes.list, c) && tfp_map64_put(&r->classes.by_hash, hash, at)))
        return TFP_NONE;
    return m->last_class = at;
}
