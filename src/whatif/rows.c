// SPDX-License-Identifier: Apache-2.0
/* whatif/rows.c: changes applied to a job, and the rows that their replays make. */
#include "options/units.h"
#include "views/core/report.h"
#include "views/trace/tables.h"
#include "whatif/device.h"

#include <math.h>

#define OTHER_OVER 0.02 /* share of the step by which the step of `summary` may differ without a word */

/* ---- changes ---- */

static bool apply_faster(tfp_whatif *w, const tfp_change *c)
{
    tfp_faster f = { .factor = c->number, .rank = c->rank, .host = c->host };
    bool ok = tfp_named_new(&w->job, c->pattern, &f.named) && tfp_apply_faster(&w->changer, &f);
    tfp_named_free(&f.named);
    return ok;
}

static bool apply_one(tfp_whatif *w, const tfp_change *c)
{
    w->changer.found = true;
    switch (c->kind) {
    case TFP_CHANGE_IDEAL:
        if (!c->device) return tfp_apply_ideal(&w->changer, -1);
        tfp_apply_ideal_device(w);
        break;
    case TFP_CHANGE_FUSE: return tfp_apply_fuse(w, c->pattern);
    case TFP_CHANGE_FASTER: return apply_faster(w, c);
    case TFP_CHANGE_LINK: tfp_apply_link(&w->changer, c); break;
    case TFP_CHANGE_LAUNCH: tfp_apply_launch(&w->changer, c); break;
    case TFP_CHANGE_INPUT: tfp_apply_input(&w->changer, c->number); break;
    case TFP_CHANGE_NO_SYNC: w->v.no_sync = true; break;
    case TFP_CHANGE_OVERLAP: w->v.overlap = true; break;
    case TFP_CHANGE_KEEP: return tfp_apply_ideal(&w->changer, (int64_t)c->number);
    }
    return true;
}

bool tfp_whatif_apply(tfp_whatif *w, const tfp_change *changes, size_t count, const tfp_change **no_match)
{
    static const struct {
        tfp_change_kind kind;
        bool device; /* a chain that became one kernel is no longer ideal */
    } order[] = { { TFP_CHANGE_IDEAL, false },  { TFP_CHANGE_KEEP, false },   { TFP_CHANGE_FUSE, false },
                  { TFP_CHANGE_IDEAL, true },   { TFP_CHANGE_FASTER, false }, { TFP_CHANGE_LINK, false },
                  { TFP_CHANGE_LAUNCH, false }, { TFP_CHANGE_INPUT, false },  { TFP_CHANGE_NO_SYNC, false },
                  { TFP_CHANGE_OVERLAP, false } };
    *no_match = NULL;
    tfp_variant_reset(&w->job, &w->v);
    if (w->device) memset(w->device->fused, 0, w->device->l.calls.size * sizeof *w->device->fused);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < count; i++) {
            if (changes[i].kind != order[k].kind || changes[i].device != order[k].device) continue;
            if (!apply_one(w, &changes[i])) return false;
            if (!w->changer.found && !*no_match) *no_match = &changes[i];
        }
    return true;
}

/* ---- rows ---- */

bool tfp_whatif_result_add(tfp_whatif *w, tfp_str scenario, double replay_us, double path_share)
{
    double step = w->recorded_us - (w->replay_us - replay_us);
    if (step < 0) step = 0; /* the replay, longer than the recording, shrinks by more than the recorded step */
    double gain = w->recorded_us - step;
    tfp_whatif_row row = { .scenario = scenario,
                           .step_us = step,
                           .gain_us = gain,
                           .gain_share = gain / w->recorded_us,
                           .replay_us = replay_us,
                           .replay_error = (w->replay_us - w->recorded_us) / w->recorded_us,
                           .critical_path_share = path_share };
    return tfp_push(&w->rows, row);
}

bool tfp_whatif_today_add(tfp_whatif *w, const tfp_buf *note)
{
    char *text = note->failed ? NULL : tfp_arena_copy(&w->r->arena, (tfp_str){ note->data, note->size });
    if (!text || !tfp_whatif_result_add(w, TFP_STR("today"), w->replay_us, NAN)) return false;
    if (note->size) w->rows.at[0].note = (tfp_str){ text, note->size };
    return true;
}

