// SPDX-License-Identifier: Apache-2.0
/* watch/judge/stand.c: the rules `hang` and `ended`. A job hangs when no rank begins a collective, and all stand:
 * state, line and CPU time do not change; for the limit, seen twice. A rank that others wait for may run in a loop of
 * few lines. The judge of `tfprof hang` says which rank is at fault. Times in which nothing was seen (a suspended
 * machine, a stopped watch) do not count. */
#include "watch/judge/parts.h"

#include "live/jobs/top.h"
#include "live/stacks/ranks_judge.h"

#include <math.h>

enum { UNSEEN_US = 5000000, LIMIT_LEAST_US = 5000000, LIMIT_MOST_US = 60000000, TICKS = 2, LIVELY_TICKS = 60 };
enum { LOOP_STACKS = 4 };              /* a loop that does not end has no more different stacks */
#define LIVELY_US ((int64_t)300000000) /* a rank that others wait for may work at many lines so long: an evaluation */
#define KNOWN_US ((int64_t)600000000)  /* longest pause that a job may make from time to time */
#define CPU_IDLE 0.02                  /* share of the time that a standing thread may use */

/* ---- what a rank does ---- */

static bool differs(int64_t a, int64_t b) { return a != TFP_ABSENT && b != TFP_ABSENT && a != b; }

static void meet_stack(standing *s, uint64_t stack)
{
    for (size_t i = 0; i < s->stacks; i++)
        if (s->met[i] == stack) return;
    if (s->stacks < STACKS) s->met[s->stacks++] = stack;
}

/* Notes since when a rank has begun no collective, and since when it stands. */
static void look_at(member *m, const tfp_watch_fact *f, int64_t now_us)
{
    standing *s = &m->stands;
    bool first = !s->seen_us, counted = f->collectives != TFP_ABSENT || f->hits != TFP_ABSENT;
    bool changed = f->stack && f->stack != s->stack;
    bool progress = differs(f->collectives, s->collectives) || differs(f->hits, s->hits) || (!counted && changed);
    bool busy = f->cpu_ns != TFP_ABSENT && s->cpu_ns != TFP_ABSENT &&
                (double)(f->cpu_ns - s->cpu_ns) > CPU_IDLE * 1e3 * (double)(now_us - s->seen_us);
    bool moved = changed || (busy && !f->collective.size) || (f->state != s->state && busy);
    s->at = f;
    if (f->ended) {
        if (!m->gone) s->stood_us = now_us;
        m->gone = true;
        return;
    }
    if (progress || first) {
        if (!first && s->progress_us && now_us - s->progress_us < KNOWN_US && now_us - s->progress_us > s->longest_us)
            s->longest_us = now_us - s->progress_us;
        s->progress_us = now_us;
        s->stacks = 0;
        s->lively += !first;
    }
    if (progress || moved || first) s->stood_us = now_us;
    s->runs = moved;
    meet_stack(s, f->stack);
    s->seen_us = now_us;
    s->stack = f->stack;
    s->collectives = f->collectives;
    s->hits = f->hits;
    s->cpu_ns = f->cpu_ns;
    s->state = f->state;
}

/* ---- the rule ---- */

/* max(5 s, 10 times the 99th percentile of the steps, but not over a minute), and longer than pauses that ended by
 * themselves. */
static int64_t limit_of(const job *of)
{
    double limit = LIMIT_LEAST_US;
    for (size_t i = 0; i < of->members.size; i++) {
        const member *m = of->members.at[i];
        double all[PAST];
        size_t n = 0;
        for (const unit *x; (x = judge_unit(m, n));) all[n++] = x->duration;
        if (n) {
            qsort(all, n, sizeof *all, tfp_by_real);
            limit = fmax(limit, fmin(LIMIT_MOST_US, 10 * all[(n - 1) * 99 / 100]));
        }
        limit = fmax(limit, 1.5 * (double)m->stands.longest_us);
    }
    return (int64_t)limit;
}

