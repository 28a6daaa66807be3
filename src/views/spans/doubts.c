// SPDX-License-Identifier: Apache-2.0
/* views/spans/doubts.c: the words of doubts, and the steps that they leave out (doubts.h). */
#include "views/spans/doubts.h"
#include "model/tables/events.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "options/units.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/spans/trace.h"

#include <stdlib.h>

#define DAY_NS ((int64_t)86400 * 1000000000)

/* What is said of a kind: "3 of 20 WHAT, in step 2, REST"; "WHAT (3): REST"; "3 ms of the first step wait REST"; "WHAT 2 days REST"; "WHAT: REST". */
typedef enum form { PART, COUNT, WAIT, TIME, ALL } form;
typedef struct words {
    const char *name;             /* of the fact in `summary` */
    const char *severity, *check; /* what `check` says */
    form form;
    const char *what, *rest;
} words;

/* clang-format off */
static const words kinds[TFP_DOUBT_KINDS] = {
    [TFP_DOUBT_FAR] = { "doubt_far", "warning", "events over a day from all others, left out",
                        COUNT, "events lie over a day from all others", "left out" },
    [TFP_DOUBT_TWICE] = { "doubt_twice", "warning", "activities that were recorded twice, counted once",
                          COUNT, "activities were recorded twice", "counted once" },
    [TFP_DOUBT_OVERLAPS] = { "doubt_overlaps", "warning",
                             "activities that end long after the next one of their stream began, cut there (overlap)",
                             COUNT, "activities overlap: they end long after the next one of their stream began", "cut there" },
    [TFP_DOUBT_CUT] = { "doubt_cut", "warning", "the file is cut short and not in the order of time: what is missing may be anywhere",
                        ALL, "the file is cut short and not in the order of time", "work may be missing anywhere" },
    [TFP_DOUBT_LOST_KERNELS] = { "doubt_lost_kernels", "warning",
                                 "launches of kernels that have no kernel in the recording: the device was not idle there",
                                 PART, "launches of kernels", "have no kernel in the recording: how long the device is idle there is not known" },
    [TFP_DOUBT_LOST_REPLAYS] = { "doubt_lost_replays", "warning",
                                 "launches of graphs that have no kernels in the recording: the device was not idle there",
                                 PART, "launches of graphs", "have no kernels in the recording: how long the device is idle there is not known" },
    [TFP_DOUBT_LOST_NODES] = { "doubt_lost_nodes", "warning",
                               "kernels that a graph's other replays have and some lack: the device was not idle there",
                               PART, "kernels of replayed graphs", "are not in the recording, as other replays show: how long the device is idle there is not known" },
    [TFP_DOUBT_NO_LENGTH] = { "doubt_no_length", "warning", "activities of devices that have no duration",
                              COUNT, "activities of devices have no duration", "how long the device is busy there is not known" },
    [TFP_DOUBT_HOLE] = { "doubt_hole", "warning", "holes in the recording: launches or operators go on in them, and none was recorded",
                         TIME, "nothing was recorded in the middle for", "launches or operators went on there, which are missing" },
    [TFP_DOUBT_MIXED] = { "doubt_mixed", "warning",
                          "several recordings are mixed in one process: which work belongs together is not known",
                          ALL, "several recordings are mixed in one process", "which work belongs together is not known" },
    [TFP_DOUBT_CROWDED] = { "doubt_crowded", "warning", "activities of streams most of which overlap: their times cannot be right",
                            COUNT, "activities overlap, which are most of their stream", "how long the device is busy is not known" },
    [TFP_DOUBT_UNRECORDED] = { "doubt_unrecorded", "info",
                               "the recording begins while a device does work from before it: that is no idle time",
                               WAIT, NULL, "for work from before the recording" },
    [TFP_DOUBT_CLOCKS] = { "doubt_clocks", "warning",
                           "ranks whose devices have a clock far from the host's: no launch delay or cause of idle time is known",
                           TIME, "the clock of the devices differs from the host's by", "no launch delay or cause of idle time is known" },
    [TFP_DOUBT_APPENDED] = { "doubt_appended", "warning", "recordings of one process that follow each other in a file: the time between them counts for nothing",
                             TIME, "recordings follow each other in one file, apart by", "that time counts for nothing" },
    [TFP_DOUBT_LOADING] = { "loading", "info", "launches of over a millisecond whose kernel runs for the first time: they load its code",
                            COUNT, "kernels ran for the first time", "their launches load code" },
    [TFP_DOUBT_COMPILING] = { "compiling", "info", "compilations and searches for the fastest kernel before the first steady step",
                              COUNT, "compilations and searches for kernels", "they run once" },
    [TFP_DOUBT_UNITS] = { "doubt_units", "warning",
                          "times that no device or host can have: the file's unit is another one, or digits are lost",
                          ALL, "times are too short or too long for work of a device and its host",
                          "the file's unit is another one, or digits are lost" },
};
/* clang-format on */

const char *tfp_doubt_name(tfp_doubt_kind kind) { return kinds[kind].name; }
const char *tfp_doubt_check(tfp_doubt_kind kind, const char **severity)
{
    *severity = kinds[kind].severity;
    return kinds[kind].check;
}

