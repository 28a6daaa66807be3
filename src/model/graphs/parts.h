// SPDX-License-Identifier: Apache-2.0
/* model/graphs/parts.h: what the files of the join of graphs share. */
#ifndef TFP_GRAPH_PARTS_H
#define TFP_GRAPH_PARTS_H

#include "model/builder.h"
#include "model/graphs.h"
#include "model/graphs/stage.h"
#include "model/order.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"

static inline bool tfp_graph_keep(tfp_builder *b, bool ok)
{
    if (!ok && !b->status) b->status = TFP_NOMEM;
    return !b->status;
}
static inline uint32_t tfp_graph_process(const tfp_builder *b, uint32_t span)
{
    return b->p->lanes.at[b->p->events->spans.lane[span]].process;
}
/* Whose captures a process has, or its replays may have: of tfp_captured_graph. own: the trace is its own capture. */
static inline uint32_t tfp_graph_owner(const tfp_profile *p, uint32_t process, bool own)
{
    int32_t rank = p->events->processes.at[process].rank;
    return own ? process : rank < 0 ? TFP_NONE : (uint32_t)rank;
}

/* ---- places.c ---- */
/* The place of a name below another one; the root after a fault. */
uint32_t tfp_graph_place_below(tfp_builder *b, uint32_t parent, tfp_strid name);
uint32_t tfp_graph_place_shared(const tfp_graph_tables *g, uint32_t a, uint32_t b); /* the nearest above both */
/* The names of a place joined by slashes; 0 of the root. Long ones are cut. */
tfp_strid tfp_graph_place_text(tfp_builder *b, uint32_t place);

/* ---- signs.c ---- */
typedef enum tfp_agreement { TFP_CONTRADICTS = -1, TFP_SAYS_NOTHING, TFP_AGREES } tfp_agreement;
unsigned tfp_kind_of_name(tfp_str name);          /* of a call or an activity */
unsigned tfp_family_of_kernel(tfp_str name);      /* 0: not known */
unsigned tfp_family_of_op(tfp_str name);
tfp_str tfp_kernel_plain(tfp_str name);           /* without ".kd" */
tfp_str tfp_kernel_stem(tfp_str name);            /* "loop_add_fusion" of "loop_add_fusion_1"; other names are whole */
bool tfp_is_captured_call(tfp_str call);          /* a call that adds a node to a graph that is captured */
tfp_agreement tfp_signs_agree(const tfp_graph_sign *launch, const tfp_graph_sign *activity);

/* ---- lines.c ---- */
/* FILE:LINE:FUNCTION of the innermost frame that is no library's; 0: there is none. */
tfp_strid tfp_line_of_frames(tfp_builder *b, const tfp_code_frame *frames, size_t count);
tfp_strid tfp_line_of_trace(tfp_builder *b, uint32_t trace); /* of a call stack of the profile; TFP_NONE: 0 */
/* The innermost frame's place of a text that Python prints of a stack, outermost frame first. */
tfp_kernel_line tfp_line_of_traceback(tfp_builder *b, tfp_str text);
/* What Inductor's file says of a call of a kernel. */
void tfp_build_kernel_line(tfp_builder *b, tfp_str kernel, tfp_kernel_line line);

/* ---- collect.c ---- */
/* Adds the graphs that were captured in `from`, a joined trace, perhaps the builder's own, to the builder's tables. own:
 * their owners are processes. False without memory. */
bool tfp_graphs_collect(tfp_builder *b, const tfp_profile *from, bool own);

/* ---- replays.c ---- */
typedef struct tfp_replay {
    uint32_t launch;       /* -> spans */
    uint32_t first, count; /* -> activities */
    uint32_t owner;        /* the owner, as in tfp_captured_graph, of the captures that it may replay */
    uint32_t process, group; /* group: replays of one graph by its id; TFP_NONE: none */
    uint32_t pattern; /* -> patterns; TFP_NONE: not yet */
    bool by_id, streams;   /* its nodes are ordered by their ids; they ran on several streams */
} tfp_replay;
/* A sequence of activities, as several replays may have it. */
typedef struct tfp_pattern {
    uint32_t first, count; /* -> signs, lanes */
    uint32_t owner;
    bool streams;
} tfp_pattern;
typedef struct tfp_replays {
    tfp_builder *b;
    TFP_VEC(tfp_replay) at; /* by process and start of the launch */
    uint32_t *activity;     /* spans: those of each replay in the order of its nodes */
    uint32_t *position;     /* beside it: the place in the pattern */
    size_t count;
    TFP_VEC(tfp_pattern) patterns;
    TFP_VEC(tfp_graph_sign) signs; /* of patterns */
    TFP_VEC(uint32_t) lanes;       /* beside it */
    tfp_map64 pattern_by_hash;
    TFP_VEC(tfp_graph_sign) sign_of; /* by string: of an activity's name */
    TFP_VEC(uint8_t) known_sign;
} tfp_replays;
bool tfp_replays_find(tfp_builder *b, tfp_replays *r); /* false without memory */
void tfp_replays_free(tfp_replays *r);

