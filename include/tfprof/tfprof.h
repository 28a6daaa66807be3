// SPDX-License-Identifier: Apache-2.0
/* tfprof.h: the one public header of libtfprof, a profiler for deep-learning models.
 *
 * The life of an analysis:
 *
 *     tfp_profile *p = tfp_profile_new();
 *     tfp_profile_add_file(p, NULL, "profile_10", err);        any number of files, each format known by its content
 *     tfp_profile_finish(p, err);                              no more files: the profile may now be read by many threads
 *     tfp_options *o = tfp_options_new();
 *     tfp_options_set(o, "select", "micros,bytes", err);
 *     tfp_report_build(p, "scope", o, &r, err);                rows, in memory
 *     tfp_report_write(r, "text", write_to_stdout, NULL, err); rows, as bytes
 *     tfp_report_free(r); tfp_options_free(o); tfp_profile_free(p);
 *
 * Rules that hold everywhere:
 *  - Nothing here prints, exits, aborts or keeps global state.
 *  - Functions that can fail return a tfp_status (0 is success) and take a tfp_error last, which may be NULL.
 *  - Every pointer argument may be NULL where the text says so; elsewhere NULL gives TFP_BADARG, never a crash.
 *  - Strings are UTF-8 as found in the files, ended by NUL; those returned live as long as the object that gave them.
 *  - Units: times are microseconds (with decimals where a trace has them), sizes are bytes, everything else is a plain count.
 *  - Threads: objects may be used from any thread; one object from several threads at a time only where a function says so.
 */
#ifndef TFPROF_TFPROF_H
#define TFPROF_TFPROF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TFP_API __attribute__((visibility("default")))
#else
#define TFP_API
#endif

/** What went wrong, in kinds a program can act on. The words are in the tfp_error. */
typedef enum tfp_status {
    TFP_OK = 0,
    TFP_BADFILE,  /**< an input is missing, unreadable, damaged or not of the format it was said to be */
    TFP_BADARG,   /**< a wrong call: unknown option or value, invalid regex, NULL where an object is needed */
    TFP_NOTFOUND, /**< what was asked for is not in the profile (a step, code traces) or not in this library (a view) */
    TFP_BADOUTPUT, /**< the report could not be written */
    TFP_NOMEM,     /**< out of memory */
    TFP_LIMIT,     /**< an input passes a size or nesting limit */
    TFP_CANCELLED  /**< the progress callback asked to stop */
} tfp_status;

typedef struct tfp_error tfp_error;     /**< the last error's message; reusable */
typedef struct tfp_profile tfp_profile; /**< one model's profile, from any number of files */
typedef struct tfp_options tfp_options; /**< what to show */
typedef struct tfp_report tfp_report;   /**< one view of a profile: rows with values */

/** The library's version, such as "0.1.0". Never NULL. */
TFP_API const char *tfp_version(void);

/** The exit status that the command line gives for a status: 0 done, 1 wrong input, 2 wrong usage, 3 output failed,
 *  4 out of memory or over a limit, 130 interrupted. */
TFP_API int tfp_exit_status(tfp_status status);

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/** A new, empty error, or NULL without memory (which every function takes as "no message wanted"). */
TFP_API tfp_error *tfp_error_new(void);
TFP_API void tfp_error_free(tfp_error *err);

/** One line without a newline, at most 4,000 bytes, control characters escaped, such as
 *  "run_meta_3.pb: step stats: device 1: varint longer than 10 bytes at byte 1187"; "" after success or for NULL. */
TFP_API const char *tfp_error_message(const tfp_error *err);

/** The system's number (errno) of what went wrong with a file, such as ENOENT; 0 when the system said nothing. */
TFP_API int tfp_error_errno(const tfp_error *err);

/** Text as every message and report of this library shows it: control characters and bytes that are not UTF-8 as \xNN,
 *  C1 and bidirectional controls as \u{NNNN}, all else as it is (a backslash too, so escaping twice changes nothing).
 *  out   gets the result, cut at a whole character to at most room - 1 bytes and ended by NUL; NULL when room is 0
 *  Result: the bytes that all of it needs, without the NUL; SIZE_MAX without memory (out is then empty). */
TFP_API size_t tfp_text_escape(const char *text, size_t size, char *out, size_t room);

/* ---- what this library can do: the tables ---------------------------------------------------------------------- */

/** The tables that tfp_list reads. */
typedef enum tfp_table {
    TFP_VIEWS,           /**< scope, graph, op, code, flops, advise */
    TFP_COLUMNS,         /**< the columns of -select */
    TFP_OPTIONS,         /**< the options of the views, in the order that TensorFlow lists them, then our own */
    TFP_OUTPUTS,         /**< what tfp_report_write can write: text, json, csv, md, ... */
    TFP_FORMATS,         /**< what tfp_profile_add_file can read: profile, graph, run_meta, op_log, checkpoint */
    TFP_CHECKERS,        /**< what advise checks */
    TFP_ORDERS,          /**< the values of -order_by */
    TFP_COMMAND_OPTIONS, /**< the other options of tfp_options_set, which only some commands take: diff, stats, flops ... */
    TFP_OPS,             /**< operations that float operations are worked out of; the help is the formula */
    TFP_OP_SOURCES,      /**< the same; the help is where the formula is from */
    TFP_TRACE_COLUMNS /**< the columns of -select; the help is what they mean in a trace of events */
} tfp_table;

/** Row `i` of a table: its name, or NULL past the end. */
TFP_API const char *tfp_list(tfp_table table, size_t i);

/** What the row with that name is, in one or a few sentences for people, or NULL if there is none.
 *  For columns: what the number means and where it comes from. */
TFP_API const char *tfp_help(tfp_table table, const char *name);

/* ---- profiles -------------------------------------------------------------------------------------------------- */

/** An empty profile, or NULL without memory. */
TFP_API tfp_profile *tfp_profile_new(void);

/** Frees a profile; reports built from it must be freed before. NULL is allowed. */
TFP_API void tfp_profile_free(tfp_profile *p);

