// SPDX-License-Identifier: Apache-2.0
/* cache.c: keeps profiles that were read once as .tfprof files (store/) in the user's cache. A file's name is a hash of
 * its inputs: their names, their file system data (size, times), and their first and last bytes. A file appears only when
 * it is complete, and never changes, so any file may be deleted at any time, and processes need no lock. */
#include "base/io.h"
#include "base/place.h"
#include "formats/files/folder.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* size of the whole cache; beyond it the least recently used files are removed */
#define KEPT_BYTES ((uint64_t)4 << 30)
#define PEEK ((size_t)64 << 10) /* how many bytes of an input's beginning and end go into the name */
#define FRESH_NS                                                                                                       \
    INT64_C(100000000)     /* an input that changed this recently could change again within one tick of its clock */
#define PART_SECONDS 86400 /* files left by killed writers are removed after a day */

static const char ending[] = ".tfprof";

static void put_number(tfp_buf *key, int64_t n) { tfp_buf_add(key, &n, sizeof n); }

static int64_t nanoseconds(struct timespec t) { return tfp_add(tfp_mul(t.tv_sec, 1000000000, NULL), t.tv_nsec, NULL); }

static void put_bytes_at(tfp_buf *key, int fd, off_t at)
{
    char bytes[4096];
    for (size_t have = 0; have < PEEK;) {
        ssize_t n = pread(fd, bytes, sizeof bytes, at + (off_t)have);
        if (n <= 0) return;
        tfp_buf_add(key, bytes, (size_t)n);
        have += (size_t)n;
    }
}

