// SPDX-License-Identifier: Apache-2.0
/* live/stacks/native.c: native frames beside Python's. The kernel copies a running thread's registers and stack; its Python stack is
 * read some microseconds later. The native frames that the innermost Python function called are shown only if it is still the same call
 * by then: the stack from the return address on, with the interpreter's frame, must be unchanged. Otherwise the sample has only its
 * Python frames. Frames of the interpreter's loop are replaced by the Python functions that they run. */
#include "live/stacks/image.h"
#include "live/stacks/parts.h"
#include "query/order.h"
#include "views/core/notes.h"
#include "views/core/handle.h"

#include <dirent.h>
#include <stdio.h>

#define LIST_NS 50000000  /* between two listings of the threads */
#define FIRST_NS 10000000 /* between the first two listings of threads: the comparison shows which threads run */
#define ONCE_NS 100000000 /* how long --once waits for a sample of a running thread */
#define LOOP "_PyEval_EvalFrameDefault"
#define LOOPS_MOST 8
/* least size of the interpreter's loop in bytes; in 3.14 with tail calls it has 1184, in others 34,000 and more */
#define LOOP_LEAST 8192

/* A stack before its names are looked up: four words, the Python functions (twice, plus 1 for an entry frame), and two
 * words for each address. */
enum { RAW_THREAD, RAW_KERNEL, RAW_PYTHON, RAW_FLAGS, RAW_HEAD };
enum { RAW_WHOLE = 1 };

struct tfp_native {
    tfp_sampler *s;
    tfp_unwind *unwind;
    tfp_perf *perf;
    uint64_t loops[LOOPS_MOST][2]; /* address ranges of the interpreter's loop */
    size_t loop_count;
    bool idle;
    int64_t period_ns, listed_ns;
    size_t lists;
    long python_count; /* the number of s->seen that are Python threads */
    TFP_VEC(int64_t) tids;
    TFP_VEC(int64_t) once; /* threads that have their rows already */
    threads_rows *rows;    /* with --once; otherwise NULL */
    tfp_arena arena;
    tfp_strtab raw;
    TFP_VEC(int64_t) counts; /* for each raw stack, its samples */
    uint32_t *key;           /* the raw stack that is being built */
    tfp_native_frame frames[TFP_STACKS_NATIVE_MOST];
    char now[65536]; /* the stack as it was read after Python's frames */
    int64_t moved, taken;
};

static bool in_loop(const tfp_native *n, uint64_t pc)
{
    for (size_t i = 0; i < n->loop_count; i++)
        if (pc >= n->loops[i][0] && pc < n->loops[i][1]) return true;
    return false;
}

/* ---- threads ---- */

static int64_t cpu_ns_of(int64_t pid, int64_t tid)
{
    char path[64], text[128];
    long long ns;
    snprintf(path, sizeof path, "task/%lld/schedstat", (long long)tid);
    return tfp_proc_read(pid, path, text, sizeof text) > 0 && sscanf(text, "%lld", &ns) == 1 ? ns : -1;
}

/* Lists all threads; those that ran since the last list are sampled from now on. */
static bool list_threads(tfp_native *n)
{
    char path[64];
    int64_t pid = n->s->python->pid;
    snprintf(path, sizeof path, "/proc/%lld/task", (long long)pid);
    DIR *d = opendir(path);
    n->tids.size = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        int64_t tid;
        if (!tfp_parse_int64(tfp_str_of(e->d_name), &tid)) continue;
        watched *w = tfp_stacks_thread(n->s, tid);
        if (!w) break;
        if (!tfp_push(&n->tids, tid)) {
            n->s->nomem = true;
            break;
        }
        int64_t cpu = cpu_ns_of(pid, tid);
        bool ran = cpu < 0 || (n->lists && cpu != w->cpu_ns) || (!n->lists && tfp_stacks_state(n->s, w) == 'R');
        w->cpu_ns = cpu;
        if (ran) tfp_perf_add(n->perf, tid);
    }
    if (d) closedir(d);
    n->python_count = tfp_python_threads(n->s->python, n->s->seen, TFP_PYTHON_THREADS);
    n->listed_ns = tfp_now_ns();
    n->lists++;
    return n->tids.size > 0 && n->python_count >= 0;
}

/* The address of a thread's PyThreadState; 0: none. */
static uint64_t state_of(const tfp_native *n, int64_t tid)
{
    for (long i = 0; i < n->python_count; i++)
        if (n->s->seen[i].tid == tid) return n->s->seen[i].state;
    return 0;
}

