// SPDX-License-Identifier: Apache-2.0
/* compare/sides.h: the sides of a comparison. */
#ifndef TFP_SIDES_H
#define TFP_SIDES_H

#include "compare/scopetext.h"
#include "model/tables/types.h"
#include "views/core/view.h"

typedef struct tfp_side {
    char *name;  /* NULL: none was given */
    char *label; /* the file, as it was named */
    const tfp_profile *profile;
    tfp_step_choice step; /* the step of the profile; TFP_STEP_MEAN: all steps, as the options choose */
    tfp_scopetext *text;  /* instead of a profile */
} tfp_side;

enum { TFP_SIDES_MAX = 1000 };

struct tfp_sides {
    TFP_VEC(tfp_side) at;
};

/* families.c: the same for -view triage: the device time of families of kernels by phase. */
tfp_status tfp_diff_families(tfp_report *r, const tfp_sides *sides, tfp_error *err);
/* diff.c: fills a table whose options are set with the differences of the sides in a view that can be compared. */
tfp_status tfp_diff_fill(tfp_report *r, const tfp_sides *sides, const tfp_view *view, tfp_error *err);

#endif
