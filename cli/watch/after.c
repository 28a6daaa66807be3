// SPDX-License-Identifier: Apache-2.0
/* cli/watch/after.c: starts and ends the captures after a finding. */
#include "after.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { END_SECONDS = 15, PAUSE_MS = 50 };

void after_start(void *ctx, const int64_t *pids, size_t count, const char *folder)
{
    after *a = ctx;
    char numbers[2][24], path[PATH_MAX];
    char *words[] = { (char[]){ "tfprof" },
                      (char[]){ "capture" },
                      (char[]){ "-o" },
                      NULL,
                      (char[]){ "--ms" },
                      (char[]){ "500" },
                      (char[]){ "--max-bytes" },
                      (char[]){ "64MiB" },
                      (char[]){ "--timeout" },
                      (char[]){ "10" },
                      (char[]){ "--wait" },
                      (char[]){ "2" },
                      (char[]){ "--format" },
                      (char[]){ "jsonl" },
                      NULL,
                      NULL,
                      NULL,
                      NULL };
    size_t at = 14;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    after_look(a);
    if (a->child || count > 2) {
        a->failed++;
        return;
    }
    snprintf(path, sizeof path, "%s", folder);
    words[3] = path;
    for (size_t i = 0; i < count; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)pids[i]);
        words[at++] = numbers[i];
    }
    if (a->attach) words[at++] = (char[]){ "--attach" };
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setpgroup(&attr, 0); /* ^C at the terminal ends the watch, which waits for it */
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
    if (posix_spawn(&a->child, "/proc/self/exe", &files, &attr, words, environ)) {
        a->child = 0;
        a->failed++;
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
}

void after_look(after *a)
{
    int status = 0;
    if (!a->child || waitpid(a->child, &status, WNOHANG) != a->child) return;
    a->child = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
        a->refused++;
    else if (status)
        a->failed++;
}

const char *after_end(after *a)
{
    static char note[160];
    for (int i = 0; a->child && i < END_SECONDS * 1000 / PAUSE_MS; i++) {
        after_look(a);
        if (a->child) nanosleep(&(struct timespec){ 0, PAUSE_MS * 1000000 }, NULL);
    }
    if (a->child) {
        kill(a->child, SIGTERM);
        waitpid(a->child, NULL, 0);
        a->child = 0;
        a->failed++;
    }
    if (!a->refused && !a->failed) return NULL;
    snprintf(note, sizeof note, "capture: %zu incomplete (manifest.json in its folder says why), %zu not made",
             a->refused, a->failed);
    return note;
}
