// SPDX-License-Identifier: Apache-2.0
/* Replaces libcupti in tests/live/cuda.py: delivers made-up activities in the layouts of CUPTI's documentation (offsets as
 * measured on the headers of 11.8, 12.9 and 13.0, not taken from src/live). FAKE_CUPTI selects an error. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void (*request)(uint8_t **, size_t *, size_t *);
static void (*complete)(void *, uint32_t, uint8_t *, size_t, size_t);
static uint8_t *buffer;
static size_t room, used;
static unsigned enabled, flushes;
static pthread_mutex_t own = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* CUPTI may be called from any thread */

static const char *fault(void) { return getenv("FAKE_CUPTI") ? getenv("FAKE_CUPTI") : ""; }
static int is(const char *what) { return strcmp(fault(), what) == 0; }

int cuptiActivityRegisterCallbacks(void (*r)(uint8_t **, size_t *, size_t *),
                                   void (*c)(void *, uint32_t, uint8_t *, size_t, size_t))
{
    request = r, complete = c;
    return is("subscribed") ? 39 : 0;
}

int cuptiActivityEnable(uint32_t kind)
{
    if (is("no driver")) return 999;
    if (is("no sets") && kind == 2) return 26;
    enabled |= 1u << kind;
    return 0;
}

int cuptiActivityDisable(uint32_t kind)
{
    enabled &= ~(1u << kind);
    return 0;
}

int cuptiGetVersion(uint32_t *version)
{
    *version = is("old") ? 12 : is("new") ? 140000 : is("eleven") ? 18 : is("twelve") ? 28 : 130001;
    return 0;
}

int cuptiGetTimestamp(uint64_t *ns)
{
    *ns = 5000000;
    return 0;
}

int cuptiActivityFlushPeriod(uint32_t ms) { return ms ? 0 : 1; }

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context, (void)stream;
    *count = is("dropped") ? 7 : 0;
    return 0;
}

int cuptiGetResultString(int error, const char **text)
{
    *text = error == 39    ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
            : error == 999 ? "CUPTI_ERROR_UNKNOWN"
                           : "CUPTI_ERROR_OTHER";
    return 0;
}

int cuptiGetCallbackName(uint32_t domain, uint32_t id, const char **name)
{
    *name = domain == 2 && id == 211   ? "cudaLaunchKernel_v7000"
            : domain == 1 && id == 307 ? "cuLaunchKernel"
            : domain == 1 && id == 3   ? "cuCtxGetCurrent"
                                       : NULL;
    return *name ? 0 : 1;
}

static size_t size_of(uint32_t kind) { return kind == 10 ? 216 : kind == 1 ? 96 : kind == 2 ? 88 : 40; }

int cuptiActivityGetNextRecord(uint8_t *from, size_t valid, uint8_t **record)
{
    uint32_t kind;
    uint8_t *next = from;
    if (*record) {
        memcpy(&kind, *record, sizeof kind);
        next = *record + size_of(kind);
    }
    if (next >= from + valid) return 12;
    *record = next;
    return 0;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&own);
    uint8_t *full = buffer;
    buffer = NULL;
    flushes++;
    if (full) complete(NULL, 0, full, room, used);
    pthread_mutex_unlock(&own);
    return 0;
}

static void *add(uint32_t kind)
{
    static uint8_t ignored[216];
    if (!(enabled >> kind & 1)) return ignored;
    if (buffer && used + 216 > room) cuptiActivityFlushAll(0);
    if (!buffer) {
        size_t most;
        request(&buffer, &room, &most);
        used = 0;
    }
    uint8_t *r = memset(buffer + used, 0xee, size_of(kind)); /* fields that are not read have arbitrary values */
    used += size_of(kind);
    memcpy(r, &kind, 4);
    return r;
}

static void put(void *r, size_t at, uint64_t n, size_t size) { memcpy((uint8_t *)r + at, &n, size); }

static void call(uint32_t kind, uint32_t id, uint64_t start, uint64_t end, uint32_t correlation)
{
    void *r = add(kind);
    put(r, 4, id, 4), put(r, 8, start, 8), put(r, 16, end, 8), put(r, 24, 77, 4), put(r, 28, 78, 4),
        put(r, 32, correlation, 4);
}

static void kernel(const char *name, uint64_t start, uint64_t end, uint32_t correlation)
{
    void *r = add(10);
    put(r, 6, 32, 2), put(r, 16, start, 8), put(r, 24, end, 8), put(r, 40, 1, 4), put(r, 44, 1, 4), put(r, 48, 7, 4);
    put(r, 52, 4, 4), put(r, 56, 2, 4), put(r, 60, 1, 4), put(r, 64, 128, 4), put(r, 68, 1, 4), put(r, 72, 1, 4);
    put(r, 76, 1024, 4), put(r, 80, 512, 4), put(r, 92, correlation, 4), put(r, 104, (uintptr_t)name, 8),
        put(r, 144, 9, 8);
}

/* The work of training steps: two kernels, a copy and a memset in each. */
void fake_steps(int first, int count)
{
    for (int i = first; i < first + count; i++) {
        uint64_t at = 6000000 + 10000 * (uint64_t)i;
        uint32_t id = (uint32_t)(i * 10 + 1);
        void *r;
        pthread_mutex_lock(&own);
        call(5, 211, at, at + 900, id);
        call(4, 307, at + 100, at + 800, id);
        call(4, 3, at + 850, at + 860, id + 1);
        kernel("_Z4gemmPfi", at + 1000, at + 3000, id);
        kernel("fill", at + 3000, at + 3500, id + 2);
        r = add(1);
        put(r, 4, 1, 1), put(r, 5, 2, 1), put(r, 6, 3, 1), put(r, 8, 4096, 8), put(r, 16, at + 4000, 8),
            put(r, 24, at + 4300, 8);
        put(r, 32, 1, 4), put(r, 36, 1, 4), put(r, 40, 7, 4), put(r, 44, id + 3, 4);
        r = add(2);
        put(r, 8, 64, 8), put(r, 16, at + 5000, 8), put(r, 24, at + 5100, 8), put(r, 32, 1, 4), put(r, 36, 1, 4),
            put(r, 40, 7, 4), put(r, 44, id + 4, 4);
        pthread_mutex_unlock(&own);
    }
    if (is("timeless")) kernel("untimed", 0, 0, 0);
}
