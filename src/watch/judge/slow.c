// SPDX-License-Identifier: Apache-2.0
/* watch/judge/slow.c: the rules `slow` and `change`. The job is slower than itself if the medians of four windows in a
 * row are above those of the last hundred. If all ranks do more by the same factor, and nothing from outside takes
 * their time, the batches became longer. */
#include "watch/judge/parts.h"

#include <math.h>

enum { STEPS = 20, LENGTH_US = 2000000 };
#define ALIKE 1.15 /* factors of ranks and classes in longer batches */

/* The window that ended `back` windows ago; NULL: not kept. */
static window *window_back(const member *m, const job *of, size_t back)
{
    return back < of->slow.windows && back < WINDOWS ? &m->windows[(of->slow.windows - 1 - back) % WINDOWS] : NULL;
}

static double median_of_window(const job *of, size_t back)
{
    return of->slow.medians[(of->slow.windows - 1 - back) % WINDOWS];
}

/* The medians of healthy windows before the last `skip` ones. Returns how many. */
static size_t earlier(const job *of, size_t skip, double out[EARLIER])
{
    size_t n = 0;
    for (size_t back = skip; back < of->slow.windows && back < WINDOWS && n < EARLIER; back++)
        if (!of->slow.off[(of->slow.windows - 1 - back) % WINDOWS]) out[n++] = median_of_window(of, back);
    return n;
}

/* What a rank's windows were like, from the last `skip` ones back, or the last `skip` ones: medians over windows,
 * because an evaluation or a checkpoint of one rank fills one or two of four. */
static base base_of(const job *of, const member *m, size_t skip, bool recent)
{
    enum { FIELDS = 7 };
    base b = { 0 };
    double values[FIELDS][EARLIER];
    size_t from = recent ? 0 : skip, to = recent ? skip : skip + EARLIER;
    for (size_t back = from; back < to; back++) {
        const window *w = window_back(m, of, back);
        if (!w) break;
        if ((!recent && of->slow.off[(of->slow.windows - 1 - back) % WINDOWS]) || isnan(w->duration)) continue;
        const double all[FIELDS] = { w->duration, w->own, w->delay, w->throttled, w->bytes, w->cpu, w->clock };
        for (size_t k = 0; k < FIELDS; k++) values[k][b.units] = all[k];
        b.units++;
    }
    double *const medians[FIELDS] = { &b.duration, &b.own, &b.delay, &b.throttled, &b.bytes, &b.cpu, &b.clock };
    for (size_t k = 0; k < FIELDS && b.units; k++) {
        judge_median(values[k], b.units); /* sorts them */
        *medians[k] = values[k][(b.units - 1) / 2];
    }
    return b;
}

/* ---- longer batches ---- */

typedef struct factors {
    double low, high;
} factors;

static void take_factor(factors *f, double factor)
{
    f->low = fmin(f->low, factor);
    f->high = fmax(f->high, factor);
}

/* Whether input and compute of all ranks grew by the same factor, as the looks at them tell; else CPU time and bytes.
 */
static bool is_longer(const job *of, int64_t since_us, double extra)
{
    factors ranks = { INFINITY, 0 }, classes = { INFINITY, 0 };
    double before[2] = { 0, 0 }, since[2] = { 0, 0 }, cpu[2] = { 0, 0 }, bytes[2] = { 0, 0 };
    for (size_t i = 0; i < of->members.size; i++) {
        const member *m = of->members.at[i];
        if (m->gone || !m->units) continue;
        base was = base_of(of, m, IN_A_ROW, false), is = base_of(of, m, IN_A_ROW, true);
        if (is.delay - was.delay > 0.2 * extra || is.throttled - was.throttled > 0.2 * extra) return false;
        double outside = judge_growth_outside(m, since_us);
        if (outside > 0.2 * extra) return false;
        take_factor(&ranks, is.own / was.own);
        judge_shares(m, since_us, before, since);
        cpu[0] += was.cpu, cpu[1] += is.cpu, bytes[0] += was.bytes, bytes[1] += is.bytes;
    }
    if (!(ranks.high <= ranks.low * ALIKE * ALIKE && ranks.low > 1)) return false;
    double whole = before[0] + before[1];
    if (whole > 0) {
        for (size_t k = 0; k < 2; k++)
            if (before[k] > 0.05 * whole) take_factor(&classes, since[k] / before[k]);
    } else {
        take_factor(&classes, cpu[1] / cpu[0]);
        if (bytes[0] > 0) take_factor(&classes, bytes[1] / bytes[0]);
    }
    return classes.low > 1 && classes.high <= classes.low * ALIKE * ALIKE;
}

