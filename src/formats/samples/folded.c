// SPDX-License-Identifier: Apache-2.0
/* formats/samples/folded.c: folded stacks, the lines that flame graph tools read: "outer;inner NUMBER". In: text. Out:
 * a trace for each stack, and a sample with its number. Written by stackcollapse-*.pl, py-spy (-f raw), inferno,
 * async-profiler and tfprof. */
#include "formats/files/format.h"
#include "model/builder.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"

#define LOOKED_AT 50 /* most lines that the probe reads */

typedef struct reader {
    tfp_builder *b;
    TFP_VEC(tfp_code_frame) stack;
    uint32_t type;
    size_t samples, lines, odd;
} reader;

/* Takes the next line without its line end; false at the end of the text. */
static bool next_line(tfp_str *text, tfp_str *line)
{
    if (!text->size) return false;
    *line = tfp_str_cut_line(text);
    if (line->size && line->data[line->size - 1] == '\r') line->size--;
    return true;
}

/* Splits "stack NUMBER" in two; false: the line has another form. */
static bool split(tfp_str line, tfp_str *stack, int64_t *number)
{
    size_t at = line.size;
    while (at && line.data[at - 1] >= '0' && line.data[at - 1] <= '9') at--;
    if (at < 2 || at == line.size || (line.data[at - 1] != ' ' && line.data[at - 1] != '\t')) return false;
    *stack = (tfp_str){ line.data, at - 1 };
    return tfp_parse_int64((tfp_str){ line.data + at, line.size - at }, number);
}

/* Reads a frame: "step (train.py:12)", as py-spy writes it, is a function with its place; any other text is the
 * function alone. */
static tfp_code_frame frame_of(tfp_builder *b, tfp_str text)
{
    tfp_code_frame frame = { 0 };
    int64_t line = 0;
    size_t open = text.size, colon = 0;
    if (text.size && text.data[text.size - 1] == ')')
        while (open && text.data[open - 1] != '(') {
            if (text.data[open - 1] == ':' && !colon) colon = open;
            open--;
        }
    tfp_str digits = { text.data + colon, colon ? text.size - 1 - colon : 0 };
    bool place = colon && open > 2 && text.data[open - 2] == ' ' && colon > open + 1 && digits.size &&
                 tfp_parse_int64(digits, &line) && line >= 0 && line <= INT32_MAX;
    frame.function = tfp_build_string(b, place ? (tfp_str){ text.data, open - 2 } : text);
    if (!place) return frame;
    frame.file = tfp_build_string(b, (tfp_str){ text.data + open, colon - 1 - open });
    frame.line = (int32_t)line;
    return frame;
}

static void read_line(reader *r, tfp_str line)
{
    tfp_str stack;
    tfp_stack_sample s = { .type = r->type, .labels = TFP_NONE };
    if (!line.size) return;
    r->lines++;
    if (!split(line, &stack, &s.value)) {
        r->odd++;
        return;
    }
    r->stack.size = 0;
    for (size_t from = 0; from <= stack.size && !r->b->status;) {
        const char *end = from < stack.size ? memchr(stack.data + from, ';', stack.size - from) : NULL;
        size_t size = end ? (size_t)(end - stack.data) - from : stack.size - from;
        if (size && !tfp_push(&r->stack, frame_of(r->b, (tfp_str){ stack.data + from, size })))
            r->b->status = TFP_NOMEM;
        from += size + 1;
    }
    if (!s.value || r->b->status) return;
    s.trace = tfp_build_trace(r->b, r->stack.at, r->stack.size);
    tfp_build_sample(r->b, &s);
    r->samples++;
}

static tfp_status read_folded(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b };
    tfp_str text, line;
    if (b->p->graph->nodes.size || b->p->events->spans.size)
        return tfp_fail(err, TFP_BADARG, "sampled stacks stand alone, or with others of their kind");
    tfp_status s = tfp_input_all(in, &text, err);
    if (s) return s;
    tfp_strid name = tfp_build_string(b, TFP_STR("samples")), unit = tfp_build_string(b, TFP_STR("count"));
    r.type = b->p->about.sample_type = tfp_build_sample_type(b, name, unit);
    while (!b->status && next_line(&text, &line)) read_line(&r, line);
    tfp_vec_free(&r.stack);
    if (r.odd) tfp_build_warn_many(b, "lines without a number at their end, left out", TFP_STR(""), r.odd);
    if (!b->status && r.odd == r.lines)
        return tfp_fail(err, TFP_BADFILE, "no line ends with a number: not folded stacks");
    tfp_build_has(b, TFP_HAS_CODE);
    return tfp_builder_status(b, err);
}

/* All complete lines must be stacks with a number, and one must have two or more frames. */
static int probe(tfp_str head, uint64_t total)
{
    bool whole = head.size == total, deep = false;
    tfp_str line, stack;
    int64_t number;
    int lines = 0;
    if (!head.size || head.data[0] == '{' || head.data[0] == '[' || memchr(head.data, 0, head.size)) return 0;
    while (lines < LOOKED_AT && next_line(&head, &line)) {
        if (!head.size && !whole) break; /* the head cuts the line */
        if (!line.size) continue;
        if (!split(line, &stack, &number)) return 0;
        deep |= memchr(stack.data, ';', stack.size) != NULL;
        lines++;
    }
    return lines && deep ? 60 : 0;
}

const tfp_format tfp_format_folded = {
    .name = "folded",
    .help = "folded stacks, lines of `outer;inner NUMBER`, of py-spy, perf, inferno and others",
    .probe = probe,
    .read = read_folded,
};
