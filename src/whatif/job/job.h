// SPDX-License-Identifier: Apache-2.0
/* whatif/job/job.h: a recorded job as a graph of what waits for what, and its replay with changes. Nodes are, in this
 * order: activities of devices and collectives that hosts run, anchors (the points of host threads that wait or are
 * waited for), and joints (the ends of collectives, each one for all of its ranks). Times are microseconds on one
 * clock for all ranks. */
#ifndef TFP_WHATIF_JOB_JOB_H
#define TFP_WHATIF_JOB_JOB_H

#include "model/tables/types.h"
#include "views/spans/doubts.h"

#define TFP_JOB_SLACK_US 0.01 /* rounding may make equal times differ by this much */

typedef struct tfp_job_activity {
    uint32_t span, unit, lane;
    uint32_t call;  /* index in anchors: the start of the call that launched it; TFP_NONE: none */
    uint32_t joint; /* index in joints: the collective that it is a part of; TFP_NONE: none */
    /* index in joints: the same if it ends with the collective; TFP_NONE: it ends by itself, such as the root of a
     * broadcast */
    uint32_t ends_with;
    uint32_t step; /* index in steps; TFP_NONE: none */
    double start, end;
    double launched; /* when its call starts; without a call its own start */
    double duration;
    double late; /* a delay that stays in every replay, because no call is known */
    bool called; /* a call launched it, and the clocks agree with that */
    bool collective;
} tfp_job_activity;

typedef enum tfp_anchor_kind { TFP_ANCHOR_CALL, TFP_ANCHOR_DATA, TFP_ANCHOR_POINT } tfp_anchor_kind;

typedef struct tfp_job_anchor {
    double at;
    double own;     /* host work since the previous anchor in its thread */
    double handoff; /* time since handoff_from, in another thread */
    double floor;   /* it cannot be earlier, because of workers of a data loader (loaders.c); -INFINITY: no limit */
    uint32_t span;  /* TFP_NONE: the end or start of a step's window */
    uint32_t lane, unit;
    uint32_t step;         /* index in steps, whose window contains it; TFP_NONE: none */
    uint32_t handoff_from; /* index in anchors: the one of another thread that this one waited for; TFP_NONE: none */
    uint32_t call,
        data; /* indexes in anchors: starts of the API call and of the data wait around the time before it; TFP_NONE: none */
    uint8_t kind;  /* tfp_anchor_kind */
    bool ends;     /* its span ends here; otherwise it starts here */
    bool first;    /* it is the first of its thread */
    bool waits;    /* the end of a call that waits for the device, so that changes of host time do not affect `own` */
    bool launches; /* of a call that launches */
    bool begins_step; /* a wait for a batch starts here: the step before it has ended */
    bool floor_moves; /* the floor is as much earlier as the least early of those before it in its rank */
} tfp_job_anchor;

typedef struct tfp_job_joint {
    double pure; /* from the latest start to the end */
    double end;  /* as recorded */
} tfp_job_joint;

enum {
    TFP_EDGE_AFTER_START = 1, /* begins at the start of an activity, not at its end */
    TFP_EDGE_HOST = 2,        /* the anchor's `own` is added to the lag */
    TFP_EDGE_HANDOFF = 4,     /* the lag is the anchor's `handoff` */
    TFP_EDGE_LAUNCH = 8,
    TFP_EDGE_SYNC = 16, /* for a call that waits for the device */
    TFP_EDGE_COMM = 32, /* an activity that is no collective waits for a collective */
    TFP_EDGE_BESIDE =
        64, /* only with `overlap`: replaces the edges from collectives by one from the activity before them */
};
typedef struct tfp_job_edge {
    uint32_t from, to; /* indexes of nodes */
    double lag;
    uint8_t flags;
} tfp_job_edge;

typedef struct tfp_job_stream { /* a stream; its activities are contiguous, in the order in which they ran */
    uint32_t lane, unit;
    uint32_t first, count;
    bool only_collectives;
} tfp_job_stream;

/* What another thread did during a gap of the thread of the steps, which waited for it: autograd's backward pass. */
typedef struct tfp_job_handoff {
    uint32_t unit, lane; /* the other thread */
    double from, first, last,
        next; /* times: the point before the gap, the first and the last point in it, the point after the gap */
    uint32_t from_anchor, first_anchor, last_anchor, next_anchor;
    uint32_t around; /* index in spans: the innermost one around the gap; TFP_NONE: none */
    bool gates;      /* of the runs in this gap it ends last */
} tfp_job_handoff;

