// SPDX-License-Identifier: Apache-2.0
/* live/inside.c: see inside.h. */
#include "live/inside.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* ---- namespaces ---- */

/* A namespace is known by the text of its link, such as "user:[4026531837]". */
bool tfp_same_namespace(int64_t pid, const char *name)
{
    char path[64], ours[64], other[64];
    snprintf(path, sizeof path, "/proc/%lld/ns/%s", (long long)pid, name);
    ssize_t size = readlink(path, other, sizeof other);
    snprintf(path, sizeof path, "/proc/self/ns/%s", name);
    return size > 0 && readlink(path, ours, sizeof ours) == size && memcmp(ours, other, (size_t)size) == 0;
}

bool tfp_is_inside(int64_t pid) { return !tfp_same_namespace(pid, "mnt") || !tfp_same_namespace(pid, "pid"); }

/* Whoever loses its parent becomes a child of the first process, so the way up leads there. */
int64_t tfp_inside_first(int64_t pid)
{
    enum { MOST = 1000 };
    tfp_proc_stat stat;
    tfp_proc_status status;
    for (int i = 0; i < MOST && pid > 0; i++) {
        if (!tfp_proc_status_read(pid, &status) || !tfp_proc_stat_read(pid, &stat)) return -1;
        if (status.inner_pid == 1) return pid;
        pid = stat.parent;
    }
    return -1;
}

/* ---- folders ---- */

int tfp_inside_open(int64_t pid, const char *name)
{
    char step[256];
    snprintf(step, sizeof step, "/proc/%lld/root", (long long)pid);
    int fd = *name == '/' ? open(step, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    while (fd >= 0 && *(name += strspn(name, "/"))) {
        size_t size = strcspn(name, "/");
        int above = fd;
        snprintf(step, sizeof step, "%.*s", (int)size, name);
        bool is_up = strcmp(step, "..") == 0; /* of the process's root it would lead out */
        fd = size < sizeof step && !is_up ? openat(above, step, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        close(above);
        name += size;
    }
    return fd;
}

static bool may_write(int fd, int64_t uid)
{
    struct stat st;
    struct statvfs fs;
    if (fstat(fd, &st) || fstatvfs(fd, &fs) || (fs.f_flag & ST_RDONLY)) return false;
    return uid == 0 || (st.st_mode & S_IWOTH) || ((int64_t)st.st_uid == uid && (st.st_mode & S_IWUSR));
}

int tfp_inside_folder(int64_t pid, int64_t uid, const char **name)
{
    static const char *const folders[] = { "/tmp", "/dev/shm", "/var/tmp" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int fd = tfp_inside_open(pid, *name = folders[i]);
        if (fd >= 0 && may_write(fd, uid)) return fd;
        if (fd >= 0) close(fd);
    }
    return -1;
}