/* ---- whether the call is still the same ---- */

/* The stack address that holds the return address into the loop. The frames give it; if they end too early, the first such word of
 * the copy is taken. */
static uint64_t return_slot(const tfp_native *n, const tfp_native_state *at, size_t first, size_t count)
{
    if (first < count) return n->frames[first].slot;
    for (size_t i = 0; i + 8 <= at->stack_size; i += 8) {
        uint64_t word;
        memcpy(&word, at->stack + i, sizeof word);
        if (in_loop(n, word - 1)) return at->registers[TFP_DWARF_SP] + i;
    }
    return 0;
}

/* Whether the call is still the same. first: the innermost frame of the loop. now_size: bytes of the stack that could
 * be read after Python's frames. */
static bool is_same_call(const tfp_native *n, const tfp_native_state *at, size_t first, size_t count, size_t now_size)
{
    enum { LEAST = 64, MOST = 1024 }; /* bytes of the loop's frame that are compared */
    uint64_t slot = return_slot(n, at, first, count), sp = at->registers[TFP_DWARF_SP], word;
    if (slot < sp) return false;
    size_t from = (size_t)(slot - sp), size = MOST;
    if (first + 1 < count && n->frames[first + 1].slot > slot && n->frames[first + 1].slot - slot < MOST)
        size = (size_t)(n->frames[first + 1].slot - slot) + 8;
    if (from >= now_size) /* it is beyond the copy, so the unwinder read current memory already */
        return first < count && tfp_python_read(n->s->python, slot, &word, sizeof word) &&
               word == n->frames[first].pc + 1;
    if (size > now_size - from) size = now_size - from;
    return size >= LEAST && memcmp(at->stack + from, n->now + from, size) == 0;
}

/* ---- one sample ---- */

/* Reads the Python functions as key[RAW_HEAD...]; returns how many, -1: torn. */
static long read_python(tfp_native *n, uint64_t state)
{
    tfp_sampler *s = n->s;
    long depth = state ? tfp_python_stack(s->python, state, s->frames, TFP_PYTHON_DEPTH) : 0;
    for (int i = 1; depth < 0 && i < TFP_STACKS_TRIES; i++)
        depth = tfp_python_stack(s->python, state, s->frames, TFP_PYTHON_DEPTH);
    return depth;
}

static bool name_python(tfp_native *n, long depth)
{
    if (!tfp_stacks_name(n->s, (size_t)depth)) return false;
    for (long k = 0; k < depth; k++) n->key[RAW_HEAD + k] = n->s->key[k + 1] << 1 | n->s->frames[k].entry;
    return true;
}

static uint32_t kernel_function(tfp_native *n, int64_t tid)
{
    char name[128];
    tfp_native_kernel(n->s->python->pid, tid, name, sizeof name);
    if (!*name) return 0;
    tfp_stack_function f = { { NULL, 0 }, TFP_STR("[kernel]"), tfp_str_of(name), 0, TFP_STR("kernel") };
    char text[160];
    snprintf(text, sizeof text, "[kernel]:%s", name);
    uint32_t id = tfp_stacks_function_of(n->s, tfp_str_of(text), f);
    return id == TFP_NONE ? 0 : id + 1;
}

static void put_rows(tfp_native *n, int64_t tid, size_t count);

