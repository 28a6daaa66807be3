// SPDX-License-Identifier: Apache-2.0
/* tests/faults/memory.c: makes every allocation of every scenario fail in turn, alone and with all that follow.
 *   memory [-v] [-e EVERY] [WORD]      only scenarios whose name holds WORD
 * EVERY takes one of so many allocations beyond the first 25, others in each scenario but the same ones each time.
 * Each failure must end in TFP_NOMEM with a message, or in success with exactly the usual output; and nothing may leak. */
#include "scenarios.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
static int leaks(void) { return __lsan_do_recoverable_leak_check(); }
#else
static int leaks(void) { return 0; } /* valgrind reports them instead */
#endif

/* ---- the allocator that fails ---- */

static bool sticky;
static atomic_bool armed;
static unsigned long fail_at;
static atomic_ulong calls;

void faults_begin(void) { armed = true; }
void faults_end(void) { armed = false; }

static bool fails(void)
{
    if (!armed) return false;
    unsigned long call = ++calls;
    if (!fail_at || (sticky ? call < fail_at : call != fail_at)) return false;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *s);
char *__real_realpath(const char *path, char *to);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_realpath(const char *path, char *to);

void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) { return fails() ? NULL : __real_calloc(count, size); }
void *__wrap_realloc(void *old, size_t size) { return fails() ? NULL : __real_realloc(old, size); }
char *__wrap_strdup(const char *s) { return fails() ? NULL : __real_strdup(s); }
char *__wrap_realpath(const char *path, char *to) { return fails() ? NULL : __real_realpath(path, to); }

/* ---- judging ---- */

typedef struct tally {
    unsigned long passed, failed, told;
} tally;

static void judge(tally *t, const scenario *s, const outcome *usual, const outcome *now)
{
    const char *fault = NULL;
    if (now->status == TFP_NOMEM) {
        /* without memory even the error object may be missing */
        if (!*now->message && fail_at > 1 && !sticky) fault = "no message";
    } else if (now->status != usual->status) {
        fault = "a status that is not TFP_NOMEM";
    } else if (!outcome_same(usual, now)) {
        fault = "success, but another output";
    }
    if (!fault) {
        t->passed++;
        return;
    }
    t->failed++;
    if (t->told++ < 20)
        printf("%s: allocation %lu%s: %s (status %d, \"%.200s\")\n", s->name, fail_at, sticky ? " and later" : "",
               fault, (int)now->status, now->message);
}

enum { ALL_OF_FIRST = 25 };

static void run_scenario(tally *t, const scenario *s, const char *sample, const char *folder, unsigned long every,
                         unsigned long turn)
{
    outcome usual;
    calls = fail_at = 0;
    scenario_run(s, sample, folder, &usual);
    unsigned long all = calls;
    for (int mode = 0; mode < 2; mode++) {
        sticky = mode == 1;
        for (unsigned long n = 1; n <= all; n++) {
            outcome now;
            /* if all later allocations fail too, runs differ only in the first ones */
            if (n > ALL_OF_FIRST && (n + turn) % (sticky && every > 1 ? 4 * every : every)) continue;
            calls = 0;
            fail_at = n;
            scenario_run(s, sample, folder, &now);
            judge(t, s, &usual, &now);
            outcome_free(&now);
        }
    }
    outcome_free(&usual);
    if (leaks()) {
        printf("%s: leaks\n", s->name);
        t->failed++;
    }
}

int main(int argc, char **argv)
{
    session x;
    if (!session_begin(argc, argv, &x)) return 2;
    size_t count;
    scenario *all = scenarios_make(&count);
    tally t = { 0, 0, 0 };
    size_t ran = 0;
    for (size_t i = 0; i < count; i++) {
        if (!strstr(all[i].name, x.word)) continue;
        unsigned long before = t.passed + t.failed;
        run_scenario(&t, &all[i], SAMPLE_FOLDER, x.folder, x.every, i);
        if (x.verbose) printf("%s: %lu\n", all[i].name, t.passed + t.failed - before), fflush(stdout);
        ran++;
    }
    if (!session_end(&x)) return 2;
    free(all);
    printf("single allocation failures in %zu scenarios\n%lu passed, %lu failed\n", ran, t.passed, t.failed);
    return t.failed != 0;
}
