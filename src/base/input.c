// SPDX-License-Identifier: Apache-2.0
/* base/input.c: bytes in, from files, pipes, memory and gzip. A regular file is read through a window that grows to the
 * size a reader asks for. Pipes and unpacked gzip are kept in memory up to a limit; larger gzip is unpacked through
 * such a window, too. */
#include "base/gunzip.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WINDOW ((size_t)256 << 10)
#define WAIT_MS 3000   /* for the first byte of a pipe */
#define PAUSE_MS 20000 /* for each later piece; longer, because a slow writer is still alive */

static tfp_status over_limit(tfp_error *err)
{
    return tfp_fail(err, TFP_LIMIT, "more than %d MB from a pipe or a gzip file", (int)(TFP_STREAM_LIMIT >> 20));
}

/* Waits until a pipe has data or ends; fails when neither happens in time. */
static tfp_status wait_readable(int fd, int wait_ms, tfp_error *err)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    int n = poll(&p, 1, wait_ms);
    if (n < 0 && errno == EINTR) return TFP_OK;
    if (n < 0) return tfp_fail_errno(err, "cannot wait for data");
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
        ssize_t n = tfp_read_some(fd, out->data + out->size, WINDOW);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) continue;
        if (n < 0) return tfp_fail_errno(err, "cannot read");
        if (n == 0) return TFP_OK;
        out->size += (size_t)n;
    }
}

/* Whether the bytes are read as needed and not all in memory. */
static bool in_windows(const tfp_input *in) { return in->fd >= 0 || in->packed; }

/* From now on unpacks gzip, in the input's file or in these bytes of it, in windows. */
static tfp_status unpack_in_windows(tfp_input *in, tfp_str packed, tfp_error *err)
{
    in->total = TFP_TOTAL_UNKNOWN;
    in->packed = tfp_gunzip_start(in->fd, packed);
    return in->packed ? TFP_OK : tfp_nomem(err);
}

static bool is_big_gzip(tfp_str s)
{
    return tfp_is_gzip(s) && s.size >= 4 && tfp_gzip_is_big(s.size, (const unsigned char *)s.data + s.size - 4);
}

/* Unpacks gzip that is all in memory. *big: it is too big to unpack as a whole. */
static tfp_status unpack_whole(tfp_input *in, tfp_str packed, bool *big, tfp_error *err)
{
    tfp_buf plain = { 0 };
    bool cut = false;
    tfp_status s = tfp_gunzip_whole(packed, &plain, &cut, big, err);
    if (s) {
        tfp_buf_free(&plain);
        return s;
    }
    if (cut) in->cut_at = packed.size;
    in->buffer = plain.data;
    in->owned = true;
    in->capacity = plain.capacity;
    in->filled = in->total = plain.size;
    return TFP_OK;
}

/* Takes over bytes that are all in memory; `owned` holds them, or is NULL when they are borrowed. */
static tfp_status take_memory(tfp_input *in, tfp_str bytes, tfp_buf *owned, tfp_error *err)
{
    in->stored = bytes.size;
    bool big = is_big_gzip(bytes);
    if (tfp_is_gzip(bytes) && !big) {
        tfp_status s = unpack_whole(in, bytes, &big, err);
        if (!big) {
            if (owned) tfp_buf_free(owned);
            return s;
        }
        tfp_error_clear(err);
    }
    if (big) {
        if (owned) in->packed_bytes = owned->data;
        return unpack_in_windows(in, bytes, err);
    }
    if (owned) {
        in->owned = true;
        in->capacity = owned->capacity;
    }
    in->buffer = (char *)(uintptr_t)bytes.data;
    in->filled = in->total = bytes.size;
    return TFP_OK;
}

tfp_status tfp_input_memory(tfp_input *in, const char *name, const void *data, size_t size, tfp_error *err)
{
    *in = (tfp_input){ .name = name, .fd = -1 };
    return take_memory(in, (tfp_str){ data ? data : "", size }, NULL, err);
}

tfp_status tfp_input_windows(tfp_input *in, const char *name, const void *data, size_t size, tfp_error *err)
{
    *in = (tfp_input){ .name = name, .fd = -1, .stored = size };
    return unpack_in_windows(in, (tfp_str){ data, size }, err);
}

