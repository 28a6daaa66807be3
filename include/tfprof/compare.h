// SPDX-License-Identifier: Apache-2.0
/* tfprof/compare.h: reports that compare several steps or profiles: statistics and differences.
 * Threads: one at a time may add to sides; any number may compare the same sides or profiles at a time. */
#ifndef TFPROF_COMPARE_H
#define TFPROF_COMPARE_H

#include "tfprof/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Builds the statistics of a view's rows over the steps of a profile. Each row but the root has its name, changed as
 *  the option "rewrite" says and split at the last slash into `name` and `op`, and for each numeric column C of
 *  -select, in the order given, C_mean, C_cv (the population's standard deviation in per cent of the mean), C_min,
 *  C_median, C_p95, C_max of the row's total in each step; in the op view of the type's own value.
 *  view    scope, graph, op, code or steps; NULL: the option "view". With steps, each column of the table on each
 *          device is a row, DEVICE/COLUMN, and -select has micros (the columns of times) and occurrence (kernels)
 *  o       as for tfp_report_build; the rows are those of the mean of all steps, and "step" is ignored
 *  Errors: as tfp_report_build; TFP_NOTFOUND a profile without steps; TFP_BADARG no numeric column; TFP_LIMIT more than
 *  134,217,728 values.
 *  Source: as tfp_report_build for each step; a step in which a node did not run counts as 0 there. */
TFP_API tfp_status tfp_stats(const tfp_profile *p, const char *view, const tfp_options *o, tfp_report **out,
                             tfp_error *err);

/** The sides of a comparison, two or more: each a profile, one step of it, or the printed text of a scope view. */
typedef struct tfp_sides tfp_sides;
TFP_API tfp_sides *tfp_sides_new(void); /**< NULL when memory runs out */
TFP_API void tfp_sides_free(tfp_sides *s);

/** Adds a side.
 *  name   its name in columns; NULL: left and right for two sides, side1, side2 ... for more
 *  label  its file name in `-format script`; NULL: the first file of the profile
 *  p      a finished profile, which outlives the sides
 *  step   a step of the profile; -1: the mean of all steps, or the step of the option "step"
 *  Errors: TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_sides_add(tfp_sides *s, const char *name, const char *label, const tfp_profile *p, int64_t step,
                                 tfp_error *err);

/** Adds a printed text: any lines, then the tree as TensorFlow's tool, tfprof or the public diff script print it:
 *  lines "PATH (VALUE, VALUE ...)" from _TFProfRoot on, and anything after. The line of legends before the tree names
 *  the columns; without it there is one column, recognised by its unit. gzip is unpacked.
 *  Errors: TFP_BADFILE with "PATH:LINE:COLUMN: reason"; TFP_LIMIT; TFP_NOMEM; TFP_BADARG. */
TFP_API tfp_status tfp_sides_add_text(tfp_sides *s, const char *name, const char *path, tfp_error *err);

/** The same from memory; `label` replaces the path in messages. The bytes are not needed after the call. */
TFP_API tfp_status tfp_sides_add_text_bytes(tfp_sides *s, const char *name, const char *label, const void *data,
                                            size_t size, tfp_error *err);

/** 1 if bytes, or the first bytes of a file, contain the line that begins such a tree, else 0. */
TFP_API int tfp_is_scope_text(const void *data, size_t size);

/** Compares sides: each against the first, row by row of a view, aligned by name.
 *  view    scope, graph, op, code or steps (rows as tfp_stats has them); NULL: the option "view". Texts can be compared
 *          in the scope view only.
 *  o       the numeric columns of -select (nothing selected: those that all texts have, and "micros" for
 *          profiles), the filters of the views, and the options of the command diff. max_depth, when set, counts the
 *          parts of a name, and 0 or less means no limit, which is the default here.
 *  Columns, for each column C: C_NAME for each side (the mean of its steps, where a step in which a row did not run
 *  counts as 0; beside texts the mean that views print; absent if the side has no such row);
 *  C_difference and C_ratio against the first (C_NAME_difference ... with more than two sides); for times C_low and
 *  C_high, Welch's 95 % interval of the difference, when both sides have three steps, and C_significant: yes, no, or
 *  unknown (Benjamini and Hochberg's correction for all rows tested); finally `only`: the sides that have the row, if
 *  some do not.
 *  Rows: those that differ (options "delta", "min_size") beyond the noise of their steps, and their ancestors; siblings
 *  by difference, the largest first. With the option "format" at "script": the rows and the order of the public script.
 *  Notes say if the profiles did different work: other nodes, shapes or devices.
 *  Errors: as tfp_report_build; TFP_BADARG fewer than two sides, no numeric column, a text without that column, two
 *  sides of one name. */
TFP_API tfp_status tfp_diff(const tfp_sides *s, const char *view, const tfp_options *o, tfp_report **out,
                            tfp_error *err);

/** Line `i` of the values that grew over the limit of the option "fail_over", or NULL past the end. */
TFP_API const char *tfp_report_over(const tfp_report *r, size_t i);

#ifdef __cplusplus
}
#endif
#endif
