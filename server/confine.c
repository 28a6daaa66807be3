/* server/confine.c: the server needs no right to write files, so it gives it up (Landlock, Linux 5.13 and newer; elsewhere
 * nothing happens). */
#include "server_parts.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>

static void deny_writing(void)
{
    struct landlock_ruleset_attr rules = {
        .handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                             LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                             LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                             LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_EXECUTE,
    };
    long set = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (set < 0) return;
    syscall(SYS_landlock_restrict_self, (int)set, 0);
    close((int)set);
}
#else
static void deny_writing(void) {}
#endif

void confine(void)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return;
    deny_writing();
}
