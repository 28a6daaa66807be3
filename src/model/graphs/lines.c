// SPDX-License-Identifier: Apache-2.0
/* model/graphs/lines.c: finds lines of the user's code, in frames and in stacks that Python printed as text, which
 * Inductor writes for its kernels. */
#include "model/graphs/parts.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/profile.h"

enum { FRAMES_MOST = 256 };

tfp_strid tfp_line_name(tfp_builder *b, const tfp_code_frame *f)
{
    tfp_buf text = { 0 };
    tfp_strid id = 0;
    tfp_str function = tfp_text(b->p, f->function);
    tfp_buf_str(&text, tfp_text(b->p, f->file));
    tfp_buf_char(&text, ':');
    tfp_buf_int(&text, f->line);
    if (function.size) tfp_buf_char(&text, ':');
    tfp_buf_str(&text, function);
    if (text.failed)
        b->status = TFP_NOMEM;
    else
        id = tfp_build_made_string(b, (tfp_str){ text.data, text.size });
    tfp_buf_free(&text);
    return id;
}

uint32_t tfp_frame_of_line(const tfp_builder *b, const tfp_whose *w, const tfp_code_frame *frames, size_t count)
{
    tfp_stack_line line = TFP_STACK_TOP;
    for (uint32_t i = 0; i < count; i++)
        line = tfp_stack_below(
            line, tfp_whose_frame(w, tfp_text(b->p, frames[i].file), tfp_text(b->p, frames[i].function)), i);
    return line.at;
}

tfp_strid tfp_line_of_trace(tfp_builder *b, uint32_t trace)
{
    tfp_code_frame frames[FRAMES_MOST];
    if (trace == TFP_NONE || b->status) return 0;
    const tfp_code_tables *code = b->p->code;
    const tfp_trace *t = &code->traces.at[trace];
    uint32_t first = t->count > FRAMES_MOST ? t->count - FRAMES_MOST : 0;
    for (uint32_t i = first; i < t->count; i++)
        frames[i - first] = code->frames.at[code->trace_frames.at[t->first + i]];
    uint32_t at = tfp_frame_of_line(b, NULL, frames, t->count - first);
    return at == TFP_NONE ? 0 : tfp_line_name(b, &frames[at]);
}

/* Parses `File "FILE", line NUMBER, in FUNCTION`. */
static bool frame_of(tfp_builder *b, tfp_str text, tfp_code_frame *out)
{
    tfp_str file = TFP_STR("File \""), line = TFP_STR("\", line "), in = TFP_STR(", in ");
    int64_t number;
    while (text.size && (*text.data == ' ' || *text.data == '\t')) text.data++, text.size--;
    if (!tfp_str_begins(text, file)) return false;
    text = (tfp_str){ text.data + file.size, text.size - file.size };
    size_t at = tfp_str_find(text, line);
    if (at == SIZE_MAX) return false;
    tfp_str path = { text.data, at };
    text = (tfp_str){ text.data + at + line.size, text.size - at - line.size };
    at = tfp_str_find(text, in);
    tfp_str digits = { text.data, at == SIZE_MAX ? text.size : at }, function = { "", 0 };
    if (at != SIZE_MAX) function = (tfp_str){ text.data + at + in.size, text.size - at - in.size };
    if (!tfp_parse_int64(digits, &number) || number < 0 || number > INT32_MAX) return false;
    *out = (tfp_code_frame){ .file = tfp_build_made_string(b, path),
                             .function = tfp_build_made_string(b, function),
                             .line = (int32_t)number };
    return true;
}

tfp_kernel_line tfp_line_of_traceback(tfp_builder *b, tfp_str text)
{
    tfp_code_frame frames[FRAMES_MOST];
    size_t count = 0;
    while (text.size && !b->status) {
        tfp_code_frame f;
        if (!frame_of(b, tfp_str_cut_line(&text), &f)) continue;
        if (count == FRAMES_MOST) memmove(frames, frames + 1, --count * sizeof *frames); /* keeps the innermost ones */
        frames[count++] = f;
    }
    uint32_t at = b->status ? TFP_NONE : tfp_frame_of_line(b, NULL, frames, count);
    tfp_kernel_line line = { at == TFP_NONE ? 0 : tfp_line_name(b, &frames[at]), TFP_NONE };
    if (line.line && !b->status) line.trace = tfp_build_trace(b, frames, count);
    return line;
}

void tfp_build_kernel_line(tfp_builder *b, tfp_str kernel, tfp_kernel_line line)
{
    tfp_graph_tables *g = b->p->captures;
    tfp_strid name = tfp_build_made_string(b, tfp_kernel_plain(kernel));
    uint32_t at = b->status ? TFP_NONE : tfp_map64_get(&g->line_by_kernel, name);
    if (b->status) return;
    if (at != TFP_NONE) {
        if (g->lines.at[at].line != line.line) g->lines.at[at].line = 0;
        return;
    }
    at = (uint32_t)g->lines.size;
    if (!tfp_push(&g->lines, line) || !tfp_map64_put(&g->line_by_kernel, name, at)) b->status = TFP_NOMEM;
}

void tfp_build_node_line(tfp_builder *b, uint64_t node, tfp_kernel_line line)
{
    tfp_graph_tables *g = b->p->captures;
    uint32_t at = (uint32_t)g->lines.size;
    if (b->status || !line.line) return;
    if (!tfp_push(&g->lines, line) || !tfp_map64_put(&g->line_by_node, node, at)) b->status = TFP_NOMEM;
}
