// SPDX-License-Identifier: Apache-2.0
/* watch/record/hits.c: steps from the calls of probed functions. The marks of a process are its collectives and the calls of the first
 * function of live/jobs/probe.c that counts its steps. A step is the shortest period of their sequence. It begins where the period
 * has its longest gap, at the end of the last event before: what follows is the input of the next step. */
#include "watch/record/process.h"

#include <stdio.h>
#include <stdlib.h>

#define FIT_LEAST 0.95
#define SEEN_LEAST 3 /* periods that must have been seen */

void watch_marks_start(watch_marks *m)
{
    *m = (watch_marks){ .step_function = UINT32_MAX };
    snprintf(m->are, sizeof m->are, "windows");
}

static uint8_t symbol_at(const watch_marks *m, size_t i) { return m->symbols[i % WATCH_MARKS]; }
static int32_t gap_at(const watch_marks *m, size_t i) { return m->gaps_us[i % WATCH_MARKS]; }

/* ---- the period ---- */

/* The share of the marks that equal the one a period before. */
static double fit_of(const watch_marks *m, size_t first, size_t period)
{
    size_t same = 0, count = m->count - first;
    for (size_t i = first + period; i < m->count; i++) same += symbol_at(m, i) == symbol_at(m, i - period);
    return count > period ? (double)same / (double)(count - period) : 0;
}

