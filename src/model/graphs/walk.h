// SPDX-License-Identifier: Apache-2.0
/* model/graphs/walk.h: finds the instructions of a command buffer that each activity may be. */
#ifndef TFP_GRAPH_WALK_H
#define TFP_GRAPH_WALK_H

#include "model/graphs/parts.h"

typedef struct tfp_walked_activity {
    uint32_t first, count; /* index in items: the instructions that it may be */
    bool by_name;          /* found by its name alone */
    bool loose;            /* no sequence of instructions fits, so these are only those around it */
    bool again;            /* its instruction runs only once, and has run already */
} tfp_walked_activity;
typedef struct tfp_walked {
    tfp_walked_activity *at; /* one for each activity */
    TFP_VEC(uint32_t) items; /* indexes in the graphs' items */
} tfp_walked;

/* What the name of an activity means. */
typedef struct tfp_walked_name {
    uint32_t owner; /* index in items of the first with that name, or TFP_NONE */
    uint32_t only;  /* the only possible item, or TFP_NONE */
    tfp_strid stem; /* stem of other items that may run its kernel, or TFP_NONE */
    bool named;     /* the name means some instruction */
} tfp_walked_name;

/* The input of the search: activities in node order. */
typedef struct tfp_walk_of {
    const tfp_graph_sign *signs;
    uint32_t count;
    bool ordered; /* false: they ran on several streams, and their order is unknown */
} tfp_walk_of;

/* Fusions whose own names no kernel of the round has. */
typedef struct tfp_walk_spare {
    uint32_t *first, *last; /* for each string: the first and last with that stem, or TFP_NONE */
    uint32_t *next;         /* for each item */
} tfp_walk_spare;

typedef struct tfp_walks {
    tfp_builder *b;
    const tfp_graph_tables *g;
    tfp_effort effort;
    size_t strings;                    /* number of strings at the beginning */
    uint32_t *next_kernel, *next_stem; /* for each item: the next one of the buffer with that name */
    tfp_map64 by_kernel, by_stem;      /* buffer << 32 | name -> index in items of the first */
    uint32_t *present, *stems, round;  /* for each string: the last round in which a kernel had that name, or stem */
    uint8_t *twice;                    /* for each string: whether two kernels of that round had it */
    tfp_walk_spare spare;
    uint32_t *seen, stamp; /* for each item */
    /* of the current search */
    uint32_t buffer, count;
    const tfp_command_buffer *of;
    const tfp_graph_sign *signs;
    bool ordered, failed;           /* failed: out of memory */
    TFP_VEC(tfp_walked_name) names; /* one for each activity */
    TFP_VEC(uint32_t) states, state_first;
} tfp_walks;

bool tfp_walks_start(tfp_walks *w, tfp_builder *b); /* false: out of memory */
void tfp_walks_end(tfp_walks *w);
/* Number of activities that have the name of an instruction in the buffer. */
uint32_t tfp_walk_hits(tfp_walks *w, uint32_t buffer, const tfp_graph_sign *signs, uint32_t count);
bool tfp_walk(tfp_walks *w, uint32_t buffer, tfp_walk_of of, tfp_walked *out); /* adds to `out`; false: out of memory */

#endif
