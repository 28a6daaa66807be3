// SPDX-License-Identifier: Apache-2.0
/* model/frames/whose.h: whose code a frame of Python is, and which frame of a call stack stands for it. Frames are of three kinds:
 * of a framework, of a package that launches kernels for others, and the user's own. The line of a stack is its innermost own frame
 * outside of ops: below a call of an op runs its inside, or a tool that watches ops. */
#ifndef TFP_WHOSE_H
#define TFP_WHOSE_H

#include "model/nest.h"
#include "model/tables/types.h"

/* What a frame means for the line of its stack: bits. */
enum {
    TFP_FRAME_OWN = 1,
    TFP_FRAME_HOME = 2, /* the user asked for lines of this file */
    TFP_FRAME_OP = 4,   /* an op begins: this frame and all below it are inside */
    TFP_FRAME_LAST = 8  /* names a stack without own frames: no file of a known library */
};

typedef struct tfp_code_seen { /* function empty: a package in which modules live; else a function that watches ops */
    tfp_str file, function;
} tfp_code_seen;

/* What is known about the code of a profile beyond the names of files. */
typedef struct tfp_whose {
    tfp_map64 facts;             /* by hash */
    TFP_VEC(tfp_code_seen) seen; /* the same; texts are the profile's */
} tfp_whose;

/* Adds what the profile has kept of its captures. False: out of memory. */
bool tfp_whose_kept(tfp_whose *w, const tfp_profile *p);
/* Adds what the spans of a trace show. n NULL: it is made if there is anything to find. */
bool tfp_whose_gather(tfp_whose *w, const tfp_profile *p, const tfp_nest *n);
void tfp_whose_free(tfp_whose *w);
/* The bits of a frame, without TFP_FRAME_HOME. w NULL: only names are known. */
unsigned tfp_whose_frame(const tfp_whose *w, tfp_str file, tfp_str function);
/* Whether an op begins in this function, by its name or because it watches ops; tfp_whose_frame contains it. */
bool tfp_whose_opens(const tfp_whose *w, tfp_str file, tfp_str function);

/* The frame that stands for a stack, from the outermost frame inwards. */
typedef struct tfp_stack_line {
    uint32_t at;  /* a number of the caller's; TFP_NONE: none yet */
    uint8_t rank; /* of that frame: a later one of at least this rank replaces it */
    bool inside;  /* of an op */
} tfp_stack_line;
#define TFP_STACK_TOP ((tfp_stack_line){ .at = TFP_NONE })
enum { TFP_RANK_NONE, TFP_RANK_LAST, TFP_RANK_INSIDE, TFP_RANK_OWN, TFP_RANK_HOME };

static inline tfp_stack_line tfp_stack_below(tfp_stack_line above, unsigned frame, uint32_t at)
{
    above.inside |= (frame & TFP_FRAME_OP) != 0;
    unsigned rank = frame & TFP_FRAME_HOME && !above.inside ? TFP_RANK_HOME
                    : frame & TFP_FRAME_OWN                 ? (above.inside ? TFP_RANK_INSIDE : TFP_RANK_OWN)
                    : frame & TFP_FRAME_LAST                ? TFP_RANK_LAST
                                                            : TFP_RANK_NONE;
    if (!rank || rank < above.rank) return above;
    above.rank = (uint8_t)rank;
    above.at = at;
    return above;
}

#endif