static void take(void *ctx, int64_t tid, const tfp_native_state *at)
{
    tfp_native *n = ctx;
    tfp_sampler *s = n->s;
    bool whole = false;
    if (tfp_stacks_over(s)) return; /* samples that are left when the time is over are dropped */
    long depth = read_python(n, state_of(n, tid));
    size_t size = at->stack_size < sizeof n->now ? at->stack_size : sizeof n->now, count = 0, first = 0;
    if (size && !tfp_python_read(s->python, at->registers[TFP_DWARF_SP], n->now, size)) size = 0;
    watched *w = tfp_stacks_thread(s, tid);
    if (!w || depth < 0 || !name_python(n, depth)) {
        s->looks.torn++;
        return;
    }
    size_t thread = (size_t)(w - s->threads.list.at);
    count = tfp_unwind_stack(n->unwind, at, n->frames, TFP_STACKS_NATIVE_MOST, &whole);
    while (first < count && !in_loop(n, n->frames[first].pc)) first++;
    if (depth && first && !at->only_sp_and_pc && !is_same_call(n, at, first, count, size)) {
        count = 0;
        n->moved++;
    }
    n->taken++;
    n->key[RAW_THREAD] = w->name;
    n->key[RAW_KERNEL] = at->only_sp_and_pc ? kernel_function(n, tid) : 0;
    n->key[RAW_PYTHON] = (uint32_t)depth;
    n->key[RAW_FLAGS] = whole ? RAW_WHOLE : 0;
    for (size_t i = 0; i < count; i++) memcpy(&n->key[RAW_HEAD + (size_t)depth + 2 * i], &n->frames[i].pc, 8);
    if (n->rows) {
        put_rows(n, tid, count);
        return;
    }
    size_t before = n->raw.count;
    if (n->arena.used > TFP_STACKS_KEYS_MOST) {
        s->full = "its native stacks take more than 48 MB";
        return;
    }
    tfp_strid id =
        tfp_intern(&n->raw, (tfp_str){ (const char *)n->key, (RAW_HEAD + (size_t)depth + 2 * count) * sizeof *n->key });
    if (id == TFP_NONE || (n->raw.count != before && !tfp_push(&n->counts, 0))) {
        s->nomem = true;
        return;
    }
    n->counts.at[id]++;
    int64_t now = tfp_now_ns();
    uint32_t look = (uint32_t)((now - s->looks.begun_ns) / (2 * n->period_ns)); /* each thread has samples of its own */
    tfp_stacks_moment(s, thread, id, look, now);
}

/* ---- names, and one stack of two ---- */

static uint32_t native_function(tfp_native *n, uint64_t pc)
{
    tfp_sampler *s = n->s;
    tfp_stack_function f = { .kind = TFP_STR("native") };
    tfp_unwind_name(n->unwind, pc, &f.file, &f.function);
    s->text.size = 0;
    tfp_buf_str(&s->text, f.file);
    if (!tfp_str_eq(f.file, f.function)) {
        tfp_buf_char(&s->text, ':');
        tfp_buf_str(&s->text, f.function);
    }
    if (s->text.failed) s->nomem = true;
    return s->nomem ? TFP_NONE : tfp_stacks_function_of(s, (tfp_str){ s->text.data, s->text.size }, f);
}

/* Writes only Python's frames: the native ones do not fit, or are not known. */
static size_t only_python(const uint32_t *python, size_t depth, uint32_t *out)
{
    for (size_t i = 0; i < depth; i++) out[i] = python[i] >> 1;
    return depth;
}

/* Writes the functions of a raw stack to `out`, innermost first, and returns how many. Each native frame of the interpreter's loop is replaced
 * by the Python functions that it ran. Native callers of the outermost one are left out. */
static size_t merge(tfp_native *n, const uint32_t *key, size_t words, uint32_t *out)
{
    const uint32_t *python = key + RAW_HEAD;
    size_t depth = key[RAW_PYTHON], count = (words - RAW_HEAD - depth) / 2, size = 0, at = 0, loops = 0, entries = 0;
    uint64_t pc;
    for (size_t i = 0; i < depth; i++) entries += python[i] & 1;
    for (size_t i = 0; i < count; i++) {
        memcpy(&pc, python + depth + 2 * i, 8);
        loops += in_loop(n, pc);
    }
    if (depth && (loops > entries || ((key[RAW_FLAGS] & RAW_WHOLE) && loops != entries))) {
        n->moved += count > 0;
        count = 0;
    }
    if (key[RAW_KERNEL]) out[size++] = key[RAW_KERNEL] - 1;
    for (size_t i = 0; i < count && (!depth || at < depth); i++) {
        memcpy(&pc, python + depth + 2 * i, 8);
        if (!in_loop(n, pc)) {
            uint32_t f = native_function(n, pc);
            if (f == TFP_NONE) return 0;
            out[size++] = f;
        } else {
            while (at < depth && !(python[at] & 1)) out[size++] = python[at++] >> 1;
            if (at < depth) out[size++] = python[at++] >> 1;
        }
    }
    return size + only_python(python + at, depth - at, out + size);
}

