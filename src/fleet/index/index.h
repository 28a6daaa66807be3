// SPDX-License-Identifier: Apache-2.0
/* fleet/index/index.h: the tables of many traces as a folder of Parquet files.
 *
 *     sources ──walk.c──▶ files ──pool.c, worker.c──▶ rows in order ──index.c──▶ writer.c ──commit.c──▶ OUT/TABLE/part-*.parquet
 *                                                            known.c: what OUT has already
 *
 * Rows are stored in the order of the files, whichever process finishes first, so two passes give the same rows. */
#ifndef TFP_FLEET_INDEX_H
#define TFP_FLEET_INDEX_H

#include "fleet/read.h"

#include <limits.h>
#include <stdio.h>

typedef struct tfp_index_settings {
    tfp_fleet_rules rules;
    char *names;     /* --name; NULL: the usual endings */
    unsigned tables; /* bits TFP_FLEET_BIT of the wanted tables */
    int64_t jobs, memory, timeout_s, shard, shards, part_bytes;
    double fail_over; /* allowed share of failures; NAN: no limit */
    bool retry;
    tfp_progress_fn progress;
    void *progress_ctx;
    tfp_fleet_read_fn *read;
} tfp_index_settings;

typedef struct tfp_index_counts {
    int64_t files, indexed, failed, duplicates, unchanged, replaced, skipped, bytes, parts, not_taken, closed;
    double seconds;
} tfp_index_counts;

/* Makes one pass over the sources. Errors: TFP_BADFILE a source is missing, OUT is something else, or another index is
 * running; TFP_BADOUTPUT; TFP_NOMEM; TFP_CANCELLED. What was committed stays. */
tfp_status tfp_index_pass(const tfp_index_settings *settings, const char *const *sources, size_t count, const char *out,
                          tfp_index_counts *counts, tfp_error *err);

/* ---- walk.c: the files of the sources, in order ---- */
typedef struct tfp_index_walk tfp_index_walk;
typedef struct tfp_index_walk_file {
    const char *file;       /* path to open; valid until the next call */
    const char *path;       /* path in the tables: a part of `file`, or all of it */
    int64_t size, mtime_us; /* INT64_MIN: it does not exist */
} tfp_index_walk_file;
/* TFP_BADFILE: a source is missing. */
tfp_status tfp_index_walk_new(const char *const *sources, size_t count, const char *names, const char *sidecar,
                              tfp_index_walk **out, tfp_error *err);
/* Adds a file after the last source, by its path in the tables. False: out of memory. */
bool tfp_index_walk_again(tfp_index_walk *w, tfp_str path);
/* The next file; false at the end. TFP_NOMEM and TFP_BADFILE (a folder that cannot be read) in *s. */
bool tfp_index_walk_next(tfp_index_walk *w, tfp_index_walk_file *f, tfp_status *s, tfp_error *err);
size_t tfp_index_walk_closed(const tfp_index_walk *w); /* number of folders that may not be read, which were left out */
void tfp_index_walk_free(tfp_index_walk *w);

/* ---- pool.c: processes that read files ---- */
typedef struct tfp_pool tfp_pool;
typedef struct tfp_pool_result {
    uint64_t number; /* of the job */
    tfp_fleet_code code;
    int signal;
    int64_t attempts;
    size_t not_taken;
    char run[TFP_DIGEST];
    tfp_str message, rows; /* the message of a failure; the packed rows of a run. Valid until the next call */
} tfp_pool_result;
tfp_status tfp_pool_new(const tfp_index_settings *settings, tfp_pool **out, tfp_error *err);
bool tfp_pool_has_room(const tfp_pool *p); /* whether a process is idle */
bool tfp_pool_is_busy(const tfp_pool *p);
tfp_status tfp_pool_give(tfp_pool *p, uint64_t number, const tfp_index_walk_file *f, tfp_error *err);
/* Waits for results, at most a quarter of a second, and passes each to take(). */
tfp_status tfp_pool_wait(tfp_pool *p, tfp_status (*take)(void *ctx, const tfp_pool_result *r, tfp_error *err),
                         void *ctx, tfp_error *err);
void tfp_pool_free(tfp_pool *p); /* ends its processes */

/* ---- worker.c: such a process ---- */
typedef struct tfp_worker_job { /* followed by the file's name and its path */
    uint32_t size, file_size;
    int64_t bytes, mtime_us;
} tfp_worker_job;
typedef struct tfp_worker_answer { /* followed by a message, or by packed rows */
    uint64_t size;
    uint32_t code, not_taken;
    char run[TFP_DIGEST];
} tfp_worker_answer;
_Noreturn void tfp_worker_run(const tfp_index_settings *settings, int jobs, int answers);

