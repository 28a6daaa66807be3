// SPDX-License-Identifier: Apache-2.0
/* tfprof/live.h: running jobs: finding, sampling, preparing and recording them.
 * Threads: one at a time for each tfp_live, and any for functions that take none; tfp_live_run_begin changes the
 * environment of the process, so no other thread may read it then. */
#ifndef TFPROF_LIVE_H
#define TFPROF_LIVE_H

#include "tfprof/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The jobs of this machine: each is the topmost process that has mapped a framework's library, with all its
 *  descendants. Listing and sampling only read /proc, the kernel's counters and NVML. Threads: one at a time for each
 *  tfp_live. */
typedef struct tfp_live tfp_live;
TFP_API tfp_live *tfp_live_new(void); /**< NULL when memory runs out */
TFP_API void tfp_live_free(tfp_live *l);

/** Selects a process (its number), or all processes of a script or program (its whole file name), instead of all jobs.
 *  Errors: TFP_BADFILE no such process; TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_live_select(tfp_live *l, const char *selector, tfp_error *err);

/** A setting of tfp_live_set. */
typedef struct tfp_live_setting {
    const char *name;     /**< such as "max_bytes" */
    const char *commands; /**< the commands of tfprof that take it, one blank between: "capture run"; "": none */
    const char *value;    /**< what stands for its value in help: "BYTES"; NULL: it takes none */
    const char *initial;  /**< its value until it is set: "512MiB"; NULL: none */
    double least, most;   /**< the limits of a number; equal: it has none */
    const char *help;     /**< a sentence without its full stop */
    int remote;           /**< nonzero: an agent takes it from another machine (tfprof capture --agent) */
} tfp_live_setting;
/** The setting `i`, or NULL past the end. It lives as long as the library. */
TFP_API const tfp_live_setting *tfp_live_setting_at(size_t i);

/** Sets one of the settings that tfp_live_setting_at lists. Those of the command `top` are for tfp_live_sample and
 *  tfp_live_top, of `stacks` for tfp_live_stacks, of `run` for tfp_live_run_begin, of `capture` for tfp_live_capture.
 *  value  NULL or anything for a setting that takes no value: it is switched on
 *  "native" needs elfutils' libdw.so.1 and the right to sample with perf_event_open.
 *  Errors: TFP_BADARG no such setting, user or column, or a number out of its limits. */
TFP_API tfp_status tfp_live_set(tfp_live *l, const char *name, const char *value, tfp_error *err);

/** Samples all processes. Rates are between the last two samples. Errors: TFP_BADFILE no /proc, or a run folder
 *  ($TFPROF_RUN_DIR ...) that is not the user's own; TFP_NOMEM. */
TFP_API tfp_status tfp_live_sample(tfp_live *l, tfp_error *err);
/** Whether the steps of a job are counted only since the last sample: its rate needs another sample, for example a
 *  second later. */
TFP_API int tfp_live_sampled_once(const tfp_live *l);

/** The table `top` of the last sample: a row for each job, most CPU time first; the column `why` has the reason for
 *  each empty cell. o: -order_by, -top, -format ...; NULL: all defaults. The report is independent of l.
 *  Errors: TFP_BADARG, TFP_NOMEM. */
TFP_API tfp_status tfp_live_top(const tfp_live *l, const tfp_options *o, tfp_report **out, tfp_error *err);

/** The Python stacks of a process, with "native" merged with the native ones: the table `stacks`, a row for each
 *  function with its samples, or with "once" the table `threads`, a row for each frame. The process's memory is read;
 *  it is not stopped, and nothing runs in it. CPython 3.8 to 3.14 on x86-64.
 *  target  a process (a number), or the file name of its script or program
 *  fn      called after each reading; a nonzero result stops. May be NULL
 *  Forms of `stacks`, beside those of tables: "folded", "speedscope" and "pprof". The report is independent of l.
 *  Errors: TFP_BADFILE no such process, no permission, not a known CPython; TFP_CANCELLED; TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_live_stacks(const tfp_live *l, const char *target, const tfp_options *o, tfp_progress_fn fn,
                                   void *ctx, tfp_report **out, tfp_error *err);

/** Where the ranks of a running job are, for one that hangs: the table `hang` of processes, a row for each: the
 *  collective of torch.distributed in which its main thread is, the line of the user's code, its stack; and above them
 *  the rank for which the others wait. Read as by tfp_live_stacks, for a second: nothing is stopped.
 *  targets, count  processes (numbers; of a launcher: its ranks), or file names of scripts or programs (all their
 *                  ranks); none: every process of a job with RANK in its environment
 *  A note names each process that cannot be read. Errors: TFP_BADFILE no such process, or none can be read; TFP_BADARG;
 *  TFP_NOMEM. */
TFP_API tfp_status tfp_live_hang(const char *const *targets, size_t count, const tfp_options *o, tfp_report **out,
                                 tfp_error *err);
/** The same with dumps of PyTorch's flight recorder that were read into a profile: a row for each rank that has a dump and
 *  no process among these, in the job of the first process, and one verdict. NULL: no dumps. */
TFP_API tfp_status tfp_live_hang_with(const tfp_profile *dumps, const char *const *targets, size_t count,
                                      const tfp_options *o, tfp_report **out, tfp_error *err);

