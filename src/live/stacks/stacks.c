// SPDX-License-Identifier: Apache-2.0
/* live/stacks/stacks.c: the Python stacks of a process, sampled for a while or read once, as a report. Samples of one stack are counted
 * together; functions are known by their texts, so that a code object that is made again is the same function. */
#include "live/stacks/parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FILES_LEAST 4 /* descriptors */

bool tfp_stacks_over(const tfp_sampler *s) { return s->nomem || s->full || tfp_now_ns() > s->until_ns; }

/* ---- threads ---- */

watched *tfp_stacks_thread(tfp_sampler *s, int64_t tid)
{
    char path[64], name[64];
    uint32_t at = tfp_map64_get(&s->by_tid, (uint64_t)tid);
    if (at != TFP_NONE) return &s->threads.at[at];
    if (s->threads.size == TFP_STACKS_THREADS_MOST) {
        s->full = "it tells of more than " TFP_QUOTED(TFP_STACKS_THREADS_MOST) " threads";
        return NULL;
    }
    watched w = { .tid = tid, .fd = -1 };
    snprintf(path, sizeof path, "/proc/%lld/task/%lld/stat", (long long)s->python.pid, (long long)tid);
    if (tid && s->threads.size < 512) w.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (w.fd >= 0 && !tfp_files_left(FILES_LEAST)) { /* the others' states are read, too */
        close(w.fd);
        w.fd = -1;
    }
    snprintf(path, sizeof path, "task/%lld/comm", (long long)tid);
    long n = tid ? tfp_proc_read(s->python.pid, path, name, sizeof name) : 0;
    if (n > 0 && name[n - 1] == '\n') n--;
    w.name = tfp_intern(&s->names, n > 0 ? (tfp_str){ name, (size_t)n } : TFP_STR("?"));
    if (w.name == TFP_NONE || !tfp_push(&s->threads, w) ||
        !tfp_map64_put(&s->by_tid, (uint64_t)tid, (uint32_t)s->threads.size - 1)) {
        s->nomem = true;
        return NULL;
    }
    return &s->threads.at[s->threads.size - 1];
}

char tfp_stacks_state(const tfp_sampler *s, const watched *w)
{
    char text[512], path[64];
    ssize_t n;
    if (w->fd >= 0) {
        n = pread(w->fd, text, sizeof text - 1, 0);
    } else {
        snprintf(path, sizeof path, "task/%lld/stat", (long long)w->tid);
        n = w->tid ? tfp_proc_read(s->python.pid, path, text, sizeof text) : 0;
    }
    if (n <= 0) return 0;
    text[n] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : 0;
}

/* ---- functions ---- */

static tfp_str kept(tfp_sampler *s, tfp_str text)
{
    char *copy = tfp_arena_copy(&s->r->arena, text);
    if (!copy) s->nomem = true;
    if (s->r->arena.used > TFP_STACKS_NAMES_MOST) s->full = "the names of its functions take more than 48 MB";
    return (tfp_str){ copy ? copy : "", copy ? text.size : 0 };
}

uint32_t tfp_stacks_function_of(tfp_sampler *s, tfp_str name, tfp_stack_function f)
{
    size_t before = s->names.count;
    tfp_strid id = tfp_intern(&s->names, name);
    if (id == TFP_NONE) {
        s->nomem = true;
        return TFP_NONE;
    }
    if (s->names.arena->used + s->r->arena.used > TFP_STACKS_NAMES_MOST) {
        s->full = "the names of its functions take more than 48 MB";
        return TFP_NONE;
    }
    uint32_t at = tfp_map64_get(&s->by_name, id);
    if (s->names.count == before && at != TFP_NONE) return at;
    f.name = tfp_strtab_get(&s->names, id);
    f.file = kept(s, f.file);
    f.function = kept(s, f.function);
    if (!tfp_push(&s->functions, f) || !tfp_map64_put(&s->by_name, id, (uint32_t)s->functions.size - 1)) {
        s->nomem = true;
        return TFP_NONE;
    }
    return (uint32_t)s->functions.size - 1;
}

uint32_t tfp_stacks_function(tfp_sampler *s, uint64_t code)
{
    int64_t line;
    if (!tfp_python_code(&s->python, code, &s->file, &s->function, &line)) return TFP_NONE;
    s->text.size = 0;
    tfp_buf_str(&s->text, (tfp_str){ s->file.data, s->file.size });
    tfp_buf_printf(&s->text, ":%lld:", (long long)line);
    tfp_buf_str(&s->text, (tfp_str){ s->function.data, s->function.size });
    if (s->text.failed) {
        s->nomem = true;
        return TFP_NONE;
    }
    tfp_stack_function f = {
        { NULL, 0 }, { s->file.data, s->file.size }, { s->function.data, s->function.size }, line, TFP_STR("python")
    };
    return tfp_stacks_function_of(s, (tfp_str){ s->text.data, s->text.size }, f);
}

