// SPDX-License-Identifier: Apache-2.0
/* base/threads.c: work spread over the processors: threads that start and end within one call, and pieces that are
 * taken and joined in order, so that results are the same for any number of threads. */
#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define USUAL_MOST 16
#define STACK ((size_t)512 << 10) /* readers do not recurse; error messages take about 20 KB */

static size_t usual_threads(void)
{
    size_t n = tfp_processors();
    return n > USUAL_MOST ? USUAL_MOST : n;
}

tfp_sharing tfp_sharing_get(void)
{
    tfp_sharing s = { 0, 0 };
    const char *words = getenv("TFPROF_THREADS");
    if (words && *words) {
        const char *slash = strchr(words, '/');
        int64_t n;
        if (tfp_parse_int64((tfp_str){ words, slash ? (size_t)(slash - words) : strlen(words) }, &n) && n > 0)
            s.threads = n > TFP_THREADS_MOST ? TFP_THREADS_MOST : (size_t)n;
        if (slash && tfp_parse_int64(tfp_str_of(slash + 1), &n) && n > 0) s.piece = (size_t)n;
    }
    if (!s.threads) s.threads = usual_threads();
    return s;
}

size_t tfp_threads_for_bytes(uint64_t bytes, uint64_t smallest, size_t *piece)
{
    tfp_sharing share = tfp_sharing_get();
    if (!share.piece && bytes < smallest) return 1;
    if (share.piece) *piece = share.piece;
    uint64_t most = bytes / *piece + 1;
    return share.threads < most ? share.threads : (size_t)most;
}

/* ---- threads ---- */

typedef struct start {
    void (*run)(void *ctx, size_t worker);
    void *ctx;
    size_t worker;
} start;

static void *begin(void *argument)
{
    const start *s = argument;
    s->run(s->ctx, s->worker);
    return NULL;
}

void tfp_threads_run(size_t threads, void (*run)(void *ctx, size_t worker), void *ctx)
{
    pthread_t ids[TFP_THREADS_MOST];
    start starts[TFP_THREADS_MOST];
    pthread_attr_t attr;
    size_t started = 0;
    if (threads > TFP_THREADS_MOST) threads = TFP_THREADS_MOST;
    if (threads > 1 && pthread_attr_init(&attr) == 0) {
        pthread_attr_setstacksize(&attr, STACK);
        while (started + 1 < threads) {
            starts[started] = (start){ run, ctx, started + 1 };
            if (pthread_create(&ids[started], &attr, begin, &starts[started]) != 0) break;
            started++;
        }
        pthread_attr_destroy(&attr);
    }
    run(ctx, 0);
    for (size_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
}

/* ---- rows ---- */

#define ROWS 4096    /* rows of a part */
#define FEWEST 16384 /* starting threads takes longer than fewer rows */

typedef struct rows {
    void (*work)(void *ctx, size_t worker, size_t first, size_t end);
    void *ctx;
    size_t count, size;
    atomic_size_t next;
} rows;

size_t tfp_rows_threads(size_t count)
{
    tfp_sharing share = tfp_sharing_get();
    if (!share.piece && count < FEWEST) return 1;
    size_t parts = count / (share.piece ? share.piece : ROWS) + 1;
    return share.threads < parts ? share.threads : parts;
}

static void work_rows(void *ctx, size_t worker)
{
    rows *r = ctx;
    size_t first;
    while ((first = atomic_fetch_add(&r->next, r->size)) < r->count)
        r->work(r->ctx, worker, first, r->count - first > r->size ? first + r->size : r->count);
}

void tfp_rows_run(size_t threads, size_t count, void (*work)(void *ctx, size_t worker, size_t first, size_t end),
                  void *ctx)
{
    tfp_sharing share = tfp_sharing_get();
    rows r = { work, ctx, count, share.piece ? share.piece : ROWS, 0 };
    if (threads < 2) {
        if (count) work(ctx, 0, 0, count);
    } else {
        tfp_threads_run(threads, work_rows, &r);
    }
}

/* ---- pieces ---- */

typedef enum slot_state { FREE, BUSY, DONE } slot_state;

typedef struct line {
    const tfp_pieces *p;
    pthread_mutex_t lock; /* guards all members below; not held during callbacks of `p` */
    pthread_cond_t moved;
    size_t waiting, slot_count;
    uint64_t taken, joined; /* counts of pieces; piece n is in slot n modulo the number of slots */
    bool taking, joining, no_more, ended;
    uint8_t slots[TFP_SLOTS(TFP_THREADS_MOST)];
} line;

static void tell(line *l)
{
    if (l->waiting) pthread_cond_broadcast(&l->moved);
}

static size_t slot_of(const line *l, uint64_t piece) { return (size_t)(piece % l->slot_count); }

static bool can_join(const line *l, size_t worker)
{
    if (l->joining || (worker && l->p->caller_joins)) return false;
    return l->joined < l->taken && l->slots[slot_of(l, l->joined)] == DONE;
}

static void join_one(line *l)
{
    size_t slot = slot_of(l, l->joined);
    l->joining = true;
    pthread_mutex_unlock(&l->lock);
    bool goes_on = l->p->join(l->p->ctx, slot);
    pthread_mutex_lock(&l->lock);
    l->joining = false;
    l->slots[slot] = FREE;
    l->joined++;
    l->ended |= !goes_on;
    tell(l);
}

static bool can_take(const line *l) { return !l->no_more && !l->taking && l->slots[slot_of(l, l->taken)] == FREE; }

static void take_one(line *l, size_t worker)
{
    size_t slot = slot_of(l, l->taken);
    l->taking = true;
    pthread_mutex_unlock(&l->lock);
    bool more = l->p->take(l->p->ctx, slot, worker);
    pthread_mutex_lock(&l->lock);
    l->taking = false;
    l->no_more |= !more;
    if (more) {
        l->slots[slot] = BUSY;
        l->taken++;
    }
    tell(l);
    if (!more) return;
    pthread_mutex_unlock(&l->lock);
    l->p->work(l->p->ctx, slot);
    pthread_mutex_lock(&l->lock);
    l->slots[slot] = DONE;
    tell(l);
}

/* The caller stays until everything is joined; the other workers leave when no piece is left to take. */
static bool is_finished(const line *l, size_t worker)
{
    return l->ended || (l->no_more && (worker || l->joined == l->taken));
}

static void work_along(void *ctx, size_t worker)
{
    line *l = ctx;
    pthread_mutex_lock(&l->lock);
    while (!l->ended) {
        if (can_join(l, worker)) {
            join_one(l);
        } else if (can_take(l)) {
            take_one(l, worker);
        } else if (is_finished(l, worker)) {
            break;
        } else {
            l->waiting++;
            pthread_cond_wait(&l->moved, &l->lock);
            l->waiting--;
        }
    }
    pthread_mutex_unlock(&l->lock);
}

void tfp_pieces_run(const tfp_pieces *p, size_t threads)
{
    if (threads > TFP_THREADS_MOST) threads = TFP_THREADS_MOST;
    line l = { .p = p, .slot_count = TFP_SLOTS(threads) };
    pthread_mutex_init(&l.lock, NULL);
    pthread_cond_init(&l.moved, NULL);
    tfp_threads_run(threads, work_along, &l);
    pthread_cond_destroy(&l.moved);
    pthread_mutex_destroy(&l.lock);
}
