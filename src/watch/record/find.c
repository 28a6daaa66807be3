// SPDX-License-Identifier: Apache-2.0
/* watch/record/find.c: the processes that the selectors mean, also those that start later, and which of them are ranks of one job. */
#include "watch/record/flights.h"
#include "watch/record/ring.h"
#include "live/jobs/names.h"
#include "live/stacks/rank_processes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FIND_EVERY_NS ((int64_t)2000000000)
#define FIND_SHARE 100 /* a search waits this many times as long as the last one took */
#define PROCESSES_MOST 1024

/* ---- jobs ---- */

/* Ranks with the same meeting point, or else the same launcher, are of one job. A process without a rank is a job. */
static uint64_t job_key(int64_t pid, int64_t parent, bool ranked)
{
    static const char *const names[] = { "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "WORLD_SIZE" };
    tfp_buf text = { 0 };
    char value[256];
    bool meets = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && ranked; i++) {
        bool set = tfp_proc_setting(pid, names[i], value, sizeof value);
        if (set) tfp_buf_text(&text, value);
        meets |= set && i == 1;
        tfp_buf_char(&text, '\n');
    }
    if (!meets) tfp_buf_printf(&text, "%lld", (long long)(ranked ? parent : pid));
    uint64_t key = text.failed ? (uint64_t)pid : tfp_hash(text.data, text.size);
    tfp_buf_free(&text);
    return key;
}

/* The job with this key: one of which a process is still there, or a new one. 0: out of memory. */
static uint64_t job_number(watch_recorder *r, uint64_t key)
{
    for (size_t i = 0; i < r->jobs.size; i++)
        if (r->jobs.at[i].key == key) return r->jobs.at[i].number;
    watch_job j = { .number = (uint64_t)++r->next_number, .key = key };
    return tfp_push(&r->jobs, j) ? j.number : 0;
}

/* ---- a process ---- */

/* The hash of boot, number and start that identifies a process. */
static void name_run(watch_process *p)
{
    char boot[64] = "", text[160];
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (f && fscanf(f, "%40s", boot) != 1) *boot = '\0';
    if (f) fclose(f);
    int n = snprintf(text, sizeof text, "%s %lld %lld", boot, (long long)p->rank.pid, (long long)p->times.start_ticks);
    tfp_digest(text, (size_t)n, p->about.run);
}

static int64_t number_in(int64_t pid, const char *name)
{
    char text[20];
    int64_t n;
    return tfp_proc_setting(pid, name, text, sizeof text) && tfp_parse_int64(tfp_str_of(text), &n) && n >= 0
               ? n
               : TFP_ABSENT;
}

static unsigned name_framework(watch_process *p)
{
    tfp_proc_maps maps;
    if (!tfp_proc_maps_read(p->rank.pid, &maps)) return 0;
    const unsigned others = TFP_FRAMEWORK_JAX | TFP_FRAMEWORK_TENSORFLOW | TFP_FRAMEWORK_TORCH;
    if (maps.frameworks & others) maps.frameworks &= ~(unsigned)TFP_FRAMEWORK_CUDA;
    (void)tfp_framework_names(maps.frameworks, p->about.framework);
    for (size_t i = 0; i < 3 && !*p->about.version; i++)
        if (*maps.library[i] &&
            !tfp_live_version(p->rank.pid, maps.library[i], p->about.version, sizeof p->about.version))
            *p->about.version = '\0';
    return maps.frameworks;
}

/* Probes the functions of the process's frameworks. */
static void probe(watch_recorder *r, watch_process *p)
{
    static const tfp_framework order[] = { TFP_FRAMEWORK_JAX, TFP_FRAMEWORK_TENSORFLOW, TFP_FRAMEWORK_TORCH };
    const char *why = "no function of its framework is known";
    bool counted = false;
    tfp_proc_maps maps;
    p->probed = true;
    if (!tfp_proc_maps_read(p->rank.pid, &maps)) return;
    for (size_t i = 0; i < 3; i++) {
        if (!*maps.library[i]) continue;
        const char *this_why = tfp_probes_add(r->probes, p->rank.pid, maps.library[i], order[i]);
        if (this_why == tfp_probes_later) p->probed = false;
        if (!this_why) counted = true;
        if (this_why) why = this_why;
    }
    if (counted && !tfp_probes_watch(r->probes, p->rank.pid)) r->nomem = true;
    if (counted) p->layers |= 1u << WATCH_PROBES;
    if (!counted && p->probed) watch_refuse(p, strstr(why, "CAP_PERFMON") ? "no-permission" : "no-symbols", why);
}

/* Opens the layers that need the process's frameworks. False: out of memory. */
static bool open_frameworks(watch_recorder *r, watch_process *p)
{
    unsigned frameworks = name_framework(p);
    if (r->settings->attach && !watch_flights_open(r, p, frameworks)) return false;
    probe(r, p);
    return true;
}

