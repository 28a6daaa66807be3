// SPDX-License-Identifier: Apache-2.0
/* tfprof/fleet.h: many traces as few tables: an index of Parquet files, made by processes that read one trace each at a time.
 * tfprof.h does not include this header: programs that look at one profile need none of it. */
#ifndef TFPROF_FLEET_H
#define TFPROF_FLEET_H

#include "tfprof/tfprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The name of table `i` of a fleet: runs, steps, step_devices, ops ...; NULL past the end. */
TFP_API const char *tfp_fleet_table(size_t i);

/** The name of column `i` of a table; NULL past the end, and when there is no such table.
 *  type  gets 'i' int64, 'r' double, 's' text, 'b' boolean, 'd' days since 1970-01-01, 't' microseconds since then, UTC; may be NULL
 *  help  gets its meaning; may be NULL */
TFP_API const char *tfp_fleet_column(const char *table, size_t i, char *type, const char **help);

/** Settings of an index and what its last pass did. Threads: one at a time for each. */
typedef struct tfp_index tfp_index;
TFP_API tfp_index *tfp_index_new(void); /**< NULL when memory runs out */
TFP_API void tfp_index_free(tfp_index *x);

/** Sets "path" (a pattern such as job={job}/rank={rank}; each call adds one), "sidecar" (a file name; meta.json), "name" (patterns of
 *  file names; *.json,*.json.gz,*.pb,*.pb.gz,*.tfprof), "tables" (names; all), "jobs" (processes; one for each processor), "memory"
 *  (bytes that a trace may take; no limit), "timeout" (seconds for a trace; 300), "shard" (K/N; 1/1), "part-bytes" (67108864),
 *  "fail-over" (a share, 0.01 or 1%; none) or "retry" (without a value). The default stands after the semicolon.
 *  Errors: TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_index_set(tfp_index *x, const char *name, const char *value, tfp_error *err);

/** Called as files are found (`done`; `total` is 0); a nonzero result stops the pass, which then keeps what it has. */
TFP_API void tfp_index_on_progress(tfp_index *x, tfp_progress_fn fn, void *ctx);

/** One pass: reads the files of the sources that `out` has no rows of, or whose size or time changed.
 *  sources  files and folders; "-": reads paths from stdin, separated by NUL or newlines
 *  out      the folder of the index, made where it is not there
 *  The process must have one thread: it starts others with fork(). A file that crashes its reader, takes too long or too much memory
 *  is a row of the table `failures`.
 *  Errors: TFP_BADFILE a source is missing, out holds something else, or another index is at work there; TFP_BADOUTPUT;
 *  TFP_NOMEM; TFP_CANCELLED. What was committed stays, and the next pass goes on. */
TFP_API tfp_status tfp_index_run(tfp_index *x, const char *const *sources, size_t count, const char *out,
                                 tfp_error *err);

/** A number of the last or running pass: "files", "indexed", "failed", "duplicates", "unchanged", "replaced", "skipped", "bytes",
 *  "parts", "not_taken" (malformed dates and ranks in paths and sidecars); -1 for others. */
TFP_API int64_t tfp_index_count(const tfp_index *x, const char *name);

/** 1 when more files failed than "fail-over" says, duplicates aside, else 0. */
TFP_API int tfp_index_is_over(const tfp_index *x);

/** The counts as a table of one row; o: its form, NULL means every default. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_index_report(const tfp_index *x, const tfp_options *o, tfp_report **out, tfp_error *err);

/** 1 when a path is the folder of an index, else 0. */
TFP_API int tfp_is_index(const char *path);

/** Answers one SELECT over the tables of an index, by the program duckdb ($TFPROF_DUCKDB, else on the path), which may read the index
 *  and nothing else.
 *  o     the form of the report, and tfp_options_on_query; NULL means every default
 *  out   on success a report; on failure NULL
 *  Errors: TFP_BADFILE duckdb is not installed, or what it says of the SQL; TFP_LIMIT more than 5,000,000 cells; TFP_CANCELLED; TFP_NOMEM. */
TFP_API tfp_status tfp_index_query(const char *path, const char *sql, const tfp_options *o, tfp_report **out,
                                   tfp_error *err);

/** The jobs and operations of an index that changed for good, a row each: job, op (none: the step), date (the first day after the
 *  change), before_us, after_us, change, runs_before, runs_after, q, status (regressed, improved).
 *  settings   names and values in turn, ended by NULL: "q" (share of false alarms; 0.01), "min-change" (3%), "since" (a date), "job"
 *             and "op" (regular expressions of whole names); NULL as a value, or for all: the default
 *  o          the form of the report; NULL means every default
 *  regressed  gets the number of rows that got slower; may be NULL
 *  Errors: TFP_BADARG a setting; TFP_BADFILE no index, or a damaged one; TFP_NOMEM. */
TFP_API tfp_status tfp_index_trend(const char *path, const char *const *settings, const tfp_options *o, tfp_report **out,
                                   size_t *regressed, tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
