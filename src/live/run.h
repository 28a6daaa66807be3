// SPDX-License-Identifier: Apache-2.0
/* live/run.h: preparing a command so that the Python processes in it have an agent, and what they recorded. */
#ifndef TFP_LIVE_RUN_H
#define TFP_LIVE_RUN_H

#include "live/rundir.h"

/* Files of src/live/agent, as pieces, each ended by NULL. */
extern const char *const tfp_file_common[],
    *const tfp_file_sessions[], *const tfp_file_steps[], *const tfp_file_agent[], *const tfp_file_attached[],
                                                                                      *const tfp_file_sitecustomize[];

/* The library of cuda_inject.c. */
extern const unsigned char tfp_cuda_library[];
extern const size_t tfp_cuda_library_size;

/* The settings of `run` and `capture`. */
typedef struct tfp_live_wish {
    char *dir;                 /* NULL: named by date and time */
    char *every, *at_step;     /* of run, checked; NULL */
    int64_t ms, steps, signal; /* steps 0: none asked for; signal 0: none */
    bool attach, keep_agent, align, all, kineto;
    bool snapshot; /* what a recorder has, without a window */
    bool cuda;     /* of run: CUDA's activities, by CUPTI */
    enum { TFP_RECORDER_STAYS, TFP_RECORDER_STARTS, TFP_RECORDER_STOPS } recorder;
    int64_t parallel, host_level, python_level, max_bytes;
    double wait, timeout;
} tfp_live_wish;
void tfp_live_wish_start(tfp_live_wish *w);
void tfp_live_wish_free(tfp_live_wish *w);
/* Sets one by the name of its option. TFP_NOTFOUND: none has that name. */
tfp_status tfp_live_wish_set(tfp_live_wish *w, const char *name, const char *value, tfp_error *err);

/* A folder for results: new, or empty. path gets its absolute name. TFP_BADOUTPUT. */
tfp_status tfp_make_results(const tfp_live_wish *w, const char *verb, char *path, size_t room, tfp_error *err);

typedef struct tfp_manifest {
    const char *folder;
    int64_t started_unix_micros, ms, steps; /* steps -1: null */
    tfp_str rows;                           /* JSON objects with commas between them */
    char *const *notes;
    size_t note_count;
} tfp_manifest;
/* FOLDER/manifest.json, whole and 0600. */
tfp_status tfp_manifest_write(const tfp_manifest *m, tfp_error *err);
int64_t tfp_unix_micros(void);
/* A file that appears whole, 0600. */
tfp_status tfp_write_private(const char *path, tfp_str bytes, tfp_error *err);

typedef struct tfp_run {
    char hook[128]; /* folder of the hook's files */
    char id[32];    /* of this run, in its agents' entries */
    char results[4096];
    char run_folder[TFP_RUN_PATH_MAX];
    int64_t started;
} tfp_run;

#endif
