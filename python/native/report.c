// SPDX-License-Identifier: Apache-2.0
/* report.c: the type Report: rows with values, and all outputs. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* ---- collecting bytes ---- */

int collect(void *ctx, const void *data, size_t size)
{
    collected *c = ctx;
    if (size > c->room - c->size) {
        size_t room = c->room ? c->room : 1 << 16;
        while (room - c->size < size) {
            if (room > SIZE_MAX / 2) return 1;
            room *= 2;
        }
        char *bigger = realloc(c->data, room);
        if (!bigger) return 1;
        c->data = bigger;
        c->room = room;
    }
    if (size) memcpy(c->data + c->size, data, size);
    c->size += size;
    return 0;
}

PyObject *bytes_of(collected *c)
{
    PyObject *bytes = PyBytes_FromStringAndSize(c->data, (Py_ssize_t)c->size);
    free(c->data);
    *c = (collected){ 0 };
    return bytes;
}

/* ---- life ---- */

PyObject *wrap_report(module_state *state, profile_object *profile, unsigned generation, tfp_report *made)
{
    PyTypeObject *type = (PyTypeObject *)state->report_type;
    profile->reports++; /* incremented first, because the next calls may run a finalizer that closes the profile */
    report_object *self = (report_object *)PyType_GenericAlloc(type, 0);
    if (!self) {
        tfp_report_free(made);
        profile->reports--;
        let_go_of(profile);
        return NULL;
    }
    Py_INCREF(profile);
    self->report = made;
    self->profile = profile;
    self->generation = generation;
    return (PyObject *)self;
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT((PyObject *)((report_object *)object)->profile);
    return 0;
}

