// SPDX-License-Identifier: Apache-2.0
/* tfprof/gate.h: a gate for CI: whether runs of a new version are slower than runs of an old one.
 * Threads: one at a time may add to a gate; any number may judge or save the same gate at a time. */
#ifndef TFPROF_GATE_H
#define TFPROF_GATE_H

#include "tfprof/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Two sides of runs. A run is one profile, from which the gate keeps one number for each row: the median over its
 *  steps. */
typedef struct tfp_gate tfp_gate;
typedef enum tfp_gate_side { TFP_GATE_BASE, TFP_GATE_NEW } tfp_gate_side;
typedef enum tfp_gate_verdict { TFP_GATE_IS_FAILED, TFP_GATE_IS_UNKNOWN, TFP_GATE_IS_PASSED } tfp_gate_verdict;

TFP_API tfp_gate *tfp_gate_new(void); /**< NULL when memory runs out */
TFP_API void tfp_gate_free(tfp_gate *g);

/** Adds a run.
 *  name  its name in baselines; NULL: the first file of the profile
 *  p     a finished profile, read without TFP_KEEP_SUMS, TFP_KEEP_ROWS and TFP_KEEP_TOTAL; not needed after the call
 *  Errors: TFP_BADARG; TFP_LIMIT over 1,000 runs or 4,194,304 numbers on a side; TFP_NOMEM. */
TFP_API tfp_status tfp_gate_add(tfp_gate *g, tfp_gate_side side, const char *name, const tfp_profile *p,
                                tfp_error *err);

/** 1 if these bytes, or the first bytes of a file, begin a baseline: the runs of one side, as tfp_gate_save writes
 *  them. */
TFP_API int tfp_is_baseline(const void *data, size_t size);

/** Adds the runs of a baseline. The bytes are not needed after the call. Errors: TFP_BADFILE with the byte; as
 *  tfp_gate_add. */
TFP_API tfp_status tfp_gate_add_baseline(tfp_gate *g, tfp_gate_side side, const char *name, const void *data,
                                         size_t size, tfp_error *err);

/** Writes the runs of a side as a baseline: JSON, a line for each row. Errors: TFP_BADARG no runs;
 *  TFP_NOTFOUND the runs have no numbers; TFP_BADOUTPUT; TFP_NOMEM. */
TFP_API tfp_status tfp_gate_save(const tfp_gate *g, tfp_gate_side side, tfp_write_fn fn, void *ctx, tfp_error *err);

/** Compares the sides.
 *  limit   how much a time may grow: 0.05 is 5 %; only growth that is proven to exceed it fails
 *  pairs   not 0: run i of one side and run i of the other were made one after the other on one machine
 *  o       -order_by, -top and the form of the report; NULL means every default
 *  out     on success a table, which the caller frees; on failure NULL
 *  verdict gets the verdict; may be NULL
 *  Rows: the step, every operation and line of a hundredth of a step or more, and the counters that differ. Of sides
 *  that are equal, one comparison in two hundred fails by chance (docs/gate.md). A counter fails when every new run has
 *  more than every base run; a counter of an operation only if the sum over all operations fails, too. The first note
 *  is one line: "gate: failed: ...".
 *  Errors: TFP_BADARG a side without runs, an invalid limit, pairs of sides of different sizes; TFP_NOMEM. */
TFP_API tfp_status tfp_gate_judge(const tfp_gate *g, double limit, int pairs, const tfp_options *o, tfp_report **out,
                                  tfp_gate_verdict *verdict, tfp_error *err);

/** Works out from the base runs, which are of one version, how much each number varies, and the limit that one more run of the same version
 *  exceeds by chance; then compares the new runs, if there are any, with these limits. tfp_gate_save writes the limits afterwards.
 *  rate    how often one more equal run may be over any limit: 0.01 is 1 %; 0: that of the baseline, or 1 %
 *  out     on success a table, which the caller frees; on failure NULL
 *  verdict gets failed: a number is over its limit; unknown: there are no new runs, or nothing has a limit; may be NULL
 *  Rows: the step, operations and lines of a hundredth of a step or more, and counters. Without a limit: times with fewer than five runs or
 *  with a limit of more than 25 % over the usual time, and counters that vary.
 *  Errors: TFP_BADARG no base runs, an invalid rate; TFP_NOMEM. */
TFP_API tfp_status tfp_gate_calibrate(tfp_gate *g, double rate, const tfp_options *o, tfp_report **out,
                                      tfp_gate_verdict *verdict, tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