/** What a profile keeps of its inputs beyond what text views show; more costs memory. */
typedef enum tfp_keep {
    TFP_KEEP_MEMORY = 1,    /**< every allocation and output buffer of every execution: timelines, tfp_profile_write */
    TFP_KEEP_ATTRS = 2,     /**< every node attribute: tfp_profile_write */
    TFP_KEEP_ALL = 3,       /**< all that tfp_profile_write writes */
    TFP_KEEP_FUNCTIONS = 4, /**< nodes of functions too, as FUNCTION/NODE; TensorFlow's tool leaves them out */
    TFP_KEEP_GRAPHS = 16,   /**< the program of graph files only, which costs little: to tell where parameters differ */
    TFP_KEEP_SUMS = 32,     /**< of traces only what op, scope and graph show: sums by node and step in place of spans.
                                 Other views are refused then (TFP_BADARG). Without effect beside TFP_KEEP_MEMORY or
                                 TFP_KEEP_PROGRAM. */
    TFP_KEEP_PROGRAM = 8    /**< the graph as a program with its functions: what shapes and float operations need */
} tfp_keep;

/** Sets what the files added from now on leave behind. `keep` is a sum of tfp_keep values; the default is
 *  TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM. Errors: TFP_BADARG. */
TFP_API tfp_status tfp_profile_keep(tfp_profile *p, unsigned keep);

/** Called now and then while a file is read: bytes read of bytes in all (0 when unknown). A nonzero result stops
 *  the load with TFP_CANCELLED. */
typedef int (*tfp_progress_fn)(void *ctx, uint64_t done, uint64_t total);

/** Sets the progress callback; NULL for none. Errors: TFP_BADARG. */
TFP_API tfp_status tfp_profile_on_progress(tfp_profile *p, tfp_progress_fn fn, void *ctx);

/** Adds a file to the profile.
 *  format  a name from tfp_list(TFP_FORMATS, i); NULL means: know it by its content
 *  path    a file, a folder (a SavedModel, a run's traces, or one with a single file that can be read), a pipe,
 *          or for "checkpoint" a prefix; gzip is unpacked by content
 *  Order: graphs, then run_metas (numbered 0, 1, 2 ... as steps), then op_logs, then the checkpoint. A "profile"
 *  (ProfileProto) stands alone, or with a checkpoint.
 *  Errors: TFP_BADFILE with "PATH: what is wrong"; TFP_LIMIT; TFP_NOMEM; TFP_CANCELLED; TFP_BADARG.
 *  After an error the profile can only be freed. */
TFP_API tfp_status tfp_profile_add_file(tfp_profile *p, const char *format, const char *path, tfp_error *err);

/** Adds several files, in their order: the profile, its warnings and the error of the first bad file are what as many calls of
 *  tfp_profile_add_file would give. Small files of run metadata are read side by side, by as many threads as there are
 *  processors (TFPROF_THREADS), which end before the call does; they take up to some 10 MB of memory each thread meanwhile.
 *  formats  of each file as above; NULL, or a NULL in it: by content
 *  steps    of each file the number that tfp_profile_next_step would be told; NULL: by position
 *  Progress is told of each file by itself, on the calling thread. Errors: those of tfp_profile_add_file. */
TFP_API tfp_status tfp_profile_add_files(tfp_profile *p, size_t count, const char *const *formats,
                                         const char *const *paths, const int64_t *steps, tfp_error *err);

/** Which of the files of tfp_profile_add_files, or of tfp_profile_add_descriptors, is being added (counted from 0): for
 *  progress callbacks, and after an error for the file that had it. */
TFP_API size_t tfp_profile_adding(const tfp_profile *p);

/** The same from an open descriptor, read from where it stands; `name` stands for the path in messages. It stays the
 *  caller's. For callers with their own rules for opening files. */
TFP_API tfp_status tfp_profile_add_descriptor(tfp_profile *p, const char *format, const char *name, int fd,
                                              tfp_error *err);

/** Several of them, as tfp_profile_add_files adds files. Regular files that are read side by side leave their descriptors
 *  where they stand. */
TFP_API tfp_status tfp_profile_add_descriptors(tfp_profile *p, size_t count, const char *const *formats,
                                               const char *const *names, const int *fds, tfp_error *err);

/** The same from memory; `name` stands for the path in messages. The bytes are not needed after the call. */
TFP_API tfp_status tfp_profile_add_bytes(tfp_profile *p, const char *format, const char *name, const void *data,
                                         size_t size, tfp_error *err);

/** The format of a file, or of bytes in memory, by its content: a name of TFP_FORMATS, or NULL with `err` saying what
 *  is wrong. */
TFP_API const char *tfp_recognise_file(const char *path, tfp_error *err);
TFP_API const char *tfp_recognise_bytes(const char *name, const void *data, size_t size, tfp_error *err);

/** The same of a file's first bytes, of which there are `size`, 64 KiB or all; in all there are `total` (stored ones, of
 *  gzip). For callers that look at many files, with their own rules for opening them. */
TFP_API const char *tfp_recognise_start(const char *name, const void *data, size_t size, uint64_t total,
                                        tfp_error *err);

/** How the files of a format stand beside others. Programs that put files together to profiles ask for it, so that they
 *  need no name of a format. */
typedef enum tfp_format_fact {
    TFP_FORMAT_WHOLE, /**< a file is a whole profile: no other is added to it but those of TFP_FORMAT_BESIDE_WHOLE */
    TFP_FORMAT_BESIDE_WHOLE, /**< can be added to a whole profile, too */
    TFP_FORMAT_LEADS,        /**< the files that follow, in its folder, belong to it */
    TFP_FORMAT_FOLLOWS,      /**< belongs to each leading file of its folder */
    TFP_FORMAT_SEVERAL, /**< all files of a folder follow, not the first alone; command lines list them with commas */
    TFP_FORMAT_PART,    /**< is no profile by itself */
    TFP_FORMAT_PREFIX   /**< is named by what the paths of its files begin with, see tfp_format_ending */
} tfp_format_fact;

/** 1 if that is so of a format of TFP_FORMATS, else 0. */
TFP_API int tfp_format_is(const char *format, tfp_format_fact fact);

/** What a prefix of that format may be followed by in the path of the file that stands for all: ".index"; NULL past the
 *  last. format NULL: of all formats. */
TFP_API const char *tfp_format_ending(const char *format, size_t i);

