// SPDX-License-Identifier: Apache-2.0
/* watch/judge/parts.h: what the rules share: jobs, their ranks, and the history of each rank. */
#ifndef TFP_WATCH_JUDGE_PARTS_H
#define TFP_WATCH_JUDGE_PARTS_H

#include "watch/judge/judge.h"

#include <stddef.h>

enum {
    PAST = 512,          /* units that are kept of a rank */
    BASE = 200,          /* healthy steps that a rank is compared with */
    BASE_LEAST = 100,    /* fewer steps: no rule */
    WINDOWS_LEAST = 8,   /* the same, where a unit is a window */
    WARM = 50,           /* first steps of a process that are left out: compilation */
    LOOKS = 2048,        /* looks that are kept of a rank */
    LINES = 512,         /* different lines that are kept of a rank */
    ROUNDS = 32,         /* rounds that wait for more ranks */
    RANKS_MOST = 4096,   /* ranks of all jobs; further ones are not judged */
    RECOVERED = 50,      /* healthy steps after which a finding ends */
    WINDOW_US = 1000000, /* length of a window where arrivals are unknown */
    WINDOWS = 128,       /* windows of the rule `slow` that are kept */
    DURATIONS = 512,     /* step times of a window that are kept */
    STACKS = 8,          /* different stacks that are told apart while a rank stands */
    SILENT_US = 10000000 /* a rank without a step in this time is not waited for */
};
#define AGAIN_US ((int64_t)600000000) /* after a finding the same one is silent for this time */
#define FORGET_US 60000000            /* a job without a living process is forgotten after this time */
#define STEP_SHARE 0.02               /* lateness below this share of a step is no finding */
#define OUTLIER 4                     /* a step whose own time is over so many medians */
#define MADS 3                        /* nor below so many median absolute deviations */
#define LOOKS_FOR_CAUSE 300           /* looks since the fault that end the search for its cause */
#define CAUSE_US 5000000              /* longest search */
#define WEAK_CAUSE_US 12000000 /* how long a rank must be late before a neighbour, or nothing known, is its cause */
#define LATELY_US 3000000      /* what it did in this time tells whether it is still late */

/* A step of a rank, or the mean step of a window. Times in microseconds, NAN: unknown. */
typedef struct unit {
    double late; /* arrival after the median rank; without arrivals: what it waits less than the median rank */
    double duration, wait, delay, throttled, bytes, cpu, clock; /* clock: of its GPU */
    int64_t end, arrive, leave;                                 /* CLOCK_BOOTTIME */
    int64_t step, steps; /* number of the first, how many; a window has several */
    bool off;            /* belongs to a fault */
} unit;

typedef struct look {
    int64_t at_us;
    uint32_t line; /* in the rank's lines */
    uint8_t doing;
} look;

/* Medians of the healthy steps of a rank, and the median absolute deviation of its lateness. */
typedef struct base {
    size_t units;
    double late, mad, duration, own, clean, delay, throttled, bytes, cpu, clock; /* clean: own without the run queue */
} base;

/* Means of the steps in a window of the rule `slow`. duration NAN: the rank made none. */
typedef struct window {
    double duration, own, delay, throttled, bytes, cpu, clock;
    int64_t steps;
} window;

typedef struct standing {                      /* what a rank did at the last tick, and since when it does not move */
    const tfp_watch_fact *at;                  /* valid during the tick; NULL: none came */
    int64_t seen_us, progress_us, stood_us;    /* progress: its last new collective; stood: its last move */
    int64_t longest_us;                        /* longest pause that ended by itself */
    int64_t collectives, hits, cpu_ns, lively; /* lively: ticks with progress */
    uint64_t stack, met[STACKS];
    size_t stacks; /* different ones since its last new collective */
    char state;
    bool runs, told_end;
} standing;

typedef struct member { /* a rank */
    tfp_watch_rank who;
    tfp_arena texts, line_texts;
    tfp_strtab lines;
    unit *past;  /* ring */
    look *looks; /* ring */
    uint64_t units, look_count;
    int64_t steps; /* rows that came */
    unit open;     /* the window that is not full */
    base usual;
    window *windows; /* ring, at the numbers of the job's windows */
    window open_window;
    standing stands;
    int64_t last_end; /* of its last step */
    int64_t warm_us;  /* end of its first steps, which no rule uses: looks until then are of start and compilation */
    bool gone;
} member;

typedef struct step_part {
    member *of;
    unit x;
} step_part;
typedef struct job_step { /* a step of all ranks */
    int64_t key;          /* when it was left, or the number of the window */
    TFP_VEC(step_part) parts;
} job_step;

typedef struct finding { /* one that was said and may have ended */
    tfp_watch_finding row;
    tfp_arena texts;
    const member *of; /* NULL: all */
    const tfp_watch_rank *who;
    int64_t found_us, healthy;
} finding;

typedef struct candidate { /* the rank that came last, and since when */
    member *of;
    size_t rounds;
    int64_t since_us, step, since_unix; /* begin of its first step of these; its number; unix time */
    int64_t ready_us;                   /* when there were enough of them; 0: not yet */
    double late;                        /* median lateness since then, over its usual one */
} candidate;

typedef struct slowness { /* windows of a job */
    double durations[DURATIONS], medians[WINDOWS];
    bool off[WINDOWS]; /* belongs to a fault */
    size_t units, windows, in_a_row, compared;
    int64_t steps, begin_us, first_step; /* of the open window */
    int64_t since_us, step;              /* of the first window in a row */
    double largest, usual;
} slowness;