/* There is no tp_clear: a report needs its profile, and the profile breaks its reference cycles. */
static void free_report(PyObject *object)
{
    report_object *self = (report_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    tfp_report_free(self->report);
    if (self->profile) {
        self->profile->reports--;
        let_go_of(self->profile);
        Py_DECREF((PyObject *)self->profile);
    }
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

/* Locks the report for reading until close_report; NULL with an exception set if inputs were added to its profile
 * since. */
static const tfp_report *open_report(PyObject *object)
{
    report_object *self = (report_object *)object;
    if (!lock_for_reading(self->profile)) return NULL;
    if (self->generation == self->profile->generation) return self->report;
    unlock_profile(self->profile);
    raise_usage(state_of(object), "the profile has grown since this report was made: make a new one");
    return NULL;
}

static void close_report(PyObject *object) { unlock_profile(((report_object *)object)->profile); }

/* ---- cells ---- */

static PyObject *string_at(const tfp_report *r, size_t row, const char *column)
{
    char few[256], *many = NULL;
    size_t size = tfp_report_string(r, row, column, few, sizeof few);
    if (size == SIZE_MAX) return PyErr_NoMemory();
    if (size >= sizeof few) {
        many = malloc(size + 1);
        if (!many || tfp_report_string(r, row, column, many, size + 1) != size) {
            free(many);
            return PyErr_NoMemory();
        }
    }
    PyObject *text = PyUnicode_DecodeUTF8(many ? many : few, (Py_ssize_t)size, "backslashreplace");
    free(many);
    return text;
}

static PyObject *cell(const tfp_report *r, size_t row, const char *column, char type)
{
    int64_t value = 0;
    double real = 0;
    if (type == 's') {
        if (tfp_report_absent(r, row, column)) Py_RETURN_NONE;
        return string_at(r, row, column);
    }
    if (type == 'r') {
        if (!tfp_report_real(r, row, column, &real)) Py_RETURN_NONE;
        return PyFloat_FromDouble(real);
    }
    if (!tfp_report_int(r, row, column, &value)) Py_RETURN_NONE;
    return type == 'b' ? PyBool_FromLong(value != 0) : PyLong_FromLongLong(value);
}

static PyObject *no_column(const char *name) { return PyErr_Format(PyExc_KeyError, "no column %s", name); }

static PyObject *get(PyObject *self, PyObject *args)
{
    Py_ssize_t row;
    const char *column;
    if (!PyArg_ParseTuple(args, "ns:get", &row, &column)) return NULL;
    const tfp_report *r = open_report(self);
    if (!r) return NULL;
    char type = tfp_report_column_type(r, column);
    PyObject *value = NULL;
    if (row < 0 || (size_t)row >= tfp_report_table_rows(r))
        PyErr_SetString(PyExc_IndexError, "no such row");
    else
        value = type ? cell(r, (size_t)row, column, type) : no_column(column);
    close_report(self);
    return value;
}

static PyObject *column(PyObject *self, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s:column", &name)) return NULL;
    const tfp_report *r = open_report(self);
    if (!r) return NULL;
    int collecting = PyGC_Disable();
    char type = tfp_report_column_type(r, name);
    size_t count = tfp_report_table_rows(r);
    PyObject *list = type ? PyList_New((Py_ssize_t)count) : no_column(name);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *value = cell(r, i, name, type);
        if (!value || PyList_SetItem(list, (Py_ssize_t)i, value)) Py_CLEAR(list);
    }
    close_report(self);
    if (collecting) PyGC_Enable();
    return list;
}

static PyObject *columns(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const tfp_report *r = open_report(self);
    if (!r) return NULL;
    int collecting = PyGC_Disable();
    PyObject *list = PyList_New(0);
    const char *name;
    for (size_t i = 0; list && (name = tfp_report_column(r, i)); i++) {
        char type[2] = { tfp_report_column_type(r, name), 0 };
        PyObject *pair = Py_BuildValue("(ss)", name, type);
        if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    close_report(self);
    if (collecting) PyGC_Enable();
    return list;
}

static Py_ssize_t length(PyObject *self) { return (Py_ssize_t)tfp_report_table_rows(((report_object *)self)->report); }

/* A list of the results of `line`, up to the first NULL. */
static PyObject *lines_of(PyObject *self, const char *(*line)(const tfp_report *r, size_t i))
{
    const tfp_report *r = open_report(self);
    if (!r) return NULL;
    int collecting = PyGC_Disable();
    PyObject *list = PyList_New(0);
    const char *one;
    for (size_t i = 0; list && (one = line(r, i)); i++) {
        PyObject *text = PyUnicode_DecodeUTF8(one, (Py_ssize_t)strlen(one), "backslashreplace");
        if (!text || PyList_Append(list, text)) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    close_report(self);
    if (collecting) PyGC_Enable();
    return list;
}

static PyObject *notes(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return lines_of(self, tfp_report_note);
}

static PyObject *note_codes(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return lines_of(self, tfp_report_note_code);
}

static PyObject *over(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return lines_of(self, tfp_report_over);
}

/* ---- outputs ---- */

static PyObject *write_report(PyObject *self, PyObject *args)
{
    const char *output;
    PyObject *path = NULL;
    if (!PyArg_ParseTuple(args, "s|O&:write", &output, PyUnicode_FSConverter, &path)) return NULL;
    const char *name = path ? PyBytes_AsString(path) : NULL;
    const tfp_report *r = open_report(self);
    if (!r) {
        Py_XDECREF(path);
        return NULL;
    }
    collected c = { 0 };
    tfp_error *err = tfp_error_new();
    tfp_status s;
    Py_BEGIN_ALLOW_THREADS
    s = name ? tfp_report_write_file(r, output, name, err) : tfp_report_write(r, output, collect, &c, err);
    Py_END_ALLOW_THREADS
    close_report(self);
    if (s) raise_about(state_of(self), s, err, name);
    Py_XDECREF(path);
    tfp_error_free(err);
    PyObject *bytes = s ? NULL : bytes_of(&c);
    free(c.data);
    if (s || !name) return bytes;
    Py_XDECREF(bytes);
    Py_RETURN_NONE;
}

static const char stream_name[] = "arrow_array_stream"; /* fixed by the PyCapsule interface */

static void free_stream(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, stream_name);
    tfp_arrow_release(stream);
    free(stream);
}

PyObject *wrap_stream(struct ArrowArrayStream *stream)
{
    PyObject *capsule = PyCapsule_New(stream, stream_name, free_stream);
    if (capsule) return capsule;
    tfp_arrow_release(stream);
    free(stream);
    return NULL;
}

static PyObject *arrow_stream(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const tfp_report *r = open_report(self);
    if (!r) return NULL;
    struct ArrowArrayStream *stream = calloc(1, TFP_ARROW_STREAM_SIZE);
    tfp_error *err = tfp_error_new();
    tfp_status s = TFP_NOMEM;
    if (stream) {
        Py_BEGIN_ALLOW_THREADS
        s = tfp_report_arrow(r, stream, err);
        Py_END_ALLOW_THREADS
    }
    close_report(self);
    PyObject *capsule = s ? raise_status(state_of(self), s, err) : wrap_stream(stream);
    tfp_error_free(err);
    if (s) free(stream);
    return capsule;
}

static PyObject *is_table(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return PyBool_FromLong(tfp_report_is_table(((report_object *)self)->report));
}

/* Collects the output to stdout. */
static PyObject *put_report(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const tfp_report *r = open_report(self);
    if (!r) return NULL;
    collected c = { 0 };
    tfp_error *err = tfp_error_new();
    tfp_status s;
    Py_BEGIN_ALLOW_THREADS
    s = tfp_report_put(r, collect, &c, err);
    Py_END_ALLOW_THREADS
    close_report(self);
    if (s) raise_status(state_of(self), s, err);
    tfp_error_free(err);
    if (!s) return bytes_of(&c);
    free(c.data);
    return NULL;
}

static PyObject *column_type(PyObject *self, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s:column_type", &name)) return NULL;
    const tfp_report *r = open_report(self);
    if (!r) return NULL;
    char type[2] = { tfp_report_column_type(r, name), 0 };
    close_report(self);
    return PyUnicode_FromString(type);
}

static PyMethodDef methods[] = {
    { "get", get, METH_VARARGS, "get(row, column): one cell: an int, bool, float or str; None where there is none." },
    { "column", column, METH_VARARGS, "column(name): the cells of one column, a list." },
    { "columns", columns, METH_NOARGS, "columns(): (name, type) of the columns that were selected; i, b, r or s." },
    { "column_type", column_type, METH_VARARGS,
      "column_type(name): i, b, r or s of any column; '' where there is none." },
    { "over", over, METH_NOARGS, "over(): what grew over the limit of fail_over in a comparison, a line each." },
    { "notes", notes, METH_NOARGS, "notes(): data that the report could not take into account, one line each." },
    { "note_codes", note_codes, METH_NOARGS, "note_codes(): the code of each note, such as 'steps_guessed'." },
    { "write", write_report, METH_VARARGS, "write(output, [path]): one form of the report, into a file or as bytes." },
    { "is_table", is_table, METH_NOARGS,
      "is_table(): whether its columns are its own, and its rows no rows of a view." },
    { "put", put_report, METH_NOARGS,
      "put(): writes it where its options say; returns the output to stdout as bytes." },
    { "arrow_stream", arrow_stream, METH_NOARGS, "arrow_stream(): a capsule with an Arrow C stream of the columns." },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "One view of a profile: rows with values." },
    { Py_tp_dealloc, free_report },
    { Py_tp_traverse, traverse },
    { Py_sq_length, length },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec report_spec = { "tfprof._native.Report", sizeof(report_object), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };
