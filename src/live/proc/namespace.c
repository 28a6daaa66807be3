// SPDX-License-Identifier: Apache-2.0
/* live/proc/namespace.c: see namespace.h. */
#include "live/proc/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
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

/* A process that loses its parent becomes a child of the namespace's first process, so walking up the parents leads
 * there. */
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
        bool is_up = strcmp(step, "..") == 0; /* from the process's root ".." would lead out */
        fd = size < sizeof step && !is_up ? openat(above, step, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        close(above);
        name += size;
    }
    return fd;
}

/* ---- files ---- */

/* Before Linux 5.6: refuses every link. */
static int find_without_links(int64_t pid, const char *name)
{
    char folder[4096];
    const char *last = strrchr(name, '/');
    size_t size = (size_t)(last - name);
    if (size >= sizeof folder) return -1;
    snprintf(folder, sizeof folder, "%.*s/", (int)size, name);
    int above = tfp_inside_open(pid, folder);
    int fd = above >= 0 ? openat(above, last + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
    int why = errno;
    if (above >= 0) close(above);
    errno = why;
    return fd;
}

static int find_file(int64_t pid, const char *name)
{
    char root[64];
    struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
    snprintf(root, sizeof root, "/proc/%lld/root", (long long)pid);
    int above = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (above < 0) return -1;
    int fd = (int)syscall(SYS_openat2, above, name, &how, sizeof how), why = errno;
    close(above);
    errno = why;
    return fd < 0 && why == ENOSYS ? find_without_links(pid, name) : fd;
}

/* Opens what was found only when it is known to be a plain file. */
static int open_plain(int found)
{
    char path[64];
    struct stat st;
    int fd = -1, why;
    if (found < 0) return -1;
    if (fstat(found, &st) == 0 && S_ISREG(st.st_mode)) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", found);
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        why = errno;
    } else {
        why = EINVAL;
    }
    close(found);
    errno = why;
    return fd;
}

int tfp_inside_file(int64_t pid, const char *name) { return open_plain(*name == '/' ? find_file(pid, name) : -1); }

int tfp_inside_mapped(int64_t pid, uint64_t low, uint64_t high)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%lld/map_files/%llx-%llx", (long long)pid, (unsigned long long)low,
             (unsigned long long)high);
    return open_plain(open(path, O_PATH | O_CLOEXEC));
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