/* What is usual now was learned with other batches. */
static void start_again(job *of)
{
    for (size_t i = 0; i < of->members.size; i++) {
        of->members.at[i]->units = 0;
        of->members.at[i]->usual = (base){ .late = NAN };
    }
    of->slow = (slowness){ 0 };
    of->last = (candidate){ 0 };
}

/* ---- the rule ---- */

/* The rank whose own time grew most says why; if no rank's did, all wait longer in their collectives. */
static cause find_cause(const job *of, int64_t since_us, double extra)
{
    cause best = { .name = "unknown" };
    double most = 0, wait = INFINITY;
    for (size_t i = 0; i < of->members.size; i++) {
        const member *m = of->members.at[i];
        if (m->gone || !m->units) continue;
        base was = base_of(of, m, IN_A_ROW, false), is = base_of(of, m, IN_A_ROW, true);
        wait = fmin(wait, (is.duration - is.own) - (was.duration - was.own));
        if (!(is.own - was.own > most)) continue;
        most = is.own - was.own;
        best = judge_cause(m, &was, since_us, most, is.delay - was.delay);
        best.share *= fmin(1, most / extra);
        if (best.share < 0.8) best.name = "unknown";
    }
    if (wait >= 0.8 * extra && wait < INFINITY) best = (cause){ .name = "collective", .share = fmin(1, wait / extra) };
    return best;
}

/* The chance that the last four of windows + 4 are the four largest. */
static double chance_of(size_t windows)
{
    double n = (double)windows;
    return 24 / ((n + 1) * (n + 2) * (n + 3) * (n + 4));
}

static void say(tfp_watch_judge *j, job *of, double was, int64_t now_us)
{
    double now[IN_A_ROW], healthy[EARLIER];
    size_t met, windows;
    tfp_watch_finding row;
    tfp_buf evidence = { 0 };
    for (size_t i = 0; i < IN_A_ROW; i++) now[i] = median_of_window(of, i);
    double is = judge_median(now, IN_A_ROW), extra = is - was;
    int64_t since_us = of->slow.since_us;
    bool longer = is_longer(of, since_us, extra);
    cause why = longer ? (cause){ .name = "longer", .share = 1 } : find_cause(of, since_us, extra);
    tfp_watch_clear(TFP_WATCH_FINDINGS, &row);
    row.kind = longer ? TFP_STR("change") : TFP_STR("slow");
    row.cause = tfp_str_of(why.name);
    row.line = why.line;
    row.certainty = why.share;
    row.since = since_us + j->unix_offset;
    row.step = of->slow.step;
    row.lateness_us = extra;
    row.gain = extra / is;
    row.chance = chance_of(of->slow.compared);
    tfp_buf_printf(
        &evidence,
        "steps take %.1f ms in four windows in a row, before %.1f ms (median of %zu windows, the largest %.1f ms)",
        is / 1e3, was / 1e3, of->slow.compared, of->slow.largest / 1e3);
    if (judge_slow_permuted(healthy, earlier(of, IN_A_ROW, healthy), &met, &windows))
        tfp_buf_printf(&evidence, "; these windows in other orders meet the rule in %zu of %zu places", met, windows);
    row.evidence = (tfp_str){ evidence.data, evidence.size };
    if (evidence.failed) j->nomem = true;
    if (judge_say(j, of, NULL, &row, now_us)) {
        for (size_t i = 0; i < IN_A_ROW; i++) of->slow.off[(of->slow.windows - 1 - i) % WINDOWS] = true;
        for (size_t i = 0; i < of->members.size; i++) judge_mark_off(of->members.at[i], since_us);
        of->slow.usual = was;
    }
    tfp_buf_free(&evidence);
    if (!longer) return;
    finding *f = judge_open(of, "change");
    if (f) judge_end(j, f, now_us);
    start_again(of);
}

