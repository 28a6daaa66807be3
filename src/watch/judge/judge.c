// SPDX-License-Identifier: Apache-2.0
/* watch/judge/judge.c: takes steps, looks and ticks, finds which steps of the ranks of a job are the same one, and asks
 * the rules. */
#include "watch/judge/parts.h"

#include <math.h>

tfp_status tfp_watch_judge_new(const tfp_watch_heard *heard, tfp_watch_judge **out, tfp_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return tfp_nomem(err);
    (*out)->heard = *heard;
    return TFP_OK;
}

void tfp_watch_judge_free(tfp_watch_judge *j)
{
    if (!j) return;
    for (size_t i = 0; i < j->jobs.size; i++) judge_job_free(j->jobs.at[i]);
    tfp_vec_free(&j->jobs);
    tfp_map64_free(&j->job_of);
    free(j);
}

/* ---- rounds: the same step of all ranks ---- */

/* Whether a round waits for this rank: it takes part in the collectives of the job, and still does steps. */
static bool is_awaited(const member *m, int64_t now_us)
{
    double patience = fmax(SILENT_US, 5 * m->usual.duration);
    return !m->gone && m->who.rank != TFP_ABSENT && m->steps && (double)(now_us - m->last_end) < patience;
}

static void set_lateness(job_step *r)
{
    double at[RANKS_MOST];
    size_t n = r->parts.size;
    bool arrivals = true;
    for (size_t i = 0; i < n; i++) arrivals = arrivals && r->parts.at[i].x.arrive != TFP_ABSENT;
    for (size_t i = 0; i < n; i++) {
        const unit *x = &r->parts.at[i].x;
        r->parts.at[i].x.late = at[i] = arrivals ? (double)(x->arrive - r->parts.at[0].x.arrive) : -x->wait;
    }
    if (!n) return;
    qsort(at, n, sizeof *at, tfp_by_real);
    double first = at[0], last = at[n - 1];
    for (size_t i = 0; i < n; i++) {
        unit *x = &r->parts.at[i].x;
        double other = x->late > first ? first : last; /* of two ranks each is compared with the other one */
        x->late -= n == 2 ? other : at[(n - 1) / 2];
    }
}

/* All ranks have made this step. */
static void end_round(tfp_watch_judge *j, job *of, job_step *r)
{
    set_lateness(r);
    for (size_t i = 0; i < r->parts.size; i++) {
        step_part *part = &r->parts.at[i];
        part->x.off = judge_open(of, NULL) != NULL;
        judge_keep_unit(part->of, &part->x);
        if (j->heard.late && part->x.steps == 1 && !isnan(part->x.late))
            j->heard.late(j->heard.ctx, &part->of->who, part->x.step,
                          r->parts.size == 2 ? part->x.late / 2 : part->x.late);
    }
    of->rounds_made++;
    judge_late(j, of, r);
    judge_slow(j, of, r);
}

/* Takes the first `count` rounds away; their memory is used again. */
static void drop_rounds(job *of, size_t count)
{
    for (; count; count--) {
        job_step first = of->rounds[0];
        first.parts.size = 0;
        memmove(of->rounds, of->rounds + 1, (ROUNDS - 1) * sizeof *of->rounds);
        of->rounds[ROUNDS - 1] = first;
        of->round_count--;
    }
}

static bool is_whole(const job *of, const job_step *r, int64_t now_us)
{
    for (size_t i = 0; i < of->members.size; i++) {
        bool there = !is_awaited(of->members.at[i], now_us);
        for (size_t k = 0; k < r->parts.size && !there; k++) there = r->parts.at[k].of == of->members.at[i];
        if (!there) return false;
    }
    return true;
}

static bool has_part(const job_step *r, const member *m)
{
    for (size_t i = 0; i < r->parts.size; i++)
        if (r->parts.at[i].of == m) return true;
    return false;
}

/* The round of a unit, among those that wait for this rank: it was left at the same time, by half a step. */
static job_step *round_of(job *of, const member *m, const unit *x, int64_t key)
{
    double room = x->steps > 1 ? 0.5 : x->duration / 2;
    for (size_t i = 0; i < of->round_count; i++)
        if (fabs((double)(of->rounds[i].key - key)) < room && !has_part(&of->rounds[i], m)) return &of->rounds[i];
    if (of->round_count == ROUNDS) drop_rounds(of, 1);
    job_step *r = &of->rounds[of->round_count++];
    r->key = key;
    return r;
}

