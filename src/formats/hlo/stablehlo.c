// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/stablehlo.c: parses a StableHLO module line by line. A line is an operation, the beginning or end of a
 * region, a function, or a location. Nothing recurses: open regions are on a stack. An operation with several results
 * has a tuple as in HLO; a while takes and returns one. */
#include "formats/hlo/stablehlo.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"

/* ---- recognizing such a text ---- */

static bool begins(tfp_str s, const char *word)
{
    tfp_shlo_blanks(&s);
    return tfp_str_begins(s, tfp_str_of(word));
}

/* Whether the first line that is no comment or location begins a module or a function of MLIR. */
bool tfp_shlo_is(tfp_str head)
{
    while (head.size) {
        tfp_str line = tfp_str_cut_line(&head);
        tfp_shlo_blanks(&line);
        if (line.size && line.data[0] != '#' && line.data[0] != '\r' && !begins(line, "//"))
            return begins(line, "module @") || begins(line, "module {") || begins(line, "module attributes") ||
                   begins(line, "\"builtin.module\"") || begins(line, "func.func ");
    }
    return false;
}

/* ---- operations ---- */

enum { MOST_RESULTS = 1 << 20 }; /* of one operation */

/* The shape of the results, from "(T, T) -> T", "T", or "T, T", where the last or all are results. */
static uint32_t result_shape(tfp_shlo *r, tfp_str types, uint32_t results)
{
    uint32_t count;
    size_t arrow = 0, depth = 0;
    for (; arrow + 1 < types.size; arrow++) {
        char c = types.data[arrow];
        if (c == '-' && types.data[arrow + 1] == '>' && !depth) break;
        if (c == '(' || c == '<') depth++;
        if (depth && (c == ')' || c == '>')) depth--;
    }
    if (arrow + 1 < types.size)
        types = (tfp_str){ types.data + arrow + 2, types.size - arrow - 2 };
    else if (results < 2)
        for (size_t end; (end = tfp_shlo_outside(types, ",")) < types.size;)
            types = (tfp_str){ types.data + end + 1, types.size - end - 1 };
    tfp_shlo_blanks(&types);
    return tfp_shlo_types(r, &types, &count);
}

/* Completes the last operation: adds its types, and attributes in its head or after its regions. */
static void finish_op(tfp_shlo *r, tfp_str types)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    tfp_hlo_instruction *i = &f->instructions.at[f->op];
    i->shape = result_shape(r, types, f->results);
    if (r->b->status) return;
    r->values.at[i->id].shape = i->shape;
    if (f->results > 1 && r->m->shapes.at[i->shape].count >= f->results)
        tfp_shlo_push_parts(r, i->id, i->shape, f->results);
}

/* Sets the computations that the last operation calls. */
static void set_calls(tfp_shlo *r)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    tfp_hlo_instruction *i = &f->instructions.at[f->op];
    i->called_first = (uint32_t)r->m->ids.size;
    i->called_count = 0;
    for (size_t k = 0; k < f->called.size && !r->b->status; k++)
        if (tfp_build_keep(r->b, tfp_push(&r->m->ids, f->called.at[k]))) i->called_count++;
    f->called.size = 0;
}

/* "applies stablehlo.add": adds a function of two scalars, of the type of the operation's result. */
static void push_applied(tfp_shlo *r, tfp_str name)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    const tfp_hlo_instruction *owner = &f->instructions.at[f->op];
    const tfp_hlo_shape *result = &r->m->shapes.at[owner->shape];
    tfp_hlo_array a = { .type = result->count ? r->m->arrays.at[result->first].type : 0 };
    tfp_hlo_shape shape = { (uint32_t)r->m->arrays.size, 1, false };
    uint32_t at = (uint32_t)r->m->shapes.size;
    if (!tfp_build_keep(r->b, tfp_push(&r->m->arrays, a) && tfp_push(&r->m->shapes, shape)) || !tfp_shlo_open_region(r))
        return;
    tfp_strid argument = tfp_build_string(r->b, TFP_STR("argument"));
    int64_t both[] = { tfp_shlo_push_parameter(r, argument, at, 0), tfp_shlo_push_parameter(r, argument, at, 1) };
    tfp_strid opcode = tfp_shlo_opcode(r, name);
    int64_t root = tfp_shlo_push_made(r, tfp_text(r->b->p, opcode), at, both, 2, -1);
    if (r->b->status || !tfp_build_keep(r->b, tfp_push(&tfp_shlo_top(r)->roots, root))) return;
    int64_t function = tfp_shlo_close(r);
    if (tfp_build_keep(r->b, tfp_push(&tfp_shlo_top(r)->called, function))) set_calls(r);
}

