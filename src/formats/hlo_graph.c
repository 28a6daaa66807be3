// SPDX-License-Identifier: Apache-2.0
/* formats/hlo_graph.c: what the instructions of an HLO module are in the profile: the place in the model that the
 * framework's op name says, the call stack, nodes with edges. */
#include "formats/hlo.h"

/* ---- names ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool tfp_op_name_split(tfp_str s, tfp_str *name, tfp_str *type)
{
    const char *colon = s.size ? memchr(s.data, ':', s.size) : NULL;
    if (!colon || colon == s.data) return false;
    size_t at = (size_t)(colon - s.data);
    tfp_str n = { s.data, at }, t = { colon + 1, s.size - at - 1 };
    if (!is_letter(n.data[0]) && !is_digit(n.data[0]) && n.data[0] != '.') return false; /* as TensorFlow names nodes */
    for (size_t i = 0; i < n.size; i++)
        if (!is_letter(n.data[i]) && !is_digit(n.data[i]) && !memchr("._-/\\>", n.data[i], 6)) return false;
    if (!t.size || !((t.data[0] >= 'A' && t.data[0] <= 'Z') || t.data[0] == '_')) return false;
    for (size_t i = 0; i < t.size; i++)
        if (!is_letter(t.data[i]) && !is_digit(t.data[i]) && t.data[i] != '_') return false;
    *name = n;
    *type = t;
    return true;
}

/* The last part of a path without _N: "transpose" of "jit(f)/layer1/transpose_3". */
static tfp_str last_part(tfp_str path)
{
    size_t at = path.size;
    while (at > 0 && path.data[at - 1] != '/') at--;
    tfp_str part = { path.data + at, path.size - at };
    size_t end = part.size;
    while (end > 0 && is_digit(part.data[end - 1])) end--;
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
    if (path.failed && !b->status) b->status = TFP_NOMEM;
    if (!path.failed) w.path = tfp_build_string(b, (tfp_str){ path.data, path.size });
    tfp_buf_free(&path);
    return w;
}

tfp_hlo_where tfp_hlo_place_of(tfp_builder *b, tfp_str op_name, tfp_str module, tfp_str instruction)
{
    const char *more = op_name.size ? memchr(op_name.data, ';', op_name.size) : NULL;
    if (more) op_name.size = (size_t)(more - op_name.data);
    tfp_str name, type;
    if (tfp_op_name_split(op_name, &name, &type))
        return (tfp_hlo_where){ tfp_build_string(b, name), tfp_build_string(b, type) };
    if (op_name.size && op_name.data[op_name.size - 1] == ':') op_name.size--;
    if (!op_name.size) return by_instruction(b, module, instruction);
    return (tfp_hlo_where){ tfp_build_string(b, op_name), tfp_build_string(b, last_part(op_name)) };
}

/* ---- call stacks ---- */

#define STACK_MOST 256 /* frames; a parent that leads in a circle ends there */

static tfp_strid listed(const tfp_strid *at, size_t size, uint32_t number)
{
    return number && number <= size ? at[number - 1] : 0;
}

uint32_t tfp_hlo_trace(tfp_builder *b, const tfp_hlo_module *m, const tfp_hlo_instruction *i)
{
    tfp_code_frame frames[STACK_MOST];
    size_t at = STACK_MOST;
    uint32_t frame = i->frame;
    while (at > 0 && frame && frame <= m->frames.size) {
        const tfp_hlo_frame *f = &m->frames.at[frame - 1];
        if (f->place && f->place <= m->places.size) {
            const tfp_hlo_place *p = &m->places.at[f->place - 1];
            frames[--at] = (tfp_code_frame){ .file = listed(m->files.at, m->files.size, p->file),
                                             .function = listed(m->functions.at, m->functions.size, p->function),
                                             .line = p->line };
        }
        frame = f->parent;
    }
    if (at == STACK_MOST && i->file) frames[--at] = (tfp_code_frame){ .file = i->file, .line = i->line };
    return tfp_build_trace(b, frames + at, STACK_MOST - at);
}
