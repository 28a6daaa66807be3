// SPDX-License-Identifier: Apache-2.0
/* tfprof/report.h: reports: a view, query or table of a profile as rows with values, and its outputs.
 * Threads: any number may build reports of one finished profile, and read or write one report, at a time. Only
 * tfp_report_free needs the report for itself. */
#ifndef TFPROF_REPORT_H
#define TFPROF_REPORT_H

#include "tfprof/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Build one view of a profile.
 *  view    a name from tfp_list(TFP_VIEWS, i), such as "scope"
 *  o       the options; NULL means every default
 *  out     on success a report, which the caller frees before the profile; on failure NULL
 *  Rows: parents before children, siblings in -order_by order. Values: microseconds, bytes or plain counts.
 *  Errors: TFP_NOTFOUND no such view, step or no code traces, no graph from which float operations could be inferred,
 *  no node whose shape is assumed; TFP_BADARG an unfinished profile, or one read without the program that is needed;
 *  TFP_NOMEM; TFP_BADFILE needed bytes of a checkpoint are damaged.
 *  Source: NodeExecStats summed over devices for the step asked for; step -1 is the mean of all steps.
 *  Threads: any number may build from one profile at a time; none may add to it meanwhile. */
TFP_API tfp_status tfp_report_build(const tfp_profile *p, const char *view, const tfp_options *o, tfp_report **out,
                                    tfp_error *err);
TFP_API void tfp_report_free(tfp_report *r);

/** Note `i`: data that the report could not take into account ("12 gradient nodes have no forward node"); NULL past the
 *  end. */
TFP_API const char *tfp_report_note(const tfp_report *r, size_t i);
/** The code of note `i`, such as "steps_guessed": a name of tfp_list(TFP_NOTES, k), which keeps its meaning while
 *  sentences change. NULL past the end. */
TFP_API const char *tfp_report_note_code(const tfp_report *r, size_t i);
/** 1 if note `i` is a remark, which says how much of the time the rows explain; 0 if it puts a number in doubt, and past the end. */
TFP_API int tfp_report_note_is_remark(const tfp_report *r, size_t i);

/** 1 for a table with columns of its own, such as tfp_stats and the view flops make, else 0. Its rows are not rows of a
 *  view, -select does not choose its columns, and it can be written as text, json, jsonl, csv, md, arrow and
 *  parquet. */
TFP_API int tfp_report_is_table(const tfp_report *r);

/** The number of rows, including the root (row 0 of every view). */
TFP_API size_t tfp_report_row_count(const tfp_report *r);

/** The name of a row; NULL past the end. */
TFP_API const char *tfp_report_row_name(const tfp_report *r, size_t row);

/** The parent of a row; the root is its own parent. Past the end 0, which is the root: compare `row` with the count. */
TFP_API size_t tfp_report_row_parent(const tfp_report *r, size_t row);

/** A row's value of a numeric column. `total` 0: its own; 1: including everything below it. 0 when absent, which cannot be told from
 *  a value of 0: new programs ask tfp_report_int for "micros" or "total_micros". */
TFP_DEPRECATED("use tfp_report_int or tfp_report_real")
TFP_API int64_t tfp_report_value(const tfp_report *r, size_t row, const char *column, int total);

/** The number of findings of a checker (a name of TFP_CHECKERS; NULL: of all); 0 for views other than advise. */
TFP_API size_t tfp_report_finding_count(const tfp_report *r, const char *checker);

/* A report is also a flat table: the columns of -format csv, which docs/json.md lists, and a row for each of the
 * report's. For advise the columns are checker, report, seconds, gain_seconds, file, span and command, and the rows are
 * the findings of all checkers. Cells can be asked for by name, selected or not: name, row, parent, depth, accounted; X
 * and total_X for each numeric column X (occurrence: runs, total_runs, total_definitions); device, op_types,
 * input_shapes, shape (the variable's own, "3x3x16"; "" when unknown), num_hidden_ops; tensor_dtype, tensor_shape,
 * tensor_value, which are "" unless tensor_value was selected. */

