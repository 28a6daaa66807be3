// SPDX-License-Identifier: Apache-2.0
/* model/graphs/around.h: the modules, ops, annotations and frames around each span of a trace, as places and lines of a builder. Answers are
 * stored per span, so the work is linear in the spans. */
#ifndef TFP_GRAPHS_AROUND_H
#define TFP_GRAPHS_AROUND_H

#include "model/graphs/parts.h"
#include "model/nest.h"

#define TFP_AROUND_NOTHING (TFP_NONE - 1)

/* What may be asked about a span and those around it; the answers are: */
typedef enum tfp_asked {
    TFP_ASK_MODULES, /* places: the modules */
    TFP_ASK_OUTER,   /* modules and ops */
    TFP_ASK_INNER,   /* places, with annotations that began within the capture */
    TFP_ASK_OP,      /* spans: the nearest op */
    TFP_ASK_FRAME,   /* the nearest frame of Python */
    TFP_ASK_LINE,    /* spans: the frame that is the line of those around */
    TFP_ASK_DIMS,    /* strings: the shapes of the nearest op that has some */
    TFP_ASKS
} tfp_asked;

typedef struct tfp_around {
    tfp_builder *b;
    const tfp_profile *p;
    const tfp_span_columns *s;
    bool own;
    tfp_arena arena;
    tfp_nest nest;
    uint8_t *active; /* for each span: whether it is a call that launched something */
    /* for each span: if its children run in backward operators, the forward operator of the outermost of these;
     * otherwise TFP_NONE */
    uint32_t *forward;
    tfp_strid backward;        /* the string "backward" */
    TFP_VEC(uint32_t) others;  /* calls within backward operators that may belong to a capture, by process and start */
    uint32_t *known[TFP_ASKS]; /* for each span: the answer; TFP_NONE: not asked yet */
    uint32_t *trace;           /* for each span that is a frame: index in the builder's traces */
    uint8_t *rank;             /* for each span: parts of the state of its TFP_ASK_LINE */
    uint8_t *bits;             /* for each string that names a frame: TFP_FRAME_...; NOT_LOOKED_AT */
    tfp_strid *line;           /* the same: its line; TFP_NONE: not made */
    tfp_whose whose;
    tfp_strid *string;      /* for each string: the builder's string; TFP_NONE: none */
    int64_t begin_ns;       /* begin of the current capture */
    tfp_strid kernel, dims; /* keys of stats */
    TFP_VEC(uint32_t) path;
} tfp_around;

bool tfp_around_start(tfp_around *c); /* b, p, s and own are set; false: out of memory */
void tfp_around_free(tfp_around *c);
uint32_t tfp_ask(tfp_around *c, tfp_asked what, uint32_t span);
tfp_strid tfp_around_string(tfp_around *c, tfp_strid id);
/* A text among the stats of a span, as a string of the builder, without ".kd"; 0: none. */
tfp_strid tfp_around_text(tfp_around *c, uint32_t span, tfp_strid key);
tfp_strid tfp_around_line(tfp_around *c, uint32_t frame);      /* of the frame that LINE gives */
uint32_t tfp_around_trace(tfp_around *c, uint32_t frame);      /* the innermost frames as a call stack of the builder */
bool tfp_around_adds_node(const tfp_around *c, uint32_t span); /* whether a call adds a node to a graph */
/* Adds what is around a span that launches, whose parent is given: all of *l but its sign. */
void tfp_around_place(tfp_around *c, uint32_t launch, uint32_t parent, tfp_captured_launch *l);
static inline uint32_t tfp_around_process(const tfp_around *c, uint32_t span)
{
    return c->p->lanes->at[c->s->lane[span]].process;
}

#endif
