// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/buffers.c: command buffers of XLA, which are CUDA or HIP graphs: all kernels of one have a single
 * launch, and their events name the buffer, not the instruction. In: the programs of the file. Out: for each buffer its
 * instructions in launch order (model/graphs.h), which the join compares with what ran. Older compilers make a buffer a
 * computation `command_buffer` and call it; newer ones make buffers of parts of the program, and the program does not
 * show them. Kernels are named as xla/service/gpu names them: the instruction's name with `_` for every character that
 * is no letter or digit. */
#include "formats/xplane/parts.h"
#include "model/graphs.h"
#include "model/graphs/parts.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"
#include "query/order.h"

#define BUFFER "command_buffer"

static bool is_opcode(const tfp_xreader *r, const tfp_hlo_instruction *i, const char *name)
{
    return tfp_str_eq(tfp_text(r->p, i->opcode), tfp_str_of(name));
}

/* The k-th computation that an instruction calls, or TFP_NONE. */
static uint32_t callee(const tfp_hlo_module *m, const tfp_hlo_instruction *i, uint32_t k)
{
    return k < i->called_count ? m->links.at[i->called_first + k] : TFP_NONE;
}

static bool is_buffer_name(tfp_str name) { return tfp_str_begins(name, TFP_STR(BUFFER)); }

/* The computation of the buffer that an instruction runs; TFP_NONE: it runs none. */
static uint32_t buffer_of(const tfp_xreader *r, const tfp_hlo_module *m, const tfp_hlo_instruction *i)
{
    uint32_t c = is_opcode(r, i, "call") ? callee(m, i, 0) : TFP_NONE;
    return c != TFP_NONE && is_buffer_name(tfp_text(r->p, m->computations.at[c].name)) ? c : TFP_NONE;
}

bool tfp_xplane_in_buffer(const tfp_xreader *r, const tfp_hlo_module *m, uint32_t row, tfp_strid hlo_op, bool of_graph)
{
    tfp_str name = tfp_text(r->p, hlo_op);
    if (!r->found.graph_launches) return false;
    if (m && row != TFP_NONE) return buffer_of(r, m, &m->instructions.at[row]) != TFP_NONE;
    return is_buffer_name(name) || (of_graph && (!hlo_op || tfp_str_begins(name, TFP_STR("call"))));
}

/* ---- names ---- */

static bool is_sign(char c) { return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')); }

/* Makes "loop_add_fusion_1" of "loop_add_fusion.1". */
static tfp_strid without_signs(tfp_xreader *r, tfp_strid id)
{
    tfp_str name = tfp_text(r->p, id);
    tfp_buf text = { 0 };
    for (size_t i = 0; i < name.size; i++) tfp_buf_char(&text, is_sign(name.data[i]) ? '_' : name.data[i]);
    return tfp_build_composed(r->b, &text);
}

/* ---- instructions ---- */

typedef struct level { /* a computation that is being flattened */
    uint32_t *rows;    /* its instructions in the order of the schedule */
    size_t count, at;
    bool optional, then_optional; /* whether the items of this computation, and of the one after it, are optional */
    uint32_t first;               /* of a loop: its first item in the buffer; TFP_NONE: no loop */
    uint32_t condition;           /* the last item of the loop's condition; TFP_NONE: none */
    uint32_t then;                /* the computation to flatten after this one; TFP_NONE: none */
} level;
enum { LEVELS = 16 };

typedef struct flattener {
    tfp_xreader *r;
    const tfp_hlo_module *m;
    tfp_command_buffer *to;
    level levels[LEVELS];
    size_t depth;
    size_t budget; /* how many more instructions may be added: a computation may be called from many places */
} flattener;

static bool runs_nothing(const tfp_xreader *r, const tfp_hlo_instruction *i)
{
    static const char *const names[] = {
        "bitcast",      "get-tuple-element",    "parameter",         "tuple",  "constant",
        "opt-barrier",  "optimization-barrier", "after-all",         "domain", "add-dependency",
        "partition-id", "replica-id",           "get-dimension-size"
    };
    tfp_str opcode = tfp_text(r->p, i->opcode);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (tfp_str_eq(opcode, tfp_str_of(names[k]))) return true;
    return tfp_str_ends(opcode, TFP_STR("-done")) || tfp_str_ends(opcode, TFP_STR("-update"));
}

static tfp_buffer_runs what_runs(const tfp_xreader *r, const tfp_hlo_instruction *i)
{
    if (is_opcode(r, i, "fusion")) return i->custom ? TFP_RUNS_EITHER : TFP_RUNS_OWN;
    if (is_opcode(r, i, "copy") || is_opcode(r, i, "copy-start")) return TFP_RUNS_COPY;
    return TFP_RUNS_LIBRARY;
}

/* The family of kernels of a library call, from the words that signs.c knows. */
static uint8_t family_of(tfp_xreader *r, const tfp_hlo_instruction *i)
{
    if (is_opcode(r, i, "dot")) return (uint8_t)tfp_family_of_kernel(TFP_STR("gemm"));
    if (tfp_str_begins(tfp_text(r->p, i->opcode), TFP_STR("collective-")))
        return (uint8_t)tfp_family_of_kernel(TFP_STR("nccl"));
    tfp_strid text = without_signs(r, i->target ? i->target : i->opcode);
    return (uint8_t)tfp_family_of_kernel(tfp_text(r->p, text));
}

/* Adds the names in a path before its last one as modules. */
static uint32_t modules_of(tfp_xreader *r, tfp_str path)
{
    uint32_t place = 0;
    for (size_t from = 0, at = 0; at < path.size; at++) {
        if (path.data[at] != '/') continue;
        tfp_str name = { path.data + from, at - from };
        if (name.size) place = tfp_graph_place_below(r->b, place, tfp_build_string(r->b, name));
        from = at + 1;
    }
    return place;
}

/* The common beginning of two paths, in whole names. */
static tfp_str shared_path(tfp_str a, tfp_str b)
{
    size_t at = 0, end = 0;
    while (at < a.size && at < b.size && a.data[at] == b.data[at])
        if (a.data[at++] == '/') end = at - 1;
    bool whole = (at == a.size || a.data[at] == '/') && (at == b.size || b.data[at] == '/');
    return (tfp_str){ a.data, whole ? at : end };
}

/* The framework's name of an instruction. A fusion without one gets the common part of the names inside, as XLA
 * annotates it. */
static tfp_str op_name_of(flattener *f, const tfp_hlo_instruction *i)
{
    tfp_str name = tfp_text(f->r->p, i->op_name);
    uint32_t inside = is_opcode(f->r, i, "fusion") ? callee(f->m, i, 0) : TFP_NONE;
    if (name.size || inside == TFP_NONE) return name;
    const tfp_hlo_computation *c = &f->m->computations.at[inside];
    if (c->count > f->budget) return name;
    f->budget -= c->count;
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        tfp_str other = tfp_text(f->r->p, f->m->instructions.at[k].op_name);
        if (!other.size || f->m->instructions.at[k].parameter >= 0) continue; /* a parameter has an argument's name */
        name = name.size ? shared_path(name, other) : other;
        if (!name.size) break;
    }
    return name;
}