static bool is_late(tfp_sampler *s)
{
    s->late |= tfp_now_ns() > s->until_ns;
    return tfp_stacks_over(s);
}

long tfp_stacks_read(tfp_sampler *s, uint64_t state)
{
    for (int i = 0; i < TFP_STACKS_TRIES; i++) {
        if (is_late(s)) return 0;
        long depth = tfp_python_stack(&s->python, state, s->frames, TFP_PYTHON_DEPTH), k = 0;
        for (; k < depth; k++) {
            if (k % 64 == 63 && is_late(s)) return 0;
            if ((s->key[k + 1] = tfp_stacks_function(s, s->frames[k].code)) == TFP_NONE) break;
        }
        if (depth >= 0 && k == depth) {
            s->cut += depth == TFP_PYTHON_DEPTH;
            return depth;
        }
    }
    return tfp_stacks_over(s) ? 0 : -1;
}

/* ---- samples ---- */

void tfp_stacks_count(tfp_sampler *s, tfp_strid thread, size_t depth, int64_t count)
{
    s->key[0] = thread;
    size_t before = s->keys.count;
    if (s->keys.arena->used > TFP_STACKS_KEYS_MOST || s->stack_bytes > TFP_STACKS_TEXT_MOST) {
        s->full = "its stacks take more than 48 MB, or 256 MB written out";
        return;
    }
    tfp_strid id = tfp_intern(&s->keys, (tfp_str){ (const char *)s->key, (depth + 1) * sizeof *s->key });
    if (id == TFP_NONE || (s->keys.count != before && !tfp_push(&s->counts, 0))) {
        s->nomem = true;
        return;
    }
    if (s->keys.count != before)
        for (size_t i = 1; i <= depth; i++) s->stack_bytes += s->functions.at[s->key[i]].name.size;
    s->counts.at[id] += count;
    s->samples += count;
}

static long list_threads(tfp_sampler *s)
{
    long count = tfp_python_threads(&s->python, s->seen, TFP_PYTHON_THREADS);
    s->many_threads |= count == TFP_PYTHON_THREADS;
    return count;
}

/* Looks at every thread once; false when the process is gone. Where the time ends within a look, the next one begins with the thread that
 * was due. */
static bool sample_all(tfp_sampler *s, bool idle)
{
    long count = list_threads(s);
    size_t all = count > 0 ? (size_t)count : 0, first = all ? s->next % all : 0;
    for (size_t k = 0; k < all && !tfp_stacks_over(s); k++) {
        const tfp_python_thread *t = &s->seen[(first + k) % all];
        s->next = first + k;
        watched *w = tfp_stacks_thread(s, t->tid);
        if (!w || (!idle && tfp_stacks_state(s, w) != 'R')) continue;
        long depth = tfp_stacks_read(s, t->state);
        if (depth > 0)
            tfp_stacks_count(s, w->name, (size_t)depth, 1);
        else if (depth < 0)
            s->torn++;
    }
    s->ticks++;
    return count >= 0;
}

