/* server/catalog.c: which profiles there are, and reading them. One thread looks, one reads, so that no request waits for
 * either; what nobody uses is forgotten, the longest unused first, when those in memory pass a bound. */
#include "catalog.h"
#include "answer.h"
#include "look.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEPT_MOST ((uint64_t)600 << 20) /* bytes of profiles in memory; those just used may pass it */
#define HELD_MOST ((uint64_t)1500 << 20)
#define JUST_MS 30000
#define LOOK_MS 2000
#define PACKED_GROWTH 8 /* gzip: what it takes in memory is not known before */
#define TORN_MOST 30    /* readings in a row during which a file changed */
#define PARTS 10000     /* of progress */

struct loaded { /* a profile in memory */
    tfp_profile *profile;
    uint64_t bytes;
    unsigned users;
    bool dropped; /* no entry has it any more: the last user frees it */
};

typedef struct entry {
    char id[24];
    char *name;
    part *parts;
    size_t part_count;
    entry_state state;
    _Atomic unsigned progress; /* in PARTS; the reader says so while it reads */
    char *error;
    loaded *loaded;
    unsigned torn;
    int64_t used_ms;
    bool stale, full, present, gone; /* its files changed; there was no memory; a look found it; no look did */
    struct entry *waits;             /* the next one to be read */
} entry;

struct catalog {
    pthread_mutex_t lock;
    pthread_cond_t asked;
    pthread_t reader;
    bool reading;
    _Atomic bool stop;
    const serve_options *options;
    char *start; /* the folder in which the program was started */
    look look;   /* of the thread that looks; its roots stay as they are */
    _Atomic uint32_t cut_folders;
    int64_t look_ms; /* when to look again */
    entry **entries; /* they never move: the reader points at them */
    size_t entry_count, entry_room;
    uint32_t *slots; /* by id: the number of the entry + 1 */
    size_t slot_count;
    entry *first_waiting;
    uint64_t version;
    void (*changed)(void *ctx);
    void *changed_ctx;
};

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- entries ---- */

static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text; text++) h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static uint32_t *slot_of(const catalog *c, const char *id)
{
    size_t at = hash(UINT64_C(0xcbf29ce484222325), id) & (c->slot_count - 1);
    while (c->slots[at] && strcmp(c->entries[c->slots[at] - 1]->id, id) != 0) at = (at + 1) & (c->slot_count - 1);
    return &c->slots[at];
}

static entry *entry_with(const catalog *c, const char *id)
{
    if (!c->slot_count) return NULL;
    uint32_t number = *slot_of(c, id);
    return number ? c->entries[number - 1] : NULL;
}

static bool make_room(catalog *c)
{
    if (c->entry_count < c->entry_room) return true;
    size_t room = c->entry_room ? c->entry_room * 2 : 64;
    entry **more = realloc(c->entries, room * sizeof *more);
    if (!more) return false;
    c->entries = more;
    uint32_t *slots = calloc(room * 2, sizeof *slots);
    if (!slots) return false;
    free(c->slots);
    c->slots = slots;
    c->slot_count = room * 2;
    c->entry_room = room;
    for (size_t i = 0; i < c->entry_count; i++) *slot_of(c, c->entries[i]->id) = (uint32_t)i + 1;
    return true;
}

static entry *new_entry(catalog *c, const char *id, const found_profile *f)
{
    entry *e = make_room(c) ? calloc(1, sizeof *e) : NULL;
    if (e) e->name = look_name(&c->look, f);
    if (!e || !e->name) {
        free(e);
        return NULL;
    }
    snprintf(e->id, sizeof e->id, "%s", id);
    c->entries[c->entry_count++] = e;
    *slot_of(c, id) = (uint32_t)c->entry_count;
    return e;
}

/* The same in every run of the program, so that an address of the page can be kept. */
static void make_id(const look *l, const part *p, char id[24])
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    h = hash(hash(h, l->roots[p->root].full), "/");
    h = hash(hash(hash(h, p->path), "/"), p->format);
    snprintf(id, 24, "%012llx", (unsigned long long)(h >> 16));
}

