// SPDX-License-Identifier: Apache-2.0
/* compare/gate/gate.h: whether many runs of a new version are slower than many of an old one.
 *
 *     profile of a run ──measure.c──▶ one number a row ──runs.c──▶ two sides ──judge.c──▶ verdicts ──gate_report.c──▶ report
 *                                          ▲      │
 *                                    baseline.c: a small file ──calibrate.c──▶ limits of one more run
 *
 * Steps of one run are not independent, and machines differ from run to run. So each run has one number per row: the median
 * of its steps. Times are tested over runs; counters without noise are compared exactly. */
#ifndef TFP_GATE_H
#define TFP_GATE_H

#include "base/base.h"

#include <math.h>

typedef enum tfp_measure {
    TFP_M_STEP, /* the duration of a step */
    TFP_M_PART, /* compute, idle ... of a device: shows the cause, but is not tested */
    TFP_M_OP,   /* time of an operation type in a step */
    TFP_M_LINE, /* time of a line of Python in a step */
    TFP_M_LAUNCHES,
    TFP_M_CALLS,
    TFP_M_FLOAT_OPS,
    TFP_M_BYTES,
    TFP_M_PEAK_BYTES,
    TFP_M_PARAMS,
    TFP_M_COUNT
} tfp_measure;

typedef struct tfp_measure_about {
    const char *name; /* name in files and reports */
    const char *unit; /* unit of its numbers in reports */
    int column;       /* tfp_column_id of the op view; -1: it comes from another table */
    bool exact;       /* a counter: any growth counts */
} tfp_measure_about;
extern const tfp_measure_about tfp_measures[TFP_M_COUNT];
tfp_measure tfp_measure_find(tfp_str name); /* TFP_M_COUNT: there is none */

#define TFP_GATE_ALL TFP_STR("all operations") /* the row with the sum of a counter */

/* ---- runs.c: the numbers of one side ---- */
typedef struct tfp_gate_row {
    tfp_strid name;
    tfp_measure measure;
    double limit;           /* of one more run (calibrate.c); 0: none */
    TFP_VEC(double) values; /* for each run; NAN, or beyond the end: the run has no such row */
} tfp_gate_row;

typedef struct tfp_gate_runs {
    tfp_arena arena;
    tfp_strtab names;
    TFP_VEC(tfp_strid) runs;   /* their names */
    TFP_VEC(tfp_strid) doubts; /* what is in doubt in a run: "RUN: 2 of 15 launches ..." */
    TFP_VEC(tfp_gate_row) rows;
    tfp_map64 places;   /* measure and name -> index in rows */
    size_t value_count; /* number of values in all rows */
    double rate;        /* share of equal runs that may be over a limit; 0: there are no limits */
} tfp_gate_runs;

tfp_status tfp_gate_runs_init(tfp_gate_runs *g, tfp_error *err);
void tfp_gate_runs_free(tfp_gate_runs *g);
/* Adds a run; TFP_LIMIT: too many. */
tfp_status tfp_gate_run_add(tfp_gate_runs *g, tfp_str name, tfp_error *err);
const tfp_gate_row *tfp_gate_row_find(const tfp_gate_runs *g, tfp_measure m, tfp_str name);
/* Sets the number of a run; values that are not finite, or negative, are ignored. */
tfp_status tfp_gate_put(tfp_gate_runs *g, size_t run, tfp_measure m, tfp_str name, double value, tfp_error *err);
static inline double tfp_gate_value(const tfp_gate_row *row, size_t run)
{
    return row && run < row->values.size ? row->values.at[run] : NAN;
}
/* The median over the runs that have the row; NAN: none has it. */
double tfp_gate_median(const tfp_gate_row *row);

/* Keeps the notes on doubts of a report of the run added last. */
tfp_status tfp_gate_take_doubts(tfp_gate_runs *g, const tfp_report *r, tfp_error *err);

/* ---- measure.c: reports of one profile become the numbers of the run added last ---- */
tfp_status tfp_gate_take_steps(tfp_gate_runs *g, const tfp_profile *p, tfp_error *err);
tfp_status tfp_gate_take_lines(tfp_gate_runs *g, const tfp_profile *p, tfp_error *err);
/* `stats`: a report of the op view's statistics, or without steps the op view itself. */
tfp_status tfp_gate_take_ops(tfp_gate_runs *g, const tfp_report *stats, tfp_error *err);

/* ---- baseline.c ---- */
bool tfp_gate_is_baseline(tfp_str text); /* whether a text is a baseline, or its beginning */
tfp_status tfp_gate_read(tfp_gate_runs *g, tfp_str text, tfp_error *err);
void tfp_gate_write(const tfp_gate_runs *g, tfp_buf *out); /* check out->failed */

/* ---- trimmed.c: the test ---- */
typedef struct tfp_growth {
    double growth, low, high; /* shares: 0.05 is 5 % more; low, high: the ends of the interval */
    /* the least growth above the limit that nine of ten comparisons with this spread detect; NAN: unknown */
    double found;
} tfp_growth;
enum { TFP_RUNS_LEAST = 3 };
/* Tests logarithms of times, all finite. alpha: how often equal sides may seem to have grown. Both counts are at least
 * TFP_RUNS_LEAST. pairs: run i of a and of b belong together, and the counts are equal. Changes the order of both
 * arrays. */
tfp_growth tfp_growth_test(double *a, size_t a_count, double *b, size_t b_count, double alpha);
tfp_growth tfp_growth_of_pairs(double *a, const double *b, size_t count, double alpha);

/* ---- judge.c ---- */
typedef enum tfp_gated {
    TFP_GATE_FAILED,
    TFP_GATE_UNKNOWN, /* too few runs, or a counter that varies from run to run */
    TFP_GATE_MOVED,   /* a counter of one operation grew, but the sum over all did not */
    TFP_GATE_ONLY_NEW,
    TFP_GATE_ONLY_BASE,
    TFP_GATE_PASSED
} tfp_gated;

typedef struct tfp_gate_finding {
    tfp_str name;
    tfp_measure measure;
    tfp_gated verdict;
    double base, now;  /* medians; NAN: absent */
    tfp_growth growth; /* NAN: it was not tested */
} tfp_gate_finding;

typedef struct tfp_gate_result {
    TFP_VEC(tfp_gate_finding) rows; /* rows that were tested or that differ: the step first, then those that failed */
    tfp_gated verdict;              /* failed, unknown or passed */
    size_t same;                    /* number of counters that are unchanged */
    double limit;                   /* a share */
    size_t base_runs, new_runs;
    bool pairs;
} tfp_gate_result;
tfp_status tfp_gate_compare(const tfp_gate_runs *base, const tfp_gate_runs *now, tfp_gate_result *out, tfp_error *err);

/* ---- calibrate.c: a report with a limit for each number of equal runs, and verdicts on `now`, which may have no runs ---- */
#define TFP_GATE_RATE 0.01
tfp_status tfp_gate_limits(tfp_gate_runs *base, const tfp_gate_runs *now, double rate, tfp_report *r,
                           tfp_gated *verdict, tfp_error *err);

/* ---- gate_report.c ---- */
tfp_status tfp_gate_tell(tfp_report *r, const tfp_gate_result *x, const tfp_gate_runs *base, const tfp_gate_runs *now,
                         tfp_error *err);

#endif
