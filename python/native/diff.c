// SPDX-License-Identifier: Apache-2.0
/* diff.c: tfprof._native.diff: makes a report from a list of sides. The report copies everything that it shows, so it depends
 * on none of the profiles; `owner`, perhaps an empty profile, provides its lock. */
#include "native.h"

#include <stdlib.h>

/* One side, from its tuple: (name, label, Profile, step) or (name, label, bytes or None); with None the label is the
 * path of a text. */
typedef struct side {
    PyObject *kept[2]; /* bytes objects that own the two names; NULL: none */
    const char *name, *label;
    profile_object *profile;
    long long step;
    const char *data;
    Py_ssize_t size;
} side;

static bool read_side(module_state *state, PyObject *tuple, side *x)
{
    PyObject *what = NULL, *names[2];
    x->step = -1;
    if (!PyArg_ParseTuple(tuple, "OOO|L:side", &names[0], &names[1], &what, &x->step)) return false;
    for (int i = 0; i < 2; i++)
        if (names[i] != Py_None && !text_bytes(names[i], &x->kept[i])) return false;
    x->name = x->kept[0] ? PyBytes_AsString(x->kept[0]) : NULL;
    x->label = x->kept[1] ? PyBytes_AsString(x->kept[1]) : NULL;
    if ((PyObject *)Py_TYPE(what) == state->profile_type) {
        x->profile = (profile_object *)what;
        return true;
    }
    if (what == Py_None) return true;
    char *data;
    if (PyBytes_AsStringAndSize(what, &data, &x->size)) return false;
    x->data = data;
    return true;
}

static tfp_status add_side(tfp_sides *sides, const side *x, tfp_error *err)
{
    if (x->profile) return tfp_sides_add(sides, x->name, x->label, x->profile->profile, x->step, err);
    if (x->data) return tfp_sides_add_text_bytes(sides, x->name, x->label, x->data, (size_t)x->size, err);
    return tfp_sides_add_text(sides, x->name, x->label, err);
}

/* On failure `*about` is the path or label of the text that caused it, if one did. */
static tfp_status compare(const side *x, size_t count, const char *view, const tfp_options *o, tfp_report **out,
                          const char **about, tfp_error *err)
{
    tfp_sides *sides = tfp_sides_new();
    tfp_status s = sides ? TFP_OK : TFP_NOMEM;
    for (size_t i = 0; i < count && !s; i++) {
        s = add_side(sides, &x[i], err);
        *about = s && !x[i].profile && !x[i].data ? x[i].label : NULL;
    }
    if (!s) s = tfp_diff(sides, view, o, out, err);
    tfp_sides_free(sides);
    return s;
}

static PyObject *locked(module_state *state, profile_object *owner, const side *x, size_t count, profile_object **list,
                        const char *view, const tfp_options *o)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (x[i].profile) list[n++] = x[i].profile;
    if (!lock_all_for_reading(list, &n)) return NULL;
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    tfp_status s;
    unsigned generation = owner->generation;
    const char *about = NULL;
    Py_BEGIN_ALLOW_THREADS
    s = compare(x, count, view, o, &r, &about, err);
    Py_END_ALLOW_THREADS
    unlock_all(list, n);
    PyObject *report = s ? raise_about(state, s, err, about) : wrap_report(state, owner, generation, r);
    tfp_error_free(err);
    return report;
}

PyObject *native_diff(PyObject *module, PyObject *args)
{
    module_state *state = state_of_module(module);
    PyObject *owner, *list, *given;
    const char *view;
    if (!PyArg_ParseTuple(args, "OO!zO:diff", &owner, &PyTuple_Type, &list, &view, &given)) return NULL;
    if ((PyObject *)Py_TYPE(owner) != state->profile_type || (PyObject *)Py_TYPE(given) != state->options_type) {
        PyErr_SetString(PyExc_TypeError, "diff(Profile, sides, view, Options)");
        return NULL;
    }
    size_t count = (size_t)PyTuple_Size(list);
    side *x = calloc(count + 1, sizeof *x);
    profile_object **profiles = calloc(count + 1, sizeof *profiles);
    tfp_options *o = tfp_options_copy(((options_object *)given)->options);
    PyObject *report = NULL;
    bool ok = x && profiles && o;
    if (!ok) PyErr_NoMemory();
    for (size_t i = 0; i < count && ok; i++) {
        PyObject *tuple = PyTuple_GetItem(list, (Py_ssize_t)i);
        ok = PyTuple_Check(tuple) && read_side(state, tuple, &x[i]);
        if (!ok && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a side must be a tuple");
    }
    if (ok) report = locked(state, (profile_object *)owner, x, count, profiles, view, o);
    for (size_t i = 0; x && i < count; i++) {
        Py_XDECREF(x[i].kept[0]);
        Py_XDECREF(x[i].kept[1]);
    }
    tfp_options_free(o);
    free(profiles);
    free(x);
    return report;
}

PyObject *native_is_scope_text(PyObject *module, PyObject *args)
{
    (void)module;
    const char *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#:is_scope_text", &data, &size)) return NULL;
    return PyBool_FromLong(tfp_is_scope_text(data, (size_t)size));
}