static void end_window(tfp_watch_judge *j, job *of, int64_t now_us)
{
    double before[EARLIER], was, largest;
    double median = of->slow.medians[(of->slow.windows - 1) % WINDOWS];
    finding *f = judge_open(of, "slow");
    if (f) {
        f->healthy = median <= SLOWER * of->slow.usual ? f->healthy + of->slow.steps : 0;
        if (f->healthy >= RECOVERED) judge_end(j, f, now_us);
    }
    if (judge_open(of, NULL)) {
        of->slow.in_a_row = 0;
        return;
    }
    size_t n = earlier(of, of->slow.in_a_row + 1, before);
    if (n < EARLIER_LEAST) return;
    if (!judge_is_slower(median, before, n, &was, &largest)) {
        of->slow.in_a_row = 0;
        return;
    }
    if (!of->slow.in_a_row++) {
        of->slow.since_us = of->slow.begin_us;
        of->slow.step = of->slow.first_step;
    }
    of->slow.compared = n;
    of->slow.largest = largest;
    if (of->slow.in_a_row >= IN_A_ROW && !of->last.ready_us) say(j, of, was, now_us);
}

static void add(window *w, const unit *x)
{
    w->steps += x->steps;
    double n = (double)x->steps, all = (double)w->steps;
    w->duration += (x->duration - w->duration) * n / all;
    w->own += (x->duration - x->wait - w->own) * n / all;
    w->delay += ((isnan(x->delay) ? 0 : x->delay) - w->delay) * n / all;
    w->throttled += ((isnan(x->throttled) ? 0 : x->throttled) - w->throttled) * n / all;
    w->bytes += ((isnan(x->bytes) ? 0 : x->bytes) - w->bytes) * n / all;
    w->cpu += ((isnan(x->cpu) ? 0 : x->cpu) - w->cpu) * n / all;
    w->clock += ((isnan(x->clock) ? 0 : x->clock) - w->clock) * n / all;
}

void judge_slow(tfp_watch_judge *j, job *of, const job_step *r)
{
    slowness *s = &of->slow;
    double all[RANKS_MOST];
    for (size_t i = 0; i < r->parts.size; i++) {
        all[i] = r->parts.at[i].x.duration;
        add(&r->parts.at[i].of->open_window, &r->parts.at[i].x);
    }
    const unit *x = &r->parts.at[0].x;
    if (!s->steps) {
        s->begin_us = x->end - (int64_t)(x->duration * (double)x->steps);
        s->first_step = x->step;
    }
    s->durations[s->units++ % DURATIONS] = judge_median(all, r->parts.size);
    s->steps += x->steps;
    if (s->steps < STEPS || x->end - s->begin_us < LENGTH_US) return;
    size_t at = s->windows++ % WINDOWS;
    s->medians[at] = judge_median(s->durations, s->units < DURATIONS ? s->units : DURATIONS);
    s->off[at] = judge_open(of, NULL) != NULL;
    for (size_t i = 0; i < of->members.size; i++) {
        member *m = of->members.at[i];
        m->windows[at] = m->open_window;
        if (!m->open_window.steps) m->windows[at].duration = NAN;
        m->open_window = (window){ 0 };
    }
    end_window(j, of, x->end);
    s->steps = 0;
    s->units = 0;
}