/* Further facts about a collective that a host thread runs. */
typedef struct tfp_job_hosted {
    double from; /* the last point of the thread of the steps before it; NAN: none */
    uint32_t from_anchor;
    uint32_t before; /* index in activities: the previous one in its thread; TFP_NONE: none */
    uint32_t gap;    /* index in gaps: where the thread of the steps waits for it; TFP_NONE: none */
} tfp_job_hosted;

/* A gap between two points of the thread of the steps, in which it waits for the last of some collectives. */
typedef struct tfp_job_gap {
    uint32_t unit, from_anchor, next_anchor;
    uint32_t point; /* index of the point of that thread (step_thread.h) at its end */
    double from, to, last;
} tfp_job_gap;

typedef struct tfp_job_wait { /* a stream's wait for an event in another stream */
    uint32_t target, source;  /* indexes in activities */
} tfp_job_wait;

typedef struct tfp_job_window {
    uint32_t unit, step;
    double start, end;
    uint32_t start_anchor,
        end_anchor; /* TFP_NONE: the unit has no thread, or the step is a run of a device's program */
    uint32_t last;  /* -> activities: the last of the step to end; TFP_NONE: none */
    double tail;    /* from its end to that of the window */
    bool on_device; /* it begins and ends with the work of a device */
} tfp_job_window;

/* The range of ranks with one clock. `before`: the end of the step before the selected one. */
typedef struct tfp_job_extent {
    double first, last, before;
    uint32_t last_node, before_node;
} tfp_job_extent;

/* A rank's waits for batches of a data loader with workers: loaders.c. */
typedef struct tfp_job_loader {
    uint32_t batches, late;
    bool paces;   /* most batches were late: the workers set the pace of the steps */
    double slack; /* how much shorter than the mean step the shortest one with a batch in time was */
} tfp_job_loader;

typedef struct tfp_job_unit {
    int64_t rank, origin_ns, end_ns; /* as in tfp_trace_unit */
    uint32_t step_lane;              /* index in lanes: the thread of the steps; TFP_NONE: none */
    double latency,
        gap; /* L and G of the contract: the time from a call's start to its activity's start, and between two activities */
    double offset;     /* added to its times to get the job's clock */
    double busy_until; /* its devices do work from before the recording until then; INFINITY: they don't */
    uint32_t island;   /* shared by ranks that have collectives in common */
    bool has_events;   /* the trace tells which event a stream waits for */
    uint32_t stream_first, stream_count;
    tfp_job_loader loader;
} tfp_job_unit;

/* Streams of devices: device.c. */
typedef struct tfp_job_streams {
    tfp_job_stream *list;
    uint32_t count;
    uint32_t *of_lane; /* index in list; TFP_NONE: none */
    double *seen;      /* for each activity: the latest launch of those up to it in its stream */
} tfp_job_streams;

/* Collectives that hosts run: hosted.c. */
typedef struct tfp_job_hosts {
    uint32_t *spans, count; /* their spans, and their number */
    tfp_job_hosted *list;
    tfp_job_gap *gaps;
    uint32_t gap_count;
} tfp_job_hosts;

/* Steps of the job: steps.c; collectives.c finds the islands. */
typedef struct tfp_job_steps {
    tfp_job_window *windows; /* sorted by unit and start */
    tfp_doubted_steps doubted;
    uint32_t window_count;
    int64_t count;
    uint32_t islands;
    tfp_job_extent *extents; /* for each island; memory for tfp_job_step */
} tfp_job_steps;

/* Points of host threads: anchors.c; of threads that take turns with the thread of the steps: handoffs.c. */
typedef struct tfp_job_anchors_of {
    tfp_job_anchor *list; /* sorted by unit, thread and time */
    uint32_t count;
    uint32_t *of_call;     /* for each span: the anchor where it starts; TFP_NONE: none */
    uint32_t *end_of_call; /* for each span: the anchor where it ends; TFP_NONE: none */
    tfp_job_handoff *handoffs;
    uint32_t turn_count;
} tfp_job_anchors_of;

/* What the trace tells about events of streams: events.c. */
typedef struct tfp_job_recorded {
    /* for each span: the row that tells what the call waits for, TFP_NONE: none; NULL: no trace has such rows */
    uint32_t *sync_row;
    tfp_job_wait *waits; /* streams' waits for events */
    uint32_t wait_count;
    tfp_map64 call_by_key;    /* unit << 32 | correlation -> span; filled only if there are rows of events */
    tfp_map64 stream_by_name; /* process << 32 | the lane's name -> stream; filled only then, too */
} tfp_job_recorded;

