// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/drive_files.c: the temporary folder for formats that must be files. */
#include "drive.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

/* Removes it with files that the library left there. */
static void remove_folder(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(folder);
}

const char *drive_folder(void)
{
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/fuzz_of_tfprof_XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(folder)) exit(2);
        atexit(remove_folder);
    }
    return folder;
}

static int folder_fd(void) { return open(drive_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

void drive_file(const char *name, const void *data, size_t size)
{
    int at = folder_fd();
    int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size)) exit(2);
    close(fd);
    close(at);
}

void drive_remove(const char *name)
{
    int at = folder_fd();
    unlinkat(at, name, 0);
    close(at);
}