static tfp_status put_file(tfp_buf *key, const char *format, const char *path, tfp_error *err)
{
    struct stat st;
    struct timespec now = { 0, 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (file) {
        clock_gettime(CLOCK_REALTIME, &now);
        tfp_buf_add(key, format ? format : "", format ? strlen(format) + 1 : 1);
        tfp_buf_add(key, path, strlen(path) + 1);
        put_number(key, (int64_t)st.st_dev);
        put_number(key, (int64_t)st.st_ino);
        put_number(key, (int64_t)st.st_size);
        put_number(key, nanoseconds(st.st_mtim));
        put_number(key, nanoseconds(st.st_ctim));
        put_bytes_at(key, fd, 0);
        put_bytes_at(key, fd, st.st_size > (off_t)PEEK ? st.st_size - (off_t)PEEK : 0);
    }
    char head[sizeof tfp_store_magic];
    bool converted = file && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
                     memcmp(head, tfp_store_magic, sizeof head) == 0;
    if (fd >= 0) close(fd);
    if (converted) return tfp_fail(err, TFP_NOTFOUND, "%s: a converted profile, which needs no cache", path);
    if (!file) return tfp_fail(err, TFP_NOTFOUND, "%s: not a regular file", path);
    if (nanoseconds(now) - nanoseconds(st.st_ctim) < FRESH_NS)
        return tfp_fail(err, TFP_NOTFOUND, "%s: changed just now", path);
    return TFP_OK;
}

/* $XDG_CACHE_HOME/tfprof, or ~/.cache/tfprof. */
static bool folder(tfp_buf *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        tfp_buf_printf(path, "%s/tfprof", cache);
    else if (home && *home == '/')
        tfp_buf_printf(path, "%s/.cache/tfprof", home);
    return path->size > 0;
}

/* Whether the cache belongs to another user, as under sudo with HOME kept. Such a cache is not read: its owner could put anything there. */
static bool is_others(const tfp_buf *folder)
{
    tfp_place p;
    char *path = strndup(folder->data, folder->size);
    tfp_error err = { .size = 0 };
    tfp_status s = path ? tfp_place_find(path, &p, &err) : TFP_NOMEM;
    /* a link of another user; any other fault is reported by the first write */
    bool others = s && err.number == EACCES;
    if (!s && p.there) others = p.st.st_uid != geteuid() || p.st.st_mode & (S_IWGRP | S_IWOTH);
    if (!s) tfp_place_free(&p);
    free(path);
    return others;
}

tfp_status tfp_cache_path(const char *const *formats, const char *const *paths, size_t count, unsigned keep, char *out,
                          size_t room, tfp_error *err)
{
    tfp_error_clear(err);
    if (!paths || !count || !out) return tfp_fail(err, TFP_BADARG, "no files, or no room for a path");
    tfp_buf key = { 0 }, path = { 0 };
    tfp_status s = folder(&path) ? TFP_OK : tfp_fail(err, TFP_NOTFOUND, "no folder for a cache: HOME is not set");
    if (!s && is_others(&path)) s = tfp_fail(err, TFP_NOTFOUND, "the folder of the cache is not the user's own");
    tfp_buf_text(&key, tfp_version());
    put_number(&key, TFP_STORE_MEANING);
    put_number(&key, keep & TFP_READS_FUNCTIONS);
    for (size_t i = 0; i < count && !s; i++) s = put_file(&key, formats ? formats[i] : NULL, paths[i], err);
    if (!s && !key.failed) {
        char name[TFP_DIGEST];
        tfp_digest(key.data, key.size, name);
        tfp_buf_printf(&path, "/%s%s", name, ending);
    }
    if (!s && (key.failed || path.failed)) s = tfp_nomem(err);
    if (!s && path.size >= room) s = tfp_fail(err, TFP_NOTFOUND, "the path of the cache is too long");
    if (!s) tfp_text_give((tfp_str){ path.data, path.size }, out, room);
    tfp_buf_free(&key);
    tfp_buf_free(&path);
    return s;
}

/* ---- writing ---- */

typedef struct kept_file {
    char name[NAME_MAX + 1];
    uint64_t bytes;
    time_t used;
} kept_file;
typedef TFP_VEC(kept_file) kept_files;

/* Lists the files of the cache. Temporary files that killed writers left are removed. */
static bool list_files(int dir, DIR *stream, kept_files *files)
{
    struct dirent *d;
    while ((d = readdir(stream))) {
        struct stat st;
        kept_file f = { .used = 0 };
        if (!strstr(d->d_name, ending) || fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (!tfp_name_ends(d->d_name, ending)) {
            if (st.st_mtime + PART_SECONDS < time(NULL)) unlinkat(dir, d->d_name, 0);
            continue;
        }
        snprintf(f.name, sizeof f.name, "%s", d->d_name);
        f.bytes = (uint64_t)st.st_size;
        f.used = st.st_mtime;
        if (!tfp_push(files, f)) return false;
    }
    return true;
}

static int newest_first(const void *a, const void *b)
{
    const kept_file *x = a, *y = b;
    return x->used < y->used ? 1 : x->used > y->used ? -1 : strcmp(x->name, y->name);
}

/* Removes files beyond the limit; the newest file stays, whatever its size. */
static void trim(const char *path, uint64_t most)
{
    tfp_place p;
    bool made;
    int dir = -1;
    if (tfp_place_find(path, &p, NULL)) return;
    if (p.there) tfp_folder_open(&p, path, &made, &dir, NULL);
    tfp_place_free(&p);
    DIR *stream = dir >= 0 ? fdopendir(dir) : NULL;
    kept_files files = { 0 };
    uint64_t sum = 0;
    if (!stream) {
        if (dir >= 0) close(dir);
        return;
    }
    if (list_files(dir, stream, &files) && files.size) {
        qsort(files.at, files.size, sizeof *files.at, newest_first);
        for (size_t i = 0; i < files.size; i++)
            if ((sum += files.at[i].bytes) > most && i) unlinkat(dir, files.at[i].name, 0);
    }
    tfp_vec_free(&files);
    closedir(stream);
}

tfp_status tfp_cache_save(const tfp_profile *p, const char *path, tfp_error *err)
{
    tfp_error_clear(err);
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!p || !slash) return tfp_fail(err, TFP_BADARG, "no profile, or no path of the cache");
    char *copy = strdup(path);
    if (!copy) return tfp_nomem(err);
    tfp_status s = tfp_make_folders(path, err);
    if (!s) s = tfp_profile_save_file(p, path, err);
    copy[slash - path] = 0;
    if (!s) trim(copy, KEPT_BYTES);
    free(copy);
    return s;
}

void tfp_cache_used(const char *path)
{
    if (path) utimensat(AT_FDCWD, path, NULL, 0); /* this time shows which files were used least recently */
}