/** Prepares this process so that a command started from it has an agent in each of its Python processes: makes the
 *  folder of results and the hook's files, and sets PYTHONPATH, TFPROF_AGENT and TFPROF_RUN_DIR; with "cuda"
 *  CUDA_INJECTION64_PATH, too.
 *  Errors: TFP_BADOUTPUT the folder of results cannot be made or is not empty; TFP_BADFILE the run folder is not the
 *  user's own; TFP_BADARG CUDA_INJECTION64_PATH is set already; TFP_NOMEM. */
TFP_API tfp_status tfp_live_run_begin(tfp_live *l, tfp_error *err);
/** The bytes of a size as "max_bytes" takes it, such as "1000", "512MiB" or "1GB"; 0: it is none. */
TFP_API int64_t tfp_live_bytes(const char *size);
TFP_API int tfp_live_signal(const tfp_live *l);      /**< the number of "on_signal"; 0: none */
TFP_API void tfp_live_run_record(const tfp_live *l); /**< makes each agent of the command record a window now */
/** The same; returns how many agents were told. 0: no process has loaded a framework yet, so try again later. */
TFP_API size_t tfp_live_run_ask(tfp_live *l);
/** After the command: writes the manifest of the results and removes the hook's files. *note, which the
 *  caller frees with free(), is sentences about the recordings, one a line, or the reason why there is none. Errors: TFP_BADOUTPUT, TFP_NOMEM. */
TFP_API tfp_status tfp_live_run_end(tfp_live *l, char **note, tfp_error *err);

/** Opens a folder for results, and creates it with mode 0700 if it does not exist. A link of another user is not
 *  followed in a folder that others may write to. Create files in it relative to the descriptor (openat).
 *  path    NULL: tfprof-VERB-DATE-TIME in the current folder, or a similar name if that exists
 *  verb    for that name; NULL: the folder may contain files; otherwise it must be empty
 *  folder  on success its descriptor, closed by the caller; on failure -1
 *  shown   gets its absolute path
 *  Errors: TFP_BADOUTPUT it cannot be created, is not empty, or belongs to another user; TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_live_folder(const char *path, const char *verb, int *folder, char *shown, size_t room,
                                   tfp_error *err);

/** Called for each recording as it ends, as a line for people (text) and as a JSON object (json). Before the first one
 *  `columns` is the table without rows, and both texts are NULL. Between recordings it is called with all three NULL. A
 *  nonzero result stops and cancels the running recordings. */
typedef int (*tfp_live_row_fn)(void *ctx, const tfp_report *columns, const char *text, const char *json);

/** How a capture ended: the first that applies of STOPPED, NO_DESCRIPTORS, NO_OUTPUT, SOME, TOO_BIG. */
typedef enum tfp_capture_end {
    TFP_CAPTURE_ALL = 0,            /**< every process was recorded */
    TFP_CAPTURE_SOME = 1,           /**< some were not */
    TFP_CAPTURE_NO_OUTPUT = 3,      /**< a file could not be written */
    TFP_CAPTURE_NO_DESCRIPTORS = 4, /**< the process had too many files open */
    TFP_CAPTURE_TOO_BIG = 5,        /**< some recordings ended at "max_bytes"; the others are whole */
    TFP_CAPTURE_STOPPED = 130       /**< the callback stopped it */
} tfp_capture_end;

/** Records many running jobs at once: prepared processes by their agents, servers by gRPC, and with "attach" Python
 *  processes that nothing prepared. Without it such processes are refused, with a code, and not touched. Files, and
 *  last the manifest, go into a folder.
 *  selectors    processes (numbers), scripts or programs (whole file names), HOST:PORT; none are needed with the
 *               setting "all"
 *  end          on success a tfp_capture_end
 *  out          the table `capture`, a row for each process
 *  Settings: "dir", and those that tfp_live_setting_at lists for the command `capture`.
 *  Errors: TFP_BADARG nothing is selected; TFP_BADFILE the run folder is not the user's own; TFP_BADOUTPUT;
 *  TFP_NOMEM. */
TFP_API tfp_status tfp_live_capture(tfp_live *l, const char *const *selectors, size_t count, const tfp_options *o,
                                    tfp_live_row_fn fn, void *ctx, int *end, tfp_report **out, tfp_error *err);
/** With the setting "align": decides when all recordings begin. Called repeatedly once all of them are ready. Above 0:
 *  the start time, in microseconds since 1970; 0: not yet decided; below 0: the library decides, as without a function.
 *  This lets recordings of several machines begin together. */
typedef int64_t (*tfp_live_start_fn)(void *ctx);
TFP_API void tfp_live_on_start(tfp_live *l, tfp_live_start_fn fn, void *ctx);
TFP_API const char *tfp_live_results(const tfp_live *l); /**< the folder of the last run or capture, or "" */

/** The answer of another machine's agent: its table as comma-separated values (-format csv), or NULL. */
typedef struct tfp_live_host {
    const char *host;   /**< its address */
    const char *folder; /**< the folder with the files of its captures; NULL: none */
    const char *csv;
    size_t size;
    size_t rows;   /**< set by the function: rows of its table */
    int bad;       /**< set by the function: its answer is not such a table, and is left out */
    char why[200]; /**< the reason; set with `bad` */
} tfp_live_host;
/** The tables of several machines as one report, with a column `host` before the others. table: "top", "capture" or
 *  "hang", whose verdict is that of all machines.
 *  Errors: TFP_BADARG no such table; TFP_NOMEM. */
TFP_API tfp_status tfp_live_hosts(const char *table, tfp_live_host *hosts, size_t count, const tfp_options *o,
                                  tfp_report **out, tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
