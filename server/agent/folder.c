// SPDX-License-Identifier: Apache-2.0
/* server/agent/folder.c: the folder of an agent's recording: it is made, sent and removed through its descriptor. If paths were used,
 * another user who may write above it could make us send or remove other files. */
#include "agent.h"
#include "data/live.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 4 };

int agent_folder_make(char *path, size_t room)
{
    struct stat st;
    const char *base = getenv("TMPDIR");
    snprintf(path, room, "%.3000s/tfprof-agent-XXXXXX", base && *base == '/' ? base : "/tmp");
    if (!mkdtemp(path)) return -1; /* 0700 */
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &st) == 0 && st.st_uid == geteuid())) return fd;
    close(fd);
    return -1;
}

/* Lists a folder's names, without moving the descriptor. */
static DIR *list(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d && fd >= 0) close(fd);
    return d;
}

static void clear(int folder, int depth)
{
    DIR *d = list(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        bool entry = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
        if (!entry || unlinkat(folder, e->d_name, 0) == 0 || depth == DEEPEST) continue;
        int fd = openat(folder, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) continue;
        clear(fd, depth + 1);
        close(fd);
        unlinkat(folder, e->d_name, AT_REMOVEDIR);
    }
    if (d) closedir(d);
}

void agent_folder_remove(const char *path, int folder)
{
    clear(folder, 0);
    close(folder);
    rmdir(path);
}

/* Sends a file; its name in the stream is JOB/FILE, or FILE without a job. folder: the job's folder. */
static bool send_file(int out, int folder, const char *job, const char *file)
{
    char name[600], line[ARCHIVE_NAME + 64], bytes[1 << 16];
    archive_entry entry;
    struct stat st;
    snprintf(name, sizeof name, "%s%s%s", job, *job ? "/" : "", file);
    int fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        if (fd >= 0) close(fd);
        return true;
    }
    int n = snprintf(line, sizeof line, "file %s %lld", name, (long long)st.st_size);
    bool ok = n > 0 && (size_t)n < sizeof line - 1 && archive_line(line, &entry);
    if (ok) line[n] = '\n';
    ok = !ok || live_write_all(out, line, (size_t)n + 1);
    for (int64_t left = ok && line[n] == '\n' ? st.st_size : 0; left && ok;) {
        ssize_t got = read(fd, bytes, left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes);
        ok = got > 0 && live_write_all(out, bytes, (size_t)got);
        left -= got > 0 ? got : 0;
    }
    close(fd);
    return ok;
}

static bool send_job(int out, int folder, const char *job)
{
    bool ok = true;
    DIR *files = list(folder);
    for (struct dirent *f; ok && files && (f = readdir(files));)
        if (*f->d_name != '.') ok = send_file(out, folder, job, f->d_name);
    if (files) closedir(files);
    return ok;
}

bool agent_folder_send(int out, int folder)
{
    DIR *jobs = list(folder);
    bool ok = jobs != NULL;
    for (struct dirent *j; ok && (j = readdir(jobs));) {
        if (*j->d_name == '.' || strcmp(j->d_name, "manifest.json") == 0) continue;
        int fd = openat(folder, j->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0) continue;
        ok = send_job(out, fd, j->d_name);
        close(fd);
    }
    if (jobs) closedir(jobs);
    return ok && send_file(out, folder, "", "manifest.json") && live_write_all(out, "end\n", 4);
}
