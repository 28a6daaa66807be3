// SPDX-License-Identifier: Apache-2.0
/* compare/diff.h: a comparison in progress: sides, aligned rows and their values; and the data for its script form. */
#ifndef TFP_DIFF_H
#define TFP_DIFF_H

#include "compare/items.h"
#include "compare/sides.h"
#include "compare/welch.h"
#include "views/core/view.h"

#include <math.h>

/* One side's values by item. Items that were added by later sides are beyond the end; an absent value is NaN. */
typedef struct tfp_loaded {
    size_t size;
    size_t steps;                  /* number of steps whose mean the values are; 0: unknown (a text), or none */
    double *mean[TFP_COLUMNS_MAX]; /* for each column of the comparison */
    double
        *squares[TFP_COLUMNS_MAX]; /* for times with several steps: squared distances from the mean; otherwise NULL */
    size_t *counts;                /* for each item: steps whose mean the values are; NULL: `steps` for all */
    tfp_report *rows;              /* the report whose names the items borrow */
} tfp_loaded;

typedef struct tfp_diff {
    const tfp_sides *sides;
    size_t count; /* number of sides */
    const tfp_view *view;
    const tfp_options *options;
    bool script;
    char **names;                           /* names of the sides, in the report's arena */
    tfp_column_id columns[TFP_COLUMNS_MAX]; /* the columns that are compared */
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

/* load.c: selects the columns and loads every side's values. */
tfp_status tfp_diff_load(tfp_diff_work *d, tfp_error *err);
/* diff_columns.c: chooses the columns. Whether rows come from a table, with one number each. */
tfp_status tfp_diff_choose_columns(tfp_diff_work *d, tfp_error *err);
static inline bool tfp_diff_is_table(const tfp_diff_work *d) { return tfp_report_kinds[d->view->kind].table; }
/* work.c: adds notes if profiles do not do the same work. */
tfp_status tfp_diff_same_work(tfp_diff_work *d, tfp_error *err);

/* The header of the public script's form, and the data for its lines. */
typedef struct tfp_diff_script {
    size_t count, to, from; /* indexes of sides: the difference is TO minus FROM */
    const char *const *names, *const *labels;
    double delta, min_size;
    int64_t max_depth;
    tfp_column_id column;
    double **values; /* for each side and row; NaN: none */
} tfp_diff_script;

/* ---- rows that differ: diff.c finds them, diff_report.c tells them ---- */

/* A comparison of one side with the base, for one column. */
typedef struct tfp_pairing {
    size_t side, column;
    bool tested;  /* it is a time, with enough steps on both sides for the test */
    double limit; /* the largest significant p; negative: none is */
} tfp_pairing;

typedef enum tfp_verdict { TFP_UNKNOWN, TFP_NOISE, TFP_REAL } tfp_verdict;

typedef struct tfp_differ {
    tfp_diff_work w;
    size_t base; /* the side with which the others are compared */
    double min_size[TFP_COLUMNS_MAX];
    double gate_min[TFP_COLUMNS_MAX];   /* -min_size, if the user gave it */
    double gate_floor[TFP_COLUMNS_MAX]; /* growth up to this never breaks a limit in per cent */
    tfp_amount fail_over;
    bool gate;
    int64_t max_depth;
    TFP_VEC(tfp_pairing) pairs;
    uint8_t *marks;     /* for each item */
    double *key;        /* for each item: the sort key of siblings, biggest first */
    uint32_t *children; /* kept items in that order, grouped by parent */
    uint32_t *child_start;
    TFP_VEC(uint32_t) rows; /* items in display order */
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

enum { TFP_STEPS_LEAST = 3 }; /* least number of steps of a side for the test */

/* A row's largest and smallest value over the sides. */
typedef struct tfp_extremes {
    double least, most;
    size_t there; /* number of sides with a value */
} tfp_extremes;

/* pair.c. */
tfp_extremes tfp_differ_extremes(const tfp_differ *d, size_t column, uint32_t item);
/* Whether the spread of both sides is known for this row; then the test, and its result. */
bool tfp_pair_is_tested(const tfp_differ *d, const tfp_pairing *p, uint32_t item);
tfp_welch tfp_pair_test(const tfp_differ *d, const tfp_pairing *p, uint32_t item);
tfp_verdict tfp_pair_verdict(const tfp_differ *d, const tfp_pairing *p, uint32_t item);
/* Whether growth exceeds the limit of the gate. */
bool tfp_pair_is_over(const tfp_differ *d, const tfp_pairing *p, uint32_t item);

/* diff_report.c. The first one adds notes about what broke the gate. */
/* Adds a note if -min_size and -delta hide all differences. */
tfp_status tfp_differ_tell_hidden(const tfp_differ *d, tfp_error *err);
tfp_status tfp_differ_check_gate(tfp_differ *d, tfp_error *err);
tfp_status tfp_differ_write(tfp_differ *d, tfp_error *err);
/* step_parts.c: for traces, how much longer a step takes and why, as a part before the rows. */
tfp_status tfp_differ_lead(tfp_differ *d, tfp_error *err);

#endif
