// SPDX-License-Identifier: Apache-2.0
/* model/join/join.h: what the files of the join share. The join runs once all files are read: it nests the spans of
 * each lane, finds steps, launches and nodes, and sums executions. docs/traces.md says what each number means.
 * Everything is sorted or looked up, never compared pairwise, and nothing recurses. */
#ifndef TFP_JOIN_H
#define TFP_JOIN_H

#include "model/builder.h"
#include "model/launches.h"
#include "model/order.h"
#include "model/tables/compact.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

typedef struct tfp_join tfp_join;
typedef struct tfp_join_index
    tfp_join_index; /* launch.c: finds calls and ops by the numbers that join them to activities */

/* A part of time that belongs to one step; parts of one process and device do not overlap. */
typedef struct tfp_step_part {
    int64_t start_ns, end_ns;
    uint32_t step;
} tfp_step_part;
typedef struct tfp_step_parts { /* the parts of a process, or of one of its devices */
    uint32_t process;
    tfp_strid device; /* 0: of all devices */
    size_t first, count;
} tfp_step_parts;

/* A place in the model: a name below another place. */
typedef struct tfp_place {
    /* attach: the place below which its contents are added: itself, or the nearest one above with a short enough
     * path */
    uint32_t parent, attach;
    uint32_t later; /* the same, for use when all paths together have become long */
    tfp_strid name;
    uint32_t node; /* TFP_NONE: none yet */
    size_t length; /* length of its path */
} tfp_place;

/* A cursor for looking up the steps of moments that mostly ascend. */
typedef struct tfp_step_cursor {
    const tfp_join *x;
    uint32_t process;
    tfp_strid device;
    int64_t from_ns, to_ns; /* the step is known for this range, which excludes `to` */
    uint32_t step;
} tfp_step_cursor;

/* The steps that have sums of their own: all of them, or, with TFP_READS_ONE_STEP, at most one. */
typedef struct tfp_kept_steps {
    bool apart;      /* every step has sums of its own */
    bool all;        /* one sum of everything, also of activity outside all steps */
    bool mean;       /* one sum of all steps, and for each node the number of steps in which it ran */
    uint32_t one;    /* index of the step that was asked for; TFP_NONE: none */
    uint32_t others; /* index of the step in which all other steps are summed; TFP_NONE: none */
} tfp_kept_steps;
typedef struct tfp_node_step {
    uint32_t node, step;
} tfp_node_step;

/* The parts of time that belong to steps: steps.c. */
typedef struct tfp_join_windows {
    TFP_VEC(tfp_step_part) parts;
    TFP_VEC(tfp_step_parts) lists;
    tfp_map64 list_by_device; /* process << 32 | device -> index in lists */
    bool are_roots;           /* some annotations became steps */
    uint32_t outside;         /* the step for spans outside all windows */
} tfp_join_windows;

/* The places in the model, and the place of each span: nodes.c. */
typedef struct tfp_join_places {
    TFP_VEC(tfp_place) list;   /* element 0 is the root */
    tfp_map64 by_name;         /* parent << 32 | name -> place */
    tfp_map64 node_by_name_op; /* path << 32 | op -> node */
    tfp_map64 replayed;        /* place << 32 | captured place -> the combined place */
    uint32_t *scope;           /* path around the span's contents, made of annotations, modules and cpu_ops */
    uint32_t *model;           /* the same, made of annotations and modules only; NULL without backward ops */
    uint32_t *annotated;       /* for each span: annotations around graph launches; NULL until needed */
    uint8_t *backward;         /* for each span: whether it is in a backward op, or is one */
    size_t path_bytes;         /* length of all paths that were made */
    tfp_buf text;
} tfp_join_places;

/* Executions: execs.c and kept.c. */
typedef struct tfp_join_executions {
    bool own;          /* this join makes all executions */
    bool backwards;    /* the executions of some node are not in the order of steps */
    tfp_map64 by_step; /* node << 32 | step -> execution, when other files made executions too */
    tfp_kept_steps kept;
    TFP_VEC(tfp_node_step) ran_in; /* for the mean: nodes and steps in which they ran; pairs may repeat */
    bool *left;                    /* for the mean: steps in doubt, which it leaves out; NULL: none */
    bool recounts;                 /* the second pass, over executions with time and without a run */
} tfp_join_executions;

/* What is known of each node; nodes.c adds an element with each node that it makes. */
typedef struct tfp_join_by_node {
    TFP_VEC(uint32_t) last_exec;
    TFP_VEC(uint32_t) last_type; /* the device that was added to its types already */
    TFP_VEC(uint8_t) ran;        /* whether it has host spans */
    uint32_t no_op;              /* node for activities without an op; TFP_NONE: none yet */
} tfp_join_by_node;

/* A call whose number an earlier call of the process has, too, as where recordings were appended or the numbers begin again. */
typedef struct tfp_repeat {
    uint32_t process, number;
    int64_t start_ns;
    uint32_t call, first; /* first: the earliest call with the number */
} tfp_repeat;

/* Where the numbers of a process's marked steps begin again. */
typedef struct tfp_restart {
    uint32_t process;
    int64_t start_ns;
    bool epoch; /* these are the numbers of a loop, which may run several times */
} tfp_restart;

