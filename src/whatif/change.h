// SPDX-License-Identifier: Apache-2.0
/* whatif/change.h: changes of a job's durations, and the rows of the table `whatif`. */
#ifndef TFP_WHATIF_CHANGE_H
#define TFP_WHATIF_CHANGE_H

#include "options/changes.h"
#include "options/regex.h"
#include "whatif/job/job.h"

/* A pattern, and the spans whose names match it. */
typedef struct tfp_named {
    const tfp_job *j;
    tfp_regex *regex;
    const uint32_t
        *parent;     /* for each span the one around it; NULL: use the model's parents, which skip Python frames */
    uint8_t *known;  /* by strid */
    uint8_t *inside; /* for each span: whether it, or a span around it, has the name */
    uint8_t *stacks; /* for each call stack: whether one of its lines has the name */
} tfp_named;
bool tfp_named_new(const tfp_job *j, tfp_str pattern, tfp_named *out); /* false without memory */
bool tfp_named_has(tfp_named *n, uint32_t span);
/* Whether it, or a span around it, has the name. A span of a thread that takes turns is also inside the other thread's
 * waiting span. */
bool tfp_named_inside(tfp_named *n, uint32_t span);
/* Whether the activity belongs to something with that name, whatever launched it: an op of a program or of a captured
 * graph, or a module or line around that op. */
bool tfp_named_computes(tfp_named *n, uint32_t activity);
/* The name of the op to which an activity belongs; the activity's own name if no op is known, because a launching API
 * call is no op. */
tfp_strid tfp_named_after(const tfp_job *j, uint32_t activity);
/* The type of the XLA instruction that the activity runs; 0: none. */
tfp_strid tfp_named_by_type(const tfp_job *j, uint32_t activity);
/* Whether a Python frame has the name. */
bool tfp_named_frame(tfp_named *n);
void tfp_named_free(tfp_named *n);

typedef struct tfp_faster {
    tfp_named named;
    double factor;
    int64_t rank; /* -1: all */
    bool host;
} tfp_faster;

/* The state of applying changes to a variant. The arrays are scratch memory that all changes share. */
typedef struct tfp_changer {
    const tfp_job *j;
    tfp_variant *v;
    bool *anchor_flags;  /* by anchor */
    double *anchor_sums; /* by anchor */
    uint8_t *joint_done; /* by joint */
    uint32_t *framed;    /* for each span the one around it, including Python frames; NULL: no pattern needed it yet */
    bool found;          /* the pattern matched */
} tfp_changer;
bool tfp_changer_new(tfp_changer *c, const tfp_job *j, tfp_variant *v);

struct tfp_remedy; /* gains.h */

/* Removes an activity. Its launch call takes no time either after tfp_empty_calls, unless it launches a graph, which has
 * more activities. */
void tfp_take_away(tfp_changer *c, uint32_t activity);
void tfp_empty_calls(tfp_changer *c);

/* Each returns false when out of memory. */
bool tfp_apply_faster(tfp_changer *c, tfp_faster *f); /* apply.c; sets c->found if anything has the name */
void tfp_apply_link(tfp_changer *c, const tfp_change *link);
void tfp_apply_launch(tfp_changer *c, const tfp_change *launch); /* host_changes.c */
void tfp_apply_input(tfp_changer *c, double most_us);
bool tfp_apply_host(tfp_changer *c, tfp_faster *f);                     /* only the time of the host */
bool tfp_apply_remedy(tfp_changer *c, const struct tfp_remedy *remedy); /* apply.c; not a typed one */
/* The part of a remedy that concerns the host. */
bool tfp_apply_remedy_host(tfp_changer *c, const struct tfp_remedy *remedy);
bool tfp_apply_ideal(tfp_changer *c, int64_t kept_rank); /* ideal.c; -1: none is kept */

