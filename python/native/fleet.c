// SPDX-License-Identifier: Apache-2.0
/* fleet.c: many files as one table, which are read one by one while the Arrow stream is pulled; the files of folders; the facts
 * about a run in its path. */
#include "native.h"
#include "tfprof/fleet.h"

#include <stdlib.h>

/* ---- settings: a tuple of str, names and values in turn ---- */

/* A list ended by NULL, of texts that the tuple owns; NULL with an exception set. */
static const char **texts_of(PyObject *tuple)
{
    Py_ssize_t n = PyTuple_Size(tuple);
    const char **list = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *list);
    if (!list && n >= 0) PyErr_NoMemory();
    for (Py_ssize_t i = 0; list && i < n; i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        list[i] = PyBytes_Check(item) ? PyBytes_AsString(item) : PyUnicode_AsUTF8AndSize(item, NULL);
        if (list[i]) continue;
        free(list);
        return NULL;
    }
    return list;
}

/* ---- a stream of sources that an iterator gives ---- */

typedef struct listed {
    PyObject *iterator, *current, *failure; /* current: owns what the source points to */
} listed;

static const char *bytes_or_null(PyObject *tuple, Py_ssize_t i)
{
    PyObject *item = PyTuple_GetItem(tuple, i);
    return item && PyBytes_Check(item) ? PyBytes_AsString(item) : NULL;
}

static bool read_source(listed *l, tfp_fleet_source *source)
{
    if (!PyTuple_Check(l->current) || PyTuple_Size(l->current) != 5) {
        PyErr_SetString(PyExc_TypeError, "a source must be a tuple of five");
        return false;
    }
    PyObject *data = PyTuple_GetItem(l->current, 2);
    source->file = bytes_or_null(l->current, 0);
    source->path = bytes_or_null(l->current, 1);
    source->data = bytes_or_null(l->current, 2);
    if (source->data) source->size = (size_t)PyBytes_Size(data);
    source->code = bytes_or_null(l->current, 3);
    source->message = bytes_or_null(l->current, 4);
    return true;
}

/* The text of the exception that is set, which is cleared. */
static const char *failure_of(listed *l)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(l->failure);
    l->failure = value ? PyObject_Repr(value) : NULL;
    const char *text = l->failure ? PyUnicode_AsUTF8AndSize(l->failure, NULL) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyErr_Clear();
    return text;
}

static void let_go(listed *l)
{
    Py_XDECREF(l->iterator);
    Py_XDECREF(l->current);
    Py_XDECREF(l->failure);
    free(l);
}

/* Streams are pulled with and without the interpreter's lock, and by any thread. */
static int next_source(void *ctx, tfp_fleet_source *source)
{
    listed *l = ctx;
    int more = 0;
    if (!Py_IsInitialized()) return 0; /* a stream that outlived the interpreter */
    PyGILState_STATE held = PyGILState_Ensure();
    if (!source) {
        let_go(l);
    } else {
        Py_XDECREF(l->current);
        l->current = PyIter_Next(l->iterator);
        more = l->current && read_source(l, source);
        if (PyErr_Occurred()) {
            *source = (tfp_fleet_source){ .message = failure_of(l) };
            more = -1;
        }
    }
    PyGILState_Release(held);
    return more;
}

PyObject *native_fleet_stream(PyObject *module, PyObject *args)
{
    const char *table, **settings;
    PyObject *given, *iterator;
    if (!PyArg_ParseTuple(args, "sO!O:fleet_stream", &table, &PyTuple_Type, &given, &iterator)) return NULL;
    if (!(settings = texts_of(given))) return NULL;
    listed *l = calloc(1, sizeof *l);
    struct ArrowArrayStream *stream = calloc(1, TFP_ARROW_STREAM_SIZE);
    tfp_error *err = tfp_error_new();
    tfp_status s = l && stream ? TFP_OK : TFP_NOMEM;
    if (l) {
        Py_INCREF(iterator);
        l->iterator = iterator;
    }
    if (!s) s = tfp_fleet_arrow(table, settings, next_source, l, stream, err);
    PyObject *capsule = s ? raise_status(state_of_module(module), s, err) : wrap_stream(stream);
    if (s && l) let_go(l);
    if (s) free(stream);
    tfp_error_free(err);
    free(settings);
    return capsule;
}

