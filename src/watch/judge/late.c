// SPDX-License-Identifier: Apache-2.0
/* watch/judge/late.c: the rule `late`. One rank arrives last in k rounds in a row, after its usual lateness is taken
 * off; among n ranks that are alike the chance of this is n^(1-k). Where arrivals are unknown it waits least, in
 * windows instead of steps. The finding is said when its cause is known, or five seconds later; by a weak cause only if
 * the rank is late for longer. */
#include "watch/judge/parts.h"

#include <math.h>

/* How many rounds in a row: at most one false finding in 10^6 windows. */
static size_t rounds_needed(size_t ranks) { return (size_t)ceil(1 + 6 / log10((double)ranks)); }

/* Takes the usual values of each rank anew from time to time, from rounds that are older than a fault of which nothing
 * is known yet. */
static void update_usual(const job *of, size_t needed)
{
    enum { EVERY = 8 };
    if (of->rounds_made % EVERY || of->last.ready_us) return;
    for (size_t i = 0; i < of->members.size; i++) {
        member *m = of->members.at[i];
        const unit *x = judge_unit(m, 2 * needed + EVERY);
        if (x) m->usual = judge_base(m, x->end);
    }
}

/* The rank that came last; NULL: two came last together, or the usual lateness of one is unknown. */
static member *last_of(const job_step *r)
{
    member *last = NULL;
    double most = 0;
    bool tie = false;
    for (size_t i = 0; i < r->parts.size; i++) {
        member *m = r->parts.at[i].of;
        double late = r->parts.at[i].x.late - m->usual.late;
        if (isnan(late) || !judge_base_is_enough(&m->usual, m)) return NULL;
        tie = last && late == most;
        if (last && late <= most) continue;
        last = m;
        most = late;
    }
    return tie ? NULL : last;
}

/* Whether all ranks do more, or less, by the same factor: longer batches. Then usual differences of ranks grow, too. */
static bool all_grew(const job *of, int64_t since_us)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < of->members.size; i++) {
        const member *m = of->members.at[i];
        if (m->gone || !m->units) continue;
        double factor = judge_median_since(m, JUDGE_OWN, since_us) / m->usual.own;
        if (!(factor > 0)) return false; /* unknown, too */
        low = fmin(low, factor);
        high = fmax(high, factor);
    }
    return high <= low * 1.15 && (low > 1.05 || high < 0.95);
}

static double late_since(const member *m, int64_t since_us)
{
    return judge_median_since(m, JUDGE_LATE, since_us) - m->usual.late;
}

/* Whether the rank is as early as usual again, before anything was said. */
static bool recovered(const candidate *c, size_t needed, int64_t now_us)
{
    double lately_us = fmax(LATELY_US, (double)needed * c->of->usual.duration);
    return late_since(c->of, now_us - (int64_t)lately_us) <= judge_least_lateness(c->of);
}

/* A rank that is late recovers when it is as early as usual for long enough. */
static void watch_open(tfp_watch_judge *j, const job_step *r, finding *f)
{
    for (size_t i = 0; i < r->parts.size; i++) {
        const step_part *part = &r->parts.at[i];
        if (part->of != f->of) continue;
        double late = part->x.late - part->of->usual.late;
        f->healthy =
            late <= fmax(judge_least_lateness(part->of), f->row.lateness_us / 2) ? f->healthy + part->x.steps : 0;
        if (f->healthy >= RECOVERED) judge_end(j, f, part->x.end);
    }
}

/* Moves the begin back to the first step that was as late: chance may have made another rank the last one in a step
 * between. */
static void find_begin(const tfp_watch_judge *j, candidate *c)
{
    const unit *x;
    for (size_t back = 0, odd = 0; (x = judge_unit(c->of, back)) && !x->off && odd < 2; back++) {
        bool is_late = x->late - c->of->usual.late > c->late / 2;
        odd = is_late ? 0 : odd + 1;
        if (!is_late || x->end > c->since_us) continue;
        c->since_us = x->end - (int64_t)(x->duration * (double)x->steps);
        c->since_unix = c->since_us + j->unix_offset;
        c->step = x->step;
    }
}

/* Why the rank is late. */
static cause cause_of(const candidate *c)
{
    const member *m = c->of;
    double extra = judge_median_since(m, JUDGE_OWN, c->since_us) - m->usual.own;
    double clean = judge_median_since(m, JUDGE_CLEAN, c->since_us) - m->usual.clean;
    return judge_cause(m, &m->usual, c->since_us, extra > c->late / 2 ? extra : c->late, extra - clean);
}

