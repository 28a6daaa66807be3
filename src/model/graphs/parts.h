// SPDX-License-Identifier: Apache-2.0
/* model/graphs/parts.h: shared by the files that join graph replays with captures. */
#ifndef TFP_GRAPH_PARTS_H
#define TFP_GRAPH_PARTS_H

#include "model/builder.h"
#include "model/frames/whose.h"
#include "model/graphs.h"
#include "model/graphs/stage.h"
#include "model/order.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"

static inline uint32_t tfp_graph_process(const tfp_builder *b, uint32_t span)
{
    return b->p->lanes->at[b->p->events->spans.lane[span]].process;
}
/* The owner of a process's captures, or of the captures that its replays may be: as in tfp_captured_graph. own: the
 * trace contains its own capture. */
static inline uint32_t tfp_graph_owner(const tfp_profile *p, uint32_t process, bool own)
{
    int32_t rank = p->events->processes.at[process].rank;
    return own ? process : rank < 0 ? TFP_NONE : (uint32_t)rank;
}

/* ---- places.c ---- */
/* Finds or adds a name below a place; the root after a fault. */
uint32_t tfp_graph_place_below(tfp_builder *b, uint32_t parent, tfp_strid name);
uint32_t tfp_graph_place_shared(const tfp_graph_tables *g, uint32_t a, uint32_t b); /* the nearest place above both */
/* The names of a place joined by slashes; 0 for the root. Long texts are cut. */
tfp_strid tfp_graph_place_text(tfp_builder *b, uint32_t place);

/* ---- signs.c ---- */
typedef enum tfp_agreement { TFP_CONTRADICTS = -1, TFP_SAYS_NOTHING, TFP_AGREES } tfp_agreement;
unsigned tfp_kind_of_name(tfp_str name);     /* kind of a call or an activity */
unsigned tfp_family_of_kernel(tfp_str name); /* 0: unknown */
unsigned tfp_family_of_op(tfp_str name);
tfp_str tfp_kernel_plain(tfp_str name);  /* without ".kd" */
tfp_str tfp_kernel_stem(tfp_str name);   /* "loop_add_fusion" for "loop_add_fusion_1"; other names are returned whole */
bool tfp_is_captured_call(tfp_str call); /* whether a call adds a node to a graph during a capture */
tfp_agreement tfp_signs_agree(const tfp_graph_sign *launch, const tfp_graph_sign *activity);

/* ---- lines.c ---- */
tfp_strid tfp_line_name(tfp_builder *b, const tfp_code_frame *f); /* FILE:LINE:FUNCTION */
/* The frame that stands for a stack (frames/whose.h), as an index in frames; TFP_NONE: there is none. w NULL: names alone say it. */
uint32_t tfp_frame_of_line(const tfp_builder *b, const tfp_whose *w, const tfp_code_frame *frames, size_t count);
tfp_strid tfp_line_of_trace(tfp_builder *b,
                            uint32_t trace); /* the name of that of a call stack of the profile; TFP_NONE gives 0 */
/* The innermost user frame in a stack that Python printed as text, outermost frame first. */
tfp_kernel_line tfp_line_of_traceback(tfp_builder *b, tfp_str text);
/* Adds what Inductor's file says about a call of a kernel. */
void tfp_build_kernel_line(tfp_builder *b, tfp_str kernel, tfp_kernel_line line);
/* Sets the line of a graph's node, whose number holds the graph's id in its high half. */
void tfp_build_node_line(tfp_builder *b, uint64_t node, tfp_kernel_line line);

/* ---- collect.c ---- */
/* Adds the graphs that were captured in `from` (a joined trace, perhaps the builder's own) to the builder's tables.
 * own: their owners are processes. False: out of memory. */
bool tfp_graphs_collect(tfp_builder *b, const tfp_profile *from, bool own);

/* ---- replays.c ---- */
typedef struct tfp_replay {
    uint32_t launch;         /* index in spans */
    uint32_t first, count;   /* index in activities */
    uint32_t owner;          /* owner of the captures that it may replay, as in tfp_captured_graph */
    uint32_t process, group; /* group: shared by replays with the same graph id; TFP_NONE: none */
    uint32_t pattern;        /* index in patterns; TFP_NONE: not yet known */
    bool by_id, streams;     /* by_id: its nodes are ordered by their ids; streams: they ran on several streams */
} tfp_replay;
/* A sequence of activities, which several replays may share. */
typedef struct tfp_pattern {
    uint32_t first, count; /* index in signs and lanes */
    uint32_t owner;
    bool streams;
} tfp_pattern;
typedef struct tfp_replays {
    tfp_builder *b;
    TFP_VEC(tfp_replay) at; /* sorted by process and start of the launch */
    uint32_t *activity;     /* span numbers of each replay, in node order */
    uint32_t *position;     /* parallel to activity: its index in the pattern */
    size_t count;
    TFP_VEC(tfp_pattern) patterns;
    TFP_VEC(tfp_graph_sign) signs; /* the features of patterns' activities */
    TFP_VEC(uint32_t) lanes;       /* parallel to signs */
    tfp_map64 pattern_by_hash;
    TFP_VEC(tfp_graph_sign) sign_of; /* for each string that names an activity: its features */
    TFP_VEC(uint8_t) known_sign;
} tfp_replays;
bool tfp_replays_find(tfp_builder *b, tfp_replays *r); /* false: out of memory */
void tfp_replays_free(tfp_replays *r);