bool tfp_doubt_sum_of(const tfp_profile *p, tfp_step_choice steps, tfp_doubt_kind kind, tfp_doubt_sum *out)
{
    const tfp_event_tables *e = tfp_events_of(p);
    *out = (tfp_doubt_sum){ 0 };
    steps.left = NULL;
    for (size_t i = 0; i < e->doubts.size; i++) {
        const tfp_doubt *d = &e->doubts.at[i];
        bool everywhere = tfp_doubt_is_repaired(kind) || kind == TFP_DOUBT_CLOCKS || kind == TFP_DOUBT_MIXED ||
                          kind == TFP_DOUBT_UNITS;
        if (d->kind != kind || (!everywhere && !tfp_step_takes(steps, d->step))) continue;
        out->count = tfp_add(out->count, d->count, NULL);
        out->of = tfp_add(out->of, d->of, NULL);
        if (kind == TFP_DOUBT_CLOCKS)
            out->ns = d->ns > out->ns ? d->ns : out->ns;
        else
            out->ns = tfp_add(out->ns, d->ns, NULL);
        if (!d->count) continue;
        out->one = d->step;
        if (!out->steps++) out->name = d->name;
    }
    return out->steps > 0;
}

/* Appends where it is, if the recording has several steps. */
static void put_where(const tfp_profile *p, const tfp_doubt_sum *sum, tfp_buf *out)
{
    if (tfp_executions_of(p)->step_order.size < 2) return;
    if (sum->steps > 1)
        tfp_buf_printf(out, ", in %zu steps,", sum->steps);
    else if (sum->one == TFP_NONE)
        tfp_buf_text(out, ", outside of all steps,");
    else
        tfp_buf_printf(out, ", in step %lld,", (long long)tfp_executions_of(p)->steps.at[sum->one].id);
}

/* "463 ms of the first step wait REST: it is in no mean". Of an only step the rest counts. */
static void put_wait(const words *of, const tfp_doubt_sum *sum, tfp_buf *out)
{
    tfp_format_real(out, TFP_MICROS, (double)sum->ns / 1000);
    if (sum->one == TFP_NONE)
        tfp_buf_printf(out, " at the start wait %s: only what comes after counts", of->rest);
    else if (sum->steps == 1)
        tfp_buf_printf(out, " of the first step wait %s: it is in no mean", of->rest);
    else
        tfp_buf_printf(out, " of %zu steps wait %s: they are in no mean", sum->steps, of->rest);
}

void tfp_doubt_put(const tfp_profile *p, tfp_doubt_kind kind, const tfp_doubt_sum *sum, tfp_buf *out)
{
    const words *of = &kinds[kind];
    switch (of->form) {
    case PART:
        tfp_buf_printf(out, "%lld of %lld %s", (long long)sum->count, (long long)sum->of, of->what);
        put_where(p, sum, out);
        tfp_buf_printf(out, " %s", of->rest);
        break;
    case COUNT: tfp_buf_printf(out, "%s (%lld): %s", of->what, (long long)sum->count, of->rest); break;
    case WAIT: put_wait(of, sum, out); break;
    case ALL: tfp_buf_printf(out, "%s: %s", of->what, of->rest); break;
    case TIME:
        tfp_buf_printf(out, "%s ", of->what);
        if (sum->ns >= DAY_NS)
            tfp_buf_printf(out, "%.1f days", (double)sum->ns / DAY_NS);
        else
            tfp_format_real(out, TFP_MICROS, (double)sum->ns / 1000);
        tfp_buf_printf(out, ": %s", of->rest);
        break;
    }
}

tfp_status tfp_note_recording(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err)
{
    tfp_status s = tfp_note_guessed_steps(r, p, side, err);
    return s ? s : tfp_note_doubts(r, p, side, err);
}

/* lost: only what is missing. Repairs are warnings. */
static tfp_status note(tfp_report *r, const tfp_profile *p, const char *side, bool lost, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (unsigned kind = 0; kind < TFP_DOUBT_KINDS && !s; kind++) {
        tfp_doubt_sum sum;
        tfp_buf b = { 0 };
        bool wanted = lost ? tfp_doubt_is_lost(kind) : tfp_doubt_is_said(kind) && !tfp_doubt_is_repaired(kind);
        if (!wanted || !tfp_doubt_sum_of(p, tfp_step_of(r), kind, &sum)) continue;
        tfp_doubt_put(p, kind, &sum, &b);
        s = b.failed ? tfp_nomem(err)
                     : tfp_report_note_add(r, TFP_NOTE_DOUBT, err, "%s%s%.*s", side ? side : "", side ? ": " : "",
                                           (int)b.size, b.data);
        tfp_buf_free(&b);
    }
    return s;
}

tfp_status tfp_note_doubts(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err)
{
    return note(r, p, side, false, err);
}

tfp_status tfp_note_lost(tfp_report *r, tfp_error *err) { return note(r, tfp_profile_of(r), NULL, true, err); }

