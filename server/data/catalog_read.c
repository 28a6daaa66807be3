// SPDX-License-Identifier: Apache-2.0
/* server/data/catalog_read.c: reads the profiles that requests need, and drops the least recently used ones when those in
 * memory exceed a limit. */
#include "http/answer.h"
#include "catalog_parts.h"
#include "http/clock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEPT_MOST ((uint64_t)600 << 20) /* limit for profiles in memory; those just used may exceed it */
#define HELD_MOST ((uint64_t)1500 << 20)
#define JUST_MS 30000
#define WAIT_NS 50000000 /* interval of checks whether to stop */
#define PACKED_GROWTH 8  /* gzip: the unpacked size is not known in advance */
#define BATCH 64
#define TORN_MOST 30 /* after this many readings in a row during which a file changed, it fails */

/* ---- reading ---- */

typedef struct reading {
    catalog *c;
    entry *e;
    const part *parts; /* a copy */
    size_t count, at;  /* at: the first of the parts that are being added */
    tfp_profile *p;
    bool torn; /* a file changed meanwhile */
    tfp_status status;
    const char *why; /* the error, if it is not the library's */
    char *error;
} reading;

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    reading *x = ctx;
    double share = total ? (double)(done < total ? done : total) / (double)total : 0;
    atomic_store(&x->e->progress,
                 (unsigned)(CATALOG_PARTS * ((double)(x->at + tfp_profile_adding(x->p)) + share) / (double)x->count));
    return atomic_load(&x->c->stop);
}

/* A checkpoint consists of many files, opened by their common prefix now and again when values are read. None of them may
 * be a link that leads out of the folder. */
static tfp_status add_prefix(reading *x, const root *r, tfp_profile *p, const part *f, tfp_error *err)
{
    char prefix[PATH_MAX], path[PATH_MAX + 40];
    int n = snprintf(prefix, sizeof prefix, "%.*s", (int)tfp_format_name_size(f->format, f->path), f->path);
    if (n >= (int)sizeof prefix || !folder_holds_all(r->fd, prefix)) {
        x->why = "a file of this checkpoint is a link that leads out of the folder";
        return TFP_BADFILE;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", r->fd, prefix);
    return tfp_profile_add_file(p, f->format, path, err);
}

/* Parts that are open at the same time: small ones are read in parallel. */
typedef struct batch {
    size_t count;
    int fds[BATCH];
    const char *formats[BATCH], *paths[BATCH];
    file_state before[BATCH];
} batch;

static void open_part(const reading *x, const part *f, batch *b)
{
    size_t i = b->count++;
    b->fds[i] = folder_open(x->c->look.roots[f->root].fd, f->path);
    b->formats[i] = f->format;
    b->paths[i] = f->path;
    if (!file_state_of(b->fds[i], &b->before[i])) b->before[i] = f->state;
}

/* Whether part `i` changed since it was opened; if it had a fault, since it was found. */
static bool is_torn(const reading *x, const batch *b, size_t i, bool faulty)
{
    file_state after;
    if (!file_state_of(b->fds[i], &after)) after = b->before[i];
    return !file_state_same(&b->before[i], &after) ||
           (faulty && !file_state_same(&b->before[i], &x->parts[x->at + i].state));
}

/* Adds the parts from `at` on, up to the next one that is named by a prefix; or that one. */
static tfp_status add_parts(reading *x, tfp_profile *p, size_t *added, tfp_error *err)
{
    const part *f = &x->parts[x->at];
    batch b = { 0 };
    *added = 1;
    if (tfp_format_is(f->format, TFP_FORMAT_PREFIX)) return add_prefix(x, &x->c->look.roots[f->root], p, f, err);
    size_t left = x->count - x->at;
    while (b.count < left && b.count < BATCH && !tfp_format_is(f[b.count].format, TFP_FORMAT_PREFIX))
        open_part(x, &f[b.count], &b);
    tfp_status s = tfp_profile_add_descriptors(p, b.count, b.formats, b.paths, b.fds, err);
    size_t read = s ? tfp_profile_adding(p) + 1 : b.count;
    for (size_t i = 0; i < b.count; i++) {
        if (i < read) x->torn |= is_torn(x, &b, i, s && i + 1 == read);
        if (b.fds[i] >= 0) close(b.fds[i]);
    }
    *added = b.count;
    return s;
}

static tfp_profile *read_profile(reading *x)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = x->p = tfp_profile_new();
    tfp_status s = p && err ? TFP_OK : TFP_NOMEM;
    if (!s) s = tfp_profile_keep(p, TFP_KEEP_ALL | TFP_KEEP_PROGRAM);
    if (!s) s = tfp_profile_on_progress(p, on_progress, x);
    x->at = 0;
    for (size_t added = 0; x->at < x->count && !s; x->at += added) s = add_parts(x, p, &added, err);
    if (!s) s = tfp_profile_finish(p, err);
    x->status = s;
    const char *message = tfp_error_message(err);
    if (s) x->error = strdup(x->why ? x->why : *message ? message : "out of memory");
    if (x->error) plain_paths(x->error);
    if (!s) tfp_profile_on_progress(p, NULL, NULL);
    if (s) tfp_profile_free(p);
    tfp_error_free(err);
    return s ? NULL : p;
}

