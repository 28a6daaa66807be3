// SPDX-License-Identifier: Apache-2.0
/* add.c: fills a Profile from a file, several files, or bytes. */
#include "native.h"

#include <stdlib.h>

typedef struct addition {
    size_t count;
    const char **formats, **names; /* one for each file */
    const int64_t *steps;          /* NULL: no steps were given */
    const char *data;              /* or the bytes of a single input in memory */
    size_t size;
} addition;

/* Releases the interpreter's lock while files are read. */
static tfp_status add(profile_object *self, const addition *a, tfp_error *err)
{
    if (!a->data) return tfp_profile_add_files(self->profile, a->count, a->formats, a->names, a->steps, err);
    tfp_status s = a->steps ? tfp_profile_next_step(self->profile, *a->steps) : TFP_OK;
    return s ? s : tfp_profile_add_bytes(self->profile, *a->formats, *a->names, a->data, a->size, err);
}

static PyObject *add_with_progress(profile_object *self, const addition *a)
{
    if (!lock_for_writing(self)) return NULL;
    watch w = start_watch(self->progress);
    Py_XINCREF(w.callback);
    tfp_error *err = tfp_error_new();
    tfp_status s;
    size_t at;
    self->generation++;
    Py_BEGIN_ALLOW_THREADS
    tfp_profile_on_progress(self->profile, look_around, &w);
    s = add(self, a, err);
    tfp_profile_on_progress(self->profile, NULL, NULL);
    at = tfp_profile_adding(self->profile);
    Py_END_ALLOW_THREADS
    unlock_profile(self);
    Py_XDECREF(w.callback);
    if (s) raise_about(state_of((PyObject *)self), s, err, a->data || at >= a->count ? NULL : a->names[at]);
    tfp_error_free(err);
    if (s || PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* False with an exception set. *has: a step was given. */
static bool read_step(PyObject *given, bool *has, int64_t *step)
{
    *has = given != Py_None;
    if (!*has) return true;
    *step = PyLong_AsLongLong(given);
    return !(*step == -1 && PyErr_Occurred());
}

PyObject *native_add_file(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "path", "format", "step", NULL };
    PyObject *path, *given = Py_None, *done = NULL;
    const char *format = NULL;
    int64_t step;
    bool has_step;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|zO:add_file", names, PyUnicode_FSConverter, &path, &format,
                                     &given))
        return NULL;
    const char *name = PyBytes_AsString(path);
    if (read_step(given, &has_step, &step))
        done = add_with_progress((profile_object *)object,
                                 &(addition){ 1, &format, &name, has_step ? &step : NULL, NULL, 0 });
    Py_DECREF(path);
    return done;
}

PyObject *native_add_bytes(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "data", "name", "format", "step", NULL };
    PyObject *data, *given = Py_None;
    const char *name, *format = NULL;
    int64_t step;
    bool has_step;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "Ss|zO:add_bytes", names, &data, &name, &format, &given))
        return NULL;
    if (!read_step(given, &has_step, &step)) return NULL;
    addition a = { 1, &format, &name, has_step ? &step : NULL, PyBytes_AsString(data), (size_t)PyBytes_Size(data) };
    Py_INCREF(data);
    PyObject *done = add_with_progress((profile_object *)object, &a);
    Py_DECREF(data);
    return done;
}

/* ---- several files ---- */

typedef struct several {
    size_t count, with_step;
    PyObject **paths; /* bytes objects; references are held */
    const char **formats, **names;
    int64_t *steps;
} several;

static void free_several(several *x)
{
    for (size_t i = 0; i < x->count; i++) Py_XDECREF(x->paths[i]);
    free(x->paths);
    free(x->formats);
    free(x->names);
    free(x->steps);
}

static bool read_one(several *x, PyObject *given)
{
    PyObject *step;
    bool has_step;
    size_t i = x->count;
    if (!PyTuple_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "a file is (path, format, step)");
        return false;
    }
    if (!PyArg_ParseTuple(given, "O&zO:add_files", PyUnicode_FSConverter, &x->paths[i], &x->formats[i], &step))
        return false;
    x->names[i] = PyBytes_AsString(x->paths[i]);
    x->count++;
    if (!read_step(step, &has_step, &x->steps[i])) return false;
    x->with_step += has_step;
    return true;
}

/* `list` is a tuple that owns the texts of the formats. */
static bool read_several(several *x, PyObject *list)
{
    size_t count = (size_t)PyTuple_Size(list);
    x->paths = calloc(count + 1, sizeof *x->paths);
    x->formats = calloc(count + 1, sizeof *x->formats);
    x->names = calloc(count + 1, sizeof *x->names);
    x->steps = calloc(count + 1, sizeof *x->steps);
    if (!x->paths || !x->formats || !x->names || !x->steps) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (!read_one(x, PyTuple_GetItem(list, (Py_ssize_t)i))) return false;
    if (x->with_step == 0 || x->with_step == count) return true;
    PyErr_SetString(PyExc_ValueError, "all files have a step, or none has");
    return false;
}

PyObject *native_add_files(PyObject *object, PyObject *files)
{
    several x = { 0 };
    PyObject *list = PySequence_Tuple(files), *done = NULL;
    if (!list) return NULL;
    if (read_several(&x, list))
        done = add_with_progress((profile_object *)object,
                                 &(addition){ x.count, x.formats, x.names, x.with_step ? x.steps : NULL, NULL, 0 });
    free_several(&x);
    Py_DECREF(list);
    return done;
}
