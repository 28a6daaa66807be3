// SPDX-License-Identifier: Apache-2.0
/* model/join/join.h: what the files of the join share. The join runs once all files are read: it nests the spans of each lane,
 * finds steps, launches and nodes, and sums executions. docs/traces.md says what each number means. Everything is sorted
 * or looked up, never compared pairwise, and nothing recurses. */
#ifndef TFP_JOIN_H
#define TFP_JOIN_H

#include "model/builder.h"
#include "model/launches.h"
#include "model/order.h"
#include "model/slim.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"

typedef struct tfp_join tfp_join;
typedef struct tfp_join_index tfp_join_index; /* launch.c: calls and ops by the numbers that join them */

/* A part of time that belongs to one step; parts of one process and device do not overlap. */
typedef struct tfp_step_part {
    int64_t start_ns, end_ns;
    uint32_t step;
} tfp_step_part;
typedef struct tfp_step_parts { /* of a process, or of one device of it */
    uint32_t process;
    tfp_strid device; /* 0: of all */
    size_t first, count;
} tfp_step_parts;

/* A place in the model: a name below another place. */
typedef struct tfp_place {
    uint32_t parent, attach; /* attach: where what is inside hangs: itself, or the nearest above that is short enough */
    uint32_t later;          /* the same once all paths together are long */
    tfp_strid name;
    uint32_t node; /* TFP_NONE: none yet */
    size_t length; /* of its path */
} tfp_place;

/* The step of moments that mostly follow one another. */
typedef struct tfp_step_cursor {
    const tfp_join *x;
    uint32_t process;
    tfp_strid device;
    int64_t from_ns, to_ns; /* in between the step is known; `to` not included */
    uint32_t step;
} tfp_step_cursor;

/* Which steps have sums of their own: all of them, or, with TFP_KEEP_TOTAL, one at most. */
typedef struct tfp_kept_steps {
    bool apart, all,
        mean; /* each; none: what is in no step counts, too; none, but it is counted in how many a node ran */
    uint32_t one, others; /* -> steps: the one; where the others count. TFP_NONE */
} tfp_kept_steps;
typedef struct tfp_node_step {
    uint32_t node, step;
} tfp_node_step;

struct tfp_join {
    tfp_builder *b;
    tfp_profile *p;
    tfp_event_tables *t;
    size_t count;           /* of spans */
    uint32_t *order;        /* spans by lane, start, longest first, place in the file */
    uint32_t *lane_first;   /* by lane: where it begins in `order`; one more at the end */
    uint32_t *op_above;     /* nearest host op around a span (cpu_op or API call); TFP_NONE: none */
    uint32_t *cpu_op_above; /* nearest cpu_op around it */
    tfp_join_index *index;
    uint32_t *scope;   /* path around the span's contents: annotations, modules and cpu_ops */
    uint32_t *model;   /* the same of annotations and modules only; NULL without backward ops */
    uint32_t *annotated;      /* by span: annotations around the launches of graphs; NULL until it is asked */
    tfp_map64 replayed_place; /* place << 32 | captured place -> the place there */
    uint8_t *backward; /* by span: it is in a backward op, or is one */
    TFP_VEC(tfp_step_part) parts;
    TFP_VEC(tfp_step_parts) part_lists;
    tfp_map64 list_by_device;    /* process << 32 | device -> part_lists */
    TFP_VEC(tfp_place) places;   /* the first is the root */
    tfp_map64 place_by_name;     /* parent << 32 | name */
    tfp_map64 node_by_name_op;   /* path << 32 | op */
    bool own_execs;              /* all executions are made by this join */
    bool execs_backwards;        /* and those of some node are not in the order of steps */
    tfp_map64 exec_by_step;      /* node << 32 | step; of others */
    TFP_VEC(uint32_t) last_exec; /* by node */
    TFP_VEC(uint32_t) last_type; /* by node: the device that is among its types already */
    TFP_VEC(uint8_t) ran;        /* by node: it has host spans */
    tfp_buf text;
    size_t path_bytes;    /* of all paths made */
    bool roots_are_steps; /* annotations that became steps */
    uint32_t outside;     /* the step of spans that are in no window */
    tfp_kept_steps kept;
    TFP_VEC(tfp_node_step) ran_in; /* of the mean: steps in which nodes ran; a pair may come again */
    uint32_t no_op;                /* node of activities without an op; TFP_NONE: none yet */
};