static void add_item(flattener *f, uint32_t row, bool optional)
{
    tfp_xreader *r = f->r;
    const tfp_hlo_instruction *i = &f->m->instructions.at[row];
    tfp_str module = tfp_text(r->p, f->m->name);
    tfp_hlo_where w = tfp_hlo_place_of(r->b, op_name_of(f, i), module, tfp_text(r->p, i->name));
    tfp_buffer_item item = { .kernel = without_signs(r, i->name),
                             .path = w.path,
                             .op = w.op,
                             .modules = modules_of(r, tfp_text(r->p, w.path)),
                             .trace = tfp_hlo_trace(r->b, f->m, i),
                             .stats = tfp_xplane_work_stats(r, f->m, row),
                             .back = TFP_NONE,
                             .behind = TFP_NONE,
                             .runs = (uint8_t)what_runs(r, i),
                             .optional = optional };
    for (size_t k = 0; k < f->depth; k++) item.loops |= f->levels[k].first != TFP_NONE;
    tfp_str kernel = tfp_text(r->p, item.kernel), stem = tfp_kernel_stem(kernel);
    item.stem = stem.size == kernel.size ? item.kernel : tfp_build_string(r->b, stem);
    item.line = tfp_line_of_trace(r->b, item.trace);
    if (item.runs != TFP_RUNS_OWN) item.family = family_of(r, i);
    if (tfp_build_keep(r->b, tfp_push(&r->p->captures->items, item))) f->to->count++;
}

/* ---- computations, laid flat ---- */

static const tfp_sort_key scheduled_first[] = { TFP_UP(tfp_hlo_instruction, scheduled), { 0 } };

/* Enters a computation. False: it is nested too deep, or there are too many instructions. */
static bool enter(flattener *f, uint32_t computation, level with)
{
    if (computation == TFP_NONE || f->depth == LEVELS) return false;
    const tfp_hlo_computation *c = &f->m->computations.at[computation];
    if (c->count > f->budget) return false;
    f->budget -= c->count;
    with.rows = malloc((c->count + 1) * sizeof *with.rows);
    if (!tfp_build_keep(f->r->b, with.rows != NULL)) return false;
    with.count = c->count;
    for (uint32_t i = 0; i < c->count; i++) {
        with.rows[i] = c->first + i;
        if (!runs_nothing(f->r, &f->m->instructions.at[c->first + i]) && !f->m->instructions.at[c->first + i].scheduled)
            f->to->ordered = false;
    }
    f->levels[f->depth++] = with;
    return tfp_build_keep(f->r->b, tfp_order_items(with.rows, with.count, scheduled_first, f->m->instructions.at,
                                                   sizeof *f->m->instructions.at));
}

