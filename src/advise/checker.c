// SPDX-License-Identifier: Apache-2.0
/* advise/checker.c: shared by checkers and rules: adds findings to a row, and builds the view that a checker
 * examines. */
#include "advise/checker.h"
#include "model/tables/sources.h"
#include "options/columns.h"
#include "options/options.h"
#include "options/units.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <math.h>

tfp_status tfp_checker_find(tfp_report *r, uint32_t row, tfp_str text, tfp_error *err)
{
    char *copy = tfp_arena_copy(&r->arena, text);
    tfp_finding f = { .checker = row,
                      .text = { copy, text.size },
                      .evidence = { .span = TFP_NONE },
                      .seconds = NAN,
                      .gain_seconds = NAN };
    return copy && tfp_push(&r->findings, f) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_checker_find_text(tfp_report *r, uint32_t row, tfp_buf *b, tfp_error *err)
{
    tfp_status s = b->failed ? tfp_nomem(err) : tfp_checker_find(r, row, (tfp_str){ b->data, b->size }, err);
    tfp_buf_free(b);
    return s;
}

void tfp_checker_about(tfp_report *r, double seconds, const char *command)
{
    tfp_finding *f = &r->findings.at[r->findings.size - 1];
    f->seconds = seconds;
    f->command = tfp_str_of(command);
    f->file = tfp_only_source(r->profile);
}

/* NULL for a folder as well. */
tfp_str tfp_only_source(const tfp_profile *p)
{
    uint32_t only = TFP_NONE;
    for (uint32_t i = 0; i < tfp_sources_of(p)->sources.size; i++) {
        if (!tfp_sources_of(p)->formats.at[i]) continue;
        if (only != TFP_NONE) return TFP_STR("");
        only = i;
    }
    return only == TFP_NONE ? TFP_STR("") : tfp_str_of(tfp_sources_of(p)->sources.at[only]);
}

tfp_status tfp_checker_build(const tfp_report *r, const tfp_view *view, tfp_options *o, tfp_report **out,
                             tfp_error *err)
{
    tfp_status s = TFP_OK;
    if (!s && tfp_options_phase(r->options)) s = tfp_options_set(o, "phase", r->options->part.phase, err);
    if (!s) {
        o->made.reach = true;
        o->made.working = true;
        s = tfp_view_build(r->profile, view, o, out, err);
    }
    return s;
}

tfp_status tfp_checker_view(const tfp_report *r, const tfp_view *view, const char *const *options, tfp_report **out,
                            tfp_error *err)
{
    tfp_options *o = tfp_options_new();
    tfp_status s = o ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; !s && options[i]; i += 2) s = tfp_options_set(o, options[i], options[i + 1], err);
    if (!s) s = tfp_checker_build(r, view, o, out, err);
    tfp_options_free(o);
    return s;
}

void tfp_checker_times(tfp_buf *b, const tfp_report *r, uint32_t row, bool totals)
{
    static const struct {
        const char *label;
        tfp_value value;
    } times[] = { { ", cpu: ", TFP_V_CPU_MICROS },
                  { ", accelerator: ", TFP_V_ACCELERATOR_MICROS },
                  { ", total: ", TFP_V_MICROS } };
    for (size_t i = 0; i < 3; i++) {
        tfp_buf_text(b, times[i].label);
        tfp_format_time(b, tfp_micros(totals ? tfp_total(r, row, times[i].value) : tfp_own(r, row, times[i].value)));
    }
}
