// SPDX-License-Identifier: Apache-2.0
/* compare/diff.h: a comparison while it is made: sides, aligned rows and their values; and what its script form needs. */
#ifndef TFP_DIFF_H
#define TFP_DIFF_H

#include "compare/items.h"
#include "compare/sides.h"
#include "compare/welch.h"
#include "views/core/view.h"

#include <math.h>

/* One side's values by item. Items that came with later sides are past the end; a value that is not there is NaN. */
typedef struct tfp_loaded {
    size_t size;
    size_t steps;                     /* number of steps of which the values are the mean; 0: not known (a text), or none */
    double *mean[TFP_COLUMNS_MAX];    /* by column of the comparison */
    double *squares[TFP_COLUMNS_MAX]; /* of times with several steps: squared distances from the mean; else NULL */
    size_t *counts;                   /* by item: steps that the values are the mean of; NULL: `steps` of each */
    tfp_report *rows;                 /* the report whose names the items borrow */
} tfp_loaded;

typedef struct tfp_diff {
    const tfp_sides *sides;
    size_t count; /* of sides */
    const tfp_view *view;
    const tfp_options *options;
    bool script;
    char **names;                           /* of the sides, in the report's arena */
    tfp_column_id columns[TFP_COLUMNS_MAX]; /* the numbers that are compared */
    size_t column_count;
    tfp_items items;
    tfp_loaded *loaded;
    tfp_report *report;
} tfp_diff_work;

static inline double tfp_diff_value(const tfp_diff_work *d, size_t side, size_t column, uint32_t item)
{
    const tfp_loaded *l = &d->loaded[side];
    return item < l->size ? l->mean[column][item] : NAN;
}

/* load.c: the columns, and every side's values. */
tfp_status tfp_diff_load(tfp_diff_work *d, tfp_error *err);
/* work.c: notes when profiles are not the same work. */
tfp_status tfp_diff_same_work(tfp_diff_work *d, tfp_error *err);

/* The header of the public script's form, and the data of its lines. */
typedef struct tfp_diff_script {
    size_t count, to, from; /* sides: the difference is TO less FROM */
    const char *const *names, *const *labels;
    double delta, min_size;
    int64_t max_depth;
    tfp_column_id column;
    double **values; /* by side and row; NaN: none */
} tfp_diff_script;

/* ---- rows that differ: diff.c finds them, diff_report.c tells them ---- */

/* A comparison of one side with the base, in one column. */
typedef struct tfp_pairing {
    size_t side, column;
    bool tested;  /* a time, with enough steps on both sides */
    double limit; /* the biggest p that counts; negative: none does */
} tfp_pairing;

typedef enum tfp_verdict { TFP_UNKNOWN, TFP_NOISE, TFP_REAL } tfp_verdict;

typedef struct tfp_differ {
    tfp_diff_work w;
    size_t base; /* the side that the others are held against */
    double min_size[TFP_COLUMNS_MAX];
    double gate_min[TFP_COLUMNS_MAX];   /* -min_size, if the user gave one */
    double gate_floor[TFP_COLUMNS_MAX]; /* growth up to this never breaks a limit in per cent */
    tfp_amount fail_over;
    bool gate;
    int64_t max_depth;
    TFP_VEC(tfp_pairing) pairs;
    uint8_t *marks;     /* by item */
    double *key;        /* by item: the key that siblings are sorted by, the biggest first */
    uint32_t *children; /* kept items, in that order, by parent */
    uint32_t *child_start;
    TFP_VEC(uint32_t) rows; /* items in the order of display */
} tfp_differ;

static inline double tfp_differ_value(const tfp_differ *d, size_t side, size_t column, uint32_t item)
{
    return tfp_diff_value(&d->w, side, column, item);
}

static inline double tfp_or_zero(double x) { return isnan(x) ? 0 : x; }

static inline double tfp_pair_difference(const tfp_differ *d, const tfp_pairing *p, uint32_t item)
{
    return tfp_or_zero(tfp_differ_value(d, p->side, p->column, item)) -
           tfp_or_zero(tfp_differ_value(d, d->base, p->column, item));
}

enum { TFP_STEPS_LEAST = 3 }; /* of a side, for the test */

/* What a row has at most and at least, over the sides. */
typedef struct tfp_extremes {
    double least, most;
    size_t there; /* sides that have a value */
} tfp_extremes;

/* pair.c. */
tfp_extremes tfp_differ_extremes(const tfp_differ *d, size_t column, uint32_t item);
/* Whether the spread of both sides is known for this row; then the test, and its verdict. */
bool tfp_pair_is_tested(const tfp_differ *d, const tfp_pairing *p, uint32_t item);
tfp_welch tfp_pair_test(const tfp_differ *d, const tfp_pairing *p, uint32_t item);
tfp_verdict tfp_pair_verdict(const tfp_differ *d, const tfp_pairing *p, uint32_t item);
/* Growth over the limit of the gate. */
bool tfp_pair_is_over(const tfp_differ *d, const tfp_pairing *p, uint32_t item);

/* diff_report.c. The first notes what broke the gate. */
/* A note where -min_size and -delta leave nothing of what differs. */
tfp_status tfp_differ_tell_hidden(const tfp_differ *d, tfp_error *err);
tfp_status tfp_differ_check_gate(tfp_differ *d, tfp_error *err);
tfp_status tfp_differ_write(tfp_differ *d, tfp_error *err);
/* step_parts.c: of traces, how much longer a step takes and why, as a part before the rows. */
tfp_status tfp_differ_lead(tfp_differ *d, tfp_error *err);

#endif