static uint64_t expected_bytes(const entry *e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->part_count; i++) {
        const char *path = e->parts[i].path;
        size_t n = strlen(path);
        sum += e->parts[i].state.bytes * (n > 3 && strcmp(path + n - 3, ".gz") == 0 ? PACKED_GROWTH : 1);
    }
    return sum;
}

static void free_loaded(loaded *l)
{
    tfp_timeline_free(l->timeline);
    pthread_mutex_destroy(&l->making);
    tfp_profile_free(l->profile);
    free(l);
}

void catalog_drop(entry *e)
{
    if (!e->loaded) return;
    e->loaded->dropped = true;
    if (!e->loaded->users) free_loaded(e->loaded);
    e->loaded = NULL;
}

/* Returns the size of all profiles in memory. *oldest: the least recently used one among those that nobody uses. */
static uint64_t sum_up(const catalog *c, entry **oldest)
{
    uint64_t sum = 0;
    *oldest = NULL;
    for (size_t i = 0; i < c->entry_count; i++) {
        entry *e = c->entries[i];
        if (!e->loaded) continue;
        sum += e->loaded->bytes;
        if (!e->loaded->users && (!*oldest || e->used_ms < (*oldest)->used_ms)) *oldest = e;
    }
    return sum;
}

/* Makes room for `coming` more bytes. Keeps recently used profiles, if possible: a comparison needs all of its
 * sides. */
static void forget_unused(catalog *c, uint64_t coming)
{
    entry *oldest;
    for (uint64_t sum; (sum = sum_up(c, &oldest) + coming) > KEPT_MOST && oldest;) {
        if (sum <= HELD_MOST && now_ms() - oldest->used_ms < JUST_MS) return;
        catalog_drop(oldest);
        oldest->state = ENTRY_UNREAD;
        c->version++;
    }
}

static void take_profile(catalog *c, entry *e, reading *x, tfp_profile *p)
{
    loaded *l = p ? calloc(1, sizeof *l) : NULL;
    if (p && !l) {
        tfp_profile_free(p);
        x->status = TFP_NOMEM;
    }
    bool again = x->torn && ++e->torn < TORN_MOST;
    if (!x->torn) e->torn = 0;
    free(e->error);
    e->error = x->error;
    e->used_ms = now_ms();
    e->full = x->status == TFP_NOMEM;
    e->state = l ? ENTRY_READY : e->full || again || x->status == TFP_CANCELLED ? ENTRY_UNREAD : ENTRY_FAILED;
    if (!l) return;
    *l = (loaded){ .profile = p, .making = PTHREAD_MUTEX_INITIALIZER, .bytes = tfp_profile_memory(p) };
    e->loaded = l;
    forget_unused(c, 0);
}

/* Reads one entry; the lock is held before and after, but not while reading. */
static void read_entry(catalog *c, entry *e)
{
    part *parts = parts_copy(e->parts, e->part_count);
    size_t count = e->part_count;
    reading x = { .c = c, .e = e, .parts = parts, .count = count, .status = TFP_NOMEM };
    e->stale = false;
    forget_unused(c, expected_bytes(e));
    pthread_mutex_unlock(&c->lock);
    tfp_profile *p = parts ? read_profile(&x) : NULL;
    pthread_mutex_lock(&c->lock);
    take_profile(c, e, &x, p);
    e->stale |= x.torn || !parts_same(e->parts, e->part_count, parts, parts ? count : 0);
    c->version++;
    parts_free(parts, count);
}