/* The lock is held. */
static void take_over(catalog *c, const found_profile *f)
{
    char id[24];
    make_id(&c->look, f->parts, id);
    entry *e = entry_with(c, id);
    if (!e && !(e = new_entry(c, id, f))) return;
    bool again = e->gone, same = parts_same(e->parts, e->part_count, f->parts, f->count);
    e->present = true;
    e->gone = false;
    if (same && !again) return;
    c->version++;
    if (same) return;
    part *parts = parts_copy(f->parts, f->count);
    if (!parts) return;
    parts_free(e->parts, e->part_count);
    e->parts = parts;
    e->part_count = f->count;
    e->stale = e->state != ENTRY_UNREAD;
}

static void take_over_all(catalog *c)
{
    pthread_mutex_lock(&c->lock);
    uint64_t before = c->version;
    for (size_t i = 0; i < c->entry_count; i++) c->entries[i]->present = false;
    for (size_t i = 0; i < c->look.found_count; i++) take_over(c, &c->look.found[i]);
    for (size_t i = 0; i < c->entry_count; i++) {
        entry *e = c->entries[i];
        if (!e->present && !e->gone) e->gone = true, c->version++;
    }
    bool changed = c->version != before;
    pthread_mutex_unlock(&c->lock);
    if (changed && c->changed) c->changed(c->changed_ctx);
}

/* The bigger the folders, the seldomer. */
void catalog_look(catalog *c)
{
    int64_t begin = now_ms();
    if (begin < c->look_ms) return;
    if (look_again(&c->look)) take_over_all(c);
    uint32_t cut = 0;
    for (size_t i = 0; i < c->look.root_count && i < 32; i++) cut |= (uint32_t)c->look.roots[i].cut << i;
    atomic_store(&c->cut_folders, cut);
    int64_t end = now_ms();
    c->look_ms = end + LOOK_MS + 20 * (end - begin);
}

const char *catalog_cut_folder(const catalog *c, size_t i)
{
    for (size_t k = 0; k < c->look.root_count && k < 32; k++)
        if ((atomic_load(&c->cut_folders) >> k & 1) && !i--) return c->look.roots[k].given;
    return NULL;
}

/* ---- reading ---- */

typedef struct reading {
    catalog *c;
    entry *e;
    const part *parts; /* a copy */
    size_t count, at;
    bool torn; /* a file changed meanwhile */
    tfp_status status;
    const char *why; /* what is wrong, where the library does not say it */
    char *error;
} reading;

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    reading *x = ctx;
    double share = total ? (double)(done < total ? done : total) / (double)total : 0;
    atomic_store(&x->e->progress, (unsigned)(PARTS * ((double)x->at + share) / (double)x->count));
    return atomic_load(&x->c->stop);
}

/* A checkpoint is many files, read by their common name now and when values are asked for: none may be a link that leads
 * out. */
static tfp_status add_checkpoint(reading *x, const root *r, tfp_profile *p, const part *f, tfp_error *err)
{
    char prefix[PATH_MAX], path[PATH_MAX + 40];
    size_t size = strlen(f->path);
    bool index = size > 6 && strcmp(f->path + size - 6, ".index") == 0;
    int n = snprintf(prefix, sizeof prefix, "%.*s", (int)(index ? size - 6 : size), f->path);
    if (n >= (int)sizeof prefix || !folder_holds_all(r->fd, prefix)) {
        x->why = "a file of this checkpoint is a link that leads out of the folder";
        return TFP_BADFILE;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", r->fd, prefix);
    return tfp_profile_add_file(p, "checkpoint", path, err);
}

static tfp_status add_part(reading *x, tfp_profile *p, const part *f, tfp_error *err)
{
    const root *r = &x->c->look.roots[f->root];
    file_state before, after;
    if (strcmp(f->format, "checkpoint") == 0) return add_checkpoint(x, r, p, f, err);
    int fd = folder_open(r->fd, f->path);
    if (!file_state_of(fd, &before)) before = f->state;
    tfp_status s = tfp_profile_add_descriptor(p, f->format, f->path, fd, err);
    if (!file_state_of(fd, &after)) after = before;
    x->torn |= !file_state_same(&before, &after) || (s && !file_state_same(&before, &f->state));
    if (fd >= 0) close(fd);
    return s;
}

static tfp_profile *read_profile(reading *x)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_status s = p && err ? TFP_OK : TFP_NOMEM;
    if (!s) s = tfp_profile_keep(p, TFP_KEEP_ALL | TFP_KEEP_PROGRAM);
    if (!s) s = tfp_profile_on_progress(p, on_progress, x);
    for (x->at = 0; x->at < x->count && !s; x->at++) s = add_part(x, p, &x->parts[x->at], err);
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

static uint64_t bytes_of(const entry *e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->part_count; i++) sum += e->parts[i].state.bytes;
    return sum;
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
    tfp_profile_free(l->profile);
    free(l);
}

