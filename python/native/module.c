// SPDX-License-Identifier: Apache-2.0
/* module.c: tfprof._native: its types, its exceptions, and the library's tables. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

module_state *state_of_module(PyObject *module) { return PyModule_GetState(module); }
module_state *state_of(PyObject *object) { return PyType_GetModuleState(Py_TYPE(object)); }

/* clang-format off */
static const struct {
    const char *name;
    tfp_table table;
} tables[] = {
    { "views",    TFP_VIEWS },
    { "columns",  TFP_COLUMNS },
    { "options",  TFP_OPTIONS },
    { "command_options", TFP_COMMAND_OPTIONS },
    { "outputs",  TFP_OUTPUTS },
    { "formats",  TFP_FORMATS },
    { "checkers", TFP_CHECKERS },
    { "orders",   TFP_ORDERS },
    { "ops",      TFP_OPS },
    { "op_sources", TFP_OP_SOURCES },
    { "trace_columns", TFP_TRACE_COLUMNS },
    { "notes", TFP_NOTES },
};
/* clang-format on */

static PyObject *table(PyObject *module, PyObject *args)
{
    (void)module;
    const char *name, *row;
    if (!PyArg_ParseTuple(args, "s:table", &name)) return NULL;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (strcmp(tables[t].name, name) != 0) continue;
        PyObject *rows = PyDict_New();
        for (size_t i = 0; rows && (row = tfp_list(tables[t].table, i)); i++) {
            /* PyDict_SetItemString() interns its key: a caller that asks often makes Python's table of interned strings grow. */
            PyObject *key = PyUnicode_FromString(row), *help = PyUnicode_FromString(tfp_help(tables[t].table, row));
            if (!key || !help || PyDict_SetItem(rows, key, help)) Py_CLEAR(rows);
            Py_XDECREF(key);
            Py_XDECREF(help);
        }
        return rows;
    }
    return PyErr_Format(PyExc_KeyError, "no table %s", name);
}

static PyObject *option_kind(PyObject *module, PyObject *args)
{
    (void)module;
    const char *name;
    if (!PyArg_ParseTuple(args, "s:option_kind", &name)) return NULL;
    char kind[2] = { tfp_options_kind(name), 0 };
    return PyUnicode_FromString(kind);
}

static PyObject *recognise(PyObject *module, PyObject *args)
{
    PyObject *data = NULL, *path = NULL;
    const char *name = NULL, *format;
    module_state *state = state_of_module(module);
    PyObject *result;
    tfp_error *err = tfp_error_new();
    if (PyTuple_Size(args) == 2) {
        if (!PyArg_ParseTuple(args, "Ss:recognise", &data, &name)) goto failed;
        format = tfp_recognise_bytes(name, PyBytes_AsString(data), (size_t)PyBytes_Size(data), err);
        result = format ? PyUnicode_FromString(format) : raise_status(state, TFP_BADFILE, err);
    } else {
        if (!PyArg_ParseTuple(args, "O&:recognise", PyUnicode_FSConverter, &path)) goto failed;
        name = PyBytes_AsString(path);
        Py_BEGIN_ALLOW_THREADS
        format = tfp_recognise_file(name, err);
        Py_END_ALLOW_THREADS
        result = format ? PyUnicode_FromString(format) : raise_about(state, TFP_BADFILE, err, name);
        Py_DECREF(path);
    }
    tfp_error_free(err);
    return result;
failed:
    tfp_error_free(err);
    return NULL;
}

static PyObject *format_is(PyObject *module, PyObject *args)
{
    (void)module;
    const char *format;
    int fact;
    if (!PyArg_ParseTuple(args, "si:format_is", &format, &fact)) return NULL;
    return PyBool_FromLong(tfp_format_is(format, (tfp_format_fact)fact));
}

