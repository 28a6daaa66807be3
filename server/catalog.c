/* server/catalog.c: which profiles there are, and reading them. One thread reads, so that requests never wait long; what
 * nobody uses is forgotten, the longest unused first, when the files of those in memory pass a bound. */
#include "catalog.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES_MOST 20000
#define IN_MEMORY_MOST ((uint64_t)600 << 20) /* bytes of the files of profiles that are in memory */
#define HEAD_BYTES 65536

typedef struct root { /* a folder given at start, or the folder of a file that was */
    int fd;
    char *path;
    char *only; /* the one file of it that was given; NULL: all */
    const char *format;
} root;

typedef struct part { /* a file of an entry */
    size_t root;
    const char *format;
    char *path;
    uint64_t bytes;
    int64_t modified_ns;
} part;

typedef struct entry {
    char id[24];
    char *name;
    part *parts;
    size_t part_count;
    entry_state state;
    double progress;
    char *error;
    tfp_profile *profile;
    unsigned users;
    uint64_t used;             /* when last, by the catalog's clock */
    bool stale, present, gone; /* its files changed; a look found it; no look did */
    struct entry *waits;       /* the next one to be read */
} entry;

struct catalog {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t reader;
    bool reading, stop;
    root *roots;
    size_t root_count;
    bool together;
    entry **entries; /* they never move: leases point at them */
    size_t entry_count, entry_room;
    entry *first_waiting;
    uint64_t version, clock;
    time_t looked;
};

/* ---- finding ---- */

static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text; text++) h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static const char *format_of(int fd, const char *path)
{
    static char head[HEAD_BYTES]; /* only the one who looks comes here */
    ssize_t n = pread(fd, head, sizeof head, 0);
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    /* a bundle is known by its index; its shards and a SavedModel's other files are parts of something else */
    if (strstr(path, ".data-") || strcmp(base, "fingerprint.pb") == 0 || strcmp(base, "checkpoint") == 0) return NULL;
    return n > 0 ? tfp_recognise_bytes(path, head, (size_t)n, NULL) : NULL;
}

static entry *entry_with(catalog *c, const char *id)
{
    for (size_t i = 0; i < c->entry_count; i++)
        if (strcmp(c->entries[i]->id, id) == 0) return c->entries[i];
    return NULL;
}

static void free_parts(entry *e)
{
    for (size_t i = 0; i < e->part_count; i++) free(e->parts[i].path);
    free(e->parts);
    e->parts = NULL;
    e->part_count = 0;
}

static bool same_parts(const entry *e, const part *parts, size_t count)
{
    if (e->part_count != count) return false;
    for (size_t i = 0; i < count; i++) {
        const part *a = &e->parts[i], *b = &parts[i];
        if (strcmp(a->path, b->path) || a->bytes != b->bytes || a->modified_ns != b->modified_ns) return false;
    }
    return true;
}

static bool copy_parts(entry *e, const part *parts, size_t count)
{
    free_parts(e);
    e->parts = calloc(count + 1, sizeof *e->parts);
    for (size_t i = 0; e->parts && i < count; i++) {
        e->parts[i] = parts[i];
        if (!(e->parts[i].path = strdup(parts[i].path))) return false;
        e->part_count++;
    }
    return e->parts != NULL;
}

static entry *new_entry(catalog *c, const char *id, const char *name)
{
    if (c->entry_count == c->entry_room) {
        size_t room = c->entry_room ? c->entry_room * 2 : 64;
        entry **more = realloc(c->entries, room * sizeof *more);
        if (!more) return NULL;
        c->entries = more;
        c->entry_room = room;
    }
    entry *e = calloc(1, sizeof *e);
    if (!e || !(e->name = strdup(name))) {
        free(e);
        return NULL;
    }
    snprintf(e->id, sizeof e->id, "%s", id);
    return c->entries[c->entry_count++] = e;
}

/* Takes over what a look found as one profile; `parts` are copied. */
static bool found_profile(catalog *c, const part *parts, size_t count)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    char id[24];
    h = hash(hash(h, c->roots[parts[0].root].path), "/");
    h = hash(hash(h, parts[0].path), parts[0].format);
    snprintf(id, sizeof id, "%012llx", (unsigned long long)(h >> 16));
    entry *e = entry_with(c, id);
    if (!e) {
        e = new_entry(c, id, parts[0].path);
        if (!e) return false;
        c->version++;
    }
    e->present = true;
    if (e->gone) e->gone = false, c->version++;
    if (same_parts(e, parts, count)) return true;
    c->version++;
    e->stale = e->state != ENTRY_UNREAD;
    return copy_parts(e, parts, count);
}

typedef struct look { /* of one root */
    catalog *c;
    size_t root;
    part *parts;
    size_t count, room;
    bool failed;
} look;

