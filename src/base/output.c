// SPDX-License-Identifier: Apache-2.0
/* base/output.c: bytes out: a sink that collects small pieces for a callback, and files that appear whole or not at all. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLUSH_AT ((size_t)256 << 10)

void tfp_sink_start(tfp_sink *s, tfp_write_fn fn, void *ctx) { *s = (tfp_sink){ .fn = fn, .ctx = ctx }; }

static void flush(tfp_sink *s)
{
    if (!s->status && s->buf.failed) s->status = TFP_NOMEM;
    if (!s->status && s->buf.size && s->fn(s->ctx, s->buf.data, s->buf.size) != 0) s->status = TFP_BADOUTPUT;
    s->buf.size = 0;
}

void tfp_sink_flush_if_full(tfp_sink *s)
{
    if (s->buf.size >= FLUSH_AT) flush(s);
}

void tfp_sink_write(tfp_sink *s, tfp_str bytes)
{
    if (s->buf.size + bytes.size < FLUSH_AT) {
        tfp_buf_str(&s->buf, bytes);
        return;
    }
    flush(s);
    if (!s->status && s->fn(s->ctx, bytes.data, bytes.size) != 0) s->status = TFP_BADOUTPUT;
}

tfp_status tfp_sink_end(tfp_sink *s, tfp_error *err)
{
    flush(s);
    tfp_buf_free(&s->buf);
    if (s->status == TFP_NOMEM) return tfp_nomem(err);
    return s->status ? tfp_fail(err, s->status, "cannot write the output") : TFP_OK;
}

static tfp_status fail_path(tfp_error *err, const char *path, const char *what, int error)
{
    return tfp_with_errno(err, tfp_fail(err, TFP_BADOUTPUT, "%s: %s: %s", path, what, strerror(error)), error);
}

/* ---- temporary files that a signal handler can remove ---- */

/* Names of the temporary files being written. A handler may only read the list; a file that found no slot is left behind when a
 * signal ends the process. */
enum { PARTS = 16 };
static _Atomic(char *) parts[PARTS];

static void remember_part(char *part)
{
    for (int i = 0; i < PARTS; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&parts[i], &none, part)) return;
    }
}

static void forget_part(char *part)
{
    for (int i = 0; part && i < PARTS; i++) {
        char *same = part;
        if (atomic_compare_exchange_strong(&parts[i], &same, NULL)) return;
    }
}

void tfp_remove_parts(void)
{
    int error = errno;
    for (int i = 0; i < PARTS; i++) {
        char *part = atomic_load(&parts[i]);
        if (part) unlink(part);
    }
    errno = error;
}

static bool open_part(tfp_outfile *f, mode_t mode)
{
    for (int n = 0; n < 1000; n++) {
        free(f->part);
        size_t size = strlen(f->path) + 32;
        if (!(f->part = malloc(size))) return false;
        snprintf(f->part, size, "%s.part%d.%d", f->path, (int)getpid(), n);
        remember_part(f->part); /* before open: a signal may come before it returns */
        f->fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (f->fd >= 0) return true;
        int error = errno;
        forget_part(f->part);
        errno = error;
        if (error != EEXIST) return true;
    }
    return true;
}

/* The target of a link whose file does not exist yet; a copy of the path when it is no link. NULL when memory runs out. */
static char *follow_links(const char *path)
{
    char *at = strdup(path), target[4097];
    for (int turn = 0; at && turn < 40; turn++) {
        ssize_t n = readlink(at, target, sizeof target - 1);
        if (n <= 0) break;
        target[n] = 0;
        const char *slash = strrchr(at, '/');
        size_t folder = *target == '/' || !slash ? 0 : (size_t)(slash - at) + 1;
        char *next = malloc(folder + (size_t)n + 1);
        if (next) {
            memcpy(next, at, folder);
            memcpy(next + folder, target, (size_t)n + 1);
        }
        free(at);
        at = next;
    }
    return at;
}

tfp_status tfp_outfile_open(tfp_outfile *f, const char *path, tfp_error *err)
{
    *f = (tfp_outfile){ .fd = -1 };
    /* a link is followed, so that the file it names is replaced or made, and not the link replaced */
    char *real = realpath(path, NULL);
    f->path = real ? real : follow_links(path);
    if (!f->path) return tfp_nomem(err);
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        tfp_outfile_abandon(f);
        return fail_path(err, path, "cannot write", EISDIR);
    }
    if (there && !S_ISREG(st.st_mode)) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (S_ISFIFO(st.st_mode) ? O_NONBLOCK : 0));
        if (f->fd >= 0) fcntl(f->fd, F_SETFL, 0);
    } else if (there && access(path, W_OK) != 0) {
        f->fd = -1;
    } else if (!open_part(f, there ? st.st_mode & 0777 : 0666)) {
        tfp_outfile_abandon(f);
        return tfp_nomem(err);
    }
    if (f->fd >= 0) return TFP_OK;
    int error = errno;
    free(f->part);
    f->part = NULL;
    tfp_outfile_abandon(f);
    return fail_path(err, path, "cannot write", error);
}

int tfp_outfile_write(void *ctx, const void *data, size_t size)
{
    tfp_outfile *f = ctx;
    const char *at = data;
    while (size && !f->error) {
        ssize_t n = write(f->fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            f->error = n < 0 ? errno : EIO;
        else
            at += n, size -= (size_t)n;
    }
    return f->error ? -1 : 0;
}

tfp_status tfp_outfile_finish(tfp_outfile *f, tfp_error *err)
{
    if (f->fd < 0) return TFP_OK;
    int error = f->error;
    if (close(f->fd) != 0 && !error && errno != EINTR) error = errno;
    f->fd = -1;
    if (!error && f->part && rename(f->part, f->path) != 0) error = errno;
    tfp_status s = error ? fail_path(err, f->path, "cannot write", error) : TFP_OK;
    if (!error) {
        forget_part(f->part);
        free(f->part);
        f->part = NULL;
    }
    tfp_outfile_abandon(f);
    return s;
}

void tfp_outfile_abandon(tfp_outfile *f)
{
    if (!f->path) return;
    if (f->fd >= 0) close(f->fd);
    if (f->part) unlink(f->part);
    forget_part(f->part);
    free(f->path);
    free(f->part);
    *f = (tfp_outfile){ .fd = -1 };
}