static void drop(entry *e)
{
    if (!e->loaded) return;
    e->loaded->dropped = true;
    if (!e->loaded->users) free_loaded(e->loaded);
    e->loaded = NULL;
}

/* What is in memory, and who of those without users was unused longest. */
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

/* Makes room for `coming` more bytes. What was just used is wanted again: a comparison needs all of its sides. */
static void forget_unused(catalog *c, uint64_t coming)
{
    entry *oldest;
    for (uint64_t sum; (sum = sum_up(c, &oldest) + coming) > KEPT_MOST && oldest;) {
        if (sum <= HELD_MOST && now_ms() - oldest->used_ms < JUST_MS) return;
        drop(oldest);
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
    *l = (loaded){ .profile = p, .bytes = tfp_profile_memory(p) };
    e->loaded = l;
    forget_unused(c, 0);
}

/* One entry; the lock is held before and after, not while it is read. */
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

static void *read_all(void *ctx)
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

/* ---- asking ---- */

static char *files_of(const catalog *c, const entry *e)
{
    char *all = NULL;
    size_t size = 0;
    for (size_t i = 0; i < e->part_count; i++) {
        char *one = look_file(&c->look, &e->parts[i]);
        char *more = one ? realloc(all, size + strlen(one) + 2) : NULL;
        if (!more) {
            free(one);
            free(all);
            return NULL;
        }
        all = more;
        memcpy(all + size, one, strlen(one) + 1);
        size += strlen(one) + 1;
        all[size] = '\0';
        free(one);
    }
    return all;
}

static double progress_of(entry *e) { return (double)atomic_load(&e->progress) / PARTS; }

static void view_of(const catalog *c, entry *e, entry_view *out)
{
    const root *r = &c->look.roots[e->parts[0].root];
    *out = (entry_view){ .name = e->name,
                         .folder = r->only ? "" : r->given,
                         .format = e->parts[0].format,
                         .bytes = bytes_of(e),
                         .state = e->state,
                         .progress = progress_of(e),
                         .files = files_of(c, e) };
    snprintf(out->id, sizeof out->id, "%s", e->id);
    if (e->state == ENTRY_FAILED) snprintf(out->error, sizeof out->error, "%s", e->error ? e->error : "");
    for (size_t i = 0; i < e->part_count; i++) {
        int64_t seconds = e->parts[i].state.modified_ns / 1000000000;
        if (seconds > out->modified) out->modified = seconds;
    }
    if (!e->loaded) return;
    out->steps = tfp_profile_step_count(e->loaded->profile);
    out->nodes = tfp_profile_node_count(e->loaded->profile);
}

void entry_view_free(entry_view *v)
{
    free(v->files);
    v->files = NULL;
}

uint64_t catalog_version(catalog *c)
{
    pthread_mutex_lock(&c->lock);
    uint64_t version = c->version;
    pthread_mutex_unlock(&c->lock);
    return version;
}

size_t catalog_count(catalog *c)
{
    pthread_mutex_lock(&c->lock);
    size_t count = c->entry_count;
    pthread_mutex_unlock(&c->lock);
    return count;
}

bool catalog_view(catalog *c, size_t i, entry_view *out)
{
    pthread_mutex_lock(&c->lock);
    bool there = i < c->entry_count && !c->entries[i]->gone && c->entries[i]->part_count;
    if (there) view_of(c, c->entries[i], out);
    pthread_mutex_unlock(&c->lock);
    return there;
}

static lease_result take(catalog *c, entry *e, lease *out)
{
    if (e->stale && (e->state == ENTRY_READY || e->state == ENTRY_FAILED)) {
        drop(e);
        e->state = ENTRY_UNREAD;
    }
    if (e->state == ENTRY_UNREAD && e->full) {
        e->full = false; /* the next one to ask begins anew */
        return LEASE_FULL;
    }
    if (e->state == ENTRY_UNREAD) ask_for(c, e);
    if (e->state != ENTRY_READY) return e->state == ENTRY_FAILED ? LEASE_FAILED : LEASE_LOADING;
    e->loaded->users++;
    e->used_ms = now_ms();
    *out = (lease){ e->loaded->profile, e->name, e->loaded };
    return LEASE_OK;
}

lease_result catalog_take(catalog *c, const char *id, lease *out)
{
    pthread_mutex_lock(&c->lock);
    entry *e = entry_with(c, id);
    lease_result result = e && !e->gone && e->part_count ? take(c, e, out) : LEASE_UNKNOWN;
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

void catalog_told(catalog *c, const char *id, double *progress, char *error, size_t room)
{
    pthread_mutex_lock(&c->lock);
    entry *e = entry_with(c, id);
    *progress = e ? progress_of(e) : 0;
    snprintf(error, room, "%s", e && e->error ? e->error : "it cannot be read");
    pthread_mutex_unlock(&c->lock);
}

const serve_options *catalog_options(const catalog *c) { return c->options; }

/* ---- source texts ---- */

static int open_in_full(const catalog *c, const char *path)
{
    for (size_t i = 0; i < c->look.root_count; i++) {
        const root *r = &c->look.roots[i];
        size_t n = strlen(r->full);
        if (r->only || strncmp(path, r->full, n) != 0 || (n > 1 && path[n] != '/')) continue;
        int fd = folder_open(r->fd, path + n + (n > 1));
        if (fd >= 0) return fd;
    }
    return -1;
}

int catalog_open_text(catalog *c, const char *path)
{
    char full[PATH_MAX];
    if (*path == '/') return open_in_full(c, path);
    int n = snprintf(full, sizeof full, "%s/%s", c->start ? c->start : "", path), fd = -1;
    if (n > 0 && n < (int)sizeof full) fd = open_in_full(c, full);
    for (size_t i = 0; fd < 0 && i < c->look.root_count; i++)
        if (!c->look.roots[i].only) fd = folder_open(c->look.roots[i].fd, path);
    return fd;
}

int catalog_stopping(void *ctx, uint64_t done, uint64_t total)
{
    catalog *c = ctx;
    (void)done, (void)total;
    return atomic_load(&c->stop);
}

size_t catalog_folders(const catalog *c, int *out, size_t most)
{
    for (size_t i = 0; i < c->look.root_count && i < most; i++) out[i] = c->look.roots[i].fd;
    return c->look.root_count;
}

bool catalog_has_folders(const catalog *c)
{
    for (size_t i = 0; i < c->look.root_count; i++)
        if (!c->look.roots[i].only) return true;
    return false;
}

/* ---- the start and the end ---- */

catalog *catalog_new(const serve_options *o, char *why, size_t room)
{
    catalog *c = calloc(1, sizeof *c);
    if (!c) {
        snprintf(why, room, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->asked, NULL);
    c->options = o;
    c->start = realpath(".", NULL);
    c->version = 1;
    if (look_open(&c->look, o, why, room)) {
        take_over_all(c);
        return c;
    }
    catalog_free(c);
    return NULL;
}

bool catalog_start(catalog *c, void (*changed)(void *ctx), void *ctx)
{
    c->changed = changed;
    c->changed_ctx = ctx;
    c->reading = pthread_create(&c->reader, NULL, read_all, c) == 0;
    return c->reading;
}

void catalog_stop(catalog *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->stop, true);
    pthread_cond_broadcast(&c->asked);
    pthread_mutex_unlock(&c->lock);
    if (c->reading) pthread_join(c->reader, NULL);
    c->reading = false;
}

void catalog_free(catalog *c)
{
    if (!c) return;
    catalog_stop(c);
    for (size_t i = 0; i < c->entry_count; i++) {
        entry *e = c->entries[i];
        drop(e);
        parts_free(e->parts, e->part_count);
        free(e->name);
        free(e->error);
        free(e);
    }
    look_close(&c->look);
    free(c->entries);
    free(c->slots);
    free(c->start);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->asked);
    free(c);
}
