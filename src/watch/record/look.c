// SPDX-License-Identifier: Apache-2.0
/* watch/record/look.c: one look at the main thread of a process: CPU time and run-queue delay from schedstat, the system call in which it
 * sleeps, and its Python frames. Nothing is stopped. What is read may be forged: everything kept is bounded. */
#include "watch/record/process.h"
#include "model/frames/kinds.h"
#include "model/span_names.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const watch_layers[WATCH_LAYERS] = { "proc", "uprobes", "stacks", "recorder", "nvml", "ras" };

bool watch_look_open(watch_process *p, tfp_method *refusal)
{
    p->files = (watch_files){ -1, -1, -1, -1, "" };
    p->py.open = tfp_python_open(p->rank.pid, &p->py.python, refusal);
    return p->py.open;
}

void watch_look_close(watch_process *p)
{
    int *const fds[] = { &p->files.stat, &p->files.schedstat, &p->files.syscall, &p->files.io };
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        if (*fds[i] >= 0) close(*fds[i]);
        *fds[i] = -1;
    }
    for (size_t i = 0; i < p->py.codes.size; i++) tfp_vec_free(&p->py.codes.at[i].copy.bytes);
    tfp_vec_free(&p->py.codes);
    tfp_map64_free(&p->py.by_code);
    tfp_map64_free(&p->py.by_line);
}

/* ---- /proc ---- */

static void read_schedstat(watch_process *p, watch_look *l)
{
    char text[100], *end;
    long n = tfp_proc_read_kept(p->rank.pid, "schedstat", &p->files.schedstat, text, sizeof text);
    l->cpu_ns = l->run_delay_ns = -1;
    if (n <= 0) return;
    l->cpu_ns = strtoll(text, &end, 10);
    l->run_delay_ns = strtoll(end, NULL, 10);
}

/* Whether a thread in this system call may wait for storage. */
static bool may_wait_for_storage(int32_t call)
{
    switch (call) {
    case -1: /* a page fault */
    case SYS_read:
    case SYS_write:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_readv:
    case SYS_writev:
    case SYS_openat:
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_msync:
    case SYS_getdents64: return true;
    default: return false;
    }
}

static bool is_input(int32_t call)
{
    switch (call) {
    case SYS_read:
    case SYS_pread64:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept4:
#ifdef SYS_poll
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
    case SYS_nanosleep:
    case SYS_clock_nanosleep: return true;
    default: return false;
    }
}

static void read_state(watch_process *p, watch_look *l)
{
    char text[1200];
    long n = tfp_proc_read_kept(p->rank.pid, "syscall", &p->files.syscall, text, sizeof text);
    l->call = -2;
    if (n <= 0) return;
    if (!strncmp(text, "running", 7)) {
        l->state = 'R';
        l->call = -1;
        return;
    }
    l->state = 'S';
    l->call = (int32_t)strtol(text, NULL, 10);
    if (!may_wait_for_storage(l->call)) return;
    tfp_proc_stat stat;
    n = tfp_proc_read_kept(p->rank.pid, "stat", &p->files.stat, text, sizeof text);
    if (n > 0 && tfp_proc_stat_parse((tfp_str){ text, (size_t)n }, &stat)) l->state = stat.state;
}

/* ---- frames ---- */

static bool ends_in(tfp_str file, const char *name) { return tfp_str_ends(file, tfp_str_of(name)); }

static uint8_t meaning_of(tfp_str file, tfp_str function)
{
    static const char *const locks[] = { "/threading.py", "/queue.py", "/multiprocessing/synchronize.py",
                                         "/concurrent/futures/_base.py" };
    if (ends_in(file, "torch/distributed/distributed_c10d.py"))
        return function.size && *function.data != '_' ? WATCH_CODE_COLLECTIVE : 0;
    if (tfp_str_has(file, TFP_STR("torch/utils/data/")) || tfp_str_has(file, TFP_STR("/tensorflow/python/data/")))
        return WATCH_CODE_LOADER;
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++)
        if (ends_in(file, locks[i])) return WATCH_CODE_LOCK;
    return ends_in(file, "/gc.py") ? WATCH_CODE_GC : 0;
}

static tfp_str buf_of(const tfp_buf *b) { return (tfp_str){ b->data ? b->data : "", b->size }; }

/* A text of the process, unless it has given too many new ones: then 0. False: out of memory. */
static bool keep(watch_process *p, tfp_str text, tfp_strid *out)
{
    int64_t minute = p->last.at_ns / 60000000000;
    *out = tfp_strtab_find(&p->texts.table, text);
    if (*out != TFP_NONE) return true;
    if (p->py.minute != minute) p->py.minute = minute, p->py.new_lines = 0;
    *out = 0;
    if (p->py.new_lines >= WATCH_LINES || p->texts.table.count >= WATCH_LINES_ALL || text.size > 1000) {
        p->counts.dropped++;
        return true;
    }
    p->py.new_lines++;
    *out = tfp_intern(&p->texts.table, text);
    return *out != TFP_NONE;
}

/* Reads the code object at this address into `c`. False: it is none, or out of memory. */
static bool read_code(watch_process *p, uint64_t address, watch_code *c)
{
    tfp_buf file = { 0 }, function = { 0 };
    bool ok = tfp_python_copy_code(&p->py.python, address, &c->copy) &&
              tfp_python_copied_text(&c->copy, TFP_CODE_FILE, &file) &&
              tfp_python_copied_text(&c->copy, TFP_CODE_NAME, &function);
    if (ok) {
        c->library = tfp_is_library_file(buf_of(&file));
        c->what = meaning_of(buf_of(&file), buf_of(&function));
        ok = keep(p, buf_of(&function), &c->name);
    }
    tfp_buf_free(&file);
    tfp_buf_free(&function);
    return ok;
}

/* The code object of a frame; TFP_NONE: there is none. */
static uint32_t code_of(watch_process *p, uint64_t address)
{
    uint32_t at = tfp_map64_get(&p->py.by_code, address);
    if (at != TFP_NONE) return at;
    watch_code c = { .name = 0 };
    if (p->py.codes.size < WATCH_CODES && read_code(p, address, &c) && tfp_push(&p->py.codes, c)) {
        at = (uint32_t)p->py.codes.size - 1;
        if (tfp_map64_put(&p->py.by_code, address, at)) return at;
        p->py.codes.size--;
    }
    tfp_vec_free(&c.copy.bytes);
    return TFP_NONE;
}

/* Reads those again that differ from their copies: another object has taken the place. */
static void refresh(watch_process *p, const uint32_t *codes, size_t count)
{
    const tfp_code_copy *copies[WATCH_DEPTH];
    bool same[WATCH_DEPTH];
    for (size_t i = 0; i < count; i++) copies[i] = &p->py.codes.at[codes[i]].copy;
    tfp_python_same_codes(&p->py.python, copies, same, count);
    for (size_t i = 0; i < count; i++) {
        if (same[i]) continue;
        (void)read_code(p, copies[i]->address, &p->py.codes.at[codes[i]]);
        tfp_map64_clear(&p->py.by_line);
    }
}

/* FILE:LINE:FUNCTION of a frame. False: out of memory. */
static bool line_of(watch_process *p, uint32_t code, const tfp_live_frame *f, tfp_strid *out)
{
    uint64_t key = (uint64_t)code << 32 | (uint32_t)f->at;
    uint32_t known = tfp_map64_get(&p->py.by_line, key);
    *out = known;
    if (known != TFP_NONE) return true;
    tfp_buf text = { 0 }, function = { 0 };
    const watch_code *c = &p->py.codes.at[code];
    bool ok = tfp_python_copied_text(&c->copy, TFP_CODE_FILE, &text) &&
              tfp_python_copied_text(&c->copy, TFP_CODE_NAME, &function);
    tfp_buf_printf(&text, ":%lld:", (long long)tfp_python_line(&p->py.python, f->code, f->at));
    tfp_buf_str(&text, buf_of(&function));
    ok = ok && !text.failed && keep(p, buf_of(&text), out);
    if (ok && *out && p->py.by_line.count < WATCH_LINES_ALL) ok = tfp_map64_put(&p->py.by_line, key, *out);
    tfp_buf_free(&text);
    tfp_buf_free(&function);
    return ok;
}

