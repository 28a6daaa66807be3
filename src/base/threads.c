/* base/threads.c: work shared out over the processors: threads that start and end within one call, and pieces that are
 * taken and joined in order, so that results are the same for any number of threads. */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define USUAL_MOST 16
#define STACK ((size_t)512 << 10) /* readers do not recurse; messages of errors take some 20 KB */

static size_t processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : n > USUAL_MOST ? USUAL_MOST : (size_t)n;
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
    if (!s.threads) s.threads = processors();
    return s;
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

#define ROWS 4096    /* of a part */
#define FEWEST 16384 /* fewer rows are done sooner than threads are started */

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

typedef struct line {
    const tfp_pieces *p;
    pthread_mutex_t taking; /* held while a piece is taken */
    uint64_t taken;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t moved;
    uint64_t joined; /* pieces that are joined: the next one to be joined has this number */
    bool ended;
} line;

static bool has_ended(line *l)
{
    pthread_mutex_lock(&l->lock);
    bool ended = l->ended;
    pthread_mutex_unlock(&l->lock);
    return ended;
}

/* Waits until all earlier pieces are joined; false when nothing is joined any more. */
static bool wait_turn(line *l, uint64_t number)
{
    pthread_mutex_lock(&l->lock);
    while (l->joined != number) pthread_cond_wait(&l->moved, &l->lock);
    bool goes_on = !l->ended;
    pthread_mutex_unlock(&l->lock);
    return goes_on;
}

static void pass_turn(line *l, bool goes_on)
{
    pthread_mutex_lock(&l->lock);
    l->joined++;
    l->ended |= !goes_on;
    pthread_cond_broadcast(&l->moved);
    pthread_mutex_unlock(&l->lock);
}

static void work_along(void *ctx, size_t worker)
{
    line *l = ctx;
    for (;;) {
        pthread_mutex_lock(&l->taking);
        bool more = !has_ended(l) && l->p->take(l->p->ctx, worker);
        uint64_t number = more ? l->taken++ : 0;
        pthread_mutex_unlock(&l->taking);
        if (!more) return;
        l->p->work(l->p->ctx, worker);
        bool goes_on = wait_turn(l, number) && l->p->join(l->p->ctx, worker);
        pass_turn(l, goes_on);
    }
}

void tfp_pieces_run(const tfp_pieces *p, size_t threads)
{
    line l = { .p = p };
    pthread_mutex_init(&l.taking, NULL);
    pthread_mutex_init(&l.lock, NULL);
    pthread_cond_init(&l.moved, NULL);
    tfp_threads_run(threads, work_along, &l);
    pthread_cond_destroy(&l.moved);
    pthread_mutex_destroy(&l.lock);
    pthread_mutex_destroy(&l.taking);
}
