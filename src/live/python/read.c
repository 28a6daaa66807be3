// SPDX-License-Identifier: Apache-2.0
/* live/python/read.c: threads, frames, names and lines of a running CPython. Pointers are followed only after each struct was read whole,
 * and objects are taken for what they are by their types. */
#include "live/python/python.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/uio.h>

#define NAME_MOST 1024 /* characters of a file's or function's name; longer ones are cut, and end in "…" */
#define CODE_MOST 208  /* bytes of a code object before its code, in any version */
#define LINES_MOST ((int64_t)1 << 20) /* bytes of a line table */
#define OWNED_BY_C 3      /* and above: FRAME_OWNED_BY_CSTACK, from 3.14 on also _INTERPRETER: no Python function */
#define TAG ((uint64_t)1) /* 3.14: a reference that is not counted; addresses are even */

static uint64_t word(const unsigned char *at, int offset)
{
    uint64_t v;
    memcpy(&v, at + offset, sizeof v);
    return v;
}

static uint64_t read_word(const tfp_python *p, uint64_t address)
{
    uint64_t v = 0;
    return address && tfp_python_read(p, address, &v, sizeof v) ? v : 0;
}

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

/* The numbers of all threads, as the process has them and as we have. */
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

/* *looked: all numbers were read in this look. */
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

long tfp_python_threads(tfp_python *p, tfp_python_thread *out, size_t room)
{
    const tfp_python_layout *v = p->layout;
    uint64_t interp;
    size_t count = 0, next_mark = 1;
    uint64_t mark = 0; /* a thread that comes again: the list was torn, or leads in a circle */
    bool looked = false;
    if (!tfp_python_read(p, p->runtime + (uint64_t)v->runtime_head, &interp, sizeof interp)) return -1;
    for (size_t i = 0; interp && i < 256; i++) {
        uint64_t state = read_word(p, interp + (uint64_t)v->interp_threads);
        while (state && state != mark && count < room) {
            if (count == next_mark) next_mark *= 2, mark = state;
            tfp_python_thread t = { state, 0 };
            int64_t told = v->thread_native >= 0 ? (int64_t)read_word(p, state + (uint64_t)v->thread_native)
                                                 : tid_of_pthread(p, read_word(p, state + (uint64_t)v->thread_id));
            t.tid = number_of(p, told, &looked);
            if (v->thread_native < 0 && t.tid && !is_thread(p->pid, t.tid)) t.tid = 0;
            out[count++] = t;
            state = read_word(p, state + (uint64_t)v->thread_next);
        }
        interp = read_word(p, interp + (uint64_t)v->interp_next);
    }
    return (long)count;
}

/* ---- frames ---- */

typedef struct raw_frame {
    uint64_t address, back, code;
} raw_frame;

static bool read_frame(const tfp_python *p, uint64_t address, raw_frame *raw, tfp_live_frame *out, bool *python)
{
    const tfp_python_layout *v = p->layout;
    unsigned char b[128];
    if (!tfp_python_read(p, address, b, (size_t)v->frame_size)) return false;
    *raw = (raw_frame){ address, word(b, v->frame_back), word(b, v->frame_code) & ~TAG };
    *python = v->frame_owner < 0 || b[v->frame_owner] < OWNED_BY_C;
    if (!*python) return true;
    out->code = raw->code;
    out->entry = v->frame_entry > 0 ? b[v->frame_entry] != 0 : v->frame_owner < 0;
    if (v->code_bytes >= 0) {
        out->at = (int64_t)(word(b, v->frame_at) - (raw->code + (uint64_t)v->code_bytes));
    } else {
        int32_t at;
        memcpy(&at, b + v->frame_at, sizeof at);
        out->at = at < 0 ? -1 : v->minor == 10 ? 2 * (int64_t)at : at;
    }
    return read_word(p, raw->code + 8) == p->code_type;
}

