// SPDX-License-Identifier: Apache-2.0
/* profile.c: the type Profile: inputs in, reports out. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

static PyObject *new_profile(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = { "keep", "progress", NULL };
    unsigned keep = TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM;
    PyObject *callback = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|IO:Profile", names, &keep, &callback)) return NULL;
    if (callback != Py_None && !PyCallable_Check(callback)) {
        PyErr_SetString(PyExc_TypeError, "progress must be callable");
        return NULL;
    }
    profile_object *self = (profile_object *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->profile = tfp_profile_new();
    bool ready = make_lock(self) && self->profile;
    if (callback != Py_None) {
        Py_INCREF(callback);
        self->progress = callback;
    }
    if (ready && tfp_profile_keep(self->profile, keep) == TFP_OK) return (PyObject *)self;
    if (ready)
        PyErr_SetString(PyExc_ValueError, "keep is a sum of KEEP_ values");
    else
        PyErr_NoMemory();
    Py_DECREF(self);
    return NULL;
}

static int traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((profile_object *)object)->progress);
    return 0;
}

static int clear(PyObject *object)
{
    Py_CLEAR(((profile_object *)object)->progress);
    return 0;
}

static void free_profile(PyObject *object)
{
    profile_object *self = (profile_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    clear(object);
    tfp_profile *profile = self->profile;
    Py_BEGIN_ALLOW_THREADS
    tfp_profile_free(profile);
    Py_END_ALLOW_THREADS
    if (self->has_lock) pthread_rwlock_destroy(&self->lock);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

/* ---- the end of adding ---- */

static PyObject *finish(PyObject *object, PyObject *nothing)
{
    (void)nothing;
    profile_object *self = (profile_object *)object;
    if (!lock_for_writing(self)) return NULL;
    tfp_error *err = tfp_error_new();
    tfp_status s;
    self->generation++;
    Py_BEGIN_ALLOW_THREADS
    s = tfp_profile_finish(self->profile, err);
    Py_END_ALLOW_THREADS
    unlock_profile(self);
    if (s) raise_status(state_of(object), s, err);
    tfp_error_free(err);
    if (s) return NULL;
    Py_RETURN_NONE;
}

/* ---- looking ---- */

/* A list of the results of `item`, until it returns NULL without an exception. */
static PyObject *list_of(profile_object *self, PyObject *(*item)(const tfp_profile *p, size_t i))
{
    if (!lock_for_reading(self)) return NULL;
    int collecting = PyGC_Disable(); /* see native.h */
    PyObject *list = PyList_New(0), *one;
    for (size_t i = 0; list && (one = item(self->profile, i)); i++) {
        if (PyList_Append(list, one)) Py_CLEAR(list);
        Py_DECREF(one);
    }
    unlock_profile(self);
    if (collecting) PyGC_Enable();
    if (PyErr_Occurred()) Py_CLEAR(list);
    return list;
}

/* ---- closing ---- */

/* Frees a closed profile once no report refers to it. */
void let_go_of(profile_object *p)
{
    if (!p->closed || p->reports) return;
    tfp_profile *profile = p->profile;
    p->profile = NULL;
    Py_BEGIN_ALLOW_THREADS
    tfp_profile_free(profile);
    Py_END_ALLOW_THREADS
}

static PyObject *close_profile(PyObject *object, PyObject *nothing)
{
    (void)nothing;
    profile_object *self = (profile_object *)object;
    if (self->closed) Py_RETURN_NONE;
    if (!lock_for_writing(self)) return NULL;
    self->closed = true;
    unlock_profile(self);
    let_go_of(self);
    Py_RETURN_NONE;
}

static PyObject *is_closed(PyObject *object, PyObject *nothing)
{
    (void)nothing;
    return PyBool_FromLong(((profile_object *)object)->closed);
}

/* ---- items ---- */

static PyObject *text_or_end(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace") : NULL;
}

static PyObject *warning_at(const tfp_profile *p, size_t i) { return text_or_end(tfp_profile_warning(p, i)); }
static PyObject *node_name_at(const tfp_profile *p, size_t i) { return text_or_end(tfp_profile_node_name(p, i)); }

