// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_files.c: opens the folder again for each file, because a job may close descriptors that it does not know. The folder must
 * still be the same one: where others may write above it, its path may lead elsewhere by now. */
#include "live/run/cuda_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[3900], base[40];
static struct stat folder_is;

int tfp_cuda_file(const char *end, int flags)
{
    char name[64];
    struct stat st;
    int fd = -1, at = open(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    snprintf(name, sizeof name, "%s%s", base, end);
    if (at >= 0 && fstat(at, &st) == 0 && st.st_dev == folder_is.st_dev && st.st_ino == folder_is.st_ino)
        fd = openat(at, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
    int why = errno;
    if (at >= 0) close(at);
    errno = why;
    return fd;
}

bool tfp_cuda_files_begin(const char *told, pid_t pid)
{
    char name[64];
    bool found = false;
    int at = strlen(told) < sizeof folder ? open(told, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    bool ours = at >= 0 && fstat(at, &folder_is) == 0 && folder_is.st_uid == geteuid() && !(folder_is.st_mode & 077);
    if (ours) strcpy(folder, told);
    for (int i = 0; ours && !found && i < 1000; i++) {
        snprintf(base, sizeof base, "%d-%d", (int)pid, i);
        snprintf(name, sizeof name, "%s.cuda", base);
        bool used = faccessat(at, name, F_OK, 0) == 0;
        snprintf(name, sizeof name, "%s.why", base);
        found = !used && faccessat(at, name, F_OK, 0) != 0;
    }
    if (at >= 0) close(at);
    return found;
}
