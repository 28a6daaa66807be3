// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.c: selects the line of code that represents a call stack, and writes it. */
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/own_frame.h"

#include <stdlib.h>

/* Whether it is a Python file: C++ frames have no line that a user could change; a notebook's cell is a file without an
 * ending. */
static bool is_python(tfp_str file)
{
    return tfp_str_ends(file, TFP_STR(".py")) || tfp_str_begins(file, TFP_STR("<ipython-input-")) ||
           tfp_str_begins(file, TFP_STR("<stdin>"));
}

tfp_own_lines *tfp_own_lines_of(tfp_report *r, const tfp_nest *n)
{
    tfp_own_lines **l = tfp_own_lines_at(r);
    const tfp_options *o = tfp_options_of(r);
    if (!*l) *l = tfp_own_lines_new(tfp_profile_of(r), o->filters[TFP_F_HOME], o->filters[TFP_F_LIBRARY], n);
    return *l;
}

/* ---- patterns that match nothing ---- */

static bool fits_any(const tfp_profile *p, const tfp_regex *regex)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    const tfp_code_tables *code = tfp_code_of(p);
    tfp_python_frame f;
    tfp_str found;
    uint8_t *seen = calloc(tfp_strings_of(p)->count + 1, 1);
    bool fits = !seen; /* without memory nothing is said */
    for (uint32_t i = 0; i < s->size && !fits; i++) {
        if (seen[s->name[i]] || (s->kind[i] != TFP_SPAN_FRAME && s->kind[i] != TFP_SPAN_ANNOTATION)) continue;
        seen[s->name[i]] = 1;
        fits = tfp_python_frame_of(tfp_text(p, s->name[i]), &f) &&
               tfp_regex_find(regex, tfp_path_of_bare_file(f.file), 0, &found, 0);
    }
    for (size_t i = 0; i < code->frames.size && !fits; i++) {
        if (seen[code->frames.at[i].file]) continue;
        seen[code->frames.at[i].file] = 1;
        fits = tfp_regex_find(regex, tfp_text(p, code->frames.at[i].file), 0, &found, 0);
    }
    free(seen);
    return fits;
}

tfp_status tfp_note_home(tfp_report *r, tfp_error *err)
{
    tfp_status s = TFP_OK;
    const tfp_filter *f = tfp_options_of(r)->filters[TFP_F_HOME];
    tfp_str list = f ? tfp_str_of(f->text) : TFP_STR(""), item;
    for (size_t i = 0; f && i < f->count && !s; i++) {
        item = tfp_filter_item(&list);
        if (f->regexes[i] && !fits_any(tfp_profile_of(r), f->regexes[i]))
            s = tfp_report_note_add(r, TFP_NOTE_NO_MATCH, err, "-home '%.*s' fits no frame of the trace",
                                    (int)(item.size < 200 ? item.size : 200), item.data);
    }
    return s;
}

/* The node of autograd that a C++ frame runs: MulBackward0 of "torch::autograd::generated::MulBackward0::apply(...)".
 * PyNode, which runs a function of Python, and the classes that run nodes are none. */
static tfp_str node_of_autograd(tfp_str function)
{
    static const char *const others[] = { "PyNode", "Node", "Engine", "PyFunctionTensorPreHook" };
    tfp_str space = TFP_STR("torch::autograd::"), call = TFP_STR("::apply"), none = { 0 };
    size_t at = tfp_str_find(function, space), end = tfp_str_find(function, call);
    if (at == SIZE_MAX || end == SIZE_MAX || end <= at + space.size) return none;
    size_t after = end + call.size, first = end;
    if (after < function.size && function.data[after] != '(') return none; /* such as apply_with_saved */
    while (first > at + space.size && function.data[first - 1] != ':') first--;
    tfp_str node = { function.data + first, end - first };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tfp_str_eq(node, tfp_str_of(others[i]))) return none;
    return node;
}

typedef struct chosen { /* what represents a stack: the first of these that is there */
    uint32_t own;       /* TFP_NONE: none */
    tfp_str node;       /* of autograd; data NULL: none */
    uint32_t library;   /* a Python frame of a library, the innermost one that was not generated */
} chosen;

static chosen choose(const tfp_profile *p, tfp_own_lines *l, uint32_t trace)
{
    const tfp_trace *stack = &tfp_code_of(p)->traces.at[trace];
    chosen c = { .own = TFP_NONE, .library = TFP_NONE };
    tfp_outward own = { 0 };
    bool generated = false;
    for (uint32_t i = stack->count; i-- > 0;) { /* the innermost first */
        uint32_t at = tfp_code_of(p)->trace_frames.at[stack->first + i];
        const tfp_code_frame *f = &tfp_code_of(p)->frames.at[at];
        tfp_str file = tfp_text(p, f->file), function = tfp_text(p, f->function);
        if (!is_python(file)) {
            if (!c.node.data) c.node = node_of_autograd(function);
            continue;
        }
        tfp_outward_add(&own, tfp_frame_here(l, file, function), at);
        if (c.library == TFP_NONE || (generated && !tfp_is_generated_file(file))) {
            c.library = at;
            generated = tfp_is_generated_file(file);
        }
    }
    c.own = tfp_outward_best(&own);
    return c;
}

void tfp_put_line(tfp_buf *out, tfp_str file, int64_t line, tfp_str function)
{
    tfp_buf_str(out, file);
    tfp_buf_char(out, ':');
    tfp_buf_int(out, line);
    if (function.size) tfp_buf_char(out, ':');
    tfp_buf_str(out, function);
}

tfp_str tfp_own_line(tfp_report *r, uint32_t trace)
{
    tfp_own_lines *l = tfp_own_lines_of(r, NULL);
    if (!l) return (tfp_str){ NULL, 0 };
    const tfp_profile *p = tfp_profile_of(r);
    chosen c = choose(p, l, trace);
    uint32_t at = c.own != TFP_NONE || c.node.data ? c.own : c.library;
    tfp_buf b = { 0 };
    if (at == TFP_NONE && !c.node.data) return TFP_STR(TFP_NO_STACK);
    if (at != TFP_NONE) {
        const tfp_code_frame *f = &tfp_code_of(p)->frames.at[at];
        tfp_put_line(&b, tfp_text(p, f->file), f->line, TFP_STR(""));
    } else {
        tfp_buf_text(&b, "backward ");
        tfp_buf_str(&b, c.node);
    }
    return tfp_buf_move(&b, tfp_arena_of(r));
}
