// SPDX-License-Identifier: Apache-2.0
/* base/output.c: bytes out: a sink that collects small pieces for a callback, and files that appear whole or not at
 * all. */
#include "base/io.h"
#include "base/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
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

typedef struct tfp_part {
    int folder; /* the folder of the tfp_outfile */
    char name[NAME_MAX + 1];
} tfp_part;

/* The temporary files being written. A handler may only read the list; a file that found no slot is left behind when a
 * signal ends the process. */
enum { PARTS = 16 };
static _Atomic(tfp_part *) parts[PARTS];

static void remember_part(tfp_part *part)
{
    for (int i = 0; i < PARTS; i++) {
        tfp_part *none = NULL;
        if (atomic_compare_exchange_strong(&parts[i], &none, part)) return;
    }
}

static void forget_part(tfp_part *part)
{
    for (int i = 0; part && i < PARTS; i++) {
        tfp_part *same = part;
        if (atomic_compare_exchange_strong(&parts[i], &same, NULL)) return;
    }
}

void tfp_remove_parts(void)
{
    int error = errno;
    for (int i = 0; i < PARTS; i++) {
        const tfp_part *part = atomic_load(&parts[i]);
        if (part) unlinkat(part->folder, part->name, 0);
    }
    errno = error;
}

/* ---- a file that appears whole ---- */

/* Makes a random name: nobody else can know it in advance, so nobody can have created a file with it. */
static void name_part(const tfp_outfile *f, char name[NAME_MAX + 1])
{
    uint64_t random;
    if (!tfp_random(&random)) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        random = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 20;
    }
    snprintf(name, NAME_MAX + 1, "%.200s.part%016llx", f->name, (unsigned long long)random);
}

/* 0, or errno. */
static int open_part(tfp_outfile *f, mode_t mode)
{
    if (!(f->part = malloc(sizeof *f->part))) return ENOMEM;
    int error = EEXIST;
    for (int n = 0; n < 1000 && error == EEXIST; n++) {
        f->part->folder = f->folder;
        name_part(f, f->part->name);
        remember_part(f->part); /* before open: a signal may come before it returns */
        f->fd = openat(f->folder, f->part->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (f->fd >= 0) return 0;
        error = errno;
        forget_part(f->part);
    }
    free(f->part);
    f->part = NULL;
    return error;
}

/* A pipe or a device, which is written directly. 0, or errno. */
static int open_directly(tfp_outfile *f, const tfp_place *p)
{
    struct stat folder, st;
    if (fstat(f->folder, &folder)) return errno;
    if (!p->through && tfp_is_planted(&folder, &p->st)) return EACCES;
    f->fd = openat(f->folder, f->name,
                   O_WRONLY | O_CLOEXEC | O_NOCTTY | (S_ISFIFO(p->st.st_mode) ? O_NONBLOCK : 0) |
                       (p->through ? 0 : O_NOFOLLOW));
    if (f->fd < 0) return errno;
    if (fstat(f->fd, &st)) return errno;
    if (st.st_dev != p->st.st_dev || st.st_ino != p->st.st_ino) return EACCES; /* it was replaced meanwhile */
    fcntl(f->fd, F_SETFL, 0);
    return 0;
}

/* 0, or errno. Another user's file is replaced by one of ours, with our mode. */
static int open_at(tfp_outfile *f, const tfp_place *p)
{
    if (p->there && S_ISDIR(p->st.st_mode)) return EISDIR;
    if (p->there && (p->through || !S_ISREG(p->st.st_mode))) return open_directly(f, p);
    if (p->there && faccessat(f->folder, f->name, W_OK, 0) != 0) return errno;
    return open_part(f, p->there && p->st.st_uid == geteuid() ? p->st.st_mode & 0777 : 0666);
}

tfp_status tfp_outfile_open(tfp_outfile *f, const char *path, tfp_error *err)
{
    tfp_place p;
    *f = (tfp_outfile){ .fd = -1, .folder = -1 };
    tfp_status s = tfp_place_find(path, &p, err);
    if (s) return s;
    f->folder = p.folder;
    f->path = strdup(path);
    f->name = strdup(p.name);
    int error = f->path && f->name ? open_at(f, &p) : ENOMEM;
    if (!error) return TFP_OK;
    tfp_outfile_abandon(f);
    return error == ENOMEM ? tfp_nomem(err) : fail_path(err, path, "cannot write", error);
}

tfp_status tfp_outfile_below(tfp_outfile *f, int folder, const char *name, const char *path, tfp_error *err)
{
    *f = (tfp_outfile){ .fd = -1, .folder = fcntl(folder, F_DUPFD_CLOEXEC, 0) };
    int error = f->folder < 0 ? errno : strchr(name, '/') ? EINVAL : 0;
    f->path = strdup(path);
    f->name = strdup(name);
    if (!f->path || !f->name) error = ENOMEM;
    if (!error) error = open_part(f, 0600);
    if (!error) return TFP_OK;
    tfp_outfile_abandon(f);
    return error == ENOMEM ? tfp_nomem(err) : fail_path(err, path, "cannot write", error);
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
    if (!error && f->part && renameat(f->folder, f->part->name, f->folder, f->name) != 0) error = errno;
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
    if (f->fd >= 0) close(f->fd);
    if (f->part) unlinkat(f->folder, f->part->name, 0);
    forget_part(f->part);
    if (f->folder >= 0) close(f->folder);
    free(f->path);
    free(f->name);
    free(f->part);
    *f = (tfp_outfile){ .fd = -1, .folder = -1 };
}

tfp_status tfp_write_below(int folder, const char *name, const char *path, tfp_str bytes, tfp_error *err)
{
    tfp_outfile f;
    tfp_status s = tfp_outfile_below(&f, folder, name, path, err);
    if (s) return s;
    tfp_outfile_write(&f, bytes.data, bytes.size);
    return tfp_outfile_finish(&f, err);
}
