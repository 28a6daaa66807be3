// SPDX-License-Identifier: Apache-2.0
/* base/input.c: bytes in, from files, pipes, memory and gzip. A regular file is read through a window that grows to
 * what a reader asks to see at once; pipes and gzip are unpacked into memory, up to a limit. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define WINDOW ((size_t)256 << 10)
#define BIG_PAGE ((uintptr_t)2 << 20)
#define WAIT_MS 3000   /* for the first byte of a pipe */
#define PAUSE_MS 20000 /* between later ones: a writer that computes is no dead one */

static tfp_status fail_errno(tfp_error *err, const char *what)
{
    int number = errno;
    tfp_status s = number == ENOMEM ? TFP_NOMEM : TFP_BADFILE;
    return tfp_with_errno(err, tfp_fail(err, s, "%s: %s", what, strerror(number)), number);
}

static tfp_status over_limit(tfp_error *err)
{
    return tfp_fail(err, TFP_LIMIT, "more than %d MB from a pipe or a gzip file", (int)(TFP_STREAM_LIMIT >> 20));
}

/* What a gzip file may unpack to. Of honest files no more than a small part is repetition: those that are nearly nothing
 * else are stopped early. */
#define BOMB_FREE ((uint64_t)64 << 20)
#define BOMB_RATIO 128
static uint64_t unpacked_limit(size_t packed)
{
    uint64_t limit = (uint64_t)packed * BOMB_RATIO;
    if (limit < BOMB_FREE) limit = BOMB_FREE;
    return limit < TFP_STREAM_LIMIT ? limit : TFP_STREAM_LIMIT;
}

static tfp_status over_ratio(size_t packed, tfp_error *err)
{
    uint64_t limit = unpacked_limit(packed);
    if (limit == TFP_STREAM_LIMIT) return over_limit(err);
    return tfp_fail(err, TFP_LIMIT, "%zu bytes of gzip that unpack to more than %d MB", packed, (int)(limit >> 20));
}

/* One read(2) that goes on after signals. */
static ssize_t read_some(int fd, void *to, size_t size)
{
    ssize_t n;
    do n = read(fd, to, size);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Waits for a pipe to have data or an end; a writer that never comes is an error. */
static tfp_status wait_readable(int fd, int wait_ms, tfp_error *err)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int n = poll(&p, 1, wait_ms);
    if (n < 0 && errno == EINTR) return TFP_OK;
    if (n < 0) return fail_errno(err, "cannot wait for data");
    return n == 0 ? tfp_fail(err, TFP_BADFILE, "no data within %d seconds", wait_ms / 1000) : TFP_OK;
}

static tfp_status read_stream(int fd, bool wait, uint64_t limit, tfp_buf *out, tfp_error *err)
{
    for (;;) {
        if (out->size > limit) return over_limit(err);
        if (out->capacity - out->size < WINDOW && !tfp_grow((void **)&out->data, &out->capacity, out->size + WINDOW, 1))
            return tfp_nomem(err);
        tfp_status s = wait ? wait_readable(fd, out->size ? PAUSE_MS : WAIT_MS, err) : TFP_OK;
        if (s) return s;
        ssize_t n = read_some(fd, out->data + out->size, WINDOW);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) continue;
        if (n < 0) return fail_errno(err, "cannot read");
        if (n == 0) return TFP_OK;
        out->size += (size_t)n;
    }
}

static bool is_gzip(tfp_str s)
{
    return s.size >= 2 && (unsigned char)s.data[0] == 0x1f && (unsigned char)s.data[1] == 0x8b;
}

/* Members one after another, as gzip(1) takes them; what follows the last member must be nothing or zeros. The streaming
 * inflater is used because a file does not tell its unpacked size in a way that could be trusted. *cut: the data end in a
 * member, and `out` has what came before. */
