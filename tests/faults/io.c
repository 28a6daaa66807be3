// SPDX-License-Identifier: Apache-2.0
/* tests/faults/io.c: makes every call that reads, writes or names files fail in turn, in every way that it can.
 *   io [-v] [-e EVERY] [WORD]        EVERY takes all of a scenario's first calls and one of so many later ones
 * A real fault must end in an error with a message and leave every file whole: as it was, or as it should become. An
 * interrupted call or one that moves fewer bytes is no fault: the output must be the usual one. */
#include "scenarios.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the calls that fail ---- */

typedef enum way { FAIL_IO, FAIL_OTHER, INTERRUPT, SHORT, WAYS } way;

static atomic_bool armed;
static unsigned long fail_at;
static atomic_ulong calls;
static way how;
static char failed_call[16];

void faults_begin(void) { armed = true; }
void faults_end(void) { armed = false; }

/* True if this is the call that must fail; `ways` (bits) has the errors that it supports, `other` its second errno. */
static bool fails(const char *name, unsigned ways, int other)
{
    if (!armed || !(ways >> how & 1) || ++calls != fail_at) return false;
    snprintf(failed_call, sizeof failed_call, "%s", name);
    errno = how == INTERRUPT ? EINTR : how == FAIL_IO ? EIO : other;
    return true;
}
enum { HARD = 1 << FAIL_IO | 1 << FAIL_OTHER, ANY = HARD | 1 << INTERRUPT | 1 << SHORT };

/* With 64-bit offsets the compiler may call open or open64, so both are wrapped. */
#define FAILING(type, name, arguments, pass, ways, other)                                                              \
    type __real_##name arguments;                                                                                      \
    type __wrap_##name arguments;                                                                                      \
    type __wrap_##name arguments { return fails(#name, (ways), (other)) ? (type)-1 : __real_##name pass; }

FAILING(int, fsync, (int fd), (fd), HARD, ENOSPC)
FAILING(int, rename, (const char *from, const char *to), (from, to), HARD, EACCES)
FAILING(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), HARD, EACCES)
FAILING(ssize_t, readlinkat, (int fd, const char *path, char *to, size_t room), (fd, path, to, room), HARD, EACCES)
FAILING(int, fstat, (int fd, struct stat *st), (fd, st), HARD, EOVERFLOW)
FAILING(int, fstat64, (int fd, struct stat *st), (fd, st), HARD, EOVERFLOW)
FAILING(int, poll, (struct pollfd * p, nfds_t n, int ms), (p, n, ms), HARD | 1 << INTERRUPT, ENOMEM)

FAILING(int, stat, (const char *path, struct stat *st), (path, st), HARD, EACCES)
FAILING(int, stat64, (const char *path, struct stat *st), (path, st), HARD, EACCES)

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    bool failed = fails("close", HARD, ENOSPC); /* the descriptor is closed even so */
    int error = errno, status = __real_close(fd);
    if (failed) errno = error;
    return failed ? -1 : status;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
static int open_or_fail(const char *path, int flags, va_list more)
{
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    return fails("open", HARD, EMFILE) ? -1 : __real_open(path, flags, mode);
}
int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = open_or_fail(path, flags, more);
    va_end(more);
    return fd;
}
int __wrap_open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = open_or_fail(path, flags, more);
    va_end(more);
    return fd;
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat64(int folder, const char *path, int flags, ...);
static int openat_or_fail(int folder, const char *path, int flags, va_list more)
{
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    return fails("openat", HARD, EMFILE) ? -1 : __real_openat(folder, path, flags, mode);
}
int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = openat_or_fail(folder, path, flags, more);
    va_end(more);
    return fd;
}
int __wrap_openat64(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int fd = openat_or_fail(folder, path, flags, more);
    va_end(more);
    return fd;
}

ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size)
{
    if (!fails("read", ANY, ENOMEM)) return __real_read(fd, to, size);
    return how == SHORT ? __real_read(fd, to, size > 1 ? size / 2 : size) : -1;
}