/* ---- known.c: the files that OUT has rows of ---- */
typedef struct tfp_known_file {
    uint64_t path, stamp,
        run; /* hashes: of the path; of size and mtime; of the digest, 0 for a failure without a run */
    uint32_t attempts;
    bool failed, duplicate;
} tfp_known_file;
typedef struct tfp_known {
    TFP_VEC(tfp_known_file) files; /* sorted by path in the end */
    tfp_map64 runs;                /* runs of the parts that existed */
} tfp_known;
uint64_t tfp_known_hash(tfp_str s);
uint64_t tfp_known_stamp(int64_t size, int64_t mtime_us);
uint64_t tfp_known_run(tfp_str digest);
/* Reads `runs` and `failures` of OUT. */
tfp_status tfp_known_read(tfp_known *k, const char *out, tfp_error *err);
const tfp_known_file *tfp_known_find(const tfp_known *k, uint64_t path); /* NULL: it is new */
void tfp_known_free(tfp_known *k);

/* ---- writer.c: rows into parts that are not yet in the index ---- */
typedef struct tfp_index_writer tfp_index_writer;
tfp_status tfp_index_writer_new(const char *work, unsigned tables, tfp_index_writer **out, tfp_error *err);
tfp_status tfp_index_writer_add(tfp_index_writer *w, tfp_str packed, tfp_error *err);
tfp_status tfp_index_writer_fail(tfp_index_writer *w, const tfp_fleet_failure *f, tfp_error *err);
uint64_t tfp_index_writer_bytes(const tfp_index_writer *w); /* size of the biggest part */
bool tfp_index_writer_is_empty(const tfp_index_writer *w);
/* Completes WORK/TABLE.parquet for each table that has rows. A table in `empty`, which has no part yet, gets one without rows,
 * because engines need a file to know the columns. *written: the tables that got a file. */
tfp_status tfp_index_writer_end(tfp_index_writer *w, unsigned empty, unsigned *written, tfp_error *err);
void tfp_index_writer_free(tfp_index_writer *w);

/* ---- folder.c: OUT itself, its paths and small files ---- */
typedef struct tfp_index_folder {
    char out[PATH_MAX - 300], work[PATH_MAX - 200];
    int lock, commit_lock; /* descriptors */
} tfp_index_folder;
/* Makes OUT, or checks that it is an index, and takes the lock of this shard. */
tfp_status tfp_index_folder_open(tfp_index_folder *f, const char *out, int64_t shard, int64_t shards, unsigned tables,
                                 tfp_error *err);
tfp_status tfp_index_folder_lock(tfp_index_folder *f, tfp_error *err); /* takes the lock for a commit; waits for it */
void tfp_index_folder_unlock(tfp_index_folder *f);
void tfp_index_folder_close(tfp_index_folder *f);
/* Makes FOLDER/NAME or FOLDER/TABLE/NAME; false: too long. */
bool tfp_index_path(char out[PATH_MAX], const char *folder, const char *table, const char *name);
/* Sets TFP_BADOUTPUT with the path and the text of errno. */
tfp_status tfp_index_fail_output(tfp_error *err, const char *path);
/* Writes a file of OUT that appears only when it is complete. */
tfp_status tfp_index_write(const char *path, const tfp_buf *text, tfp_error *err);
tfp_status tfp_index_write_views(const tfp_index_folder *f, unsigned tables, tfp_error *err); /* writes views.sql */

/* ---- commit.c: parts get their names, all or none of them ---- */
/* Rows to be dropped: those of runs that were replaced, and of failures whose file was read again. */
typedef struct tfp_dead {
    tfp_map64 runs, paths; /* hashes of runs and of paths */
    bool (*again)(void *ctx,
                  tfp_str path); /* called with the file of each duplicate of these runs; false: out of memory */
    void *ctx;
} tfp_dead;
/* Completes the commits of killed indexes, and removes their leftover files. The caller holds the lock. */
tfp_status tfp_index_recover(const tfp_index_folder *f, tfp_error *err);
/* Completes the writer's parts and renames them. Parts of the index with rows to be dropped are replaced by parts without them. */
tfp_status tfp_index_commit(tfp_index_folder *f, tfp_index_writer *w, const tfp_dead *dead, unsigned tables,
                            int64_t *parts, tfp_error *err);

#endif
