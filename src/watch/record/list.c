// SPDX-License-Identifier: Apache-2.0
/* watch/record/list.c: the list of processes and that of jobs. */
#include "watch/record/flights.h"

#include <stdlib.h>

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

void watch_process_free(watch_process *p)
{
    watch_look_close(p);
    watch_flights_close(p);
    free(p->flights);
    watch_marks_end(&p->marks);
    tfp_texts_free(&p->texts);
    tfp_vec_free(&p->looks);
    tfp_vec_free(&p->ended);
    tfp_vec_free(&p->rows);
    free(p);
}
