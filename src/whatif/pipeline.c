// SPDX-License-Identifier: Apache-2.0
/* whatif/pipeline.c: the rows of `whatif` for a pipeline's timeline: today, the job without stragglers, and the same
 * with some stragglers kept. */
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "whatif/change.h"
#include "whatif/pipeline.h"

#include <math.h>

#define REFUSED_OVER 0.25

static tfp_status refuse(const tfp_pipeline *p, tfp_status s, tfp_error *err)
{
    return tfp_within_file(err, s, tfp_first_source(tfp_profile_of(p->r)));
}

static tfp_status find_step(const tfp_pipeline *p, uint32_t *step, tfp_error *err)
{
    *step = TFP_NONE;
    if (tfp_step_of(p->r).which != TFP_STEP_ONE) return TFP_OK;
    for (uint32_t i = 0; i < p->steps.size; i++)
        if (p->steps.at[i] == tfp_step_of(p->r).id) *step = i;
    if (*step != TFP_NONE) return TFP_OK;
    return refuse(p,
                  tfp_fail(err, TFP_BADFILE, "step %lld not found (%zu steps from %lld to %lld)",
                           (long long)tfp_step_of(p->r).id, p->steps.size,
                           p->steps.size ? (long long)p->steps.at[0] : 0,
                           p->steps.size ? (long long)p->steps.at[p->steps.size - 1] : 0),
                  err);
}

static bool keeps_something(const tfp_pipeline *p, const tfp_change *c)
{
    if (c->keep == TFP_KEPT_STAGE) return c->number < p->stage_count;
    if (c->keep == TFP_KEPT_OP) {
        for (size_t i = 0; i < p->nodes.size; i++)
            if (tfp_str_eq(c->pattern, tfp_str_of(tfp_stage_type_names[p->nodes.at[i].type]))) return true;
        return tfp_str_eq(c->pattern, TFP_STR("forward-pp-comm")) ||
               tfp_str_eq(c->pattern, TFP_STR("backward-pp-comm"));
    }
    for (size_t i = 0; i < p->ranks.size; i++)
        if ((double)p->ranks.at[i] == c->number) return true;
    return false;
}

static tfp_status add_change(tfp_pipeline *p, tfp_whatif *w, const tfp_change *c, uint32_t step, tfp_error *err)
{
    bool keep = c->kind == TFP_CHANGE_KEEP;
    if (c->kind != TFP_CHANGE_IDEAL && !keep)
        return refuse(p,
                      tfp_fail(err, TFP_BADFILE,
                               "for a pipeline's timeline only -ideal stragglers and -keep can be used, not %.*s",
                               (int)c->typed.size, c->typed.data),
                      err);
    if (keep && !keeps_something(p, c))
        return refuse(p, tfp_fail(err, TFP_BADFILE, "nothing has the name '%.*s'", (int)c->typed.size, c->typed.data),
                      err);
    tfp_pipe_scenario s = { .step = step, .ideal = true, .keep = keep ? c : NULL };
    return tfp_whatif_result_add(w, c->typed, tfp_pipeline_replay(p, &s), NAN) ? TFP_OK : tfp_nomem(err);
}

/* Adds the row `today`, with notes about spans that the model cannot represent, and about launch delays, which it does
 * not have. */
static tfp_status add_today(const tfp_pipeline *p, tfp_whatif *w, tfp_error *err)
{
    tfp_buf note = { 0 };
    double error = (w->replay_us - w->recorded_us) / w->recorded_us;
    if (fabs(error) > REFUSED_OVER)
        return refuse(
            p,
            tfp_fail(err, TFP_BADFILE,
                     "the replay of what was recorded is off by %.1f %% (too %s), so that no change can be predicted; "
                     "most of it: operations that start late though nothing that they need is missing",
                     100 * fabs(error), error > 0 ? "long" : "short"),
            err);
    if (p->others)
        tfp_buf_printf(&note, "%zu span%s no place in the model of a pipeline and %s left out", p->others,
                       p->others == 1 ? " has" : "s have", p->others == 1 ? "is" : "are");
    if (fabs(error) > TFP_WHATIF_SAID_OVER)
        tfp_buf_printf(&note, "%sthe replay is off by %.1f %% (too %s)", note.size ? "; " : "", 100 * fabs(error),
                       error > 0 ? "long" : "short");
    bool ok = tfp_whatif_today_add(w, &note);
    tfp_buf_free(&note);
    return ok ? TFP_OK : tfp_nomem(err);
}

static tfp_status fill(tfp_pipeline *p, tfp_whatif *w, const tfp_change *changes, size_t count, tfp_error *err)
{
    static const tfp_change ideal = { .kind = TFP_CHANGE_IDEAL, .typed = { "ideal stragglers", 16 } };
    uint32_t step;
    tfp_status s = tfp_pipeline_read(p, err);
    if (!s) s = find_step(p, &step, err);
    if (s) return s;
    if (!tfp_pipeline_model(p)) return tfp_nomem(err);
    w->recorded_us = tfp_pipeline_recorded(p, step);
    if (!(w->recorded_us > 0))
        return refuse(p, tfp_fail(err, TFP_BADFILE, "no step of the timeline ends with an optimizer"), err);
    w->replay_us = tfp_pipeline_replay(p, &(tfp_pipe_scenario){ .step = step });
    s = add_today(p, w, err);
    if (!s && !tfp_whatif_headline(w, p->steps.size, p->ranks.size * p->stage_count)) s = tfp_nomem(err);
    for (size_t i = 0; !s && i < count; i++) s = add_change(p, w, &changes[i], step, err);
    if (!s && !count) s = add_change(p, w, &ideal, step, err);
    return s;
}

tfp_status tfp_pipeline_rows(tfp_whatif *w, const tfp_change *changes, size_t count, tfp_error *err)
{
    tfp_pipeline p = { .r = w->r };
    tfp_status s = fill(&p, w, changes, count, err);
    tfp_pipeline_free(&p);
    return s;
}