/** The name of selected column `i` of the flat table, in the order of CSV; NULL past the end. */
TFP_API const char *tfp_report_column(const tfp_report *r, size_t i);

/** The number of rows of the flat table: of a view's rows, or for advise of its findings. */
TFP_API size_t tfp_report_table_rows(const tfp_report *r);

/** 'i' for a 64-bit number (times in microseconds, sizes in bytes, else a count), 'b' for a boolean, 'r' for a real
 *  number, 's' for text, 0 for no such column. Times are 'i', and whole microseconds, in profiles of TensorFlow's
 *  files; in traces with finer times they are 'r', microseconds with up to three decimals. */
TFP_API char tfp_report_column_type(const tfp_report *r, const char *column);

/** The meaning of a table's column; NULL when there is no such column or no description. */
TFP_API const char *tfp_report_column_help(const tfp_report *r, const char *column);

/** A number, or a boolean as 0 or 1. Result: 1, or 0 when absent: the root's parent, a column that the report was
 *  built without, a text, no such column or row. `out` is then unchanged. */
TFP_API int tfp_report_int(const tfp_report *r, size_t row, const char *column, int64_t *out);

/** A number of any numeric column as a real. Result: 1, or 0 when absent. */
TFP_API int tfp_report_real(const tfp_report *r, size_t row, const char *column, double *out);

/** Result: 1 when the cell is absent, or when there is no such column or row; otherwise 0. tfp_report_string does not
 *  tell an absent text from an empty one: both are "". */
TFP_API int tfp_report_absent(const tfp_report *r, size_t row, const char *column);

/** A text, escaped as everything in reports; lists are joined by "|", the values of a tensor are row-major and
 *  separated by blanks, findings may have several lines.
 *  out   gets the result, cut at a whole character to at most room - 1 bytes and ended by NUL; NULL when room is 0
 *  Result: the size of the whole text, without the NUL: 0 for a number, or no such column or row; SIZE_MAX when
 *  memory runs out (out is then empty). */
TFP_API size_t tfp_report_string(const tfp_report *r, size_t row, const char *column, char *out, size_t room);

/** Finding `i` of advise, of all checkers in their order: its text, and the size of it, as tfp_report_string gives them.
 *  checker  gets the checker's name, which lives as long as the report, or NULL past the end; may be NULL */
TFP_API size_t tfp_report_finding(const tfp_report *r, size_t i, const char **checker, char *out, size_t room);

/** The structure of the Arrow C stream interface, https://arrow.apache.org/docs/format/CStreamInterface.html, defined
 *  by its consumers. */
struct ArrowArrayStream;
#define TFP_ARROW_STREAM_SIZE (5 * sizeof(void *)) /**< bytes of one, for a caller that only passes it on */

/** Exports the flat table as a stream of Arrow record batches of at most 65,536 rows: the selected columns, and after
 *  depth the column `accounted`. Types are int64, float64, bool and utf8; absent cells are null; the metadata
 *  "unit" of a numeric column of -select is "us", "bytes" or "count".
 *  out   a structure to fill; on success the caller owns and releases it, before or after report and profile
 *        (everything is copied); on failure it is a released one
 *  Errors: TFP_BADARG; TFP_NOMEM; TFP_LIMIT a text of more than 1 GiB.
 *  Threads: any number may export one report at a time. */
TFP_API tfp_status tfp_report_arrow(const tfp_report *r, struct ArrowArrayStream *out, tfp_error *err);

/** Releases a stream from any producer. A released stream or NULL is allowed. */
TFP_API void tfp_arrow_release(struct ArrowArrayStream *stream);

/** Writes a report in one format of tfp_list(TFP_OUTPUTS, i).
 *  Errors: TFP_NOTFOUND no such output; TFP_BADARG this view has no such output; TFP_BADOUTPUT; TFP_NOMEM.
 *  Threads: any number may write one report at a time. */
TFP_API tfp_status tfp_report_write(const tfp_report *r, const char *output, tfp_write_fn fn, void *ctx,
                                    tfp_error *err);

