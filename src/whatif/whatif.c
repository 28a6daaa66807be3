// SPDX-License-Identifier: Apache-2.0
/* whatif/whatif.c: the table `whatif`: the predicted step time after each of the given changes alone, and after all of
 * them together. */
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/spans/doubts.h"
#include "whatif/change.h"
#include "whatif/device.h"
#include "whatif/gains.h"
#include "whatif/pipeline.h"

#include <math.h>

static tfp_status unmatched(const tfp_whatif *w, const tfp_change *c, tfp_error *err)
{
    tfp_status s = tfp_fail(err, TFP_BADFILE, "nothing has the name '%.*s' (%.*s)", (int)c->pattern.size,
                            c->pattern.data, (int)c->typed.size, c->typed.data);
    return tfp_within_file(err, s, tfp_first_source(tfp_profile_of(w->r)));
}

static tfp_status add_changes(tfp_whatif *w, const tfp_change *changes, size_t count, tfp_str scenario, tfp_error *err)
{
    const tfp_change *no_match;
    if (!tfp_whatif_apply(w, changes, count, &no_match)) return tfp_nomem(err);
    if (no_match) return unmatched(w, no_match, err);
    return tfp_whatif_row_add(w, scenario) ? TFP_OK : tfp_nomem(err);
}

/* Adds a row for each given change, and the row `all`, which makes no sense with -keep. */
static tfp_status add_asked(tfp_whatif *w, const tfp_change *changes, size_t count, tfp_error *err)
{
    bool keeps = false;
    tfp_status s = TFP_OK;
    for (size_t i = 0; !s && i < count; i++) {
        bool ideal = (changes[i].kind == TFP_CHANGE_IDEAL && !changes[i].device) || changes[i].kind == TFP_CHANGE_KEEP;
        keeps |= changes[i].kind == TFP_CHANGE_KEEP;
        if (ideal && w->job.unit_count < 2)
            s = tfp_within_file(err, tfp_fail(err, TFP_BADFILE, "ideal stragglers compares ranks, and this is one"),
                                tfp_first_source(tfp_profile_of(w->r)));
        if (!s && changes[i].kind == TFP_CHANGE_KEEP && changes[i].keep != TFP_KEPT_RANK)
            s = tfp_fail(err, TFP_BADFILE, "of this trace only rank:R can be kept (%.*s)", (int)changes[i].typed.size,
                         changes[i].typed.data);
        if (!s && tfp_change_of_device(&changes[i])) s = tfp_whatif_device_of(w, err);
        if (!s) s = add_changes(w, &changes[i], 1, changes[i].typed, err);
    }
    if (!s && count > 1 && !keeps) s = add_changes(w, changes, count, TFP_STR("all"), err);
    return s;
}