static bool see_file(void *ctx, const found_file *f)
{
    look *l = ctx;
    const root *r = &l->c->roots[l->root];
    if (r->only && strcmp(r->only, f->path) != 0) return true;
    const char *format = r->format;
    if (!format) {
        int fd = folder_open(r->fd, f->path);
        format = fd < 0 ? NULL : format_of(fd, f->path);
        if (fd >= 0) close(fd);
    }
    if (!format) return true;
    if (l->count == l->room) {
        size_t room = l->room ? l->room * 2 : 64;
        part *more = realloc(l->parts, room * sizeof *more);
        if (!more) return false;
        l->parts = more;
        l->room = room;
    }
    char *path = strdup(f->path);
    if (!path) return false;
    l->parts[l->count++] = (part){ l->root, format, path, f->bytes, f->modified_ns };
    return true;
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool same_folder(const part *a, const part *b)
{
    size_t n = folder_length(a->path);
    return a->root == b->root && n == folder_length(b->path) && strncmp(a->path, b->path, n) == 0;
}

/* A graph with the run metadata and the log beside it, when it is the only graph of its folder. */
static size_t companions(const look *l, size_t graph, part *out, size_t room)
{
    size_t count = 0, graphs = 0;
    out[count++] = l->parts[graph];
    for (size_t i = 0; i < l->count; i++)
        graphs += strcmp(l->parts[i].format, "graph") == 0 && same_folder(&l->parts[i], &l->parts[graph]);
    for (int pass = 0; pass < 2 && graphs == 1; pass++) {
        const char *wanted = pass ? "op_log" : "run_meta";
        for (size_t i = 0; i < l->count && count < room; i++)
            if (strcmp(l->parts[i].format, wanted) == 0 && same_folder(&l->parts[i], &l->parts[graph]))
                out[count++] = l->parts[i];
    }
    return count;
}

static bool has_lone_graph(const look *l, size_t at)
{
    size_t graphs = 0;
    for (size_t i = 0; i < l->count; i++)
        graphs += strcmp(l->parts[i].format, "graph") == 0 && same_folder(&l->parts[i], &l->parts[at]);
    return graphs == 1;
}

enum { PARTS_MOST = 256 };

/* Profiles stand alone; a graph comes with what belongs to it; other files alone where there is no one graph for them. */
static bool take_look(look *l)
{
    part parts[PARTS_MOST];
    for (size_t i = 0; i < l->count; i++) {
        const char *format = l->parts[i].format;
        bool belongs = strcmp(format, "run_meta") == 0 || strcmp(format, "op_log") == 0;
        if (strcmp(format, "op_log") == 0 || (belongs && has_lone_graph(l, i))) continue;
        size_t count =
            strcmp(format, "graph") == 0 ? companions(l, i, parts, PARTS_MOST) : (parts[0] = l->parts[i], (size_t)1);
        if (!found_profile(l->c, parts, count)) return false;
    }
    return true;
}

static bool take_together(look *all)
{
    return !all->count || found_profile(all->c, all->parts, all->count < PARTS_MOST ? all->count : PARTS_MOST);
}

static void look_everywhere(catalog *c)
{
    look all = { .c = c };
    bool ok = true;
    for (size_t i = 0; i < c->entry_count; i++) c->entries[i]->present = false;
    for (size_t i = 0; i < c->root_count && ok; i++) {
        all.root = i;
        ok = folder_walk(c->roots[i].fd, FILES_MOST, see_file, &all);
        if (c->together) continue;
        if (ok) ok = take_look(&all);
        for (size_t k = 0; k < all.count; k++) free(all.parts[k].path);
        all.count = 0;
    }
    if (c->together && ok) take_together(&all);
    for (size_t k = 0; k < all.count; k++) free(all.parts[k].path);
    free(all.parts);
    for (size_t i = 0; i < c->entry_count && ok; i++) {
        entry *e = c->entries[i];
        if (!e->present && !e->gone) e->gone = true, c->version++;
    }
}

void catalog_look(catalog *c)
{
    time_t now = time(NULL);
    pthread_mutex_lock(&c->lock);
    if (now != c->looked) {
        c->looked = now;
        look_everywhere(c);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- reading ---- */

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    entry *e = ctx;
    e->progress = total ? (double)done / (double)total : 0;
    return 0;
}

static tfp_status add_part(catalog *c, tfp_profile *p, const part *f, tfp_error *err)
{
    const root *r = &c->roots[f->root];
    if (strcmp(f->format, "checkpoint") == 0) { /* read by its prefix: many files */
        char path[PATH_MAX];
        size_t size = strlen(f->path);
        bool index = size > 6 && strcmp(f->path + size - 6, ".index") == 0;
        snprintf(path, sizeof path, "/proc/self/fd/%d/%.*s", r->fd, (int)(index ? size - 6 : size), f->path);
        return tfp_profile_add_file(p, "checkpoint", path, err);
    }
    int fd = folder_open(r->fd, f->path);
    tfp_status s = tfp_profile_add_descriptor(p, f->format, f->path, fd, err);
    if (fd >= 0) close(fd);
    return s;
}

static tfp_profile *read_profile(catalog *c, entry *e, const part *parts, size_t count, char **error)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_status s = p && err ? TFP_OK : TFP_NOMEM;
    if (!s) s = tfp_profile_keep(p, TFP_KEEP_ALL | TFP_KEEP_PROGRAM);
    if (!s) s = tfp_profile_on_progress(p, on_progress, e);
    for (size_t i = 0; i < count && !s; i++) s = add_part(c, p, &parts[i], err);
    if (!s) s = tfp_profile_finish(p, err);
    if (s) {
        *error = strdup(*tfp_error_message(err) ? tfp_error_message(err) : "out of memory");
        tfp_profile_free(p);
        p = NULL;
    }
    tfp_error_free(err);
    return p;
}

static uint64_t bytes_of(const entry *e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->part_count; i++) sum += e->parts[i].bytes;
    return sum;
}

