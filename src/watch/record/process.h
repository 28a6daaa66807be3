// SPDX-License-Identifier: Apache-2.0
/* watch/record/process.h: a process that is watched, and what is read of it.
 *
 *     look.c ──looks──┐
 *     probes ──hits.c──steps──┼──▶ rows.c ──▶ rows of watch_steps, to the store and the judge
 *     counters.c ──totals──┘
 */
#ifndef TFP_WATCH_PROCESS_H
#define TFP_WATCH_PROCESS_H

#include "live/jobs/probe.h"
#include "live/python/python.h"
#include "watch/judge/judge.h"
#include "watch/judge/steps.h"

/* ---- look.c: the main thread, some times a second ---- */

#define WATCH_DEPTH 128      /* most frames of a look */
#define WATCH_CODES 8192     /* most code objects of a process that are remembered */
#define WATCH_LINES 512      /* most new lines of a process in a minute */
#define WATCH_LINES_ALL 8192 /* and in all */

typedef struct watch_code { /* a code object */
    tfp_code_copy copy;
    bool library;   /* not the user's own code */
    uint8_t what;   /* WATCH_CODE_ bits */
    tfp_strid name; /* of the function, in the texts of the process */
} watch_code;
enum {
    WATCH_CODE_COLLECTIVE = 1, /* a public function of torch.distributed */
    WATCH_CODE_LOADER = 2,
    WATCH_CODE_LOCK = 4,
    WATCH_CODE_GC = 8
};

/* One look at the main thread. */
typedef struct watch_look {
    int64_t at_ns;                 /* CLOCK_MONOTONIC */
    int64_t cpu_ns, run_delay_ns;  /* of the main thread; -1: not known */
    uint64_t stack;                /* hash of its frames with their lines */
    tfp_strid line, frame, inside; /* innermost line of user code and of all, the collective; 0: none */
    int32_t call;                  /* number of the system call in which it sleeps; -1: in none, -2: not known */
    char state;                    /* R, S, D; 0: not known */
    tfp_watch_class doing;
} watch_look;

typedef struct watch_python {
    tfp_python python;
    bool open;
    uint64_t main; /* address of the main thread's PyThreadState; 0: not known */
    TFP_VEC(watch_code) codes;
    tfp_map64 by_code; /* address -> index in codes */
    tfp_map64 by_line; /* index in codes and offset -> text */
    int64_t minute, new_lines;
} watch_python;

/* ---- counters.c: totals of the process, each second ---- */

typedef struct watch_totals {
    int64_t at_ns;
    int64_t cpu_ns; /* of all its threads; -1, as for the others: not known */
    int64_t switches, faults, read_bytes, write_bytes, rss_bytes, throttled_ns;
} watch_totals;

/* ---- hits.c: steps ---- */

typedef struct watch_step { /* from one boundary to the next */
    int64_t number;         /* TFP_ABSENT: a window without known steps */
    int64_t start_ns, end_ns;
    int64_t arrival_ns, leave_ns; /* entry to its first collective, and return from it; 0: it has none */
    int64_t collectives, wait_ns;
} watch_step;

#define WATCH_SEEN 1200                   /* looks from which a period of lines is learned: a minute */
typedef struct watch_lines {              /* steps of a process of which no call is known: hits.c */
    tfp_watch_line_seen seen[WATCH_SEEN]; /* ring */
    uint64_t count;
    uint32_t last;      /* line of the last look */
    int64_t entered_us; /* when a step began last */
    tfp_watch_line_period period;
} watch_lines;

typedef struct watch_marks {
    tfp_watch_steps *steps;
    bool known; /* the steps are, by the last tick */
    double fit;
    uint32_t step_function; /* the function of role STEP that counts; UINT32_MAX: none */
    int64_t last_ns;        /* end of the last event */
    int64_t waiting_ns;     /* when the wait began that has not ended; 0: none */
    int64_t hits, begun;    /* hits and collectives since watching began */
    int64_t collectives;    /* in the last step */
    watch_step open;        /* the step that is going on; start_ns 0: none */
    char are[64];           /* steps_are */
    watch_lines *lines;     /* NULL: not needed yet */
} watch_marks;

/* ---- rows.c ---- */

#define WATCH_LOOKS 512 /* looks that wait to be summed up */
#define WATCH_ROWS 1024 /* steps that wait to be summed up, and rows that wait for other ranks */
#define WATCH_SLOTS 24
#define WATCH_WINDOW_NS ((int64_t)10000000000)

typedef struct watch_row { /* a row that waits for those of the other ranks of its step */
    tfp_watch_step row;
    int64_t end_ns, arrival_ns, leave_ns; /* as in watch_step */
    char lines[600];
} watch_row;