/* Whether the workers of a data loader, which were in time, would have to be faster than they ever were. */
static bool needs_faster_workers(const tfp_whatif *w, const tfp_whatif_row *row)
{
    if (w->v.at_once || row->gain_share < 0.01) return false;
    for (size_t u = 0; u < w->job.unit_count; u++) {
        const tfp_job_loader *l = &w->job.units[u].loader;
        if (l->batches && !l->paces && row->gain_us > l->slack) return true;
    }
    return false;
}

bool tfp_whatif_row_add(tfp_whatif *w, tfp_str scenario)
{
    tfp_job_replay(&w->job, &w->v, &w->replay);
    bool edges = w->v.no_sync || w->v.overlap;
    double share = edges ? NAN : tfp_longest_share(&w->job, &w->path, &w->v);
    if (!tfp_whatif_result_add(w, scenario, w->replay.step_us, share)) return false;
    tfp_whatif_row *row = &w->rows.at[w->rows.size - 1];
    if (needs_faster_workers(w, row)) row->note = TFP_STR("the loader kept up: its own pace is unknown");
    return true;
}

/* ---- for people ---- */

static void put_count(tfp_buf *b, size_t count, const char *of)
{
    tfp_buf_printf(b, ", %zu %s%s", count, of, count == 1 ? "" : "s");
}

/* The mean step as `summary` has it, in microseconds; NAN: unknown. */
static double summary_step(const tfp_whatif *w)
{
    tfp_step_row *rows;
    size_t count = 0, steps = 0;
    double sum = 0;
    if (tfp_step_rows(w->r, w->job.x, &rows, &count, NULL)) return NAN;
    for (size_t i = 0; i < count; i++) {
        if (*rows[i].step.data == 'a' || rows[i].paces <= 0) continue; /* `all`; other devices of the step, start-up */
        sum += (double)rows[i].step_ns / 1000;
        steps++;
    }
    return steps ? sum / (double)steps : NAN;
}

double tfp_whatif_other_step(const tfp_whatif *w)
{
    const tfp_job *j = &w->job;
    double today = w->recorded_us, marks = 0;
    for (uint32_t i = 0; i < j->steps.window_count; i++)
        marks += (j->steps.windows[i].end - j->steps.windows[i].start) / j->steps.window_count;
    if (!j->x || w->r->step.which == TFP_STEP_ONE) return NAN;
    if (tfp_job_has_steps(j) && fabs(marks - today) <= OTHER_OVER * today) return NAN;
    double other = summary_step(w);
    return fabs(other - today) <= OTHER_OVER * today ? NAN : other;
}

static void put_counted(tfp_buf *b, const tfp_whatif *w)
{
    double other = tfp_whatif_other_step(w);
    if (isnan(other)) return;
    tfp_buf_text(b, ", from the first call to the end of all work (summary: ");
    tfp_format_real(b, TFP_MICROS, other);
    tfp_buf_char(b, ')');
}

static void put_steps(tfp_buf *b, const tfp_whatif *w, size_t steps)
{
    if (w->job.steps.window_count && w->job.steps.windows[0].step == TFP_NONE) {
        tfp_buf_text(b, " in all, as the trace marks no steps");
        return;
    }
    tfp_buf_text(b, " a step");
    put_counted(b, w);
    if (w->r->step.which == TFP_STEP_ONE)
        tfp_buf_printf(b, ", step %lld", (long long)w->r->step.id);
    else
        put_count(b, steps, "step");
}

/* Writes the error of the replay; a large one is in the note instead. */
static void put_error(tfp_buf *b, double error)
{
    if (fabs(error) > TFP_WHATIF_SAID_OVER) return;
    tfp_buf_text(b, " (");
    tfp_format_real(b, TFP_SHARE, fabs(error) < 0.001 ? fabs(error) : error); /* "<0.1%" has no sign */
    tfp_buf_text(b, " off)");
}

bool tfp_whatif_headline(tfp_whatif *w, size_t steps, size_t ranks)
{
    tfp_buf b = { 0 };
    const tfp_whatif_row *today = &w->rows.at[0];
    tfp_buf_text(&b, "today  ");
    tfp_format_real(&b, TFP_MICROS, today->step_us);
    put_steps(&b, w, steps);
    put_count(&b, ranks, "rank");
    tfp_buf_text(&b, "; replayed unchanged: ");
    tfp_format_real(&b, TFP_MICROS, today->replay_us);
    put_error(&b, today->replay_error);
    if (today->note.size) tfp_buf_text(&b, "; ");
    tfp_buf_str(&b, today->note);
    w->r->headline = tfp_buf_move(&b, &w->r->arena).data;
    return w->r->headline != NULL;
}