static void forget(entry *e)
{
    tfp_profile_free(e->profile);
    e->profile = NULL;
    e->state = ENTRY_UNREAD;
}

/* Makes room for one more; the lock is held. */
static void forget_unused(catalog *c, uint64_t coming)
{
    for (;;) {
        uint64_t sum = coming;
        entry *oldest = NULL;
        for (size_t i = 0; i < c->entry_count; i++) {
            entry *e = c->entries[i];
            if (!e->profile) continue;
            sum += bytes_of(e);
            if (!e->users && (!oldest || e->used < oldest->used)) oldest = e;
        }
        if (sum <= IN_MEMORY_MOST || !oldest) return;
        forget(oldest);
    }
}

/* One entry; the lock is held before and after, not while it is read. */
static void read_entry(catalog *c, entry *e)
{
    entry copy = { 0 };
    char *error = NULL;
    bool ok = copy_parts(&copy, e->parts, e->part_count);
    forget_unused(c, bytes_of(e));
    pthread_mutex_unlock(&c->lock);
    tfp_profile *p = ok ? read_profile(c, e, copy.parts, copy.part_count, &error) : NULL;
    pthread_mutex_lock(&c->lock);
    free(e->error);
    e->error = error;
    e->profile = p;
    e->state = p ? ENTRY_READY : ENTRY_FAILED;
    e->stale = !same_parts(e, copy.parts, copy.part_count);
    e->used = ++c->clock;
    c->version++;
    free_parts(&copy);
}

static void *read_all(void *ctx)
{
    catalog *c = ctx;
    pthread_mutex_lock(&c->lock);
    while (!c->stop) {
        entry *e = c->first_waiting;
        if (!e) {
            pthread_cond_wait(&c->changed, &c->lock);
            continue;
        }
        c->first_waiting = e->waits;
        e->waits = NULL;
        read_entry(c, e);
        pthread_cond_broadcast(&c->changed);
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
    e->progress = 0;
    c->version++;
    pthread_cond_broadcast(&c->changed);
}

/* ---- asking ---- */

static void view_of(const catalog *c, const entry *e, entry_view *out)
{
    *out = (entry_view){ .name = e->name,
                         .folder = c->roots[e->parts[0].root].path,
                         .format = e->parts[0].format,
                         .bytes = bytes_of(e),
                         .state = e->state,
                         .progress = e->progress,
                         .error = e->error };
    snprintf(out->id, sizeof out->id, "%s", e->id);
    for (size_t i = 0; i < e->part_count; i++) {
        int64_t seconds = e->parts[i].modified_ns / 1000000000;
        if (seconds > out->modified) out->modified = seconds;
    }
    if (!e->profile) return;
    out->steps = tfp_profile_step_count(e->profile);
    out->nodes = tfp_profile_node_count(e->profile);
}

uint64_t catalog_version(const catalog *c)
{
    catalog *open = (catalog *)(uintptr_t)c;
    pthread_mutex_lock(&open->lock);
    uint64_t version = c->version;
    pthread_mutex_unlock(&open->lock);
    return version;
}

size_t catalog_count(const catalog *c)
{
    catalog *open = (catalog *)(uintptr_t)c;
    pthread_mutex_lock(&open->lock);
    size_t count = c->entry_count;
    pthread_mutex_unlock(&open->lock);
    return count;
}

bool catalog_view(catalog *c, size_t i, entry_view *out)
{
    pthread_mutex_lock(&c->lock);
    bool there = i < c->entry_count && !c->entries[i]->gone;
    if (there) view_of(c, c->entries[i], out);
    pthread_mutex_unlock(&c->lock);
    return there;
}

lease_result catalog_take(catalog *c, const char *id, lease *out, entry_view *view)
{
    struct timespec until;
    lease_result result = LEASE_UNKNOWN;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&c->lock);
    entry *e = entry_with(c, id);
    if (e && !e->gone) {
        if (e->stale && !e->users && (e->state == ENTRY_READY || e->state == ENTRY_FAILED)) forget(e), e->stale = false;
        if (e->state == ENTRY_UNREAD) ask_for(c, e);
        while (e->state == ENTRY_LOADING && !c->stop)
            if (pthread_cond_timedwait(&c->changed, &c->lock, &until)) break;
        view_of(c, e, view);
        result = e->state == ENTRY_READY ? LEASE_OK : e->state == ENTRY_FAILED ? LEASE_FAILED : LEASE_LOADING;
        if (result == LEASE_OK) {
            e->users++;
            e->used = ++c->clock;
            *out = (lease){ e->profile, e->name, e };
        }
    }
    pthread_mutex_unlock(&c->lock);
    return result;
}

