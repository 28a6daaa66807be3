// SPDX-License-Identifier: Apache-2.0
/* views/spans/places.c: for each span of a host thread the modules around it, and the innermost line of the user's
 * code: of a Python frame around it, or of its call stack. */
#include "views/spans/places.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "views/core/engine.h"
#include "views/core/handle.h"
#include "views/core/own_frame.h"
#include "views/spans/nest.h"
#include "views/spans/trace.h"

enum { MODULES_MOST = 16 << 10 }; /* most bytes of a path of modules */

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
    if (tfp_is_library_file(file)) return 0;
    t->text.size = 0;
    tfp_put_line(&t->text, file, line, function);
    return keep_text(t);
}

static uint32_t line_of_frame(tfp_span_places *t, uint32_t span)
{
    tfp_python_frame f;
    uint32_t *known = &t->line_of_name[t->s->name[span]];
    if (*known != TFP_NONE) return *known;
    bool frame = tfp_python_frame_of(tfp_text(t->p, t->s->name[span]), &f);
    return *known = frame ? line_name(t, f.file, f.line, f.function) : 0;
}

/* The line of the user's code from which a library's function is called; 0: it is not told. */
static uint32_t line_of_call(tfp_span_places *t, tfp_strid key, uint32_t span, uint32_t caller)
{
    tfp_python_frame f;
    return tfp_line_of_call(t->p, key, span, caller, &f) ? line_name(t, f.file, f.line, f.function) : 0;
}

uint32_t tfp_place_of_trace(tfp_span_places *t, uint32_t trace)
{
    const tfp_profile *p = t->p;
    uint32_t *known = &t->line_of_trace[trace], found = 0;
    if (*known != TFP_NONE) return *known;
    for (uint32_t i = tfp_code_of(p)->traces.at[trace].count; i-- > 0 && !found;) {
        const tfp_code_frame *f =
            &tfp_code_of(p)->frames.at[tfp_code_of(p)->trace_frames.at[tfp_code_of(p)->traces.at[trace].first + i]];
        found = line_name(t, tfp_text(p, f->file), f->line, tfp_text(p, f->function));
    }
    return *known = found;
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

/* Sets the places of all spans; parents come first. */
static void find_places(tfp_span_places *t)
{
    const tfp_span_columns *s = t->s;
    tfp_python_frame f;
    bool frames = tfp_lines_are_functions(t->p);
    tfp_strid call = frames ? tfp_stat_key(t->p, TFP_LINE_OF_CALL) : TFP_NONE;
    for (size_t k = 0; k < s->size && !t->failed; k++) {
        uint32_t i = t->nest.order[k], around = t->nest.parent[i], parent = s->parent[i], own = 0;
        if (s->kind[i] == TFP_SPAN_ACTIVITY) continue;
        bool called = s->kind[i] == TFP_SPAN_FRAME || s->kind[i] == TFP_SPAN_MODULE;
        t->frame[i] = around == TFP_NONE ? TFP_NONE : t->frame[around];
        if (frames && s->kind[i] == TFP_SPAN_FRAME) own = line_of_frame(t, i);
        if (!own && called) own = line_of_call(t, call, i, t->frame[i]);
        if (s->kind[i] == TFP_SPAN_FRAME && tfp_python_frame_of(tfp_text(t->p, s->name[i]), &f)) t->frame[i] = i;
        if (!frames && s->trace[i] != TFP_NONE) own = tfp_place_of_trace(t, s->trace[i]);
        t->line[i] = own ? own : around == TFP_NONE ? 0 : t->line[around];
        t->module[i] = parent == TFP_NONE ? 0 : t->module[parent];
        if (s->kind[i] == TFP_SPAN_MODULE) t->module[i] = module_below(t, t->module[i], tfp_text(t->p, s->name[i]));
    }
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
    t->line_of_name = TFP_NEW(a, uint32_t, strings);
    t->line_of_trace = TFP_NEW(a, uint32_t, traces);
    bool ok = t->line && t->module && t->frame && t->line_of_name && t->line_of_trace &&
              tfp_strtab_init(&t->names, a) == TFP_OK && tfp_intern(&t->names, TFP_STR("")) == 0 &&
              tfp_nest_of(p, a, &t->nest);
    if (!ok) return false;
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