/* Whether the frames are unchanged since they were read: one system call for each hundred. */
static bool unchanged(const tfp_python *p, const raw_frame *raw, size_t count)
{
    enum { MANY = 100 };
    const tfp_python_layout *v = p->layout;
    uint64_t again[MANY][2];
    struct iovec to[2 * MANY], from[2 * MANY];
    for (size_t at = 0; at < count; at += MANY) {
        size_t n = count - at < MANY ? count - at : MANY;
        for (size_t i = 0; i < n; i++) {
            uint64_t frame = raw[at + i].address;
            to[2 * i] = (struct iovec){ &again[i][0], 8 };
            to[2 * i + 1] = (struct iovec){ &again[i][1], 8 };
            from[2 * i] = (struct iovec){ (void *)(uintptr_t)(frame + (uint64_t)v->frame_back), 8 };
            from[2 * i + 1] = (struct iovec){ (void *)(uintptr_t)(frame + (uint64_t)v->frame_code), 8 };
        }
        if (process_vm_readv((pid_t)p->pid, to, 2 * n, from, 2 * n, 0) != (ssize_t)(16 * n)) return false;
        for (size_t i = 0; i < n; i++)
            if (again[i][0] != raw[at + i].back || (again[i][1] & ~TAG) != raw[at + i].code) return false;
    }
    return true;
}

long tfp_python_stack(const tfp_python *p, uint64_t state, tfp_live_frame *out, size_t room)
{
    const tfp_python_layout *v = p->layout;
    uint64_t frame, mark = 0;
    size_t count = 0, seen = 0, next_mark = 1;
    if (v->thread_cframe >= 0) {
        uint64_t cframe = read_word(p, state + (uint64_t)v->thread_cframe);
        if (!cframe || !tfp_python_read(p, cframe + (uint64_t)v->cframe_frame, &frame, sizeof frame)) return -1;
    } else if (!tfp_python_read(p, state + (uint64_t)v->thread_frame, &frame, sizeof frame)) {
        return -1;
    }
    raw_frame *raw = frame ? malloc((2 * room + 1) * sizeof *raw) : NULL;
    bool whole = raw != NULL;
    for (; whole && frame && count < room && seen < 2 * room; seen++) {
        bool python = false;
        if (seen == next_mark) next_mark *= 2, mark = frame;
        whole = read_frame(p, frame, &raw[seen], &out[count], &python);
        if (!python && count) out[count - 1].entry = true; /* the frame of C that called it */
        count += python;
        frame = whole ? raw[seen].back : 0;
        whole = whole && (!frame || frame != mark); /* a circle */
    }
    if (count) out[count - 1].entry = true;
    whole = whole && unchanged(p, raw, seen);
    free(raw);
    return whole ? (long)count : frame || seen ? -1 : 0;
}

/* ---- names ---- */

static void put_character(tfp_buf *b, uint32_t c)
{
    if (c < 0x80) {
        tfp_buf_char(b, (char)c);
    } else if (c < 0x800) {
        tfp_buf_char(b, (char)(0xc0 | c >> 6));
        tfp_buf_char(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        tfp_buf_char(b, (char)(0xe0 | c >> 12));
        tfp_buf_char(b, (char)(0x80 | (c >> 6 & 63)));
        tfp_buf_char(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x110000) {
        tfp_buf_char(b, (char)(0xf0 | c >> 18));
        tfp_buf_char(b, (char)(0x80 | (c >> 12 & 63)));
        tfp_buf_char(b, (char)(0x80 | (c >> 6 & 63)));
        tfp_buf_char(b, (char)(0x80 | (c & 63)));
    }
}

/* A str as UTF-8; lone surrogates stay as they are and are escaped where they are shown. */
static bool read_text(const tfp_python *p, uint64_t address, tfp_buf *out)
{
    unsigned char head[40], data[4 * NAME_MOST];
    uint32_t state;
    out->size = 0;
    if (!address || !tfp_python_read(p, address, head, sizeof head) || word(head, 8) != p->text_type) return false;
    uint64_t length = word(head, 16);
    memcpy(&state, head + 32, sizeof state);
    unsigned kind = state >> 2 & 7;
    if ((kind != 1 && kind != 2 && kind != 4) || !(state & 0x20))
        return false; /* not compact: no str of a code object */
    bool cut = length > NAME_MOST;
    if (cut) length = NAME_MOST;
    uint64_t from = address + (uint64_t)(state & 0x40 ? p->layout->text_ascii : p->layout->text_data);
    if (!tfp_python_read(p, from, data, (size_t)length * kind)) return false;
    for (size_t i = 0; i < length; i++) {
        uint32_t c = data[i * kind];
        for (unsigned k = 1; k < kind; k++) c |= (uint32_t)data[i * kind + k] << (8 * k);
        put_character(out, c);
    }
    if (cut) tfp_buf_text(out, "…");
    return !out->failed;
}

bool tfp_python_code(const tfp_python *p, uint64_t code, tfp_buf *file, tfp_buf *function, int64_t *first_line)
{
    const tfp_python_layout *v = p->layout;
    unsigned char b[CODE_MOST];
    int32_t first;
    if (!tfp_python_read(p, code, b, (size_t)v->code_size) || word(b, 8) != p->code_type) return false;
    memcpy(&first, b + v->code_first, sizeof first);
    *first_line = first;
    return read_text(p, word(b, v->code_file), file) && read_text(p, word(b, v->code_name), function);
}

/* ---- lines ---- */

/* 3.8 and 3.9: pairs of byte and signed line steps. */
static int64_t line_of_lnotab(tfp_str t, int64_t line, int64_t at)
{
    int64_t place = 0;
    for (size_t i = 0; i + 1 < t.size; i += 2) {
        place += (unsigned char)t.data[i];
        if (place > at) break;
        line += (signed char)t.data[i + 1];
    }
    return line;
}

/* 3.10: pairs of length and signed line step, which holds from here on; -128: no line. */
static int64_t line_of_pairs(tfp_str t, int64_t line, int64_t at)
{
    int64_t place = 0;
    for (size_t i = 0; i + 1 < t.size; i += 2) {
        int step = (signed char)t.data[i + 1];
        place += (unsigned char)t.data[i];
        if (step != -128) line += step;
        if (at < place) return step == -128 ? -1 : line;
    }
    return -1;
}

/* 3.11 and later: entries that begin with a byte whose first bit is set: kind, and how many code units less one. */
static int64_t line_of_locations(tfp_str t, int64_t line, int64_t at)
{
    const unsigned char *b = (const unsigned char *)t.data;
    int64_t place = 0;
    for (size_t i = 0; i < t.size;) {
        int kind = b[i] >> 3 & 15;
        size_t j = i + 1;
        if (kind >= 10 && kind <= 12) line += kind - 10;
        if ((kind == 13 || kind == 14) && j < t.size) { /* a signed number of six bits a byte */
            uint32_t v = b[j] & 63;
            for (unsigned shift = 6; j + 1 < t.size && (b[j] & 64) && shift < 32; shift += 6)
                v |= (uint32_t)(b[++j] & 63) << shift;
            line += v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
        }
        place += 2 * ((b[i] & 7) + 1);
        if (at < place) return kind == 15 ? -1 : line;
        for (i++; i < t.size && !(b[i] & 128); i++) {}
    }
    return -1;
}

int64_t tfp_python_table_line(int minor, tfp_str table, int64_t first_line, int64_t at)
{
    if (at < 0) return first_line;
    if (minor <= 9) return line_of_lnotab(table, first_line, at);
    return minor == 10 ? line_of_pairs(table, first_line, at) : line_of_locations(table, first_line, at);
}

int64_t tfp_python_line(const tfp_python *p, uint64_t code, int64_t at)
{
    const tfp_python_layout *v = p->layout;
    unsigned char b[CODE_MOST];
    int32_t first;
    if (!tfp_python_read(p, code, b, (size_t)v->code_size)) return 0;
    memcpy(&first, b + v->code_first, sizeof first);
    uint64_t table = word(b, v->code_lines);
    int64_t size = (int64_t)read_word(p, table + 16), line = -1;
    char *bytes = size > 0 && size <= LINES_MOST ? malloc((size_t)size) : NULL;
    if (bytes && tfp_python_read(p, table + 32, bytes, (size_t)size))
        line = tfp_python_table_line(v->minor, (tfp_str){ bytes, (size_t)size }, first, at);
    free(bytes);
    return line < 0 ? first : line;
}