static bool is_rank(const member *m) { return !m->gone && m->who.rank != TFP_ABSENT && m->stands.at; }

/* Whether all stand, but for ranks in a loop for which another one waits. */
static bool all_stand(const job *of, int64_t limit, int64_t now_us)
{
    size_t ranks = 0, runners = 0, waiting = 0;
    bool known = false;
    for (size_t i = 0; i < of->members.size; i++) {
        const member *m = of->members.at[i];
        if (!is_rank(m)) continue;
        const standing *s = &m->stands;
        known |= m->steps >= WARM || s->lively >= LIVELY_TICKS;
        if (now_us - s->progress_us < limit) return false;
        ranks++;
        if (now_us - s->stood_us >= limit) {
            waiting += s->at->collective.size || s->at->doing == TFP_WATCH_WAIT;
            continue;
        }
        runners++;
        if (s->stacks > LOOP_STACKS && now_us - s->progress_us < LIVELY_US) return false;
    }
    return known && ranks > 0 && (!runners || waiting > 0);
}

/* ---- the finding ---- */

static const char *cause_of(const tfp_rank_row *row, const standing *s)
{
    static const char *const by_class[TFP_WATCH_CLASSES] = { "missing", "input",   "gc",     "lock",
                                                             "storage", "missing", "missing" };
    if (!tfp_str_eq(row->finding, TFP_STR("missing")) && !tfp_str_eq(row->finding, TFP_STR("elsewhere")))
        return tfp_str_eq(row->finding, TFP_STR("waits")) ? "collective"
               : row->finding.data                        ? row->finding.data
                                                          : "unknown";
    if (s->at->state == 'D') return "storage";
    return s->runs && s->at->doing == TFP_WATCH_COMPUTE ? "compute" : by_class[s->at->doing];
}

/* The facts of a job as rows of `tfprof hang`. */
static tfp_rank_row row_of(const member *m)
{
    const standing *s = &m->stands;
    tfp_rank_row row = {
        .rank = m->who.rank, .world = m->who.world, .pid = m->gone ? TFP_ABSENT : m->who.pid, .job = 1
    };
    if (m->gone) return row;
    row.collective = s->at->collective;
    row.by_count = s->at->by_count;
    row.line = s->at->line;
    row.state = tfp_str_of(tfp_state_name(s->at->state));
    row.runs = s->runs;
    return row;
}

static void put_rank(tfp_buf *b, int64_t rank)
{
    if (b->size) tfp_buf_char(b, '|');
    tfp_buf_int(b, rank);
}

static void say(tfp_watch_judge *j, job *of, int64_t limit, int64_t now_us)
{
    tfp_rank_row *rows = calloc(of->members.size + 1, sizeof *rows);
    member **whose = calloc(of->members.size + 1, sizeof *whose);
    tfp_buf sentence = { 0 }, waiting = { 0 };
    tfp_watch_finding f;
    const member *culprit = NULL;
    size_t n = 0, culprits = 0;
    tfp_watch_clear(TFP_WATCH_FINDINGS, &f);
    for (size_t i = 0; rows && whose && i < of->members.size; i++) {
        if (of->members.at[i]->who.rank == TFP_ABSENT) continue;
        whose[n] = of->members.at[i];
        rows[n++] = row_of(of->members.at[i]);
    }
    const tfp_rank_rows all = { (char *)rows, sizeof *rows, 0, n };
    tfp_str verdict = n ? tfp_ranks_verdict(&all, 1, &sentence) : (tfp_str){ NULL, 0 };
    f.cause = TFP_STR("unknown");
    f.since = now_us;
    for (size_t i = 0; i < n; i++) {
        bool fault = verdict.size && tfp_str_eq(rows[i].finding, verdict),
             waits = tfp_str_eq(rows[i].finding, TFP_STR("waits"));
        if (waits) put_rank(&waiting, rows[i].rank);
        if (!fault) continue;
        if (!culprits++) {
            culprit = whose[i];
            f.cause = tfp_str_of(cause_of(&rows[i], &whose[i]->stands));
            f.line = rows[i].line;
            f.since = whose[i]->stands.progress_us;
        }
    }
    const unit *last = culprit ? judge_unit(culprit, 0) : NULL;
    f.kind = TFP_STR("hang");
    f.step = last ? last->step + last->steps : TFP_ABSENT;
    f.since += j->unix_offset;
    f.chance = 0;
    f.certainty = culprits ? 1 : 0;
    f.gain = 1;
    tfp_buf_printf(&sentence, "; nothing changed for %.1f s, limit %.1f s",
                   (double)(now_us + j->unix_offset - f.since) / 1e6, (double)limit / 1e6);
    f.waiting = (tfp_str){ waiting.data, waiting.size };
    f.evidence = (tfp_str){ sentence.data, sentence.size };
    if (!rows || !whose || waiting.failed || sentence.failed)
        j->nomem = true;
    else
        judge_say(j, of, culprits == 1 || !tfp_str_eq(verdict, TFP_STR("waits")) ? culprit : NULL, &f, now_us);
    tfp_buf_free(&sentence);
    tfp_buf_free(&waiting);
    free(whose);
    free(rows);
}