void catalog_give_back(catalog *c, lease *l)
{
    pthread_mutex_lock(&c->lock);
    ((entry *)l->entry)->users--;
    pthread_mutex_unlock(&c->lock);
}

int catalog_open_text(catalog *c, const char *path)
{
    for (size_t i = 0; i < c->root_count; i++) {
        const root *r = &c->roots[i];
        if (r->only) continue;
        size_t n = strlen(r->path);
        const char *below = strncmp(path, r->path, n) == 0 && path[n] == '/' ? path + n + 1 : path;
        int fd = *below == '/' ? -1 : folder_open(r->fd, below);
        if (fd >= 0) return fd;
    }
    return -1;
}

bool catalog_has_folders(const catalog *c)
{
    for (size_t i = 0; i < c->root_count; i++)
        if (!c->roots[i].only) return true;
    return false;
}

/* ---- the start and the end ---- */

static bool add_root(catalog *c, const serve_input *in, char *why, size_t room)
{
    struct stat st;
    char *full = realpath(in->path, NULL);
    if (!full || stat(full, &st)) {
        snprintf(why, room, "%s: %s", in->path, strerror(errno));
        free(full);
        return false;
    }
    root r = { .fd = -1, .path = full, .format = in->format };
    if (!S_ISDIR(st.st_mode)) {
        char *slash = strrchr(full, '/');
        r.only = strdup(slash + 1);
        slash[slash == full ? 1 : 0] = 0;
        if (!r.only) {
            free(full);
            snprintf(why, room, "out of memory");
            return false;
        }
    }
    r.fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r.fd < 0) {
        snprintf(why, room, "%s: %s", in->path, strerror(errno));
        free(r.only);
        free(full);
        return false;
    }
    c->roots[c->root_count++] = r;
    return true;
}

catalog *catalog_new(const serve_options *o, char *why, size_t room)
{
    catalog *c = calloc(1, sizeof *c);
    if (c) c->roots = calloc(o->input_count + 1, sizeof *c->roots);
    if (!c || !c->roots) {
        free(c);
        snprintf(why, room, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->together = o->together;
    bool ok = true;
    for (size_t i = 0; i < o->input_count && ok; i++) ok = add_root(c, &o->inputs[i], why, room);
    if (ok) catalog_look(c);
    for (size_t i = 0; i < c->root_count && ok; i++) { /* a file that was named must be a profile */
        if (!c->roots[i].only || c->entry_count) continue;
        ok = false;
        tfp_error *err = tfp_error_new();
        if (!tfp_recognise_file(o->inputs[i].path, err)) snprintf(why, room, "%s", tfp_error_message(err));
        tfp_error_free(err);
    }
    if (ok && !(c->reading = pthread_create(&c->reader, NULL, read_all, c) == 0)) {
        ok = false;
        snprintf(why, room, "no thread can be had");
    }
    if (ok) return c;
    catalog_free(c);
    return NULL;
}

void catalog_free(catalog *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->stop = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (c->reading) pthread_join(c->reader, NULL);
    for (size_t i = 0; i < c->entry_count; i++) {
        entry *e = c->entries[i];
        tfp_profile_free(e->profile);
        free_parts(e);
        free(e->name);
        free(e->error);
        free(e);
    }
    for (size_t i = 0; i < c->root_count; i++) {
        close(c->roots[i].fd);
        free(c->roots[i].path);
        free(c->roots[i].only);
    }
    free(c->entries);
    free(c->roots);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    free(c);
}
