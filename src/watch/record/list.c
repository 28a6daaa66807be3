// SPDX-License-Identifier: Apache-2.0
/* watch/record/list.c: the list of processes and that of jobs; why a layer of a process does not work. */
#include "watch/record/record.h"

#include <stdio.h>

watch_process *watch_process_of(const watch_recorder *r, int64_t pid)
{
    for (size_t i = 0; i < r->list.size; i++)
        if (r->list.at[i]->rank.pid == pid) return r->list.at[i];
    return NULL;
}

watch_job *watch_job_of(watch_recorder *r, uint64_t number)
{
    for (size_t i = 0; i < r->jobs.size; i++)
        if (r->jobs.at[i].number == number) return &r->jobs.at[i];
    return NULL;
}

void watch_refuse(watch_process *p, const char *code, const char *message)
{
    if (*p->about.code) return;
    snprintf(p->about.code, sizeof p->about.code, "%s", code);
    snprintf(p->about.message, sizeof p->about.message, "%s", message);
}
