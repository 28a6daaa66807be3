// SPDX-License-Identifier: Apache-2.0
/* whatif/job/job.h: a recorded job as a graph of what waits for what, and its replay with changes.
 * Nodes are, in this order: activities of devices and collectives that hosts run, anchors (the points of host threads that wait or are waited for), and joints
 * (the ends of collectives, each one for all of its ranks). Times are microseconds on one clock for all ranks. */
#ifndef TFP_WHATIF_JOB_JOB_H
#define TFP_WHATIF_JOB_JOB_H

#include "model/tables/lanes.h"
#include "model/tables/span_kinds.h"

#define TFP_JOB_SLACK_US 0.01 /* by which times may differ that are equal but for rounding */

typedef struct tfp_job_activity {
    uint32_t span, unit, lane;
    uint32_t call;  /* -> anchors: where the call that launched it starts; TFP_NONE: none */
    uint32_t joint; /* -> joints: the collective that it is a part of; TFP_NONE: none */
    uint32_t ends_with; /* -> joints: the same, if it ends with it; TFP_NONE: by itself, such as the root of a broadcast */
    uint32_t step;  /* -> steps; TFP_NONE: none */
    double start, end;
    double launched; /* when its call starts, its own start without a call */
    double duration;
    double late; /* delay that is kept, because no call is known */
    bool called; /* a call launched it, and clocks do not contradict */
    bool collective;
} tfp_job_activity;

typedef enum tfp_anchor_kind { TFP_ANCHOR_CALL, TFP_ANCHOR_DATA, TFP_ANCHOR_POINT } tfp_anchor_kind;

typedef struct tfp_job_anchor {
    double at;
    double own;         /* work of the host since the anchor before it in its thread */
    double turn;        /* distance from turn_from, in another thread */
    double floor;       /* not before this time: workers of a data loader have a pace of their own; -INFINITY */
    uint32_t span;      /* TFP_NONE: of the end or start of a step's window */
    uint32_t lane, unit;
    uint32_t step;      /* -> steps, whose window it is in; TFP_NONE: none */
    uint32_t turn_from; /* -> anchors: of another thread, which this one waited for; TFP_NONE: none */
    uint32_t call, data; /* -> anchors: starts of the API call, of the data wait that hold the time before it; TFP_NONE: none */
    uint8_t kind;       /* tfp_anchor_kind */
    bool ends;          /* its span ends here, else it starts */
    bool first;         /* of its thread */
    bool waits;         /* the end of a call that waits for the device, so that no change of host time touches `own` */
    bool launches;      /* of a call that launches */
} tfp_job_anchor;

typedef struct tfp_job_joint {
    double pure;    /* from the latest start to the end */
    double end;     /* as recorded */
} tfp_job_joint;

enum {
    TFP_EDGE_AFTER_START = 1, /* from the start of an activity; else from its end */
    TFP_EDGE_HOST = 2,        /* the anchor's `own` comes on top of the lag */
    TFP_EDGE_TURN = 4,        /* the lag is the anchor's `turn` */
    TFP_EDGE_LAUNCH = 8,
    TFP_EDGE_SYNC = 16,       /* of a call that waits for the device */
    TFP_EDGE_COMM = 32,       /* an activity that is no collective waits for one */
    TFP_EDGE_BESIDE = 64,     /* only with `overlap`: the activity before the collectives, in their place */
};
typedef struct tfp_job_edge {
    uint32_t from, to; /* -> nodes */
    double lag;
    uint8_t flags;
} tfp_job_edge;

typedef struct tfp_job_stream { /* its activities, side by side, in the order in which they ran */
    uint32_t lane, unit;
    uint32_t first, count;
    bool only_collectives;
} tfp_job_stream;

/* What a thread did in a gap of the thread of the steps, which waited for it: autograd's backward pass. */
typedef struct tfp_job_turn {
    uint32_t unit, lane;            /* the other thread */
    double from, first, last, next; /* the point before the gap, the first and last point in it, the point behind the gap */
    uint32_t from_anchor, first_anchor, last_anchor, next_anchor;
    uint32_t around; /* -> spans: the innermost one that holds the gap; TFP_NONE: none */
    bool gates; /* of the runs in this gap it is the last to end */
} tfp_job_turn;

/* Beside a collective that a thread of the host runs. */
typedef struct tfp_job_hosted {
    double from; /* the last point of the thread of the steps before it; NAN */
    uint32_t from_anchor;
    uint32_t before; /* -> activities: the one before it in its thread; TFP_NONE: none */
    uint32_t gap;    /* -> gaps: where the thread of the steps waits for it; TFP_NONE: none */
} tfp_job_hosted;

/* Between two points of the thread of the steps: it waits for the last of some collectives to end. */
typedef struct tfp_job_gap {
    uint32_t unit, from_anchor, next_anchor;
    uint32_t point; /* -> points of that thread (home.h): the one at its end */
    double from, to, last;
} tfp_job_gap;

