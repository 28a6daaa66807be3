// SPDX-License-Identifier: Apache-2.0
/* watch/record/pick.c: the processes that are captured after a finding: the rank at fault and a healthy one of its job. A capture disturbs
 * its job: what is found of that job meanwhile is left out. */
#include "watch/record/ring.h"

#define EVERY_NS ((int64_t)600 * 1000000000)
#define DISTURBS_US ((int64_t)15 * 1000000)

bool watch_pick_disturbs(watch_recorder *r, const tfp_watch_rank *rank, const tfp_watch_finding *f)
{
    const watch_job *j = watch_job_of(r, rank->job);
    return j && j->captured_us && f->since >= j->captured_us && f->since < j->captured_us + DISTURBS_US;
}

tfp_status watch_pick(watch_recorder *r, const tfp_watch_rank *rank, const tfp_watch_finding *f)
{
    char name[WATCH_RING_NAME];
    int64_t pids[2];
    size_t count = 0;
    watch_job *j = watch_job_of(r, rank->job);
    int64_t now_us = tfp_unix_micros();
    if (!r->to->capture || !j || (j->captured_us && now_us - j->captured_us < EVERY_NS / 1000)) return TFP_OK;
    const watch_process *at_fault = watch_process_of(r, rank->pid);
    if (at_fault && !at_fault->gone) pids[count++] = rank->pid;
    for (size_t i = 0; i < r->list.size && count < 2; i++) {
        const watch_process *p = r->list.at[i];
        if (p->rank.job == rank->job && p->rank.pid != rank->pid && !p->gone) pids[count++] = p->rank.pid;
    }
    if (!count) return TFP_OK;
    j->captured_us = now_us;
    watch_ring_name(f, "captures", "", name);
    return r->to->capture(r->to->ctx, pids, count, name, r->err);
}
