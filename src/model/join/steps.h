// SPDX-License-Identifier: Apache-2.0
/* model/join/steps.h: shared by the files that find steps: steps.c (from marks, and which window a moment is in) and
 * calls.c (from calls that replace marks). */
#ifndef TFP_JOIN_STEPS_H
#define TFP_JOIN_STEPS_H

#include "model/join/join.h"
#include "model/tables/step_marks.h"

typedef struct tfp_step_finder {
    tfp_join *x;
    uint32_t process;
    const uint32_t *marks; /* the process's marks of the kind that is used, sorted by start */
    size_t count;
    TFP_VEC(tfp_step_window) found;
} tfp_step_finder;

static inline const tfp_step_mark *tfp_step_mark_at(const tfp_step_finder *f, size_t i)
{
    return &f->x->t->step_marks.at[f->marks[i]];
}
void tfp_step_add(tfp_step_finder *f, int64_t number, tfp_strid device, int64_t start_ns, int64_t end_ns);

/* calls.c: from Keras' step functions; from outermost roots. */
void tfp_steps_of_functions(tfp_step_finder *f);
void tfp_steps_of_roots(tfp_step_finder *f);

#endif
