// SPDX-License-Identifier: Apache-2.0
/* lock.c: the lock of a profile, and the progress callback while C works without the interpreter's lock. */
#include "native.h"

#include <string.h>
#include <time.h>

/* ---- the lock ---- */

static bool take(profile_object *p, int (*try_lock)(pthread_rwlock_t *), int (*lock)(pthread_rwlock_t *))
{
    int wrong = try_lock(&p->lock);
    if (wrong) {
        Py_BEGIN_ALLOW_THREADS
        wrong = lock(&p->lock);
        Py_END_ALLOW_THREADS
    }
    /* the progress callback of an addition in this same thread */
    if (wrong) raise_usage(state_of((PyObject *)p), "the profile is busy");
    if (wrong || !p->closed) return !wrong;
    pthread_rwlock_unlock(&p->lock);
    raise_usage(state_of((PyObject *)p), "the profile is closed");
    return false;
}

bool lock_for_reading(profile_object *p) { return take(p, pthread_rwlock_tryrdlock, pthread_rwlock_rdlock); }
bool lock_for_writing(profile_object *p) { return take(p, pthread_rwlock_trywrlock, pthread_rwlock_wrlock); }

/* Writers have priority: otherwise a step would wait to be added as long as anyone reads. */
bool make_lock(profile_object *p)
{
    pthread_rwlockattr_t writers_first;
    if (pthread_rwlockattr_init(&writers_first)) return false;
    p->has_lock = !pthread_rwlockattr_setkind_np(&writers_first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) &&
                  !pthread_rwlock_init(&p->lock, &writers_first);
    pthread_rwlockattr_destroy(&writers_first);
    return p->has_lock;
}

void unlock_profile(profile_object *p) { pthread_rwlock_unlock(&p->lock); }

/* Sorts by address and removes duplicates; lists are short. */
static size_t sort_once(profile_object **list, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        profile_object *p = list[i];
        size_t at = 0;
        while (at < n && list[at] < p) at++;
        if (at < n && list[at] == p) continue;
        memmove(list + at + 1, list + at, (n++ - at) * sizeof *list);
        list[at] = p;
    }
    return n;
}

bool lock_all_for_reading(profile_object **list, size_t *count)
{
    size_t held = 0;
    *count = sort_once(list, *count);
    while (held < *count && lock_for_reading(list[held])) held++;
    if (held == *count) return true;
    unlock_all(list, held);
    return false;
}

void unlock_all(profile_object **list, size_t count)
{
    for (size_t i = 0; i < count; i++) unlock_profile(list[i]);
}

/* ---- progress ---- */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

watch start_watch(PyObject *callback) { return (watch){ callback, now_ms() }; }

int look_around(void *ctx, uint64_t done, uint64_t total)
{
    watch *p = ctx;
    int64_t now = now_ms();
    bool last = total && done == total;
    if (now - p->last_ms < 50 && !last) return 0;
    p->last_ms = now;
    PyGILState_STATE held = PyGILState_Ensure();
    bool stop = PyErr_CheckSignals() != 0;
    if (!stop && p->callback) {
        PyObject *answer =
            PyObject_CallFunction(p->callback, "KK", (unsigned long long)done, (unsigned long long)total);
        stop = !answer;
        Py_XDECREF(answer);
    }
    PyGILState_Release(held);
    return stop;
}