struct tfp_join {
    tfp_builder *b;
    tfp_profile *p;
    tfp_event_tables *t;
    size_t count;                /* number of spans */
    uint32_t *order;             /* spans sorted by lane, start, longest first, position in the file */
    uint32_t *first_lane;        /* for each process: its first lane with spans; TFP_NONE: none */
    uint32_t *next_lane;         /* for each lane: the next one of its process */
    uint32_t *lane_first;        /* for each lane: where it begins in `order`; with one more element at the end */
    uint32_t *op_above;          /* nearest host op around a span (cpu_op or API call); TFP_NONE: none */
    uint32_t *cpu_op_above;      /* nearest cpu_op around it */
    TFP_VEC(tfp_repeat) repeats; /* sorted by process, number and start */
    TFP_VEC(tfp_restart) restarts;
    uint32_t *crossings; /* for each process: host ops of one thread that overlap without nesting */
    tfp_join_index *index;
    tfp_join_windows windows;
    tfp_join_places places;
    tfp_join_executions execs;
    tfp_join_by_node nodes;
};

static inline bool tfp_join_keep(tfp_join *x, bool ok)
{
    if (!ok && !x->b->status) x->b->status = TFP_NOMEM;
    return !x->b->status;
}
static inline uint32_t tfp_span_process(const tfp_join *x, uint32_t span)
{
    return x->p->lanes->at[x->t->spans.lane[span]].process;
}

/* Combines a number with the process of a span as a key. */
static inline uint64_t tfp_in_process(const tfp_join *x, uint32_t span, uint32_t key)
{
    return (uint64_t)tfp_span_process(x, span) << 32 | key;
}

/* Spans of one lane with the same node, step and kind. */
typedef struct tfp_runs {
    uint32_t node, step, lane, stats;
    unsigned kind, marks;
    int64_t count, self_ns, start_ns, end_ns;
} tfp_runs;
tfp_runs tfp_runs_of_span(const tfp_profile *p, uint32_t span);
bool tfp_runs_count(const tfp_profile *p, const tfp_runs *r); /* whether they are counted in an execution */
/* Adds runs to the sums of an execution. ran_on_host: the host's spans tell how often its node ran. flops: key of the
 * stat. */
void tfp_exec_add(const tfp_profile *p, tfp_exec *e, const tfp_runs *r, bool ran_on_host, tfp_strid flops);
/* An execution with time and no run on the host is marked, its activities are counted, then it is settled. */
bool tfp_exec_lacks_runs(tfp_exec *e);
void tfp_exec_recount(tfp_exec *e, const tfp_runs *r);
void tfp_exec_settle(tfp_exec *e);
void tfp_exec_add_memory(tfp_exec *e, const tfp_memory_event *m);

void tfp_join_markers(tfp_join *x); /* chooses marks of steps by their names */
void tfp_join_nest(tfp_join *x);    /* fills parent, op_above, cpu_op_above, self_ns, and owners of memory events */
/* merged.c: leaves out merged ranks that have files of their own; *out: for each span, NULL: none. False: out of memory. */
bool tfp_join_merged(tfp_join *x, uint8_t **out);
void tfp_join_times(tfp_join *x); /* repairs times that cannot be: may leave spans out (times.c) */
void tfp_join_steps(tfp_join *x); /* makes windows and parts, and finds the step of host spans */
bool tfp_join_index_spans(
    tfp_join *x); /* makes index; it reads nothing that nesting fills, and does not touch b. False: out of memory */
void tfp_join_index_free(tfp_join *x);
void tfp_join_kept(tfp_join *x);     /* fills kept */
void tfp_join_launches(tfp_join *x); /* finds launch, owner, class and step of activities */
void tfp_join_doubts(tfp_join *x);   /* finds what the data puts in doubt, with spans only (doubts.c) */
void tfp_join_nodes(tfp_join *x);    /* finds the node of each span */
void tfp_join_execs(tfp_join *x);    /* makes executions */
void tfp_join_sums(tfp_join *x);     /* sums compact rows that are alike */
/* Whether rows of streams and of their launches may hold what the join doubts (doubts.h, times.c): then all must become spans. */
bool tfp_compact_doubtful(tfp_builder *b);
/* The step in which activity in a step is summed. */
static inline uint32_t tfp_step_kept(const tfp_join *x, uint32_t step)
{
    return x->execs.kept.apart || step == TFP_NONE || step == x->execs.kept.one ? step : x->execs.kept.others;
}
bool tfp_join_ran(tfp_join *x, uint32_t node,
                  uint32_t step);       /* notes that a node ran in the step; false: out of memory */
void tfp_join_count_steps(tfp_join *x); /* for the mean: counts the steps in which each node ran */
void tfp_join_work(tfp_join *x);        /* finds the share of the work inside steps that replace marked ones */
bool tfp_join_map_calls(tfp_join *x); /* makes t->launches once, for a trace with compact lanes. False: out of memory */
/* The start of the call that launched an activity with that key; works for every trace, once its calls are mapped.
 * False: there is no such call. */
bool tfp_join_launch_start(const tfp_join *x, uint32_t process, uint32_t correlation, int64_t *start_ns);
tfp_step_cursor tfp_step_cursor_start(const tfp_join *x, uint32_t process, tfp_strid device);
uint32_t tfp_step_cursor_at(tfp_step_cursor *c, int64_t at_ns);
/* The step at a time in a process (device 0) or on one of its devices, or TFP_NONE. */
uint32_t tfp_join_step_at(const tfp_join *x, uint32_t process, tfp_strid device, int64_t at_ns);
bool tfp_join_has_steps(const tfp_join *x, uint32_t process, tfp_strid device);
uint32_t tfp_join_no_op(tfp_join *x);   /* the node for activities and allocations outside all ops */
extern const char tfp_join_cut_paths[]; /* a warning of the join */

/* Called by tfp_build_finish. */
void tfp_build_join(tfp_builder *b);

#endif
