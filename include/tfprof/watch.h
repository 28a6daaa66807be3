// SPDX-License-Identifier: Apache-2.0
/* tfprof/watch.h: jobs that are watched all the time: each rank and step is a row, and ranks that are late or hang, or
 * jobs that became slow, are findings. tfprof.h does not include this header.
 * Threads: one at a time for each tfp_watch. */
#ifndef TFPROF_WATCH_H
#define TFPROF_WATCH_H

#include "tfprof/tfprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings of a watch, and what it found. */
typedef struct tfp_watch tfp_watch;
TFP_API tfp_watch *tfp_watch_new(void); /**< NULL when memory runs out */
TFP_API void tfp_watch_free(tfp_watch *w);

/** Sets "dir" (the folder of the store), "for" (60s, 5m, 2h; until all jobs end), "rate" (looks a second, 1 to 100; 20),
 *  "ring" (seconds of raw data around a finding, 0 to 300; 30), "keep" (days of steps; 14), "attach" (once: reads
 *  PyTorch's flight recorder, by one attach to each process), or "once" (without a value). The default
 *  stands after the semicolon. Errors: TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_watch_set(tfp_watch *w, const char *name, const char *value, tfp_error *err);

/** Selects a process (its number) or all processes of a script or program (its whole file name), instead of all jobs;
 *  of a launcher its ranks. Errors: TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_watch_select(tfp_watch *w, const char *selector, tfp_error *err);

/** Called with each finding, as a line for people (text) and as a JSON object (json); before the first one with
 *  `columns`, the table without rows. text alone: a line a minute and job. At least once a second it is called with all
 *  three NULL. A nonzero result ends the watch. */
typedef int (*tfp_watch_fn)(void *ctx, const tfp_report *columns, const char *text, const char *json);
TFP_API void tfp_watch_on_row(tfp_watch *w, tfp_watch_fn fn, void *ctx); /**< sets it; NULL: none */

/** Called after a finding with the processes that are worth a capture, the rank at fault and a healthy one, and with the
 *  folder for it, whose parent exists. At most once in ten minutes for a job, and 20 times for a store. It must not wait;
 *  findings that the capture itself may cause are left out for 15 s. */
typedef void (*tfp_watch_capture_fn)(void *ctx, const int64_t *pids, size_t count, const char *folder);
TFP_API void tfp_watch_on_capture(tfp_watch *w, tfp_watch_capture_fn fn, void *ctx); /**< sets it; NULL: none */

/** Watches until "for" is over, all selected processes have ended, or the function says so.
 *  out  the table `watch_findings` of this watch, or with "once" `watch_jobs`
 *  Errors: TFP_BADARG neither "dir" nor "once"; TFP_BADFILE no such process, or the folder holds something else or is
 *  in use; TFP_BADOUTPUT rows could not be written: *out is there, too; TFP_NOMEM. */
TFP_API tfp_status tfp_watch_run(tfp_watch *w, const tfp_options *o, tfp_report **out, tfp_error *err);

/** The time of a step of a job that is watched: the mean over the last second in which one ended. */
typedef struct tfp_watch_pace {
    char run[40];      /**< of its first rank that was seen */
    char program[256]; /**< as the column job */
    double seconds;
} tfp_watch_pace;

/** The job of place i, from 0, of those whose steps are known; at most 64. Only from inside of the function that
 *  tfp_watch_on_row set. Returns 1; 0: there are no more. */
TFP_API int tfp_watch_pace_of(const tfp_watch *w, size_t i, tfp_watch_pace *out);

/** How many findings of a kind ("late", "slow", "hang", "change") the last run had. */
TFP_API size_t tfp_watch_found(const tfp_watch *w, const char *kind);

/** A table of a store, also while it is written: watch_steps, watch_findings or watch_jobs.
 *  Errors: TFP_BADFILE no store; TFP_BADARG no such table; TFP_NOMEM. */
TFP_API tfp_status tfp_watch_show(const char *dir, const char *table, const tfp_options *o, tfp_report **out,
                                  tfp_error *err);

/** Whether a folder is a store of watch; it is an index (tfprof/fleet.h), too. */
TFP_API int tfp_is_watch(const char *path);

/** The steps of each process in equal parts of time, for a picture: means of their times, sorted by job, rank and time.
 *  settings  names and values in turn, ended by NULL: "job" (its whole name), "from" and "to" (microseconds since
 *            1970, UTC), "count" (most parts of time, 10 to 2000; 240); a value of NULL: all, or the default
 *  Errors: TFP_BADARG a setting; TFP_BADFILE no store; TFP_NOMEM. */
TFP_API tfp_status tfp_watch_bands(const char *dir, const char *const *settings, const tfp_options *o, tfp_report **out,
                                   tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
