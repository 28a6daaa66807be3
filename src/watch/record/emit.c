// SPDX-License-Identifier: Apache-2.0
/* watch/record/emit.c: gives rows away when all ranks of a job have ended the step, because lateness is relative to the median rank. */
#include "watch/record/flights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OLD_NS ((int64_t)3000000000) /* rows wait no longer than this for other ranks */
#define ASKED_NS                                                                                                       \
    ((int64_t)13000000000) /* where collectives come from PyTorch's recorder, which is asked now and then */
#define RANKS_MOST 1024

static tfp_status give(watch_recorder *r, watch_process *p, double late_us)
{
    watch_row *row = &p->rows.at[0];
    row->row.lines = tfp_str_of(row->lines);
    row->row.late_us = late_us;
    tfp_status s = r->to->step(r->to->ctx, &row->row, r->err);
    tfp_watch_moments moments = { watch_boot_us(r, row->end_ns), watch_boot_us(r, row->arrival_ns),
                                  watch_boot_us(r, row->leave_ns) };
    if (!s && tfp_watch_judge_step(r->judge, &p->rank, &row->row, moments)) s = tfp_nomem(r->err);
    memmove(p->rows.at, p->rows.at + 1, (p->rows.size - 1) * sizeof *p->rows.at);
    p->rows.size--;
    return s ? s : r->status;
}

/* The lowest step of a job of which rows wait; TFP_ABSENT: none. *wait: a rank has not ended it yet. */
static int64_t lowest(const watch_recorder *r, uint64_t job, int64_t now_ns, bool *wait)
{
    int64_t low = TFP_ABSENT, ended_ns = now_ns, old_ns = OLD_NS;
    for (size_t i = 0; i < r->list.size; i++) {
        const watch_process *p = r->list.at[i];
        if (p->rank.job == job && watch_flights_count(p)) old_ns = ASKED_NS;
        if (p->rank.job != job || !p->rows.size) continue;
        const watch_row *row = &p->rows.at[0];
        if (low != TFP_ABSENT && row->row.step >= low) continue;
        low = row->row.step;
        ended_ns = row->end_ns;
    }
    *wait = false;
    for (size_t i = 0; i < r->list.size && low != TFP_ABSENT && now_ns - ended_ns < old_ns; i++) {
        const watch_process *p = r->list.at[i];
        *wait |= p->rank.job == job && !p->rows.size && p->number && p->number < low && !p->gone;
        *wait |= p->rank.job == job && !p->rows.size && p->ended.size;
    }
    return low;
}

/* Gives away all rows of a step of a job. */
static tfp_status give_step(watch_recorder *r, uint64_t job, int64_t step)
{
    int64_t arrivals[RANKS_MOST];
    size_t count = 0;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < r->list.size && count < RANKS_MOST; i++) {
        const watch_process *p = r->list.at[i];
        if (p->rank.job == job && p->rows.size && p->rows.at[0].row.step == step && p->rows.at[0].arrival_ns)
            arrivals[count++] = p->rows.at[0].arrival_ns;
    }
    if (count) qsort(arrivals, count, sizeof *arrivals, tfp_by_int);
    double median = count ? (double)arrivals[count / 2] / 2 + (double)arrivals[(count - 1) / 2] / 2 : 0;
    for (size_t i = 0; i < r->list.size && !s; i++) {
        watch_process *p = r->list.at[i];
        if (p->rank.job != job || !p->rows.size || p->rows.at[0].row.step != step) continue;
        int64_t arrival = p->rows.at[0].arrival_ns;
        s = give(r, p, arrival && count > 1 ? ((double)arrival - median) / 1000 : NAN);
    }
    return s;
}

tfp_status watch_emit(watch_recorder *r, int64_t now_ns, bool all)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < r->list.size && !s; i++) /* windows wait for no other rank */
        while (!s && r->list.at[i]->rows.size && r->list.at[i]->rows.at[0].row.step == TFP_ABSENT)
            s = give(r, r->list.at[i], NAN);
    for (size_t i = 0; i < r->list.size && !s; i++) {
        uint64_t job = r->list.at[i]->rank.job;
        for (bool wait = false; !s && !wait;) {
            int64_t low = lowest(r, job, now_ns, &wait);
            if (low == TFP_ABSENT) break;
            if (all) wait = false;
            if (!wait) s = give_step(r, job, low);
        }
    }
    return s;
}

const char *watch_layers_text(const watch_process *p, char out[WATCH_LAYERS_TEXT])
{
    size_t at = 0;
    *out = '\0';
    for (int i = 0; i < WATCH_LAYERS; i++)
        if (p->layers >> i & 1)
            at += (size_t)snprintf(out + at, WATCH_LAYERS_TEXT - at, "%s%s", at ? "|" : "", watch_layers[i]);
    return out;
}

tfp_status watch_emit_job(watch_recorder *r, watch_process *p, bool ended)
{
    tfp_watch_job row;
    char layers[WATCH_LAYERS_TEXT];
    tfp_watch_clear(TFP_WATCH_JOBS, &row);
    row.run = p->rank.run;
    row.job = p->rank.name;
    row.date = p->rank.date;
    row.host = p->rank.host;
    row.rank = p->rank.rank;
    row.pid = p->rank.pid;
    if (*p->about.framework) row.framework = tfp_str_of(p->about.framework);
    if (*p->about.version) row.version = tfp_str_of(p->about.version);
    row.steps_are = tfp_str_of(p->marks.are);
    if (p->marks.known) row.fit = round(p->marks.fit * 1000) / 1000;
    row.steps = p->counts.steps;
    row.layers = tfp_str_of(watch_layers_text(p, layers));
    if (*p->about.code) row.code = tfp_str_of(p->about.code);
    if (*p->about.code) row.message = tfp_str_of(p->about.message);
    row.started = p->times.started_us;
    if (ended) row.ended = tfp_unix_micros();
    row.samples = p->counts.samples;
    row.torn = p->counts.torn;
    row.dropped = p->counts.dropped;
    row.own_cpu_us = (double)p->counts.own_ns / 1000;
    return r->to->job(r->to->ctx, &row, r->err);
}
