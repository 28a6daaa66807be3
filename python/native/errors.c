// SPDX-License-Identifier: Apache-2.0
/* errors.c: the exceptions of the package: one for each status of the library, and one for a missing file. */
#include "native.h"

#include <errno.h>
#include <string.h>

typedef struct error_row {
    const char *name; /* in the module tfprof */
    int status;
    int exit_status;  /* of the program tfprof for it */
    int base;         /* row of the class that it is derived from; -1: Exception */
    const char *also; /* the built-in exception that it also derives from */
    const char *doc;
} error_row;

/* clang-format off */
static const error_row rows[ERROR_KINDS] = {
    [TFP_OK]        = { "tfprof.Error", TFP_OK, 1, -1, NULL, "tfprof could not do something. `exit_status` is the command line's exit status." },
    [TFP_BADFILE]   = { "tfprof.InputError", TFP_BADFILE, 1, 0, "OSError", "An input is missing, unreadable, damaged or not in the given format. `filename` is the input, `errno` the system's error number or None." },
    [TFP_BADARG]    = { "tfprof.UsageError", TFP_BADARG, 2, 0, "ValueError", "A wrong call: an unknown option or value, an invalid regex, inputs that exclude each other." },
    [TFP_NOTFOUND]  = { "tfprof.NotFoundError", TFP_NOTFOUND, 2, 0, "LookupError", "The profile lacks a step, code traces or other data asked for." },
    [TFP_BADOUTPUT] = { "tfprof.OutputError", TFP_BADOUTPUT, 3, 0, "OSError", "A report or profile could not be written; an old file is unchanged. `filename` is the output, `errno` the system's error number or None." },
    [TFP_NOMEM]     = { "tfprof.OutOfMemoryError", TFP_NOMEM, 4, 0, "MemoryError", "Memory ran out." },
    [TFP_LIMIT]     = { "tfprof.LimitError", TFP_LIMIT, 4, 0, NULL, "An input passes a size or nesting limit." },
    [MISSING_FILE]  = { "tfprof.MissingFileError", TFP_BADFILE, 1, TFP_BADFILE, "FileNotFoundError", "An input does not exist." },
};
/* clang-format on */

static PyObject *new_error(module_state *state, const error_row *row)
{
    PyObject *base = row->base < 0 ? PyExc_Exception : state->errors[row->base];
    PyObject *dict = Py_BuildValue("{s:i}", "exit_status", row->exit_status);
    PyObject *builtins = PyEval_GetBuiltins(); /* borrowed */
    PyObject *also = row->also && builtins ? PyDict_GetItemString(builtins, row->also) : NULL;
    PyObject *bases = also ? PyTuple_Pack(2, base, also) : PyTuple_Pack(1, base);
    PyObject *made = dict && bases ? PyErr_NewExceptionWithDoc(row->name, row->doc, bases, dict) : NULL;
    Py_XDECREF(bases);
    Py_XDECREF(dict);
    return made;
}

/* ---- the message is always tfprof's text, not the one that OSError makes of errno and filename ---- */

/* Gets an attribute by an interned name: the interpreter's attribute cache would keep every new string. */
static PyObject *attribute(PyObject *self, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name), *found = key ? PyObject_GetAttr(self, key) : NULL;
    Py_XDECREF(key);
    return found;
}

static PyObject *text_of(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    PyObject *args = attribute(self, "args");
    Py_ssize_t count = args ? PyTuple_Size(args) : -1;
    PyObject *text = NULL;
    if (count == 1)
        text = PyObject_Str(PyTuple_GetItem(args, 0));
    else if (count >= 0)
        text = PyObject_Str(args);
    Py_XDECREF(args);
    return text;
}

/* Pickles the class, the message, and the attributes of OSError. */
static PyObject *reduced(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    PyObject *args = attribute(self, "args"), *made = NULL;
    PyObject *number = attribute(self, "errno"), *file = attribute(self, "filename");
    if (args && number && file)
        made = Py_BuildValue("(OO{s:O,s:O})", Py_TYPE(self), args, "errno", number, "filename", file);
    Py_XDECREF(args);
    Py_XDECREF(number);
    Py_XDECREF(file);
    return made;
}

static PyObject *set_state(PyObject *self, PyObject *state)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!PyDict_Check(state)) Py_RETURN_NONE;
    while (PyDict_Next(state, &at, &key, &value))
        if (PyObject_SetAttr(self, key, value)) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    { "__str__", text_of, METH_NOARGS, NULL },
    { "__reduce__", reduced, METH_NOARGS, NULL },
    { "__setstate__", set_state, METH_O, NULL },
};

static int add_methods(PyObject *error)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        PyObject *method = PyDescr_NewMethod((PyTypeObject *)error, &methods[i]);
        int bad = method ? PyObject_SetAttrString(error, methods[i].ml_name, method) : -1;
        Py_XDECREF(method);
        if (bad) return -1;
    }
    return 0;
}

int add_errors(PyObject *module, module_state *state)
{
    for (int i = 0; i < ERROR_KINDS; i++) {
        state->errors[i] = new_error(state, &rows[i]);
        if (!state->errors[i]) return -1;
        if ((i == TFP_BADFILE || i == TFP_BADOUTPUT) && add_methods(state->errors[i])) return -1;
        if (PyModule_AddObjectRef(module, strchr(rows[i].name, '.') + 1, state->errors[i])) return -1;
    }
    return 0;
}

/* An instance with errno and filename; NULL with an exception set. */
static PyObject *file_error(PyObject *kind, PyObject *message, int number, const char *path)
{
    PyObject *made = PyObject_CallFunctionObjArgs(kind, message, NULL);
    PyObject *file = made && path ? PyUnicode_DecodeFSDefault(path) : NULL;
    PyObject *error = made && number ? PyLong_FromLong(number) : NULL;
    bool bad = (number && !error) || (path && !file) ||
               (made && error && PyObject_SetAttrString(made, "errno", error)) ||
               (made && file && PyObject_SetAttrString(made, "filename", file));
    Py_XDECREF(error);
    Py_XDECREF(file);
    if (bad) Py_CLEAR(made);
    return made;
}

PyObject *raise_about(module_state *state, tfp_status status, const tfp_error *err, const char *path)
{
    if (PyErr_Occurred()) return NULL; /* Ctrl-C, or the progress callback's own exception */
    const char *text = tfp_error_message(err);
    size_t kind = (size_t)status <= TFP_LIMIT ? (size_t)status : 0;
    if (!*text) text = status == TFP_NOMEM ? "out of memory" : "tfprof failed";
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
    int number = tfp_error_errno(err);
    if (status == TFP_BADFILE && number == ENOENT) kind = MISSING_FILE;
    if (message && (status == TFP_BADFILE || status == TFP_BADOUTPUT)) {
        PyObject *made = file_error(state->errors[kind], message, number, path);
        if (made) PyErr_SetObject(state->errors[kind], made);
        Py_XDECREF(made);
    } else if (message) {
        PyErr_SetObject(state->errors[kind], message);
    }
    Py_XDECREF(message);
    return NULL;
}

PyObject *raise_status(module_state *state, tfp_status status, const tfp_error *err)
{
    return raise_about(state, status, err, NULL);
}

PyObject *raise_usage(module_state *state, const char *message)
{
    PyErr_SetString(state->errors[TFP_BADARG], message);
    return NULL;
}
