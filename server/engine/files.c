// SPDX-License-Identifier: Apache-2.0
/* server/engine/files.c: finds the traces that an engine writes into a folder, and tells when they are complete. A trace is written slowly, by
 * another process: its gzip stream or its JSON text is followed as it grows, so that each byte is read once. */
#include "engine.h"
#include "http/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STILL_MS 2000
enum {
    ENTRIES_MOST = 200000, /* most entries of the folder */
    FILES_MOST = 1000,     /* most traces that are followed */
    READ_MOST = 32 << 20,  /* most bytes of a trace that one look reads */
    BLOCK = 1 << 16
};

static bool refuse(char *why, size_t room, const char *folder, const char *text)
{
    snprintf(why, room, "%s: %s", folder, text);
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static bool is_trace(const char *name)
{
    return *name != '.' && (ends_with(name, ".json") || ends_with(name, ".json.gz"));
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const engine_file *)a)->name, ((const engine_file *)b)->name);
}

static engine_file *add(engine_files *all, const char *name, const struct stat *st)
{
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 64;
        engine_file *more = realloc(all->at, room * sizeof *more);
        if (!more) return NULL;
        all->at = more;
        all->room = room;
    }
    engine_file *f = &all->at[all->count];
    *f = (engine_file){ .name = strdup(name), .size = st->st_size, .inode = st->st_ino, .still_since_ms = now_ms() };
    f->changed_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
    f->packed = ends_with(name, ".gz");
    if (!f->name) return NULL;
    all->count++;
    return f;
}

bool engine_files_list(const char *folder, engine_files *out, char *why, size_t room)
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    struct stat st;
    *out = (engine_files){ NULL, 0, 0 };
    if (!d) return errno == ENOENT || refuse(why, room, folder, strerror(errno));
    size_t entries = 0;
    const char *fault = NULL;
    while (!fault && (e = readdir(d))) {
        if (++entries > ENTRIES_MOST) fault = "the folder has more than 200,000 entries: name another one";
        if (!is_trace(e->d_name) || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (!add(out, e->d_name, &st)) fault = "out of memory";
    }
    closedir(d);
    if (out->count) qsort(out->at, out->count, sizeof *out->at, compare);
    if (!fault) return true;
    engine_files_free(out);
    return refuse(why, room, folder, fault);
}

/* ---- the content ---- */

static void forget_content(engine_file *f)
{
    if (f->z) inflateEnd(f->z);
    free(f->z);
    f->z = NULL;
    f->ended = f->damaged = f->quoted = f->escaped = false;
    f->checked = f->depth = 0;
}

static bool begin_unpacking(engine_file *f)
{
    f->z = calloc(1, sizeof *f->z);
    if (f->z && inflateInit2(f->z, 15 + 16) == Z_OK) return true;
    free(f->z);
    f->z = NULL;
    return false;
}

/* Follows gzip members; the text inside is not looked at. */
static void follow_gzip(engine_file *f, unsigned char *data, size_t size)
{
    unsigned char out[BLOCK];
    f->damaged = !f->z && !begin_unpacking(f);
    if (f->damaged) return;
    f->z->next_in = data;
    f->z->avail_in = (unsigned)size;
    while (f->z->avail_in && !f->damaged) {
        if (f->ended) inflateReset(f->z); /* another member follows */
        f->z->next_out = out;
        f->z->avail_out = sizeof out;
        int done = inflate(f->z, Z_NO_FLUSH);
        f->ended = done == Z_STREAM_END;
        f->damaged = done != Z_OK && done != Z_STREAM_END && done != Z_BUF_ERROR;
    }
}

/* Counts brackets outside of texts. */
static void follow_json(engine_file *f, const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = data[i];
        if (f->quoted) {
            if (!f->escaped && c == '"') f->quoted = false;
            f->escaped = !f->escaped && c == '\\';
        } else if (c == '"') {
            f->quoted = true;
        } else if (c == '{' || c == '[') {
            f->depth++;
        } else if (c == '}' || c == ']') {
            f->depth--;
            f->ended = f->depth == 0;
        }
    }
    f->damaged |= f->depth < 0;
}

static void follow(int folder, engine_file *f)
{
    unsigned char data[BLOCK];
    int fd = openat(folder, f->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return;
    ssize_t n = 0;
    for (int64_t read = 0; read < READ_MOST && !f->damaged; read += n) {
        n = pread(fd, data, sizeof data, (off_t)f->checked);
        if (n <= 0) break;
        f->checked += n;
        if (f->packed)
            follow_gzip(f, data, (size_t)n);
        else
            follow_json(f, data, (size_t)n);
    }
    close(fd);
}

/* ---- a look at the folder ---- */

static bool is_same(const engine_file *a, const engine_file *b)
{
    return a->size == b->size && a->changed_ns == b->changed_ns && a->inode == b->inode;
}

static engine_file *find(const engine_files *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->at[i].name, name) == 0) return &all->at[i];
    return NULL;
}

/* Takes over what the folder says of a file that is followed. A file that was begun again is read from its beginning. */
static void update(engine_file *f, const engine_file *now)
{
    if (is_same(f, now)) return;
    if (now->inode != f->inode || now->size < f->checked) forget_content(f);
    f->size = now->size;
    f->changed_ns = now->changed_ns;
    f->inode = now->inode;
    f->still_since_ms = now_ms();
}

/* Removes files that are not there any more: some engines write NAME.json first, then NAME.json.gz. */
static void remove_gone(engine_files *found, const engine_files *now)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        engine_file f = found->at[i];
        if (now->count && bsearch(&f, now->at, now->count, sizeof f, compare)) {
            found->at[kept++] = f;
        } else {
            forget_content(&f);
            free(f.name);
        }
    }
    found->count = kept;
}

static bool add_new(const engine_files *now, const engine_files *before, engine_files *found)
{
    for (size_t i = 0; i < now->count; i++) {
        const engine_file *n = &now->at[i];
        const engine_file *old = before->count ? bsearch(n, before->at, before->count, sizeof *n, compare) : NULL;
        engine_file *f = find(found, n->name);
        if (f) {
            update(f, n);
        } else if (!old || !is_same(old, n)) {
            const struct stat st = { .st_size = (off_t)n->size, .st_ino = n->inode };
            f = found->count < FILES_MOST ? add(found, n->name, &st) : NULL;
            if (!f) return false;
            f->changed_ns = n->changed_ns;
        }
    }
    return true;
}

bool engine_files_look(const char *folder, const engine_files *before, engine_files *found, char *why, size_t room)
{
    engine_files now;
    if (!engine_files_list(folder, &now, why, room)) return false;
    remove_gone(found, &now);
    bool ok =
        add_new(&now, before, found) || refuse(why, room, folder, "more than 1,000 traces appeared, or memory is out");
    engine_files_free(&now);
    int fd = ok ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    for (size_t i = 0; i < found->count && fd >= 0; i++)
        if (found->at[i].checked < found->at[i].size) follow(fd, &found->at[i]);
    if (fd >= 0) close(fd);
    return ok;
}

bool engine_file_is_whole(const engine_file *f)
{
    return f->ended && !f->damaged && f->checked == f->size && now_ms() - f->still_since_ms >= STILL_MS;
}

bool engine_files_are_whole(const engine_files *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (!engine_file_is_whole(&found->at[i])) return false;
    return found->count > 0;
}

void engine_files_free(engine_files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        forget_content(&f->at[i]);
        free(f->at[i].name);
    }
    free(f->at);
    *f = (engine_files){ NULL, 0, 0 };
}
