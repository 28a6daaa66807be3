// SPDX-License-Identifier: Apache-2.0
/* fleet/index/index.c: a pass over the sources: known files are skipped, a pool of processes reads the others, and their rows are
 * stored in the order of the files. */
#include "fleet/index/index.h"
#include "fleet/index/sources.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

enum {
    WINDOW = 256,         /* most files from the first unfinished one to the last one begun */
    HELD_MOST = 16 << 20, /* most bytes of results that wait for an earlier one */
    COMMIT_SECONDS = 300  /* so that a kill loses at most this much work */
};

typedef struct slot {     /* a file that is being read, or whose result waits for its turn */
    tfp_buf path, result; /* result: rows or a message */
    uint64_t hash;
    int64_t size, mtime_us, attempts;
    bool done;
    tfp_fleet_code code;
    int signal;
    char run[TFP_DIGEST];
} slot;

typedef struct pass {
    const tfp_index_settings *settings;
    tfp_index_counts *counts;
    tfp_index_folder folder;
    tfp_known known;
    tfp_index_walk *walk;
    tfp_pool *pool;
    tfp_index_writer *writer;
    tfp_dead dead;   /* rows to be dropped since the last commit */
    tfp_map64 gone;  /* runs that were replaced in this pass */
    tfp_map64 fresh; /* runs of this pass */
    tfp_map64 seen,
        given; /* hashes of paths: all of this pass, if a path may occur twice; and those given to the pool */
    slot slots[WINDOW];
    uint64_t next, taken; /* numbers of the next file to read and of the next result to store */
    size_t held;
    bool several, ended,
        last; /* several: more than one source, or a list; last: the stage in which files are read again */
    double started_at, committed_at;
} pass;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool has(const tfp_map64 *m, uint64_t key) { return tfp_map64_get(m, key) != TFP_NONE; }

/* ---- results ---- */

/* Marks the file's earlier rows as dead. */
static bool bury(pass *x, const slot *f, const tfp_known_file *known)
{
    if (!known) return true;
    if (known->failed) return tfp_map64_put(&x->dead.paths, f->hash, 1);
    x->counts->replaced++;
    return tfp_map64_put(&x->dead.runs, known->run, 1) && tfp_map64_put(&x->gone, known->run, 1);
}

static bool is_duplicate(const pass *x, uint64_t run)
{
    return has(&x->fresh, run) || (has(&x->known.runs, run) && !has(&x->gone, run));
}

static tfp_status put_failure(pass *x, slot *f, const tfp_known_file *known, tfp_error *err)
{
    tfp_fleet_failure row = { .path = { f->path.data, f->path.size - 1 },
                              .message = { f->result.data ? f->result.data : "", f->result.size },
                              .size = f->size,
                              .mtime_us = f->mtime_us,
                              .code = f->code,
                              .signal = f->signal,
                              .attempts = f->attempts };
    if (known && known->failed && known->stamp == tfp_known_stamp(f->size, f->mtime_us))
        row.attempts += known->attempts;
    if (f->code == TFP_FLEET_DUPLICATE) {
        row.message = TFP_STR("the same bytes as the file of this run");
        row.run = tfp_str_of(f->run);
        x->counts->duplicates++;
    } else {
        x->counts->failed++;
    }
    return tfp_index_writer_fail(x->writer, &row, err);
}

static tfp_status settle(pass *x, slot *f, tfp_error *err)
{
    const tfp_known_file *known = tfp_known_find(&x->known, f->hash);
    uint64_t run = tfp_known_run(tfp_str_of(f->run));
    if (!bury(x, f, known)) return tfp_nomem(err);
    if (f->code == TFP_FLEET_RUN && is_duplicate(x, run)) f->code = TFP_FLEET_DUPLICATE;
    if (f->code != TFP_FLEET_RUN) return put_failure(x, f, known, err);
    x->counts->indexed++;
    if (!tfp_map64_put(&x->fresh, run, 1)) return tfp_nomem(err);
    return tfp_index_writer_add(x->writer, (tfp_str){ f->result.data, f->result.size }, err);
}

static tfp_status commit(pass *x, tfp_error *err)
{
    tfp_status s = tfp_index_commit(&x->folder, x->writer, &x->dead, x->settings->tables, &x->counts->parts, err);
    tfp_map64_clear(&x->dead.runs);
    tfp_map64_clear(&x->dead.paths);
    x->committed_at = now_s();
    return s;
}