/* What waits for what. Edges are added by *_edges.c and sync.c; replay.c sorts them and finds the order. */
typedef struct tfp_job_graph {
    TFP_VEC(tfp_job_edge) edges; /* sorted by `to` */
    uint32_t *edge_from;         /* for each node: its first edge in `edges`; with one more element at the end */
    uint32_t *order;             /* nodes in an order in which each comes after those that it waits for */
    uint32_t node_count;
} tfp_job_graph;

typedef struct tfp_job {
    const tfp_profile *p;
    const tfp_span_columns *s;
    tfp_arena *arena; /* arena of the report, which owns everything except the vectors */
    tfp_step_choice step;
    tfp_report *r;
    const struct tfp_trace_index *x;
    uint32_t *unit_of_process;
    tfp_job_unit *units; /* ranks, or hosts */
    size_t unit_count;
    tfp_job_activity *activities;
    uint32_t activity_count;
    /* number of devices' activities, which come first; the others are host collectives, sorted by unit and start */
    uint32_t device_count;
    TFP_VEC(tfp_job_joint) joints;
    /* for each span of a thread that takes turns: the span of the other thread; for an activity inside another one:
     * that one; TFP_NONE: none; NULL: there are no such spans */
    uint32_t *around;
    const uint8_t *waits; /* for each span: why it waits */
    tfp_job_streams streams;
    tfp_job_hosts hosted;
    tfp_job_steps steps;
    tfp_job_anchors_of anchors;
    tfp_job_recorded events;
    tfp_job_graph graph;
    bool failed; /* memory is out */
} tfp_job;

/* What a replay changes; each array has the length of the job's. */
typedef struct tfp_variant {
    double *duration;      /* by activity */
    bool *removed;         /* by activity */
    double *pure;          /* for each joint */
    double *own, *handoff; /* for each anchor */
    double *touched;       /* for each anchor: the part of `own` and `handoff` that the changes concern */
    bool *unsynced;        /* for each anchor: its call waits for nothing */
    bool no_sync, overlap;
    bool at_once; /* data is there at once: nobody waits for those who make it */
} tfp_variant;

/* The resulting times of all nodes and of the step. */
typedef struct tfp_replayed {
    double *at; /* for each node */
    double
        *behind; /* for each unit: how much later than recorded the steps so far ended at most; -INFINITY: none did */
    double step_us;
    double from;   /* the time at which the selected step begins, or the first one */
    uint32_t last; /* index of the node where the last step ends */
} tfp_replayed;

static inline uint32_t tfp_job_anchor_node(const tfp_job *j, uint32_t anchor) { return j->activity_count + anchor; }
static inline uint32_t tfp_job_joint_node(const tfp_job *j, uint32_t joint)
{
    return j->activity_count + j->anchors.count + joint;
}
uint32_t tfp_job_unit_of(const tfp_job *j, uint32_t span); /* -> units; TFP_NONE */
/* Whether the unit has that rank; -1: any rank. */
static inline bool tfp_job_of_rank(const tfp_job *j, uint32_t unit, int64_t rank)
{
    return rank < 0 || j->units[unit].rank == rank;
}
/* Whether it is a span of a host thread: an op, a call, an annotation, a frame or a mark of a step. */
bool tfp_job_is_host(const tfp_job *j, uint32_t span);
tfp_str tfp_job_name(const tfp_job *j, uint32_t span);
uint32_t tfp_job_span_count(const tfp_job *j);
uint32_t tfp_job_name_count(const tfp_job *j); /* of all strings */
/* A Python frame, on the job's clock. */
typedef struct tfp_job_frame {
    uint32_t unit, lane;
    double start, length;
} tfp_job_frame;
bool tfp_job_frame_of(const tfp_job *j, uint32_t span, tfp_job_frame *out); /* false: it is none */
/* Whether it is a built-in function that only waits. Built-in functions call no others, so their times can be added.
 * `known`: a byte for each string, 0 at first. */
bool tfp_job_frame_waits(const tfp_job *j, uint32_t span, uint8_t *known);
/* A span's time on the job's clock. */
static inline double tfp_job_time(const tfp_job *j, uint32_t unit, int64_t ns)
{
    return (double)(ns - j->units[unit].origin_ns) / 1000 + j->units[unit].offset;
}
void tfp_job_edge_add(tfp_job *j, uint32_t from, uint32_t to, double lag, unsigned flags);
/* The last activity of a stream that was launched at or before a time, as its index; TFP_NONE: none. */
uint32_t tfp_job_launched(const tfp_job *j, const tfp_job_stream *stream, double at);
struct tfp_sort_key;
/* Sorts devices' activities by an order that begins with the unit; first[unit] is the first index in `order`,
 * first[unit + 1] the end. */
