// SPDX-License-Identifier: Apache-2.0
/* live/stacks/stacks.c: a report of the Python stacks of a process, and with --subprocesses of the processes that it started; sampled for a
 * while, or read once. */
#include "live/stacks/parts.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"

#include <time.h>
#include <unistd.h>

#define FILES_LEAST 4 /* descriptors that must be free */

/* Looks at every thread of a process once; false when it is gone. If the time ends within a look, the next look begins with the thread
 * that was due. */
static bool sample_process(tfp_sampler *s, const tfp_stacks_settings *settings, bool *locked)
{
    long count = tfp_stacks_list(s);
    size_t all = count > 0 ? (size_t)count : 0, first = all ? s->at->next % all : 0;
    for (size_t k = 0; k < all && !tfp_stacks_over(s); k++) {
        const tfp_python_thread *t = &s->seen[(first + k) % all];
        s->at->next = first + k;
        *locked |= t->locks;
        watched *w = tfp_stacks_thread(s, t->tid);
        if (!w || (settings->gil ? !t->locks : !settings->idle && tfp_stacks_state(s, w) != 'R')) continue;
        long depth = tfp_stacks_read(s, t->state);
        if (depth < 0) s->looks.torn++;
        if (depth <= 0) continue;
        tfp_strid stack = tfp_stacks_count(s, w->name, (size_t)depth, 1);
        tfp_stacks_moment(s, (size_t)(w - s->threads.list.at), stack, (uint32_t)s->looks.ticks, tfp_now_ns());
    }
    return count >= 0;
}

/* Looks at all processes; false when all are gone. */
static bool sample_all(tfp_sampler *s, const tfp_stacks_settings *settings)
{
    bool alive = false, locked = false;
    tfp_stacks_find_children(s, false);
    for (size_t i = 0; i < s->processes.list.size && !tfp_stacks_over(s); i++) {
        tfp_stacks_go_to(s, i);
        alive |= sample_process(s, settings, &locked);
    }
    s->looks.locked += locked;
    s->looks.ticks++;
    return alive || tfp_stacks_over(s);
}

typedef struct listener {
    tfp_progress_fn fn;
    void *ctx;
} listener;

