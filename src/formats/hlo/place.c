// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/place.c: finds an instruction's place in the profile: the place in the model that the framework's op name
 * gives, and the call stack. */
#include "formats/hlo/hlo.h"
#include "model/tables/code.h"
#include "model/tables/read.h"

/* ---- names ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool tfp_op_type_is(tfp_str s)
{
    if (!s.size || !((s.data[0] >= 'A' && s.data[0] <= 'Z') || s.data[0] == '_')) return false;
    for (size_t i = 0; i < s.size; i++)
        if (!is_letter(s.data[i]) && !tfp_is_digit(s.data[i]) && s.data[i] != '_') return false;
    return true;
}

bool tfp_op_name_split(tfp_str s, tfp_str *name, tfp_str *type)
{
    const char *colon = s.size ? memchr(s.data, ':', s.size) : NULL;
    if (!colon || colon == s.data) return false;
    size_t at = (size_t)(colon - s.data);
    tfp_str n = { s.data, at }, t = { colon + 1, s.size - at - 1 };
    /* as in names of TensorFlow's nodes */
    if (!is_letter(n.data[0]) && !tfp_is_digit(n.data[0]) && n.data[0] != '.') return false;
    for (size_t i = 0; i < n.size; i++)
        if (!is_letter(n.data[i]) && !tfp_is_digit(n.data[i]) && !memchr("._-/\\>", n.data[i], 6)) return false;
    if (!tfp_op_type_is(t)) return false;
    *name = n;
    *type = t;
    return true;
}

/* Removes the parentheses at both ends of the text that have no partner in it. */
static tfp_str paired(tfp_str part)
{
    size_t open = 0, unpaired = 0;
    for (size_t i = 0; i < part.size; i++) {
        if (part.data[i] == '(') open++;
        if (part.data[i] != ')') continue;
        if (open)
            open--;
        else
            unpaired++;
    }
    for (; unpaired && part.size && part.data[part.size - 1] == ')'; unpaired--) part.size--;
    for (; open && part.size && *part.data == '('; open--) part = (tfp_str){ part.data + 1, part.size - 1 };
    return part;
}

/* The last part of a path, without _N: "transpose" of "jit(f)/layer1/transpose_3", "mlp" of
 * "jit(f)/jvp(layer1/mlp)". */
static tfp_str last_part(tfp_str path)
{
    tfp_str part = paired(tfp_str_last_part(path));
    size_t end = part.size;
    while (end > 0 && tfp_is_digit(part.data[end - 1])) end--;
    if (end < part.size && end > 1 && part.data[end - 1] == '_') part.size = end - 1;
    return part;
}

/* (hlo)/MODULE/INSTRUCTION */
static tfp_hlo_where by_instruction(tfp_builder *b, tfp_str module, tfp_str instruction)
{
    const char *dot = instruction.size ? memchr(instruction.data, '.', instruction.size) : NULL;
    tfp_str op = { instruction.data,
                   dot && dot != instruction.data ? (size_t)(dot - instruction.data) : instruction.size };
    tfp_buf path = { 0 };
    tfp_buf_text(&path, "(hlo)/");
    tfp_buf_str(&path, module);
    if (module.size) tfp_buf_char(&path, '/');
    tfp_buf_str(&path, instruction);
    tfp_hlo_where w = { 0, tfp_build_string(b, op) };
    w.path = tfp_build_composed(b, &path);
    return w;
}

#define OPEN_MOST 64 /* levels of parentheses; a name with more is kept as it is */

/* The position after the parenthesis that closes the one before `at`; SIZE_MAX: none closes it. */
static size_t behind_close(tfp_str s, size_t at)
{
    for (size_t open = 1; at < s.size; at++) {
        if (s.data[at] == '(') open++;
        if (s.data[at] == ')' && --open == 0) return at + 1;
    }
    return SIZE_MAX;
}

