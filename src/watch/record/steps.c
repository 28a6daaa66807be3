// SPDX-License-Identifier: Apache-2.0
/* watch/record/steps.c: steps that end get a number of their job, and wait for their rows. */
#include "watch/record/ring.h"

#include <stdlib.h>

/* The number of a step of a rank: steps of several ranks that end at about the same time are one step of the job. Ranks whose collectives
 * come from PyTorch's recorder tell their steps late, and in heaps. 0: it ended before the first step of the job that has a number. */
static int64_t number_step(watch_recorder *r, watch_process *p, const watch_step *step)
{
    watch_job *j = watch_job_of(r, p->rank.job);
    if (!j) return p->number + 1;
    int64_t half = (step->end_ns - step->start_ns) / 2, nearest = 0, least = INT64_MAX;
    for (int64_t n = j->last; n > p->number && n > j->last - WATCH_ENDS && n > 0; n--) {
        int64_t apart = llabs(step->end_ns - j->ends_ns[n % WATCH_ENDS]);
        if (apart > least) break; /* earlier ones are farther away */
        nearest = n;
        least = apart;
    }
    int64_t last_ns = j->last ? j->ends_ns[j->last % WATCH_ENDS] : 0;
    if (nearest && (least < half || (p->number && step->end_ns < last_ns))) return nearest;
    if (!p->number && step->end_ns < last_ns) return 0;
    j->last = (j->last > p->number ? j->last : p->number) + 1;
    j->ends_ns[j->last % WATCH_ENDS] = step->end_ns > last_ns ? step->end_ns : last_ns + 1;
    return j->last;
}

static void push_step(watch_recorder *r, watch_process *p, const watch_step *step)
{
    if (p->ended.size >= WATCH_ROWS)
        p->counts.dropped++;
    else if (!tfp_push(&p->ended, *step))
        r->nomem = true;
}

void watch_end_step(watch_recorder *r, watch_process *p, watch_step *step)
{
    int64_t number = number_step(r, p, step);
    if (!number) return;
    p->number = step->number = number;
    watch_ring_step(p, step);
    push_step(r, p, step);
}

void watch_take_hit(void *ctx, const tfp_probe_hit *hit)
{
    watch_recorder *r = ctx;
    watch_process *p = watch_process_of(r, hit->pid);
    watch_step step;
    if (p) watch_ring_hit(p, hit);
    if (p && watch_marks_hit(&p->marks, hit, &step)) watch_end_step(r, p, &step);
}

void watch_cut_window(watch_recorder *r, watch_process *p, int64_t now_ns, bool last)
{
    int64_t end_ns = last ? p->last.at_ns : now_ns;
    if (p->marks.known || p->window_ns < 0) {
        if (p->window_ns > 0) p->window_ns = 0;
        return;
    }
    if (!p->window_ns && !last) {
        watch_step mark = { .number = TFP_ABSENT, .start_ns = now_ns, .end_ns = now_ns };
        push_step(r, p, &mark); /* sums begin here */
        p->window_ns = now_ns;
    }
    bool open = p->window_ns && end_ns > p->window_ns;
    if (open && (last || end_ns - p->window_ns >= WATCH_WINDOW_NS)) {
        watch_step step = { .number = TFP_ABSENT, .start_ns = p->window_ns, .end_ns = end_ns };
        p->window_ns = now_ns;
        push_step(r, p, &step);
        if (last && !p->looks.size && !tfp_push(&p->looks, p->last))
            r->nomem = true; /* the row needs a look at its end */
    }
    if (last) p->window_ns = -1;
}
