// SPDX-License-Identifier: Apache-2.0
/* watch/judge/steps.c: the shortest period of a sequence of calls. If all calls look alike, long gaps mark the steps.
 * The period is learned from the last calls, and each call is then compared with the one that should come: evaluations
 * and checkpoints have other calls, which are off the period and begin no step. */
#include "watch/judge/steps.h"

#include <math.h>

enum {
    KEPT = 4096,        /* calls that a period is learned from */
    LEAST = 32,         /* fewer: none is learned */
    LONGEST = KEPT / 3, /* longest period */
    JUDGED = 512,       /* last calls that count for the fit */
    OFTEN = 16          /* a longer period came at least so many times */
};
#define FITS 0.95
#define ALIKE 0.005 /* a shorter period is taken if so much less of the calls lie on it */

typedef struct call {
    uint64_t what;
    int64_t gap_us;
} call;

struct tfp_watch_steps {
    call kept[KEPT]; /* ring */
    uint64_t count, learn_at;
    int64_t long_us; /* the gap before a step is at least so long; 0: gaps do not matter */
    size_t at;       /* place in the pattern of the next call */
    bool marks_gaps; /* `what` and whether its gap is long make a call */
    tfp_watch_rhythm rhythm;
    unsigned char on[JUDGED]; /* ring: whether the call was on the period */
    uint64_t judged;
    uint64_t patterns[LONGEST]; /* of one period; begins where a step begins */
};

tfp_watch_steps *tfp_watch_steps_new(void)
{
    tfp_watch_steps *s = calloc(1, sizeof *s);
    if (s) s->learn_at = LEAST;
    return s;
}

void tfp_watch_steps_free(tfp_watch_steps *s) { free(s); }

/* ---- learning ---- */

static double share_at(const uint64_t *symbols, size_t count, size_t period)
{
    size_t same = 0;
    for (size_t i = period; i < count; i++) same += symbols[i] == symbols[i - period];
    return (double)same / (double)(count - period);
}

/* Of two periods that fit the longer one counts if it came often: layers have periods inside of a step. What comes
 * seldom is an evaluation between steps. */
static size_t period_of(const uint64_t *symbols, size_t count, double *fit)
{
    size_t best = 1;
    *fit = 0;
    for (size_t p = 1; p <= count / 3; p++) {
        double share = share_at(symbols, count, p);
        bool rare = *fit >= FITS && count / p < OFTEN;
        if (share > *fit + ALIKE && !rare) *fit = share, best = p;
    }
    return best;
}

/* The limit between short and long gaps: the widest jump among the middle ones; 0: there is none by a factor of two. */
static int64_t find_limit(double *gaps, size_t count)
{
    double widest = 2, limit = 0;
    if (!count) return 0;
    qsort(gaps, count, sizeof *gaps, tfp_by_real);
    for (size_t i = count / 50 + 1; i < count - count / 50; i++) {
        double low = fmax(gaps[i - 1], 20), high = gaps[i]; /* below 20 us all gaps are alike */
        if (high / low <= widest) continue;
        widest = high / low;
        limit = sqrt(low * high);
    }
    return (int64_t)limit;
}

static uint64_t symbol_of(const call *c, int64_t long_us)
{
    return long_us && c->gap_us >= long_us ? c->what ^ 0x9e3779b97f4a7c15u : c->what;
}

/* The place in the period before which the process takes longest. */
static size_t begin_of(const call *calls, size_t count, size_t period)
{
    double most = -1;
    size_t best = 0;
    double gaps[KEPT];
    for (size_t phase = 0; phase < period; phase++) {
        size_t n = 0;
        for (size_t i = count - 1 - phase; i < count; i -= period) { /* ends when i passes 0 */
            gaps[n++] = (double)calls[i].gap_us;
            if (i < period) break;
        }
        qsort(gaps, n, sizeof *gaps, tfp_by_real);
        if (gaps[n / 2] > most) most = gaps[n / 2], best = count - 1 - phase;
    }
    return best;
}

