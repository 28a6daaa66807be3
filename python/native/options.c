// SPDX-License-Identifier: Apache-2.0
/* options.c: the type Options: the options of a report, set from texts and lists. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

static PyObject *new_options(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (keywords || PyTuple_Size(args) != 0) {
        PyErr_SetString(PyExc_TypeError, "Options() takes no arguments");
        return NULL;
    }
    options_object *self = (options_object *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->options = tfp_options_new();
    if (self->options) return (PyObject *)self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void free_options(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    tfp_options_free(((options_object *)object)->options);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *settled(PyObject *self, tfp_status status, tfp_error *err)
{
    if (status)
        raise_status(state_of(self), status, err);
    else
        Py_INCREF(Py_None);
    tfp_error_free(err);
    return status ? NULL : Py_None;
}

int text_bytes(PyObject *given, void *out)
{
    PyObject *bytes = NULL;
    if (PyUnicode_Check(given))
        bytes = PyUnicode_AsEncodedString(given, "utf-8", "surrogateescape");
    else if (PyBytes_Check(given))
        Py_INCREF(bytes = given);
    else
        PyErr_SetString(PyExc_TypeError, "a text must be str or bytes");
    if (bytes && strlen(PyBytes_AsString(bytes)) != (size_t)PyBytes_Size(bytes)) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        Py_CLEAR(bytes);
    }
    *(PyObject **)out = bytes;
    return bytes != NULL;
}

static PyObject *set(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *value = NULL, *given;
    if (!PyArg_ParseTuple(args, "sO:set", &name, &given)) return NULL;
    if (given != Py_None && !text_bytes(given, &value)) return NULL;
    tfp_error *err = tfp_error_new();
    const char *text = value ? PyBytes_AsString(value) : NULL;
    PyObject *done = settled(self, tfp_options_set(((options_object *)self)->options, name, text, err), err);
    Py_XDECREF(value);
    return done;
}

/* A value for a parameter of a query, by its number or name. */
static PyObject *bind(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *value, *text = NULL;
    tfp_options *o = ((options_object *)self)->options;
    if (!PyArg_ParseTuple(args, "sO:bind", &name, &value)) return NULL;
    int64_t whole = 0;
    double real = 0;
    if (PyLong_Check(value))
        whole = PyLong_AsLongLong(value);
    else if (PyFloat_Check(value))
        real = PyFloat_AsDouble(value);
    else if (PyUnicode_Check(value))
        text = PyUnicode_AsEncodedString(value, "utf-8", "surrogateescape");
    else if (value != Py_None)
        PyErr_SetString(PyExc_TypeError, "a parameter must be an int, a float, a str or None");
    if (PyErr_Occurred()) return NULL;
    tfp_error *err = tfp_error_new();
    tfp_status s;
    if (PyLong_Check(value))
        s = tfp_options_bind_int(o, name, whole, err);
    else if (PyFloat_Check(value))
        s = tfp_options_bind_real(o, name, real, err);
    else
        s = tfp_options_bind_text(o, name, text ? PyBytes_AsString(text) : NULL, text ? (size_t)PyBytes_Size(text) : 0,
                                  err);
    Py_XDECREF(text);
    return settled(self, s, err);
}

/* The texts of a list of bytes; they live as long as the list. */
static const char **texts_of(PyObject *items)
{
    Py_ssize_t count = PyList_Size(items);
    const char **texts = calloc((size_t)count + 1, sizeof *texts);
    if (!texts) PyErr_NoMemory();
    for (Py_ssize_t i = 0; texts && i < count; i++) texts[i] = PyBytes_AsString(PyList_GetItem(items, i));
    return texts;
}

/* A list with the bytes of each item; NULL with an exception set. */
static PyObject *bytes_of_all(PyObject *given)
{
    PyObject *items = PySequence_Tuple(given), *all = items ? PyList_New(0) : NULL, *one = NULL;
    Py_ssize_t count = items ? PyTuple_Size(items) : 0;
    for (Py_ssize_t i = 0; all && i < count; i++) {
        if (!text_bytes(PyTuple_GetItem(items, i), &one) || PyList_Append(all, one)) Py_CLEAR(all);
        Py_CLEAR(one);
    }
    Py_XDECREF(items);
    return all;
}

static PyObject *set_list(PyObject *self, PyObject *args)
{
    const char *name;
    PyObject *given;
    if (!PyArg_ParseTuple(args, "sO:set_list", &name, &given)) return NULL;
    PyObject *items = bytes_of_all(given);
    const char **texts = items ? texts_of(items) : NULL;
    PyObject *result = NULL;
    if (texts) {
        tfp_error *err = tfp_error_new();
        size_t count = (size_t)PyList_Size(items);
        result = settled(self, tfp_options_set_list(((options_object *)self)->options, name, texts, count, err), err);
        free(texts);
    }
    Py_XDECREF(items);
    return result;
}

static PyObject *read_proto(PyObject *self, PyObject *args)
{
    const char *view, *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "sy#:read_proto", &view, &data, &size)) return NULL;
    tfp_error *err = tfp_error_new();
    tfp_options *o = ((options_object *)self)->options;
    return settled(self, tfp_options_read_proto(o, view, data, (size_t)size, err), err);
}

static PyObject *every_value(PyObject *self, PyObject *on)
{
    int truth = PyObject_IsTrue(on);
    if (truth < 0) return NULL;
    tfp_options_every_value(((options_object *)self)->options, truth);
    Py_RETURN_NONE;
}

static PyObject *get(PyObject *self, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s:get", &name)) return NULL;
    const char *value = tfp_options_get(((options_object *)self)->options, name);
    if (!value) return PyErr_Format(PyExc_KeyError, "no option %s", name);
    return PyUnicode_DecodeUTF8(value, (Py_ssize_t)strlen(value), "surrogateescape");
}

static PyObject *listed(PyObject *self, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s:listed", &name)) return NULL;
    return PyBool_FromLong(tfp_options_listed(((options_object *)self)->options, name));
}

static PyMethodDef methods[] = {
    { "set", set, METH_VARARGS, "set(name, value): sets one option from text; None means true." },
    { "set_list", set_list, METH_VARARGS,
      "set_list(name, items): sets one option from a list, each item taken whole." },
    { "bind", bind, METH_VARARGS, "bind(name, value): for a parameter of a query, by number or name." },
    { "read_proto", read_proto, METH_VARARGS,
      "read_proto(view, data): sets options from TensorFlow's serialized OptionsProto or AdvisorOptionsProto." },
    { "every_value", every_value, METH_O, "every_value(on): reports hold every column's numbers." },
    { "get", get, METH_VARARGS, "get(name): the current value, as TensorFlow lists it." },
    { "listed", listed, METH_VARARGS, "listed(name): whether TensorFlow's tool lists this option." },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "What a report shows." },
    { Py_tp_new, new_options },
    { Py_tp_dealloc, free_options },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec options_spec = { "tfprof._native.Options", sizeof(options_object), 0, Py_TPFLAGS_DEFAULT, slots };
