// SPDX-License-Identifier: Apache-2.0
/* watch/judge/cause.c: why a rank takes longer: its extra time is compared with what grew. Run delay and throttling are
 * counted by the kernel; the rest of a step is divided as the looks at its main thread are. A line that had no look
 * before and many since is told from chance by few looks, so only lines that grew by two standard errors are summed.
 *
 * On a busy machine each sleep and each computation that a fault adds also adds time in the run queue: a thread that
 * has slept waits for a CPU, and one that computes twice as long waits twice as long. Such time belongs to the fault.
 * Only run delay that did not grow with the thread's CPU time is a neighbour's, and looks are compared with the extra
 * time outside the run queue, unless most of the extra time was in it. */
#include "watch/judge/parts.h"

#include <math.h>

#define EXPLAINS 0.8 /* share of the extra time below which no cause is named */

typedef struct counts { /* of a line in a class, or of all in which the rank did not wait */
    double before, since;
} counts;

typedef struct counted {
    counts *at; /* by class and line */
    counts own;
    size_t lines;
} counted;

static const char *const names[TFP_WATCH_CLASSES] = { "collective", "input",     "gc",     "lock",
                                                      "storage",    "throttled", "compute" };

static const look *look_back(const member *m, size_t back)
{
    return back < m->look_count && back < LOOKS ? &m->looks[(m->look_count - 1 - back) % LOOKS] : NULL;
}

size_t judge_looks_since(const member *m, int64_t since_us)
{
    size_t n = 0;
    for (const look *l; (l = look_back(m, n)) && l->at_us > since_us;) n++;
    return n;
}

/* The unit in which a look lies; NULL: it is not kept. *back: where to begin, as looks come backwards in time. */
static const unit *unit_of(const member *m, int64_t at_us, size_t *back)
{
    const unit *x;
    while ((x = judge_unit(m, *back)) && (double)x->end - x->duration * (double)x->steps > (double)at_us) ++*back;
    return x;
}

/* Counts the looks in healthy steps that are kept, and in all since that moment, but not in outliers. */
static bool count(const member *m, int64_t since_us, const double medians[2], counted *out)
{
    const look *l;
    size_t unit_back = 0;
    out->lines = m->lines.count;
    out->at = calloc(out->lines * TFP_WATCH_CLASSES + 1, sizeof *out->at);
    if (!out->at) return false;
    for (size_t back = 0; (l = look_back(m, back)); back++) {
        bool since = l->at_us > since_us;
        const unit *x = unit_of(m, l->at_us, &unit_back);
        if (l->at_us <= m->warm_us || !x) break;
        bool inside = l->at_us < x->end;
        if (inside && ((x->off && !since) || judge_is_outlier(x, medians, since_us))) continue;
        counts *of = &out->at[l->doing * out->lines + l->line];
        if (since)
            of->since++, out->own.since += l->doing != TFP_WATCH_WAIT;
        else
            of->before++, out->own.before += l->doing != TFP_WATCH_WAIT;
    }
    return true;
}

typedef struct extra_time {    /* microseconds of a step */
    double whole, queued, cpu; /* what looks must explain; growth of time in the run queue and of CPU time */
} extra_time;

typedef struct grown {
    double us, error;
} grown;

/* By how many microseconds a step these looks grew, where a look stands for so many. */
static grown growth(counts of, double us_before, double us_since)
{
    double variance = (of.since + 1) * us_since * us_since + (of.before + 1) * us_before * us_before;
    return (grown){ of.since * us_since - of.before * us_before, sqrt(variance) };
}

/* The sum of the lines of a class that grew beyond chance. *line: the one that grew most. */
static grown grown_lines(const counted *c, size_t what, const double us[2], uint32_t *line)
{
    grown sum = { 0, 0 };
    double most = 0;
    for (size_t i = 0; i < c->lines; i++) {
        grown g = growth(c->at[what * c->lines + i], us[0], us[1]);
        if (g.us < 2 * g.error) continue;
        sum.us += g.us;
        sum.error = sqrt(sum.error * sum.error + g.error * g.error);
        if (g.us > most) most = g.us, *line = (uint32_t)i;
    }
    return sum;
}

/* The class whose lines grew most, and that line. Of the looks at a thread that runs, `queued` microseconds a step stand for the run
 * queue. Where lines of compute grew, and CPU time by most of the whole, that time is theirs: other classes have what is left. */