bool watch_find_frameworks(watch_recorder *r, watch_process *p, int64_t now_ns)
{
    tfp_proc_maps maps;
    if (p->gone || *p->about.framework || now_ns < p->times.frameworks_ns) return true;
    p->times.frameworks_ns = now_ns + (now_ns - p->times.began_ns) / 2 + FIND_EVERY_NS;
    if (!tfp_proc_maps_read(p->rank.pid, &maps) || !(maps.frameworks & ~(unsigned)TFP_FRAMEWORK_PYTHON)) return true;
    *p->about.code = *p->about.message = '\0'; /* it had none before */
    return open_frameworks(r, p);
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

static tfp_status add(watch_recorder *r, int64_t pid, const tfp_proc_stat *stat)
{
    watch_process *p = calloc(1, sizeof *p);
    tfp_method refusal = { 0 };
    if (!p) return tfp_nomem(r->err);
    char value[20];
    bool ranked = tfp_proc_setting(pid, "RANK", value, sizeof value);
    if (!tfp_texts_start(&p->texts) || !watch_marks_start(&p->marks) || !tfp_push(&r->list, p)) {
        watch_process_free(p);
        return tfp_nomem(r->err);
    }
    p->rank = (tfp_watch_rank){ .number = (uint64_t)++r->next_number,
                                .pid = pid,
                                .rank = number_in(pid, "RANK"),
                                .world = number_in(pid, "WORLD_SIZE") };
    p->rank.job = job_number(r, job_key(pid, stat->parent, ranked));
    p->times.start_ticks = stat->start_ticks;
    p->times.started_us = tfp_unix_micros();
    p->rank.date = p->times.started_us / 86400000000;
    name_run(p);
    tfp_proc_program(pid, p->about.name, sizeof p->about.name);
    p->rank.run = tfp_str_of(p->about.run);
    p->rank.name = tfp_str_of(p->about.name);
    p->rank.host = tfp_str_of(r->host);
    p->times.began_ns = tfp_now_ns();
    p->times.frameworks_ns = p->times.began_ns + FIND_EVERY_NS;
    p->layers = 1u << WATCH_PROC;
    if (watch_look_open(p, &refusal))
        p->layers |= 1u << WATCH_STACKS;
    else
        watch_refuse(p, refusal.code, refusal.message);
    watch_counters_open(p);
    watch_ring_open(p, r->settings->ring_s ? r->settings->rings : -1);
    if (!open_frameworks(r, p)) return tfp_nomem(r->err);
    return p->rank.job ? watch_emit_job(r, p, false) : tfp_nomem(r->err);
}

/* ---- the search ---- */

/* Whether there is a process that was not there at the last search. */
static bool has_new(watch_recorder *r)
{
    tfp_map64 now = { 0 };
    bool fresh = false;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d));) {
        int64_t pid;
        if (!isdigit((unsigned char)*e->d_name) || !tfp_parse_int64(tfp_str_of(e->d_name), &pid)) continue;
        fresh |= tfp_map64_get(&r->seen, (uint64_t)pid) == TFP_NONE;
        if (!tfp_map64_put(&now, (uint64_t)pid, 0)) break;
    }
    if (d) closedir(d);
    tfp_map64_free(&r->seen);
    r->seen = now;
    return fresh;
}

bool watch_find_is_due(watch_recorder *r)
{
    int64_t pause = r->search_ns * FIND_SHARE > FIND_EVERY_NS ? r->search_ns * FIND_SHARE : FIND_EVERY_NS;
    if (tfp_now_ns() - r->found_ns < pause) return false;
    r->found_ns = tfp_now_ns();
    return has_new(r);
}

/* Adds the first process of each job of `top` that has no rank. */
static tfp_status add_unranked(watch_recorder *r)
{
    tfp_status s = tfp_jobs_sample(&r->top, 0, r->err);
    const tfp_live_process *all = r->top.processes.at;
    for (size_t i = 0; i < r->top.roots.size && !s && r->list.size < PROCESSES_MOST; i++) {
        uint32_t root = r->top.roots.at[i];
        bool known = false;
        for (size_t k = 0; k < r->list.size && !known; k++) {
            uint32_t at = tfp_map64_get(&r->top.by_pid, (uint64_t)r->list.at[k]->rank.pid);
            known = at != TFP_NONE && all[at].root == root;
        }
        if (!known && all[root].stat.state != 'Z') s = add(r, all[root].stat.pid, &all[root].stat);
    }
    return s;
}

tfp_status watch_find(watch_recorder *r, bool first)
{
    const tfp_watch_settings *w = r->settings;
    tfp_rank_pids pids = { 0 };
    int64_t began = tfp_now_ns();
    if (first) (void)has_new(r);
    tfp_status s = tfp_rank_processes(w->words, w->word_count, &pids, NULL, r->err);
    if (s == TFP_BADFILE && !first) {
        tfp_error_clear(r->err);
        s = TFP_OK;
    }
    for (size_t i = 0; i < pids.size && !s && r->list.size < PROCESSES_MOST; i++) {
        tfp_proc_stat stat;
        if (watch_process_of(r, pids.at[i]) || pids.at[i] == getpid() || !tfp_proc_stat_read(pids.at[i], &stat))
            continue;
        s = add(r, pids.at[i], &stat);
    }
    if (!s && !w->word_count) s = add_unranked(r);
    for (size_t i = 0; i < r->list.size && !s; i++)
        if (!r->list.at[i]->probed) probe(r, r->list.at[i]);
    tfp_vec_free(&pids);
    r->found_ns = tfp_now_ns();
    r->search_ns = r->found_ns - began;
    return s;
}
