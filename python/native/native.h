// SPDX-License-Identifier: Apache-2.0
/* native.h: shared by the files of the extension tfprof._native. The extension sees tfprof.h only and holds no logic of its own:
 * it turns Python's objects into arguments, statuses into exceptions, and releases the interpreter's lock while C works.
 *
 * Locks: a profile has one lock, taken for writing while something is added and for reading by everything that reads
 * it or one of its reports. The interpreter's lock (GIL) is never held while waiting for it. While a list is made
 * under it the garbage collector is off: it might run a finalizer that uses the same profile. */
#ifndef TFPROF_NATIVE_H
#define TFPROF_NATIVE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000 /* one build for Python 3.9 and later */
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdbool.h>
#include <tfprof/tfprof.h>

/* An exception cancels a load, and is then the one that the caller sees. */
enum { MISSING_FILE = TFP_CANCELLED, ERROR_KINDS };

typedef struct module_state {
    PyObject *errors[ERROR_KINDS]; /* by status; [TFP_OK] is the base class, [MISSING_FILE] for missing inputs */
    PyObject *profile_type, *options_type, *report_type;
} module_state;

module_state *state_of_module(PyObject *module);
module_state *state_of(PyObject *object); /* of an instance of any type below */

/* ---- errors.c ---- */
int add_errors(PyObject *module, module_state *state); /* -1 with an exception set */
/* The exception for a status, with the message of `err`. Always NULL. */
PyObject *raise_status(module_state *state, tfp_status status, const tfp_error *err);
/* The same about a file, whose path becomes the exception's `filename`. */
PyObject *raise_about(module_state *state, tfp_status status, const tfp_error *err, const char *path);
PyObject *raise_usage(module_state *state, const char *message); /* TFP_BADARG */

/* ---- options.c ---- */
/* A converter (O&): new bytes from a str (encoded as os.fsencode does) or from bytes. */
int text_bytes(PyObject *given, void *out);
typedef struct options_object {
    PyObject_HEAD tfp_options *options;
} options_object;
extern PyType_Spec options_spec;

/* ---- profile.c ---- */
typedef struct profile_object {
    PyObject_HEAD tfp_profile *profile;
    PyObject *progress; /* called with bytes read and total bytes; may be NULL */
    pthread_rwlock_t lock;
    bool has_lock;
    unsigned generation; /* grows with each addition, which invalidates earlier reports */
    size_t reports;      /* number of reports that refer to `profile` */
    bool closed;
} profile_object;
extern PyType_Spec profile_spec;

/* The profile may be read until unlock_profile; false with an exception set. */
bool lock_for_reading(profile_object *p);
bool lock_for_writing(profile_object *p); /* the same, exclusively */
bool make_lock(profile_object *p);
void unlock_profile(profile_object *p);
void let_go_of(profile_object *p); /* frees it if it is closed and no report is left; needs the interpreter's lock */
/* Locks several profiles: sorts the list by address and removes duplicates, so that two threads that lock several never wait
 * for each other. On failure an exception is set and none is locked. */
bool lock_all_for_reading(profile_object **list, size_t *count);
void unlock_all(profile_object **list, size_t count);

/* The library's progress callback (a tfp_progress_fn), called without the interpreter's lock: every 50 ms it checks for a pending
 * signal or an exception of the Python callback, which stops the call; the exception stays set in this thread for the caller. */
typedef struct watch {
    PyObject *callback; /* may be NULL: then only Ctrl-C is checked */
    int64_t last_ms;
} watch;
watch start_watch(PyObject *callback); /* borrowed */
int look_around(void *ctx, uint64_t done, uint64_t total);

/* ---- add.c ---- */
PyObject *native_add_file(PyObject *profile, PyObject *args, PyObject *keywords);
PyObject *native_add_files(PyObject *profile, PyObject *files);
PyObject *native_add_bytes(PyObject *profile, PyObject *args, PyObject *keywords);

/* ---- query.c ---- */
PyObject *native_query(PyObject *module, PyObject *args); /* query(sql, ((profile, name or None), ...), options) */

/* ---- fleet.c ---- */
PyObject *native_fleet_stream(PyObject *module, PyObject *args);
PyObject *native_fleet_files(PyObject *module, PyObject *args);
PyObject *native_fleet_whose(PyObject *module, PyObject *args);
PyObject *native_fleet_columns(PyObject *module, PyObject *args);

/* ---- report.c ---- */
typedef struct report_object {
    PyObject_HEAD tfp_report *report;
    profile_object *profile;
    unsigned generation;
} report_object;
extern PyType_Spec report_spec;

/* Takes over the report. `generation` is that of the profile when the report was made, read while the lock was held,
 * because code that runs after its release may add to the profile. */
PyObject *wrap_report(module_state *state, profile_object *profile, unsigned generation, tfp_report *report);

/* ---- diff.c ---- */
PyObject *native_diff(PyObject *module, PyObject *args);
PyObject *native_is_scope_text(PyObject *module, PyObject *args);

/* Collects the library's output without the interpreter. */
typedef struct collected {
    char *data;
    size_t size, room;
} collected;
int collect(void *ctx, const void *data, size_t size); /* a tfp_write_fn */
PyObject *bytes_of(collected *c);                      /* frees it */
PyObject *
wrap_stream(struct ArrowArrayStream *stream); /* a capsule, which takes over the stream; NULL: an exception is set */

#endif