/** How many bytes of the path of a file of that format are its name for people: without ".index" of a checkpoint. */
TFP_API size_t tfp_format_name_size(const char *format, const char *path);

/** What a path says before anything of the file is read. */
typedef enum tfp_path_fact {
    TFP_PATH_PART,  /**< is read by way of another file, or not at all: a checkpoint's data */
    TFP_PATH_FOLDER /**< stands for its folder, by which people name it: saved_model.pb */
} tfp_path_fact;

/** 1 if that is so of a path, else 0. */
TFP_API int tfp_path_is(const char *path, tfp_path_fact fact);

/** About how many bytes of memory a profile holds. */
TFP_API size_t tfp_profile_memory(const tfp_profile *p);

/** The number of the step that the next run_meta becomes; without it they are 0, 1, 2 ... by position. Several run_metas
 *  of one number are one step. Negative ones count in the mean only: they cannot be asked for. Errors: TFP_BADARG. */
TFP_API tfp_status tfp_profile_next_step(tfp_profile *p, int64_t step);

/** Ends adding: checks references between the inputs and makes the profile ready to be read. More may be added later
 *  (a further step of a training run), once no reports of this profile are left, and finished again.
 *  A profile to which nothing was added has no nodes. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_profile_finish(tfp_profile *p, tfp_error *err);

/** Warning `i`: one line naming the file, for something in the inputs that had to be dropped, clamped or guessed,
 *  such as "graph.pb: inputs that name no node: 3 (first: gone)"; NULL past the end. */
TFP_API const char *tfp_profile_warning(const tfp_profile *p, size_t i);

/** The share of the graph's nodes that run_meta number `i` has statistics for (0 to 1), or -1 past the last one. */
TFP_API double tfp_profile_coverage(const tfp_profile *p, size_t i);

/** How many steps the profile has, and their numbers in ascending order. */
TFP_API size_t tfp_profile_step_count(const tfp_profile *p);
TFP_API int64_t tfp_profile_step(const tfp_profile *p, size_t i);

/** How many nodes the profile has, and their names in the order of the files. NULL past the end. */
TFP_API size_t tfp_profile_node_count(const tfp_profile *p);
TFP_API const char *tfp_profile_node_name(const tfp_profile *p, size_t i);

/** What there may be in a profile, for callers that show or offer something only where it can be had. */
typedef enum tfp_content {
    TFP_HAS_GRAPH,     /**< nodes with their inputs: a graph, a ProfileProto, or the program of a trace */
    TFP_HAS_PROGRAM,   /**< the graph with its functions: shapes and float operations can be worked out */
    TFP_HAS_CODE,      /**< code traces: what the code view needs */
    TFP_HAS_STEPS,     /**< steps that -step can ask for */
    TFP_HAS_SPANS,     /**< what ran where and when: what timelines need */
    TFP_HAS_MEMORY,    /**< memory over time */
    TFP_HAS_TENSORS,   /**< the variables of a checkpoint */
    TFP_HAS_VARIABLES, /**< nothing but a checkpoint: its variables are the nodes */
    TFP_HAS_TYPES,     /**< all types of the nodes, as a ProfileProto keeps them */
    TFP_HAS_TRACE,     /**< events of a trace: processes, threads and devices */
    TFP_CONTENT_COUNT
} tfp_content;

/** True (1) when a finished profile has some of that; costs nothing. */
TFP_API int tfp_profile_has(const tfp_profile *p, tfp_content what);

/** Takes `size` bytes somewhere; 0 means done, anything else stops the writing with TFP_BADOUTPUT. */
typedef int (*tfp_write_fn)(void *ctx, const void *data, size_t size);

/** Writes the profile as a ProfileProto that this library and TensorFlow's can read. The profile must have been read
 *  with TFP_KEEP_ALL for all of it to be there. Errors: TFP_BADOUTPUT, TFP_NOMEM, TFP_BADARG (also for one that was
 *  read without TFP_KEEP_MEMORY). */
TFP_API tfp_status tfp_profile_write(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err);

/** The same into a file: written beside it and renamed, so that a failure leaves an old file as it was. */
TFP_API tfp_status tfp_profile_write_file(const tfp_profile *p, const char *path, tfp_error *err);

/** Writes all tables of the profile as a file of tfprof's own (docs/formats.md), from which every view is told as from the
 *  files that were read, without reading them. The profile must have been read with TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM,
 *  and with TFP_KEEP_ATTRS for tfp_profile_write to write attributes of what is read back. Values of a checkpoint's
 *  tensors are not kept: the checkpoint can be added to what is read back, and nothing else can.
 *  Errors: TFP_BADOUTPUT, TFP_NOMEM, TFP_BADARG (also for a checkpoint alone). */
TFP_API tfp_status tfp_profile_save(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err);

/** The same into a file, as tfp_profile_write_file does. */
TFP_API tfp_status tfp_profile_save_file(const tfp_profile *p, const char *path, tfp_error *err);

/** The file in the user's cache ($XDG_CACHE_HOME/tfprof, or ~/.cache/tfprof) that a profile of these files, read with
 *  `keep`, is kept in: its name changes when a file does, told by name, inode, size, times, first and last bytes. The file need not
 *  be there; it is one of tfp_profile_save_file. `formats` may be NULL, and each of them.
 *  Errors: TFP_NOTFOUND no cache is used: one of them is no regular file, or changed just now, or there is no home. */
TFP_API tfp_status tfp_cache_path(const char *const *formats, const char *const *paths, size_t count, unsigned keep,
                                  char *out, size_t room, tfp_error *err);

/** Saves a profile at such a path; beyond 4 GB in all, the files used longest ago are removed. Errors: as tfp_profile_save. */
TFP_API tfp_status tfp_cache_save(const tfp_profile *p, const char *path, tfp_error *err);

/** Says that the file was used. */
TFP_API void tfp_cache_used(const char *path);

/* ---- options --------------------------------------------------------------------------------------------------- */

/** All options at their defaults, or NULL without memory. */
TFP_API tfp_options *tfp_options_new(void);
TFP_API tfp_options *tfp_options_copy(const tfp_options *o);
TFP_API void tfp_options_free(tfp_options *o);