static PyObject *coverage_at(const tfp_profile *p, size_t i)
{
    double share = tfp_profile_coverage(p, i);
    return share < 0 ? NULL : PyFloat_FromDouble(share);
}

static PyObject *step_at(const tfp_profile *p, size_t i)
{
    return i < tfp_profile_step_count(p) ? PyLong_FromLongLong(tfp_profile_step(p, i)) : NULL;
}

static PyObject *warnings(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return list_of((profile_object *)self, warning_at);
}

static PyObject *coverage(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return list_of((profile_object *)self, coverage_at);
}

static PyObject *steps(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return list_of((profile_object *)self, step_at);
}

static PyObject *node_names(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return list_of((profile_object *)self, node_name_at);
}

typedef tfp_status write_fn(const tfp_profile *p, tfp_write_fn fn, void *ctx, tfp_error *err);
typedef tfp_status write_file_fn(const tfp_profile *p, const char *path, tfp_error *err);

/* Writes the profile to the file that the arguments name, or returns it as bytes. */
static PyObject *put_profile(PyObject *object, PyObject *args, const char *words, write_fn *write,
                             write_file_fn *write_file)
{
    profile_object *self = (profile_object *)object;
    PyObject *path = NULL;
    if (!PyArg_ParseTuple(args, words, PyUnicode_FSConverter, &path)) return NULL;
    const char *name = path ? PyBytes_AsString(path) : NULL;
    if (!lock_for_reading(self)) {
        Py_XDECREF(path);
        return NULL;
    }
    collected c = { 0 };
    tfp_error *err = tfp_error_new();
    tfp_status s;
    Py_BEGIN_ALLOW_THREADS
    s = name ? write_file(self->profile, name, err) : write(self->profile, collect, &c, err);
    Py_END_ALLOW_THREADS
    unlock_profile(self);
    if (s) raise_about(state_of(object), s, err, name);
    Py_XDECREF(path);
    tfp_error_free(err);
    PyObject *bytes = bytes_of(&c);
    if (!s && !name) return bytes;
    Py_XDECREF(bytes);
    if (s) return NULL;
    Py_RETURN_NONE;
}

static PyObject *write_profile(PyObject *object, PyObject *args)
{
    return put_profile(object, args, "|O&:write", tfp_profile_write, tfp_profile_write_file);
}

static PyObject *save_profile(PyObject *object, PyObject *args)
{
    return put_profile(object, args, "|O&:save", tfp_profile_save, tfp_profile_save_file);
}

/* ---- reports ---- */

static PyObject *records(PyObject *object, PyObject *args)
{
    profile_object *self = (profile_object *)object;
    const char *what;
    long long step;
    if (!PyArg_ParseTuple(args, "sL:records", &what, &step) || !lock_for_reading(self)) return NULL;
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    tfp_status s;
    unsigned generation = self->generation;
    Py_BEGIN_ALLOW_THREADS
    s = tfp_records(self->profile, what, step, &r, err);
    Py_END_ALLOW_THREADS
    unlock_profile(self);
    module_state *state = state_of(object);
    PyObject *report = s ? raise_status(state, s, err) : wrap_report(state, self, generation, r);
    tfp_error_free(err);
    return report;
}

typedef struct question {
    const char *view;
    PyObject *options;
    bool stats; /* statistics of the view's rows over steps */
} question;

static bool read_question(PyObject *self, PyObject *args, const char *format, question *q)
{
    if (!PyArg_ParseTuple(args, format, &q->view, &q->options)) return false;
    if ((PyObject *)Py_TYPE(q->options) == state_of(self)->options_type) return true;
    PyErr_SetString(PyExc_TypeError, "options must be Options");
    return false;
}

/* With `c` the report is written as the options say, and output to stdout goes into `c`. The options are copied first,
 * because they may change while C works. */