static bool is_due(const pass *x)
{
    return tfp_index_writer_bytes(x->writer) >= (uint64_t)x->settings->part_bytes ||
           (!tfp_index_writer_is_empty(x->writer) && now_s() - x->committed_at > COMMIT_SECONDS);
}

static tfp_status settle_in_order(pass *x, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (slot *f; !s && x->taken < x->next && (f = &x->slots[x->taken % WINDOW])->done; x->taken++) {
        s = settle(x, f, err);
        x->held -= f->result.size;
        f->done = false;
        tfp_buf_free(&f->result);
    }
    return s;
}

static tfp_status take(void *ctx, const tfp_pool_result *r, tfp_error *err)
{
    pass *x = ctx;
    slot *f = &x->slots[r->number % WINDOW];
    f->code = r->code;
    f->signal = r->signal;
    f->attempts = r->attempts;
    memcpy(f->run, r->run, sizeof f->run);
    tfp_buf_str(&f->result, r->code == TFP_FLEET_RUN ? r->rows : r->message);
    x->counts->not_taken += (int64_t)r->not_taken;
    x->held += f->result.size;
    f->done = true;
    return f->result.failed ? tfp_nomem(err) : settle_in_order(x, err);
}

/* ---- files ---- */

/* Whether a file is new. If another source has the same relative path, the whole path is used. False: the file was seen
 * already. */
static bool is_new(pass *x, tfp_index_walk_file *f, uint64_t *hash, bool *ok)
{
    *hash = tfp_known_hash(tfp_str_of(f->path));
    if (!x->several || x->last) return true;
    if (has(&x->seen, *hash)) {
        f->path = f->file;
        *hash = tfp_known_hash(tfp_str_of(f->path));
        if (has(&x->seen, *hash)) return false;
    }
    *ok = tfp_map64_put(&x->seen, *hash, 1);
    return true;
}

static bool is_unchanged(const pass *x, const tfp_known_file *known, const tfp_index_walk_file *f)
{
    if (!known || known->stamp != tfp_known_stamp(f->size, f->mtime_us)) return false;
    if (known->duplicate && has(&x->gone, known->run)) return false;
    return !(x->settings->retry && known->failed && !known->duplicate);
}

static tfp_status give(pass *x, const tfp_index_walk_file *f, uint64_t hash, tfp_error *err)
{
    slot *to = &x->slots[x->next % WINDOW];
    to->hash = hash;
    to->size = f->size;
    to->mtime_us = f->mtime_us;
    to->path.size = 0;
    tfp_buf_add(&to->path, f->path, strlen(f->path) + 1);
    if (to->path.failed || !tfp_map64_put(&x->given, hash, 1)) return tfp_nomem(err);
    if (f->size > 0) x->counts->bytes = tfp_add(x->counts->bytes, f->size, NULL);
    return tfp_pool_give(x->pool, x->next++, f, err);
}

static tfp_status begin(pass *x, tfp_index_walk_file *f, tfp_error *err)
{
    const tfp_index_settings *o = x->settings;
    uint64_t hash;
    bool ok = true;
    if (!is_new(x, f, &hash, &ok)) return TFP_OK;
    if (!ok) return tfp_nomem(err);
    if (o->shards > 1 && hash % (uint64_t)o->shards != (uint64_t)(o->shard - 1)) {
        x->counts->skipped++;
        return TFP_OK;
    }
    if (x->last && has(&x->given, hash)) return TFP_OK;
    if (!x->last) x->counts->files++;
    if (is_unchanged(x, tfp_known_find(&x->known, hash), f)) {
        x->counts->unchanged += !x->last;
        return TFP_OK;
    }
    if (x->last) x->counts->unchanged--; /* it was counted as unchanged before its run was replaced */
    return give(x, f, hash, err);
}

static tfp_status begin_files(pass *x, tfp_error *err)
{
    enum { AT_ONCE = 1000 }; /* so that progress is reported even when no file needs to be read */
    tfp_status s = TFP_OK;
    tfp_index_walk_file f;
    for (int n = 0; !s && n < AT_ONCE && tfp_pool_has_room(x->pool); n++) {
        if (x->next - x->taken >= WINDOW || x->held > HELD_MOST) break;
        bool more = tfp_index_walk_next(x->walk, &f, &s, err);
        if (!more) x->ended = true;
        if (s || !more) break;
        s = begin(x, &f, err);
    }
    return s;
}

static tfp_status tell(const pass *x, tfp_error *err)
{
    const tfp_index_settings *o = x->settings;
    x->counts->seconds = now_s() - x->started_at;
    int stop = o->progress ? o->progress(o->progress_ctx, (uint64_t)x->counts->files, 0) : 0;
    return stop ? tfp_fail(err, TFP_CANCELLED, "interrupted") : TFP_OK;
}