/* A process ended while others of its job go on for ten seconds. */
static void say_ended(tfp_watch_judge *j, job *of, member *m, int64_t now_us)
{
    tfp_watch_finding f;
    bool others = false;
    for (size_t i = 0; i < of->members.size; i++) others |= !of->members.at[i]->gone;
    if (!m->gone || m->stands.told_end || now_us - m->stands.stood_us < SILENT_US || !others) return;
    m->stands.told_end = true;
    tfp_watch_clear(TFP_WATCH_FINDINGS, &f);
    f.kind = f.cause = TFP_STR("ended");
    f.since = m->stands.stood_us + j->unix_offset;
    f.chance = 0;
    f.certainty = 1;
    f.evidence = TFP_STR("the process ended, and others of its job run");
    if (judge_say(j, of, m, &f, now_us)) judge_end(j, of->findings.at[of->findings.size - 1], now_us);
}

static void judge_job(tfp_watch_judge *j, job *of, int64_t now_us)
{
    finding *f = judge_open(of, "hang");
    int64_t limit = limit_of(of), still = INT64_MAX;
    for (size_t i = 0; i < of->members.size; i++) {
        say_ended(j, of, of->members.at[i], now_us);
        if (is_rank(of->members.at[i]) && now_us - of->members.at[i]->stands.progress_us < still)
            still = now_us - of->members.at[i]->stands.progress_us;
    }
    if (f && still < LIMIT_LEAST_US / 2) judge_end(j, f, now_us);
    of->stand_ticks = all_stand(of, limit, now_us) ? of->stand_ticks + 1 : 0;
    if (of->stand_ticks >= TICKS && !f) say(j, of, limit, now_us);
}

void judge_stand(tfp_watch_judge *j, const tfp_watch_fact *facts, size_t count, int64_t now_us)
{
    int64_t unseen = j->ticked_us && now_us - j->ticked_us > UNSEEN_US ? now_us - j->ticked_us : 0;
    for (size_t i = 0; i < j->jobs.size; i++)
        for (size_t k = 0; k < j->jobs.at[i]->members.size; k++) {
            standing *s = &j->jobs.at[i]->members.at[k]->stands;
            s->at = NULL;
            s->progress_us += unseen;
            s->stood_us += unseen;
        }
    for (size_t i = 0; i < count; i++) {
        job *of;
        member *m = judge_member(j, facts[i].rank, &of);
        if (!m) continue;
        look_at(m, &facts[i], now_us);
        if (!m->gone) of->seen_us = now_us;
    }
    for (size_t i = 0; i < j->jobs.size; i++) judge_job(j, j->jobs.at[i], now_us);
    j->ticked_us = now_us;
}
