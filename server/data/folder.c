// SPDX-License-Identifier: Apache-2.0
/* server/data/folder.c: openat2 keeps a path below its folder, whatever links there are. Without it (Linux before 5.6,
 * some containers) each component of a path is opened separately, and links are not followed. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_step_by_step(int folder, const char *path, int flags)
{
    char part[NAME_MAX + 1];
    int at = openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0) {
        size_t n = strcspn(path, "/");
        bool last = !path[n];
        int next = -1;
        if (n && n <= NAME_MAX && strncmp(path, "..", n < 2 ? 2 : n) != 0) {
            memcpy(part, path, n);
            part[n] = '\0';
            next = openat(at, part, (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC) | O_NOFOLLOW);
        }
        close(at);
        if (last) return next;
        at = next;
        path += n + 1;
    }
    return -1;
}

static int open_below(int folder, const char *path, int flags)
{
    struct open_how how = { .flags = (uint64_t)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return fd;
    return open_step_by_step(folder, path, flags);
}

int folder_open(int folder, const char *path)
{
    struct stat st;
    int fd = open_below(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static file_state state_of(const struct stat *st)
{
    return (file_state){ (uint64_t)st->st_size, st->st_ino,
                         (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec };
}

bool folder_has(int folder, const char *path)
{
    int fd = open_below(folder, path, O_PATH | O_CLOEXEC);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

bool file_state_of(int fd, file_state *out)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) return false;
    *out = state_of(&st);
    return true;
}

bool file_state_same(const file_state *a, const file_state *b)
{
    return a->bytes == b->bytes && a->inode == b->inode && a->modified_ns == b->modified_ns;
}

bool folder_holds_all(int folder, const char *prefix)
{
    const char *slash = strrchr(prefix, '/'), *base = slash ? slash + 1 : prefix;
    char *path = malloc((size_t)(base - prefix) + NAME_MAX + 2);
    bool ok = path != NULL;
    if (path) memcpy(path, prefix, (size_t)(base - prefix));
    if (path) path[base > prefix ? base - prefix - 1 : 0] = '\0';
    int fd = path ? open_below(folder, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    ok = d != NULL;
    for (struct dirent *e; ok && (e = readdir(d));) {
        if (strncmp(e->d_name, base, strlen(base)) != 0) continue;
        memcpy(path, prefix, (size_t)(base - prefix));
        strcpy(path + (base - prefix), e->d_name);
        int file = open_below(folder, path, O_PATH | O_CLOEXEC);
        ok = file >= 0;
        if (file >= 0) close(file);
    }
    if (d) closedir(d);
    if (!d && fd >= 0) close(fd);
    free(path);
    return ok;
}

/* ---- the walk ---- */

typedef struct found {
    char *path;
    file_state state;
} found;

typedef struct paths {
    found *at;
    size_t count, room;
} paths;

static bool add_path(paths *p, const char *folder, const char *name, const struct stat *st)
{
    if (p->count == p->room) {
        size_t room = p->room ? p->room * 2 : 64;
        found *more = realloc(p->at, room * sizeof *more);
        if (!more) return false;
        p->at = more;
        p->room = room;
    }
    size_t length = strlen(folder), size = strlen(name) + 1;
    char *path = malloc(length + 1 + size);
    if (!path) return false;
    memcpy(path, folder, length);
    if (length) path[length++] = '/';
    memcpy(path + length, name, size);
    p->at[p->count++] = (found){ path, state_of(st) };
    return true;
}

static int depth_of(const char *path)
{
    int depth = *path != 0;
    for (; *path; path++) depth += *path == '/';
    return depth;
}

static int by_path(const void *a, const void *b) { return strcmp(((const found *)a)->path, ((const found *)b)->path); }

static void free_paths(paths *p)
{
    for (size_t i = 0; i < p->count; i++) free(p->at[i].path);
    free(p->at);
}

/* Lists one folder: folders are added to `todo`, files to `files`. A folder that cannot be read is skipped. */
static walk_result list_folder(int root, const char *path, paths *todo, paths *files, size_t most)
{
    int fd = open_below(root, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    walk_result result = WALK_WHOLE;
    if (!d) {
        if (fd >= 0) close(fd);
        return WALK_WHOLE;
    }
    for (struct dirent *e; result == WALK_WHOLE && (e = readdir(d));) {
        struct stat st;
        bool ok = true;
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, 0)) continue;
        if (files->count >= most || todo->count >= most)
            result = WALK_CUT;
        else if (S_ISREG(st.st_mode))
            ok = add_path(files, path, e->d_name, &st);
        else if (S_ISDIR(st.st_mode) && depth_of(path) < FOLDER_DEPTH)
            ok = add_path(todo, path, e->d_name, &st);
        if (!ok) result = WALK_FAILED;
    }
    closedir(d);
    return result;
}

walk_result folder_walk(int folder, size_t most, bool (*each)(void *ctx, const char *path, const file_state *f),
                        void *ctx)
{
    paths todo = { 0 }, files = { 0 };
    walk_result result = list_folder(folder, "", &todo, &files, most);
    for (size_t i = 0; result == WALK_WHOLE && i < todo.count; i++) {
        const char *path = todo.at[i].path; /* the table moves while it grows, the texts do not */
        result = list_folder(folder, path, &todo, &files, most);
    }
    if (files.count) qsort(files.at, files.count, sizeof *files.at, by_path);
    for (size_t i = 0; result != WALK_FAILED && i < files.count; i++)
        if (!each(ctx, files.at[i].path, &files.at[i].state)) result = WALK_FAILED;
    free_paths(&todo);
    free_paths(&files);
    return result;
}