static tfp_status sample_for(tfp_sampler *s, const tfp_stacks_settings *settings, tfp_native *native, listener progress,
                             int64_t *lasted, tfp_error *err)
{
    int64_t start = tfp_now_ns(), end = start + (int64_t)(settings->seconds * 1e9),
            step = (int64_t)(1e9 / settings->rate);
    int64_t next = start;
    bool alive = true;
    s->looks.begun_ns = start;
    s->looks.until_ns = end;
    while (alive && !s->nomem && !s->full && tfp_now_ns() < end) {
        alive = native ? tfp_native_sample(native, next + step < end ? next + step : end) : sample_all(s, settings);
        if (progress.fn && progress.fn(progress.ctx, (uint64_t)(tfp_now_ns() - start), (uint64_t)(end - start)))
            return tfp_fail(err, TFP_CANCELLED, "interrupted");
        int64_t now = tfp_now_ns();
        next = tfp_stacks_next_look(next, step, now);
        if (next <= now) continue;
        int64_t until = next < end ? next : end;
        struct timespec t = { until / 1000000000, until % 1000000000 };
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    *lasted = tfp_now_ns() - start;
    if (s->nomem) return tfp_nomem(err);
    if (!alive)
        return tfp_report_note_add(s->r, TFP_NOTE_PROCESS_ENDED, err, "the process ended after %.1f s",
                                   (double)*lasted / 1e9);
    return TFP_OK;
}

/* Adds notes about how the sampling went. */
static tfp_status add_notes(tfp_sampler *s, const tfp_stacks_settings *settings, int64_t lasted, tfp_error *err)
{
    tfp_status status = tfp_stacks_note_limits(s, err);
    double wanted = (double)lasted / 1e9 * settings->rate;
    if (!status && s->looks.torn)
        status = tfp_report_note_add(s->r, TFP_NOTE_SAMPLES_TORN, err,
                                     "%lld sample%s torn: the frames changed while they were read",
                                     (long long)s->looks.torn, s->looks.torn == 1 ? " was" : "s were");
    if (!status && !s->stacks.samples && s->looks.late)
        status = tfp_report_note_add(s->r, TFP_NOTE_NO_STACKS_READ, err,
                                     "no stack was read in the time: they are deep, or there are many");
    else if (!status && !s->stacks.samples)
        status = tfp_report_note_add(s->r, TFP_NOTE_NO_STACKS_READ, err, "no %s ran in %.1f s%s",
                                     settings->native ? "thread" : "Python thread", (double)lasted / 1e9,
                                     settings->gil    ? " with the interpreter's lock"
                                     : settings->idle ? ""
                                                      : "; --idle shows those that wait too");
    if (!status && settings->gil && s->looks.ticks)
        status = tfp_report_note_add(s->r, TFP_NOTE_LOCK_HELD, err,
                                     "a thread held the interpreter's lock (GIL) in %lld of %lld looks",
                                     (long long)s->looks.locked, (long long)s->looks.ticks);
    if (!status && s->stacks.moments.size == TFP_STACKS_MOMENTS_MOST)
        status = tfp_report_note_add(s->r, TFP_NOTE_MOMENTS_CUT, err, "only the times of the first %d samples are kept",
                                     TFP_STACKS_MOMENTS_MOST);
    if (!status && (double)s->looks.ticks < 0.8 * wanted - 1 && (!settings->native || settings->idle))
        status = tfp_report_note_add(s->r, TFP_NOTE_LOOKS_MISSED, err,
                                     "%lld of %.0f looks were made: the machine is busy, or there are many threads",
                                     (long long)s->looks.ticks, wanted);
    return status;
}

static tfp_status make_stacks(tfp_sampler *s, const tfp_stacks_settings *settings, tfp_progress_fn fn, void *ctx,
                              tfp_error *err)
{
    int64_t lasted = 0;
    struct timespec start;
    tfp_native *native = NULL;
    clock_gettime(CLOCK_REALTIME, &start);
    tfp_status status = settings->native ? tfp_native_begin(s, settings, &native, err) : TFP_OK;
    if (!status) status = sample_for(s, settings, native, (listener){ fn, ctx }, &lasted, err);
    if (!status && native) status = tfp_native_end(native, err);
    tfp_native_free(native);
    if (status) return status;
    tfp_stacks *all = tfp_stacks_keep(s);
    if (!all) return tfp_nomem(err);
    all->start_unix_ns = (int64_t)start.tv_sec * 1000000000 + start.tv_nsec;
    all->duration_ns = lasted;
    all->period_ns = (int64_t)(1e9 / settings->rate);
    s->r->stacks = all;
    status = add_notes(s, settings, lasted, err);
    return status ? status : tfp_stacks_fill(s->r, all, err);
}

/* ---- the public function ---- */

static tfp_status make(tfp_sampler *s, const tfp_python *python, const tfp_stacks_settings *settings,
                       tfp_progress_fn fn, void *ctx, tfp_error *err)
{
    tfp_arena names = { 0 }, keys = { 0 };
    s->seen = calloc(TFP_PYTHON_THREADS, sizeof *s->seen);
    s->frames = calloc(TFP_PYTHON_DEPTH, sizeof *s->frames);
    s->key = calloc(TFP_PYTHON_DEPTH + TFP_STACKS_NATIVE_MOST + 2, sizeof *s->key);
    tfp_status status = s->seen && s->frames && s->key ? TFP_OK : tfp_nomem(err);
    if (!status && (tfp_strtab_init(&s->functions.names, &names) || tfp_strtab_init(&s->stacks.keys, &keys)))
        status = tfp_nomem(err);
    if (!status && !tfp_stacks_begin(s, python)) status = tfp_nomem(err);
    while (!status && s->stacks.counts.size < s->stacks.keys.count)
        status = tfp_push(&s->stacks.counts, 0) ? TFP_OK : tfp_nomem(err);
    if (!status) status = settings->once ? tfp_stacks_once(s, settings, err) : make_stacks(s, settings, fn, ctx, err);
    for (size_t i = 0; i < s->threads.list.size; i++)
        if (s->threads.list.at[i].fd >= 0) close(s->threads.list.at[i].fd);
    tfp_vec_free(&s->threads.list);
    tfp_stacks_end(s);
    tfp_vec_free(&s->stacks.moments);
    tfp_vec_free(&s->functions.list);
    tfp_vec_free(&s->stacks.counts);
    tfp_map64_free(&s->functions.by_name);
    tfp_map64_free(&s->threads.by_tid);
    tfp_strtab_free(&s->functions.names);
    tfp_strtab_free(&s->stacks.keys);
    tfp_arena_free(&names);
    tfp_arena_free(&keys);
    tfp_buf_free(&s->functions.file);
    tfp_buf_free(&s->functions.function);
    tfp_buf_free(&s->text);
    free(s->seen);
    free(s->frames);
    free(s->key);
    return status;
}

static tfp_status check(const tfp_stacks_settings *w, tfp_error *err)
{
    if (w->native && (w->gil || w->children || w->locals))
        return tfp_fail(err, TFP_BADARG, "--native does not go with --gil, --subprocesses and --locals");
    return w->locals && !w->once ? tfp_fail(err, TFP_BADARG, "--locals goes with --once only") : TFP_OK;
}

tfp_status tfp_live_stacks(const tfp_live *l, const char *target, const tfp_options *o, tfp_progress_fn fn, void *ctx,
                           tfp_report **out, tfp_error *err)
{
    int64_t pid;
    tfp_method refusal;
    tfp_python python;
    tfp_sampler s = { .nomem = false };
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!l || !target || !*target || !out) return tfp_fail(err, TFP_BADARG, "no process is named");
    tfp_status status = tfp_need_files(FILES_LEAST, err);
    if (!status) status = tfp_live_find(target, &pid, err);
    if (status) return status;
    if ((status = check(&l->stacks, err))) return status;
    s.processes.children = l->stacks.children;
    if (!tfp_python_open(pid, &python, &refusal))
        return tfp_fail(err, TFP_BADFILE, "%s: %s (%s)", target, refusal.message, refusal.code);
    tfp_report *r = s.r = tfp_report_new(l->stacks.once ? "threads" : "stacks", o);
    if (!r) return tfp_nomem(err);
    status = make(&s, &python, &l->stacks, fn, ctx, err);
    if (!status) status = tfp_grid_arrange(r, err);
    if (status)
        tfp_report_free(r);
    else
        *out = r;
    return status == TFP_BADFILE ? tfp_within(err, status, "%s", target) : status;
}
