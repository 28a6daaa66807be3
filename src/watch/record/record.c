// SPDX-License-Identifier: Apache-2.0
/* watch/record/record.c: the loop. At random times, `rate` a second in the mean, all probes are read and all main threads
 * are looked at; each second totals are read, steps become rows, and the judge is asked. The times are random because a
 * fixed period would always meet a step of the same period at the same place. */
#include "watch/record/flights.h"
#include "watch/record/ras.h"
#include "watch/record/ring.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS ((int64_t)1000000000)
#define JOB_EVERY_NS (60 * SECOND_NS)
#define MORE_RATE 100 /* looks a second at ranks of which the judge wants more */
#define OWN_MOST 0.01 /* own CPU for each four ranks, as a share of a core */

static int64_t own_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

/* ---- a tick ---- */

static tfp_watch_fact fact_of(const watch_process *p)
{
    tfp_watch_fact f = {
        .rank = &p->rank, .ended = p->gone, .state = p->state, .doing = p->last.doing, .stack = p->last.stack
    };
    f.cpu_ns = p->last.cpu_ns < 0 ? TFP_ABSENT : p->last.cpu_ns;
    f.other_cpu_ns = f.cpu_ns == TFP_ABSENT || p->totals[1].cpu_ns < 0 ? TFP_ABSENT : p->totals[1].cpu_ns - f.cpu_ns;
    bool probed = p->layers >> WATCH_PROBES & 1;
    f.collectives = probed ? p->marks.begun : TFP_ABSENT;
    f.hits = probed ? p->marks.hits : TFP_ABSENT;
    f.by_count = p->nvidia.ras != 0;
    if (p->nvidia.ras)
        f.collective = tfp_strtab_get(&p->texts.table, p->nvidia.ras);
    else if (p->last.inside)
        f.collective = tfp_strtab_get(&p->texts.table, p->last.inside);
    else if (p->marks.waiting_ns)
        f.collective = TFP_STR("wait");
    if (p->last.line) f.line = tfp_strtab_get(&p->texts.table, p->last.line);
    if (p->last.frame) f.frame = tfp_strtab_get(&p->texts.table, p->last.frame);
    return f;
}

static void read_offset(watch_recorder *r)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    r->boot_offset_ns = (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec - tfp_now_ns();
}

static tfp_status ask_judge(watch_recorder *r)
{
    r->facts.size = 0;
    for (size_t i = 0; i < r->list.size; i++)
        if (!tfp_push(&r->facts, fact_of(r->list.at[i]))) return tfp_nomem(r->err);
    if (tfp_watch_judge_tick(r->judge, r->facts.at, r->facts.size, watch_boot_us(r, tfp_now_ns()), tfp_unix_micros()))
        return tfp_nomem(r->err);
    for (size_t i = 0; i < r->list.size; i++)
        r->list.at[i]->wanted = tfp_watch_judge_wants_looks(r->judge, &r->list.at[i]->rank);
    return r->status;
}

/* Drops the processes that have ended, after the judge has seen them so once. */
static tfp_status drop_ended(watch_recorder *r)
{
    size_t kept = 0;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < r->list.size; i++) {
        watch_process *p = r->list.at[i];
        if (p->gone && !p->rows.size) {
            if (!s) s = watch_emit_job(r, p, true);
            tfp_probes_forget(r->probes, p->rank.pid);
            watch_ring_close(p, r->settings->rings);
            watch_process_free(p);
        } else {
            r->list.at[kept++] = p;
        }
    }
    r->list.size = kept;
    size_t jobs = 0;
    for (size_t i = 0; i < r->jobs.size; i++) {
        bool used = false;
        for (size_t k = 0; k < r->list.size && !used; k++) used = r->list.at[k]->rank.job == r->jobs.at[i].number;
        if (used) r->jobs.at[jobs++] = r->jobs.at[i];
    }
    r->jobs.size = jobs;
    return s;
}

