// SPDX-License-Identifier: Apache-2.0
/* query.c: SQL over several profiles. */
#include "native.h"

#include <stdlib.h>

typedef struct question {
    const char *sql;
    profile_object **asked, **locked; /* borrowed from the arguments */
    const tfp_profile **profiles;
    const char **names;
    size_t count, locked_count;
    tfp_options *options;
} question;

/* Reads one pair of the list: a profile, and its name or None. */
static bool read_pair(module_state *state, PyObject *pair, question *q)
{
    PyObject *profile;
    const char *name = NULL;
    if (!PyTuple_Check(pair)) {
        PyErr_SetString(PyExc_TypeError, "profiles must be pairs of a Profile and a name");
        return false;
    }
    if (!PyArg_ParseTuple(pair, "Oz", &profile, &name)) return false;
    if ((PyObject *)Py_TYPE(profile) != state->profile_type) {
        PyErr_SetString(PyExc_TypeError, "profiles must be Profiles");
        return false;
    }
    q->asked[q->count] = (profile_object *)profile;
    q->names[q->count++] = name;
    return true;
}

static bool read_question(module_state *state, PyObject *args, question *q)
{
    PyObject *pairs, *options;
    if (!PyArg_ParseTuple(args, "sO!O:query", &q->sql, &PyTuple_Type, &pairs, &options)) return false;
    if ((PyObject *)Py_TYPE(options) != state->options_type) {
        PyErr_SetString(PyExc_TypeError, "options must be Options");
        return false;
    }
    Py_ssize_t n = PyTuple_Size(pairs);
    if (n < 1) {
        raise_usage(state, "no profile to query");
        return false;
    }
    q->asked = calloc((size_t)n, sizeof(profile_object *));
    q->locked = calloc((size_t)n, sizeof(profile_object *));
    q->profiles = calloc((size_t)n, sizeof(tfp_profile *));
    q->names = calloc((size_t)n, sizeof *q->names);
    q->options = tfp_options_copy(((options_object *)options)->options);
    if (!q->asked || !q->locked || !q->profiles || !q->names || !q->options) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!read_pair(state, PyTuple_GetItem(pairs, i), q)) return false;
    return true;
}

static bool lock_all(question *q)
{
    size_t count = q->count;
    memcpy(q->locked, q->asked, count * sizeof *q->locked);
    if (!lock_all_for_reading(q->locked, &count)) return false;
    q->locked_count = count;
    for (size_t i = 0; i < q->count; i++) q->profiles[i] = q->asked[i]->profile;
    return true;
}

static PyObject *answer(module_state *state, question *q)
{
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    tfp_status s;
    watch w = start_watch(NULL);
    tfp_options_on_query(q->options, look_around, &w);
    Py_BEGIN_ALLOW_THREADS
    s = tfp_query(q->profiles, q->names, q->count, q->sql, q->options, &r, err);
    Py_END_ALLOW_THREADS
    PyObject *report = s ? raise_status(state, s, err) : wrap_report(state, q->asked[0], q->asked[0]->generation, r);
    tfp_error_free(err);
    return report;
}

PyObject *native_query(PyObject *module, PyObject *args)
{
    module_state *state = state_of_module(module);
    question q = { 0 };
    PyObject *report = read_question(state, args, &q) && lock_all(&q) ? answer(state, &q) : NULL;
    unlock_all(q.locked, q.locked_count);
    tfp_options_free(q.options);
    free(q.asked);
    free(q.locked);
    free(q.profiles);
    free(q.names);
    return report;
}
