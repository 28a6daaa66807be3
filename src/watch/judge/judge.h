// SPDX-License-Identifier: Apache-2.0
/* watch/judge/judge.h: the rules that find ranks which are late or hang, and jobs which became slow. The recorder calls, in one thread:
 *
 *   tfp_watch_judge_step   with each row of watch_steps, as soon as the step has ended; ranks of one job in any order, but the steps of a
 *                          rank in order. The same job and the same number `step`: the same step of the job. Windows of
 *                          10 s without known steps (`steps` absent) come too.
 *   tfp_watch_judge_tick   each second, with what all ranks of all jobs do at that moment
 *
 * The judge calls found() with each finding when it is found and again when it ends (`ended`), from inside of these two. It fills all
 * columns but `ring`, which the recorder sets. It keeps copies of texts that it needs later. */
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
    uint64_t number;         /* of this process; never used again for another one */
    uint64_t job;            /* ranks with the same number are of one job; never used again for another one */
    int64_t pid, rank;       /* rank: TFP_ABSENT unknown */
    int64_t world;           /* ranks of the job, as its environment says; TFP_ABSENT unknown */
    tfp_str run, name, host; /* the columns run, job and host */
    int64_t date;
} tfp_watch_rank;

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
    tfp_str collective;   /* the collective or wait that its main thread is in, such as all_reduce; no data: in none */
    tfp_str line;         /* innermost line of user code, FILE:LINE:FUNCTION */
    tfp_str frame;        /* innermost line of all */
    uint64_t stack;       /* hash of all frames with their lines: the same while the main thread does not move */
} tfp_watch_fact;

typedef struct tfp_watch_judge tfp_watch_judge;

tfp_status tfp_watch_judge_new(void (*found)(void *ctx, const tfp_watch_rank *rank, const tfp_watch_finding *f),
                               void *ctx, tfp_watch_judge **out, tfp_error *err);
void tfp_watch_judge_free(tfp_watch_judge *j);
/* Both return TFP_OK or TFP_NOMEM. */
tfp_status tfp_watch_judge_step(tfp_watch_judge *j, const tfp_watch_rank *rank, const tfp_watch_step *step,
                                tfp_error *err);
/* now_us: CLOCK_BOOTTIME; unix_us: the time of day. */
tfp_status tfp_watch_judge_tick(tfp_watch_judge *j, const tfp_watch_fact *facts, size_t count, int64_t now_us,
                                int64_t unix_us, tfp_error *err);

#endif
