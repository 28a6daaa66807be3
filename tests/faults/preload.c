// SPDX-License-Identifier: Apache-2.0
/* tests/faults/preload.c: an allocator that fails, loaded before all libraries of the program (LD_PRELOAD), including
 * the C++ library. FAIL_AT=N in the environment: the N-th allocation fails. Without it the number of allocations is
 * written to the file COUNT_TO at the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static unsigned long calls, fail_at;
static int ready;

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("FAIL_AT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    calls = 0;
    ready = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("COUNT_TO");
    unsigned long all = calls;
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f) return;
    fprintf(f, "%lu\n", all);
    fclose(f);
}

static int fails(void)
{
    if (!ready) return 0;
    unsigned long n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (n != fail_at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