typedef struct tfp_job_wait { /* of a stream for an event in another */
    uint32_t target, source;  /* -> activities */
} tfp_job_wait;

typedef struct tfp_job_window {
    uint32_t unit, step;
    double start, end;
    uint32_t start_anchor, end_anchor; /* TFP_NONE: the unit has no thread, or the step is a run of a device's program */
    uint32_t last; /* -> activities: the last of the step to end; TFP_NONE: none */
    double tail;   /* from its end to that of the window */
    bool on_device;
} tfp_job_window;

/* Of the ranks of one clock. `before`: the end of the step before the one that is asked for. */
typedef struct tfp_job_extent {
    double first, last, before;
    uint32_t last_node, before_node;
} tfp_job_extent;

typedef struct tfp_job_unit {
    int64_t rank, origin_ns, end_ns; /* as in tfp_trace_unit */
    uint32_t home; /* -> lanes: the thread of the steps; TFP_NONE: none */
    double latency, gap; /* L and G of the contract: from a call's start to the start of its activity, between two activities */
    double offset; /* added to its times */
    uint32_t island; /* ranks that have collectives in common share a number */
    bool has_events; /* the trace says which event a stream waits for */
    uint32_t stream_first, stream_count;
} tfp_job_unit;

typedef struct tfp_job {
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_arena *arena; /* of the report, which owns all but the vectors */
    tfp_step_choice step;
    tfp_report *r;
    const struct tfp_trace_index *x;
    uint32_t *unit_of_process;
    tfp_job_unit *units; /* ranks, or hosts */
    size_t unit_count;
    tfp_job_activity *activities;
    uint32_t activity_count;
    uint32_t device_count; /* activities of devices, which come first; the rest are collectives of hosts, by unit and start */
    uint32_t *hosted_spans, hosted_count; /* spans of these */
    tfp_job_hosted *hosted;
    tfp_job_gap *gaps;
    uint32_t gap_count;
    tfp_job_anchor *anchors; /* by unit, thread and time */
    uint32_t anchor_count;
    uint32_t *anchor_of_call; /* by span: where it starts; TFP_NONE: none */
    uint32_t *end_of_call;    /* by span: where it ends; TFP_NONE: none */
    TFP_VEC(tfp_job_joint) joints;
    double *seen; /* by activity: the latest launch of those up to it in its stream */
    tfp_job_stream *streams;
    uint32_t stream_count;
    uint32_t *stream_of_lane; /* -> streams; TFP_NONE: none */
    TFP_VEC(tfp_job_edge) edges;
    uint32_t *edge_from; /* by node: the first of its edges in `edges`, which are by `to`; one more at the end */
    uint32_t *order;     /* nodes, each after those that it waits for */
    uint32_t node_count;
    uint32_t *around; /* by span of a thread that takes turns: the span of the other thread; by activity inside another: that one; TFP_NONE:
                       * none; NULL: there are none at all */
    uint32_t *sync_row; /* by span: the row that says what the call waits for, TFP_NONE: none; NULL: no trace has such rows */
    struct tfp_job_wait *waits; /* of streams for events */
    uint32_t wait_count;
    tfp_map64 call_by_key;    /* unit << 32 | correlation -> spans; filled where rows of events are there */
    tfp_map64 stream_by_name; /* process << 32 | the lane's name -> streams; filled there, too */
    struct tfp_job_turn *turns;
    uint32_t turn_count;
    struct tfp_job_window *windows; /* of steps, by unit and start */
    uint32_t window_count;
    int64_t steps; /* how many there are */
    uint32_t islands;
    tfp_job_extent *extents; /* by island; scratch of tfp_job_step */
    bool failed;      /* memory ran out */
} tfp_job;

/* What the replay is to change; arrays as long as the job's. */
typedef struct tfp_variant {
    double *duration; /* by activity */
    bool *removed;    /* by activity */
    double *pure;     /* by joint */
    double *own, *turn; /* by anchor */
    double *touched;    /* by anchor: how much of `own` and `turn` the changes are about */
    bool no_sync, overlap, no_floor;
} tfp_variant;

/* Times of all nodes, and of the step. */
typedef struct tfp_replayed {
    double *at; /* by node */
    double step_us;
    double from;   /* where the first step that counts begins: that of the steps that is asked for, or the first of all */
    uint32_t last; /* -> nodes: where the last step ends */
} tfp_replayed;