static int by_gap(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

/* The median gap before the marks first + place, first + place + period ... */
static int32_t median_gap(const watch_marks *m, size_t first, size_t place, size_t period)
{
    int32_t gaps[WATCH_MARKS];
    size_t count = 0;
    for (size_t i = first + place; i < m->count; i += period) gaps[count++] = gap_at(m, i);
    qsort(gaps, count, sizeof *gaps, by_gap);
    return count ? gaps[count / 2] : 0;
}

/* The place of the period with the longest gap before it; *clear: by how much it is longer than the second one. */
static size_t longest_gap(const watch_marks *m, size_t first, size_t period, double *clear)
{
    size_t place = 0;
    int32_t longest = -1, second = -1;
    for (size_t i = 0; i < period; i++) {
        int32_t gap = median_gap(m, first, i, period);
        if (gap > longest)
            second = longest, longest = gap, place = i;
        else if (gap > second)
            second = gap;
    }
    *clear = second > 0 ? (double)longest / (double)second : longest > 0 ? 100 : 0;
    return place;
}

/* Calls that are all the same show by their gaps how many make a step. */
static size_t period_by_gaps(const watch_marks *m, size_t first, size_t period)
{
    enum { CLEAR = 3 };
    double best = CLEAR;
    size_t found = period;
    for (size_t k = 2; k * period <= WATCH_PERIOD && m->count - first >= SEEN_LEAST * k * period; k++) {
        double clear;
        (void)longest_gap(m, first, k * period, &clear);
        if (clear > best) best = clear, found = k * period;
    }
    return found;
}

static void name_steps(watch_marks *m, uint32_t function)
{
    if (m->collectives)
        snprintf(m->are, sizeof m->are, "period of %zu collective%s", m->collectives, m->collectives == 1 ? "" : "s");
    else if ((int)m->period == tfp_probe_calls(function))
        snprintf(m->are, sizeof m->are, "%s", tfp_probe_name(function));
    else
        snprintf(m->are, sizeof m->are, "%zu %s", m->period, tfp_probe_name(function));
}

static bool is_collective(uint8_t symbol) { return tfp_probe_role_of(symbol - 1u) == TFP_PROBE_COLLECTIVE; }

static void lock_period(watch_marks *m, size_t first, size_t period)
{
    double clear;
    size_t place = longest_gap(m, first, period, &clear);
    m->period = period;
    m->collectives = 0;
    uint32_t function = 0;
    for (size_t i = 0; i < period; i++) {
        m->pattern[i] = symbol_at(m, first + place + i);
        m->collectives += is_collective(m->pattern[i]);
        function = m->pattern[i] - 1u;
    }
    m->place = (m->count - first + period - place % period) % period;
    m->fit = 1;
    m->open.start_ns = 0; /* the first whole step begins at the next boundary */
    name_steps(m, function);
}

static void find_period(watch_marks *m)
{
    size_t count = m->count < WATCH_MARKS / 2 ? m->count : WATCH_MARKS / 2, first = m->count - count;
    for (size_t period = 1; period <= WATCH_PERIOD && SEEN_LEAST * period <= count; period++) {
        if (fit_of(m, first, period) < FIT_LEAST) continue;
        bool same = period == 1 && count >= 12;
        lock_period(m, first, same ? period_by_gaps(m, first, period) : period);
        return;
    }
}

void watch_marks_tick(watch_marks *m)
{
    if (m->period && m->fit >= FIT_LEAST) return;
    bool known = m->period != 0;
    if (m->count >= 6) find_period(m);
    if (known && m->fit < FIT_LEAST) {
        m->period = 0;
        m->open.start_ns = 0;
        snprintf(m->are, sizeof m->are, "calls");
    }
}

/* ---- hits ---- */

/* Ends the open step at this time, and begins the next. */
static bool cut(watch_marks *m, int64_t at_ns, watch_step *out)
{
    bool whole = m->open.start_ns != 0;
    *out = m->open;
    out->end_ns = at_ns;
    m->open = (watch_step){ .start_ns = at_ns };
    return whole;
}

/* Follows the pattern; returns whether a step has ended. */
static bool follow(watch_marks *m, uint8_t symbol, watch_step *out)
{
    bool on = symbol == m->pattern[m->place], ended = false;
    m->fit += ((double)on - m->fit) / 100;
    if (on) {
        if (m->place == 0) ended = cut(m, m->last_ns, out);
        m->place = (m->place + 1) % m->period;
    } else if (symbol == m->pattern[0]) {
        m->place = 1 % m->period; /* what was there of a step belongs to the row before */
    } else {
        m->place = 0;
    }
    return ended;
}

static bool mark(watch_marks *m, uint32_t function, int64_t at_ns, watch_step *out)
{
    uint8_t symbol = (uint8_t)(function + 1);
    int64_t gap_us = m->last_ns ? (at_ns - m->last_ns) / 1000 : 0;
    m->symbols[m->count % WATCH_MARKS] = symbol;
    m->gaps_us[m->count % WATCH_MARKS] = gap_us < 0 ? 0 : gap_us > INT32_MAX ? INT32_MAX : (int32_t)gap_us;
    bool ended = m->period && follow(m, symbol, out);
    m->count++;
    return ended;
}

static bool counts(watch_marks *m, uint32_t function)
{
    if (function >= m->step_function) return function == m->step_function;
    m->step_function = function; /* comes before the function that counted so far */
    m->count = m->period = 0;
    m->open.start_ns = 0;
    return true;
}

bool watch_marks_hit(watch_marks *m, const tfp_probe_hit *hit, watch_step *out)
{
    bool ended = false;
    m->hits++;
    switch (hit->role) {
    case TFP_PROBE_STEP:
        if (!counts(m, hit->function)) return false;
        ended = mark(m, hit->function, hit->at_ns, out);
        break;
    case TFP_PROBE_COLLECTIVE:
        m->begun++;
        ended = mark(m, hit->function, hit->at_ns, out);
        m->open.collectives++;
        if (!m->open.arrival_ns) m->open.arrival_ns = hit->at_ns;
        break;
    case TFP_PROBE_WAIT:
        if (hit->tid == hit->pid) m->waiting_ns = hit->at_ns;
        break;
    case TFP_PROBE_WAIT_END:
        if (hit->tid != hit->pid || !m->waiting_ns) break;
        m->open.wait_ns += hit->at_ns - (m->waiting_ns > m->open.start_ns ? m->waiting_ns : m->open.start_ns);
        m->waiting_ns = 0;
        if (m->open.arrival_ns && !m->open.leave_ns) m->open.leave_ns = hit->at_ns;
        break;
    }
    m->last_ns = hit->at_ns;
    return ended;
}