/* ---- missing.c ---- */
/* Notes replays that lack nodes of their graph, as doubts. False: out of memory. */
bool tfp_replays_missing(tfp_builder *b, const tfp_replays *r);

/* ---- match.c ---- */
/* How many comparisons are left: hostile files have many graphs and replays that all look alike. */
typedef struct tfp_effort {
    uint64_t left;
    bool spent; /* more comparisons were needed than allowed */
} tfp_effort;
tfp_effort tfp_effort_of(const tfp_graph_tables *g, const tfp_replays *r);
bool tfp_effort_take(tfp_effort *e, uint64_t comparisons); /* false: the limit is reached */

/* The nodes of a captured graph that an activity may be: those from `low` to `high` with the same features. */
typedef struct tfp_range32 {
    uint32_t low, high;
} tfp_range32;
typedef struct tfp_fit { /* a match of a pattern with graphs that look alike */
    uint32_t signature;
    size_t ranges; /* index in ranges; SIZE_MAX: activity i is node i */
} tfp_fit;
typedef struct tfp_signature { /* graphs whose launches have the same features share one */
    uint32_t graph;            /* one of these graphs */
    uint32_t offered_to;       /* owner in whose signatures it was listed last */
    bool named;                /* the names of all its kernels are known */
} tfp_signature;
typedef struct tfp_offer { /* the graphs that an owner's replays may be */
    uint32_t base, all;    /* base: index in order; all: how many */
    size_t first, count;   /* index in offered */
} tfp_offer;
/* The possible graphs of a pattern. */
typedef struct tfp_candidates {
    size_t fits, fit_count; /* index in fits */
    size_t first, count;    /* index in list, which has numbers of captured graphs */
    uint32_t base, all;     /* the graphs of its owner: index of the first, and how many */
    uint32_t like;          /* the first pattern with the same candidates, if they are whole graphs */
    bool crowded;           /* too many graphs look alike, so none was chosen */
} tfp_candidates;
typedef struct tfp_matches {
    const tfp_graph_tables *g;
    const tfp_replays *r;
    TFP_VEC(tfp_signature) signatures;
    TFP_VEC(uint32_t) signature_of; /* for each captured graph */
    TFP_VEC(uint32_t) order;        /* captured graphs sorted by owner */
    TFP_VEC(tfp_offer) offers;
    TFP_VEC(uint32_t) offered; /* signatures sorted by owner and number of nodes */
    tfp_map64 offer_by_owner, like_by_hash;
    tfp_effort effort;
    TFP_VEC(tfp_fit) fits;
    TFP_VEC(tfp_range32) ranges;
    TFP_VEC(uint32_t) list;             /* captured graphs, as indexes in `order` */
    TFP_VEC(tfp_candidates) candidates; /* one for each pattern */
} tfp_matches;
bool tfp_signatures_find(tfp_matches *m);                        /* signatures.c; false: out of memory */
bool tfp_offer_of(tfp_matches *m, uint32_t owner, tfp_offer *o); /* signatures.c; false: out of memory */
bool tfp_matches_find(const tfp_graph_tables *g, const tfp_replays *r, tfp_matches *m);
void tfp_matches_free(tfp_matches *m);

/* ---- choose.c ---- */
/* The candidates of a replay that occur in some best assignment. */
typedef struct tfp_choice {
    uint32_t first, count; /* index in list */
    bool all;              /* all candidates are possible */
} tfp_choice;
typedef struct tfp_choices {
    TFP_VEC(tfp_choice) at; /* one for each replay */
    TFP_VEC(uint32_t) list; /* indexes in m->order */
} tfp_choices;
bool tfp_choices_find(const tfp_matches *m, tfp_choices *c);

/* ---- attribute.c ---- */
/* Stores the attribution `a` of an activity, completed by its event's and Inductor's information. */
void tfp_attribute(tfp_builder *b, uint32_t span, bool replayed, tfp_attribution a);
/* What several places share: modules, the op (NULL: they share none) and the line (0: none) with its call stack. If that is
 * nothing, the place is ambiguous. */
tfp_attribution tfp_attribution_partly(tfp_builder *b, uint32_t modules, const tfp_strid *op, tfp_strid line,
                                       uint32_t trace);

/* ---- buffers.c ---- */
/* Finds the places of activities in XLA's command buffers, for replays that no capture explains. *crowded: number of
 * launches without a place because too many instructions look alike. */
bool tfp_buffers_judge(tfp_builder *b, const tfp_replays *r, size_t *crowded);

/* ---- judge.c ---- */
/* The call stack of a line that is shared by different stacks: only the line. */
uint32_t tfp_graph_trace_of_line(tfp_builder *b, const tfp_captured_launch *l);
/* Finds the place of each replayed activity. *crowded: number of launches without a place because too many graphs look
 * alike. */
bool tfp_replays_judge(tfp_builder *b, const tfp_matches *m, const tfp_choices *c, size_t *crowded);

#endif