static tfp_status start_of_gzip(tfp_input *in, tfp_str packed, size_t most, uint64_t total, tfp_error *err)
{
    tfp_buf head = { 0 };
    bool ended = false;
    if (!tfp_grow((void **)&head.data, &head.capacity, most, 1)) return tfp_nomem(err);
    in->buffer = head.data;
    in->capacity = head.capacity;
    in->owned = true;
    head.capacity = most;
    tfp_status s = tfp_gunzip_head(packed, &head, &ended, err);
    in->filled = head.size;
    in->total = ended ? in->filled : in->filled + total;
    return s;
}

tfp_status tfp_input_start(tfp_input *in, const char *name, tfp_str start, size_t most, uint64_t total, tfp_error *err)
{
    *in = (tfp_input){ .name = name, .fd = -1, .stored = total };
    if (tfp_is_gzip(start)) return start_of_gzip(in, start, most, total, err);
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

/* Reads exactly that many bytes at that offset, continuing after signals. */
static bool read_at(int fd, uint64_t at, void *to, size_t size)
{
    for (size_t have = 0; have < size;) {
        ssize_t n = pread(fd, (char *)to + have, size - have, (off_t)(at + have));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        have += (size_t)n;
    }
    return true;
}

static bool begins_as_gzip(int fd)
{
    char head[2];
    return read_at(fd, 0, head, sizeof head) && tfp_is_gzip((tfp_str){ head, sizeof head });
}

static tfp_status open_gzip(tfp_input *in, tfp_error *err)
{
    unsigned char trailer[4] = { 0 };
    bool big = in->stored >= sizeof trailer && read_at(in->fd, in->stored - sizeof trailer, trailer, sizeof trailer) &&
               tfp_gzip_is_big(in->stored, trailer);
    if (!big) {
        tfp_buf all = { 0 };
        tfp_status s = read_stream(in->fd, false, UINT64_MAX - 1, &all, err);
        if (!s) s = unpack_whole(in, (tfp_str){ all.data, all.size }, &big, err);
        tfp_buf_free(&all);
        if (!big) {
            close(in->fd);
            in->fd = -1;
            return s;
        }
        tfp_error_clear(err);
    }
    return unpack_in_windows(in, (tfp_str){ "", 0 }, err);
}

static tfp_status open_regular(tfp_input *in, uint64_t size, tfp_error *err)
{
    in->stored = in->total = size;
    return size >= 2 && begins_as_gzip(in->fd) ? open_gzip(in, err) : TFP_OK;
}

bool tfp_input_small(tfp_input *in, const char *name, int fd, size_t most, tfp_buf *own)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 || (uint64_t)st.st_size > most) return false;
    size_t size = (size_t)st.st_size;
    if (size > own->capacity && !tfp_grow((void **)&own->data, &own->capacity, size, 1)) return false;
    if (!read_at(fd, 0, own->data, size) || tfp_is_gzip((tfp_str){ own->data, size })) return false;
    *in = (tfp_input){ .name = name, .fd = -1, .buffer = own->data, .filled = size, .total = size, .stored = size };
    return true;
}

