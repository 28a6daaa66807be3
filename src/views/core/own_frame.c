// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.c: selects the line of code that represents a call stack, and writes it. */
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/handle.h"
#include "views/core/own_frame.h"

/* Whether it is a Python file: C++ frames have no line that a user could change; a notebook's cell is a file without an
 * ending. */
static bool is_python(tfp_str file)
{
    return tfp_str_ends(file, TFP_STR(".py")) || tfp_str_begins(file, TFP_STR("<ipython-input-")) ||
           tfp_str_begins(file, TFP_STR("<stdin>"));
}

bool tfp_is_library_here(const tfp_report *r, tfp_str file)
{
    const tfp_filter *f = tfp_options_of(r)->filters[TFP_F_LIBRARY];
    return f && f->count ? tfp_filter_matches(f, file) : tfp_is_library_file(file);
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
    const tfp_code_frame *own;
    tfp_str node;                  /* of autograd; data NULL: none */
    const tfp_code_frame *library; /* a Python frame of a library, the innermost one that was not generated */
} chosen;

static chosen choose(const tfp_report *r, uint32_t trace)
{
    const tfp_profile *p = tfp_profile_of(r);
    const tfp_trace *stack = &tfp_code_of(p)->traces.at[trace];
    chosen c = { 0 };
    bool generated = false;
    for (uint32_t i = stack->count; i-- > 0 && !c.own;) { /* the innermost first */
        const tfp_code_frame *f = &tfp_code_of(p)->frames.at[tfp_code_of(p)->trace_frames.at[stack->first + i]];
        tfp_str file = tfp_text(p, f->file);
        if (!is_python(file)) {
            if (!c.node.data) c.node = node_of_autograd(tfp_text(p, f->function));
        } else if (!tfp_is_library_here(r, file))
            c.own = f;
        else if (!c.library || (generated && !tfp_is_generated_file(file))) {
            c.library = f;
            generated = tfp_is_generated_file(file);
        }
    }
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
    chosen c = choose(r, trace);
    const tfp_code_frame *f = c.own || c.node.data ? c.own : c.library;
    tfp_buf b = { 0 };
    if (!f && !c.node.data) return TFP_STR(TFP_NO_STACK);
    if (f)
        tfp_put_line(&b, tfp_text(tfp_profile_of(r), f->file), f->line, TFP_STR(""));
    else {
        tfp_buf_text(&b, "backward ");
        tfp_buf_str(&b, c.node);
    }
    return tfp_buf_move(&b, tfp_arena_of(r));
}
