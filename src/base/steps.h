// SPDX-License-Identifier: Apache-2.0
/* base/steps.h: which steps a number is for: the mean of all, the sum of all, or one step. Used by options, reports and
 * sides of a comparison. */
#ifndef TFP_STEPS_H
#define TFP_STEPS_H

#include "base/base.h"

typedef enum tfp_step_which {
    TFP_STEP_MEAN, /* mean of the steps in which a node ran; activity outside of a trace's steps is excluded */
    TFP_STEP_ALL,  /* sum of everything recorded */
    TFP_STEP_ONE
} tfp_step_which;

typedef struct tfp_step_choice {
    int64_t id;   /* the step's number, for TFP_STEP_ONE */
    uint32_t row; /* its row in the profile's steps; meaningless before a profile is known */
    tfp_step_which which;
    uint32_t without;  /* 1 + the row of a step that is left out: the start of a program; 0: none */
    const bool *phase; /* for each row of steps: whether it is of the phase asked for; NULL: any counts */
    const bool *left;  /* for each row of steps: whether the mean leaves it out; NULL: none */
} tfp_step_choice;

static inline tfp_step_choice tfp_step_of_id(int64_t id) /* -1: the mean */
{
    return (tfp_step_choice){ .id = id, .which = id < 0 ? TFP_STEP_MEAN : TFP_STEP_ONE };
}

static inline tfp_step_choice tfp_step_of_row(uint32_t row, int64_t id)
{
    return (tfp_step_choice){ .id = id, .row = row, .which = TFP_STEP_ONE };
}

/* Whether only some of the steps count. */
static inline bool tfp_step_is_part(tfp_step_choice c) { return c.which == TFP_STEP_ONE || c.phase; }

/* Whether activity in the step of that row counts; UINT32_MAX: outside of all steps. */
static inline bool tfp_step_takes(tfp_step_choice c, uint32_t row)
{
    if (c.phase && (row == UINT32_MAX || !c.phase[row])) return false;
    if (c.which == TFP_STEP_ONE) return c.row == row;
    return (!c.without || c.without != row + 1) && (!c.left || row == UINT32_MAX || !c.left[row]);
}

/* The number in options, file names and public functions: the step's number, -1 for the mean, -2 for all. */
static inline int64_t tfp_step_number(tfp_step_choice c)
{
    return c.which == TFP_STEP_ONE ? c.id : c.which == TFP_STEP_ALL ? -2 : -1;
}

#endif