tfp_status tfp_whatif_today(tfp_whatif *w, tfp_error *err)
{
    tfp_job *j = &w->job;
    tfp_buf note = { 0 };
    w->replay.at = TFP_NEW(tfp_arena_of(w->r), double, j->graph.node_count + 1);
    w->replay.behind = TFP_NEW(tfp_arena_of(w->r), double, j->unit_count + 1);
    if (!w->replay.at || !w->replay.behind || !tfp_variant_new(j, &w->v) || !tfp_changer_new(&w->changer, j, &w->v))
        return tfp_nomem(err);
    w->recorded_us = tfp_job_step(j, &w->v, NULL, &w->replay);
    if (!(w->recorded_us > 0))
        return tfp_within_file(err, tfp_fail(err, TFP_BADFILE, "no step with a length: there is nothing to replay"),
                               tfp_first_source(tfp_profile_of(w->r)));
    if (tfp_whatif_runs_later(j))
        return tfp_within_file(err,
                               tfp_fail(err, TFP_BADFILE,
                                        "the host's work runs after the steps that start it, not in them, so that no "
                                        "change of a step can be predicted: wait for the result in each step "
                                        "(block_until_ready)"),
                               tfp_first_source(tfp_profile_of(w->r)));
    tfp_job_replay(j, &w->v, &w->replay);
    w->replay_us = w->replay.step_us;
    tfp_status s = tfp_whatif_judge(w, &note, err);
    if (!s && (!tfp_longest_of(j, &w->v, &w->replay, &w->path) || !tfp_whatif_today_add(w, &note))) s = tfp_nomem(err);
    tfp_buf_free(&note);
    return s;
}

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(tfp_whatif_row, "scenario", TEXT, LABEL, scenario, "today; then each change alone, as typed without dashes; all: those together."),
    TFP_COLUMN_WHOLE(tfp_whatif_row, "step_us", REAL, MICROS, step_us, "The step time: recorded for today, predicted for changes. Time that the replay does not explain is unchanged."),
    TFP_COLUMN_WHOLE(tfp_whatif_row, "gain_us", REAL, MICROS, gain_us, "How much shorter a step would be."),
    TFP_COLUMN_WHOLE(tfp_whatif_row, "gain_share", REAL, SHARE, gain_share, "The gain divided by the recorded step time."),
    TFP_COLUMN_WHOLE(tfp_whatif_row, "replay_us", REAL, MICROS, replay_us, "The replay's own step: unchanged, or with the change."),
    TFP_COLUMN_WHOLE(tfp_whatif_row, "replay_error", REAL, SHARE, replay_error, "By how much the unchanged replay is longer than what was recorded, as a share."),
    TFP_COLUMN(tfp_whatif_row, "critical_path_share", REAL, SHARE, critical_path_share, "The share of the longest path of today's replay that the change touches: no change of durations can gain more. Empty for changes that remove waits."),
    TFP_COLUMN(tfp_whatif_row, "note", TEXT, LABEL, note, "Notes about the replay."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0, false, false },
};
/* clang-format on */

static tfp_status note_loader(const tfp_whatif *w, tfp_error *err)
{
    for (size_t i = 1; i < w->rows.size; i++)
        if (w->rows.at[i].note.size)
            return tfp_report_note_add(w->r, TFP_NOTE_LOADER_KEPT_UP, err,
                                       "the data loader kept up, so its own pace is unknown: it may limit a gain");
    return TFP_OK;
}

static tfp_status give(tfp_whatif *w, tfp_error *err)
{
    size_t count = w->rows.size;
    tfp_status s = note_loader(w, err);
    if (s) return s;
    tfp_whatif_row *rows = TFP_NEW(tfp_arena_of(w->r), tfp_whatif_row, count + 1);
    if (!rows) return tfp_nomem(err);
    memcpy(rows, w->rows.at, count * sizeof *rows);
    return tfp_grid_of(w->r, &(tfp_row_table){ columns, rows, sizeof *rows, count, 0 }, err);
}

/* Fills the rows for a trace of events. */
static tfp_status fill_rows(tfp_whatif *w, const tfp_change *changes, size_t count, tfp_error *err)
{
    tfp_status s = TFP_OK;
    if (tfp_step_of(w->r).phase)
        return tfp_fail(err, TFP_BADARG, "option -phase: a recording is replayed as a whole: -step N takes one step");
    if (tfp_step_of(w->r).which == TFP_STEP_ONE && tfp_step_of(w->r).row == TFP_NONE)
        return tfp_within_file(
            err, tfp_fail(err, TFP_BADFILE, "step %lld not found (no steps)", (long long)tfp_step_of(w->r).id),
            tfp_first_source(tfp_profile_of(w->r)));
    s = tfp_job_of(w->r, &w->job, err);
    if (!s) s = tfp_whatif_today(w, err);
    if (!s && !tfp_whatif_headline(w, (size_t)w->job.steps.count, w->job.unit_count)) s = tfp_nomem(err);
    if (!s) s = tfp_note_recording(w->r, tfp_profile_of(w->r), NULL, err);
    if (s) return s;
    return count ? add_asked(w, changes, count, err) : tfp_whatif_best(w, err);
}