/* Enters a loop: its condition and body, repeated. The condition may be missing where the number of iterations is
 * known. */
static void enter_loop(flattener *f, const tfp_hlo_instruction *i, bool optional)
{
    uint32_t body = callee(f->m, i, 0), condition = callee(f->m, i, 1);
    level with = {
        .optional = true, .then_optional = optional, .first = f->to->count, .condition = TFP_NONE, .then = body
    };
    if (!enter(f, condition, with)) {
        with.optional = optional;
        with.then = TFP_NONE;
        enter(f, body, with);
    }
}

static void enter_branches(flattener *f, const tfp_hlo_instruction *i)
{
    level with = { .optional = true, .first = TFP_NONE, .condition = TFP_NONE, .then = TFP_NONE };
    for (uint32_t k = i->called_count; k-- > 0;) enter(f, callee(f->m, i, k), with);
}

/* Leaves a level at its end. */
static void leave(flattener *f)
{
    level done = f->levels[--f->depth];
    tfp_graph_tables *g = f->r->p->captures;
    uint32_t last = f->to->count ? f->to->count - 1 : TFP_NONE;
    free(done.rows);
    if (done.first == TFP_NONE || last == TFP_NONE || done.first > last) return;
    if (done.then != TFP_NONE) { /* after a loop's condition comes its body */
        level with = { .optional = done.then_optional, .first = done.first, .condition = last, .then = TFP_NONE };
        enter(f, done.then, with);
        return;
    }
    g->items.at[f->to->first + last].back = done.first;
    if (done.condition != TFP_NONE) g->items.at[f->to->first + done.condition].behind = last + 1;
}

static void lay_out(flattener *f, uint32_t row, bool optional)
{
    const tfp_hlo_instruction *i = &f->m->instructions.at[row];
    level inner = { .optional = optional, .first = TFP_NONE, .condition = TFP_NONE, .then = TFP_NONE };
    if (runs_nothing(f->r, i)) return;
    if (is_opcode(f->r, i, "while"))
        enter_loop(f, i, optional);
    else if (is_opcode(f->r, i, "conditional"))
        enter_branches(f, i);
    else if (is_opcode(f->r, i, "call") || is_opcode(f->r, i, "async-start"))
        enter(f, callee(f->m, i, 0), inner);
    else
        add_item(f, row, optional);
}

static void flatten(flattener *f, uint32_t computation)
{
    level all = { .first = TFP_NONE, .condition = TFP_NONE, .then = TFP_NONE };
    enter(f, computation, all);
    while (f->depth && !f->r->b->status) {
        level *top = &f->levels[f->depth - 1];
        if (top->at == top->count) {
            leave(f);
            continue;
        }
        uint32_t row = top->rows[top->at++];
        lay_out(f, row, top->optional);
    }
    while (f->depth) free(f->levels[--f->depth].rows); /* only left over after a fault */
}

/* ---- the buffers of a program ---- */

static void add_buffer(tfp_xreader *r, const tfp_hlo_module *m, uint64_t program, uint32_t computation,
                       tfp_strid caller)
{
    tfp_graph_tables *g = r->p->captures;
    tfp_command_buffer buffer = { .process = r->process,
                                  .module = m->name,
                                  .caller = caller,
                                  .program = program,
                                  .first = (uint32_t)g->items.size,
                                  .whole = caller != 0,
                                  .ordered = true };
    if (caller) buffer.name = without_signs(r, m->computations.at[computation].name);
    flattener f = { .r = r, .m = m, .to = &buffer, .budget = 4 * m->instructions.size + 1000 };
    flatten(&f, computation);
    if (buffer.count) tfp_build_keep(r->b, g->items.size < TFP_NONE / 2 && tfp_push(&g->buffers, buffer));
}

static void add_program(tfp_xreader *r, const tfp_hlo_module *m, uint64_t program)
{
    bool called = false;
    for (uint32_t i = 0; i < m->instructions.size && !r->b->status; i++) {
        uint32_t c = buffer_of(r, m, &m->instructions.at[i]);
        if (c != TFP_NONE) add_buffer(r, m, program, c, m->instructions.at[i].name);
        called |= c != TFP_NONE;
    }
    if (!called && m->entry != TFP_NONE) add_buffer(r, m, program, m->entry, 0);
}

void tfp_xplane_build_buffers(tfp_xreader *r)
{
    if (!r->found.graph_launches) return;
    for (size_t i = 0; i < r->programs.modules.size && !r->b->status; i++)
        add_program(r, &r->programs.modules.at[i], r->programs.numbers.at[i]);
}