/* ---- the longest path (longest.c) ---- */
typedef struct tfp_longest {
    uint32_t *edges; /* indexes of the job's edges, backwards from the end of the last step */
    size_t count;
    double length;
    uint32_t last; /* the node at its end */
} tfp_longest;
bool tfp_longest_of(const tfp_job *j, const tfp_variant *unchanged, const tfp_replayed *replay, tfp_longest *out);
/* The share of the path that a variant changes. */
double tfp_longest_share(const tfp_job *j, const tfp_longest *path, const tfp_variant *v);

/* What most of the path consists of: "the host", "the device", "communication", or "the data loader". */
const char *tfp_longest_limit(const tfp_job *j, const tfp_longest *path);

/* ---- rows (rows.c) ---- */
#define TFP_WHATIF_SAID_OVER                                                                                           \
    0.05 /* if the replay without a change is off by more, a note says so, and `advise` takes no gain from it */
typedef struct tfp_whatif_row {
    tfp_str scenario, note;
    double step_us, gain_us, gain_share, replay_us, replay_error, critical_path_share;
} tfp_whatif_row;

typedef struct tfp_whatif {
    tfp_report *r;
    tfp_job job;
    tfp_variant v;
    tfp_changer changer;
    tfp_replayed replay;
    tfp_longest path;
    double recorded_us, replay_us; /* today: as recorded, and replayed unchanged */
    TFP_VEC(tfp_whatif_row) rows;
    struct tfp_whatif_device *device; /* the limits of calls; NULL: no change needs them (device.h) */
} tfp_whatif;

/* Applies changes in the order of their kinds: ideal, keep, faster, link, launch, input, then no-sync and overlap.
 * `no_match`: the first change whose pattern matches nothing, or NULL. False: out of memory. */
bool tfp_whatif_apply(tfp_whatif *w, const tfp_change *changes, size_t count, const tfp_change **no_match);
/* Replays what was recorded and adds the first row. TFP_BADFILE: there is nothing to replay, or the replay is too far off. */
tfp_status tfp_whatif_today(tfp_whatif *w, tfp_error *err);
/* Adds a row for a replay with this step time. */
bool tfp_whatif_result_add(tfp_whatif *w, tfp_str scenario, double replay_us, double path_share);
/* Adds the first row, `today`: the replay without a change, with a note. */
bool tfp_whatif_today_add(tfp_whatif *w, const tfp_buf *note);
/* Replays the variant and adds its row. */
bool tfp_whatif_row_add(tfp_whatif *w, tfp_str scenario);
/* Makes the line above the table in text: today's step time, the numbers of steps and ranks, and the note. */
bool tfp_whatif_headline(tfp_whatif *w, size_t steps, size_t ranks);
tfp_status tfp_whatif_best(tfp_whatif *w, tfp_error *err); /* best.c: the ten single changes that help most */
/* pipeline.c: the rows of a pipeline's timeline. */
tfp_status tfp_pipeline_rows(tfp_whatif *w, const tfp_change *changes, size_t count, tfp_error *err);
/* refuse.c: judges the replay without changes: writes notes on it, and refuses it when its step is over a quarter
 * longer or shorter than the recorded one. */
bool tfp_whatif_doubted(const tfp_whatif *w); /* whether too much of the recording is in doubt to predict anything */
/* The mean step as `summary` has it, in microseconds, if the marks of the steps are shorter or longer than the step that
 * is replayed; NAN: they agree, or it is unknown. */
double tfp_whatif_other_step(const tfp_whatif *w);
bool tfp_whatif_times_doubted(const tfp_whatif *w); /* of that: whether the recorded times of steps are in doubt, too */
tfp_status tfp_whatif_judge(tfp_whatif *w, tfp_buf *note, tfp_error *err);
/* Whether the host only starts its work in the steps, such as XLA's on CPUs, and there is no device. */
bool tfp_whatif_runs_later(const tfp_job *j);
/* Whether much of the device's time has no known launch. */
bool tfp_whatif_lacks_launches(const tfp_job *j);

#endif
