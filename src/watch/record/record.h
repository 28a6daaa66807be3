// SPDX-License-Identifier: Apache-2.0
/* watch/record/record.h: watches processes until the end: looks, hits, totals; their rows go to the store and to the judge. */
#ifndef TFP_WATCH_RECORD_H
#define TFP_WATCH_RECORD_H

#include "live/files/run_folder.h"
#include "live/jobs/jobs.h"
#include "live/jobs/nvml.h"
#include "watch/record/process.h"

typedef struct tfp_watch_settings {
    const char *const *words; /* selectors */
    size_t word_count;
    double seconds, rate; /* seconds 0: until the end of all named jobs */
    int64_t ring_s;       /* of rings; 0: none */
    int rings;            /* the folder of rings; -1: none */
    bool attach;          /* reads PyTorch's flight recorder, by one attach to a process */
    char run_folder[TFP_RUN_PATH_MAX];
} tfp_watch_settings;

/* Who takes what is recorded; all are called from the thread of tfp_watch_record. */
typedef struct tfp_watch_taker {
    void *ctx;
    tfp_status (*step)(void *ctx, const tfp_watch_step *row, tfp_error *err);
    tfp_status (*finding)(void *ctx, const tfp_watch_rank *rank, tfp_watch_finding *row, tfp_error *err);
    tfp_status (*job)(void *ctx, const tfp_watch_job *row,
                      tfp_error *err); /* at its begin, each minute, and at its end: the last one counts */
    tfp_status (*cut)(void *ctx, const char *name, tfp_str trace,
                      tfp_error *err); /* a Chrome trace for the file NAME of the store */
    /* Captures these processes; `name` is a folder below that of the store. NULL: nothing is captured. */
    tfp_status (*capture)(void *ctx, const int64_t *pids, size_t count, const char *name, tfp_error *err);
    tfp_status (*tick)(void *ctx, tfp_error *err); /* each second */
    void (*say)(void *ctx, const char *line);      /* for people */
    bool (*stops)(void *ctx);                      /* whether to end now */
} tfp_watch_taker;

/* Errors: TFP_BADFILE a selector means no process; TFP_LIMIT no descriptors; TFP_NOMEM; those of the taker. */
tfp_status tfp_watch_record(const tfp_watch_settings *w, const tfp_watch_taker *to, tfp_error *err);

/* ---- shared by the files of this folder ---- */

#define WATCH_ENDS 512
typedef struct watch_job {       /* what the ranks of a job share */
    uint64_t number, key;        /* key: a hash by which its ranks are known as one job */
    int64_t last;                /* number of its last step */
    int64_t ends_ns[WATCH_ENDS]; /* by number: when the first rank ended the step; a ring */
    int64_t cut_ns;              /* when its rings were cut last; 0: never */
    int64_t captured_us;         /* when its processes were captured last; 0: never */
} watch_job;

#define WATCH_RING_NAME 240
typedef struct watch_cut { /* a ring that is written again soon */
    uint64_t job;
    int64_t at_ns;
    char name[WATCH_RING_NAME];
} watch_cut;

typedef struct watch_ras watch_ras; /* watch/record/ras.c */

typedef struct watch_recorder {
    const tfp_watch_settings *settings;
    const tfp_watch_taker *to;
    tfp_error *err;
    tfp_probes *probes;
    tfp_watch_judge *judge;
    TFP_VEC(watch_process *) list;
    TFP_VEC(watch_job) jobs;
    TFP_VEC(tfp_watch_fact) facts;
    TFP_VEC(watch_cut) cuts;
    tfp_jobs top;   /* all jobs, for a watch without selectors */
    tfp_map64 seen; /* processes that were there at the last search: number -> 0 */
    int64_t found_ns, search_ns, next_number;
    int64_t unix_offset_ns; /* time of day minus CLOCK_MONOTONIC, when watching began */
    int64_t boot_offset_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC, at the last tick */
    int64_t read_ns;        /* when the probes were read last */
    char host[256];
    tfp_gpus gpus;
    TFP_VEC(watch_ras *) ras; /* by job */
    bool no_gpus;
    tfp_status status; /* of a call from inside of the judge or the probes */
    bool nomem;
} watch_recorder;

/* A time of CLOCK_MONOTONIC by CLOCK_BOOTTIME, in microseconds; TFP_ABSENT for 0. */
static inline int64_t watch_boot_us(const watch_recorder *r, int64_t ns)
{
    return ns ? (ns + r->boot_offset_ns) / 1000 : TFP_ABSENT;
}

/* ---- steps.c ---- */
/* Takes a call of a process of the recorder `ctx`. */
void watch_take_hit(void *ctx, const tfp_probe_hit *hit);
void watch_end_step(watch_recorder *r, watch_process *p, watch_step *step);
/* Without a period there are windows of 10 s. last: the process or the watch ends, and the open window with the last look. */
void watch_cut_window(watch_recorder *r, watch_process *p, int64_t now_ns, bool last);

/* ---- find.c ---- */
/* Looks for processes of the selectors that are new. first: an unknown selector is an error. */
tfp_status watch_find(watch_recorder *r, bool first);
/* Whether it is time to, because there are new processes. */
bool watch_find_is_due(watch_recorder *r);
/* Opens the layers that need a framework, when the process has loaded one that it had not before. False: out of memory. */
bool watch_find_frameworks(watch_recorder *r, watch_process *p, int64_t now_ns);
void watch_process_free(watch_process *p);

/* ---- gpus.c ---- */
void watch_gpus_tick(watch_recorder *r); /* each second */

/* ---- list.c ---- */
watch_process *watch_process_of(const watch_recorder *r, int64_t pid);
watch_job *watch_job_of(watch_recorder *r, uint64_t number);
/* Keeps the first reason for which a layer does not work. */
void watch_refuse(watch_process *p, const char *code, const char *message);

/* ---- emit.c ---- */
/* Gives away the rows whose step all ranks have ended; all of them at the end, or when they are old. */
tfp_status watch_emit(watch_recorder *r, int64_t now_ns, bool all);
#define WATCH_LAYERS_TEXT 80
/* The names of its layers, joined by |. */
const char *watch_layers_text(const watch_process *p, char out[WATCH_LAYERS_TEXT]);
tfp_status watch_emit_job(watch_recorder *r, watch_process *p, bool ended);

#endif