static PyObject *build(profile_object *self, const question *q, collected *c)
{
    tfp_options *o = tfp_options_copy(((options_object *)q->options)->options);
    if (!o) return PyErr_NoMemory();
    if (!lock_for_reading(self)) {
        tfp_options_free(o);
        return NULL;
    }
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    tfp_status s;
    unsigned generation = self->generation;
    Py_BEGIN_ALLOW_THREADS
    if (q->stats)
        s = tfp_stats(self->profile, q->view, o, &r, err);
    else
        s = c ? tfp_show(self->profile, q->view, o, collect, c, &r, err)
              : tfp_report_build(self->profile, q->view, o, &r, err);
    tfp_options_free(o);
    Py_END_ALLOW_THREADS
    unlock_profile(self);
    PyObject *report = s ? raise_status(state_of((PyObject *)self), s, err)
                         : wrap_report(state_of((PyObject *)self), self, generation, r);
    tfp_error_free(err);
    return report;
}

static PyObject *report(PyObject *object, PyObject *args)
{
    question q = { .stats = false };
    return read_question(object, args, "sO:report", &q) ? build((profile_object *)object, &q, NULL) : NULL;
}

static PyObject *stats(PyObject *object, PyObject *args)
{
    question q = { .stats = true };
    return read_question(object, args, "zO:stats", &q) ? build((profile_object *)object, &q, NULL) : NULL;
}

static PyObject *show(PyObject *object, PyObject *args)
{
    question q = { .stats = false };
    collected c = { 0 };
    if (!read_question(object, args, "sO:show", &q)) return NULL;
    PyObject *made = build((profile_object *)object, &q, &c), *text;
    if (!made) {
        free(c.data);
        return NULL;
    }
    if (!(text = bytes_of(&c))) {
        Py_DECREF(made);
        return NULL;
    }
    return Py_BuildValue("(NN)", made, text);
}

static PyMethodDef methods[] = {
    { "add_file", (PyCFunction)(void (*)(void))native_add_file, METH_VARARGS | METH_KEYWORDS,
      "add_file(path, format=None, step=None): reads one file; format None means by its content." },
    { "add_files", native_add_files, METH_O,
      "add_files([(path, format, step), ...]): the same of several; small ones are read side by side. All have a step, "
      "or none." },
    { "add_bytes", (PyCFunction)(void (*)(void))native_add_bytes, METH_VARARGS | METH_KEYWORDS,
      "add_bytes(data, name, format=None, step=None): the same from memory; name stands for the path in messages." },
    { "close", close_profile, METH_NOARGS,
      "close(): ends it; its memory goes when its reports are gone. Nothing can be asked any more." },
    { "is_closed", is_closed, METH_NOARGS, "is_closed(): whether close() was called." },
    { "finish", finish, METH_NOARGS, "finish(): makes the profile ready to be looked at; more may be added later." },
    { "warnings", warnings, METH_NOARGS,
      "warnings(): what in the inputs was dropped, clamped or guessed, a line each." },
    { "coverage", coverage, METH_NOARGS, "coverage(): for each run_meta the share of nodes with statistics, 0 to 1." },
    { "steps", steps, METH_NOARGS, "steps(): the numbers of the steps, ascending." },
    { "node_names", node_names, METH_NOARGS, "node_names(): in the order of the files." },
    { "write", write_profile, METH_VARARGS, "write([path]): a ProfileProto into a file, or returned as bytes." },
    { "save", save_profile, METH_VARARGS, "save([path]): a file of tfprof's own, or returned as bytes." },
    { "report", report, METH_VARARGS, "report(view, options): the view's rows." },
    { "records", records, METH_VARARGS, "records(what, step): what was recorded, row by row: steps, spans or memory." },
    { "stats", stats, METH_VARARGS, "stats(view, options): statistics of the view's rows over the steps." },
    { "show", show, METH_VARARGS,
      "show(view, options): the report put where its options say; with it what stdout gets, as bytes." },
    { NULL, NULL, 0, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_doc, "One model's profile." },
    { Py_tp_new, new_profile },
    { Py_tp_dealloc, free_profile },
    { Py_tp_traverse, traverse },
    { Py_tp_clear, clear },
    { Py_tp_methods, methods },
    { 0, NULL },
};

PyType_Spec profile_spec = { "tfprof._native.Profile", sizeof(profile_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots };
