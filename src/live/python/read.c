// SPDX-License-Identifier: Apache-2.0
/* live/python/read.c: threads and frames of a running CPython. Pointers are followed only after each struct was read whole, and the type of
 * an object decides how it is read. */
#include "live/python/python.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/uio.h>

/* this value and above: FRAME_OWNED_BY_CSTACK, from 3.14 on also _INTERPRETER: no Python function */
#define OWNED_BY_C 3
/* offsets in struct _gil_runtime_state of every version: its last holder, and whether it is held */
#define GIL_HOLDER 8
#define GIL_LOCKED 16
#define TAG ((uint64_t)1) /* 3.14: marks a reference that is not counted; real addresses are even */

/* ---- threads ---- */

/* glibc keeps the kernel's number of a thread in the struct to which pthread_t points. */
static int64_t tid_of_pthread(const tfp_python *p, uint64_t pthread)
{
    enum { GLIBC_TID = 720 };
    int32_t tid = 0;
    return pthread && tfp_python_read(p, pthread + GLIBC_TID, &tid, sizeof tid) && tid > 0 ? tid : 0;
}

static bool is_thread(int64_t pid, int64_t tid)
{
    char path[64], name[20];
    snprintf(path, sizeof path, "task/%lld/comm", (long long)tid);
    return tfp_proc_read(pid, path, name, sizeof name) > 0;
}

/* Reads the numbers of all threads: those that the process uses, and those in our /proc. */
static void read_numbers(tfp_python *p)
{
    enum { ROOM = sizeof p->numbers / sizeof *p->numbers };
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%lld/task", (long long)p->pid);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        tfp_proc_status status;
        int64_t ours;
        if (!tfp_parse_int64(tfp_str_of(e->d_name), &ours)) continue;
        snprintf(path, sizeof path, "task/%lld/status", (long long)ours);
        long n = tfp_proc_read(p->pid, path, text, sizeof text);
        if (n <= 0) continue;
        tfp_proc_status_parse((tfp_str){ text, (size_t)n }, &status);
        if (status.inner_pid <= 0) continue;
        p->numbers[status.inner_pid % ROOM].theirs = (int32_t)status.inner_pid;
        p->numbers[status.inner_pid % ROOM].ours = (int32_t)ours;
    }
    if (d) closedir(d);
}

/* *looked: all numbers were read already in this look. */
static int64_t number_of(tfp_python *p, int64_t theirs, bool *looked)
{
    enum { ROOM = sizeof p->numbers / sizeof *p->numbers };
    if (!p->inside || theirs <= 0) return theirs;
    if (p->numbers[theirs % ROOM].theirs != theirs && !*looked) {
        read_numbers(p);
        *looked = true;
    }
    return p->numbers[theirs % ROOM].theirs == theirs ? p->numbers[theirs % ROOM].ours : 0;
}

/* The PyThreadState that holds the lock of this interpreter; 0: none. */
static uint64_t lock_holder(const tfp_python *p, uint64_t interp)
{
    const tfp_python_layout *v = p->layout;
    unsigned char gil[GIL_LOCKED + sizeof(int32_t)];
    int32_t locked;
    uint64_t at = v->interp_gil < 0 ? p->runtime + (uint64_t)v->runtime_gil
                                    : tfp_python_word(p, interp + (uint64_t)v->interp_gil);
    if (!at || !tfp_python_read(p, at, gil, sizeof gil)) return 0;
    memcpy(&locked, gil + GIL_LOCKED, sizeof locked);
    return locked == 1 ? tfp_word_at(gil, GIL_HOLDER) : 0;
}

/* Reads a thread's struct; returns the address of the next thread's. */
static uint64_t read_thread(tfp_python *p, uint64_t state, tfp_python_thread *out, bool *looked)
{
    enum { SIZE = 184 }; /* enough for the fields of every version */
    const tfp_python_layout *v = p->layout;
    unsigned char b[SIZE];
    if (!tfp_python_read(p, state, b, sizeof b)) memset(b, 0, sizeof b);
    int64_t told = v->thread_native >= 0 ? (int64_t)tfp_word_at(b, v->thread_native)
                                         : tid_of_pthread(p, tfp_word_at(b, v->thread_id));
    out->state = state;
    out->tid = number_of(p, told, looked);
    if (v->thread_native < 0 && out->tid && !is_thread(p->pid, out->tid)) out->tid = 0;
    return tfp_word_at(b, v->thread_next);
}

long tfp_python_threads(tfp_python *p, tfp_python_thread *out, size_t room)
{
    const tfp_python_layout *v = p->layout;
    uint64_t interp;
    size_t count = 0, next_mark = 1;
    uint64_t mark = 0; /* a thread that is seen again: the list was torn, or is a circle */
    bool looked = false;
    if (!tfp_python_read(p, p->runtime + (uint64_t)v->runtime_head, &interp, sizeof interp)) return -1;
    for (size_t i = 0; interp && i < 256; i++) {
        uint64_t state = tfp_python_word(p, interp + (uint64_t)v->interp_threads), holder = lock_holder(p, interp);
        while (state && state != mark && count < room) {
            if (count == next_mark) next_mark *= 2, mark = state;
            tfp_python_thread *t = &out[count++];
            t->locks = state == holder;
            state = read_thread(p, state, t, &looked);
        }
        interp = tfp_python_word(p, interp + (uint64_t)v->interp_next);
    }
    return (long)count;
}

/* ---- frames ---- */

typedef struct raw_frame {
    uint64_t address, back, code;
    bool python;
} raw_frame;

/* Memory that was read ahead: from 3.11 on the frames of a thread are contiguous, a caller's before those of its callees. */
typedef struct ahead {
    uint64_t low;
    size_t size;
    unsigned char bytes[4096];
} ahead;

static const unsigned char *frame_bytes(const tfp_python *p, uint64_t address, ahead *a)
{
    size_t size = (size_t)p->layout->frame.size;
    if (a->size && address >= a->low && address - a->low <= a->size - size) return a->bytes + (address - a->low);
    a->size = p->layout->minor >= 11 ? sizeof a->bytes : size;
    a->low = address + size - a->size;
    if (address + size > a->size && tfp_python_read(p, a->low, a->bytes, a->size)) return a->bytes + a->size - size;
    a->low = address;
    a->size = size;
    if (tfp_python_read(p, address, a->bytes, size)) return a->bytes;
    a->size = 0;
    return NULL;
}

static bool read_frame(const tfp_python *p, uint64_t address, ahead *a, raw_frame *raw, tfp_live_frame *out)
{
    const tfp_python_layout *v = p->layout;
    const unsigned char *b = frame_bytes(p, address, a);
    if (!b) return false;
    *raw = (raw_frame){ address, tfp_word_at(b, v->frame.back), tfp_word_at(b, v->frame.code) & ~TAG, true };
    raw->python = v->frame.owner < 0 || b[v->frame.owner] < OWNED_BY_C;
    if (!raw->python) return true;
    out->address = address;
    out->code = raw->code;
    out->entry = v->frame.entry > 0 ? b[v->frame.entry] != 0 : v->frame.owner < 0;
    if (v->code.bytes >= 0) {
        out->at = (int64_t)(tfp_word_at(b, v->frame.at) - (raw->code + (uint64_t)v->code.bytes));
    } else {
        int32_t at;
        memcpy(&at, b + v->frame.at, sizeof at);
        out->at = at < 0 ? -1 : v->minor == 10 ? 2 * (int64_t)at : at;
    }
    return true;
}

static void add_piece(struct iovec *to, struct iovec *from, size_t *count, void *out, uint64_t address)
{
    to[*count] = (struct iovec){ out, 8 };
    from[(*count)++] = (struct iovec){ (void *)(uintptr_t)address, 8 }; /* NOLINT: an address of another process */
}

/* Whether the frames are unchanged since they were read, and have code objects. One system call checks a hundred. */
static bool unchanged(const tfp_python *p, const raw_frame *raw, size_t count)
{
    enum { MANY = 100 };
    const tfp_python_layout *v = p->layout;
    uint64_t again[MANY][3];
    struct iovec to[3 * MANY], from[3 * MANY];
    for (size_t at = 0; at < count; at += MANY) {
        size_t n = count - at < MANY ? count - at : MANY, pieces = 0;
        for (size_t i = 0; i < n; i++) {
            const raw_frame *f = &raw[at + i];
            add_piece(to, from, &pieces, &again[i][0], f->address + (uint64_t)v->frame.back);
            add_piece(to, from, &pieces, &again[i][1], f->address + (uint64_t)v->frame.code);
            again[i][2] = p->code_type;
            if (f->python) add_piece(to, from, &pieces, &again[i][2], f->code + 8);
        }
        if (process_vm_readv((pid_t)p->pid, to, pieces, from, pieces, 0) != (ssize_t)(8 * pieces)) return false;
        for (size_t i = 0; i < n; i++)
            if (again[i][0] != raw[at + i].back || (again[i][1] & ~TAG) != raw[at + i].code ||
                again[i][2] != p->code_type)
                return false;
    }
    return true;
}

/* Reads the address of the innermost frame; 0: none. False: it cannot be read. */
static bool first_frame(const tfp_python *p, uint64_t state, uint64_t *frame)
{
    const tfp_python_layout *v = p->layout;
    if (v->thread_cframe < 0) return tfp_python_read(p, state + (uint64_t)v->thread_frame, frame, sizeof *frame);
    uint64_t cframe = tfp_python_word(p, state + (uint64_t)v->thread_cframe);
    return cframe && tfp_python_read(p, cframe + (uint64_t)v->cframe_frame, frame, sizeof *frame);
}

long tfp_python_stack(const tfp_python *p, uint64_t state, tfp_live_frame *out, size_t room)
{
    uint64_t frame, mark = 0;
    size_t count = 0, seen = 0, next_mark = 1;
    ahead window = { .size = 0 };
    if (!first_frame(p, state, &frame)) return -1;
    raw_frame *raw = frame ? malloc((2 * room + 1) * sizeof *raw) : NULL;
    bool whole = raw != NULL;
    for (; whole && frame && count < room && seen < 2 * room; seen++) {
        if (seen == next_mark) next_mark *= 2, mark = frame;
        whole = read_frame(p, frame, &window, &raw[seen], &out[count]);
        if (!whole) break;
        if (!raw[seen].python && count) out[count - 1].entry = true; /* a frame of C called the previous one */
        count += raw[seen].python;
        frame = raw[seen].back;
        whole = !frame || frame != mark; /* the frames form a circle */
    }
    if (count) out[count - 1].entry = true;
    whole = whole && unchanged(p, raw, seen);
    free(raw);
    return whole ? (long)count : frame || seen ? -1 : 0;
}