static PyMethodDef functions[] = {
    { "table", table, METH_VARARGS,
      "table(name): views, columns, options, outputs, formats, checkers or orders, each with its help." },
    { "option_kind", option_kind, METH_VARARGS, "option_kind(name): 'b' for a boolean option, 'v' for others, ''." },
    { "recognise", recognise, METH_VARARGS, "recognise(path) or recognise(data, name): the format, by the content." },
    { "format_is", format_is, METH_VARARGS,
      "format_is(format, fact): whether a fact holds for a format; fact: one of the FORMAT_ numbers." },
    { "query", native_query, METH_VARARGS,
      "query(sql, ((profile, name), ...), options): the answer as a report; a name may be None." },
    { "diff", native_diff, METH_VARARGS,
      "diff(owner, sides, view, options): a comparison. A side: (name, label, Profile, step), (name, label, bytes), or "
      "(name, path, None) for a text." },
    { "is_scope_text", native_is_scope_text, METH_VARARGS,
      "is_scope_text(data): whether bytes contain the beginning of a printed scope view." },
    { "fleet_stream", native_fleet_stream, METH_VARARGS,
      "fleet_stream(table, (name, value, ...), iterator): a capsule with an Arrow C stream of the rows of sources: "
      "tuples of file, "
      "path, data, code and message, each bytes or None." },
    { "fleet_files", native_fleet_files, METH_VARARGS,
      "fleet_files((source, ...), names, sidecar): a list of (file, path, size, mtime in microseconds)." },
    { "fleet_whose", native_fleet_whose, METH_VARARGS,
      "fleet_whose((name, value, ...), file, path): job, date, host and rank, as far as path and the sidecar of a file "
      "(b'': none) tell." },
    { "fleet_columns", native_fleet_columns, METH_VARARGS,
      "fleet_columns(table): (name, type) of its columns; fleet_columns(None): the names of the tables." },
    { NULL, NULL, 0, NULL },
};

static PyObject *add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type && PyModule_AddType(module, (PyTypeObject *)type)) Py_CLEAR(type);
    return type;
}

static int execute(PyObject *module)
{
    module_state *state = state_of_module(module);
    if (add_errors(module, state)) return -1;
    if (!(state->profile_type = add_type(module, &profile_spec))) return -1;
    if (!(state->options_type = add_type(module, &options_spec))) return -1;
    if (!(state->report_type = add_type(module, &report_spec))) return -1;
    if (PyModule_AddStringConstant(module, "__version__", tfp_version())) return -1;
    if (PyModule_AddIntConstant(module, "FORMAT_WHOLE", TFP_FORMAT_WHOLE)) return -1;
    if (PyModule_AddIntConstant(module, "FORMAT_BESIDE_WHOLE", TFP_FORMAT_BESIDE_WHOLE)) return -1;
    if (PyModule_AddIntConstant(module, "FORMAT_SEVERAL", TFP_FORMAT_SEVERAL)) return -1;
    if (PyModule_AddIntConstant(module, "KEEP_MEMORY", TFP_KEEP_MEMORY)) return -1;
    if (PyModule_AddIntConstant(module, "KEEP_ATTRS", TFP_KEEP_ATTRS)) return -1;
    if (PyModule_AddIntConstant(module, "KEEP_PROGRAM", TFP_KEEP_PROGRAM)) return -1;
    return PyModule_AddIntConstant(module, "KEEP_FUNCTIONS", TFP_KEEP_FUNCTIONS);
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = state_of_module(module);
    for (int i = 0; i < ERROR_KINDS; i++) Py_VISIT(state->errors[i]);
    Py_VISIT(state->profile_type);
    Py_VISIT(state->options_type);
    Py_VISIT(state->report_type);
    return 0;
}

static int clear(PyObject *module)
{
    module_state *state = state_of_module(module);
    for (int i = 0; i < ERROR_KINDS; i++) Py_CLEAR(state->errors[i]);
    Py_CLEAR(state->profile_type);
    Py_CLEAR(state->options_type);
    Py_CLEAR(state->report_type);
    return 0;
}

static void free_module(void *module) { clear(module); }

static PyModuleDef_Slot slots[] = {
    { Py_mod_exec, (void *)(uintptr_t)execute },
    { 0, NULL },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tfprof._native",
    .m_doc = "libtfprof for Python. The package tfprof is the way to use it.",
    .m_size = sizeof(module_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
