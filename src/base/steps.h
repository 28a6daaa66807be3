// SPDX-License-Identifier: Apache-2.0
/* base/steps.h: which steps a number is of: the mean of all, the sum of all, or one step. Options, reports and sides of a
 * comparison say it in this type. */
#ifndef TFP_STEPS_H
#define TFP_STEPS_H

#include "base/base.h"

typedef enum tfp_step_which {
    TFP_STEP_MEAN, /* of the steps in which a node ran, without what a trace has outside of its steps */
    TFP_STEP_ALL,  /* the sum of all that was recorded */
    TFP_STEP_ONE
} tfp_step_which;

typedef struct tfp_step_choice {
    int64_t id;   /* of TFP_STEP_ONE */
    uint32_t row; /* the same -> the profile's steps; where no profile is at hand yet, nothing */
    tfp_step_which which;
} tfp_step_choice;

static inline tfp_step_choice tfp_step_of_id(int64_t id) /* -1: the mean */
{
    return (tfp_step_choice){ id, 0, id < 0 ? TFP_STEP_MEAN : TFP_STEP_ONE };
}

static inline tfp_step_choice tfp_step_of_row(uint32_t row, int64_t id)
{
    return (tfp_step_choice){ id, row, TFP_STEP_ONE };
}

/* Whether what happened in the step of that row counts. */
static inline bool tfp_step_takes(tfp_step_choice c, uint32_t row) { return c.which != TFP_STEP_ONE || c.row == row; }

/* As options, names of files and the public functions give it: the number of the step, -1 the mean, -2 all. */
static inline int64_t tfp_step_number(tfp_step_choice c)
{
    return c.which == TFP_STEP_ONE ? c.id : c.which == TFP_STEP_ALL ? -2 : -1;
}

#endif
