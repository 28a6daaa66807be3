// SPDX-License-Identifier: Apache-2.0
/* native.h: what the files of the extension tfprof._native share. It sees tfprof.h only and holds no logic of its own:
 * it turns Python's objects into arguments, statuses into exceptions, and lets go of the interpreter while C works.
 *
 * Locks: a profile has one lock, taken for writing while something is added and for reading by everything that looks
 * at it or at one of its reports. The interpreter's lock (GIL) is never held while waiting for it. Where lists are made
 * under it, the garbage collector stands still: it might run a finalizer that looks at the same profile. */
#ifndef TFPROF_NATIVE_H
#define TFPROF_NATIVE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x03090000 /* one build for Python 3.9 and all that follow */
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdbool.h>
#include <tfprof/tfprof.h>

/* A load is cancelled by an exception, which is then the one that is seen. */
enum { MISSING_FILE = TFP_CANCELLED, ERROR_KINDS };

typedef struct module_state {
    PyObject *errors[ERROR_KINDS]; /* by status; [TFP_OK] is the base class, [MISSING_FILE] of inputs */
    PyObject *profile_type, *options_type, *report_type;
} module_state;

module_state *state_of_module(PyObject *module);
module_state *state_of(PyObject *object); /* of an instance of one of the types below */

/* ---- errors.c ---- */
int add_errors(PyObject *module, module_state *state); /* -1 with an exception set */
/* The exception for a status, with the message of `err`. Always NULL. */
PyObject *raise_status(module_state *state, tfp_status status, const tfp_error *err);
/* The same about a file, which is what the exception's `filename` is. */
PyObject *raise_about(module_state *state, tfp_status status, const tfp_error *err, const char *path);
PyObject *raise_usage(module_state *state, const char *message); /* TFP_BADARG */

/* ---- options.c ---- */
/* A converter (O&): new bytes of a str (what is not UTF-8 in it as os.fsdecode has it) or of bytes. */
int text_bytes(PyObject *given, void *out);
typedef struct options_object {
    PyObject_HEAD tfp_options *options;
} options_object;
extern PyType_Spec options_spec;

/* ---- profile.c ---- */
typedef struct profile_object {
    PyObject_HEAD tfp_profile *profile;
    PyObject *progress; /* called with bytes read and bytes in all, or NULL */
    pthread_rwlock_t lock;
    bool has_lock;
    unsigned generation; /* grows with each addition, which ends the life of the reports before */
    size_t reports;      /* so many hold on to `profile` */
    bool closed;
} profile_object;
extern PyType_Spec profile_spec;

/* The profile may be read until unlock_profile; false with an exception set. */
bool lock_for_reading(profile_object *p);
bool lock_for_writing(profile_object *p); /* the same, and nobody else looks */
bool make_lock(profile_object *p);
void unlock_profile(profile_object *p);
void let_go_of(profile_object *p); /* when it is closed and no report is left; with the interpreter's lock */
/* Several at a time: the list is put in the order of their addresses, each once, so that two who lock several never wait
 * for each other, nor one for itself. False with an exception set, and none locked. */
bool lock_all_for_reading(profile_object **list, size_t *count);
void unlock_all(profile_object **list, size_t count);

/* What the library calls now and then without the interpreter's lock (a tfp_progress_fn): every 50 ms a pending signal or
 * an exception of the callback stops it; the exception stays set in this thread and is what the caller sees. */
typedef struct watch {
    PyObject *callback; /* may be NULL: then only Ctrl-C is looked for */
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

/* ---- report.c ---- */
typedef struct report_object {
    PyObject_HEAD tfp_report *report;
    profile_object *profile;
    unsigned generation;
} report_object;
extern PyType_Spec report_spec;

/* Takes the report. The generation is the profile's when the report was made, copied while the lock was held: whatever runs
 * once it is given back may add to the profile. */
PyObject *wrap_report(module_state *state, profile_object *profile, unsigned generation, tfp_report *report);

/* ---- diff.c ---- */
PyObject *native_diff(PyObject *module, PyObject *args);
PyObject *native_is_scope_text(PyObject *module, PyObject *args);

/* Bytes that the library writes, collected without the interpreter. */
typedef struct collected {
    char *data;
    size_t size, room;
} collected;
int collect(void *ctx, const void *data, size_t size); /* a tfp_write_fn */
PyObject *bytes_of(collected *c);                      /* frees it */

#endif