/** Sets one option from text. In names `-` and `_` are the same. Lists are separated by commas.
 *  A NULL value is allowed for booleans and means true.
 *  Errors: TFP_BADARG naming the option and the value (unknown option, not a number, unknown column, invalid regex). */
TFP_API tfp_status tfp_options_set(tfp_options *o, const char *name, const char *value, tfp_error *err);

/** Sets an option from a list of values, each taken whole: a name filter may hold commas here ("a{1,2}"). For options
 *  that are no filters (nor "rewrite" and "assume_shape", of which tfp_options_set adds one at a time) the values are
 *  joined by commas.
 *  count 0 empties a list.
 *  Errors: as tfp_options_set. */
TFP_API tfp_status tfp_options_set_list(tfp_options *o, const char *name, const char *const *items, size_t count,
                                        tfp_error *err);

/** Sets options from TensorFlow's serialized OptionsProto, or for the view "advise" AdvisorOptionsProto, as its Python
 *  API builds them. Numbers that are absent are 0, booleans false, lists empty (the message is proto3: it cannot say
 *  those); texts that are absent change nothing; a checkers map that is empty runs no checker.
 *  Errors: TFP_BADFILE for bytes that are no such message (nothing is changed then); TFP_BADARG for a value that is not
 *  known, with all others in force: an unknown order means by name, an unknown column is left out, an invalid regex
 *  matches nothing, as in TensorFlow's tool. */
TFP_API tfp_status tfp_options_read_proto(tfp_options *o, const char *view, const void *data, size_t size,
                                          tfp_error *err);

/** With `on`, reports hold the numbers of every column, not only of those selected: for programs that look at them.
 *  NULL options are left alone. */
TFP_API void tfp_options_every_value(tfp_options *o, int on);

/** Lays texts out for people at a terminal of so many columns: numbers in columns, shares with bars, long names cut, with
 *  `colours` also those. 0 columns, the default, is the text that TensorFlow's tool prints; so is every text with -compat.
 *  Rows stand in the order of the first number, biggest first, when no order was set. NULL options are left alone. */
TFP_API void tfp_options_screen(tfp_options *o, int columns, int colours);

/** Sets the callback that a query asks now and then, with a count that grows and 0, whether to go on: a nonzero result
 *  stops it with TFP_CANCELLED. Copies of the options have it too. NULL for none. NULL options are left alone. */
TFP_API void tfp_options_on_query(tfp_options *o, tfp_progress_fn fn, void *ctx);

/** A value for a parameter of the statement that tfp_query answers with these options, kept until they are freed; bound
 *  again it is replaced.
 *  name  a number from 1 ("2" is the second parameter), or a name: "us" is :us, @us or $us
 *  text  `size` bytes of UTF-8, copied; NULL binds NULL
 *  Errors: TFP_BADARG no options or no name; TFP_NOMEM. Whether the statement has it is told by tfp_query. */
TFP_API tfp_status tfp_options_bind_int(tfp_options *o, const char *name, int64_t value, tfp_error *err);
TFP_API tfp_status tfp_options_bind_real(tfp_options *o, const char *name, double value, tfp_error *err);
TFP_API tfp_status tfp_options_bind_text(tfp_options *o, const char *name, const char *text, size_t size,
                                         tfp_error *err);

/** The value in force, in the form that TensorFlow's option listing prints, or NULL for an unknown name. Lives until
 *  the next call on these options. */
TFP_API const char *tfp_options_get(const tfp_options *o, const char *name);

/** 'b' for a boolean option (whose value may be left out), 'v' for one with a value, 0 for an unknown name. */
TFP_API char tfp_options_kind(const char *name);

/** The commands that an option belongs to, one blank between them ("diff stats"), or NULL for an option of the views, which
 *  counts wherever rows of a view are shown, and for an unknown name. */
TFP_API const char *tfp_options_commands(const char *name);

/** True (1) when reports with these options need float operations worked out from the graph (-float_ops_source, or columns
 *  such as macs): files must be read with TFP_KEEP_PROGRAM for them. */
TFP_API int tfp_options_work_out(const tfp_options *o);

/** A sum of tfp_keep values: what files must be read with for a view with these options to be built from them: the program
 *  for float operations worked out from the graph, memory for a timeline.
 *  view  NULL, or a name that is no view's: what the options alone need
 *  o     NULL means every default */
TFP_API unsigned tfp_view_keep(const char *view, const tfp_options *o);

/** Whether the options are such that a view, or a command with that name, takes them: today that -order_by names a column of a
 *  view whose rows have numbers; a table tells only once it is there which columns it has.
 *  Errors: TFP_BADARG. */
TFP_API tfp_status tfp_options_check(const tfp_options *o, const char *view, tfp_error *err);

/** True (1) for the 21 options that TensorFlow's tool lists (the 16 of TensorFlow 1.0 when -compat is 1.0). */
TFP_API int tfp_options_listed(const tfp_options *o, const char *name);

/* ---- reports --------------------------------------------------------------------------------------------------- */

/** Build one view of a profile.
 *  view    a name from tfp_list(TFP_VIEWS, i), such as "scope"
 *  o       what to show; NULL means every default
 *  out     on success a report, which the caller frees before the profile; on failure NULL
 *  Rows: parents before children, siblings in -order_by order. Values: microseconds, bytes or plain counts.
 *  Errors: TFP_NOTFOUND no such view, step or no code traces, no graph from which float operations could be worked out, no
 *  node whose shape is assumed; TFP_BADARG an unfinished profile, or one without the program that is asked for; TFP_NOMEM;
 *  TFP_BADFILE a checkpoint's bytes that are asked for are damaged.
 *  Source: NodeExecStats summed over devices for the step asked for; step -1 is the mean of all steps.
 *  Threads: any number may build from one profile at a time; none may add to it meanwhile. */
TFP_API tfp_status tfp_report_build(const tfp_profile *p, const char *view, const tfp_options *o, tfp_report **out,
                                    tfp_error *err);
TFP_API void tfp_report_free(tfp_report *r);

/** Something that the report could not take into account ("12 gradient nodes have no forward node"), NULL past the end. */
TFP_API const char *tfp_report_note(const tfp_report *r, size_t i);

/** True (1) for a table with columns of its own, as tfp_stats and the view flops make: its rows are no rows of a view, -select does not
 *  choose its columns, and it can be written as text, json, jsonl, csv and md, and given as Arrow. */
