// SPDX-License-Identifier: Apache-2.0
/* views/core/notes.c: notes of a report, and the table of their codes. */
#include "views/core/notes.h"

#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "options/columns.h"
#include "views/core/report.h"

#include <stdio.h>

#define NOTE(id, name, help) { name, help, false },
#define REMARK(id, name, help) { name, help, true },
const tfp_note_kind tfp_note_kinds[] = {
#include "views/core/notes.def"
    { NULL, NULL, false }
};
#undef NOTE
#undef REMARK

tfp_status tfp_report_note_add(tfp_report *r, tfp_note_code code, tfp_error *err, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tfp_buf shown = { 0 };
    tfp_escape(&shown, tfp_str_of(text));
    const char *copy = tfp_buf_move(&shown, &r->arena).data;
    tfp_note note = { code, copy };
    return copy && tfp_push(&r->notes, note) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_report_note_copy(tfp_report *r, const char *side, const tfp_note *note, tfp_error *err)
{
    for (size_t i = 0; i < r->notes.size && !side; i++)
        if (r->notes.at[i].code == note->code && strcmp(r->notes.at[i].text, note->text) == 0) return TFP_OK;
    return side ? tfp_report_note_add(r, note->code, err, "%s: %s", side, note->text)
                : tfp_report_note_add(r, note->code, err, "%s", note->text);
}

const tfp_note *tfp_report_note_at(const tfp_report *r, size_t i) { return i < r->notes.size ? &r->notes.at[i] : NULL; }

const tfp_note *tfp_report_note_of(const tfp_report *r, tfp_note_code code)
{
    for (size_t i = 0; i < r->notes.size; i++)
        if (r->notes.at[i].code == code) return &r->notes.at[i];
    return NULL;
}

/* Whether this format can have data for the requested columns: a graph, an op log and a checkpoint have no times,
 * bytes or runs. */
static bool may_be_of(const tfp_report *r, size_t source)
{
    static const char *const graphs[] = { "graph", "op_log", "checkpoint" };
    const tfp_profile *p = r->profile;
    const char *format = source < tfp_sources_of(p)->formats.size ? tfp_sources_of(p)->formats.at[source] : NULL;
    if (!format) return false; /* it is a folder, and its files follow */
    if (!tfp_executions_of(p)->execs.size || (r->values & (1u << TFP_V_PARAMS | 1u << TFP_V_FLOAT_OPS | TFP_V_KINDS)))
        return true;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        if (strcmp(format, graphs[i]) == 0) return false;
    return true;
}

tfp_status tfp_report_note_clamped(tfp_report *r, tfp_error *err)
{
    enum { NAMED = 4 };
    const tfp_profile *p = r->profile;
    size_t count = 0;
    if (!r->clamped) return TFP_OK;
    tfp_buf files = { 0 };
    for (size_t i = 0; i < tfp_sources_of(p)->sources.size; i++)
        if (may_be_of(r, i) && ++count <= NAMED)
            tfp_buf_printf(&files, "%s%s", count > 1 ? ", " : "", tfp_sources_of(p)->sources.at[i]);
    if (count > NAMED) tfp_buf_printf(&files, " and %zu more", count - NAMED);
    if (!count) tfp_buf_text(&files, tfp_first_source(p));
    tfp_status s = files.failed
                       ? tfp_nomem(err)
                       : tfp_report_note_add(r, TFP_NOTE_CLAMPED, err, "%.*s: sums too big for 64 bits, clamped",
                                             files.size < 900 ? (int)files.size : 900, files.data);
    tfp_buf_free(&files);
    return s;
}