ssize_t __real_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread64(int fd, void *to, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t at)
{
    if (!fails("pread", ANY, ENOMEM)) return __real_pread(fd, to, size, at);
    return how == SHORT ? __real_pread(fd, to, size > 1 ? size / 2 : size, at) : -1;
}
ssize_t __wrap_pread64(int fd, void *to, size_t size, off_t at) { return __wrap_pread(fd, to, size, at); }

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    if (!fails("write", ANY, ENOSPC)) return __real_write(fd, data, size);
    return how == SHORT ? __real_write(fd, data, size > 1 ? size / 2 : size) : -1;
}

/* ---- judging ---- */

typedef struct tally {
    unsigned long passed, failed, told;
} tally;

static const written_file *file_of(const outcome *o, const char *name)
{
    for (size_t i = 0; i < o->file_count; i++) {
        if (strcmp(o->files[i].name, name) == 0) return &o->files[i];
    }
    return NULL;
}

static bool same(const bytes *a, const bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* Checks that every file has its old content ("old") or its new one. */
static const char *damage(const outcome *usual, const outcome *now)
{
    static bytes old = { (char *)(uintptr_t) "old", 3, 3 };
    if (!file_of(now, "old")) return "the old file is gone";
    for (size_t i = 0; i < now->file_count; i++) {
        const written_file *f = &now->files[i], *want = file_of(usual, f->name);
        bool is_old = strcmp(f->name, "old") == 0 && same(&f->content, &old);
        if (!want) return "a part file is left";
        if (!is_old && !same(&f->content, &want->content)) return "a file is not whole";
    }
    return NULL;
}

static void judge(tally *t, const scenario *s, const outcome *usual, const outcome *now)
{
    const char *fault = damage(usual, now);
    bool soft = how == INTERRUPT || how == SHORT;
    if (soft && !fault && !outcome_same(usual, now)) fault = "no real fault, but another output";
    if (!soft && !fault) {
        if (now->status == TFP_OK && !outcome_same(usual, now)) fault = "success, but another output";
        if (now->status && !*now->message) fault = "no message";
        if (now->status != usual->status && (now->status == TFP_BADARG || now->status == TFP_CANCELLED))
            fault = "a status that blames the caller";
    }
    if (!fault) {
        t->passed++;
        return;
    }
    t->failed++;
    if (t->told++ < 20)
        printf("%s: call %lu (%s, way %d): %s (status %d, \"%.200s\")\n", s->name, fail_at, failed_call, (int)how,
               fault, (int)now->status, now->message);
}

static int open_files(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) != -1;
    return n;
}

enum { ALL_OF_FIRST = 3 };

static void run_way(tally *t, const scenario *s, const char *folder, unsigned long every, unsigned long turn)
{
    outcome usual;
    calls = fail_at = 0;
    scenario_run(s, SAMPLE_FOLDER, folder, &usual);
    unsigned long all = calls;
    int before = open_files();
    for (unsigned long n = 1; n <= all; n++) {
        outcome now;
        if (n > ALL_OF_FIRST && (n + turn) % every) continue;
        calls = 0;
        fail_at = n;
        scenario_run(s, SAMPLE_FOLDER, folder, &now);
        judge(t, s, &usual, &now);
        outcome_free(&now);
    }
    if (open_files() != before) {
        printf("%s: way %d: descriptors are left open\n", s->name, (int)how);
        t->failed++;
    }
    outcome_free(&usual);
}

int main(int argc, char **argv)
{
    session x;
    if (!session_begin(argc, argv, &x)) return 2;
    size_t count;
    scenario *all = scenarios_make(&count);
    tally t = { 0, 0, 0 };
    for (size_t i = 0; i < count; i++) {
        if (!strstr(all[i].name, x.word)) continue;
        unsigned long before = t.passed + t.failed;
        for (how = 0; how < WAYS; how++) run_way(&t, &all[i], x.folder, x.every, i + how);
        if (x.verbose) printf("%s: %lu\n", all[i].name, t.passed + t.failed - before);
    }
    if (!session_end(&x)) return 2;
    free(all);
    printf("single faults of input and output\n%lu passed, %lu failed\n", t.passed, t.failed);
    return t.failed != 0;
}