static tfp_status sample_for(tfp_sampler *s, const tfp_stacks_wish *wish, tfp_native *native, tfp_progress_fn fn,
                             void *ctx, int64_t *lasted, tfp_error *err)
{
    int64_t start = tfp_now_ns(), end = start + (int64_t)(wish->seconds * 1e9), step = (int64_t)(1e9 / wish->rate);
    int64_t next = start;
    bool alive = true;
    s->until_ns = end;
    while (alive && !s->nomem && !s->full && tfp_now_ns() < end) {
        alive = native ? tfp_native_sample(native, next + step < end ? next + step : end) : sample_all(s, wish->idle);
        if (fn && fn(ctx, (uint64_t)(tfp_now_ns() - start), (uint64_t)(end - start)))
            return tfp_fail(err, TFP_CANCELLED, "interrupted");
        next += step;
        int64_t now = tfp_now_ns();
        if (next <= now) {
            next = now;
            continue;
        }
        int64_t until = next < end ? next : end;
        struct timespec t = { until / 1000000000, until % 1000000000 };
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    *lasted = tfp_now_ns() - start;
    if (s->nomem) return tfp_nomem(err);
    if (!alive) return tfp_report_note_add(s->r, err, "the process ended after %.1f s", (double)*lasted / 1e9);
    return TFP_OK;
}

/* The limits that were reached. */
static tfp_status note_limits(tfp_sampler *s, tfp_error *err)
{
    tfp_status status = TFP_OK;
    if (s->full) status = tfp_report_note_add(s->r, err, "it ended early: %s", s->full);
    if (!status && s->many_threads)
        status = tfp_report_note_add(s->r, err, "only %d of its Python threads were looked at", TFP_PYTHON_THREADS);
    if (!status && s->cut)
        status = tfp_report_note_add(s->r, err, "%lld stacks have more than %d frames: the others are left out",
                                     (long long)s->cut, TFP_PYTHON_DEPTH);
    return status;
}

/* What is to be said of how it was sampled. */
static tfp_status add_notes(tfp_sampler *s, const tfp_stacks_wish *wish, int64_t lasted, tfp_error *err)
{
    tfp_status status = note_limits(s, err);
    double wanted = (double)lasted / 1e9 * wish->rate;
    if (!status && s->torn)
        status = tfp_report_note_add(s->r, err, "%lld samples were torn: their frames changed while they were read",
                                     (long long)s->torn);
    if (!status && !s->samples && s->late)
        status = tfp_report_note_add(s->r, err, "no stack was read in the time: they are deep, or there are many");
    else if (!status && !s->samples)
        status = tfp_report_note_add(s->r, err, "no %s ran in %.1f s%s", wish->native ? "thread" : "Python thread",
                                     (double)lasted / 1e9, wish->idle ? "" : "; --idle shows those that wait too");
    if (!status && (double)s->ticks < 0.8 * wanted - 1 && (!wish->native || wish->idle))
        status = tfp_report_note_add(s->r, err,
                                     "%lld of %.0f looks were made: the machine is busy, or there are many threads",
                                     (long long)s->ticks, wanted);
    return status;
}

static tfp_status make_stacks(tfp_sampler *s, const tfp_stacks_wish *wish, tfp_progress_fn fn, void *ctx,
                              tfp_error *err)
{
    int64_t lasted = 0;
    struct timespec start;
    tfp_native *native = NULL;
    clock_gettime(CLOCK_REALTIME, &start);
    tfp_status status = wish->native ? tfp_native_begin(s, wish, &native, err) : TFP_OK;
    if (!status) status = sample_for(s, wish, native, fn, ctx, &lasted, err);
    if (!status && native) status = tfp_native_end(native, err);
    tfp_native_free(native);
    if (status) return status;
    tfp_stacks *all = tfp_stacks_keep(s);
    if (!all) return tfp_nomem(err);
    all->start_unix_ns = (int64_t)start.tv_sec * 1000000000 + start.tv_nsec;
    all->duration_ns = lasted;
    all->period_ns = (int64_t)(1e9 / wish->rate);
    s->r->stacks = all;
    status = add_notes(s, wish, lasted, err);
    return status ? status : tfp_stacks_fill(s->r, all, err);
}

/* ---- one reading of every thread ---- */

tfp_str tfp_stacks_frame_text(tfp_sampler *s, uint32_t function, const tfp_live_frame *frame)
{
    const tfp_stack_function *f = &s->functions.at[function];
    s->text.size = 0;
    tfp_buf_str(&s->text, f->file);
    tfp_buf_printf(&s->text, ":%lld:", (long long)tfp_python_line(&s->python, frame->code, frame->at));
    tfp_buf_str(&s->text, f->function);
    if (s->text.failed) s->nomem = true;
    return kept(s, (tfp_str){ s->text.data, s->text.size });
}

bool tfp_stacks_row(tfp_sampler *s, int64_t tid, threads_row *out)
{
    watched *w = tfp_stacks_thread(s, tid);
    if (!w) return false;
    *out = (threads_row){ .tid = tid ? tid : TFP_ABSENT, .kind = TFP_STR("python") };
    out->state = tfp_str_of(tfp_state_name(tfp_stacks_state(s, w)));
    out->thread = kept(s, tfp_strtab_get(&s->names, w->name));
    return !s->nomem;
}

static void add_python_rows(tfp_sampler *s, const tfp_python_thread *thread, threads_rows *rows)
{
    threads_row row;
    if (!tfp_stacks_row(s, thread->tid, &row)) return;
    long depth = tfp_stacks_read(s, thread->state);
    if (depth < 0) s->torn++;
    for (long k = 0; k < depth; k++) {
        row.depth = k;
        if (tfp_stacks_over(s)) return;
        if (rows->size == TFP_STACKS_ROWS_MOST) {
            s->full = "it has more than " TFP_QUOTED(TFP_STACKS_ROWS_MOST) " frames in all";
            return;
        }
        row.name = tfp_stacks_frame_text(s, s->key[k + 1], &s->frames[k]);
        if (!tfp_push(rows, row)) s->nomem = true;
    }
}

static tfp_status make_threads(tfp_sampler *s, const tfp_stacks_wish *wish, tfp_error *err)
{
    threads_rows rows = { 0 };
    tfp_native *native = NULL;
    s->until_ns = tfp_now_ns() + TFP_STACKS_ONCE_NS;
    tfp_status status = wish->native ? tfp_native_begin(s, wish, &native, err) : TFP_OK;
    if (native) {
        status = tfp_native_once(native, &rows, err);
    } else if (!status) {
        long count = list_threads(s);
        for (long i = 0; i < count && !tfp_stacks_over(s); i++) add_python_rows(s, &s->seen[i], &rows);
        if (count < 0) status = tfp_fail(err, TFP_BADFILE, "it has ended");
    }
    if (s->nomem) status = tfp_nomem(err);
    if (!status && !s->full && tfp_now_ns() > s->until_ns) s->full = "reading its threads took more than 2 s";
    if (!status) status = note_limits(s, err);
    if (!status && s->torn)
        status = tfp_report_note_add(s->r, err, "the stacks of %lld threads changed while they were read",
                                     (long long)s->torn);
    if (!status) status = tfp_threads_fill(s->r, &rows, err);
    tfp_native_free(native);
    tfp_vec_free(&rows);
    return status;
}

/* ---- the public function ---- */

static tfp_status make(tfp_sampler *s, const tfp_stacks_wish *wish, tfp_progress_fn fn, void *ctx, tfp_error *err)
{
    tfp_arena names = { 0 }, keys = { 0 };
    s->seen = calloc(TFP_PYTHON_THREADS, sizeof *s->seen);
    s->frames = calloc(TFP_PYTHON_DEPTH, sizeof *s->frames);
    s->key = calloc(TFP_PYTHON_DEPTH + TFP_STACKS_NATIVE_MOST + 2, sizeof *s->key);
    tfp_status status = s->seen && s->frames && s->key ? TFP_OK : tfp_nomem(err);
    if (!status && (tfp_strtab_init(&s->names, &names) || tfp_strtab_init(&s->keys, &keys))) status = tfp_nomem(err);
    while (!status && s->counts.size < s->keys.count) status = tfp_push(&s->counts, 0) ? TFP_OK : tfp_nomem(err);
    if (!status) status = wish->once ? make_threads(s, wish, err) : make_stacks(s, wish, fn, ctx, err);
    for (size_t i = 0; i < s->threads.size; i++)
        if (s->threads.at[i].fd >= 0) close(s->threads.at[i].fd);
    tfp_vec_free(&s->threads);
    tfp_vec_free(&s->functions);
    tfp_vec_free(&s->counts);
    tfp_map64_free(&s->by_name);
    tfp_map64_free(&s->by_tid);
    tfp_strtab_free(&s->names);
    tfp_strtab_free(&s->keys);
    tfp_arena_free(&names);
    tfp_arena_free(&keys);
    tfp_buf_free(&s->file);
    tfp_buf_free(&s->function);
    tfp_buf_free(&s->text);
    free(s->seen);
    free(s->frames);
    free(s->key);
    return status;
}

tfp_status tfp_live_stacks(const tfp_live *l, const char *target, const tfp_options *o, tfp_progress_fn fn, void *ctx,
                           tfp_report **out, tfp_error *err)
{
    int64_t pid;
    tfp_way refusal;
    tfp_sampler s = { .nomem = false };
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!l || !target || !*target || !out) return tfp_fail(err, TFP_BADARG, "no process is named");
    tfp_status status = tfp_need_files(FILES_LEAST, err);
    if (!status) status = tfp_live_find(target, &pid, err);
    if (status) return status;
    if (!tfp_python_open(pid, &s.python, &refusal))
        return tfp_fail(err, TFP_BADFILE, "%s: %s (%s)", target, refusal.message, refusal.code);
    tfp_report *r = s.r = calloc(1, sizeof *r);
    if (!r) return tfp_nomem(err);
    *r = (tfp_report){ .view = l->stacks.once ? "threads" : "stacks", .kind = TFP_REPORT_GRID };
    r->options = o ? tfp_options_copy(o) : tfp_options_new();
    status = r->options ? make(&s, &l->stacks, fn, ctx, err) : tfp_nomem(err);
    if (!status) status = tfp_grid_arrange(r, err);
    if (status)
        tfp_report_free(r);
    else
        *out = r;
    return status == TFP_BADFILE ? tfp_within(err, status, "%s", target) : status;
}
