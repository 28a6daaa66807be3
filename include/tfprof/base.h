// SPDX-License-Identifier: Apache-2.0
/* tfprof/base.h: version, statuses, errors, callbacks, the tables of what the library can do, and files that are
 * written completely or not at all.
 * Threads: any number may call any function here at a time; one tfp_error belongs to one thread at a time. */
#ifndef TFPROF_BASE_H
#define TFPROF_BASE_H

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
/** Marks a function that stays for existing programs; `instead` names what new programs call. */
#if defined(__GNUC__)
#define TFP_DEPRECATED(instead) __attribute__((deprecated(instead)))
#else
#define TFP_DEPRECATED(instead)
#endif

/** The version of these headers. TFP_VERSION_NUMBER is MAJOR * 1,000,000 + MINOR * 1,000 + PATCH, so that versions
 *  compare as numbers. */
#define TFP_VERSION_MAJOR 0
#define TFP_VERSION_MINOR 1
#define TFP_VERSION_PATCH 0
#define TFP_VERSION_NUMBER (TFP_VERSION_MAJOR * 1000000 + TFP_VERSION_MINOR * 1000 + TFP_VERSION_PATCH)

/** The kinds of failure, for programs to act on. The tfp_error has the message. */
typedef enum tfp_status {
    TFP_OK = 0,
    TFP_BADFILE,   /**< an input is missing, unreadable, damaged or not of the given format */
    TFP_BADARG,    /**< a wrong call: unknown option or value, invalid regex, NULL where an object is needed */
    TFP_NOTFOUND,  /**< the profile lacks a step, code traces ... or the library has no such view */
    TFP_BADOUTPUT, /**< the report could not be written */
    TFP_NOMEM,     /**< out of memory */
    TFP_LIMIT,     /**< an input exceeds a size or nesting limit */
    TFP_CANCELLED  /**< the progress callback asked to stop */
} tfp_status;

typedef struct tfp_error tfp_error;     /**< the message of the last error; reusable */
typedef struct tfp_profile tfp_profile; /**< one model's profile, from any number of files */
typedef struct tfp_options tfp_options; /**< what a report shows */
typedef struct tfp_report tfp_report;   /**< one view of a profile: rows with values */

/** The library's version, such as "0.1.0". Never NULL. */
TFP_API const char *tfp_version(void);
/** The same as TFP_VERSION_NUMBER of the library that runs, which may be newer than the headers that a program was
 *  built with. */
TFP_API int tfp_version_number(void);

/** Deprecated: a program chooses its exit status itself; this stays for those built with version 0.1. 0 TFP_OK, 1 TFP_BADFILE,
 *  2 TFP_BADARG and TFP_NOTFOUND, 3 TFP_BADOUTPUT, 4 TFP_NOMEM and TFP_LIMIT, 130 TFP_CANCELLED. */
TFP_API int tfp_exit_status(tfp_status status);

/** Called regularly while a file is read: `done` bytes of `total` (0 when unknown). A nonzero result stops
 *  the load with TFP_CANCELLED. */
typedef int (*tfp_progress_fn)(void *ctx, uint64_t done, uint64_t total);

/** Consumes `size` bytes. Returns 0; anything else ends the write with TFP_BADOUTPUT. */
typedef int (*tfp_write_fn)(void *ctx, const void *data, size_t size);

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/** A new, empty error, or NULL when memory runs out (every function accepts NULL as "no message wanted"). */
TFP_API tfp_error *tfp_error_new(void);
TFP_API void tfp_error_free(tfp_error *err);

/** One line without a newline, at most 4,000 bytes, control characters escaped, such as
 *  "run_meta_3.pb: step stats: device 1: varint longer than 10 bytes at byte 1187"; "" after success or for NULL. */
TFP_API const char *tfp_error_message(const tfp_error *err);

/** The errno of a failed file operation, such as ENOENT; 0 when no system call failed. */
TFP_API int tfp_error_errno(const tfp_error *err);

/** Escapes text as in every message and report of this library: control characters and bytes that are not UTF-8 as
 *  \xNN, C1 and bidirectional controls as \u{NNNN}, all else unchanged (a backslash too, so escaping twice changes
 *  nothing).
 *  out   gets the result, cut at a whole character to at most room - 1 bytes and ended by NUL; NULL when room is 0
 *  Result: the size of the whole escaped text, without the NUL; SIZE_MAX when memory runs out (out is then empty). */
TFP_API size_t tfp_text_escape(const char *text, size_t size, char *out, size_t room);

/* ---- the tables of what the library can do --------------------------------------------------------------------- */

/** The tables that tfp_list reads. */
typedef enum tfp_table {
    TFP_VIEWS,           /**< views and tables: scope, graph, op, code, advise, flops, steps ... */
    TFP_COLUMNS,         /**< the columns of -select */
    TFP_OPTIONS,         /**< the options of the views, in TensorFlow's order, then the additional ones */
    TFP_OUTPUTS,         /**< the forms of tfp_report_write: text, json, csv, md ... */
    TFP_FORMATS,         /**< the formats of tfp_profile_add_file: profile, graph, run_meta, xplane, kineto ... */
    TFP_CHECKERS,        /**< the checkers of advise */
    TFP_ORDERS,          /**< the values of -order_by */
    TFP_COMMAND_OPTIONS, /**< the options of single commands: diff, stats, flops ... */
    TFP_OPS,             /**< operations with a rule for float operations; the help is the formula */
    TFP_OP_SOURCES,      /**< the same; the help is the origin of the formula */
    TFP_TRACE_COLUMNS,   /**< the columns of -select; the help is their meaning in a trace of events */
    TFP_NOTES            /**< the codes of notes: tfp_report_note_code */
} tfp_table;

/** The name of row `i` of a table, or NULL past the end and for no such table. */
TFP_API const char *tfp_list(tfp_table table, size_t i);

/** A description of the row with that name, in one or a few sentences, or NULL when there is none.
 *  For columns: the meaning of the number and its origin. */
TFP_API const char *tfp_help(tfp_table table, const char *name);

/** By how many letters two names differ: letters to insert, delete, replace or swap with the next one; '-' and '_' are the same letter.
 *  SIZE_MAX when a name is NULL or longer than 63 bytes. */
TFP_API size_t tfp_name_distance(const char *a, const char *b);

/* ---- files ---- */

/** Writes bytes to a temporary file beside `path` and renames it, so that a failure leaves an old file as it was.
 *  Errors: TFP_BADARG no path; TFP_BADOUTPUT; TFP_NOMEM. */
TFP_API tfp_status tfp_write_file(const char *path, const void *data, size_t size, tfp_error *err);

/** Makes the folders above a file, with mode 0700. As in every function that makes files, a link of another user is not
 *  followed in a folder that others may write to. Errors: TFP_BADARG no path; TFP_BADOUTPUT; TFP_NOMEM. */
TFP_API tfp_status tfp_make_folders(const char *path, tfp_error *err);

/** Removes the temporary files of unfinished writes, for a signal handler that ends the process.
 *  Async-signal-safe. Those writes fail afterwards.
 *  Threads: any, at any time. */
TFP_API void tfp_remove_parts(void);

#ifdef __cplusplus
}
#endif
#endif