static inline uint32_t tfp_job_anchor_node(const tfp_job *j, uint32_t anchor) { return j->activity_count + anchor; }
static inline uint32_t tfp_job_joint_node(const tfp_job *j, uint32_t joint)
{
    return j->activity_count + j->anchor_count + joint;
}
uint32_t tfp_job_unit_of(const tfp_job *j, uint32_t span); /* -> units; TFP_NONE */
/* Whether the unit is of that rank; -1: of any. */
static inline bool tfp_job_of_rank(const tfp_job *j, uint32_t unit, int64_t rank)
{
    return rank < 0 || j->units[unit].rank == rank;
}
/* A span of a host thread: an op, a call, an annotation, a frame or a mark of a step. */
bool tfp_job_is_host(const tfp_job *j, uint32_t span);
tfp_str tfp_job_name(const tfp_job *j, uint32_t span);
/* A span's time on the job's clock. */
static inline double tfp_job_time(const tfp_job *j, uint32_t unit, int64_t ns)
{
    return (double)(ns - j->units[unit].origin_ns) / 1000 + j->units[unit].offset;
}
void tfp_job_edge_add(tfp_job *j, uint32_t from, uint32_t to, double lag, unsigned flags);
/* The last activity of a stream (-> activities) that was launched at or before a time; TFP_NONE. */
uint32_t tfp_job_launched(const tfp_job *j, const tfp_job_stream *stream, double at);
/* Activities of devices by unit, within it by `less` of the job's activities; first[unit]... of `order`, which ends at first[unit + 1]. */
bool tfp_job_by_unit(const tfp_job *j, bool (*less)(const void *activities, uint32_t a, uint32_t b), uint32_t **order,
                     uint32_t **first);
/* Makes room in job.around, once. */
bool tfp_job_around(tfp_job *j);
/* Sorts the values. 0: there are none. */
double tfp_job_quantile(double *values, size_t count, double share);

/* ---- in the order in which a job is made ---- */
bool tfp_job_hosted_spans(tfp_job *j); /* hosted.c */
/* Whether a collective of that name ends on some ranks before others begin: a broadcast's root waits for nobody. */
bool tfp_job_is_sided(tfp_str name);
bool tfp_job_activities(tfp_job *j);  /* device.c: activities by stream */
bool tfp_job_collectives(tfp_job *j); /* collectives.c: joints, and one clock for all ranks */
bool tfp_job_windows(tfp_job *j);     /* steps.c: steps, and the thread of the steps */
bool tfp_job_hosted_all(tfp_job *j); /* hosted.c: what collectives of hosts wait for, and who waits for them */
bool tfp_job_turns(tfp_job *j);       /* turns.c: threads that take turns */
bool tfp_job_anchors(tfp_job *j);     /* anchors.c */
bool tfp_job_events(tfp_job *j);      /* events.c: what the trace tells of events */
/* The event that a row waits for: when it was recorded, and the stream (-> streams) that it is in where the row tells that, else
 * `stream` stays. False: the time is not known. */
bool tfp_job_event_of(const tfp_job *j, uint32_t row, uint32_t *stream, double *recorded);
bool tfp_job_device_edges(tfp_job *j); /* device_edges.c: launches, streams, events */
bool tfp_job_hosted_edges(tfp_job *j); /* hosted.c */
bool tfp_job_sync_edges(tfp_job *j);  /* sync.c: calls that wait for the device */
bool tfp_job_order(tfp_job *j);       /* replay.c */
/* All of it, for the report's profile. */
tfp_status tfp_job_of(tfp_report *r, tfp_job *j, tfp_error *err);
void tfp_job_free(tfp_job *j);

/* ---- replay.c ---- */
bool tfp_variant_new(const tfp_job *j, tfp_variant *v); /* nothing changed */
void tfp_variant_reset(const tfp_job *j, tfp_variant *v);
void tfp_job_replay(const tfp_job *j, const tfp_variant *v, tfp_replayed *out); /* fills out->at */
static inline double tfp_job_end(const tfp_job *j, const tfp_variant *v, const double *at, uint32_t activity)
{
    const tfp_job_activity *a = &j->activities[activity];
    if (v->removed[activity]) return at[activity];
    return a->ends_with != TFP_NONE ? at[tfp_job_joint_node(j, a->ends_with)] : at[activity] + v->duration[activity];
}
/* Whether an edge starts at the end of an activity: at that of its joint, where it has one. */
static inline bool tfp_job_from_end(const tfp_job *j, const tfp_job_edge *e)
{
    return e->from < j->activity_count && !(e->flags & TFP_EDGE_AFTER_START);
}
uint32_t tfp_job_source(const tfp_job *j, const tfp_job_edge *e); /* -> nodes: the one whose time the edge needs */
/* Whether the variant has the edge; the earliest time that it leaves to `to`, by times of all nodes. */
bool tfp_job_has_edge(const tfp_job *j, const tfp_variant *v, const tfp_job_edge *e);
double tfp_job_arrival(const tfp_job *j, const tfp_variant *v, const double *at, const tfp_job_edge *e);
/* The length of a step by such times; `at` NULL: as recorded. `out` gets `from` and `last`. 0: there is none. */
double tfp_job_step(const tfp_job *j, const tfp_variant *v, const double *at, tfp_replayed *out);

#endif
