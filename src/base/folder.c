// SPDX-License-Identifier: Apache-2.0
/* base/folder.c: private folders, held open as descriptors. Files are opened by their name in the open folder, so no
 * path is resolved a second time. */
#include "base/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 6 };

/* Whether the file system gives every file the same owner (NFS that maps root, vfat, shared folders of virtual
 * machines): then a file that we create now has that owner too. */
static bool owners_are_mapped(int folder, uid_t owner)
{
    char name[64];
    struct stat st;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(name, sizeof name, ".tfprof-%d-%ld", (int)getpid(), now.tv_nsec);
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool same = fstat(fd, &st) == 0 && st.st_uid == owner;
    close(fd);
    unlinkat(folder, name, 0);
    return same;
}

static int open_own(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && (st.st_uid == geteuid() || owners_are_mapped(fd, st.st_uid)))) return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

static tfp_status tell_owner(const tfp_place *p, const char *path, tfp_error *err)
{
    char user[64];
    struct stat st;
    bool known = fstatat(p->folder, p->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    tfp_user_name(known ? (int64_t)st.st_uid : -1, user, sizeof user);
    return known && st.st_uid != geteuid()
               ? tfp_fail(err, TFP_BADOUTPUT, "%s: the folder belongs to user %s: name another one", path, user)
               : tfp_fail(err, TFP_BADOUTPUT, "%s: %s", path, strerror(EPERM));
}

tfp_status tfp_folder_open(const tfp_place *p, const char *path, bool *made, int *fd, tfp_error *err)
{
    *fd = -1;
    *made = !p->there && mkdirat(p->folder, p->name, 0700) == 0;
    if (!*made && !p->there && errno != EEXIST)
        return tfp_with_errno(err, tfp_fail(err, TFP_BADOUTPUT, "%s: %s", path, strerror(errno)), errno);
    *fd = open_own(p->folder, p->name);
    if (*fd >= 0) return TFP_OK;
    if (errno == EPERM) return tell_owner(p, path, err);
    if (errno == ENOTDIR || errno == ELOOP) return tfp_fail(err, TFP_BADOUTPUT, "%s: it is no folder", path);
    return tfp_fail(err, TFP_BADOUTPUT, "%s: %s", path, strerror(errno));
}

int tfp_folder_below(int folder, const char *name)
{
    if (strchr(name, '/') || strcmp(name, "..") == 0) {
        errno = EINVAL;
        return -1;
    }
    if (mkdirat(folder, name, 0700) && errno != EEXIST) return -1;
    return open_own(folder, name);
}

tfp_status tfp_make_folders(const char *path, tfp_error *err)
{
    tfp_status s = TFP_OK;
    tfp_error_clear(err);
    char *copy = path ? strdup(path) : NULL;
    if (!copy) return path ? tfp_nomem(err) : tfp_fail(err, TFP_BADARG, "no path");
    for (char *slash = copy; !s && (slash = strchr(slash + 1, '/'));) {
        tfp_place p;
        *slash = '\0';
        if (!(s = tfp_place_find(copy, &p, err)) && !p.there && mkdirat(p.folder, p.name, 0700) && errno != EEXIST)
            s = tfp_fail(err, TFP_BADOUTPUT, "%s: %s", copy, strerror(errno));
        tfp_place_free(&p);
        *slash = '/';
    }
    free(copy);
    return s;
}

void *tfp_folder_list(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d && fd >= 0) close(fd);
    return d;
}

static bool is_entry(const struct dirent *e) { return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0; }

bool tfp_folder_is_empty(int folder)
{
    DIR *d = tfp_folder_list(folder);
    bool empty = d != NULL;
    for (struct dirent *e; empty && (e = readdir(d));) empty = !is_entry(e);
    if (d) closedir(d);
    return empty;
}

bool tfp_folder_read(int folder, const char *name, size_t most, tfp_buf *out)
{
    char piece[4096];
    struct stat st;
    ssize_t n = 0;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    while (ok && out->size < most && (n = read(fd, piece, sizeof piece)) > 0) tfp_buf_add(out, piece, (size_t)n);
    if (fd >= 0) close(fd);
    return ok && n >= 0 && out->size < most && !out->failed;
}

static void clear(int folder, int depth)
{
    DIR *d = tfp_folder_list(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_entry(e) || unlinkat(folder, e->d_name, 0) == 0 || depth == DEEPEST) continue;
        int fd = openat(folder, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) continue;
        clear(fd, depth + 1);
        close(fd);
        unlinkat(folder, e->d_name, AT_REMOVEDIR);
    }
    if (d) closedir(d);
}

void tfp_folder_clear(int folder) { clear(folder, 0); }

tfp_status tfp_folder_path(int folder, char *out, size_t room, tfp_error *err)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t n = readlink(link, out, room);
    if (n <= 0) return tfp_fail(err, TFP_BADOUTPUT, "the path of the folder is not known: %s", strerror(errno));
    if ((size_t)n >= room) return tfp_fail(err, TFP_BADOUTPUT, "the path of the folder is too long");
    out[n] = '\0';
    return TFP_OK;
}