static tfp_status gunzip(tfp_str packed, tfp_buf *out, bool *cut, tfp_error *err)
{
    z_stream z = { 0 };
    int rc = inflateInit2(&z, 15 + 16);
    if (rc != Z_OK) return tfp_nomem(err);
    size_t at = 0;
    tfp_status s = TFP_OK;
    while (!s && !*cut) {
        if (out->size > unpacked_limit(packed.size))
            s = over_ratio(packed.size, err);
        else if (out->capacity - out->size < WINDOW &&
                 !tfp_grow((void **)&out->data, &out->capacity, out->size + WINDOW, 1))
            s = tfp_nomem(err);
        if (s) break;
        size_t in = packed.size - at < WINDOW ? packed.size - at : WINDOW;
        z.next_in = (Bytef *)(uintptr_t)(packed.data + at);
        z.avail_in = (uInt)in;
        z.next_out = (Bytef *)out->data + out->size;
        z.avail_out = (uInt)WINDOW;
        rc = inflate(&z, Z_NO_FLUSH);
        at += in - z.avail_in;
        out->size += WINDOW - z.avail_out;
        if (rc == Z_STREAM_END) {
            while (at < packed.size && packed.data[at] == 0) at++;
            if (at == packed.size) break;
            if (packed.size - at < 2 || !is_gzip((tfp_str){ packed.data + at, packed.size - at }))
                s = tfp_fail(err, TFP_BADFILE, "damaged gzip data near byte %zu: no next member", at);
            else if (inflateReset(&z) != Z_OK)
                s = tfp_nomem(err);
        } else if (rc == Z_MEM_ERROR) {
            s = tfp_nomem(err);
        } else if (rc != Z_OK && rc != Z_BUF_ERROR) {
            s = tfp_fail(err, TFP_BADFILE, "damaged gzip data near byte %zu", at);
        } else {
            *cut = at == packed.size && z.avail_out != 0;
        }
    }
    inflateEnd(&z);
    return s;
}

/* Big pages, where the system gives them when asked: what is unpacked is written once, and a fault for each page of 4 KB
 * would cost as much as the unpacking. The size is what a file claims, so pages that are not written must cost nothing. */
static void ask_for_big_pages(const tfp_buf *b)
{
    uintptr_t first = ((uintptr_t)b->data + BIG_PAGE - 1) / BIG_PAGE * BIG_PAGE;
    uintptr_t end = ((uintptr_t)b->data + b->capacity) / BIG_PAGE * BIG_PAGE;
    if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
}

/* Small and honest gzip files go through the faster library: the size in the trailer is tried, not believed. */
static bool gunzip_fast(tfp_str packed, tfp_buf *out)
{
    if (packed.size < 18) return false;
    const unsigned char *t = (const unsigned char *)packed.data + packed.size - 4;
    size_t size = (size_t)t[0] | (size_t)t[1] << 8 | (size_t)t[2] << 16 | (size_t)t[3] << 24;
    if (size == 0 || size > unpacked_limit(packed.size) || size / 1032 > packed.size) return false;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    bool ok = false;
    if (d && tfp_grow((void **)&out->data, &out->capacity, size + 1, 1)) {
        size_t used = 0, got = 0;
        ask_for_big_pages(out);
        ok = libdeflate_gzip_decompress_ex(d, packed.data, packed.size, out->data, size, &used, &got) ==
                 LIBDEFLATE_SUCCESS &&
             used == packed.size;
        out->size = ok ? got : 0;
    }
    libdeflate_free_decompressor(d);
    return ok;
}

/* Takes over bytes that are now all in memory, unpacked when they are gzip. */
static tfp_status take_memory(tfp_input *in, tfp_str bytes, tfp_buf *owned, tfp_error *err)
{
    tfp_buf plain = { 0 };
    tfp_status s = TFP_OK;
    bool cut = false;
    in->stored = bytes.size;
    if (is_gzip(bytes)) {
        if (!gunzip_fast(bytes, &plain)) {
            plain.size = 0;
            s = gunzip(bytes, &plain, &cut, err);
        }
        if (cut) in->cut_at = bytes.size;
        if (owned) tfp_buf_free(owned);
        if (s) {
            tfp_buf_free(&plain);
            return s;
        }
        bytes = (tfp_str){ plain.data, plain.size };
        in->owned = true;
        in->capacity = plain.capacity;
    } else if (owned) {
        in->owned = true;
        in->capacity = owned->capacity;
    }
    in->buffer = (char *)(uintptr_t)bytes.data;
    in->filled = bytes.size;
    in->total = bytes.size;
    return TFP_OK;
}

tfp_status tfp_input_memory(tfp_input *in, const char *name, const void *data, size_t size, tfp_error *err)
{
    *in = (tfp_input){ .name = name, .fd = -1 };
    return take_memory(in, (tfp_str){ data ? data : "", size }, NULL, err);
}

