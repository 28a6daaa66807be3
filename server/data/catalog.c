// SPDX-License-Identifier: Apache-2.0
/* server/data/catalog.c: the list of profiles. One thread looks for them and others read them (catalog_read.c), so that no
 * request waits for either. */
#include "catalog_parts.h"
#include "http/clock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS 2000

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

entry *catalog_entry(const catalog *c, const char *id)
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

/* Makes an id that is the same in every run of the program, so that the page's addresses stay valid. */
static void make_id(const look *l, const part *p, char id[24])
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    h = hash(hash(h, l->roots[p->root].full), "/");
    h = hash(hash(hash(h, p->path), "/"), p->format);
    snprintf(id, 24, "%012llx", (unsigned long long)(h >> 16));
}

/* Called with the lock held. False: out of memory; the next look tries again. */
static bool take_over(catalog *c, const found_profile *f)
{
    char id[24];
    make_id(&c->look, f->parts, id);
    entry *e = catalog_entry(c, id);
    if (!e && !(e = new_entry(c, id, f))) return false;
    if (e->present) return true; /* found through two folders, one inside the other: the first one is used */
    bool again = e->gone, same = parts_same(e->parts, e->part_count, f->parts, f->count);
    e->present = true;
    e->gone = false;
    if (same && !again) return true;
    c->version++;
    if (same) return true;
    part *parts = parts_copy(f->parts, f->count);
    if (!parts) return false;
    parts_free(e->parts, e->part_count);
    e->parts = parts;
    e->part_count = f->count;
    e->stale = e->state != ENTRY_UNREAD;
    return true;
}

static bool take_over_all(catalog *c)
{
    bool whole = true;
    pthread_mutex_lock(&c->lock);
    uint64_t before = c->version;
    for (size_t i = 0; i < c->entry_count; i++) c->entries[i]->present = false;
    for (size_t i = 0; i < c->look.found_count; i++) whole = take_over(c, &c->look.found[i]) && whole;
    for (size_t i = 0; i < c->entry_count; i++) {
        entry *e = c->entries[i];
        if (!e->present && !e->gone && !e->added) e->gone = true, c->version++;
    }
    bool changed = c->version != before;
    pthread_mutex_unlock(&c->lock);
    if (changed && c->changed) c->changed(c->changed_ctx);
    return whole;
}

/* Bigger folders are looked at less often. */
void catalog_look(catalog *c)
{
    int64_t begin = now_ms();
    if (begin < c->look_ms) return;
    if (look_again(&c->look)) (void)take_over_all(c);
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

/* ---- views of entries ---- */

static uint64_t bytes_of(const entry *e)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < e->part_count; i++) sum += e->parts[i].state.bytes;
    return sum;
}

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

double catalog_progress(entry *e) { return (double)atomic_load(&e->progress) / CATALOG_PARTS; }

static void view_of(const catalog *c, entry *e, entry_view *out)
{
    const root *r = &c->look.roots[e->parts[0].root];
    *out = (entry_view){ .name = e->name,
                         .folder = r->only ? "" : r->given,
                         .format = e->parts[0].format,
                         .bytes = bytes_of(e),
                         .state = e->state,
                         .progress = catalog_progress(e),
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

bool catalog_find(catalog *c, const char *id, entry_view *out)
{
    pthread_mutex_lock(&c->lock);
    entry *e = catalog_entry(c, id);
    bool there = e && !e->gone && e->part_count;
    if (there) view_of(c, e, out);
    pthread_mutex_unlock(&c->lock);
    return there;
}

const serve_options *catalog_options(const catalog *c) { return c->options; }

/* ---- traces of an index ---- */

/* The part of a path that is below a root. NULL: it is elsewhere. */
static const char *path_below(const root *r, const char *path)
{
    size_t n = strlen(r->full);
    if (*path != '/') return path;
    return strncmp(path, r->full, n) == 0 && (n == 1 || path[n] == '/') ? path + n + (n > 1) : NULL;
}

/* The entry may exist already: then its files are compared with the present ones. */
static bool add_found(catalog *c, const found_profile *f, char id[24])
{
    make_id(&c->look, f->parts, id);
    pthread_mutex_lock(&c->lock);
    entry *known = catalog_entry(c, id);
    if (known) known->present = false;
    bool ok = take_over(c, f);
    entry *e = ok ? catalog_entry(c, id) : NULL;
    if (e) e->added = true;
    pthread_mutex_unlock(&c->lock);
    if (e && c->changed) c->changed(c->changed_ctx);
    return e != NULL;
}

bool catalog_add(catalog *c, const char *path, char id[24])
{
    bool added = false;
    for (size_t i = 0; i < c->look.root_count && !added; i++) {
        const root *r = &c->look.roots[i];
        const char *below = r->text_only ? path_below(r, path) : NULL;
        found_profile f = { 0 };
        added = below && look_for(&c->look, i, below, &f) && add_found(c, &f, id);
        parts_free(f.parts, f.count);
    }
    return added;
}

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
        snprintf(why, room, LOOK_NO_MEMORY);
        return NULL;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->asked, NULL);
    pthread_cond_init(&c->read, NULL);
    c->options = o;
    c->start = realpath(".", NULL);
    c->version = 1;
    if (look_open(&c->look, o, why, room)) {
        if (take_over_all(c)) return c;
        snprintf(why, room, LOOK_NO_MEMORY);
    }
    catalog_free(c);
    return NULL;
}

int catalog_status(const char *why)
{
    enum { BAD_INPUT = 1, LIMIT = 4 };
    return strcmp(why, LOOK_NO_MEMORY) == 0 ? LIMIT : BAD_INPUT;
}

bool catalog_start(catalog *c, void (*changed)(void *ctx), void *ctx)
{
    c->changed = changed;
    c->changed_ctx = ctx;
    while (c->reader_count < CATALOG_READERS &&
           pthread_create(&c->readers[c->reader_count], NULL, catalog_read_all, c) == 0)
        c->reader_count++;
    return c->reader_count != 0;
}

void catalog_stop(catalog *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->stop, true);
    pthread_cond_broadcast(&c->asked);
    pthread_cond_broadcast(&c->read);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->reader_count; i++) pthread_join(c->readers[i], NULL);
    c->reader_count = 0;
}

void catalog_free(catalog *c)
{
    if (!c) return;
    catalog_stop(c);
    for (size_t i = 0; i < c->entry_count; i++) {
        entry *e = c->entries[i];
        catalog_drop(e);
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
    pthread_cond_destroy(&c->read);
    free(c);
}