TFP_API int tfp_report_is_table(const tfp_report *r);

/** How many rows, the root (row 0 of every view) included. */
TFP_API size_t tfp_report_row_count(const tfp_report *r);

/** Name of a row; NULL past the end. */
TFP_API const char *tfp_report_row_name(const tfp_report *r, size_t row);

/** The row that this one stands under; the root stands under itself. */
TFP_API size_t tfp_report_row_parent(const tfp_report *r, size_t row);

/** A row's value of a numeric column. `total` 0: its own, 1: with everything below it. 0 where there is none. */
TFP_API int64_t tfp_report_value(const tfp_report *r, size_t row, const char *column, int total);

/** How many advise findings there are of a checker (a name of TFP_CHECKERS; NULL: of all); 0 for other views. */
TFP_API size_t tfp_report_finding_count(const tfp_report *r, const char *checker);

/* A report is also a flat table: the columns of -format csv, which docs/json.md lists, and a row for each of the report's.
 * For advise the columns are checker and report, and the rows are the findings of all checkers. Cells can be asked for by
 * name, selected or not: name, row, parent, depth, accounted; X and total_X for each numeric column X (occurrence: runs,
 * total_runs, total_definitions); device, op_types, input_shapes, shape (the variable's own, "3x3x16"; "" when unknown),
 * num_hidden_ops; tensor_dtype, tensor_shape, tensor_value, which are "" unless tensor_value was selected. */

/** Name of flat column `i` of those that the options select, in the order of CSV; NULL past the end. */
TFP_API const char *tfp_report_column(const tfp_report *r, size_t i);

/** 'i' for a 64-bit number (times in microseconds, sizes in bytes, else a count), 'b' for a boolean, 'r' for a real number,
 *  's' for text, 0 for no such column. Times are 'i', and whole microseconds, in profiles of TensorFlow's files; of traces with
 *  finer times they are 'r', microseconds with up to three decimals. */
TFP_API char tfp_report_column_type(const tfp_report *r, const char *column);

/** What a column of a table means, or NULL: no such column, or nothing is said of it. */
TFP_API const char *tfp_report_column_help(const tfp_report *r, const char *column);

/** A number, or a boolean as 0 or 1. Result: 1, or 0 when there is none: the root's parent, a column that the report was
 *  built without, a text, no such column or row. `out` is then left as it was. */
TFP_API int tfp_report_int(const tfp_report *r, size_t row, const char *column, int64_t *out);

/** A number of a column of reals, or of any other numbers as such a one. Result: 1, or 0 when there is none. */
TFP_API int tfp_report_real(const tfp_report *r, size_t row, const char *column, double *out);

/** True (1) for a cell that there is not: tfp_report_string has "" for a text that is absent, as it has for an empty one.
 *  True too for no such column or row. */
TFP_API int tfp_report_absent(const tfp_report *r, size_t row, const char *column);

/** A text, escaped as all that reports show; lists are joined by "|", the values of a tensor are row-major and separated by
 *  blanks, findings may have several lines.
 *  out   gets the result, cut at a whole character to at most room - 1 bytes and ended by NUL; NULL when room is 0
 *  Result: the bytes that all of it needs, without the NUL: 0 for a number, or no such column or row; SIZE_MAX without
 *  memory (out is then empty). */
TFP_API size_t tfp_report_string(const tfp_report *r, size_t row, const char *column, char *out, size_t room);

/** Finding `i` of advise, of all checkers in their order: its text as tfp_report_string gives it.
 *  checker  gets the checker's name, which lives as long as the report, or NULL past the end; may be NULL */
TFP_API size_t tfp_report_finding(const tfp_report *r, size_t i, const char **checker, char *out, size_t room);

/** The structure of the Arrow C stream interface, https://arrow.apache.org/docs/format/CStreamInterface.html, which those
 *  who read from it define. */
struct ArrowArrayStream;
#define TFP_ARROW_STREAM_SIZE (5 * sizeof(void *)) /**< bytes of one, for a caller that only passes it on */

/** The flat table as a stream of Arrow record batches of at most 65,536 rows: the columns that the options select, after
 *  depth the column `accounted`. Types are int64, float64, bool and utf8; a cell that is absent is null; the metadata
 *  "unit" of a numeric column of -select is "us", "bytes" or "count".
 *  out   room for a stream; on success the caller's, which releases it, before or after report and profile (all is copied);
 *        on failure a released one
 *  Errors: TFP_BADARG; TFP_NOMEM; TFP_LIMIT a text of more than 1 GiB.
 *  Threads: any number may export one report at a time. */
TFP_API tfp_status tfp_report_arrow(const tfp_report *r, struct ArrowArrayStream *out, tfp_error *err);

/** Releases a stream, whoever made it. One that is released already, or NULL, is fine. */
TFP_API void tfp_arrow_release(struct ArrowArrayStream *stream);

/** Writes a report in one format of tfp_list(TFP_OUTPUTS, i).
 *  Errors: TFP_NOTFOUND no such output; TFP_BADARG this view has no such output; TFP_BADOUTPUT; TFP_NOMEM.
 *  Threads: any number may write one report at a time. */
TFP_API tfp_status tfp_report_write(const tfp_report *r, const char *output, tfp_write_fn fn, void *ctx,
                                    tfp_error *err);

/** The same into a file: written beside it and renamed, so that a failure leaves an old file as it was. */
TFP_API tfp_status tfp_report_write_file(const tfp_report *r, const char *output, const char *path, tfp_error *err);

/** Bytes into a file, as the functions above write theirs: beside it and renamed.
 *  Errors: TFP_BADARG no path; TFP_BADOUTPUT; TFP_NOMEM. */
TFP_API tfp_status tfp_write_file(const char *path, const void *data, size_t size, tfp_error *err);

/** Builds a view and puts it where the options say: what one command line does.
 *  -output stdout goes to `fn`; file, timeline, pprof, folded and speedscope write the named files (whole or not at all) and say so
 *  through `fn`; none writes nothing. -format chooses the form of stdout and file; -proto_out also writes the
 *  serialized GraphNodeProto, MultiGraphNodeProto or AdviceProto.
 *  out     on success the report, to be freed by the caller; may be NULL. On failure NULL. */
