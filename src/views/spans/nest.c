// SPDX-License-Identifier: Apache-2.0
/* views/spans/nest.c: adapts the nesting with Python frames (model/nest.h) to a report: clips to a range, computes self times,
 * and adds a note about cut spans. */
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/stats.h"
#include "views/core/engine.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/spans/nest.h"
#include "views/spans/trace.h"

void tfp_nest_cut(const tfp_profile *p, const tfp_cut *c, tfp_nest *n)
{
    for (uint32_t i = 0; c && i < tfp_events_of(p)->spans.size; i++) {
        int64_t start = tfp_cut_start(c, p, i),
                end = tfp_add(tfp_events_of(p)->spans.start_ns[i], n->duration_ns[i], NULL);
        uint32_t process = tfp_lanes_of(p)->at[tfp_events_of(p)->spans.lane[i]].process;
        if (process != TFP_NONE && end > c->to_ns[process]) end = c->to_ns[process];
        n->duration_ns[i] = end > start ? end - start : 0;
    }
}

int64_t *tfp_nest_self(const tfp_profile *p, const tfp_nest *n, tfp_arena *arena)
{
    size_t count = tfp_events_of(p)->spans.size;
    int64_t *self_ns = TFP_NEW(arena, int64_t, count + 1);
    for (size_t i = 0; self_ns && i < count; i++) {
        self_ns[i] = tfp_add(self_ns[i], n->duration_ns[i], NULL);
        if (n->parent[i] != TFP_NONE) self_ns[n->parent[i]] = tfp_add(self_ns[n->parent[i]], -n->duration_ns[i], NULL);
    }
    return self_ns;
}

bool tfp_is_frame(const tfp_profile *p, uint32_t span)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    if (s->kind[span] != TFP_SPAN_ANNOTATION) return s->kind[span] == TFP_SPAN_FRAME;
    return tfp_str_begins(tfp_text(p, s->name[span]), TFP_STR("$"));
}

bool tfp_has_bare_frames(const tfp_profile *p)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_python_frame f;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->kind[i] == TFP_SPAN_ANNOTATION && tfp_is_frame(p, i) && tfp_python_frame_of(tfp_text(p, s->name[i]), &f))
            return true;
    return false;
}

bool tfp_line_of_call(const tfp_profile *p, tfp_strid key, uint32_t span, uint32_t caller, tfp_python_frame *out)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    const tfp_stat *from = key == TFP_NONE || caller == TFP_NONE ? NULL : tfp_span_stat(p, span, key);
    if (!from || from->type != TFP_STAT_TEXT || !tfp_python_frame_of(tfp_text(p, s->name[caller]), out)) return false;
    tfp_str text = tfp_text(p, (tfp_strid)from->value.text);
    int64_t line = 0;
    size_t colon = text.size;
    while (colon && text.data[colon - 1] != ':') colon--;
    if (!colon || !tfp_parse_int64((tfp_str){ text.data + colon, text.size - colon }, &line)) return false;
    if (line <= 0 || line > INT32_MAX || !tfp_str_eq((tfp_str){ text.data, colon - 1 }, out->file)) return false;
    out->line = (int32_t)line;
    return true;
}

bool tfp_has_lines_of_calls(const tfp_profile *p)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_strid key = tfp_stat_key(p, TFP_LINE_OF_CALL);
    for (uint32_t i = 0; key != TFP_NONE && i < s->size; i++)
        if (s->kind[i] == TFP_SPAN_FRAME && tfp_span_stat(p, i, key)) return true;
    return false;
}

tfp_status tfp_nest_note(tfp_report *r, const tfp_nest *n, tfp_error *err)
{
    if (!n->cuts) return TFP_OK;
    bool one = n->cuts == 1;
    return tfp_report_note_add(r, TFP_NOTE_FRAMES_CUT, err,
                               "%lld Python frame%s cross%s the end of the span around and %s cut there",
                               (long long)n->cuts, one ? "" : "s", one ? "es" : "", one ? "is" : "are");
}
