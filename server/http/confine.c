// SPDX-License-Identifier: Apache-2.0
/* server/http/confine.c: the server needs no right to write files, and to read only those below the folders given at its start.
 * It gives up all other rights (Landlock, Linux 5.13 and newer; on other systems nothing happens). */
#include "confine.h"

#include <stdbool.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

static bool allow(long set, int folder)
{
    struct landlock_path_beneath_attr rule = { .allowed_access = READING, .parent_fd = folder };
    return syscall(SYS_landlock_add_rule, (int)set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZERS_NEED "/proc"
#else
#define SANITIZERS_NEED "/usr"
#endif

/* Allows the folders of libraries that are loaded on first use. */
static bool allow_libraries(long set)
{
    static const char *const folders[] = { "/usr", "/lib", "/lib64", "/etc", SANITIZERS_NEED };
    bool ok = true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int fd = open(folders[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) continue;
        ok &= allow(set, fd);
        close(fd);
    }
    return ok;
}

static void deny(const int *folders, size_t count)
{
    struct landlock_ruleset_attr rules = {
        .handled_access_fs = READING | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                             LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                             LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_EXECUTE,
    };
    long set = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (set < 0) return;
    bool ok = allow_libraries(set);
    for (size_t i = 0; i < count; i++) ok &= allow(set, folders[i]);
    if (ok) syscall(SYS_landlock_restrict_self, (int)set, 0);
    close((int)set);
}
#else
static void deny(const int *folders, size_t count) { (void)folders, (void)count; }
#endif

void confine(const int *folders, size_t count)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
    deny(folders, count);
}