/* Reads "%a:2 = " or "%a, %b = ": the names, and the number of results. */
static void read_results(tfp_shlo *r, tfp_str *s)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    tfp_str t = *s;
    f->results = 0;
    f->names.size = 0;
    while (f->results < MOST_RESULTS && tfp_shlo_take(&t, "%")) {
        tfp_strid name = tfp_build_string(r->b, tfp_shlo_word(&t));
        int64_t many = tfp_shlo_take(&t, ":") ? tfp_shlo_number(&t) : 1;
        if (many < 1 || many > MOST_RESULTS) many = 1;
        if (!tfp_build_keep(r->b, tfp_push(&f->names, ((tfp_shlo_result){ name, (uint32_t)many })))) return;
        f->results += (uint32_t)many;
        if (!tfp_shlo_take(&t, ",")) break;
    }
    if (f->names.size && tfp_shlo_take(&t, "="))
        *s = t;
    else
        f->names.size = 0;
}

static tfp_status read_return(tfp_shlo *r, tfp_str s, tfp_error *err)
{
    tfp_hlo_instruction none = { 0 };
    s.size = tfp_shlo_outside(s, ":");
    tfp_status status = tfp_shlo_operands(r, s, false, &none, err);
    tfp_shlo_frame *f = tfp_shlo_top(r);
    f->roots.size = 0;
    for (uint32_t k = 0; !status && k < none.operand_count && !r->b->status; k++)
        tfp_build_keep(r->b, tfp_push(&f->roots, r->m->ids.at[none.operand_first + k]));
    return status;
}

static bool is_return(tfp_str name)
{
    return tfp_str_eq(name, TFP_STR("return")) || tfp_str_eq(name, TFP_STR("func.return")) ||
           tfp_str_eq(name, TFP_STR("stablehlo.return")) || tfp_str_eq(name, TFP_STR("mhlo.return"));
}

/* Reads [RESULTS =] NAME TEXT : TYPES, or [RESULTS =] "NAME"(OPERANDS) TEXT ({ with types after the regions. */
static tfp_status read_op(tfp_shlo *r, tfp_error *err)
{
    tfp_str s = r->line, line = r->line;
    read_results(r, &s);
    tfp_shlo_blanks(&s);
    tfp_str name = s.size && s.data[0] == '"' ? tfp_shlo_quoted(&s) : tfp_shlo_word(&s);
    if (!name.size) return tfp_shlo_fail(r, s.data, err, "neither an operation nor a region");
    if (is_return(name)) return read_return(r, s, err);
    bool open = line.size > 2 && memcmp(line.data + line.size - 2, "({", 2) == 0;
    if (open) s.size -= s.size < 2 ? s.size : 2;
    size_t colon = open ? s.size : tfp_shlo_types_at(s);
    tfp_str head = { s.data, open || colon == s.size ? colon : colon - 1 }, types = { s.data + colon, s.size - colon };
    int64_t id = tfp_shlo_new_value(r, TFP_NONE);
    tfp_strid opcode = tfp_shlo_opcode(r, name);
    bool loop = tfp_str_eq(tfp_text(r->b->p, opcode), TFP_STR("while"));
    tfp_hlo_instruction i = tfp_shlo_instruction(r, opcode, TFP_NONE, id);
    i.name = tfp_shlo_numbered(r, tfp_shlo_own_name(name), id);
    tfp_shlo_top(r)->arguments.size = 0;
    tfp_status status = tfp_shlo_operands(r, head, loop, &i, err);
    if (status) return status;
    tfp_shlo_attributes(r, &i, name, head, types);
    tfp_shlo_frame *f = tfp_shlo_top(r);
    f->op = (uint32_t)f->instructions.size;
    f->called.size = 0;
    f->op_name = name;
    tfp_shlo_push(r, i);
    if (r->b->status) return tfp_builder_status(r->b, err);
    if (open) {
        if (r->frames.size > TFP_SHLO_DEEPEST) return tfp_shlo_fail(r, line.data, err, "regions nested too deeply");
        tfp_shlo_open_region(r);
        return tfp_builder_status(r->b, err);
    }
    finish_op(r, types);
    tfp_shlo_name_results(r, id);
    tfp_str applied = tfp_shlo_behind(head, " applies ");
    if (applied.size && !r->b->status) push_applied(r, tfp_shlo_word(&applied));
    return tfp_builder_status(r->b, err);
}

/* ---- regions ---- */