/* What the beginning of a gzip file unpacks to. */
static tfp_status gunzip_start(tfp_input *in, tfp_str packed, size_t most, uint64_t total, tfp_error *err)
{
    z_stream z = { .next_in = (Bytef *)(uintptr_t)packed.data, .avail_in = (uInt)packed.size };
    if (!tfp_grow((void **)&in->buffer, &in->capacity, most, 1)) return tfp_nomem(err);
    in->owned = true;
    if (inflateInit2(&z, 15 + 16) != Z_OK) return tfp_nomem(err);
    z.next_out = (Bytef *)in->buffer;
    z.avail_out = (uInt)most;
    int rc = inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    in->filled = most - z.avail_out;
    in->total = rc == Z_STREAM_END ? in->filled : in->filled + total;
    return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? TFP_OK
                                                                 : tfp_fail(err, TFP_BADFILE, "damaged gzip data");
}

tfp_status tfp_input_start(tfp_input *in, const char *name, tfp_str start, size_t most, uint64_t total, tfp_error *err)
{
    *in = (tfp_input){ .name = name, .fd = -1, .stored = total };
    if (start.size > UINT32_MAX / 2) start.size = UINT32_MAX / 2;
    if (is_gzip(start)) return gunzip_start(in, start, most, total, err);
    in->buffer = (char *)(uintptr_t)start.data;
    in->filled = start.size;
    in->total = total;
    return TFP_OK;
}

static tfp_status open_pipe(tfp_input *in, tfp_error *err)
{
    tfp_buf all = { 0 };
    tfp_status s = read_stream(in->fd, true, TFP_STREAM_LIMIT, &all, err);
    close(in->fd);
    in->fd = -1;
    if (!s) return take_memory(in, (tfp_str){ all.data, all.size }, &all, err);
    tfp_buf_free(&all);
    return s;
}

/* The first two bytes, whatever signals come between them. */
static bool begins_as_gzip(int fd)
{
    char head[2];
    for (size_t have = 0; have < 2;) {
        ssize_t n = pread(fd, head + have, 2 - have, (off_t)have);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        have += (size_t)n;
    }
    return is_gzip((tfp_str){ head, 2 });
}

static tfp_status open_regular(tfp_input *in, uint64_t size, tfp_error *err)
{
    if (size >= 2 && begins_as_gzip(in->fd)) {
        tfp_buf all = { 0 };
        tfp_status s = read_stream(in->fd, false, UINT64_MAX - 1, &all, err);
        close(in->fd);
        in->fd = -1;
        if (!s) return take_memory(in, (tfp_str){ all.data, all.size }, &all, err);
        tfp_buf_free(&all);
        return s;
    }
    in->stored = in->total = size;
    return TFP_OK;
}

