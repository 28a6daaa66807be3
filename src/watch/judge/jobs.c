// SPDX-License-Identifier: Apache-2.0
/* watch/judge/jobs.c: the jobs and the ranks that the judge knows. */
#include "watch/judge/parts.h"

void judge_job_free(job *of)
{
    for (size_t i = 0; i < of->members.size; i++) judge_member_free(of->members.at[i]);
    for (size_t i = 0; i < ROUNDS; i++) tfp_vec_free(&of->rounds[i].parts);
    judge_findings_free(of);
    tfp_vec_free(&of->members);
    free(of);
}

static job *job_of(tfp_watch_judge *j, uint64_t number)
{
    uint32_t at = tfp_map64_get(&j->job_of, number);
    if (at != TFP_NONE) return j->jobs.at[at];
    job *of = calloc(1, sizeof *of);
    if (of) of->number = number;
    if (of && tfp_map64_put(&j->job_of, number, (uint32_t)j->jobs.size) && tfp_push(&j->jobs, of)) return of;
    free(of);
    j->nomem = true;
    return NULL;
}

static member *find(const job *of, const tfp_watch_rank *rank)
{
    for (size_t i = 0; i < of->members.size; i++)
        if (of->members.at[i]->who.number == rank->number) return of->members.at[i];
    return NULL;
}

member *judge_member(tfp_watch_judge *j, const tfp_watch_rank *rank, job **of)
{
    if (!(*of = job_of(j, rank->job))) return NULL;
    member *m = find(*of, rank);
    if (m || j->members >= RANKS_MOST) return m;
    m = judge_member_new(rank);
    if (m && tfp_push(&(*of)->members, m)) {
        j->members++;
        return m;
    }
    judge_member_free(m);
    j->nomem = true;
    return NULL;
}

/* Forgets jobs that ended a minute ago. */
void judge_forget(tfp_watch_judge *j, int64_t now_us)
{
    const size_t before = j->jobs.size;
    size_t kept = 0;
    for (size_t i = 0; i < before; i++) {
        job *of = j->jobs.at[i];
        bool alive = of->seen_us + FORGET_US > now_us;
        for (size_t k = 0; k < of->members.size && !alive; k++)
            alive = of->members.at[k]->last_end + FORGET_US > now_us;
        if (alive) {
            j->jobs.at[kept++] = of;
            continue;
        }
        for (size_t k = 0; k < of->findings.size; k++)
            if (of->findings.at[k]->row.ended == TFP_ABSENT) judge_end(j, of->findings.at[k], now_us);
        j->members -= of->members.size;
        judge_job_free(of);
    }
    if (kept == before) return;
    tfp_map64_clear(&j->job_of);
    for (j->jobs.size = 0; j->jobs.size < kept; j->jobs.size++)
        if (!tfp_map64_put(&j->job_of, j->jobs.at[j->jobs.size]->number, (uint32_t)j->jobs.size)) j->nomem = true;
}