/* Reads "}" and what follows it: the operation's next region, or its types. */
static tfp_status close_frame(tfp_shlo *r, tfp_error *err)
{
    tfp_str s = r->line;
    tfp_shlo_take(&s, "}");
    if (!r->frames.size) return tfp_shlo_fail(r, r->line.data, err, "a region ends that did not begin");
    tfp_shlo_frame *f = tfp_shlo_top(r);
    if (f->kind == TFP_SHLO_MODULE) {
        tfp_shlo_free_frame(f);
        r->frames.size--;
        return TFP_OK;
    }
    bool function = f->kind == TFP_SHLO_FUNCTION;
    int64_t id = tfp_shlo_close(r);
    if (function || r->b->status) return tfp_builder_status(r->b, err);
    f = tfp_shlo_top(r);
    tfp_build_keep(r->b, tfp_push(&f->called, id));
    if (s.size && s.data[s.size - 1] == '{') { /* "do {", ", {" */
        tfp_shlo_open_region(r);
        return tfp_builder_status(r->b, err);
    }
    set_calls(r);
    if (r->place != TFP_NONE) f->instructions.at[f->op].frame = r->place + 1;
    if (!tfp_shlo_take(&s, ")") || r->b->status) return tfp_builder_status(r->b, err); /* the types came before */
    size_t colon = tfp_shlo_types_at(s);
    tfp_str types = { s.data + colon, s.size - colon };
    tfp_hlo_instruction *i = &f->instructions.at[f->op];
    uint32_t calls = i->called_count, first = i->called_first;
    tfp_shlo_attributes(r, i, f->op_name, s, types);
    i->called_count = calls;
    i->called_first = first;
    finish_op(r, types);
    f = tfp_shlo_top(r);
    tfp_shlo_name_results(r, f->instructions.at[f->op].id);
    return tfp_builder_status(r->b, err);
}

/* Whether the line begins a region of the last operation in its pretty form: "cond {", "do {", "reducer(%a: T, %b: T)
 * (%c: T, %d: T) {". */
static bool begins_region(tfp_str line)
{
    return line.data[line.size - 1] == '{' &&
           (begins(line, "cond ") || begins(line, "do ") || begins(line, "reducer("));
}

static tfp_status begin_region(tfp_shlo *r, tfp_error *err)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    if (f->op == TFP_NONE) return tfp_shlo_fail(r, r->line.data, err, "a region of no operation");
    if (r->frames.size > TFP_SHLO_DEEPEST) return tfp_shlo_fail(r, r->line.data, err, "regions nested too deeply");
    tfp_str s = r->line;
    int32_t number = 0;
    if (!tfp_shlo_open_region(r) || !tfp_shlo_take(&s, "reducer")) return tfp_builder_status(r->b, err);
    while (tfp_shlo_take(&s, "(")) { /* for each input one pair of brackets: the value so far, and the next one */
        size_t end = tfp_shlo_outside(s, ")");
        tfp_shlo_parameters(r, (tfp_str){ s.data, end }, &number);
        s = (tfp_str){ s.data + end, s.size - end };
        tfp_shlo_take(&s, ")");
    }
    return tfp_builder_status(r->b, err);
}

/* Reads "^bb0(%a: TYPE, ...):". */
static tfp_status read_block(tfp_shlo *r, tfp_error *err)
{
    tfp_shlo_frame *f = tfp_shlo_top(r);
    size_t at = tfp_shlo_outside(r->line, "(");
    int32_t number = 0;
    if (f->kind == TFP_SHLO_MODULE) return tfp_builder_status(r->b, err);
    if (f->instructions.size)
        return tfp_shlo_fail(r, r->line.data, err, "a second block: only regions of one are read");
    if (at < r->line.size) tfp_shlo_parameters(r, (tfp_str){ r->line.data + at + 1, r->line.size - at - 1 }, &number);
    f = tfp_shlo_top(r);
    if (f->loop) tfp_shlo_loop_parameters(r, f->arguments.at, f->arguments.size);
    return tfp_builder_status(r->b, err);
}

/* ---- modules and functions ---- */

/* The name after "@" or "sym_name = "; the module's name when there is none. */
static tfp_strid symbol_of(tfp_shlo *r, tfp_str line, const char *none)
{
    tfp_str s = tfp_shlo_behind(line, "sym_name = "), at = tfp_shlo_behind(line, "@");
    if (s.size && line.data[0] == '"') return tfp_build_string(r->b, tfp_shlo_quoted(&s));
    if (at.size && at.data[0] == '"') return tfp_build_string(r->b, tfp_shlo_quoted(&at));
    tfp_str word = tfp_shlo_word(&at);
    return tfp_build_string(r->b, word.size && line.data[0] != '"' ? word : tfp_str_of(none));
}

