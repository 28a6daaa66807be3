// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.c: selects the line of code that represents a call stack, and writes it. */
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/read.h"
#include "views/core/own_frame.h"
#include "views/core/view.h"

/* Whether it is a Python file: C++ frames have no line that a user could change; a notebook's cell is a file without an
 * ending. */
static bool is_python(tfp_str file)
{
    return tfp_str_ends(file, TFP_STR(".py")) || tfp_str_begins(file, TFP_STR("<ipython-input-")) ||
           tfp_str_begins(file, TFP_STR("<stdin>"));
}

static const tfp_code_frame *own_frame(const tfp_profile *p, uint32_t trace)
{
    const tfp_code_frame *best = NULL;
    const tfp_trace *stack = &tfp_code_of(p)->traces.at[trace];
    for (uint32_t i = stack->count; i-- > 0;) { /* the innermost first */
        const tfp_code_frame *f = &tfp_code_of(p)->frames.at[tfp_code_of(p)->trace_frames.at[stack->first + i]];
        if (!is_python(tfp_text(p, f->file))) continue;
        if (!tfp_is_library_file(tfp_text(p, f->file))) return f;
        if (!best) best = f;
    }
    return best;
}

void tfp_put_line(tfp_buf *out, tfp_str file, int64_t line, tfp_str function)
{
    tfp_buf_str(out, file);
    tfp_buf_char(out, ':');
    tfp_buf_int(out, line);
    if (function.size) tfp_buf_char(out, ':');
    tfp_buf_str(out, function);
}

tfp_str tfp_own_line(const tfp_profile *p, uint32_t trace, tfp_arena *arena)
{
    const tfp_code_frame *f = own_frame(p, trace);
    tfp_buf b = { 0 };
    if (!f) return TFP_STR("(no line)");
    tfp_put_line(&b, tfp_text(p, f->file), f->line, TFP_STR(""));
    return tfp_buf_move(&b, arena);
}
