// SPDX-License-Identifier: Apache-2.0
/* views/spans/places.c: for each span of a host thread the modules around it, and the line of the user's code that stands
 * for the Python frames around it, or for its call stack. */
#include "views/spans/places.h"
#include "model/graphs.h"
#include "model/trace/scan.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "views/core/engine.h"
#include "views/core/handle.h"
#include "views/core/own_frame.h"
#include "views/spans/nest.h"
#include "views/spans/trace.h"

enum { NOT_LOOKED_AT = 0xff, NEW_LINE = TFP_NONE - 1 };
enum { INSIDE = 0x80, RANK = 0x7f }; /* parts of tfp_span_places.rank */
enum { MODULES_MOST = 16 << 10 };    /* most bytes of a path of modules */

tfp_str tfp_place_name(const tfp_span_places *t, uint32_t name)
{
    return name ? t->names.strings[name] : (tfp_str){ NULL, 0 };
}

static uint32_t keep_text(tfp_span_places *t)
{
    tfp_strid id = t->text.failed ? TFP_NONE : tfp_intern(&t->names, (tfp_str){ t->text.data, t->text.size });
    t->failed |= id == TFP_NONE;
    return t->failed ? 0 : id;
}

/* ---- lines and modules of launches ---- */

static uint32_t line_name(tfp_span_places *t, tfp_str file, int64_t line, tfp_str function)
{
    t->text.size = 0;
    tfp_put_line(&t->text, file, line, function);
    return keep_text(t);
}

static unsigned bits_of_frame(tfp_span_places *t, uint32_t span)
{
    tfp_python_frame f;
    uint8_t *bits = &t->bits_of_name[t->s->name[span]];
    if (*bits != NOT_LOOKED_AT) return *bits;
    bool frame = tfp_python_frame_of(tfp_text(t->p, t->s->name[span]), &f);
    return *bits = frame ? (uint8_t)tfp_frame_here(t->own, f.file, f.function) : 0;
}

static uint32_t line_of_frame(tfp_span_places *t, uint32_t span)
{
    tfp_python_frame f;
    uint32_t *known = &t->line_of_name[t->s->name[span]];
    if (*known == TFP_NONE && tfp_python_frame_of(tfp_text(t->p, t->s->name[span]), &f))
        *known = line_name(t, f.file, f.line, f.function);
    return *known;
}

uint32_t tfp_place_of_trace(tfp_span_places *t, uint32_t trace)
{
    uint32_t *known = &t->line_of_trace[trace];
    if (*known != TFP_NONE) return *known;
    uint32_t at = tfp_own_frame_of(t->own, trace);
    if (at == TFP_NONE) return *known = 0;
    const tfp_code_frame *f = &tfp_code_of(t->p)->frames.at[at];
    return *known = line_name(t, tfp_text(t->p, f->file), f->line, tfp_text(t->p, f->function));
}

static uint32_t module_below(tfp_span_places *t, uint32_t above, tfp_str name)
{
    tfp_str path = tfp_place_name(t, above);
    if (path.size > MODULES_MOST) return above;
    t->text.size = 0;
    tfp_buf_str(&t->text, path);
    if (above) tfp_buf_char(&t->text, '/');
    tfp_buf_str(&t->text, name);
    return keep_text(t);
}

/* Sets the line of a span among Python frames, given the line around it. */
static tfp_stack_line line_below(tfp_span_places *t, tfp_stack_line line, uint32_t span, tfp_strid call)
{
    tfp_python_frame f;
    unsigned kind = t->s->kind[span];
    uint32_t caller = t->frame[span];
    bool called = kind == TFP_SPAN_FRAME || kind == TFP_SPAN_MODULE;
    if (called && tfp_line_of_call(t->p, call, span, caller, &f)) { /* the caller, in the line of the call */
        line = tfp_stack_below(line, bits_of_frame(t, caller), NEW_LINE);
        if (line.at == NEW_LINE) line.at = line_name(t, f.file, f.line, f.function);
    }
    if (kind != TFP_SPAN_FRAME) return line;
    line = tfp_stack_below(line, bits_of_frame(t, span), NEW_LINE);
    if (line.at == NEW_LINE) line.at = line_of_frame(t, span);
    if (tfp_python_frame_of(tfp_text(t->p, t->s->name[span]), &f)) t->frame[span] = span;
    return line;
}

/* Sets the places of all spans; parents come first. */
static void find_places(tfp_span_places *t)
{
    const tfp_span_columns *s = t->s;
    bool frames = tfp_lines_are_functions(t->p);
    tfp_strid call = frames ? tfp_stat_key(t->p, TFP_LINE_OF_CALL) : TFP_NONE;
    for (size_t k = 0; k < s->size && !t->failed; k++) {
        uint32_t i = t->nest.order[k], around = t->nest.parent[i], parent = s->parent[i];
        if (s->kind[i] == TFP_SPAN_ACTIVITY) continue;
        tfp_stack_line line = { 0 };
        t->frame[i] = TFP_NONE;
        if (around != TFP_NONE) {
            line = (tfp_stack_line){ t->line[around], t->rank[around] & RANK, t->rank[around] & INSIDE };
            t->frame[i] = t->frame[around];
        }
        if (frames)
            line = line_below(t, line, i, call);
        else if (s->trace[i] != TFP_NONE && (line.at = tfp_place_of_trace(t, s->trace[i])) == 0 && around != TFP_NONE)
            line.at = t->line[around];
        t->line[i] = line.at;
        t->rank[i] = (uint8_t)(line.rank | (line.inside ? INSIDE : 0));
        t->module[i] = parent == TFP_NONE ? 0 : t->module[parent];
        if (s->kind[i] == TFP_SPAN_MODULE) t->module[i] = module_below(t, t->module[i], tfp_text(t->p, s->name[i]));
    }
}

