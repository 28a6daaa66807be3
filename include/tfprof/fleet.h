// SPDX-License-Identifier: Apache-2.0
/* tfprof/fleet.h: many traces as a few tables: an index of Parquet files, written by processes that each read one trace
 * at a time. tfprof.h does not include this header: programs that look at one profile need none of it.
 * Threads: one at a time for each index and stream; tfp_index_run starts processes with fork(), so the process must
 * have one thread. */
#ifndef TFPROF_FLEET_H
#define TFPROF_FLEET_H

#include "tfprof/tfprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The name of table `i` of a fleet: runs, steps, step_devices, ops ...; NULL past the end. */
TFP_API const char *tfp_fleet_table(size_t i);

/** The name of column `i` of a table; NULL past the end, and when there is no such table.
 *  type  gets 'i' int64, 'r' double, 's' text, 'b' boolean, 'd' days since 1970-01-01, 't' microseconds since then,
 *        UTC; may be NULL
 *  help  gets its meaning; may be NULL */
TFP_API const char *tfp_fleet_column(const char *table, size_t i, char *type, const char **help);

/** Settings of an index and what its last pass did. Threads: one at a time for each. */
typedef struct tfp_index tfp_index;
TFP_API tfp_index *tfp_index_new(void); /**< NULL when memory runs out */
TFP_API void tfp_index_free(tfp_index *x);

/** Sets "path" (a pattern such as job={job}/rank={rank}; each call adds one), "sidecar" (a file name; meta.json),
 *  "name" (patterns of file names; *.json,*.json.gz,*.pb,*.pb.gz,*.tfprof), "tables" (names; all), "jobs" (processes;
 *  one for each processor), "memory" (bytes that a trace may take; no limit), "timeout" (seconds for a trace; 300),
 *  "shard" (K/N; 1/1), "part-bytes" (67108864), "fail-over" (a share, 0.01 or 1%; none) or "retry" (without a value).
 *  The default stands after the semicolon.
 *  Errors: TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_index_set(tfp_index *x, const char *name, const char *value, tfp_error *err);

/** Called as files are found (`done`; `total` is 0); a nonzero result stops the pass, which then keeps what it has. */
TFP_API void tfp_index_on_progress(tfp_index *x, tfp_progress_fn fn, void *ctx);

/** One pass: reads the files of the sources of which `out` has no rows, or whose size or time changed.
 *  sources  files and folders; "-": reads paths from stdin, separated by NUL or newlines
 *  out      the folder of the index, which is created if it does not exist
 *  The process must have one thread: it starts others with fork(). A file that crashes its reader, takes too long or
 *  too much memory is a row of the table `failures`.
 *  Errors: TFP_BADFILE a source is missing, out contains something else, or another process is writing the index there;
 *  TFP_BADOUTPUT; TFP_NOMEM; TFP_CANCELLED. What was committed stays, and the next pass continues from there. */
TFP_API tfp_status tfp_index_run(tfp_index *x, const char *const *sources, size_t count, const char *out,
                                 tfp_error *err);

/** A number of the last or running pass: "files", "indexed", "failed", "duplicates", "unchanged", "replaced",
 *  "skipped", "bytes", "parts", "not_taken" (malformed dates and ranks in paths and sidecars), "closed" (folders
 *  without read permission, which are skipped); -1 for others. */
TFP_API int64_t tfp_index_count(const tfp_index *x, const char *name);

/** 1 if more files failed than "fail-over" allows, not counting duplicates, else 0. */
TFP_API int tfp_index_is_over(const tfp_index *x);

/** The counts as a table of one row; o: its form, NULL means every default. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_index_report(const tfp_index *x, const tfp_options *o, tfp_report **out, tfp_error *err);

/** 1 when a path is the folder of an index, else 0. */
TFP_API int tfp_is_index(const char *path);

/** Answers one SELECT over the tables of an index, by the program duckdb ($TFPROF_DUCKDB, else on the path), which may
 *  read the index and nothing else.
 *  o     the form of the report, and tfp_options_on_query; NULL means every default
 *  out   on success a report; on failure NULL
 *  Errors: TFP_BADFILE duckdb is not installed, or it reports an error in the SQL; TFP_LIMIT more than 5,000,000 cells;
 *  TFP_CANCELLED; TFP_NOMEM. */
TFP_API tfp_status tfp_index_query(const char *path, const char *sql, const tfp_options *o, tfp_report **out,
                                   tfp_error *err);

/** The jobs and operations of an index that changed permanently, a row each: job, op (none: the step), date (the first
 *  day after the change), before_us, after_us, change, runs_before, runs_after, q, status (regressed, improved).
 *  settings   names and values in turn, ended by NULL: "q" (share of false alarms; 0.01), "min-change" (3%), "since" (a
 *             date), "job" and "op" (regular expressions of whole names); NULL as a value, or for all: the default
 *  o          the form of the report; NULL means every default
 *  regressed  gets the number of rows that got slower; may be NULL
 *  Errors: TFP_BADARG a setting; TFP_BADFILE no index, or a damaged one; TFP_NOMEM. */