TFP_API tfp_status tfp_show(const tfp_profile *p, const char *view, const tfp_options *o, tfp_write_fn fn, void *ctx,
                            tfp_report **out, tfp_error *err);

/** Builds the statistics of a view's rows over the steps of a profile: for each row but the root its name, split at the
 *  last slash into `name` and `op` and changed before as the option "rewrite" says, and for each numeric column C of
 *  -select, in the order asked, C_mean, C_cv (the population's standard deviation in per cent of the mean), C_min,
 *  C_median, C_p95, C_max of the row's totals, one a step; in the op view of what is the type's own.
 *  view    scope, graph, op, code or steps; NULL: the option "view". Of steps each column of the table on each device is a
 *          row, DEVICE/COLUMN, and -select has micros (the columns of times) and occurrence (kernels)
 *  o       as for tfp_report_build; the rows are those of the mean of all steps, and "step" means nothing
 *  Errors: as tfp_report_build; TFP_NOTFOUND a profile without steps; TFP_BADARG no numeric column; TFP_LIMIT more than
 *  134,217,728 values.
 *  Source: as tfp_report_build for each step; a step in which a node did not run counts as 0 there. */
TFP_API tfp_status tfp_stats(const tfp_profile *p, const char *view, const tfp_options *o, tfp_report **out,
                             tfp_error *err);

/** What is compared: two or more sides, each a profile, one step of it, or the text that a scope view printed. */
typedef struct tfp_sides tfp_sides;
TFP_API tfp_sides *tfp_sides_new(void); /**< NULL without memory */
TFP_API void tfp_sides_free(tfp_sides *s);

/** Adds a side.
 *  name   what columns call it; NULL: left and right of two sides, side1, side2 ... of more
 *  label  what `-format script` calls its file; NULL: the first file of the profile
 *  p      a finished profile, which outlives the sides
 *  step   of the profile; -1: the mean of all steps, or the step of the option "step"
 *  Errors: TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_sides_add(tfp_sides *s, const char *name, const char *label, const tfp_profile *p, int64_t step,
                                 tfp_error *err);

/** Adds a text: lines of anything, then the tree as TensorFlow's tool, this one or the public diff script's users have it:
 *  lines "PATH (VALUE, VALUE ...)" from _TFProfRoot on, and what comes after it. The line of legends before the tree tells
 *  the columns; without it there is one, known by its unit. gzip is unpacked.
 *  Errors: TFP_BADFILE with "PATH:LINE:COLUMN: what is wrong"; TFP_LIMIT; TFP_NOMEM; TFP_BADARG. */
TFP_API tfp_status tfp_sides_add_text(tfp_sides *s, const char *name, const char *path, tfp_error *err);

/** The same from memory; `label` stands for the path. The bytes are not needed after the call. */
TFP_API tfp_status tfp_sides_add_text_bytes(tfp_sides *s, const char *name, const char *label, const void *data,
                                            size_t size, tfp_error *err);

/** Whether (1) bytes, or the first ones of a file, hold the line that begins such a tree. */
TFP_API int tfp_is_scope_text(const void *data, size_t size);

/** Compares sides: each against the first, row by row of a view, aligned by name.
 *  view    scope, graph, op, code or steps (rows as tfp_stats has them); NULL: the option "view". Texts can be compared in
 *          the scope view only.
 *  o       what to compare: the numeric columns of -select (nothing selected: those that all texts have, and "micros" of
 *          profiles), the filters of the views, and the options of the command diff. max_depth, when set, counts the parts
 *          of a name, and 0 or less means no limit, which is the default here.
 *  Columns, for each column C: C_NAME a side (the mean of its steps, one in which a row did not run counting
 *  as 0; beside texts the mean that views print; absent where the side has no such row);
 *  C_difference and C_ratio against the first (C_NAME_difference ... with more than two sides); of times C_low and C_high,
 *  Welch's 95 % interval of the difference, when both sides have three steps, and C_significant: yes, no, or unknown
 *  (Benjamini and Hochberg's correction for all rows tested); last `only`: the sides that have the row, when not all do.
 *  Rows: those that differ (options "delta", "min_size") beyond the noise of their steps, and all above them; siblings by
 *  difference, the biggest first. With the option "format" at "script": the rows and the order of the public script.
 *  Notes say when profiles are not the same work: other nodes, shapes or devices.
 *  Errors: as tfp_report_build; TFP_BADARG fewer than two sides, no numeric column, a text without that column, two sides
 *  of one name. */
TFP_API tfp_status tfp_diff(const tfp_sides *s, const char *view, const tfp_options *o, tfp_report **out,
                            tfp_error *err);

/** Line `i` of what grew over the limit of the option "fail_over", or NULL past the end: no line, nothing did. */
TFP_API const char *tfp_report_over(const tfp_report *r, size_t i);

/** Answers one SELECT over the tables of profiles: nodes, types, edges, outputs, steps, executions, spans, memory, buffers,
 *  allocations, traces, code, profiles, and columns, which lists them all (docs/query.md).
 *  p, names  `count` finished profiles and what their rows have in the column `profile`, each another; names, or one of
 *            them, may be NULL: the profile's first file
 *  sql       one statement: SELECT, WITH, VALUES or EXPLAIN. Nothing is ever written.
 *  o         -time_limit, tfp_options_on_query, tfp_options_bind_* (a value for each parameter), and where tfp_report_put puts the report; NULL means every default
 *  out       on success a report, which the caller frees before the profiles; on failure NULL
 *  Rows and columns: as the query says. A column is of integers, reals or texts, whichever holds all of its cells; NULL is
 *  an absent cell; columns of one name get _2, _3 ... Times are microseconds, sizes bytes.
 *  Errors: TFP_BADARG with SQLite's words; TFP_LIMIT over -time_limit, 4 MiB a text, 256 MiB of memory or 5,000,000 cells;
 *  TFP_CANCELLED; TFP_NOTFOUND SQLite (libsqlite3.so.0) is not there; TFP_NOMEM.
 *  Threads: any number may query a profile at a time; none may add to it meanwhile. */
TFP_API tfp_status tfp_query(const tfp_profile *const *p, const char *const *names, size_t count, const char *sql,
                             const tfp_options *o, tfp_report **out, tfp_error *err);

/** What was recorded, row by row, as a table (tfp_report_is_table), for programs that draw it.
 *  what  "steps": step, nodes, runs, start_us, end_us, run_us, accelerator_us, cpu_us, requested_bytes, peak_bytes,
 *        residual_bytes, output_bytes: a row for each step that can be asked for, the sums of all executions in it
 *        "spans": step, lane, kind, name, op, node, start_us, duration_us: what ran where and when, by step, lane and start
 *        "memory": device, at_us, held_bytes, in_use_bytes, recorded: of one step, by device and time: the sum of the
 *        allocations until then, and what the device's allocator said. Where no allocations were recorded a node counts
 *        with what it kept, until the last node that reads it had ended; `recorded` is no then, and a note says so
 *        "peak": device, at_us, name, op, bytes, start_us: for each device the nodes that held memory when held_bytes was at its most
 *        "tensors": name, dtype, shape, elements: the variables of the checkpoint
 *        "files": file, lines: the source files that code traces name, and how many lines of them
 *  step  a step; -1: all of them, and of memory and peak the last. The others know no step.
 *  out   on success a report, which the caller frees before the profile; on failure NULL
 *  Errors: TFP_NOTFOUND no such table or step; TFP_BADARG a profile without TFP_KEEP_MEMORY (spans, memory, peak); TFP_NOMEM.
 *  Threads: any number may ask one profile at a time. */
TFP_API tfp_status tfp_records(const tfp_profile *p, const char *what, int64_t step, tfp_report **out, tfp_error *err);

/** What was recorded over time, laid out so that any window of it is answered fast: lanes (threads, streams, devices), each
 *  with rows of spans that do not overlap; rows are counted through all lanes. Of RunMetadata and ProfileProto (read with
 *  TFP_KEEP_MEMORY) each step has lanes of its own. Times count from the first start.
 *  It reads the profile, which must not change or be freed before it. Any number of threads may ask one timeline.
 *  Errors: TFP_BADARG a profile without TFP_KEEP_MEMORY; TFP_NOMEM. */
typedef struct tfp_timeline tfp_timeline;
TFP_API tfp_status tfp_timeline_new(const tfp_profile *p, tfp_timeline **out, tfp_error *err);
TFP_API void tfp_timeline_free(tfp_timeline *t);             /**< NULL is fine */
TFP_API uint64_t tfp_timeline_memory(const tfp_timeline *t); /**< bytes that it takes beside its profile */

/** Its lanes: step, rank, process, device, lane, label, first_row, rows, spans, start_us, end_us, busy_us (a report of the
 *  kind table, as all answers below). step: of executions those of one step, -1 all. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_lanes(const tfp_timeline *t, int64_t step, tfp_report **out, tfp_error *err);

/** What can be seen of a window from_ns to to_ns that is `width` pixels wide, in the rows first_row to last_row: row, span,
 *  count, start_us, duration_us, busy_us, name, kind, self_us, parent, launch, and with `search` (NULL: none) found. Spans
 *  narrower than a pixel that start in the same one are one row with their `count` and the time that they were busy.
 *  Errors: TFP_BADARG no such window; TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_spans(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, int width,
                                      int64_t first_row, int64_t last_row, const char *search, tfp_report **out,
                                      tfp_error *err);

/** The same of all there is (of executions of one step; -1 all) in about `most` rows: each span where there are no more, else
 *  with those that lie close together as one, and a note that says so. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_whole(const tfp_timeline *t, int64_t step, int64_t most, tfp_report **out,
                                      tfp_error *err);

/** What took the time in a window: name (of executions the type of the node), count, total_us, most time first.
 *  Errors: TFP_BADARG no such window; TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_sums(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, int64_t first_row,
                                     int64_t last_row, tfp_report **out, tfp_error *err);

/** The next span after `after` (-1: from the first on; with `backward` before it) whose name holds `search`, whatever the
 *  case: span, row, start_us, duration_us, name; how many there are (matches), and its place among them. Without a further
 *  one the table is empty. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_find(const tfp_timeline *t, const char *search, int64_t first_row, int64_t last_row,
                                     int64_t after, int backward, tfp_report **out, tfp_error *err);

/** One span: name, kind, lane, times, step, place in the model; its arguments (args); and the spans that it is linked to, a row
 *  each: relation, span, row, name, start_us, duration_us. Errors: TFP_NOTFOUND no such span; TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_span(const tfp_timeline *t, int64_t span, tfp_report **out, tfp_error *err);

/** One tensor of a checkpoint in few numbers. */
enum { TFP_TENSOR_BINS = 40, TFP_TENSOR_SHOWN = 100 };
typedef struct tfp_tensor_summary {
    const char *dtype;                       /**< "float32"; lives for ever */
    char shape[512];                         /**< "3x3x16", cut when longer; "" of a scalar */
    int64_t elements;                        /**< saturated */
    int numbers;                             /**< 0: of a type that is no number; nothing below is set then */
    int64_t finite, zeros, nans, infinities; /**< how many values are */
    double least, most, mean, deviation;     /**< of the finite ones; the population's standard deviation */
    int64_t bins[TFP_TENSOR_BINS];           /**< finite values in equal parts of least to most */
    double first[TFP_TENSOR_SHOWN];          /**< the first values, row-major */
    size_t shown;                            /**< how many of them there are */
} tfp_tensor_summary;

/** Reads a tensor of the profile's checkpoint, at most 16,777,216 elements, and sums it up.
 *  Errors: TFP_NOTFOUND no checkpoint, or no such tensor; TFP_BADFILE its bytes are damaged; TFP_LIMIT; TFP_NOMEM.
 *  Threads: any number may ask one profile at a time. */
TFP_API tfp_status tfp_tensor_summarise(const tfp_profile *p, const char *name, tfp_tensor_summary *out,
                                        tfp_error *err);

/* ---- live: running jobs ---- */

/** The jobs of this machine: each the topmost process that has mapped a framework's library, and all that descends from it.
 *  Nothing is changed in them; only /proc, the kernel's counters and NVML are read. Not for threads: one owner a tfp_live. */
typedef struct tfp_live tfp_live;
TFP_API tfp_live *tfp_live_new(void); /**< NULL without memory */
TFP_API void tfp_live_free(tfp_live *l);

/** Shows this process (a number) or those of this script or program (its whole file name) instead of all jobs.
 *  Errors: TFP_BADFILE no such process; TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_live_select(tfp_live *l, const char *selector, tfp_error *err);

/** "user" (a name or number: only this user's jobs), "sort" (a column), and without a value "python" (every CPython is a job
 *  too), "processes" (no folding), "all_threads" (the state of every thread is read in every sample, whatever it takes),
 *  "no_commands" (tables leave out command lines of jobs and messages that may name their files).
 *  For tfp_live_stacks: "seconds" (1) and "rate" (100, samples a second; 1 to 1000), and without a value "idle" (threads that wait
 *  count too), "once" (one reading of every thread) and "native" (frames of native code too: needs elfutils' libdw.so.1 and the right to
 *  sample with perf_event_open).
 *  For tfp_live_run_begin: "dir" (by date and time), "every" (N steps, or seconds as "Ns"), "at_step" ("10,200"), "steps" (1; how many
 *  at a time), "ms" (500; how long a window is), "on_signal" ("USR2").
 *  Errors: TFP_BADARG no such setting, user or column, or a number out of its limits. */
TFP_API tfp_status tfp_live_set(tfp_live *l, const char *name, const char *value, tfp_error *err);

/** Looks at all processes. Rates are between the last two samples. Errors: TFP_BADFILE no /proc, or a run folder ($TFPROF_RUN_DIR ...)
 *  that is not the user's own; TFP_NOMEM. */
TFP_API tfp_status tfp_live_sample(tfp_live *l, tfp_error *err);

/** The table `top` of the last sample: a row a job, those that use most CPU time first; the column `why` gives the reason for
 *  each empty cell. o: -order_by, -top, -format ...; NULL: all defaults. The report is independent of l.
 *  Errors: TFP_BADARG, TFP_NOMEM. */
TFP_API tfp_status tfp_live_top(const tfp_live *l, const tfp_options *o, tfp_report **out, tfp_error *err);

/** The Python stacks of a process, with "native" merged with the native ones: the table `stacks`, a row a function with its samples, or with "once" the table `threads`, a
 *  row a frame. Its memory is read; it is not stopped, and nothing runs in it. CPython 3.8 to 3.13 on x86-64.
 *  target  a process (a number), or the script or program of one (its whole file name)
 *  fn      asked after each look whether to go on; not 0: stop. NULL: no one is asked
 *  Forms of `stacks`, beside those of tables: "folded" and "pprof". The report is independent of l.
 *  Errors: TFP_BADFILE no such process, no permission, no CPython that is known; TFP_CANCELLED; TFP_BADARG; TFP_NOMEM. */
TFP_API tfp_status tfp_live_stacks(const tfp_live *l, const char *target, const tfp_options *o, tfp_progress_fn fn,
                                   void *ctx, tfp_report **out, tfp_error *err);

/** Prepares this process so that a command started from it has an agent in each of its Python processes: the folder of results and
 *  the hook's files are made, and PYTHONPATH, TFPROF_AGENT and TFPROF_RUN_DIR of the environment lead to them.
 *  Errors: TFP_BADOUTPUT the folder of results cannot be made or is not empty; TFP_BADFILE the run folder is not the user's own;
 *  TFP_NOMEM. */
TFP_API tfp_status tfp_live_run_begin(tfp_live *l, tfp_error *err);
TFP_API int tfp_live_signal(const tfp_live *l);      /**< the number of "on_signal"; 0: none */
TFP_API void tfp_live_run_record(const tfp_live *l); /**< each agent of the command records a window now */
/** After the command: writes the manifest of the results and removes the hook's files. *note, freed by the caller, is a sentence on
 *  what was recorded, or why nothing was. Errors: TFP_BADOUTPUT, TFP_NOMEM. */
TFP_API tfp_status tfp_live_run_end(tfp_live *l, char **note, tfp_error *err);

/** Told of each recording as it ends: as a line for people (text) and as a JSON object (json). Before the first, `columns` is the
 *  empty table and both are NULL; in between all three are, to ask whether to go on. Not 0: stop, what runs is cancelled. */
typedef int (*tfp_live_row_fn)(void *ctx, const tfp_report *columns, const char *text, const char *json);

/** Records many running jobs at once: of prepared processes by their agents, of servers by gRPC. Nothing is changed in others: they
 *  are refused, with a code. Files, and last the manifest, go into a folder.
 *  selectors    processes (numbers), scripts or programs (whole file names), HOST:PORT; with "all" of tfp_live_set none is needed
 *  exit_status  0 all recorded; 1 not all; 3 a file could not be written; 4 no descriptors; 5 --max-bytes ended one; 130 stopped
 *  out          the table `capture`, a row a process
 *  Settings: "dir", "ms" (500), "steps", "align", "all", "user", "parallel" (8), "wait" (10), "timeout" (30), "max_bytes" (512 MiB),
 *  "host_level" (2), "python_level" (0), "snapshot" (no value: what a server's recorder has so far), "recorder" ("start", "stop"), "via" ("kineto").
 *  Errors: TFP_BADARG nothing is selected; TFP_BADFILE the run folder is not the user's own; TFP_BADOUTPUT; TFP_NOMEM. */
TFP_API tfp_status tfp_live_capture(tfp_live *l, const char *const *selectors, size_t count, const tfp_options *o,
                                    tfp_live_row_fn fn, void *ctx, int *exit_status, tfp_report **out, tfp_error *err);
TFP_API const char *tfp_live_results(const tfp_live *l); /**< the folder of the last run or capture; "" without */

/** Puts a report where the options that it was made with say, as tfp_show does. */
TFP_API tfp_status tfp_report_put(const tfp_report *r, tfp_write_fn fn, void *ctx, tfp_error *err);

/** Removes the parts of files that are being written, so that a handler of a signal that ends the process leaves none.
 *  Async-signal-safe. The writes that they belong to fail afterwards.
 *  Threads: any, at any time. */
TFP_API void tfp_remove_parts(void);

#ifdef __cplusplus
}
#endif
#endif