/* ---- match.c ---- */
/* How much may still be compared: hostile files have many graphs and replays that all look alike. */
typedef struct tfp_effort {
    uint64_t left;
    bool spent; /* more was asked for */
} tfp_effort;
tfp_effort tfp_effort_of(const tfp_graph_tables *g, const tfp_replays *r);
bool tfp_effort_take(tfp_effort *e, uint64_t comparisons); /* false: it is spent */

/* The nodes of a captured graph that an activity may be: those from `low` to `high` whose signs agree. */
typedef struct tfp_range32 {
    uint32_t low, high;
} tfp_range32;
typedef struct tfp_fit { /* a pattern and graphs that look alike */
    uint32_t look;
    size_t ranges; /* -> ranges; SIZE_MAX: each activity is the node of its number */
} tfp_fit;
typedef struct tfp_look { /* graphs whose launches have the same signs share one */
    uint32_t graph;       /* one of them */
    uint32_t offered_to;  /* the piece of `order` that was looked at last */
    bool named;           /* the names of all its kernels are known */
} tfp_look;
typedef struct tfp_offer { /* the graphs that an owner's replays may be of */
    uint32_t base, all;    /* -> order */
    size_t first, count;   /* -> offered */
} tfp_offer;
/* What may be the graphs of a pattern. */
typedef struct tfp_candidates {
    size_t fits, fit_count;   /* -> fits */
    size_t first, count;      /* -> list: captured graphs by number */
    uint32_t base, all;       /* the graphs of its owner: the first, and how many */
    uint32_t like;            /* the first pattern that has these candidates, for whole graphs */
    bool crowded;             /* too many look alike: none was chosen */
} tfp_candidates;
typedef struct tfp_matches {
    const tfp_graph_tables *g;
    const tfp_replays *r;
    TFP_VEC(tfp_look) looks;
    TFP_VEC(uint32_t) look_of; /* by captured graph */
    TFP_VEC(uint32_t) order;   /* captured graphs by owner */
    TFP_VEC(tfp_offer) offers;
    TFP_VEC(uint32_t) offered; /* looks by owner and number of nodes */
    tfp_map64 offer_by_owner, like_by_hash;
    tfp_effort effort;
    TFP_VEC(tfp_fit) fits;
    TFP_VEC(tfp_range32) ranges;
    TFP_VEC(uint32_t) list;              /* captured graphs, by their place in `order` */
    TFP_VEC(tfp_candidates) candidates;  /* by pattern */
} tfp_matches;
bool tfp_looks_find(tfp_matches *m);                                   /* looks.c; false without memory */
bool tfp_offer_of(tfp_matches *m, uint32_t owner, tfp_offer *o); /* looks.c; false without memory */
bool tfp_matches_find(const tfp_graph_tables *g, const tfp_replays *r, tfp_matches *m);
void tfp_matches_free(tfp_matches *m);

/* ---- choose.c ---- */
/* The candidates of a replay that some best assignment has. */
typedef struct tfp_choice {
    uint32_t first, count; /* -> list */
    bool all;              /* or all of them */
} tfp_choice;
typedef struct tfp_choices {
    TFP_VEC(tfp_choice) at; /* by replay */
    TFP_VEC(uint32_t) list; /* places in m->order */
} tfp_choices;
bool tfp_choices_find(const tfp_matches *m, tfp_choices *c);

/* ---- attribute.c ---- */
/* What the events and Inductor's files say of an activity, where `a`, of the captures, does not. */
void tfp_attribute(tfp_builder *b, uint32_t span, bool replayed, tfp_attribution a);

/* ---- buffers.c ---- */
/* Tells the activities of XLA's command buffers their places, of replays that no capture explains. *crowded: more launches have none,
 * because too many instructions look alike. */
bool tfp_buffers_judge(tfp_builder *b, const tfp_replays *r, size_t *crowded);

/* ---- judge.c ---- */
/* Tells each replayed activity its place. *crowded: how many launches have none, because too many graphs look alike. */
bool tfp_replays_judge(tfp_builder *b, const tfp_matches *m, const tfp_choices *c, size_t *crowded);

#endif