void tfp_places_known(const tfp_profile *p, bool *lines, bool *modules)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    *lines = tfp_code_of(p)->traces.size || tfp_lines_are_functions(p);
    *modules = false;
    for (uint32_t i = 0; i < s->size && !*modules; i++) *modules = s->kind[i] == TFP_SPAN_MODULE;
    for (size_t i = 0; i < tfp_events_of(p)->attributions.size && !*modules; i++)
        *modules = tfp_events_of(p)->attributions.at[i].module;
}

bool tfp_span_places_of(tfp_report *r, tfp_span_places *t)
{
    const tfp_profile *p = tfp_profile_of(r);
    tfp_arena *a = tfp_arena_of(r);
    *t = (tfp_span_places){ .r = r, .p = p, .s = &tfp_events_of(p)->spans };
    size_t spans = t->s->size + 1, strings = tfp_strings_of(p)->count + 1, traces = tfp_code_of(p)->traces.size + 1;
    t->line = TFP_NEW(a, uint32_t, spans);
    t->module = TFP_NEW(a, uint32_t, spans);
    t->frame = TFP_NEW(a, uint32_t, spans);
    t->rank = TFP_NEW(a, uint8_t, spans);
    t->bits_of_name = TFP_NEW(a, uint8_t, strings);
    t->line_of_name = TFP_NEW(a, uint32_t, strings);
    t->line_of_trace = TFP_NEW(a, uint32_t, traces);
    bool ok = t->line && t->module && t->frame && t->rank && t->bits_of_name && t->line_of_name && t->line_of_trace &&
              tfp_strtab_init(&t->names, a) == TFP_OK && tfp_intern(&t->names, TFP_STR("")) == 0 &&
              tfp_nest_of(p, a, &t->nest) && (t->own = tfp_own_lines_of(r, &t->nest));
    if (!ok) return false;
    memset(t->bits_of_name, NOT_LOOKED_AT, strings);
    memset(t->line_of_name, 0xff, strings * sizeof *t->line_of_name);
    memset(t->line_of_trace, 0xff, traces * sizeof *t->line_of_trace);
    find_places(t);
    return !t->failed;
}

void tfp_span_places_free(tfp_span_places *t)
{
    tfp_strtab_free(&t->names);
    tfp_buf_free(&t->text);
}

/* ---- activities ---- */

static tfp_str text_or_none(const tfp_profile *p, tfp_strid id) { return id ? tfp_text(p, id) : (tfp_str){ NULL, 0 }; }

/* Takes what the launch tells. */
static void take_launch(tfp_span_places *t, uint32_t span, tfp_activity_place *out)
{
    const tfp_span_columns *s = t->s;
    uint32_t from = tfp_span_host(s, span);
    if (from == TFP_NONE) from = s->owner[span];
    if (s->node[span] != TFP_NONE) out->op = text_or_none(t->p, tfp_graph_of(t->p)->nodes.at[s->node[span]].op);
    if (s->trace[span] != TFP_NONE)
        out->line = tfp_place_name(t, tfp_place_of_trace(t, s->trace[span]));
    else if (from != TFP_NONE && !s->path[span])
        out->line = tfp_place_name(t, t->line[from]);
    if (from != TFP_NONE && !s->path[span]) out->module = tfp_place_name(t, t->module[from]);
    if (out->line.data) out->line_from = TFP_LINE_OF_FRAME;
}

tfp_activity_place tfp_place_of_activity(tfp_span_places *t, uint32_t span)
{
    tfp_attribution a = tfp_span_attribution(t->p, span);
    tfp_activity_place out = { .certainty = a.certainty, .reason = a.reason };
    bool stated = t->s->attribution[span] != TFP_NONE; /* else it is as its launch or its own event says */
    if (a.certainty == TFP_SURE_BY_LAUNCH || (a.certainty != TFP_SURE_BY_NONE && !stated)) {
        take_launch(t, span, &out);
    } else {
        out.module = text_or_none(t->p, a.module);
        out.op = text_or_none(t->p, a.op);
    }
    if (!a.line) return out;
    uint32_t line = a.trace == TFP_NONE ? 0 : tfp_place_of_trace(t, a.trace);
    out.line = line ? tfp_place_name(t, line) : tfp_text(t->p, a.line);
    out.line_from = a.line_from;
    return out;
}

tfp_activity_place tfp_place_of_row(tfp_span_places *t, const tfp_scan_row *row)
{
    if (row->span != TFP_NONE) return tfp_place_of_activity(t, row->span);
    tfp_activity_place own = { .certainty = (uint8_t)tfp_scan_certainty(t->p, row) };
    if (row->trace != TFP_NONE) own.line = tfp_place_name(t, tfp_place_of_trace(t, row->trace));
    return own;
}

tfp_str tfp_module_class(tfp_str modules)
{
    tfp_str name = tfp_str_last_part(modules);
    size_t end = name.size;
    while (end && tfp_is_digit(name.data[end - 1])) end--;
    bool number = end < name.size && end > 1 && name.data[end - 1] == '_';
    return number ? (tfp_str){ name.data, end - 1 } : name;
}
