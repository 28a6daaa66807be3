// SPDX-License-Identifier: Apache-2.0
/* live/stacks.c: the Python stacks of a process, sampled for a while or read once, as a report. Samples of one stack are counted
 * together; functions are known by their texts, so that a code object that is made again is the same function. */
#include "live/stacks.h"

#include "live/python.h"
#include "live/top.h"
#include "views/view.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TRIES 5 /* of a stack that is torn */
#define FUNCTIONS_MOST 1000000u

typedef struct watched { /* a thread */
    int64_t tid;
    int fd; /* of its stat; -1 */
    tfp_strid name;
} watched;

typedef struct sampler {
    tfp_python python;
    tfp_report *r;
    tfp_strtab names, keys; /* functions by name; stacks by thread and functions */
    tfp_map64 by_name;      /* name -> function */
    TFP_VEC(tfp_stack_function) functions;
    TFP_VEC(int64_t) counts; /* by key */
    TFP_VEC(watched) threads;
    tfp_python_thread *seen;
    tfp_live_frame *frames;
    uint32_t *key; /* thread, functions */
    tfp_buf file, function, text;
    int64_t samples, torn, ticks;
    bool nomem;
} sampler;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- threads ---- */

static watched *thread_of(sampler *s, int64_t tid)
{
    char path[64], name[64];
    for (size_t i = 0; i < s->threads.size; i++)
        if (s->threads.at[i].tid == tid) return &s->threads.at[i];
    watched w = { .tid = tid, .fd = -1 };
    snprintf(path, sizeof path, "/proc/%lld/task/%lld/stat", (long long)s->python.pid, (long long)tid);
    if (tid && s->threads.size < 512) w.fd = open(path, O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "task/%lld/comm", (long long)tid);
    long n = tid ? tfp_proc_read(s->python.pid, path, name, sizeof name) : 0;
    if (n > 0 && name[n - 1] == '\n') n--;
    w.name = tfp_intern(&s->names, n > 0 ? (tfp_str){ name, (size_t)n } : TFP_STR("?"));
    if (w.name == TFP_NONE || !tfp_push(&s->threads, w)) {
        s->nomem = true;
        return NULL;
    }
    return &s->threads.at[s->threads.size - 1];
}

/* R, S ...; 0: it has ended, or is not known. */
static char state_of(const sampler *s, const watched *w)
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

static tfp_str kept(sampler *s, const tfp_buf *b)
{
    char *copy = tfp_arena_copy(&s->r->arena, (tfp_str){ b->data, b->size });
    if (!copy) s->nomem = true;
    return (tfp_str){ copy ? copy : "", copy ? b->size : 0 };
}

/* The function of a code object; TFP_NONE when it is gone, or there is no memory. */
static uint32_t function_of(sampler *s, uint64_t code)
{
    int64_t line;
    if (!tfp_python_code(&s->python, code, &s->file, &s->function, &line)) return TFP_NONE;
    s->text.size = 0;
    tfp_buf_str(&s->text, (tfp_str){ s->file.data, s->file.size });
    tfp_buf_printf(&s->text, ":%lld:", (long long)line);
    tfp_buf_str(&s->text, (tfp_str){ s->function.data, s->function.size });
    size_t before = s->names.count;
    tfp_strid id = s->text.failed ? TFP_NONE : tfp_intern(&s->names, (tfp_str){ s->text.data, s->text.size });
    if (id == TFP_NONE || s->functions.size >= FUNCTIONS_MOST) {
        s->nomem = true;
        return TFP_NONE;
    }
    uint32_t at = tfp_map64_get(&s->by_name, id);
    if (s->names.count == before && at != TFP_NONE) return at;
    tfp_stack_function f = { tfp_strtab_get(&s->names, id), kept(s, &s->file), kept(s, &s->function), line };
    if (!tfp_push(&s->functions, f) || !tfp_map64_put(&s->by_name, id, (uint32_t)s->functions.size - 1)) {
        s->nomem = true;
        return TFP_NONE;
    }
    return (uint32_t)s->functions.size - 1;
}

/* A stack that holds still: how many frames, with the functions from key[1] on; -1: torn each time. */
static long read_stack(sampler *s, uint64_t state)
{
    for (int i = 0; i < TRIES && !s->nomem; i++) {
        long depth = tfp_python_stack(&s->python, state, s->frames, TFP_PYTHON_DEPTH), k = 0;
        for (; k < depth; k++)
            if ((s->key[k + 1] = function_of(s, s->frames[k].code)) == TFP_NONE) break;
        if (depth >= 0 && k == depth) return depth;
    }
    return -1;
}

