// SPDX-License-Identifier: Apache-2.0
/* whatif/refuse.c: whether the replay is good enough to answer, and if not, where it departs from the recording. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/spans.h"
#include "views/core/handle.h"
#include "views/trace/tables.h"
#include "whatif/change.h"

#include <math.h>

#define REFUSED_OVER 0.25
#define LAUNCHLESS_OVER 0.2

#define EMPTY_UNDER 0.1 /* share of the steps that ops take */
#define LATER_OVER 2    /* ops outside of the steps take that many times the steps */

bool tfp_whatif_runs_later(const tfp_job *j)
{
    double inside = 0, outside = 0, steps = 0;
    for (uint32_t i = 0; i < j->steps.window_count; i++) steps += j->steps.windows[i].end - j->steps.windows[i].start;
    for (uint32_t i = 0; i < j->s->size; i++)
        if (tfp_is_host_op(j->s->kind[i]))
            *(j->s->step[i] != TFP_NONE ? &inside : &outside) += (double)j->s->self_ns[i] / 1000;
    bool marked = j->steps.window_count && j->steps.windows[0].step != TFP_NONE;
    return marked && !j->device_count && inside < EMPTY_UNDER * steps && outside > LATER_OVER * steps;
}

/* Where most of the difference is. */
typedef struct cause {
    double all, worst; /* sum of the delays that no edge explains, and the longest one */
    uint32_t activity; /* the activity with the longest delay */
} cause;

/* The latest recorded end of everything that an activity is known to wait for. */
static double ready_at(const tfp_job *j, uint32_t activity)
{
    double latest = -INFINITY;
    for (uint32_t k = j->graph.edge_from[activity]; k < j->graph.edge_from[activity + 1]; k++) {
        const tfp_job_edge *e = &j->graph.edges.at[k];
        if (e->flags & TFP_EDGE_BESIDE) continue;
        double at =
            e->from < j->activity_count ? j->activities[e->from].end : j->anchors.list[e->from - j->activity_count].at;
        if (at + e->lag > latest) latest = at + e->lag;
    }
    return latest;
}

/* The stream with the longest unexplained delays. */
static uint32_t find_cause(const tfp_job *j, cause *out)
{
    uint32_t stream = TFP_NONE;
    for (uint32_t s = 0; s < j->streams.count; s++) {
        cause c = { .activity = TFP_NONE };
        for (uint32_t i = j->streams.list[s].first; i < j->streams.list[s].first + j->streams.list[s].count; i++) {
            double ready = ready_at(j, i), late = j->activities[i].start - ready - j->activities[i].late;
            if (ready == -INFINITY || !(late > 0)) continue;
            c.all += late;
            if (late <= c.worst) continue;
            c.worst = late;
            c.activity = i;
        }
        if (c.activity == TFP_NONE || c.all <= out->all) continue;
        *out = c;
        stream = s;
    }
    return stream;
}

static void put_time(tfp_buf *b, double us) { tfp_format_real(b, TFP_MICROS, us); }

static void put_cause(const tfp_whatif *w, tfp_buf *b)
{
    const tfp_job *j = &w->job;
    cause c = { .activity = TFP_NONE };
    uint32_t stream = find_cause(j, &c);
    if (stream == TFP_NONE) {
        tfp_buf_text(b, "the threads of the host do not wait as the replay assumes");
        return;
    }
    const tfp_job_activity *a = &j->activities[c.activity];
    put_time(b, c.all / (double)(j->steps.count > 0 ? j->steps.count : 1));
    tfp_buf_text(b, " a step in which ");
    tfp_str lane = tfp_text(j->p, tfp_lanes_of(j->p)->at[j->streams.list[stream].lane].name);
    tfp_buf_str(b, lane);
    tfp_buf_text(b, " waits though its work was launched, longest ");
    if (a->step != TFP_NONE)
        tfp_buf_printf(b, "in step %lld ", (long long)tfp_executions_of(j->p)->steps.at[a->step].id);
    tfp_buf_text(b, "before ");
    tfp_buf_str(b, tfp_job_name(j, a->span));
}

static tfp_status refuse(const tfp_whatif *w, double error, tfp_error *err)
{
    tfp_buf why = { 0 };
    put_cause(w, &why);
    tfp_status s = why.failed ? tfp_nomem(err)
                              : tfp_fail(err, TFP_BADFILE,
                                         "the replay of what was recorded is off by %.1f %% (too %s), so that no "
                                         "change can be predicted; most of it: %.*s",
                                         100 * fabs(error), error > 0 ? "long" : "short", (int)why.size, why.data);
    tfp_buf_free(&why);
    return tfp_within_file(err, s, tfp_first_source(tfp_profile_of(w->r)));
}

static void put(tfp_buf *note, const char *text)
{
    if (note->size) tfp_buf_text(note, "; ");
    tfp_buf_text(note, text);
}

/* Shares of the device's time: activities without a known call, and those of them that a program runs, such as XLA's
 * on a TPU, for which the file names the ops instead. */
typedef struct launchless {
    double share, program_share;
} launchless;

