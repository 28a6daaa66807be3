// SPDX-License-Identifier: Apache-2.0
/* live/run/cuda_bounds.c: a thread that turns recording on and off, each 20 ms at most. It is part of the library that CUDA loads. */
#include "live/run/cuda_bounds.h"
#include "live/run/cuda_cupti.h"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAP_MS = 20, SECOND_MS = 1000 };

const uint32_t tfp_cuda_kinds[] = { KIND_KERNEL, KIND_MEMCPY, KIND_MEMSET, KIND_RUNTIME, KIND_DRIVER };
const char tfp_cuda_left[] =
    "PyTorch's own collector (torch.profiler._cuspy) is loaded in this process: CUPTI is left to it";

static pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;
static bool ended;

void tfp_cuda_bounds_read(tfp_cuda_bounds *b, const char *text)
{
    uint64_t *const to[] = { &b->window_ms, &b->every_ms, &b->rate };
    for (size_t i = 0; text && *text && i < sizeof to / sizeof *to; i++) {
        char *end;
        *to[i] = strtoull(text, &end, 10);
        text = end;
    }
}

/* The extension of the package cupti-python: .../cupti/cupti.cpython-311-x86_64-linux-gnu.so */
static int is_binding(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (slash && slash - info->dlpi_name >= 6 && strncmp(slash - 6, "/cupti", 6) == 0 &&
        strncmp(slash + 1, "cupti.", 6) == 0)
        *(bool *)found = true;
    return *(bool *)found;
}

bool tfp_cuda_other_collector(void)
{
    bool found = false;
    dl_iterate_phdr(is_binding, &found);
    return found;
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Whether a window is open: the first one begins after one period. */
static bool in_window(const tfp_cuda_bounds *b, uint64_t since_ms)
{
    return !b->every_ms || (since_ms >= b->every_ms && since_ms % b->every_ms < b->window_ms);
}

/* Turns recording on or off. */
static void change(bool on)
{
    pthread_mutex_lock(&switching);
    for (size_t i = 0; i < TFP_CUDA_KINDS && !ended; i++)
        on ? tfp_cupti.enable(tfp_cuda_kinds[i]) : tfp_cupti.disable(tfp_cuda_kinds[i]);
    if (!on && !ended) tfp_cupti.flush_all(0);
    pthread_mutex_unlock(&switching);
}

static void *keep(void *ctx)
{
    tfp_cuda_bounds *b = ctx;
    uint64_t begun = now_ms(), second = begun, base = 0;
    bool on = !b->every_ms, over = false;
    for (;;) {
        pthread_mutex_lock(&switching);
        bool over_all = ended;
        pthread_mutex_unlock(&switching);
        if (over_all) return NULL;
        uint64_t now = now_ms(), counted = atomic_load(&b->counted);
        if (now - second >= SECOND_MS) {
            second = now;
            base = counted;
            over = false;
            if (tfp_cuda_other_collector()) atomic_store(&b->left, true);
        }
        if (b->rate && !over && counted - base > b->rate) {
            over = true;
            atomic_fetch_add(&b->limited, 1);
        }
        bool wanted = in_window(b, now - begun) && !over && !atomic_load(&b->left);
        if (wanted != on) change(wanted);
        on = wanted;
        nanosleep(&(struct timespec){ 0, NAP_MS * 1000000 }, NULL);
    }
}

void tfp_cuda_bounds_start(tfp_cuda_bounds *b)
{
    pthread_t thread;
    pthread_attr_t how;
    sigset_t all, before;
    if (b->every_ms) change(false); /* until the first window */
    sigfillset(&all);
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals of the job are for its own threads */
    (void)!pthread_create(&thread, &how, keep, b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
}

void tfp_cuda_bounds_end(void)
{
    pthread_mutex_lock(&switching);
    ended = true;
    pthread_mutex_unlock(&switching);
}
