// SPDX-License-Identifier: Apache-2.0
/* views/core/own_lines.h: what a frame means for the line of a stack, by what is known of the code and by -home and -library_regexes. */
#ifndef TFP_OWN_LINES_H
#define TFP_OWN_LINES_H

#include "model/frames/whose.h"
#include "options/regex.h"

typedef struct tfp_own_lines tfp_own_lines;
/* The filters must live as long. n NULL: the nesting is made if it is needed. NULL: out of memory. */
tfp_own_lines *tfp_own_lines_new(const tfp_profile *p, const tfp_filter *home, const tfp_filter *library,
                                 const tfp_nest *n);
void tfp_own_lines_free(tfp_own_lines *l);
/* The bits TFP_FRAME_... of a frame. */
unsigned tfp_frame_here(tfp_own_lines *l, tfp_str file, tfp_str function);
/* The frame that stands for a call stack, as an index in frames; TFP_NONE: none. */
uint32_t tfp_own_frame_of(tfp_own_lines *l, uint32_t trace);

/* The frame that stands for a stack whose frames come from the innermost one outwards. */
typedef struct tfp_outward {
    uint32_t by_rank[TFP_RANK_HOME + 1]; /* the innermost frame of each rank, plus 1; 0: none */
} tfp_outward;
void tfp_outward_add(tfp_outward *o, unsigned frame, uint32_t at);
uint32_t tfp_outward_best(const tfp_outward *o); /* TFP_NONE: none */

#endif