static void learn(tfp_watch_steps *s)
{
    call calls[KEPT];
    uint64_t symbols[KEPT];
    double gaps[KEPT], fit, fit_gaps = 0;
    size_t n = s->count < KEPT ? (size_t)s->count : KEPT, best = 0;
    for (size_t i = 0; i < n; i++) {
        calls[i] = s->kept[(s->count - n + i) % KEPT];
        symbols[i] = calls[i].what;
        gaps[i] = (double)calls[i].gap_us;
    }
    if (!n) return;
    size_t period = period_of(symbols, n, &fit);
    int64_t limit = find_limit(gaps, n);
    if (limit && (period == 1 || fit < FITS)) {
        for (size_t i = 0; i < n; i++) symbols[i] = symbol_of(&calls[i], limit);
        best = period_of(symbols, n, &fit_gaps);
    }
    bool marks_gaps = best > period && fit_gaps >= 0.9;
    if (marks_gaps) period = best;
    bool fits = s->rhythm.calls == period && s->judged >= LEAST && s->rhythm.fit >= FITS;
    if (period > LONGEST || fits) return;
    s->marks_gaps = marks_gaps;
    s->long_us = limit;
    size_t begin = begin_of(calls, n, period);
    for (size_t i = 0; i < period; i++) {
        size_t from = begin + i < n ? begin + i : begin + i - period;
        s->patterns[i] = s->marks_gaps ? symbol_of(&calls[from], limit) : calls[from].what;
    }
    s->at = (n - begin) % period;
    s->rhythm = (tfp_watch_rhythm){ period, s->marks_gaps ? fit_gaps : fit, s->marks_gaps };
    s->judged = 0;
}

/* ---- following ---- */

static void judge(tfp_watch_steps *s, bool on)
{
    s->on[s->judged++ % JUDGED] = on;
    size_t n = s->judged < JUDGED ? (size_t)s->judged : JUDGED, good = 0;
    if (n < LEAST) return;
    for (size_t i = 0; i < n; i++) good += s->on[i];
    s->rhythm.fit = (double)good / (double)n;
}

bool tfp_watch_steps_take(tfp_watch_steps *s, uint64_t what, int64_t gap_us)
{
    call c = { what, gap_us };
    bool begins = false;
    s->kept[s->count++ % KEPT] = c;
    if (s->rhythm.calls) {
        uint64_t symbol = s->marks_gaps ? symbol_of(&c, s->long_us) : what;
        bool on = symbol == s->patterns[s->at];
        bool again = !on && symbol == s->patterns[0] && (!s->long_us || gap_us >= s->long_us);
        if (again) s->at = 0; /* the step before was cut short, or was another one */
        begins = (on || again) && s->at == 0;
        if (on || again) s->at = (s->at + 1) % s->rhythm.calls;
        judge(s, on);
    }
    bool lost = s->judged >= JUDGED && s->rhythm.fit < FITS;
    if (s->count >= s->learn_at) {
        learn(s);
        s->learn_at = s->count < KEPT ? s->count * 2 : s->count + (s->rhythm.fit < FITS ? KEPT / 4 : KEPT);
    } else if (lost && s->learn_at - s->count > KEPT / 4) {
        s->learn_at = s->count + KEPT / 4;
    }
    return begins;
}

tfp_watch_rhythm tfp_watch_steps_rhythm(const tfp_watch_steps *s) { return s->rhythm; }

/* ---- lines in samples ---- */

enum { ENTRIES = 1024 };

/* A line was entered between two samples: in the middle, as far as is known. */
static double entered_us(const tfp_watch_line_seen *seen, size_t i)
{
    return (double)seen[i].at_us / 2 + (double)seen[i - 1].at_us / 2;
}

/* How regularly a line is entered. */
static tfp_watch_line_period period_of_line(const tfp_watch_line_seen *seen, size_t count, uint32_t line)
{
    double apart[ENTRIES];
    size_t n = 0, last = SIZE_MAX, good = 0;
    for (size_t i = 1; i < count && n < ENTRIES; i++) {
        if (seen[i].line != line || seen[i - 1].line == line) continue;
        if (last != SIZE_MAX) apart[n++] = entered_us(seen, i) - entered_us(seen, last);
        last = i;
    }
    tfp_watch_line_period p = { line, 0, 0 };
    if (n < 8) return p;
    qsort(apart, n, sizeof *apart, tfp_by_real);
    p.us = apart[n / 2];
    for (size_t i = 0; i < n; i++) good += fabs(apart[i] - p.us) <= p.us / 4;
    p.fit = (double)good / (double)n;
    return p;
}

tfp_watch_line_period tfp_watch_line_period_of(const tfp_watch_line_seen *seen, size_t count)
{
    enum { DIFFERENT = 64, SHORTEST = 4 }; /* a period of fewer samples is not seen */
    uint32_t lines[DIFFERENT] = { 0 };
    size_t known = 0;
    tfp_watch_line_period best = { TFP_NONE, 0, 0 };
    double least_us = count ? SHORTEST * (double)(seen[count - 1].at_us - seen[0].at_us) / (double)count : 0;
    for (size_t i = 0; i < count && known < DIFFERENT; i++) {
        size_t k = 0;
        while (k < known && lines[k] != seen[i].line) k++;
        if (k < known) continue;
        lines[known++] = seen[i].line;
        tfp_watch_line_period p = period_of_line(seen, count, seen[i].line);
        if (p.us >= least_us && p.fit > best.fit) best = p;
    }
    return best;
}