/* Other processes take a rank's CPU for some seconds on every busy machine, so a neighbour, or an unknown cause, is no
 * finding until the rank was late for longer. */
static bool may_pass(const cause *why, int64_t lasts_us)
{
    bool weak = !strcmp(why->name, "neighbour") || !strcmp(why->name, "unknown");
    return weak && lasts_us < WEAK_CAUSE_US;
}

static void say(tfp_watch_judge *j, job *of, const candidate *c, const cause *why, size_t needed, int64_t now_us)
{
    const member *m = c->of;
    tfp_watch_finding row;
    tfp_buf waiting = { 0 }, evidence = { 0 };
    const size_t ranks = of->members.size;
    size_t met, windows;
    double duration = judge_median_since(m, JUDGE_DURATION, c->since_us),
           before = judge_median_before(m, JUDGE_DURATION, c->since_us); /* of all that is kept: load comes and goes */
    tfp_watch_clear(TFP_WATCH_FINDINGS, &row);
    row.kind = TFP_STR("late");
    row.cause = tfp_str_of(why->name);
    row.line = why->line;
    row.certainty = why->share;
    row.since = c->since_unix;
    row.step = c->step;
    row.lateness_us = c->late;
    row.gain = fmin(1, fmax(0, (duration - before) / duration));
    row.chance = pow((double)ranks, 1 - (double)needed);
    judge_put_others(&waiting, of, m);
    tfp_buf_printf(&evidence,
                   "rank %lld %s %zu times in a row, by %.1f ms more than usual (usual %.1f ms, MAD %.1f ms); a step "
                   "takes %.1f ms, before "
                   "%.1f ms; %zu looks",
                   (long long)m->who.rank, judge_unit(m, 0)->arrive == TFP_ABSENT ? "waited least" : "came last",
                   c->rounds, c->late / 1e3, m->usual.late / 1e3, m->usual.mad / 1e3, duration / 1e3, before / 1e3,
                   why->looks);
    if (judge_late_permuted(of, needed, c->since_us, &met, &windows))
        tfp_buf_printf(&evidence, "; blocks of 50 earlier steps in other orders meet the rule in %zu of %zu windows",
                       met, windows);
    row.waiting = (tfp_str){ waiting.data, waiting.size };
    row.evidence = (tfp_str){ evidence.data, evidence.size };
    if (waiting.failed || evidence.failed) j->nomem = true;
    if (judge_say(j, of, m, &row, now_us))
        for (size_t i = 0; i < of->members.size; i++) judge_mark_off(of->members.at[i], c->since_us);
    tfp_buf_free(&waiting);
    tfp_buf_free(&evidence);
}

void judge_late(tfp_watch_judge *j, job *of, const job_step *r)
{
    candidate *c = &of->last;
    finding *f = judge_open(of, "late");
    if (r->parts.size < 2) return;
    size_t needed = rounds_needed(r->parts.size);
    int64_t now_us = r->parts.at[0].x.end;
    if (f) watch_open(j, r, f);
    if (judge_open(of, NULL)) { /* one finding a fault */
        *c = (candidate){ 0 };
        return;
    }
    update_usual(of, needed);
    member *last = last_of(r);
    if (!c->ready_us && last != c->of) *c = (candidate){ .of = last };
    if (!c->of) return;
    if (!c->rounds) {
        for (size_t i = 0; i < r->parts.size; i++) {
            const unit *x = &r->parts.at[i].x;
            if (r->parts.at[i].of != last) continue;
            c->since_us = x->end - (int64_t)(x->duration * (double)x->steps);
            c->since_unix = c->since_us + j->unix_offset;
            c->step = x->step;
        }
    }
    c->rounds += last == c->of;
    if (c->rounds < needed) return;
    c->late = late_since(c->of, c->since_us);
    if (!(c->late > judge_least_lateness(c->of)) || all_grew(of, c->since_us) ||
        (c->ready_us && recovered(c, needed, now_us))) {
        if (c->ready_us) *c = (candidate){ 0 };
        return;
    }
    if (!c->ready_us) c->ready_us = now_us;
    if (now_us - c->ready_us < CAUSE_US && judge_looks_since(c->of, c->since_us) < LOOKS_FOR_CAUSE) return;
    find_begin(j, c);
    cause why = cause_of(c);
    if (may_pass(&why, now_us - c->since_us)) return;
    say(j, of, c, &why, needed, now_us);
    *c = (candidate){ 0 };
}