/* ---- samples ---- */

static void count_sample(sampler *s, const watched *w, long depth)
{
    s->key[0] = w->name;
    size_t before = s->keys.count;
    tfp_strid id = tfp_intern(&s->keys, (tfp_str){ (const char *)s->key, ((size_t)depth + 1) * sizeof *s->key });
    if (id == TFP_NONE || (s->keys.count != before && !tfp_push(&s->counts, 0))) {
        s->nomem = true;
        return;
    }
    s->counts.at[id]++;
    s->samples++;
}

/* Looks at every thread once; false when the process is gone. */
static bool sample_all(sampler *s, bool idle)
{
    long count = tfp_python_threads(&s->python, s->seen, TFP_PYTHON_THREADS);
    for (long i = 0; i < count && !s->nomem; i++) {
        watched *w = thread_of(s, s->seen[i].tid);
        if (!w || (!idle && state_of(s, w) != 'R')) continue;
        long depth = read_stack(s, s->seen[i].state);
        if (depth > 0)
            count_sample(s, w, depth);
        else if (depth < 0)
            s->torn++;
    }
    s->ticks++;
    return count >= 0;
}

static tfp_status sample_for(sampler *s, const tfp_stacks_wish *wish, tfp_progress_fn fn, void *ctx, int64_t *lasted,
                             tfp_error *err)
{
    int64_t start = now_ns(), end = start + (int64_t)(wish->seconds * 1e9), step = (int64_t)(1e9 / wish->rate);
    int64_t next = start;
    bool alive = true;
    while (alive && !s->nomem && now_ns() < end) {
        alive = sample_all(s, wish->idle);
        if (fn && fn(ctx, (uint64_t)(now_ns() - start), (uint64_t)(end - start)))
            return tfp_fail(err, TFP_CANCELLED, "interrupted");
        next += step;
        int64_t now = now_ns();
        if (next <= now) {
            next = now;
            continue;
        }
        int64_t until = next < end ? next : end;
        struct timespec t = { until / 1000000000, until % 1000000000 };
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    *lasted = now_ns() - start;
    if (s->nomem) return tfp_nomem(err);
    if (!alive) return tfp_report_note_add(s->r, err, "the process ended after %.1f s", (double)*lasted / 1e9);
    return TFP_OK;
}

/* ---- the table of functions ---- */

typedef struct stacks_row {
    tfp_str name, kind;
    int64_t self, total;
    double self_share, total_share;
} stacks_row;

/* clang-format off */
static const tfp_row_column stacks_columns[] = {
    TFP_COLUMN(stacks_row, "name", TEXT, LABEL, name, "FILE:LINE:FUNCTION; the line is that of the def."),
    TFP_COLUMN(stacks_row, "kind", TEXT, LABEL, kind, "python"),
    TFP_COLUMN(stacks_row, "self", INT, NUMBER, self, "Samples in which it was the innermost."),
    TFP_COLUMN(stacks_row, "total", INT, NUMBER, total, "Samples in which it was on the stack."),
    TFP_COLUMN(stacks_row, "self_share", REAL, SHARE, self_share, "Of all samples."),
    TFP_COLUMN(stacks_row, "total_share", REAL, SHARE, total_share, "Of all samples."),
    { NULL, TFP_T_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static bool more_self(const void *rows, uint32_t a, uint32_t b)
{
    const stacks_row *x = (const stacks_row *)rows + a, *y = (const stacks_row *)rows + b;
    if (x->self != y->self) return x->self > y->self;
    if (x->total != y->total) return x->total > y->total;
    return tfp_str_cmp(x->name, y->name) < 0;
}

static tfp_stacks *keep_stacks(sampler *s)
{
    tfp_arena *a = &s->r->arena;
    tfp_stacks *all = TFP_NEW(a, tfp_stacks, 1);
    tfp_stack *stacks = TFP_NEW(a, tfp_stack, s->keys.count + 1);
    tfp_stack_function *functions = TFP_NEW(a, tfp_stack_function, s->functions.size + 1);
    if (!all || !stacks || !functions) return NULL;
    if (s->functions.size) memcpy(functions, s->functions.at, s->functions.size * sizeof *functions);
    for (size_t i = 0; i < s->functions.size; i++) { /* the table of names does not live on */
        const char *name = tfp_arena_copy(a, functions[i].name);
        if (!name) return NULL;
        functions[i].name.data = name;
    }
    for (size_t i = 1; i < s->keys.count; i++) { /* 0 is the empty string */
        tfp_str key = tfp_strtab_get(&s->keys, (tfp_strid)i);
        size_t count = key.size / sizeof(uint32_t);
        uint32_t *ids = TFP_NEW(a, uint32_t, count);
        if (!ids) return NULL;
        memcpy(ids, key.data, key.size);
        tfp_str thread = tfp_strtab_get(&s->names, ids[0]);
        const char *name = tfp_arena_copy(a, thread);
        if (!name) return NULL;
        stacks[i - 1] = (tfp_stack){ { name, thread.size }, ids + 1, count - 1, s->counts.at[i] };
    }
    *all =
        (tfp_stacks){ functions, stacks, s->functions.size, s->keys.count ? s->keys.count - 1 : 0, s->samples, 0, 0 };
    return all;
}

static tfp_status fill_stacks(tfp_report *r, const tfp_stacks *all, tfp_error *err)
{
    stacks_row *rows = TFP_NEW(&r->arena, stacks_row, all->function_count + 1);
    size_t *mark = TFP_NEW(&r->arena, size_t, all->function_count + 1);
    double samples = (double)all->samples;
    if (!rows || !mark) return tfp_nomem(err);
    for (size_t i = 0; i < all->stack_count; i++) {
        const tfp_stack *x = &all->stacks[i];
        rows[x->functions[0]].self += x->count;
        for (size_t k = 0; k < x->depth; k++) {
            uint32_t f = x->functions[k];
            if (mark[f] == i + 1) continue; /* recursion counts once */
            mark[f] = i + 1;
            rows[f].total += x->count;
        }
    }
    for (size_t i = 0; i < all->function_count; i++) {
        rows[i].name = all->functions[i].name;
        rows[i].kind = TFP_STR("python");
        rows[i].self_share = samples > 0 ? (double)rows[i].self / samples : 0;
        rows[i].total_share = samples > 0 ? (double)rows[i].total / samples : 0;
    }
    size_t count = 0; /* functions of stacks that were torn have no sample */
    for (size_t i = 0; i < all->function_count; i++)
        if (rows[i].total) rows[count++] = rows[i];
    stacks_row *sorted = tfp_rows_sorted(&r->arena, rows, sizeof *rows, count, more_self);
    if (!sorted) return tfp_nomem(err);
    return tfp_grid_of(r, &(tfp_row_table){ stacks_columns, sorted, sizeof *sorted, count, 0 }, err);
}

static tfp_status make_stacks(sampler *s, const tfp_stacks_wish *wish, tfp_progress_fn fn, void *ctx, tfp_error *err)
{
    int64_t lasted = 0;
    tfp_report *r = s->r;
    tfp_status status = sample_for(s, wish, fn, ctx, &lasted, err);
    if (status) return status;
    tfp_stacks *all = keep_stacks(s);
    if (!all) return tfp_nomem(err);
    all->duration_ns = lasted;
    all->period_ns = (int64_t)(1e9 / wish->rate);
    r->stacks = all;
    if (s->torn)
        status = tfp_report_note_add(r, err, "%lld samples were torn: their frames changed while they were read",
                                     (long long)s->torn);
    if (!status && !s->samples)
        status = tfp_report_note_add(r, err, "no Python thread ran in %.1f s%s", (double)lasted / 1e9,
                                     wish->idle ? "" : "; --idle shows those that wait too");
    double wanted = (double)lasted / 1e9 * wish->rate;
    if (!status && (double)s->ticks < 0.8 * wanted - 1)
        status =
            tfp_report_note_add(r, err, "%lld of %.0f looks were made: the machine is busy, or there are many threads",
                                (long long)s->ticks, wanted);
    return status ? status : fill_stacks(r, all, err);
}

/* ---- one reading of every thread ---- */

typedef struct threads_row {
    int64_t tid;
    tfp_str thread, state;
    int64_t depth;
    tfp_str name, kind;
} threads_row;

/* clang-format off */
static const tfp_row_column threads_columns[] = {
    TFP_COLUMN(threads_row, "tid", INT, LABEL, tid, "The kernel's number of the thread."),
    TFP_COLUMN(threads_row, "thread", TEXT, LABEL, thread, "The kernel's name of the thread."),
    TFP_COLUMN(threads_row, "state", TEXT, LABEL, state, "running, sleeping, waiting (for a device), stopped, traced"),
    TFP_COLUMN(threads_row, "depth", INT, LABEL, depth, "0: the innermost frame."),
    TFP_COLUMN(threads_row, "name", TEXT, LABEL, name, "FILE:LINE:FUNCTION; the line is the one at which it is."),
    TFP_COLUMN(threads_row, "kind", TEXT, LABEL, kind, "python"),
    { NULL, TFP_T_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static tfp_str frame_text(sampler *s, uint32_t function, const tfp_live_frame *frame)
{
    const tfp_stack_function *f = &s->functions.at[function];
    s->text.size = 0;
    tfp_buf_str(&s->text, f->file);
    tfp_buf_printf(&s->text, ":%lld:", (long long)tfp_python_line(&s->python, frame->code, frame->at));
    tfp_buf_str(&s->text, f->function);
    if (s->text.failed) s->nomem = true;
    return kept(s, &s->text);
}

static tfp_status make_threads(sampler *s, tfp_error *err)
{
    TFP_VEC(threads_row) rows = { 0 };
    tfp_status status = TFP_OK;
    long count = tfp_python_threads(&s->python, s->seen, TFP_PYTHON_THREADS);
    for (long i = 0; i < count && !s->nomem; i++) {
        watched *w = thread_of(s, s->seen[i].tid);
        if (!w) break;
        tfp_str name = tfp_strtab_get(&s->names, w->name), state = tfp_str_of(tfp_state_name(state_of(s, w)));
        const char *copy = tfp_arena_copy(&s->r->arena, name);
        long depth = read_stack(s, s->seen[i].state);
        if (depth < 0) s->torn++;
        for (long k = 0; k < depth && copy; k++) {
            threads_row row = {
                w->tid ? w->tid : TFP_ABSENT, { copy, name.size }, state, k, { NULL, 0 }, TFP_STR("python")
            };
            row.name = frame_text(s, s->key[k + 1], &s->frames[k]);
            if (!tfp_push(&rows, row)) s->nomem = true;
        }
        s->nomem |= !copy;
    }
    if (count < 0) status = tfp_fail(err, TFP_BADFILE, "it has ended");
    if (s->nomem) status = tfp_nomem(err);
    if (!status && s->torn)
        status = tfp_report_note_add(s->r, err, "the stacks of %lld threads changed while they were read",
                                     (long long)s->torn);
    threads_row *all = status ? NULL : TFP_NEW(&s->r->arena, threads_row, rows.size + 1);
    if (!status && !all) status = tfp_nomem(err);
    if (all && rows.size) memcpy(all, rows.at, rows.size * sizeof *all);
    if (!status) status = tfp_grid_of(s->r, &(tfp_row_table){ threads_columns, all, sizeof *all, rows.size, 0 }, err);
    tfp_vec_free(&rows);
    return status;
}

/* ---- the public function ---- */

static tfp_status make(sampler *s, const tfp_stacks_wish *wish, tfp_progress_fn fn, void *ctx, tfp_error *err)
{
    tfp_arena names = { 0 }, keys = { 0 };
    s->seen = calloc(TFP_PYTHON_THREADS, sizeof *s->seen);
    s->frames = calloc(TFP_PYTHON_DEPTH, sizeof *s->frames);
    s->key = calloc(TFP_PYTHON_DEPTH + 1, sizeof *s->key);
    tfp_status status = s->seen && s->frames && s->key ? TFP_OK : tfp_nomem(err);
    if (!status && (tfp_strtab_init(&s->names, &names) || tfp_strtab_init(&s->keys, &keys))) status = tfp_nomem(err);
    while (!status && s->counts.size < s->keys.count) status = tfp_push(&s->counts, 0) ? TFP_OK : tfp_nomem(err);
    if (!status) status = wish->once ? make_threads(s, err) : make_stacks(s, wish, fn, ctx, err);
    for (size_t i = 0; i < s->threads.size; i++)
        if (s->threads.at[i].fd >= 0) close(s->threads.at[i].fd);
    tfp_vec_free(&s->threads);
    tfp_vec_free(&s->functions);
    tfp_vec_free(&s->counts);
    tfp_map64_free(&s->by_name);
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
    sampler s = { .nomem = false };
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!l || !target || !*target || !out) return tfp_fail(err, TFP_BADARG, "no process is named");
    tfp_status status = tfp_live_find(target, &pid, err);
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
