/* server/folder.c: openat2 keeps a path below its folder whatever links lie there. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEEP_MOST 4

static int open_below(int folder, const char *path, int flags)
{
    struct open_how how = { .flags = (uint64_t)flags, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
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

typedef struct paths {
    char **at;
    size_t count, room;
} paths;

static bool add_path(paths *p, const char *folder, const char *name)
{
    if (p->count == p->room) {
        size_t room = p->room ? p->room * 2 : 64;
        char **more = realloc(p->at, room * sizeof *more);
        if (!more) return false;
        p->at = more;
        p->room = room;
    }
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (!path) return false;
    if (length) {
        memcpy(path, folder, length);
        path[length++] = '/';
    }
    strcpy(path + length, name);
    p->at[p->count++] = path;
    return true;
}

static int depth_of(const char *path)
{
    int depth = 0;
    for (; *path; path++) depth += *path == '/';
    return depth;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void free_paths(paths *p)
{
    for (size_t i = 0; i < p->count; i++) free(p->at[i]);
    free(p->at);
}

/* The entries of one folder: folders go to `todo`, files to `files`. */
static bool list_folder(int root, const char *path, paths *todo, paths *files, size_t most)
{
    int fd = open_below(root, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    bool ok = true;
    if (!d) {
        if (fd >= 0) close(fd);
        return true;
    }
    for (struct dirent *e; ok && files->count < most && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, 0)) continue;
        if (S_ISREG(st.st_mode)) ok = add_path(files, path, e->d_name);
        if (S_ISDIR(st.st_mode) && depth_of(path) + (*path != 0) < DEEP_MOST) ok = add_path(todo, path, e->d_name);
    }
    closedir(d);
    return ok;
}

bool folder_walk(int folder, size_t most, bool (*each)(void *ctx, const found_file *f), void *ctx)
{
    paths todo = { 0 }, files = { 0 };
    bool ok = list_folder(folder, "", &todo, &files, most);
    for (size_t i = 0; ok && i < todo.count && todo.count < most; i++)
        ok = list_folder(folder, todo.at[i], &todo, &files, most);
    if (files.count) qsort(files.at, files.count, sizeof *files.at, by_name);
    for (size_t i = 0; ok && i < files.count; i++) {
        struct stat st;
        int fd = folder_open(folder, files.at[i]);
        if (fd < 0) continue;
        if (fstat(fd, &st) == 0) {
            int64_t when = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
            ok = each(ctx, &(found_file){ files.at[i], (uint64_t)st.st_size, when });
        }
        close(fd);
    }
    free_paths(&todo);
    free_paths(&files);
    return ok;
}
