// SPDX-License-Identifier: Apache-2.0
/* live/files/run.h: prepares a command so that the Python processes in it have an agent, and collects what they
 * recorded. */
#ifndef TFP_LIVE_RUN_H
#define TFP_LIVE_RUN_H

#include "live/files/run_folder.h"

/* Files of src/live/agent as pieces of text; each file is ended by NULL. */
/* clang-format off */
extern const char *const tfp_file_common[], *const tfp_file_native[], *const tfp_file_sessions[], *const tfp_file_steps[],
    *const tfp_file_agent[], *const tfp_file_hook[], *const tfp_file_visitor[], *const tfp_file_attached[],
    *const tfp_file_flights[], *const tfp_file_sitecustomize[];
/* clang-format on */

/* The library made of run/cuda_inject.c. */
extern const unsigned char tfp_cuda_library[];
extern const size_t tfp_cuda_library_size;

/* The settings of `stacks`. */
typedef struct tfp_stacks_settings {
    double seconds, rate;
    bool once, idle, native, gil, locals, children;
} tfp_stacks_settings;

/* The values of two settings, in the order of their words. */
typedef enum tfp_recorder_action { TFP_RECORDER_STAYS, TFP_RECORDER_STARTS, TFP_RECORDER_STOPS } tfp_recorder_action;
typedef enum tfp_via { TFP_VIA_ANY, TFP_VIA_KINETO } tfp_via;

/* The settings of `run` and `capture`; live/jobs/settings.c has their defaults and limits. */
typedef struct tfp_live_settings {
    char *dir;                 /* NULL: a name by date and time */
    char *every, *at_step;     /* of run, checked; NULL: none */
    int64_t ms, steps, signal; /* steps 0: none asked for; signal 0: none */
    bool attach, keep_agent, align, all;
    bool snapshot;         /* of a recorder: take what it has, without waiting for a window */
    bool cuda;             /* of run: record CUDA's activities by CUPTI */
    int64_t recorder, via; /* tfp_recorder_action, tfp_via */
    int64_t parallel, host_level, python_level, max_bytes;
    int64_t max_rate; /* of --cuda: activities a second; 0: no limit */
    double wait, timeout;
} tfp_live_settings;

/* The folder of results, held as a descriptor, and its absolute path for messages. */
typedef struct tfp_results {
    int folder; /* -1: none */
    char path[4096];
} tfp_results;
tfp_status tfp_results_open(const tfp_live_settings *w, const char *verb, tfp_results *out, tfp_error *err);
void tfp_results_close(tfp_results *r);
/* Writes JOB/NAME whole and 0600, or NAME without a job. TFP_BADOUTPUT. */
tfp_status tfp_results_write(const tfp_results *r, const char *job, const char *name, tfp_str bytes, tfp_error *err);

typedef struct tfp_manifest {
    const tfp_results *results;
    int64_t started_unix_micros, ms, steps; /* steps -1: written as null */
    tfp_str rows;                           /* JSON objects with commas between them */
    char *const *notes;
    size_t note_count;
} tfp_manifest;
/* FOLDER/manifest.json, whole and 0600. */
tfp_status tfp_manifest_write(const tfp_manifest *m, tfp_error *err);
typedef struct tfp_run {
    char hook[128]; /* folder of the hook's files, below the run folder; "": none */
    char id[32];    /* identifies this run in its agents' entries */
    tfp_results results;
    char run_folder[TFP_RUN_PATH_MAX];
    bool unheard;        /* the last request to record reached no agent */
    int run_fd, hook_fd; /* descriptors of the two folders; valid while *hook is set */
    int64_t started;
} tfp_run;
#define TFP_RUN_NONE ((tfp_run){ .results = { .folder = -1 }, .run_fd = -1, .hook_fd = -1 })
void tfp_run_free(tfp_run *r); /* closes all descriptors; may be called for TFP_RUN_NONE, and twice */

#endif