static tfp_status tick(watch_recorder *r, int64_t now_ns, bool last)
{
    tfp_status s = TFP_OK;
    read_offset(r);
    watch_gpus_tick(r);
    watch_ras_tick(r, now_ns);
    for (size_t i = 0; i < r->list.size; i++) {
        watch_process *p = r->list.at[i];
        if (!p->gone && !watch_counters_read(p)) p->gone = true;
        if (p->gone) p->ended.size = p->looks.size ? p->ended.size : 0;
        if (!watch_find_frameworks(r, p, now_ns)) return tfp_nomem(r->err);
        watch_marks_tick(&p->marks);
        bool ends = last || p->gone;
        int64_t until_ns = ends ? tfp_now_ns() : watch_flights_until(p, r->read_ns);
        watch_cut_window(r, p, now_ns, ends);
        if (!watch_rows_sum(p, until_ns, r->unix_offset_ns)) return tfp_nomem(r->err);
    }
    s = watch_emit(r, now_ns, false);
    if (!s) s = ask_judge(r);
    if (!s) s = watch_ring_tick(r, now_ns);
    if (!s) s = drop_ended(r);
    if (!s && watch_find_is_due(r)) s = watch_find(r, false);
    if (!s) s = r->to->tick(r->to->ctx, r->err);
    return r->nomem && !s ? tfp_nomem(r->err) : s;
}

/* ---- the loop ---- */

static tfp_status look_at(watch_recorder *r, watch_process *p)
{
    if (p->gone) return TFP_OK;
    watch_step step;
    bool ended;
    if (!watch_look_take(p) || !watch_marks_look(&p->marks, &p->last, &ended, &step)) return tfp_nomem(r->err);
    watch_ring_look(p, &p->last);
    if (ended) watch_end_step(r, p, &step);
    tfp_str line = p->last.line ? tfp_strtab_get(&p->texts.table, p->last.line) : (tfp_str){ NULL, 0 };
    return tfp_watch_judge_look(r->judge, &p->rank, watch_boot_us(r, p->last.at_ns), p->last.doing, line)
               ? tfp_nomem(r->err)
               : TFP_OK;
}

/* all: looks at every process, else at those at which the judge wants more looks. */
static tfp_status look(watch_recorder *r, bool all)
{
    tfp_status s = TFP_OK;
    if (all) {
        tfp_probes_read(r->probes);
        r->read_ns = tfp_now_ns();
    }
    for (size_t i = 0; i < r->list.size && !s; i++) {
        if (all || r->list.at[i]->wanted) s = look_at(r, r->list.at[i]);
        if (all && !s && !watch_flights_step(r, r->list.at[i])) s = tfp_nomem(r->err);
    }
    return s;
}

/* Half to one and a half of the period. */
static int64_t pause_of(double rate) { return (int64_t)(1e9 / rate * (0.5 + drand48())); }

static void sleep_until(int64_t ns)
{
    struct timespec t = { (time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS) };
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL); /* ends at a signal, too */
}

static tfp_status tell_jobs(watch_recorder *r, int64_t own_ns)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < r->list.size && !s; i++) {
        r->list.at[i]->counts.own_ns += own_ns / (int64_t)r->list.size;
        s = watch_emit_job(r, r->list.at[i], false);
    }
    return s;
}

/* A line for people: a job, its processes and its steps since the last one. */
static void say_job(watch_recorder *r, const watch_job *j, int64_t seconds)
{
    const watch_process *first = NULL;
    size_t count = 0;
    int64_t steps = 0;
    tfp_buf line = { 0 };
    for (size_t i = 0; i < r->list.size; i++) {
        watch_process *p = r->list.at[i];
        if (p->rank.job != j->number) continue;
        if (!first) first = p;
        count++;
        int64_t now = p->counts.steps - p->counts.told_steps;
        if (now > steps) steps = now;
        p->counts.told_steps = p->counts.steps;
    }
    if (!first || seconds <= 0) return;
    tfp_escape(&line, first->rank.name);
    tfp_buf_printf(&line, ": %zu process%s, %.1f steps a second (%s)", count, count == 1 ? "" : "es",
                   (double)steps / (double)seconds, first->marks.are);
    tfp_buf_char(&line, '\0');
    if (!line.failed) r->to->say(r->to->ctx, line.data);
    tfp_buf_free(&line);
}

/* Halves the rate when watching costs more than it may. */
static void slow_down(watch_recorder *r, int64_t own_ns, int64_t seconds, double *rate)
{
    char line[160];
    double most = OWN_MOST * fmax(1, (double)r->list.size / 4),
           share = seconds > 0 ? (double)own_ns / (double)seconds / 1e9 : 0;
    if (share <= most || *rate <= 1) return;
    *rate = fmax(1, *rate / 2);
    snprintf(line, sizeof line, "watching takes %.1f %% of a core, more than %.1f: %.3g looks a second from now on",
             share * 100, most * 100, *rate);
    r->to->say(r->to->ctx, line);
}