/* Runs until there are no more files and all results are stored. */
static tfp_status read_files(pass *x, tfp_error *err)
{
    tfp_status s = TFP_OK;
    x->ended = false;
    while (!s && (!x->ended || x->taken < x->next)) {
        s = begin_files(x, err);
        if (!s && tfp_pool_is_busy(x->pool)) s = tfp_pool_wait(x->pool, take, x, err);
        if (!s && is_due(x)) s = commit(x, err);
        if (!s) s = tell(x, err);
    }
    return s;
}

/* Reads all files. Duplicates of replaced runs are read after all others; a commit finds them. */
static tfp_status read_all(pass *x, tfp_error *err)
{
    tfp_status s = read_files(x, err);
    x->last = true;
    for (int round = 0; !s && round < 2; round++) {
        if (!round || !tfp_index_writer_is_empty(x->writer) || x->dead.runs.count || x->dead.paths.count)
            s = commit(x, err);
        if (!s) s = read_files(x, err);
    }
    if (!s && !tfp_index_writer_is_empty(x->writer)) s = commit(x, err);
    if (s == TFP_CANCELLED) (void)commit(x, NULL);
    return s;
}

static bool read_again(void *walk, tfp_str path) { return tfp_index_walk_again(walk, path); }

static tfp_status prepare(pass *x, const char *const *sources, size_t count, const char *out, tfp_error *err)
{
    const tfp_index_settings *o = x->settings;
    tfp_status s = tfp_index_walk_new(sources, count, o->names, o->rules.sidecar, &x->walk, err);
    x->dead.again = read_again;
    x->dead.ctx = x->walk;
    if (!s) s = tfp_index_folder_open(&x->folder, out, o->shard, o->shards, o->tables, err);
    if (!s) s = tfp_index_folder_lock(&x->folder, err);
    if (!s) {
        s = tfp_index_recover(&x->folder, err);
        if (!s) s = tfp_known_read(&x->known, x->folder.out, err);
        if (!s) s = tfp_index_sources_write(x->folder.out, sources, count, err);
        if (!s) s = tfp_index_write_views(&x->folder, o->tables | TFP_FLEET_BIT(TFP_FLEET_FAILURES), err);
        tfp_index_folder_unlock(&x->folder);
    }
    if (!s) s = tfp_pool_new(o, &x->pool, err);
    if (!s) s = tfp_index_writer_new(x->folder.work, o->tables, &x->writer, err);
    return s;
}

static void release(pass *x)
{
    tfp_pool_free(x->pool);
    tfp_index_writer_free(x->writer);
    tfp_index_walk_free(x->walk);
    tfp_known_free(&x->known);
    tfp_map64_free(&x->dead.runs);
    tfp_map64_free(&x->dead.paths);
    tfp_map64_free(&x->gone);
    tfp_map64_free(&x->fresh);
    tfp_map64_free(&x->seen);
    tfp_map64_free(&x->given);
    for (size_t i = 0; i < WINDOW; i++) {
        tfp_buf_free(&x->slots[i].path);
        tfp_buf_free(&x->slots[i].result);
    }
    tfp_index_folder_close(&x->folder);
    free(x);
}

tfp_status tfp_index_pass(const tfp_index_settings *settings, const char *const *sources, size_t count, const char *out,
                          tfp_index_counts *counts, tfp_error *err)
{
    pass *x = calloc(1, sizeof *x);
    struct sigaction before, ignore = { .sa_handler = SIG_IGN };
    *counts = (tfp_index_counts){ 0 };
    if (!x) return tfp_nomem(err);
    x->settings = settings;
    x->counts = counts;
    x->folder.lock = x->folder.commit_lock = -1;
    x->several = count > 1 || (count && strcmp(sources[0], "-") == 0);
    x->started_at = x->committed_at = now_s();
    sigaction(SIGPIPE, &ignore, &before); /* writing to a worker that died must fail, not end this process */
    tfp_status s = prepare(x, sources, count, out, err);
    if (!s) s = read_all(x, err);
    if (x->folder.lock >= 0 && s && s != TFP_BADFILE) (void)!tfp_index_recover(&x->folder, NULL);
    counts->seconds = now_s() - x->started_at;
    if (x->walk) counts->closed = (int64_t)tfp_index_walk_closed(x->walk);
    release(x);
    sigaction(SIGPIPE, &before, NULL);
    return s;
}
