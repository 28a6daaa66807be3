// SPDX-License-Identifier: Apache-2.0
/* model/graphs/walk.h: which instruction of a command buffer each activity may be. */
#ifndef TFP_GRAPH_WALK_H
#define TFP_GRAPH_WALK_H

#include "model/graphs/parts.h"

typedef struct tfp_walked_activity {
    uint32_t first, count; /* -> items: the instructions that it may be */
    bool by_name;          /* its name alone tells */
    bool loose;            /* they lie around it: no way through the buffer fits */
    bool again;            /* of an instruction that runs once, and has run */
} tfp_walked_activity;
typedef struct tfp_walked {
    tfp_walked_activity *at; /* by activity */
    TFP_VEC(uint32_t) items; /* -> the graphs' items */
} tfp_walked;

/* What the name of an activity means. */
typedef struct tfp_walked_name {
    uint32_t owner;  /* -> items: the first of that name; TFP_NONE */
    uint32_t only;   /* the only one that it may be; TFP_NONE */
    tfp_strid stem;  /* of others that may run its kernel; TFP_NONE */
    bool named;      /* it may mean some */
} tfp_walked_name;

/* What is walked: activities in the order of their nodes. */
typedef struct tfp_walk_of {
    const tfp_graph_sign *signs;
    uint32_t count;
    bool ordered; /* false: they ran on several streams, and nothing tells their order */
} tfp_walk_of;

/* Fusions whose own names no kernel of the round has. */
typedef struct tfp_walk_spare {
    uint32_t *first, *last; /* by string: of those with that stem; TFP_NONE */
    uint32_t *next;         /* by item */
} tfp_walk_spare;

typedef struct tfp_walks {
    tfp_builder *b;
    const tfp_graph_tables *g;
    tfp_effort effort;
    size_t strings;                    /* how many there were at the beginning */
    uint32_t *next_kernel, *next_stem; /* by item: the next one of the buffer with that name */
    tfp_map64 by_kernel, by_stem;      /* buffer << 32 | name -> items: the first */
    uint32_t *present, *stems, round;  /* by string: the round in which a kernel had that name, or stem, last */
    uint8_t *twice;                    /* by string: in that round another one had it */
    tfp_walk_spare spare;
    uint32_t *seen, stamp;             /* by item */
    /* of the walk that goes on */
    uint32_t buffer, count;
    const tfp_command_buffer *of;
    const tfp_graph_sign *signs;
    bool ordered, failed;            /* failed: no memory */
    TFP_VEC(tfp_walked_name) names;  /* by activity */
    TFP_VEC(uint32_t) states, state_first;
} tfp_walks;

bool tfp_walks_start(tfp_walks *w, tfp_builder *b); /* false without memory */
void tfp_walks_end(tfp_walks *w);
/* How many of the activities have the name of an instruction of the buffer. */
uint32_t tfp_walk_hits(tfp_walks *w, uint32_t buffer, const tfp_graph_sign *signs, uint32_t count);
bool tfp_walk(tfp_walks *w, uint32_t buffer, tfp_walk_of of, tfp_walked *out); /* adds to `out`; false without memory */

#endif