bool tfp_job_by_unit(const tfp_job *j, const struct tfp_sort_key *by, uint32_t **order, uint32_t **first);
/* Allocates job.around, unless that was done already. */
bool tfp_job_around(tfp_job *j);
/* Sorts the values and returns a quantile; 0: there are no values. */
double tfp_job_quantile(double *values, size_t count, double share);

/* ---- in the order in which a job is made ---- */
bool tfp_job_hosted_spans(tfp_job *j); /* hosted.c */
/* Whether a collective with that name may end on some ranks before others begin: a broadcast's root waits for
 * nobody. */
bool tfp_job_is_sided(tfp_str name);
bool tfp_job_activities(tfp_job *j);  /* device.c: makes activities by stream */
bool tfp_job_collectives(tfp_job *j); /* collectives.c: makes joints, and one clock for all ranks */
bool tfp_job_windows(tfp_job *j);     /* steps.c: finds steps, and the thread of the steps */
/* Whether the trace has steps; otherwise it is one from its first start to its last end, of which `summary` takes a
 * part. */
bool tfp_job_has_steps(const tfp_job *j);
bool tfp_job_hosted_all(tfp_job *j); /* hosted.c: finds what host collectives wait for, and who waits for them */
bool tfp_job_handoffs(tfp_job *j);   /* handoffs.c: finds threads that take turns */
bool tfp_job_anchors(tfp_job *j);    /* anchors.c */
bool tfp_job_loaders(tfp_job *j);    /* loaders.c: finds which batches of a data loader were late */
bool tfp_job_events(tfp_job *j);     /* events.c: reads what the trace tells about events */
/* The event that a row waits for: when it was recorded, and its stream as an index in streams; if the row does not
 * tell it, `stream` is unchanged. False: the time is unknown. */
bool tfp_job_event_of(const tfp_job *j, uint32_t row, uint32_t *stream, double *recorded);
bool tfp_job_device_edges(tfp_job *j); /* device_edges.c: adds edges for launches, streams, events */
bool tfp_job_hosted_edges(tfp_job *j); /* hosted.c */
bool tfp_job_sync_edges(tfp_job *j);   /* sync.c: adds edges for calls that wait for the device */
bool tfp_job_order(tfp_job *j);        /* replay.c */
/* Makes the whole job for the report's profile. */
tfp_status tfp_job_of(tfp_report *r, tfp_job *j, tfp_error *err);
void tfp_job_free(tfp_job *j);

/* ---- replay.c ---- */
bool tfp_variant_new(const tfp_job *j, tfp_variant *v); /* a variant without changes */
void tfp_variant_reset(const tfp_job *j, tfp_variant *v);
void tfp_job_replay(const tfp_job *j, const tfp_variant *v, tfp_replayed *out); /* fills out->at */
static inline double tfp_job_end(const tfp_job *j, const tfp_variant *v, const double *at, uint32_t activity)
{
    const tfp_job_activity *a = &j->activities[activity];
    if (v->removed[activity]) return at[activity];
    return a->ends_with != TFP_NONE ? at[tfp_job_joint_node(j, a->ends_with)] : at[activity] + v->duration[activity];
}
/* Whether an edge starts at the end of an activity; if the activity has a joint, at the joint's end. */
static inline bool tfp_job_from_end(const tfp_job *j, const tfp_job_edge *e)
{
    return e->from < j->activity_count && !(e->flags & TFP_EDGE_AFTER_START);
}
uint32_t tfp_job_source(const tfp_job *j, const tfp_job_edge *e); /* the index of the node whose time the edge needs */
/* Whether the variant has the edge; and the earliest time of `to` that the edge allows, given the times of all
 * nodes. */
bool tfp_job_has_edge(const tfp_job *j, const tfp_variant *v, const tfp_job_edge *e);
double tfp_job_arrival(const tfp_job *j, const tfp_variant *v, const double *at, const tfp_job_edge *e);
/* The length of a step with these times; `at` NULL: with the recorded ones. Sets out->from and out->last. 0: there is
 * no step. */
double tfp_job_step(const tfp_job *j, const tfp_variant *v, const double *at, tfp_replayed *out);

#endif