/* Takes the frames, innermost first: lines, and what they mean, in *what (of all of them) and *inner (of the innermost). */
static bool take_frames(watch_process *p, watch_look *l, const tfp_live_frame *frames, size_t depth, unsigned *what,
                        unsigned *inner)
{
    uint32_t codes[WATCH_DEPTH];
    size_t count = 0;
    bool own = false, ok = true;
    for (size_t i = 0; i < depth; i++)
        if ((codes[count] = code_of(p, frames[i].code)) != TFP_NONE) count++;
    if (count != depth) return true; /* one of them is gone: the next look tells more */
    refresh(p, codes, count);
    for (size_t i = 0; i < depth && ok; i++) {
        const watch_code *c = &p->py.codes.at[codes[i]];
        uint64_t word[2] = { frames[i].code, (uint64_t)frames[i].at };
        l->stack = l->stack * 31 + tfp_hash(word, sizeof word);
        *what |= c->what;
        if (!i) *inner = c->what | (c->library ? 0 : 1u << 31);
        if (c->what & WATCH_CODE_COLLECTIVE) l->inside = c->name;
        if (!i) ok = line_of(p, codes[i], &frames[i], &l->frame);
        if (!own && !c->library && ok) {
            own = true;
            ok = line_of(p, codes[i], &frames[i], &l->line);
        }
    }
    return ok;
}

/* Finds the main thread's state: the thread with the number of the process. */
static void find_main(watch_process *p)
{
    tfp_python_thread threads[256];
    long n = tfp_python_threads(&p->py.python, threads, sizeof threads / sizeof *threads);
    p->py.main = 0;
    for (long i = 0; i < n; i++)
        if (threads[i].tid == p->rank.pid) p->py.main = threads[i].state;
}

static bool read_stack(watch_process *p, watch_look *l, unsigned *what, unsigned *inner)
{
    enum { TRIES = 3 };
    tfp_live_frame frames[WATCH_DEPTH];
    long depth = -1;
    if (!p->py.main || p->counts.samples % 64 == 0) find_main(p);
    for (int i = 0; i < TRIES && depth < 0 && p->py.main; i++)
        depth = tfp_python_stack(&p->py.python, p->py.main, frames, WATCH_DEPTH);
    if (depth < 0) p->counts.torn++;
    return depth <= 0 || take_frames(p, l, frames, (size_t)depth, what, inner);
}

/* CPython's own flag that it collects garbage: gc.collect() and collections that start by themselves have no frame of
 * their own. Its place in an interpreter is the offset of `gc` in PyInterpreterState and of `collecting` in it, by the
 * headers of 3.9.18, 3.10.13, 3.11.7, 3.12.1 and 3.13.0; of other versions it is not known. */
static bool collects(const tfp_python *p)
{
    static const uint16_t places[] = { [9] = 816, [10] = 816, [11] = 848, [12] = 312, [13] = 7600 };
    const tfp_python_layout *v = p->layout;
    int32_t flag = 0;
    if ((size_t)v->minor >= sizeof places / sizeof *places || !places[v->minor]) return false;
    uint64_t interp = tfp_python_word(p, p->runtime + (uint64_t)v->runtime_head);
    return interp && tfp_python_read(p, interp + places[v->minor], &flag, sizeof flag) && flag == 1;
}

/* Whether the main thread collects garbage, or waits for the lock of the interpreter meanwhile. */
static bool is_in_gc(const watch_process *p, const watch_look *l)
{
    return (l->call < 0 || l->call == SYS_futex) && p->py.open && collects(&p->py.python);
}

static tfp_watch_class class_of(const watch_process *p, const watch_look *l, unsigned what, unsigned inner)
{
    bool own = inner >> 31;
    if (l->state == 'D') return TFP_WATCH_STORAGE;
    if (what & WATCH_CODE_COLLECTIVE || p->marks.waiting_ns) return TFP_WATCH_WAIT;
    if (what & WATCH_CODE_GC || is_in_gc(p, l)) return TFP_WATCH_GC;
    if (inner & WATCH_CODE_LOCK || (own && l->call == SYS_futex)) return TFP_WATCH_LOCK;
    if (what & WATCH_CODE_LOADER || is_input(l->call)) return TFP_WATCH_INPUT;
    return TFP_WATCH_COMPUTE;
}

bool watch_look_take(watch_process *p)
{
    watch_look l = { .at_ns = tfp_now_ns() };
    unsigned what = 0, inner = 0;
    p->last.at_ns = l.at_ns;
    read_schedstat(p, &l);
    read_state(p, &l);
    p->counts.samples++;
    if (p->py.open && !read_stack(p, &l, &what, &inner)) return false;
    l.doing = class_of(p, &l, what, inner);
    p->last = l;
    if (p->looks.size >= WATCH_LOOKS) {
        p->counts.dropped++;
        return true;
    }
    return tfp_push(&p->looks, l);
}