bool tfp_starts_late(const tfp_profile *p, uint32_t process)
{
    const tfp_event_tables *e = tfp_events_of(p);
    for (size_t i = 0; i < e->doubts.size; i++) {
        const tfp_doubt *d = &e->doubts.at[i];
        if (d->kind == TFP_DOUBT_UNRECORDED && d->process == process && d->step == TFP_NONE) return true;
    }
    return false;
}

/* ---- steps ---- */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool has(const tfp_step_keys *k, uint32_t unit, uint32_t step)
{
    uint64_t key = (uint64_t)unit << 32 | step;
    return k->count && bsearch(&key, k->at, k->count, sizeof key, by_number);
}

/* Whether a device worked in a step that stays, or in no step at all that could be asked. */
static bool works_elsewhere(const tfp_doubted_steps *d)
{
    const tfp_trace_index *x = d->x;
    bool asked = false;
    for (size_t i = 0; i < x->device_count; i++) {
        const tfp_trace_device *device = &x->devices[i];
        for (size_t k = 0; k < device->count && !device->host; k++) {
            uint32_t step = x->s->step[x->items[device->first + k]];
            if (step == TFP_NONE) continue;
            asked = true;
            if (!has(&d->doubted, device->unit, step) && !has(&d->unsteady, device->unit, step)) return true;
        }
    }
    return !asked;
}

/* Whether most of the report's steps are in doubt, and whether all of the others are unsteady. Steps in which no device works
 * stand for nothing. */
static void count_steps(const tfp_report *r, tfp_doubted_steps *d)
{
    const tfp_event_tables *e = tfp_events_of(d->x->p);
    size_t doubted = 0, unsteady = 0, all = 0;
    for (size_t i = 0; i < e->windows.size; i++) {
        const tfp_step_window *w = &e->windows.at[i];
        uint32_t unit = d->x->unit_of_process[w->process];
        if (!tfp_step_takes(tfp_step_of(r), w->step)) continue;
        bool in_doubt = has(&d->doubted, unit, w->step);
        doubted += in_doubt;
        unsteady += !in_doubt && has(&d->unsteady, unit, w->step);
        all++;
    }
    if (doubted + unsteady == all || !works_elsewhere(d)) d->unsteady.count = 0;
    d->most = d->all || doubted > all / 2 || !works_elsewhere(d);
}

static bool is_unsteady(const tfp_doubt *d) { return !tfp_doubt_is_said(d->kind) && d->of; }

bool tfp_doubted_steps_of(tfp_report *r, const tfp_trace_index *x, tfp_doubted_steps *out)
{
    const tfp_event_tables *e = tfp_events_of(x->p);
    *out = (tfp_doubted_steps){ .x = x };
    if (!e->doubts.size) return true;
    out->doubted.at = TFP_NEW(tfp_arena_of(r), uint64_t, e->doubts.size);
    out->unsteady.at = TFP_NEW(tfp_arena_of(r), uint64_t, e->doubts.size);
    if (!out->doubted.at || !out->unsteady.at) return false;
    for (size_t i = 0; i < e->doubts.size; i++) {
        const tfp_doubt *d = &e->doubts.at[i];
        uint64_t key = (uint64_t)x->unit_of_process[d->process] << 32 | d->step;
        out->clocks |= d->kind == TFP_DOUBT_CLOCKS;
        /* the steps of executions have the times that were repaired */
        out->all |= tfp_doubt_of_all(d->kind) || (tfp_doubt_is_repaired(d->kind) && e->processes.at[d->process].tasks);
        if (d->step == TFP_NONE || !d->count) continue;
        if (is_unsteady(d)) out->unsteady.at[out->unsteady.count++] = key;
        if (tfp_doubt_is_said(d->kind)) out->doubted.at[out->doubted.count++] = key;
    }
    qsort(out->doubted.at, out->doubted.count, sizeof *out->doubted.at, by_number);
    qsort(out->unsteady.at, out->unsteady.count, sizeof *out->unsteady.at, by_number);
    count_steps(r, out);
    return true;
}

bool tfp_step_left_out(const tfp_doubted_steps *d, uint32_t unit, uint32_t step)
{
    return !d->most && (has(&d->doubted, unit, step) || has(&d->unsteady, unit, step));
}

tfp_status tfp_steps_left_out(tfp_report *r, const bool **out, tfp_error *err)
{
    tfp_trace_index x;
    tfp_doubted_steps d;
    const tfp_event_tables *e = tfp_events_of(tfp_profile_of(r));
    *out = NULL;
    if (!e->doubts.size) return TFP_OK;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (s) return s;
    bool *left = TFP_NEW(tfp_arena_of(r), bool, tfp_executions_of(tfp_profile_of(r))->steps.size + 1);
    if (!left || !tfp_doubted_steps_of(r, &x, &d)) return tfp_nomem(err);
    for (size_t i = 0; i < e->doubts.size; i++) {
        const tfp_doubt *doubt = &e->doubts.at[i];
        if (doubt->step == TFP_NONE || !tfp_step_left_out(&d, x.unit_of_process[doubt->process], doubt->step)) continue;
        left[doubt->step] = true;
        *out = left;
    }
    return TFP_OK;
}