static void by_looks(const member *m, const counted *c, const double us[2], const extra_time *x, cause *out)
{
    double best = 0, left = x->whole;
    for (size_t i = TFP_WATCH_CLASSES; --i > TFP_WATCH_WAIT;) { /* compute is the last class */
        uint32_t line = 0;
        grown g = grown_lines(c, i, us, &line);
        if (i == TFP_WATCH_COMPUTE && g.us > 0) {
            g.us = fmax(g.us - x->queued, fmin(g.us, fmin(x->cpu, x->whole)));
            if (x->queued > 0 && x->cpu > x->whole / 2) left -= fmin(x->cpu, x->whole);
        } else {
            g.us = fmin(g.us, left);
        }
        if (g.us <= best) continue;
        best = g.us;
        out->share = fmin(1, (g.us + g.error) / x->whole);
        out->line = tfp_strtab_get(&m->lines, line);
        out->name = out->share >= EXPLAINS ? names[i] : "unknown";
    }
}

typedef struct queue {         /* microseconds of a step by which these grew */
    double throttled, foreign; /* foreign: in the run queue, not by more CPU time of its own */
} queue;

static double since_of(const member *m, size_t field, int64_t since_us, double was)
{
    double now = judge_mean_since(m, field, since_us);
    return isnan(now) ? 0 : now - was;
}

static queue queue_of(const member *m, const base *was, int64_t since_us, double queued)
{
    double throttled = since_of(m, offsetof(unit, throttled), since_us, was->throttled),
           cpu = since_of(m, offsetof(unit, cpu), since_us, was->cpu),
           own = was->cpu > 0 ? was->delay * fmax(0, cpu / was->cpu) : 0;
    return (queue){ throttled, queued - throttled - own };
}

/* By how much a step takes longer because the clock of the rank's GPU is slower: all its own time counts as work
 * of the GPU, which is too much where the host is the bottleneck, so that this cause needs a clock that explains
 * most of the extra time. */
static double by_clock(const member *m, const base *was, int64_t since_us)
{
    double clock = judge_mean_since(m, offsetof(unit, clock), since_us);
    return was->clock > 0 && clock > 0 && clock < 0.97 * was->clock ? was->own * (was->clock / clock - 1) : 0;
}

/* What the kernel counted, and the clock of the GPU. */
static void by_kernel(const member *m, const base *was, int64_t since_us, double extra, const queue *q, cause *out)
{
    double throttled = q->throttled, slower = by_clock(m, was, since_us);
    if (slower >= EXPLAINS * extra) throttled = slower;
    const char *name = throttled >= EXPLAINS * extra ? "throttled" : "neighbour";
    double share = (throttled >= EXPLAINS * extra ? throttled : q->foreign) / extra;
    if (!(share >= EXPLAINS)) return;
    out->name = name;
    out->share = fmin(1, share);
}

/* Counts looks, and what one of them stands for in microseconds of a step: before and since. */
static bool count_all(const member *m, int64_t since_us, counted *c, double us[2])
{
    double medians[2];
    judge_own_means(m, since_us, medians, us);
    if (!count(m, since_us, medians, c)) return false;
    us[0] = c->own.before > 0 ? us[0] / c->own.before : 0;
    us[1] = c->own.since > 0 ? us[1] / c->own.since : 0;
    return us[0] > 0 && us[1] > 0;
}

cause judge_cause(const member *m, const base *was, int64_t since_us, double extra, double queued)
{
    counted c = { 0 };
    double us[2];
    cause out = { .name = "unknown", .line = { NULL, 0 }, .looks = judge_looks_since(m, since_us) };
    if (!(extra > 0)) return out;
    queue q = queue_of(m, was, since_us, queued);
    double clean = extra - fmax(0, queued), cpu = since_of(m, offsetof(unit, cpu), since_us, was->cpu);
    extra_time x = { q.foreign < extra / 2 && clean > 0 ? clean : extra, fmax(0, queued), cpu };
    if (count_all(m, since_us, &c, us)) by_looks(m, &c, us, &x, &out);
    by_kernel(m, was, since_us, extra, &q, &out);
    free(c.at);
    return out;
}

double judge_growth_outside(const member *m, int64_t since_us)
{
    counted c = { 0 };
    double us[2], sum = 0;
    uint32_t line;
    bool ok = count_all(m, since_us, &c, us);
    for (size_t what = TFP_WATCH_GC; ok && what <= TFP_WATCH_THROTTLED; what++)
        sum += grown_lines(&c, what, us, &line).us;
    free(c.at);
    return sum;
}

void judge_shares(const member *m, int64_t since_us, double before[2], double since[2])
{
    static const size_t classes[] = { TFP_WATCH_INPUT, TFP_WATCH_COMPUTE };
    counted c = { 0 };
    double us[2];
    bool ok = count_all(m, since_us, &c, us);
    for (size_t k = 0; ok && k < 2; k++)
        for (size_t i = 0; i < c.lines; i++) {
            before[k] += c.at[classes[k] * c.lines + i].before * us[0];
            since[k] += c.at[classes[k] * c.lines + i].since * us[1];
        }
    free(c.at);
}
