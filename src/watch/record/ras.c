// SPDX-License-Identifier: Apache-2.0
/* watch/record/ras.c: asks the RAS of jobs of NCCL, some seconds apart, which of their ranks launched fewer operations than the others: no
 * frame tells in which collective a rank of NCCL waits. A thread for each job asks, so that a server that does not answer delays nothing. */
#include "watch/record/ras.h"
#include "live/net/ras.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKED_MOST = 16 };
#define EVERY_NS ((int64_t)5000000000)
#define ADDRESS_EVERY_NS ((int64_t)60000000000)

struct watch_ras {
    uint64_t job;
    int64_t asked_ns, address_ns; /* when it was asked, and its address was looked for, last; 0: never */
    char address[256];            /* "": it has none */
    pthread_t thread;
    bool running;
    _Atomic bool done;
    tfp_status status;
    tfp_ras answer;
};

static void *ask(void *ctx)
{
    watch_ras *x = ctx;
    tfp_buf text = { 0 };
    x->status = tfp_ras_ask(x->address, &text, NULL);
    if (!x->status) x->status = tfp_ras_parse(&x->answer, (tfp_str){ text.data ? text.data : "", text.size }, NULL);
    tfp_buf_free(&text);
    atomic_store(&x->done, true);
    return NULL;
}

static const tfp_ras_rank *behind(const tfp_ras *ras, int64_t pid)
{
    for (size_t i = 0; i < ras->ranks.size; i++)
        if (ras->ranks.at[i].pid == pid && !ras->ranks.at[i].lost) return &ras->ranks.at[i];
    return NULL;
}

/* Some ranks are behind: the others wait for them in the next operation. */
static void apply(watch_recorder *r, const watch_ras *x)
{
    const tfp_ras_rank *first = NULL;
    size_t all = 0, late = 0;
    for (size_t i = 0; i < r->list.size; i++) {
        watch_process *p = r->list.at[i];
        if (p->rank.job != x->job) continue;
        const tfp_ras_rank *one = x->status ? NULL : behind(&x->answer, p->rank.pid);
        all++;
        late += one != NULL;
        if (one && !first) first = one;
        if (!x->status) p->layers |= 1u << WATCH_RAS;
    }
    for (size_t i = 0; i < r->list.size; i++) {
        watch_process *p = r->list.at[i];
        if (p->rank.job != x->job) continue;
        p->nvidia.ras = 0;
        if (!first || late == all || behind(&x->answer, p->rank.pid)) continue;
        tfp_buf name = { 0 };
        tfp_buf_str(&name, first->kind);
        tfp_buf_printf(&name, " %lld of communicator ", (long long)first->count + 1);
        tfp_buf_str(&name, first->communicator);
        p->nvidia.ras = name.failed ? TFP_NONE : tfp_intern(&p->texts.table, (tfp_str){ name.data, name.size });
        tfp_buf_free(&name);
        if (p->nvidia.ras == TFP_NONE) r->nomem = true, p->nvidia.ras = 0;
    }
}

static watch_ras *ras_of(watch_recorder *r, uint64_t job)
{
    for (size_t i = 0; i < r->ras.size; i++)
        if (r->ras.at[i]->job == job) return r->ras.at[i];
    watch_ras *x = r->ras.size < ASKED_MOST ? calloc(1, sizeof *x) : NULL;
    if (!x) return NULL;
    x->job = job;
    if (tfp_push(&r->ras, x)) return x;
    free(x);
    r->nomem = true;
    return NULL;
}

static void end(watch_recorder *r, watch_ras *x)
{
    pthread_join(x->thread, NULL);
    x->running = false;
    if (r) apply(r, x);
    tfp_ras_free(&x->answer);
    x->answer = (tfp_ras){ 0 };
}

/* Only a process of the job itself tells the address: NCCL_RAS_ADDR, or it listens at NCCL's port. */
static void find_address(const watch_recorder *r, watch_ras *x, int64_t now_ns)
{
    if (x->address_ns && now_ns - x->address_ns < ADDRESS_EVERY_NS) return;
    x->address_ns = now_ns;
    *x->address = '\0';
    for (size_t i = 0; i < r->list.size; i++) {
        const watch_process *p = r->list.at[i];
        if (p->rank.job == x->job && !p->gone && tfp_ras_address(p->rank.pid, x->address, sizeof x->address)) return;
        *x->address = '\0';
    }
}

/* Forgets jobs that have ended, unless they are being asked. */
static void forget(watch_recorder *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->ras.size; i++) {
        watch_ras *x = r->ras.at[i];
        bool used = x->running;
        for (size_t k = 0; k < r->list.size && !used; k++) used = r->list.at[k]->rank.job == x->job;
        if (used)
            r->ras.at[kept++] = x;
        else
            free(x);
    }
    r->ras.size = kept;
}

void watch_ras_tick(watch_recorder *r, int64_t now_ns)
{
    for (size_t i = 0; i < r->ras.size; i++)
        if (r->ras.at[i]->running && atomic_load(&r->ras.at[i]->done)) end(r, r->ras.at[i]);
    forget(r);
    for (size_t i = 0; i < r->list.size; i++) {
        if (r->list.at[i]->rank.rank == TFP_ABSENT) continue;
        watch_ras *x = ras_of(r, r->list.at[i]->rank.job);
        if (!x) continue;
        if (x->running || (x->asked_ns && now_ns - x->asked_ns < EVERY_NS)) continue;
        x->asked_ns = now_ns;
        find_address(r, x, now_ns);
        atomic_store(&x->done, false);
        if (*x->address) x->running = pthread_create(&x->thread, NULL, ask, x) == 0;
    }
}

void watch_ras_end(watch_recorder *r)
{
    for (size_t i = 0; i < r->ras.size; i++) {
        if (r->ras.at[i]->running) end(NULL, r->ras.at[i]);
        free(r->ras.at[i]);
    }
    tfp_vec_free(&r->ras);
}