static void put_rows(tfp_native *n, int64_t tid, size_t count)
{
    tfp_sampler *s = n->s;
    threads_row row;
    for (size_t i = 0; i < n->once.size; i++)
        if (n->once.at[i] == tid) return;
    size_t depth = n->key[RAW_PYTHON], python = 0;
    size_t size = merge(n, n->key, RAW_HEAD + depth + 2 * count, s->key);
    if (!tfp_push(&n->once, tid)) s->nomem = true;
    if (n->rows->size + size > TFP_STACKS_ROWS_MOST)
        s->full = "it has more than " TFP_QUOTED(TFP_STACKS_ROWS_MOST) " frames in all";
    if (s->nomem || s->full || !tfp_stacks_row(s, tid, &row)) return;
    for (size_t k = 0; k < size; k++) {
        tfp_stack_function f = s->functions.list.at[s->key[k]];
        row.depth = (int64_t)k;
        row.kind = f.kind;
        row.name = *f.kind.data == 'p' ? tfp_stacks_frame_text(s, s->key[k], &s->frames[python++])
                                       : (tfp_str){ tfp_arena_copy(tfp_arena_of(s->r), f.name), f.name.size };
        if (!row.name.data || !tfp_push(n->rows, row)) s->nomem = true;
    }
}

/* ---- sampling ---- */

/* Takes threads that wait: native frames as far as the stack pointer and the program counter allow, and Python's
 * frames. */
static void take_waiting(tfp_native *n)
{
    for (size_t i = 0; i < n->tids.size && !tfp_stacks_over(n->s); i++) {
        tfp_native_state at = { .only_sp_and_pc = true };
        if (tfp_native_blocked(n->s->python->pid, n->tids.at[i], &at)) take(n, n->tids.at[i], &at);
    }
    n->s->looks.ticks++;
}

bool tfp_native_sample(tfp_native *n, int64_t until_ns)
{
    if (n->idle) take_waiting(n);
    for (int64_t now; (now = tfp_now_ns()) < until_ns && !n->s->nomem && !n->s->full;) {
        int64_t due = n->listed_ns + (n->lists == 1 ? FIRST_NS : LIST_NS);
        if (now >= due) {
            if (!list_threads(n)) return false;
            continue;
        }
        tfp_perf_read(n->perf, (due < until_ns ? due : until_ns) - now, take, n);
    }
    return true;
}

static tfp_status add_notes(tfp_native *n, tfp_error *err)
{
    tfp_report *r = n->s->r;
    tfp_perf_facts facts = tfp_perf_facts_of(n->perf);
    tfp_status status = TFP_OK;
    if (facts.refused)
        status = tfp_report_note_add(r, TFP_NOTE_THREADS_NOT_READ, err, "%zu thread%s not sampled: %s", facts.refused,
                                     facts.refused == 1 ? " is" : "s are", facts.why);
    if (!status && facts.user_only)
        status = tfp_report_note_add(
            r, TFP_NOTE_KERNEL_NOT_READ, err,
            "time in the kernel is not sampled: needs kernel.perf_event_paranoid of 1 or less, or CAP_PERFMON");
    if (!status && facts.lost)
        status = tfp_report_note_add(r, TFP_NOTE_SAMPLES_LOST, err, "%lld sample%s lost: the machine is busy",
                                     (long long)facts.lost, facts.lost == 1 ? " was" : "s were");
    if (!status && n->moved)
        status = tfp_report_note_add(
            r, TFP_NOTE_NATIVE_FRAMES_LOST, err,
            "%lld of %lld samples have Python frames only: their native call was over before these were read",
            (long long)n->moved, (long long)n->taken);
    if (!status && tfp_unwind_refused(n->unwind))
        status = tfp_report_note_add(
            r, TFP_NOTE_MAPPINGS_NOT_READ, err,
            "%zu mapped files are damaged, or have more than %d MB of tables in all: they are not read",
            tfp_unwind_refused(n->unwind), (int)(TFP_IMAGE_HELD >> 20));
    return status;
}

/* Sorts the samples by time and gives them the final numbers of their stacks; those without a stack are removed. */
static void name_moments(tfp_sampler *s, const tfp_strid *stacks)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->stacks.moments.size; i++) {
        tfp_stack_moment m = s->stacks.moments.at[i];
        m.stack = stacks[m.stack];
        if (m.stack != TFP_NONE) s->stacks.moments.at[kept++] = m;
    }
    s->stacks.moments.size = kept;
}

