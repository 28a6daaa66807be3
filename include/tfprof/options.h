// SPDX-License-Identifier: Apache-2.0
/* tfprof/options.h: options: what a report shows.
 * Threads: one at a time may set options, and none may read them meanwhile; any number may read the same options, or
 * build reports with them, at a time. */
#ifndef TFPROF_OPTIONS_H
#define TFPROF_OPTIONS_H

#include "tfprof/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All options at their defaults, or NULL when memory runs out. */
TFP_API tfp_options *tfp_options_new(void);
TFP_API tfp_options *tfp_options_copy(const tfp_options *o); /**< NULL when memory runs out, or for NULL */
TFP_API void tfp_options_free(tfp_options *o);

/** Sets one option from text. In names `-` and `_` are the same. Lists are separated by commas.
 *  A NULL value is allowed for booleans and means true.
 *  Errors: TFP_BADARG naming the option and the value (unknown option, not a number, unknown column, invalid regex). */
TFP_API tfp_status tfp_options_set(tfp_options *o, const char *name, const char *value, tfp_error *err);

/** Sets an option from a list of values, each taken whole: here a name filter may contain commas ("a{1,2}"). For
 *  options that are not filters (other than "rewrite" and "assume_shape", to which tfp_options_set adds one item at a
 *  time) the values are joined by commas.
 *  count 0 empties a list.
 *  Errors: as tfp_options_set. */
TFP_API tfp_status tfp_options_set_list(tfp_options *o, const char *name, const char *const *items, size_t count,
                                        tfp_error *err);

/** Sets options from TensorFlow's serialized OptionsProto, or for the view "advise" AdvisorOptionsProto, as its Python
 *  API builds them. Absent numbers become 0, absent booleans false, absent lists empty (proto3 does not send
 *  these values); absent texts change nothing; an empty checkers map runs no checker.
 *  Errors: TFP_BADFILE the bytes are not such a message (nothing is changed); TFP_BADARG an unknown
 *  value, with all others set: an unknown order means by name, an unknown column is left out, an invalid regex
 *  matches nothing, as in TensorFlow's tool. */
TFP_API tfp_status tfp_options_read_proto(tfp_options *o, const char *view, const void *data, size_t size,
                                          tfp_error *err);

/** With `on`, reports hold the numbers of every column, not only of selected ones, for programs that read single cells.
 *  NULL options are ignored. */
TFP_API void tfp_options_every_value(tfp_options *o, int on);

/** Lays texts out for people at a terminal with that many columns: aligned numbers, shares with bars, long names cut,
 *  and with `colours` in colour. 0 columns, the default, gives the text that TensorFlow's tool prints; so does -compat.
 *  Rows are ordered by the first number, largest first, when no order was set. NULL options are ignored. */
TFP_API void tfp_options_screen(tfp_options *o, int columns, int colours);

/** Sets the callback that a query calls regularly, with a growing count and 0; a nonzero result
 *  stops the query with TFP_CANCELLED. Copies of the options have it, too. NULL for none. NULL options are ignored. */
TFP_API void tfp_options_on_query(tfp_options *o, tfp_progress_fn fn, void *ctx);

/** Binds a value to a parameter of the statement that tfp_query runs with these options. It is kept until they are
 *  freed; binding again replaces it.
 *  name  a number from 1 ("2" is the second parameter), or a name: "us" is :us, @us or $us
 *  text  `size` bytes of UTF-8, copied; NULL binds NULL
 *  Errors: TFP_BADARG no options or no name; TFP_NOMEM. tfp_query reports unknown parameters. */
TFP_API tfp_status tfp_options_bind_int(tfp_options *o, const char *name, int64_t value, tfp_error *err);
TFP_API tfp_status tfp_options_bind_real(tfp_options *o, const char *name, double value, tfp_error *err);
TFP_API tfp_status tfp_options_bind_text(tfp_options *o, const char *name, const char *text, size_t size,
                                         tfp_error *err);

/** The current value, in the form of TensorFlow's option listing, or NULL for an unknown name. Lives until
 *  the options are set or freed. Threads: several may read the same options at once. */
TFP_API const char *tfp_options_get(const tfp_options *o, const char *name);

/** 'b' for a boolean option (whose value may be left out), 'v' for one with a value, 0 for an unknown name. */
TFP_API char tfp_options_kind(const char *name);

/** The commands to which an option belongs, separated by blanks ("diff stats"), or NULL for an option of the views,
 *  which applies wherever rows of a view are shown, and for an unknown name. */
TFP_API const char *tfp_options_commands(const char *name);

/** 1 if the answer of a command depends on this option, else 0, also for unknown names. An option without effect is
 *  accepted, because options may hold for several commands.
 *  name     of an option: "select"
 *  command  of a view or another command: "kernel" */
TFP_API int tfp_option_changes(const char *name, const char *command);

/** 1 when reports with these options need float operations inferred from the graph (-float_ops_source, or columns
 *  such as macs), else 0: files must then be read with TFP_KEEP_PROGRAM. */
TFP_API int tfp_options_work_out(const tfp_options *o);

/** The sum of tfp_keep values with which files must be read so that a view with these options can be built: the program
 *  for inferred float operations, memory for a timeline.
 *  view  NULL, or a name that is not a view's: only the needs of the options
 *  o     NULL means every default */
TFP_API unsigned tfp_view_keep(const char *view, const tfp_options *o);

/** What programs do differently for some views. */
enum tfp_view_trait {
    TFP_VIEW_FINDINGS = 1,        /**< its rows are findings of checkers, and its notes are remarks about checkers */
    TFP_VIEW_TIMELINE_OF_STEP = 2 /**< its timeline shows one step, which the option "step" must name */
};

/** The sum of tfp_view_trait of a view; 0 for a name that is not a view's. */
TFP_API unsigned tfp_view_traits(const char *view);

/** 1 if a view compares files that killed processes left behind: of several files, and of folders, unreadable ones
 *  should be reported and skipped. Otherwise 0, also for a name that is not a view's. */
TFP_API int tfp_view_takes_sound(const char *view);

/** After tfp_profile_keep with TFP_KEEP_SUMS or TFP_KEEP_ROWS: of a trace only the sums of the steps that these options
 *  choose are kept, one of them or the mean, which takes a fraction of the memory. Reports of other steps are refused
 *  then (TFP_BADARG). Without effect beside TFP_KEEP_TOTAL. Errors: TFP_BADARG. */
TFP_API tfp_status tfp_profile_keep_step(tfp_profile *p, const tfp_options *o);

/** Checks options for a view, or a command with that name: at present, whether a view with numbers has the column that
 *  -order_by names; the columns of a table are known only when it is built.
 *  Errors: TFP_BADARG. */
TFP_API tfp_status tfp_options_check(const tfp_options *o, const char *view, tfp_error *err);

/** 1 for the 21 options that TensorFlow's tool lists (the 16 of TensorFlow 1.0 when -compat is 1.0). */
TFP_API int tfp_options_listed(const tfp_options *o, const char *name);

#ifdef __cplusplus
}
#endif
#endif