static bool wants_more(const watch_recorder *r)
{
    bool any = false;
    for (size_t i = 0; i < r->list.size; i++) any |= r->list.at[i]->wanted;
    return any;
}

static tfp_status loop(watch_recorder *r)
{
    int64_t began = tfp_now_ns(), next_tick = began + SECOND_NS, told = began, own = own_cpu_ns();
    double rate = r->settings->rate;
    tfp_status s = TFP_OK;
    int64_t next_look = began;
    while (!s && !r->to->stops(r->to->ctx)) {
        int64_t now = tfp_now_ns();
        bool all = now >= next_look;
        s = look(r, all);
        if (all) next_look = now + pause_of(rate);
        if (!s && now >= next_tick) {
            s = tick(r, now, false);
            next_tick = now - next_tick > SECOND_NS ? now + SECOND_NS : next_tick + SECOND_NS;
        }
        if (!s && now - told >= JOB_EVERY_NS && r->list.size) {
            slow_down(r, own_cpu_ns() - own, (now - told) / SECOND_NS, &rate);
            for (size_t i = 0; i < r->jobs.size; i++) say_job(r, &r->jobs.at[i], (now - told) / SECOND_NS);
            s = tell_jobs(r, own_cpu_ns() - own);
            own = own_cpu_ns();
            told = now;
        }
        if (r->settings->seconds > 0 && (double)(now - began) / 1e9 >= r->settings->seconds) break;
        if (r->settings->word_count && !r->list.size) break;
        int64_t more = now + pause_of(MORE_RATE);
        if (!s) sleep_until(wants_more(r) && more < next_look ? more : next_look);
    }
    if (!s) s = tick(r, tfp_now_ns(), true);
    if (!s) s = watch_emit(r, tfp_now_ns(), true);
    if (!s && r->list.size) s = tell_jobs(r, own_cpu_ns() - own);
    return s;
}

static void found(void *ctx, const tfp_watch_rank *rank, const tfp_watch_finding *f)
{
    watch_recorder *r = ctx;
    tfp_watch_finding row = *f;
    char layers[WATCH_LAYERS_TEXT];
    for (size_t i = 0; rank && i < r->list.size; i++)
        if (r->list.at[i]->rank.number == rank->number)
            row.sources = tfp_str_of(watch_layers_text(r->list.at[i], layers));
    char ring[WATCH_RING_NAME] = "";
    if (rank && watch_pick_disturbs(r, rank, f)) return;
    bool alarms = !tfp_str_eq(f->kind, TFP_STR("change")) && !tfp_str_eq(f->kind, TFP_STR("ended"));
    if (alarms && rank && f->ended == TFP_ABSENT && !r->status) r->status = watch_ring_cut(r, rank, f, ring);
    if (*ring) row.ring = tfp_str_of(ring);
    if (!r->status) r->status = r->to->finding(r->to->ctx, rank, &row, r->err);
    if (alarms && rank && f->ended == TFP_ABSENT && !r->status) r->status = watch_pick(r, rank, f);
}

tfp_status tfp_watch_record(const tfp_watch_settings *w, const tfp_watch_taker *to, tfp_error *err)
{
    watch_recorder r = { .settings = w, .to = to, .err = err };
    r.top.select.user = -1;
    const tfp_watch_heard heard = { .found = found, .ctx = &r };
    r.probes = tfp_probes_new();
    read_offset(&r);
    tfp_status s = r.probes ? tfp_watch_judge_new(&heard, &r.judge, err) : tfp_nomem(err);
    r.unix_offset_ns = tfp_unix_micros() * 1000 - tfp_now_ns();
    if (gethostname(r.host, sizeof r.host - 1)) *r.host = '\0';
    if (!s) tfp_probes_on_hit(r.probes, watch_take_hit, &r);
    if (!s) s = watch_find(&r, true);
    if (!s) s = loop(&r);
    watch_flights_leave(&r);
    watch_ras_end(&r);
    for (size_t i = 0; i < r.list.size; i++) {
        watch_ring_close(r.list.at[i], w->rings);
        watch_process_free(r.list.at[i]);
    }
    tfp_watch_judge_free(r.judge);
    tfp_probes_free(r.probes);
    tfp_vec_free(&r.list);
    tfp_vec_free(&r.jobs);
    tfp_vec_free(&r.facts);
    tfp_vec_free(&r.cuts);
    tfp_jobs_free(&r.top);
    tfp_gpus_free(&r.gpus);
    tfp_map64_free(&r.seen);
    return s;
}