typedef struct job {
    uint64_t number;
    TFP_VEC(member *) members;
    job_step rounds[ROUNDS];
    size_t round_count;
    uint64_t rounds_made;
    candidate last;
    slowness slow;
    size_t stand_ticks; /* ticks in a row in which it hung */
    int64_t seen_us;    /* when one of its ranks was last alive */
    TFP_VEC(finding *) findings;
} job;

struct tfp_watch_judge {
    tfp_watch_heard heard;
    TFP_VEC(job *) jobs;
    tfp_map64 job_of; /* number of a job -> index in jobs */
    size_t members;
    int64_t unix_offset; /* of CLOCK_BOOTTIME */
    int64_t ticked_us;
    bool nomem;
};

/* ---- jobs.c ---- */
member *judge_member(tfp_watch_judge *j, const tfp_watch_rank *rank, job **of); /* NULL: out of memory, or too many */
void judge_job_free(job *of);
void judge_forget(tfp_watch_judge *j, int64_t now_us); /* jobs that ended a minute ago */

/* ---- history.c ---- */
member *judge_member_new(const tfp_watch_rank *who); /* NULL: out of memory */
void judge_member_free(member *m);
void judge_keep_unit(member *m, const unit *x);
bool judge_keep_look(member *m, int64_t now_us, tfp_watch_class doing, tfp_str line);
/* The i-th unit from the end; NULL: not kept. */
unit *judge_unit(const member *m, size_t back);
void judge_mark_off(member *m, int64_t since_us);         /* the units that end after this moment belong to a fault */
double judge_median(double *values, size_t count);        /* reorders them; 0 if there is none */
enum { IN_A_ROW = 4, EARLIER = 100, EARLIER_LEAST = 30 }; /* windows of the rule `slow` */
#define SLOWER 1.05                                       /* than the median of the earlier windows */
/* Whether a window is slower than those before it, whose medians are reordered. *was: their median. */
bool judge_is_slower(double median, double *before, size_t count, double *was, double *largest);
/* The healthy units that end at or before this moment. */
base judge_base(const member *m, int64_t until_us);
bool judge_base_is_enough(const base *b, const member *m);
typedef enum judge_value {
    JUDGE_LATE,
    JUDGE_DURATION,
    JUDGE_OWN,  /* not in waits */
    JUDGE_CLEAN /* nor runnable without a CPU */
} judge_value;
/* Over the units that end after this moment; NAN: unknown. field: offset of a double in unit. */
double judge_mean_since(const member *m, size_t field, int64_t since_us);
double judge_median_since(const member *m, judge_value value, int64_t since_us);
/* Of all healthy units that are kept and end at or before this moment. */
double judge_median_before(const member *m, judge_value value, int64_t until_us);
/* Median and mean own time of a step: of the healthy units before a moment, and of those since. The means are without outliers: a
 * machine that stands still for a second gives no looks. */
void judge_own_means(const member *m, int64_t since_us, double medians[2], double means[2]);
bool judge_is_outlier(const unit *x, const double medians[2], int64_t since_us);
double judge_least_lateness(const member *m); /* less is no finding */

/* ---- cause.c ---- */
typedef struct cause {
    const char *name;
    tfp_str line; /* lives as long as the rank's lines */
    double share; /* of the extra time */
    size_t looks; /* since the fault began */
} cause;
/* What a rank did more since that moment than before: `extra` microseconds a step, of which `queued` were in the run queue. */
cause judge_cause(const member *m, const base *was, int64_t since_us, double extra, double queued);
/* By how many microseconds a step locks, garbage collection and storage grew. */
double judge_growth_outside(const member *m, int64_t since_us);
/* Adds the microseconds of a step in input and in compute, before that moment and since. */
void judge_shares(const member *m, int64_t since_us, double before[2], double since[2]);
size_t judge_looks_since(const member *m, int64_t since_us);

/* ---- chance.c ---- */
/* How many of how many windows of `needed` steps of the job's own healthy steps before a moment meet the rule
 * `late` when blocks of 50 steps of each rank are put in another order. False: the history is too short, or out of
 * memory. */
bool judge_late_permuted(const job *of, size_t needed, int64_t until_us, size_t *met, size_t *windows);
/* The same for the rule `slow`: how many places after 30 windows, whose medians are shuffled. */
bool judge_slow_permuted(const double *medians, size_t count, size_t *met, size_t *places);

/* ---- late.c ---- */
void judge_late(tfp_watch_judge *j, job *of, const job_step *r);

/* ---- slow.c ---- */
void judge_slow(tfp_watch_judge *j, job *of, const job_step *r);

/* ---- stand.c ---- */
void judge_stand(tfp_watch_judge *j, const tfp_watch_fact *facts, size_t count, int64_t now_us);

/* ---- findings.c ---- */
/* Says a finding, whose texts are copied. False: it was said in the last ten minutes, or memory is out. */
bool judge_say(tfp_watch_judge *j, job *of, const member *m, tfp_watch_finding *row, int64_t now_us);
finding *judge_open(const job *of, const char *kind); /* NULL: there is none */
void judge_end(tfp_watch_judge *j, finding *f, int64_t now_us);
void judge_findings_free(job *of);
/* The ranks of the job but this one, "0|2|3". */
void judge_put_others(tfp_buf *b, const job *of, const member *m);

#endif