TFP_API tfp_status tfp_index_trend(const char *path, const char *const *settings, const tfp_options *o,
                                   tfp_report **out, size_t *regressed, tfp_error *err);

/** A page of the runs of an index, filtered and sorted: a row for each, with the columns of the table `runs`; dates and
 *  times are texts (2026-11-24, 2026-11-24T00:00:00Z). Each call reads the files again; memory grows with the matching
 *  runs, by about 24 bytes for each, plus the texts by which they are sorted.
 *  settings   names and values in turn, ended by NULL: "filter" (words, all of which a run must match: NAME=VALUE,
 *             NAME<VALUE or NAME>VALUE with a column's name, where NAME= asks for absent ones; other words must be in
 *             one of its texts, in any case), "order" (a column, after "-" the greatest first; -started), "from" (0)
 *             and "count" (100, at most 1000). Absent cells come last. NULL as a value, or for all: the default
 *  total, found   get the number of runs of the index, and of those that match the filter; may be NULL
 *  Errors: TFP_BADARG a setting; TFP_BADFILE no index, or a damaged one; TFP_NOMEM. */
TFP_API tfp_status tfp_index_runs(const char *path, const char *const *settings, tfp_report **out, size_t *total,
                                  size_t *found, tfp_error *err);

/** Calls fn with each existing folder to which relative paths of the index (runs.path) refer: the folders that were
 *  indexed, and the current folders of those passes. With an index that another user made, no folder is given. Errors:
 *  TFP_BADARG; TFP_BADFILE; TFP_NOMEM. */
TFP_API tfp_status tfp_index_folders(const char *path, void (*fn)(void *ctx, const char *folder), void *ctx,
                                     tfp_error *err);

/* ---- without an index: files as a table ---- */

/** A file, or bytes in memory. */
typedef struct tfp_fleet_source {
    const char *file; /**< to be opened; NULL: the bytes below */
    const char *path; /**< the path that the tables show; NULL: `file` */
    const void *data;
    size_t size;
    const char *code, *message; /**< the file is missing or unreadable: the code and the reason; NULL: it is readable */
} tfp_fleet_source;

/** Gives the next source, which is used until the next call; returns 1, at the end 0, and -1 to end the stream with an
 *  error, whose text is `message`. source NULL: the stream is released, and this is the last call. */
typedef int (*tfp_fleet_next_fn)(void *ctx, tfp_fleet_source *source);

/** A table as a stream of Arrow record batches, which reads source after source as it is pulled. A file without a run
 *  is a row of the table `failures`, and has no row in other tables.
 *  settings  names and values in turn, ended by NULL: "path" (a pattern such as job={job}/rank={rank}; may come several
 *            times), "sidecar", "columns" (names with commas between them; all), "fail-on" ("missing" or "any": such a
 *            file ends the stream with an error that names it; none), "apart" ("1": files, not bytes, are read in a
 *            child process made with fork(), so that a crash is only a failure of that file), and for such a process
 *            "timeout" (seconds for a file; 300) and "memory" (bytes for a file; no limit).
 *            NULL: the defaults, which stand after the semicolons
 *  out       on failure a released stream
 *  Errors: TFP_NOTFOUND no such table; TFP_BADARG; TFP_NOMEM. Threads: one at a time. */
TFP_API tfp_status tfp_fleet_arrow(const char *table, const char *const *settings, tfp_fleet_next_fn next, void *ctx,
                                   struct ArrowArrayStream *out, tfp_error *err);

/** Called for each file; size and mtime_us (microseconds since 1970): INT64_MIN when the file does not exist. Nonzero
 *  stops. */
typedef int (*tfp_fleet_file_fn)(void *ctx, const char *file, const char *path, int64_t size, int64_t mtime_us);

/** The files of sources, as an index finds them, in order. names, sidecar: NULL means the default of tfp_index_set().
 *  Errors: TFP_BADFILE a source is missing, or a folder cannot be read; TFP_CANCELLED; TFP_NOMEM. */
TFP_API tfp_status tfp_fleet_files(const char *const *sources, size_t count, const char *names, const char *sidecar,
                                   tfp_fleet_file_fn fn, void *ctx, tfp_error *err);

/** Called for each fact: name and value, which live until it returns. */
typedef void (*tfp_fleet_field_fn)(void *ctx, const char *name, const char *value);

/** The facts about its run in a file's path and sidecar: calls fn for each of job, date, host and rank that is known,
 *  without opening the trace. settings: "path" and "sidecar", as above. file NULL: no sidecar. Errors: TFP_BADARG;
 *  TFP_NOMEM. */
TFP_API tfp_status tfp_fleet_whose(const char *const *settings, const char *file, const char *path,
                                   tfp_fleet_field_fn fn, void *ctx, tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
