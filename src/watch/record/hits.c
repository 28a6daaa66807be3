// SPDX-License-Identifier: Apache-2.0
/* watch/record/hits.c: steps from the calls of probed functions: collectives, and calls of the first function of live/jobs/probe.c
 * that counts the steps of the process. judge/steps.c knows with which of them a step begins; its boundary is the end of the last event
 * before: what follows is the input of the step. A process without such calls has steps by the lines at which it is seen. */
#include "watch/record/process.h"

#include <stdio.h>
#include <stdlib.h>

#define FIT_LEAST 0.95
#define SEEN_LEAST 300 /* looks before a period of lines is believed: 15 s */

bool watch_marks_start(watch_marks *m)
{
    *m = (watch_marks){ .steps = tfp_watch_steps_new(), .step_function = UINT32_MAX };
    snprintf(m->are, sizeof m->are, "windows");
    return m->steps != NULL;
}

void watch_marks_end(watch_marks *m)
{
    tfp_watch_steps_free(m->steps);
    free(m->lines);
    m->steps = NULL;
    m->lines = NULL;
}

/* ---- lines ---- */

/* Learns the period of the lines. The ring is copied into its order of time. */
static void learn_lines(watch_marks *m)
{
    static _Thread_local tfp_watch_line_seen seen[WATCH_SEEN];
    watch_lines *x = m->lines;
    size_t n = x->count < WATCH_SEEN ? (size_t)x->count : WATCH_SEEN;
    for (size_t i = 0; i < n; i++) seen[i] = x->seen[(x->count - n + i) % WATCH_SEEN];
    x->period = n < SEEN_LEAST ? (tfp_watch_line_period){ TFP_NONE, 0, 0 } : tfp_watch_line_period_of(seen, n);
    m->fit = x->period.fit;
    m->known = x->period.line != TFP_NONE && m->fit >= FIT_LEAST;
    snprintf(m->are, sizeof m->are, m->known ? "period of a line" : "windows");
    if (!m->known) m->open.start_ns = 0;
}

void watch_marks_tick(watch_marks *m)
{
    tfp_watch_rhythm r = tfp_watch_steps_rhythm(m->steps);
    if (m->lines && !m->hits) {
        if (m->lines->count >= SEEN_LEAST) learn_lines(m);
        return;
    }
    m->known = r.calls && r.fit >= FIT_LEAST;
    m->fit = r.fit;
    if (!m->known) {
        m->open.start_ns = 0; /* no step is claimed */
        snprintf(m->are, sizeof m->are, "%s", r.calls ? "calls" : "windows");
    } else if (m->collectives) {
        snprintf(m->are, sizeof m->are, "period of %lld collective%s", (long long)m->collectives,
                 m->collectives == 1 ? "" : "s");
    } else if (m->step_function != UINT32_MAX && r.calls == (size_t)tfp_probe_calls(m->step_function)) {
        snprintf(m->are, sizeof m->are, "%s", tfp_probe_name(m->step_function));
    } else if (m->step_function != UINT32_MAX) {
        snprintf(m->are, sizeof m->are, "%zu %s", r.calls, tfp_probe_name(m->step_function));
    }
}

/* Ends the open step at this time, and begins the next. */
static bool cut(watch_marks *m, int64_t at_ns, watch_step *out)
{
    bool whole = m->open.start_ns != 0;
    *out = m->open;
    out->end_ns = at_ns;
    m->collectives = m->open.collectives;
    m->open = (watch_step){ .start_ns = m->known ? at_ns : 0 };
    return whole && m->known;
}

bool watch_marks_look(watch_marks *m, const watch_look *l, bool *ended, watch_step *out)
{
    *ended = false;
    if (m->hits || !l->line) return true;
    if (!m->lines && !(m->lines = calloc(1, sizeof *m->lines))) return false;
    watch_lines *x = m->lines;
    int64_t at_us = l->at_ns / 1000;
    x->seen[x->count++ % WATCH_SEEN] = (tfp_watch_line_seen){ at_us, l->line };
    bool enters = l->line == x->period.line && x->last != l->line;
    x->last = l->line;
    /* a line that is left for a moment, such as for a logger, begins no step */
    if (!m->known || !enters || (double)(at_us - x->entered_us) < x->period.us / 2) return true;
    x->entered_us = at_us;
    *ended = cut(m, l->at_ns, out);
    return true;
}

static bool mark(watch_marks *m, uint32_t function, int64_t at_ns, watch_step *out)
{
    int64_t last_ns = m->last_ns ? m->last_ns : at_ns;
    bool begins = tfp_watch_steps_take(m->steps, function, (at_ns - last_ns) / 1000);
    return begins && cut(m, last_ns, out);
}

/* Whether calls of this function count steps; one that comes before it in the list takes its place. */
static bool counts(watch_marks *m, uint32_t function)
{
    if (function < m->step_function) m->step_function = function;
    return function == m->step_function;
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