static tfp_status fill(tfp_whatif *w, tfp_error *err)
{
    TFP_VEC(tfp_change) changes = { 0 };
    tfp_change change;
    tfp_status s = TFP_OK;
    for (tfp_str rest = tfp_str_of(tfp_options_of(w->r)->verb.changes); !s && tfp_change_next(&rest, &change);)
        if (!tfp_push(&changes, change)) s = tfp_nomem(err);
    bool pipeline = tfp_is_pipeline(tfp_profile_of(w->r));
    if (!s) s = (pipeline ? tfp_pipeline_rows : fill_rows)(w, changes.at, changes.size, err);
    if (!s) s = give(w, err);
    tfp_vec_free(&changes);
    return s;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_whatif w = { .r = r };
    tfp_status s = fill(&w, err);
    tfp_whatif_device_free(&w);
    tfp_job_free(&w.job);
    tfp_vec_free(&w.rows);
    return s;
}

/* ---- single changes for other views: all of them are replays of one graph ---- */

/* Whether a typed change can be applied: those of the device need its limits. */
static bool can_apply(tfp_whatif *w, const tfp_change *change)
{
    tfp_error why = { 0 };
    if (!tfp_change_of_device(change)) return change->kind != TFP_CHANGE_IDEAL || w->job.unit_count > 1;
    return tfp_whatif_device_of(w, &why) == TFP_OK;
}

static bool apply_typed(tfp_whatif *w, const char *typed, bool *applies)
{
    tfp_change change;
    tfp_str rest = tfp_str_of(typed);
    const tfp_change *no_match;
    *applies = tfp_change_next(&rest, &change) && can_apply(w, &change);
    return !*applies || tfp_whatif_apply(w, &change, 1, &no_match);
}

static bool fill_gain(tfp_whatif *w, tfp_remedy *remedy)
{
    bool applies = true, ok;
    tfp_variant_reset(&w->job, &w->v);
    if (remedy->typed)
        ok = apply_typed(w, remedy->typed, &applies);
    else
        ok = tfp_apply_remedy(&w->changer, remedy);
    if (!ok || !applies) return ok;
    if (!tfp_whatif_row_add(w, TFP_STR(""))) return false;
    remedy->gain_us = w->rows.at[w->rows.size - 1].gain_us;
    return true;
}

static bool can_replay(const tfp_report *r)
{
    return tfp_has(tfp_profile_of(r), TFP_HAS_TRACE) && !tfp_runs_of(r) && !tfp_cut_of(r) &&
           !tfp_is_pipeline(tfp_profile_of(r));
}

tfp_status tfp_whatif_gains(tfp_report *r, tfp_remedy *remedies, size_t count, tfp_gains_about *about, tfp_error *err)
{
    tfp_whatif w = { .r = r };
    *about = (tfp_gains_about){ 0 };
    for (size_t i = 0; i < count; i++) remedies[i].gain_us = NAN;
    if (!count || !can_replay(r)) return TFP_OK;
    tfp_status s = tfp_job_of(r, &w.job, err);
    if (!s) s = tfp_whatif_today(&w, err);
    bool trusted = !s && fabs(w.rows.at[0].replay_error) <= TFP_WHATIF_SAID_OVER;
    if (trusted) {
        about->limit = tfp_longest_limit(&w.job, &w.path);
        about->lacks_launches = tfp_whatif_lacks_launches(&w.job);
    }
    for (size_t i = 0; trusted && !s && i < count; i++)
        if (!fill_gain(&w, &remedies[i])) s = tfp_nomem(err);
    tfp_whatif_device_free(&w);
    tfp_job_free(&w.job);
    tfp_vec_free(&w.rows);
    if (s != TFP_BADFILE) return s;
    tfp_error_clear(err); /* refused: there is no answer */
    return TFP_OK;
}

const tfp_view tfp_view_whatif = {
    .name = "whatif",
    .help = "How long a step would be after changes: faster operations, cheaper launches, no stragglers.",
    .kind = TFP_REPORT_GRID,
    .build = build,
    .needs = TFP_NEEDS_SPANS | TFP_NEEDS_EVENTS | TFP_FINDS_STEPS,
    .reads = TFP_READS_STRIDES,
    .columns = columns,
};