static tfp_status begin_function(tfp_shlo *r, tfp_error *err)
{
    tfp_strid name = symbol_of(r, r->line, "function");
    if (r->line.data[r->line.size - 1] != '{') return tfp_builder_status(r->b, err); /* a declaration without a body */
    if (r->frames.size && tfp_shlo_top(r)->kind != TFP_SHLO_MODULE)
        return tfp_shlo_fail(r, r->line.data, err, "a function in a function");
    if (!tfp_shlo_open(r, TFP_SHLO_FUNCTION, name, false)) return tfp_builder_status(r->b, err);
    bool main = tfp_str_eq(tfp_text(r->b->p, name), TFP_STR("main"));
    if (main || r->m->entry_id < 0) r->m->entry_id = (int64_t)name;
    size_t at = tfp_shlo_outside(r->line, "(");
    int32_t number = 0;
    if (r->line.data[0] != '"' && at < r->line.size)
        tfp_shlo_parameters(r, (tfp_str){ r->line.data + at + 1, r->line.size - at - 1 }, &number);
    return tfp_builder_status(r->b, err);
}

static tfp_status begin_module(tfp_shlo *r, tfp_error *err)
{
    if (!r->has_module) r->m->name = symbol_of(r, r->line, "module");
    r->has_module = true;
    if (r->frames.size) return tfp_shlo_fail(r, r->line.data, err, "a module in a module");
    tfp_shlo_open(r, TFP_SHLO_MODULE, r->m->name, false);
    return tfp_builder_status(r->b, err);
}

/* ---- lines ---- */

/* Removes " loc(...)" from the end of the line. */
static void take_place(tfp_shlo *r)
{
    r->place = TFP_NONE;
    if (!r->line.size || r->line.data[r->line.size - 1] != ')') return;
    for (size_t at = r->line.size; at-- > 1;) {
        if (r->line.data[at] != 'l' || r->line.data[at - 1] != ' ' ||
            !begins((tfp_str){ r->line.data + at, r->line.size - at }, "loc("))
            continue;
        tfp_str inside = { r->line.data + at + 4, r->line.size - at - 4 };
        if (tfp_shlo_outside(inside, ")") + 1 == inside.size) {
            r->place = tfp_shlo_read_place(r, inside);
            r->line.size = at - 1;
        }
        return;
    }
}

static tfp_status read_line(tfp_shlo *r, tfp_error *err)
{
    while (r->line.size && (r->line.data[r->line.size - 1] == '\r' || r->line.data[r->line.size - 1] == ' '))
        r->line.size--;
    tfp_shlo_blanks(&r->line);
    if (!r->line.size || begins(r->line, "//")) return TFP_OK;
    if (r->line.data[0] == '#') {
        if (begins(r->line, "#loc")) tfp_shlo_read_alias(r);
        return tfp_builder_status(r->b, err);
    }
    take_place(r);
    if (!r->line.size) return TFP_OK;
    if (begins(r->line, "module ") || begins(r->line, "\"builtin.module\"")) return begin_module(r, err);
    if (begins(r->line, "func.func ") || begins(r->line, "\"func.func\"")) return begin_function(r, err);
    if (!r->frames.size) return tfp_shlo_fail(r, r->line.data, err, "neither a module nor a function");
    if (r->line.data[0] == '}') return close_frame(r, err);
    if (r->line.data[0] == '^') return read_block(r, err);
    if (tfp_shlo_top(r)->kind == TFP_SHLO_MODULE) return TFP_OK; /* meshes and other lines without operations */
    if (begins_region(r->line)) return begin_region(r, err);
    return read_op(r, err);
}

static void free_reader(tfp_shlo *r)
{
    while (r->frames.size) tfp_shlo_free_frame(&r->frames.at[--r->frames.size]);
    tfp_vec_free(&r->frames);
    tfp_vec_free(&r->values);
    tfp_map64_free(&r->value_by_name);
    tfp_vec_free(&r->places);
    tfp_map64_free(&r->place_by_name);
}

tfp_status tfp_shlo_read(tfp_builder *b, tfp_str text, tfp_hlo_module *m, tfp_error *err)
{
    tfp_shlo r = { .b = b, .m = m };
    tfp_status s = TFP_OK;
    *m = (tfp_hlo_module){ .entry = TFP_NONE, .entry_id = -1 };
    while (text.size && !s) {
        r.line_start = text.data;
        r.line = tfp_str_cut_line(&text);
        if (r.line_number < INT32_MAX) r.line_number++;
        s = read_line(&r, err);
    }
    if (!s && r.frames.size) s = tfp_shlo_fail(&r, r.line_start, err, "the text is cut short: a region without an end");
    if (!m->name) m->name = tfp_build_string(b, TFP_STR("module"));
    if (!s) tfp_shlo_settle_places(&r);
    if (!s) s = tfp_hlo_complete(b, m, err);
    free_reader(&r);
    if (s) tfp_hlo_free(m);
    return s;
}