/* ---- files ---- */

typedef struct found {
    PyObject *list;
    PyThreadState *thread; /* of the caller, whose lock is released between files */
    size_t count;
} found;

static int add_file(void *ctx, const char *file, const char *path, int64_t size, int64_t mtime_us)
{
    found *f = ctx;
    PyEval_RestoreThread(f->thread);
    bool exists = size != INT64_MIN;
    PyObject *one = exists ? Py_BuildValue("(yyLL)", file, path, (long long)size, (long long)mtime_us)
                           : Py_BuildValue("(yyOO)", file, path, Py_None, Py_None);
    int bad = one ? PyList_Append(f->list, one) : -1;
    Py_XDECREF(one);
    if (!bad && ++f->count % 1000 == 0) bad = PyErr_CheckSignals();
    f->thread = PyEval_SaveThread();
    return bad;
}

PyObject *native_fleet_files(PyObject *module, PyObject *args)
{
    PyObject *given;
    const char *names, *sidecar, **sources;
    if (!PyArg_ParseTuple(args, "O!zz:fleet_files", &PyTuple_Type, &given, &names, &sidecar)) return NULL;
    if (!(sources = texts_of(given))) return NULL;
    found f = { .list = PyList_New(0) };
    tfp_error *err = tfp_error_new();
    tfp_status s = TFP_NOMEM;
    if (f.list) {
        f.thread = PyEval_SaveThread();
        s = tfp_fleet_files(sources, (size_t)PyTuple_Size(given), names, sidecar, add_file, &f, err);
        PyEval_RestoreThread(f.thread);
    }
    if (s) {
        Py_CLEAR(f.list);
        raise_status(state_of_module(module), s, err);
    }
    tfp_error_free(err);
    free(sources);
    return f.list;
}

static void put_field(void *ctx, const char *name, const char *value)
{
    PyObject *text = PyUnicode_DecodeUTF8(value, (Py_ssize_t)strlen(value), "backslashreplace");
    if (text && PyDict_SetItemString(ctx, name, text)) PyErr_Clear();
    Py_XDECREF(text);
}

PyObject *native_fleet_whose(PyObject *module, PyObject *args)
{
    PyObject *given, *file = NULL, *path = NULL;
    const char **settings;
    if (!PyArg_ParseTuple(args, "O!O!O!:fleet_whose", &PyTuple_Type, &given, &PyBytes_Type, &file, &PyBytes_Type,
                          &path))
        return NULL;
    if (!(settings = texts_of(given))) return NULL;
    PyObject *fields = PyDict_New();
    tfp_error *err = tfp_error_new();
    const char *name = PyBytes_Size(file) ? PyBytes_AsString(file) : NULL;
    tfp_status s = fields ? tfp_fleet_whose(settings, name, PyBytes_AsString(path), put_field, fields, err) : TFP_NOMEM;
    if (s) {
        Py_CLEAR(fields);
        raise_status(state_of_module(module), s, err);
    }
    tfp_error_free(err);
    free(settings);
    return fields;
}

PyObject *native_fleet_columns(PyObject *module, PyObject *args)
{
    const char *table, *name;
    char type = 0;
    if (!PyArg_ParseTuple(args, "z:fleet_columns", &table)) return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && (name = table ? tfp_fleet_column(table, i, &type, NULL) : tfp_fleet_table(i)); i++) {
        PyObject *one = table ? Py_BuildValue("(sC)", name, (int)type) : PyUnicode_FromString(name);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    (void)module;
    return list;
}