/** The same into a file: a temporary file beside it is written and renamed, so that a failure leaves an old file as it
 *  was. */
TFP_API tfp_status tfp_report_write_file(const tfp_report *r, const char *output, const char *path, tfp_error *err);

/** Builds a view and writes it where the options say, as one command line does.
 *  -output stdout goes to `fn`; file, timeline, pprof, folded, speedscope and perfetto write the named files (whole or
 *  not at all) and report their names through `fn`; none writes nothing. -format chooses the form of stdout and file;
 *  -proto_out also writes the serialized GraphNodeProto, MultiGraphNodeProto or AdviceProto.
 *  out     on success the report, to be freed by the caller; may be NULL. On failure NULL. */
TFP_API tfp_status tfp_show(const tfp_profile *p, const char *view, const tfp_options *o, tfp_write_fn fn, void *ctx,
                            tfp_report **out, tfp_error *err);

/** Writes a report where its options say, as tfp_show does. */
TFP_API tfp_status tfp_report_put(const tfp_report *r, tfp_write_fn fn, void *ctx, tfp_error *err);

/** Answers one SELECT over the tables of profiles: nodes, types, edges, outputs, steps, executions, spans, memory,
 *  buffers, allocations, traces, code, profiles, and columns, which lists them all (docs/query.md).
 *  p, names  `count` finished profiles, and their distinct names in the column `profile`; `names`, or one of
 *            them, may be NULL: the profile's first file
 *  sql       one statement: SELECT, WITH, VALUES or EXPLAIN. Nothing is ever written.
 *  o         -time_limit, tfp_options_on_query, tfp_options_bind_* (a value for each parameter), and the target of
 *            tfp_report_put; NULL means every default
 *  out       on success a report, which the caller frees before the profiles; on failure NULL
 *  Rows and columns: the query's. A column has integers, reals or texts, whichever can hold all of its cells; NULL is
 *  an absent cell; repeated column names get _2, _3 ... Times are microseconds, sizes bytes.
 *  Errors: TFP_BADARG with SQLite's words; TFP_LIMIT over -time_limit, 4 MiB for a text, 256 MiB of memory or 5,000,000
 *  cells; TFP_CANCELLED; TFP_NOTFOUND SQLite (libsqlite3.so.0) is not installed; TFP_NOMEM.
 *  Threads: any number may query a profile at a time; none may add to it meanwhile. */
TFP_API tfp_status tfp_query(const tfp_profile *const *p, const char *const *names, size_t count, const char *sql,
                             const tfp_options *o, tfp_report **out, tfp_error *err);

/** One table of recorded data (tfp_report_is_table), for programs that draw it.
 *  what  "steps": step, nodes, runs, start_us, end_us, run_us, accelerator_us, cpu_us, requested_bytes, peak_bytes,
 *        residual_bytes, output_bytes: a row for each step that can be asked for, with sums of its executions
 *        "spans": step, lane, kind, name, op, node, start_us, duration_us: each execution, by step, lane and start
 *        "memory": device, at_us, held_bytes, in_use_bytes, recorded: for one step, by device and time: the sum of the
 *        allocations so far, and the count of the device's allocator. If no allocations were recorded, a node counts
 *        with the bytes it kept, until the last node that reads it has ended; `recorded` is then no, and a note says so
 *        "peak": device, at_us, name, op, bytes, start_us: for each device the nodes that held memory when held_bytes
 *        was largest
 *        "tensors": name, dtype, shape, elements: the variables of the checkpoint
 *        "files": file, lines: the source files in code traces, with their numbers of lines
 *  step  a step; -1: all steps, for memory and peak the last one. Ignored for tensors and files.
 *  out   on success a report, which the caller frees before the profile; on failure NULL
 *  Errors: TFP_NOTFOUND no such table or step; TFP_BADARG a profile without TFP_KEEP_MEMORY (spans, memory, peak);
 *  TFP_NOMEM.
 *  Threads: any number may use one profile at a time. */
TFP_API tfp_status tfp_records(const tfp_profile *p, const char *what, int64_t step, tfp_report **out, tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