/* When the compiler merges instructions it joins their names: "jit(f)/(mul:jvp()/add)/x". Keeps only the first name in
 * each such parenthesis. The parenthesis itself is dropped too, unless it belongs to a call, "jvp(a:b)", whose first
 * name is no path. False: the name has no such parenthesis, or is malformed. */
static bool first_of_joined(tfp_str name, tfp_buf *out)
{
    size_t open[OPEN_MOST], depth = 0;
    bool joined = false;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (c == '(') {
            if (depth == OPEN_MOST) return false;
            open[depth++] = out->size;
        } else if (c == ')' && depth) {
            depth--;
        } else if (c == ':' && depth) {
            size_t from = open[depth - 1], behind = behind_close(name, i + 1);
            if (behind == SIZE_MAX) return false;
            if (out->size == from + 1) continue; /* there is no first name */
            depth--;
            bool call = from && (is_letter(out->data[from - 1]) || tfp_is_digit(out->data[from - 1]) ||
                                 out->data[from - 1] == '_');
            if (call && !memchr(out->data + from, '/', out->size - from)) {
                tfp_buf_char(out, ')');
            } else {
                memmove(out->data + from, out->data + from + 1, out->size - from - 1);
                out->size--;
            }
            i = behind - 1;
            joined = true;
            continue;
        }
        tfp_buf_char(out, c);
        if (out->failed) return false;
    }
    return joined;
}

tfp_hlo_where tfp_hlo_place_of(tfp_builder *b, tfp_str op_name, tfp_str module, tfp_str instruction)
{
    const char *more = op_name.size ? memchr(op_name.data, ';', op_name.size) : NULL;
    if (more) op_name.size = (size_t)(more - op_name.data);
    tfp_str name, type;
    if (tfp_op_name_split(op_name, &name, &type))
        return (tfp_hlo_where){ tfp_build_string(b, name), tfp_build_string(b, type) };
    if (op_name.size && op_name.data[op_name.size - 1] == ':') op_name.size--;
    tfp_buf first = { 0 };
    if (first_of_joined(op_name, &first)) op_name = (tfp_str){ first.data, first.size };
    tfp_build_keep(b, !first.failed);
    tfp_hlo_where w = op_name.size
                          ? (tfp_hlo_where){ tfp_build_string(b, op_name), tfp_build_string(b, last_part(op_name)) }
                          : by_instruction(b, module, instruction);
    tfp_buf_free(&first);
    return w;
}

/* ---- call stacks ---- */

#define STACK_MOST 256 /* most frames; a chain of parents that is a circle ends there */

static tfp_strid listed(const tfp_strid *at, size_t size, uint32_t number)
{
    return number && number <= size ? at[number - 1] : 0;
}

uint32_t tfp_hlo_trace(tfp_builder *b, const tfp_hlo_module *m, const tfp_hlo_instruction *i)
{
    tfp_code_frame frames[STACK_MOST];
    size_t at = STACK_MOST;
    uint32_t frame = i->frame;
    bool misses = false;
    while (at > 0 && frame && frame <= m->frames.size) {
        const tfp_hlo_frame *f = &m->frames.at[frame - 1];
        if (f->place && f->place <= m->places.size) {
            const tfp_hlo_place *p = &m->places.at[f->place - 1];
            misses |= p->file > m->files.size || p->function > m->functions.size;
            frames[--at] = (tfp_code_frame){ .file = listed(m->files.at, m->files.size, p->file),
                                             .function = listed(m->functions.at, m->functions.size, p->function),
                                             .line = p->line };
        }
        misses |= f->place > m->places.size;
        frame = f->parent;
    }
    if (frame && m->frames.size && frame > m->frames.size) misses = true;
    if (misses)
        tfp_build_warn(b, "source places whose number the module does not have, left out", tfp_text(b->p, i->name));
    if (at == STACK_MOST && i->file) frames[--at] = (tfp_code_frame){ .file = i->file, .line = i->line };
    return tfp_build_trace(b, frames + at, STACK_MOST - at);
}