/* A FIFO is opened without waiting for its writer; poll shows whether one comes. */
static tfp_status wait_for_writer(int fd, tfp_error *err)
{
    struct timespec nap = { 0, 20 * 1000 * 1000 };
    for (int64_t start = tfp_now_ns() / 1000000; tfp_now_ns() / 1000000 - start < WAIT_MS;) {
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
        s = tfp_fail_errno(err, "cannot read");
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
    return fd < 0 ? tfp_fail_errno(err, "cannot open") : tfp_input_descriptor(in, path, fd, err);
}

tfp_status tfp_input_check_size(const tfp_input *in, tfp_error *err) { return in->packed ? over_limit(err) : TFP_OK; }

tfp_status tfp_input_check_whole(const tfp_input *in, tfp_error *err)
{
    return in->cut_at
               ? tfp_fail(err, TFP_BADFILE, "gzip data is cut short after byte %llu", (unsigned long long)in->cut_at)
               : TFP_OK;
}

static tfp_status read_window(tfp_input *in, size_t room, tfp_error *err)
{
    ssize_t n = tfp_read_some(in->fd, in->buffer + in->filled, room);
    if (n < 0) return tfp_fail_errno(err, "cannot read");
    if (n == 0) return tfp_fail(err, TFP_BADFILE, "the file became shorter while it was read");
    in->filled += (size_t)n;
    return TFP_OK;
}

/* The same for gzip; the size is known at its end. */
static tfp_status unpack_some(tfp_input *in, size_t room, tfp_error *err)
{
    size_t got = 0;
    tfp_status s = tfp_gunzip_read(in->packed, in->buffer + in->filled, room, &got, err);
    in->filled += got;
    if (s || got == room) return s;
    in->total = in->base + in->filled;
    in->cut_at = tfp_gunzip_was_cut(in->packed) ? in->stored : 0;
    return TFP_OK;
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
        tfp_status s = TFP_OK;
        while (!s && in->filled < size && in->filled < tfp_input_left(in)) {
            size_t room = (in->window ? want : in->capacity) - in->filled;
            if (room > left - in->filled) room = (size_t)(left - in->filled);
            s = in->packed ? unpack_some(in, room, err) : read_window(in, room, err);
        }
        if (s) return s;
    }
    *out = (tfp_str){ in->buffer ? in->buffer + in->at : "", in->filled - in->at };
    return TFP_OK;
}

tfp_status tfp_input_tell(const tfp_input *in, uint64_t before, uint64_t now, tfp_error *err)
{
    uint64_t total = in->total == TFP_TOTAL_UNKNOWN ? 0 : in->total;
    if (in->progress && (before >> 20 != now >> 20 || now == total) && in->progress(in->progress_ctx, now, total))
        return tfp_fail(err, TFP_CANCELLED, "cancelled");
    return TFP_OK;
}

tfp_status tfp_input_skip(tfp_input *in, size_t size, tfp_error *err)
{
    uint64_t before = tfp_input_at(in);
    in->at += size;
    return tfp_input_tell(in, before, tfp_input_at(in), err);
}

/* Seeks forward through the window; going back restarts at the beginning. */
static tfp_status seek_packed(tfp_input *in, uint64_t at, tfp_error *err)
{
    if (at < in->base) {
        tfp_status s = tfp_gunzip_again(in->packed, err);
        if (s) return s;
        in->base = in->at = in->filled = 0;
    }
    while (at - in->base > in->filled) {
        tfp_str seen = { 0 };
        in->at = in->filled;
        tfp_status s = tfp_input_peek(in, WINDOW, &seen, err);
        if (!s && !seen.size) s = tfp_fail(err, TFP_BADFILE, "the file became shorter while it was read");
        if (s) return s;
    }
    in->at = (size_t)(at - in->base);
    return TFP_OK;
}

tfp_status tfp_input_seek(tfp_input *in, uint64_t at, tfp_error *err)
{
    if (at >= in->base && at - in->base <= in->filled) {
        in->at = (size_t)(at - in->base);
        return TFP_OK;
    }
    if (in->packed) return seek_packed(in, at, err);
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
    if (!in_windows(in)) {
        in->at += size;
        return TFP_OK;
    }
    if (own->capacity < in->capacity) { /* exactly as big: exchanged buffers must not keep growing */
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
    tfp_status known = tfp_input_check_size(in, err);
    uint64_t left = tfp_input_left(in);
    if (known) return known;
    if (left > SIZE_MAX / 4) return tfp_fail(err, TFP_LIMIT, "the file is too big");
    tfp_status s = tfp_input_peek(in, (size_t)left, out, err);
    return s ? s : tfp_input_skip(in, (size_t)left, err);
}

void tfp_input_close(tfp_input *in)
{
    tfp_gunzip_free(in->packed);
    free(in->packed_bytes);
    if (in->fd >= 0) close(in->fd);
    if (in->fd >= 0 || in->owned || in->capacity) free(in->buffer);
    *in = (tfp_input){ .fd = -1 };
}

tfp_status tfp_read_file(const char *path, uint64_t limit, tfp_buf *out, tfp_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return tfp_fail_errno(err, "cannot open");
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