typedef struct watch_line_count {
    tfp_strid line;
    uint32_t count;
} watch_line_count;

typedef struct watch_sums { /* of the step that is being summed up */
    int64_t start_ns;       /* the boundary at which it began; 0: none was met yet */
    double class_ns[TFP_WATCH_CLASSES];
    watch_line_count lines[WATCH_SLOTS];
    size_t line_count;
    int64_t samples;
    double cpu_ns, run_delay_ns; /* of the main thread, at the step's start; NAN: not known */
    double totals[7];            /* of the process, in the order of watch_totals */
} watch_sums;

typedef enum tfp_watch_layer {
    WATCH_PROC,
    WATCH_PROBES,
    WATCH_STACKS,
    WATCH_RECORDER,
    WATCH_NVML,
    WATCH_RAS,
    WATCH_LAYERS
} tfp_watch_layer;
extern const char *const watch_layers[WATCH_LAYERS];

typedef struct watch_gpu { /* in the last second; NAN: not known */
    double use, power_w, clock_mhz;
    bool slowed;
} watch_gpu;

typedef struct watch_nvidia { /* what NVIDIA's libraries tell of a process */
    watch_gpu gpu;            /* known with the layer WATCH_NVML */
    tfp_strid ras;            /* the operation in which it waits, as RAS tells; 0: none */
} watch_nvidia;

typedef struct watch_files { /* descriptors that stay open; -1: closed */
    int stat, schedstat, syscall, io;
    char throttle[300]; /* path of cpu.stat; "": none */
} watch_files;

typedef struct watch_about { /* texts of the row of watch_jobs */
    char run[TFP_DIGEST], name[256], host[256], framework[TFP_FRAMEWORK_ROOM], version[64], code[24], message[400];
} watch_about;

typedef struct watch_times {
    int64_t start_ticks, started_us; /* the process's start; when watching it began */
    int64_t began_ns, frameworks_ns; /* the same; when it is looked for frameworks again */
} watch_times;

typedef struct watch_counts {
    int64_t samples, torn, dropped, steps, own_ns;
    int64_t told_steps; /* steps when the job's line for people was written last */
} watch_counts;

typedef struct watch_ring watch_ring;       /* watch/record/ring.c */
typedef struct watch_flights watch_flights; /* watch/record/flights.h */

typedef struct watch_process {
    tfp_watch_rank rank;
    watch_about about;
    watch_times times;
    unsigned layers; /* bits of tfp_watch_layer */
    watch_files files;
    watch_counts counts;
    tfp_texts texts; /* lines and functions */
    watch_python py;
    char state;                /* of the main thread, at the last tick */
    watch_look last;           /* at_ns 0: none yet */
    TFP_VEC(watch_look) looks; /* not yet summed up */
    watch_look before;         /* the last one that was */
    watch_totals totals[2];    /* at the last two ticks */
    watch_marks marks;
    int64_t number;            /* of its last step; 0: none */
    int64_t window_ns;         /* when the open window without steps began; 0: there is none, -1: there will be none */
    TFP_VEC(watch_step) ended; /* steps that are not yet summed up */
    watch_sums sums;
    TFP_VEC(watch_row) rows;
    watch_ring *ring;       /* NULL: there is none */
    watch_flights *flights; /* NULL: not asked for */
    watch_nvidia nvidia;
    bool probed; /* a probe was tried */
    bool wanted; /* the judge wants more looks */
    bool gone;
} watch_process;

/* Opens what is read at each look. False: *refusal says why its stack cannot be read; the rest works. */
bool watch_look_open(watch_process *p, tfp_method *refusal);
void watch_look_close(watch_process *p);
/* Looks once and fills p->last. False: out of memory. */
bool watch_look_take(watch_process *p);

void watch_counters_open(watch_process *p);
/* Reads the totals and the state. False: the process has ended. */
bool watch_counters_read(watch_process *p);

bool watch_marks_start(watch_marks *m); /* false: out of memory */
void watch_marks_end(watch_marks *m);
/* Takes a hit; returns whether a step has ended, which is in *out without its number. */
bool watch_marks_hit(watch_marks *m, const tfp_probe_hit *hit, watch_step *out);
/* Takes a look at the main thread, whose lines mark steps as long as there are no hits. *ended: whether a step has ended, which is in
 * *out. False: out of memory. */
bool watch_marks_look(watch_marks *m, const watch_look *l, bool *ended, watch_step *out);
/* Says whether steps are known, and what they are. */
void watch_marks_tick(watch_marks *m);

/* Sums up the steps that ended before `until_ns`, and adds their rows. False: out of memory. */
bool watch_rows_sum(watch_process *p, int64_t until_ns, int64_t unix_offset_ns);

#endif
