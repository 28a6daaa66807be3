// SPDX-License-Identifier: Apache-2.0
/* Stands in for a job that uses CUDA in tests/live/cuda.py: loads the library of CUDA_INJECTION64_PATH as cuInit does, then lets
 * cupti.c make up work. job WORD [STEPS]: normal, crash, quick, none, fork, children, exec, status, closed, small, long */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void (*steps)(int, int);
static int (*flush)(unsigned);

static void *function(void *library, const char *name) { return library ? dlsym(library, name) : NULL; }

static void cu_init(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *injected = path ? dlopen(path, RTLD_NOW) : NULL, *at = function(injected, "InitializeInjection"), *cupti;
    int (*initialize)(void);
    memcpy(&initialize, &at, sizeof at);
    if (at && initialize() != 1) abort();
    cupti = dlopen("libcupti.so.12", RTLD_NOW | RTLD_NOLOAD);
    at = function(cupti, "fake_steps");
    memcpy(&steps, &at, sizeof at);
    at = function(cupti, "cuptiActivityFlushAll");
    memcpy(&flush, &at, sizeof at);
}

static void work(int first, int count)
{
    if (steps) steps(first, count);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "normal";
    int count = argc > 2 ? atoi(argv[2]) : 10;
    puts("out");
    fputs("err\n", stderr);
    fflush(stdout);
    if (strcmp(word, "none") == 0) return 0;
    if (strcmp(word, "small") == 0) setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 20000, 20000 });
    cu_init();
    if (strcmp(word, "closed") == 0) { /* like a daemon; afterwards these descriptor numbers belong to its own files */
        closefrom(3);
        for (int i = 0; i < 8; i++) open("own", O_WRONLY | O_CREAT | O_APPEND, 0600);
    }
    work(0, count);
    for (int i = 0; strcmp(word, "long") == 0 && i < 300; i++) { /* three seconds */
        work(count + i, 1);
        usleep(10000);
    }
    if (strcmp(word, "crash") == 0 || strcmp(word, "quick") == 0) {
        if (flush) flush(0);
        work(count, 5); /* these are lost */
        if (*word == 'c') raise(SIGSEGV);
        _exit(4);
    }
    if (strcmp(word, "fork") == 0) {
        if (fork() == 0) {
            work(count, 3); /* CUDA does not work after a fork, so nothing may be written */
            exit(0);
        }
        wait(NULL);
    }
    if (strcmp(word, "children") == 0) {
        for (int i = 0; i < 2; i++)
            if (fork() == 0) execl("/proc/self/exe", argv[0], "normal", "3", (char *)NULL);
        while (wait(NULL) > 0) {}
    }
    if (strcmp(word, "exec") == 0) {
        if (flush) flush(0);
        execl("/proc/self/exe", argv[0], "normal", "3", (char *)NULL);
    }
    return strcmp(word, "status") == 0 ? 9 : 0;
}