void *catalog_read_all(void *ctx)
{
    catalog *c = ctx;
    pthread_mutex_lock(&c->lock);
    while (!atomic_load(&c->stop)) {
        entry *e = c->first_waiting;
        if (!e) {
            pthread_cond_wait(&c->asked, &c->lock);
            continue;
        }
        c->first_waiting = e->waits;
        e->waits = NULL;
        read_entry(c, e);
        pthread_cond_broadcast(&c->read);
        pthread_mutex_unlock(&c->lock);
        c->changed(c->changed_ctx);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static void ask_for(catalog *c, entry *e)
{
    entry **at = &c->first_waiting;
    while (*at) at = &(*at)->waits;
    *at = e;
    e->waits = NULL;
    e->state = ENTRY_LOADING;
    atomic_store(&e->progress, 0);
    c->version++;
    pthread_cond_signal(&c->asked);
}

/* ---- leases ---- */

static lease_result take(catalog *c, entry *e, lease *out)
{
    if (e->stale && (e->state == ENTRY_READY || e->state == ENTRY_FAILED)) {
        catalog_drop(e);
        e->state = ENTRY_UNREAD;
    }
    if (e->state == ENTRY_UNREAD && e->full) {
        e->full = false; /* the next request for it starts again */
        return LEASE_FULL;
    }
    if (e->state == ENTRY_UNREAD) ask_for(c, e);
    if (e->state != ENTRY_READY) return e->state == ENTRY_FAILED ? LEASE_FAILED : LEASE_LOADING;
    e->loaded->users++;
    e->used_ms = now_ms();
    *out = (lease){ e->loaded->profile, e->name, e->loaded };
    return LEASE_OK;
}

/* Call with the lock held. */
static lease_result take_or_say(catalog *c, const char *id, lease *out, lease_fault *fault)
{
    entry *e = catalog_entry(c, id);
    *fault = (lease_fault){ 0 };
    if (!e || e->gone || !e->part_count) return LEASE_UNKNOWN;
    lease_result result = take(c, e, out);
    fault->progress = catalog_progress(e);
    if (result == LEASE_FAILED)
        snprintf(fault->error, sizeof fault->error, "%s", e->error ? e->error : "it cannot be read");
    return result;
}

lease_result catalog_take(catalog *c, const char *id, lease *out, lease_fault *fault)
{
    pthread_mutex_lock(&c->lock);
    lease_result result = take_or_say(c, id, out, fault);
    pthread_mutex_unlock(&c->lock);
    return result;
}

/* Waits until one more profile is read, or for WAIT_NS. */
static void wait_for_reading(catalog *c)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += WAIT_NS;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&c->read, &c->lock, &end);
}

lease_result catalog_wait(catalog *c, const char *id, bool (*stopped)(void *ctx), void *ctx, lease *out,
                          lease_fault *fault)
{
    pthread_mutex_lock(&c->lock);
    lease_result result;
    while ((result = take_or_say(c, id, out, fault)) == LEASE_LOADING && !stopped(ctx)) wait_for_reading(c);
    pthread_mutex_unlock(&c->lock);
    return result;
}

void catalog_give_back(catalog *c, lease *l)
{
    pthread_mutex_lock(&c->lock);
    bool last = !--l->held->users && l->held->dropped;
    pthread_mutex_unlock(&c->lock);
    if (last) free_loaded(l->held);
}

/* ---- timelines ---- */

tfp_status catalog_timeline(catalog *c, const lease *l, const tfp_timeline **out, tfp_error *err)
{
    tfp_timeline *made = NULL;
    tfp_status s = TFP_OK;
    pthread_mutex_lock(&l->held->making);
    if (!l->held->timeline && !(s = tfp_timeline_new(l->profile, &made, err))) {
        l->held->timeline = made;
        pthread_mutex_lock(&c->lock);
        l->held->bytes += tfp_timeline_memory(made);
        forget_unused(c, 0);
        pthread_mutex_unlock(&c->lock);
    }
    *out = l->held->timeline;
    pthread_mutex_unlock(&l->held->making);
    return s;
}