static int64_t now_ms(void)
{
    struct timespec t = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A FIFO is opened without waiting for its writer; poll tells whether one comes. */
static tfp_status wait_for_writer(int fd, tfp_error *err)
{
    struct timespec nap = { 0, 20 * 1000 * 1000 };
    for (int64_t start = now_ms(); now_ms() - start < WAIT_MS;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int n = poll(&p, 1, 0);
        if (n > 0 && (p.revents & (POLLIN | POLLHUP))) return TFP_OK;
        nanosleep(&nap, NULL);
    }
    return tfp_fail(err, TFP_BADFILE, "no data within %d seconds", WAIT_MS / 1000);
}

tfp_status tfp_input_descriptor(tfp_input *in, const char *name, int fd, tfp_error *err)
{
    *in = (tfp_input){ .name = name, .fd = fd };
    struct stat st;
    tfp_status s = TFP_OK;
    if (fstat(in->fd, &st) != 0)
        s = fail_errno(err, "cannot read");
    else if (S_ISDIR(st.st_mode))
        s = tfp_fail(err, TFP_BADFILE, "is a folder");
    else if (S_ISREG(st.st_mode) && st.st_size > 0)
        s = open_regular(in, (uint64_t)st.st_size, err);
    else if (S_ISFIFO(st.st_mode) && (s = wait_for_writer(in->fd, err))) {
    } else
        s = open_pipe(in, err); /* pipes, character devices, and files of /proc, which have no size */
    if (s) tfp_input_close(in);
    return s;
}

tfp_status tfp_input_open(tfp_input *in, const char *path, tfp_error *err)
{
    *in = (tfp_input){ .name = path, .fd = -1 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd < 0 ? fail_errno(err, "cannot open") : tfp_input_descriptor(in, path, fd, err);
}

tfp_status tfp_input_check_whole(const tfp_input *in, tfp_error *err)
{
    return in->cut_at
               ? tfp_fail(err, TFP_BADFILE, "gzip data is cut short after byte %llu", (unsigned long long)in->cut_at)
               : TFP_OK;
}

tfp_status tfp_input_peek(tfp_input *in, size_t size, tfp_str *out, tfp_error *err)
{
    uint64_t left = tfp_input_left(in);
    if (size > left) size = (size_t)left;
    if (in->filled - in->at < size) { /* only a file in windows can get here */
        if (in->filled > in->at) memmove(in->buffer, in->buffer + in->at, in->filled - in->at);
        in->base += in->at;
        in->filled -= in->at;
        in->at = 0;
        size_t window = in->window ? in->window : WINDOW;
        size_t want = size >= window ? size : left > window ? window : (size_t)left;
        if (want > in->capacity && !tfp_grow((void **)&in->buffer, &in->capacity, want, 1)) return tfp_nomem(err);
        while (in->filled < size) {
            size_t room = (in->window ? want : in->capacity) - in->filled;
            if (room > left - in->filled) room = (size_t)(left - in->filled);
            ssize_t n = read_some(in->fd, in->buffer + in->filled, room);
            if (n < 0) return fail_errno(err, "cannot read");
            if (n == 0) return tfp_fail(err, TFP_BADFILE, "the file became shorter while it was read");
            in->filled += (size_t)n;
        }
    }
    *out = (tfp_str){ in->buffer ? in->buffer + in->at : "", in->filled - in->at };
    return TFP_OK;
}

tfp_status tfp_input_skip(tfp_input *in, size_t size, tfp_error *err)
{
    uint64_t before = tfp_input_at(in);
    in->at += size;
    uint64_t now = tfp_input_at(in);
    if (in->progress && (before >> 20 != now >> 20 || now == in->total) &&
        in->progress(in->progress_ctx, now, in->total))
        return tfp_fail(err, TFP_CANCELLED, "cancelled");
    return TFP_OK;
}

tfp_status tfp_input_seek(tfp_input *in, uint64_t at, tfp_error *err)
{
    if (at >= in->base && at - in->base <= in->filled) {
        in->at = (size_t)(at - in->base);
        return TFP_OK;
    }
    if (in->fd < 0 || at > INT64_MAX || lseek(in->fd, (off_t)at, SEEK_SET) < 0)
        return tfp_fail(err, TFP_BADFILE, "cannot go to byte %llu", (unsigned long long)at);
    in->base = at;
    in->at = in->filled = 0;
    return TFP_OK;
}

tfp_status tfp_input_give(tfp_input *in, size_t size, tfp_buf *own, tfp_str *out, tfp_error *err)
{
    size_t behind = in->filled - in->at - size;
    *out = (tfp_str){ in->buffer + in->at, size };
    if (in->fd < 0) {
        in->at += size;
        return TFP_OK;
    }
    if (own->capacity < in->capacity) { /* exactly as big: buffers that change hands must not outgrow each other */
        tfp_buf_free(own);
        if (!tfp_grow((void **)&own->data, &own->capacity, in->capacity, 1)) return tfp_nomem(err);
    }
    if (behind) memcpy(own->data, out->data + size, behind);
    tfp_buf given = { .data = in->buffer, .capacity = in->capacity };
    in->buffer = own->data;
    in->capacity = own->capacity;
    in->base += in->at + size;
    in->at = 0;
    in->filled = behind;
    *own = given;
    return TFP_OK;
}

tfp_status tfp_input_all(tfp_input *in, tfp_str *out, tfp_error *err)
{
    uint64_t left = tfp_input_left(in);
    if (left > SIZE_MAX / 4) return tfp_fail(err, TFP_LIMIT, "the file is too big");
    tfp_status s = tfp_input_peek(in, (size_t)left, out, err);
    return s ? s : tfp_input_skip(in, (size_t)left, err);
}

void tfp_input_close(tfp_input *in)
{
    if (in->fd >= 0) close(in->fd);
    if (in->fd >= 0 || in->owned || in->capacity) free(in->buffer);
    *in = (tfp_input){ .fd = -1 };
}

tfp_status tfp_read_file(const char *path, uint64_t limit, tfp_buf *out, tfp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return fail_errno(err, "cannot open");
    tfp_status s = read_stream(fd, false, limit, out, err);
    close(fd);
    return s;
}

bool tfp_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool tfp_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}
