// SPDX-License-Identifier: Apache-2.0
/* watch/judge/judge.h: the rules that find ranks which are late or hang, and jobs that became slow. Plain C: no file,
 * no clock, no /proc; the recorder brings what it saw. It calls, in one thread:
 *
 *   tfp_watch_judge_look   with each look at a main thread (a stack sample), in the order of time
 *     tfp_watch_judge_step   with each step of a rank as soon as it has ended, with its moments; the steps of a rank in
 *                            order
 *   tfp_watch_judge_tick   each second, with what all ranks of all jobs do at that moment, also ranks that have ended
 *
 * Steps of different ranks are matched here, by the moments at which they left their first collective: the recorder
 * numbers the steps of each rank on its own. found() gets a finding when it is found, and again with `ended` when it
 * ends; all columns are set but `ring` and `sources`. late() gets the column late_us of each step as soon as all ranks
 * of the job have made it. Both are called from inside of step() and tick(). Texts are copied. Memory for each rank is
 * bounded: 200 KB. */
#ifndef TFP_WATCH_JUDGE_H
#define TFP_WATCH_JUDGE_H

#include "watch/tables.h"

/* What the main thread was seen to do: the share columns of watch_steps, in their order. */
typedef enum tfp_watch_class {
    TFP_WATCH_WAIT, /* in a collective, or in a wait for one */
    TFP_WATCH_INPUT,
    TFP_WATCH_GC,
    TFP_WATCH_LOCK,
    TFP_WATCH_STORAGE,
    TFP_WATCH_THROTTLED,
    TFP_WATCH_COMPUTE,
    TFP_WATCH_CLASSES
} tfp_watch_class;

/* A process of a job. */
typedef struct tfp_watch_rank {
    uint64_t number;         /* of this process; no later process gets it */
    uint64_t job;            /* number of its job, the same for all its ranks; no later job gets it */
    int64_t pid, rank;       /* rank: TFP_ABSENT unknown */
    int64_t world;           /* ranks of the job, as its environment says; TFP_ABSENT unknown */
    tfp_str run, name, host; /* the columns run, job and host */
    int64_t date;
} tfp_watch_rank;

/* The moments of a step by CLOCK_BOOTTIME, in microseconds. */
typedef struct tfp_watch_moments {
    int64_t end;           /* the boundary to the next step */
    int64_t arrive, leave; /* entry to its first collective, and return from it; TFP_ABSENT unknown */
} tfp_watch_moments;

/* What a rank does at a tick. */
typedef struct tfp_watch_fact {
    const tfp_watch_rank *rank;
    bool ended; /* the process is gone, or a zombie */
    char state; /* of its main thread: R, S, D, T, t, Z, X; 0 unknown */
    tfp_watch_class doing;
    int64_t cpu_ns;       /* CPU time of its main thread; TFP_ABSENT unknown */
    int64_t other_cpu_ns; /* CPU time of its other threads; TFP_ABSENT unknown */
    int64_t collectives;  /* collectives that it has begun since watching began; TFP_ABSENT unknown */
    int64_t hits;         /* calls of probed functions since then; TFP_ABSENT unknown */
    bool by_count;        /* the collective is known from counts of RAS: no frame shows it */
    tfp_str collective;   /* the collective or wait that its main thread is in, such as all_reduce; no data: in none */
    tfp_str line;         /* innermost line of user code, FILE:LINE:FUNCTION */
    tfp_str frame;        /* innermost line of all */
    uint64_t stack;       /* hash of all frames with their lines: the same while the main thread does not move */
} tfp_watch_fact;

typedef struct tfp_watch_heard {
    void (*found)(void *ctx, const tfp_watch_rank *rank, const tfp_watch_finding *f);
    void (*late)(void *ctx, const tfp_watch_rank *rank, int64_t step, double late_us); /* may be NULL */
    void *ctx;
} tfp_watch_heard;

typedef struct tfp_watch_judge tfp_watch_judge;

tfp_status tfp_watch_judge_new(const tfp_watch_heard *heard, tfp_watch_judge **out, tfp_error *err);
void tfp_watch_judge_free(tfp_watch_judge *j);
/* These return TFP_OK or TFP_NOMEM. now_us: CLOCK_BOOTTIME; unix_us: the time of day at that moment. */
tfp_status tfp_watch_judge_look(tfp_watch_judge *j, const tfp_watch_rank *rank, int64_t now_us, tfp_watch_class doing,
                                tfp_str line);
/* `steps` of the row is 1; windows without known steps (TFP_ABSENT) are taken, and no rule uses them. */
tfp_status tfp_watch_judge_step(tfp_watch_judge *j, const tfp_watch_rank *rank, const tfp_watch_step *row,
                                tfp_watch_moments moments);
tfp_status tfp_watch_judge_tick(tfp_watch_judge *j, const tfp_watch_fact *facts, size_t count, int64_t now_us,
                                int64_t unix_us);
/* Whether more looks a second at this rank would help to find a cause now: up to 100 Hz, for at most 6 s. */
bool tfp_watch_judge_wants_looks(const tfp_watch_judge *j, const tfp_watch_rank *rank);

#endif
