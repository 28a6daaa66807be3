// SPDX-License-Identifier: Apache-2.0
/* base/system.c: functions that exist only on Linux, or have other names elsewhere. It is the only file of the library
 * outside live/ that includes a Linux header (tools/portable.py). On other systems each function does what C and POSIX
 * allow. */
#include "base/base.h"

#include <sched.h>
#include <signal.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

int64_t tfp_now_ns(void)
{
    struct timespec t = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t tfp_unix_micros(void)
{
    struct timespec t = { 0, 0 };
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

bool tfp_random(uint64_t *out)
{
#ifdef __linux__
    return getrandom(out, sizeof *out, GRND_NONBLOCK) == (ssize_t)sizeof *out;
#else
    return getentropy(out, sizeof *out) == 0;
#endif
}

size_t tfp_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
#else
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#endif
    return n < 1 ? 1 : (size_t)n;
}

void tfp_memory_give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0); /* glibc keeps freed memory; musl, in the static program, returns large blocks itself */
#endif
}

bool tfp_is_proc(int folder)
{
#ifdef __linux__
    struct statfs fs;
    return fstatfs(folder, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
#else
    (void)folder;
    return false;
#endif
}

void tfp_end_with_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}