static inline bool tfp_join_keep(tfp_join *x, bool ok)
{
    if (!ok && !x->b->status) x->b->status = TFP_NOMEM;
    return !x->b->status;
}
static inline uint32_t tfp_span_process(const tfp_join *x, uint32_t span)
{
    return x->p->lanes.at[x->t->spans.lane[span]].process;
}

/* The key of a number in the process of a span. */
static inline uint64_t tfp_in_process(const tfp_join *x, uint32_t span, uint32_t key)
{
    return (uint64_t)tfp_span_process(x, span) << 32 | key;
}

/* Spans of a lane that are of one node, step and kind. */
typedef struct tfp_runs {
    uint32_t node, step, lane, stats;
    unsigned kind, marks;
    int64_t count, self_ns, start_ns, end_ns;
} tfp_runs;
tfp_runs tfp_runs_of_span(const tfp_profile *p, uint32_t span);
bool tfp_runs_count(const tfp_profile *p, const tfp_runs *r); /* whether they count in an execution */
/* What an execution is the sum of; ran_on_host: spans of the host say how often its node ran. flops: the stat's key. */
void tfp_exec_add(const tfp_profile *p, tfp_exec *e, const tfp_runs *r, bool ran_on_host, tfp_strid flops);
void tfp_exec_add_memory(tfp_exec *e, const tfp_memory_event *m);

void tfp_join_order(tfp_join *x); /* order, lane_first */
void tfp_join_nest(tfp_join *x);  /* parent, op_above, cpu_op_above, self_ns; owners of memory events */
void tfp_join_steps(tfp_join *x); /* windows, parts, and the step of host spans */
bool tfp_join_index_spans(
    tfp_join *x); /* index; reads nothing that nesting fills, and leaves b alone. False without memory */
void tfp_join_index_free(tfp_join *x);
void tfp_join_kept(tfp_join *x);     /* kept */
void tfp_join_launches(tfp_join *x); /* launch, owner, class and step of activities */
void tfp_join_nodes(tfp_join *x);    /* node */
void tfp_join_execs(tfp_join *x);    /* executions */
void tfp_join_slims(tfp_join *x);    /* groups of rows that stand for spans */
/* Where activity in a step counts. */
static inline uint32_t tfp_step_kept(const tfp_join *x, uint32_t step)
{
    return x->kept.apart || step == TFP_NONE || step == x->kept.one ? step : x->kept.others;
}
bool tfp_join_ran(tfp_join *x, uint32_t node, uint32_t step); /* a node ran in it; false without memory */
void tfp_join_count_steps(tfp_join *x);                       /* of the mean: in how many steps each node ran */
void tfp_join_work(tfp_join *x);      /* how much of the work lies in steps that stand in for marked ones */
bool tfp_join_map_calls(tfp_join *x); /* of a trace with slim lanes: makes t->launches, once. False without memory */
/* When the call starts that launched an activity with that key: of any trace, once its calls are mapped. False: none did. */
bool tfp_join_launch_start(const tfp_join *x, uint32_t process, uint32_t correlation, int64_t *start_ns);
/* Its rows; NULL when it has none. */
static inline tfp_slim_lane *tfp_join_slim(const tfp_join *x, uint32_t lane)
{
    uint32_t at = x->t->slim->slims.size ? tfp_slim_of_lane(x->t, lane) : TFP_NONE;
    return at == TFP_NONE ? NULL : &x->t->slim->slims.at[at];
}
tfp_step_cursor tfp_step_cursor_start(const tfp_join *x, uint32_t process, tfp_strid device);
uint32_t tfp_step_cursor_at(tfp_step_cursor *c, int64_t at_ns);
/* The step of a moment in a process (device 0) or on one of its devices; TFP_NONE. */
uint32_t tfp_join_step_at(const tfp_join *x, uint32_t process, tfp_strid device, int64_t at_ns);
bool tfp_join_has_steps(const tfp_join *x, uint32_t process, tfp_strid device);
uint32_t tfp_join_no_op(tfp_join *x);   /* the node of activities and allocations that no op made */
extern const char tfp_join_cut_paths[]; /* the join's warning */
void tfp_join_type(tfp_join *x, uint32_t node, tfp_strid type);

/* Called by tfp_build_finish. */
void tfp_build_join(tfp_builder *b);

#endif