static launchless find_launchless(const tfp_job *j)
{
    double all = 0, without = 0, program = 0;
    for (uint32_t i = 0; i < j->device_count; i++) {
        const tfp_job_activity *a = &j->activities[i];
        all += a->duration;
        if (a->call != TFP_NONE) continue;
        without += a->duration;
        if (j->s->path[a->span]) program += a->duration;
    }
    return all > 0 ? (launchless){ without / all, program / all } : (launchless){ 0 };
}

bool tfp_whatif_lacks_launches(const tfp_job *j) { return find_launchless(j).share > LAUNCHLESS_OVER; }

static void note_launchless(const tfp_job *j, tfp_buf *note)
{
    launchless l = find_launchless(j);
    if (l.share <= LAUNCHLESS_OVER) return;
    put(note, "");
    if (l.program_share > l.share / 2)
        tfp_buf_printf(
            note, "a program runs %.0f %% of the device's time without launch calls in the trace: it keeps its delays",
            100 * l.share);
    else
        tfp_buf_printf(note, "%.0f %% of the device's time has no known launch: it keeps its delays", 100 * l.share);
}

/* The number of the job's ranks, according to the files, that have no file. */
static int64_t missing_ranks(const tfp_whatif *w, const tfp_rank_census *census)
{
    const tfp_profile *p = tfp_profile_of(w->r);
    int64_t most = 0;
    for (size_t i = 0; i < tfp_events_of(p)->processes.size; i++)
        if (tfp_events_of(p)->processes.at[i].rank_count > most) most = tfp_events_of(p)->processes.at[i].rank_count;
    int64_t missing = most - ((int64_t)w->job.unit_count - census->doubles);
    return missing > census->missing ? missing : census->missing;
}

static tfp_status note_ranks(tfp_whatif *w, tfp_buf *note, tfp_error *err)
{
    tfp_rank_census census;
    if (!tfp_rank_census_of(w->r, w->job.x, &census)) return tfp_nomem(err);
    int64_t missing = missing_ranks(w, &census);
    if (missing > 0) {
        put(note, "");
        tfp_buf_printf(note, "%lld of the job's ranks %s missing: what they do in collectives stays as recorded",
                       (long long)missing, missing == 1 ? "is" : "are");
    }
    if (w->job.steps.islands > 1)
        put(note,
            "some ranks share no collective and so no clock: each is replayed alone, and the slowest gives the step");
    return TFP_OK;
}

static void note_loaders(const tfp_job *j, tfp_buf *note)
{
    uint32_t batches = 0, late = 0;
    for (size_t u = 0; u < j->unit_count; u++) {
        if (!j->units[u].loader.paces) continue;
        batches += j->units[u].loader.batches;
        late += j->units[u].loader.late;
    }
    if (!late) return;
    put(note, "");
    tfp_buf_printf(note, "workers of the data loader set the pace: %u of %u batches were late", late, batches);
}

/* Refuses a recording in which most steps are in doubt. */
static tfp_status refuse_doubted(const tfp_whatif *w, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(w->r);
    tfp_buf why = { 0 };
    for (unsigned kind = 0; kind < TFP_DOUBT_KINDS; kind++) {
        tfp_doubt_sum sum;
        if (!tfp_doubt_is_said(kind) || !tfp_doubt_sum_of(p, tfp_step_of(w->r), kind, &sum)) continue;
        if (why.size) tfp_buf_text(&why, "; ");
        tfp_doubt_put(p, kind, &sum, &why);
    }
    tfp_status s = why.failed ? tfp_nomem(err)
                              : tfp_fail(err, TFP_BADFILE, "%.*s: no change can be predicted", (int)why.size, why.data);
    tfp_buf_free(&why);
    return tfp_within_file(err, s, tfp_first_source(p));
}

/* Whether time between the steps was not recorded, or is that between two recordings: it is no time of the job. */
static bool is_broken(const tfp_whatif *w)
{
    const tfp_profile *p = tfp_profile_of(w->r);
    tfp_doubt_sum sum;
    return tfp_doubt_sum_of(p, tfp_step_of(w->r), TFP_DOUBT_HOLE, &sum) ||
           tfp_doubt_sum_of(p, tfp_step_of(w->r), TFP_DOUBT_APPENDED, &sum);
}

bool tfp_whatif_doubted(const tfp_whatif *w) { return w->job.steps.doubted.most || is_broken(w); }

bool tfp_whatif_times_doubted(const tfp_whatif *w) { return w->job.steps.doubted.all || is_broken(w); }

tfp_status tfp_whatif_judge(tfp_whatif *w, tfp_buf *note, tfp_error *err)
{
    if (tfp_whatif_doubted(w)) return refuse_doubted(w, err);
    double error = (w->replay_us - w->recorded_us) / w->recorded_us;
    if (fabs(error) > REFUSED_OVER) return refuse(w, error, err);
    if (fabs(error) > TFP_WHATIF_SAID_OVER) {
        put(note, "");
        tfp_buf_printf(note, "the replay is off by %.1f %% (too %s)", 100 * fabs(error), error > 0 ? "long" : "short");
    }
    tfp_status s = note_ranks(w, note, err);
    if (!s) note_launchless(&w->job, note);
    if (!s) note_loaders(&w->job, note);
    return s;
}