static void take_unit(tfp_watch_judge *j, job *of, member *m, const unit *x)
{
    int64_t key = x->steps > 1 ? x->end / WINDOW_US : x->leave != TFP_ABSENT ? x->leave : x->end;
    job_step *r = round_of(of, m, x, key);
    if (!tfp_push(&r->parts, ((step_part){ m, *x }))) {
        j->nomem = true;
        return;
    }
    for (size_t i = 0; i < of->round_count; i++) {
        if (!is_whole(of, &of->rounds[i], x->end)) continue;
        end_round(j, of, &of->rounds[i]);
        drop_rounds(of, i + 1); /* ranks missed in earlier ones have gone on */
        break;
    }
}

/* ---- what the recorder brings ---- */

/* Adds a step to the window of a rank whose arrivals are unknown; true when it is full. The values become those of a
 * mean step. */
static bool add_to_window(member *m, const unit *x)
{
    static const size_t fields[] = { offsetof(unit, duration),  offsetof(unit, wait),  offsetof(unit, delay),
                                     offsetof(unit, throttled), offsetof(unit, bytes), offsetof(unit, cpu),
                                     offsetof(unit, clock) };
    unit *w = &m->open;
    bool full = w->steps > 1 && x->end / WINDOW_US > w->end / WINDOW_US;
    if (full) return true;
    if (!w->steps) {
        *w = *x;
        return false;
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        double sum, more;
        memcpy(&sum, (char *)w + fields[i], sizeof sum);
        memcpy(&more, (const char *)x + fields[i], sizeof more);
        sum = (sum * (double)w->steps + more) / (double)(w->steps + 1);
        memcpy((char *)w + fields[i], &sum, sizeof sum);
    }
    w->steps++;
    w->end = x->end;
    return false;
}

tfp_status tfp_watch_judge_step(tfp_watch_judge *j, const tfp_watch_rank *rank, const tfp_watch_step *row,
                                tfp_watch_moments moments)
{
    job *of;
    member *m = judge_member(j, rank, &of);
    if (!m || row->steps == TFP_ABSENT || isnan(row->duration_us)) return j->nomem ? TFP_NOMEM : TFP_OK;
    unit x = { .late = NAN,
               .duration = row->duration_us,
               .wait = row->wait_us,
               .delay = row->run_delay_us,
               .throttled = row->throttled_us,
               .cpu = row->cpu_us,
               .clock = row->gpu_clock_mhz,
               .end = moments.end,
               .arrive = moments.arrive,
               .leave = moments.leave,
               .step = row->step,
               .steps = 1 };
    x.bytes = row->read_bytes == TFP_ABSENT ? NAN : (double)row->read_bytes;
    j->unix_offset = row->start + (int64_t)row->duration_us - moments.end;
    m->last_end = moments.end;
    if (m->steps++ < WARM) {
        m->warm_us = moments.end;
        return TFP_OK;
    }
    if (x.arrive != TFP_ABSENT) {
        take_unit(j, of, m, &x);
    } else if (!isnan(x.wait) && add_to_window(m, &x)) {
        unit full = m->open;
        m->open = x;
        take_unit(j, of, m, &full);
    }
    return j->nomem ? TFP_NOMEM : TFP_OK;
}

tfp_status tfp_watch_judge_look(tfp_watch_judge *j, const tfp_watch_rank *rank, int64_t now_us, tfp_watch_class doing,
                                tfp_str line)
{
    job *of;
    member *m = judge_member(j, rank, &of);
    if (m && !judge_keep_look(m, now_us, doing, line)) j->nomem = true;
    return j->nomem ? TFP_NOMEM : TFP_OK;
}

bool tfp_watch_judge_wants_looks(const tfp_watch_judge *j, const tfp_watch_rank *rank)
{
    uint32_t at = tfp_map64_get(&j->job_of, rank->job);
    const job *of = at == TFP_NONE ? NULL : j->jobs.at[at];
    return of && of->last.ready_us && of->last.of->who.number == rank->number;
}

tfp_status tfp_watch_judge_tick(tfp_watch_judge *j, const tfp_watch_fact *facts, size_t count, int64_t now_us,
                                int64_t unix_us)
{
    j->unix_offset = unix_us - now_us;
    judge_stand(j, facts, count, now_us);
    judge_forget(j, now_us);
    return j->nomem ? TFP_NOMEM : TFP_OK;
}