tfp_status tfp_native_end(tfp_native *n, tfp_error *err)
{
    tfp_strid *stacks = calloc(n->raw.count, sizeof *stacks);
    if (!stacks) return tfp_nomem(err);
    for (size_t i = 1; i < n->raw.count && !n->s->nomem; i++) { /* 0 is the empty string */
        uint32_t key[RAW_HEAD];
        tfp_str raw = tfp_strtab_get(&n->raw, (tfp_strid)i);
        memcpy(n->key, raw.data, raw.size);
        memcpy(key, n->key, sizeof key);
        int64_t moved = n->moved;
        size_t depth = merge(n, n->key, raw.size / sizeof(uint32_t), n->s->key + 1);
        n->moved = moved + (n->moved > moved ? n->counts.at[i] : 0);
        stacks[i] = depth ? tfp_stacks_count(n->s, key[RAW_THREAD], depth, n->counts.at[i]) : TFP_NONE;
    }
    if (!n->s->nomem) name_moments(n->s, stacks);
    free(stacks);
    return n->s->nomem ? tfp_nomem(err) : add_notes(n, err);
}

static const tfp_sort_key by_thread[] = { TFP_UP(threads_row, tid), TFP_UP(threads_row, depth), { 0 } };

tfp_status tfp_native_once(tfp_native *n, threads_rows *rows, tfp_error *err)
{
    n->rows = rows;
    int64_t end = tfp_now_ns() + ONCE_NS;
    take_waiting(n);
    for (size_t i = 0; i < n->tids.size; i++) tfp_perf_add(n->perf, n->tids.at[i]);
    while (n->once.size < n->tids.size && tfp_now_ns() < end && !tfp_stacks_over(n->s)) {
        tfp_perf_read(n->perf, ONCE_NS / 8, take, n);
        take_waiting(n);
    }
    for (size_t i = 0; i < n->tids.size && !n->s->nomem; i++) { /* stopped threads, and those that gave no sample */
        tfp_native_state at = { .only_sp_and_pc = false };
        take(n, n->tids.at[i], &at);
    }
    bool ok = !n->s->nomem && tfp_order_rows(rows->at, sizeof *rows->at, rows->size, by_thread);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* ---- beginning and end ---- */

tfp_status tfp_native_begin(tfp_sampler *s, const tfp_stacks_settings *settings, tfp_native **out, tfp_error *err)
{
    static const char *const loop[] = { LOOP };
    char why[300];
    uint64_t address;
    tfp_native *n = *out = calloc(1, sizeof *n);
    if (!n) return tfp_nomem(err);
    n->s = s;
    n->idle = settings->idle;
    n->period_ns = (int64_t)(1e9 / settings->rate);
    n->key = calloc(RAW_HEAD + TFP_PYTHON_DEPTH + 2 * TFP_STACKS_NATIVE_MOST, sizeof *n->key);
    n->perf = tfp_perf_new(s->python->pid, settings->once ? 1000000 : n->period_ns);
    if (!n->key || !n->perf || tfp_strtab_init(&n->raw, &n->arena)) return tfp_nomem(err);
    while (n->counts.size < n->raw.count)
        if (!tfp_push(&n->counts, 0)) return tfp_nomem(err);
    n->unwind = tfp_unwind_new(s->python->pid, why, sizeof why);
    if (!n->unwind) return tfp_fail(err, TFP_BADFILE, "--native: %s", why);
    if (tfp_python_functions(s->python->pid, loop, &address, 1))
        n->loop_count = tfp_unwind_ranges(n->unwind, address, LOOP, n->loops, LOOPS_MOST);
    if (!n->loop_count) return tfp_fail(err, TFP_BADFILE, "--native: the interpreter has no symbol " LOOP);
    uint64_t bytes = 0;
    for (size_t i = 0; i < n->loop_count; i++) bytes += n->loops[i][1] - n->loops[i][0];
    if (bytes < LOOP_LEAST)
        return tfp_fail(err, TFP_BADFILE,
                        "--native: this CPython was built with tail calls, so the interpreter's loop cannot be found");
    const char *refused = tfp_perf_add(n->perf, s->python->pid);
    if (refused) return tfp_fail(err, TFP_BADFILE, "--native: %s", refused);
    return list_threads(n) ? TFP_OK : tfp_fail(err, TFP_BADFILE, "it has ended");
}

void tfp_native_free(tfp_native *n)
{
    if (!n) return;
    tfp_perf_free(n->perf);
    tfp_unwind_free(n->unwind);
    tfp_vec_free(&n->tids);
    tfp_vec_free(&n->once);
    tfp_vec_free(&n->counts);
    tfp_strtab_free(&n->raw);
    tfp_arena_free(&n->arena);
    free(n->key);
    free(n);
}
