// SPDX-License-Identifier: Apache-2.0
/* model/graphs/waits.c: whether a frame waits, by its name: a built-in such as `acquire`, or a function of a module that only waits for other
 * threads, processes and times. Frames of PyTorch, of XPlane ("$FILE:LINE FUNCTION", "$MODULE FUNCTION"), and rows of code
 * ("FILE:LINE:FUNCTION"). */
#include "model/span_names.h"

typedef struct wait_name {
    const char *name;
    const char *of; /* a part of the object's type or module; "": any; NULL: a function of a module, or a native one */
    tfp_frame_wait wait;
} wait_name;

/* clang-format off */
static const wait_name built_ins[] = {
    { "acquire", "", TFP_FRAME_WAITS_LOCK },       { "acquire_lock", "", TFP_FRAME_WAITS_LOCK },
    { "wait", "", TFP_FRAME_WAITS_LOCK },          { "sleep", "", TFP_FRAME_SLEEPS },
    { "sleep", NULL, TFP_FRAME_SLEEPS },
    { "select", NULL, TFP_FRAME_POLLS },           { "select", "select", TFP_FRAME_POLLS },
    { "poll", "select.", TFP_FRAME_POLLS },        { "poll", "poll", TFP_FRAME_POLLS },
    { "control", "kqueue", TFP_FRAME_POLLS },      { "epoll_wait", NULL, TFP_FRAME_POLLS },
    { "recv", "", TFP_FRAME_POLLS },               { "recv_into", "", TFP_FRAME_POLLS },
    { "recvfrom", "", TFP_FRAME_POLLS },           { "recvmsg", "", TFP_FRAME_POLLS },
    { "accept", "", TFP_FRAME_POLLS },             { "_accept", "", TFP_FRAME_POLLS },
    { "read", NULL, TFP_FRAME_POLLS },             { "read", "socket", TFP_FRAME_POLLS },
    { "read", "SSL", TFP_FRAME_POLLS },            { "read", "pipe", TFP_FRAME_POLLS },
    { "join", "hread", TFP_FRAME_WAITS_LOCK },     { "join", "rocess", TFP_FRAME_WAITS_LOCK },
    { "join", "ueue", TFP_FRAME_WAITS_QUEUE },     { "get", "ueue", TFP_FRAME_WAITS_QUEUE },
    { "waitpid", NULL, TFP_FRAME_WAITS_LOCK },     { "wait4", NULL, TFP_FRAME_WAITS_LOCK },
    { "waitid", NULL, TFP_FRAME_WAITS_LOCK },      { "wait", NULL, TFP_FRAME_WAITS_LOCK },
    { "sem_wait", NULL, TFP_FRAME_WAITS_LOCK },    { "lock_acquire", NULL, TFP_FRAME_WAITS_LOCK },
};
/* Functions of C libraries, in stacks with native frames. */
static const wait_name natives[] = {
    { "futex_wait", NULL, TFP_FRAME_WAITS_LOCK },  { "__futex_abstimed_wait_common", NULL, TFP_FRAME_WAITS_LOCK },
    { "futex_abstimed_wait", NULL, TFP_FRAME_WAITS_LOCK },
    { "pthread_cond_wait", NULL, TFP_FRAME_WAITS_LOCK }, { "pthread_cond_timedwait", NULL, TFP_FRAME_WAITS_LOCK },
    { "sem_timedwait", NULL, TFP_FRAME_WAITS_LOCK },     { "sem_clockwait", NULL, TFP_FRAME_WAITS_LOCK },
    { "sem_wait", NULL, TFP_FRAME_WAITS_LOCK },          { "do_futex_wait", NULL, TFP_FRAME_WAITS_LOCK },
    { "epoll_wait", NULL, TFP_FRAME_POLLS },             { "epoll_pwait", NULL, TFP_FRAME_POLLS },
    { "poll", NULL, TFP_FRAME_POLLS },                   { "ppoll", NULL, TFP_FRAME_POLLS },
    { "select", NULL, TFP_FRAME_POLLS },                 { "pselect", NULL, TFP_FRAME_POLLS },
    { "nanosleep", NULL, TFP_FRAME_SLEEPS },             { "clock_nanosleep", NULL, TFP_FRAME_SLEEPS },
    { "runtime.gopark", NULL, TFP_FRAME_WAITS_LOCK },    { "runtime.futex", NULL, TFP_FRAME_WAITS_LOCK },
    { "runtime.notesleep", NULL, TFP_FRAME_WAITS_LOCK }, { "runtime.netpoll", NULL, TFP_FRAME_POLLS },
};
/* Modules of Python, as the end of a path without ".py". */
static const wait_name modules[] = {
    { "threading", NULL, TFP_FRAME_WAITS_LOCK },         { "queue", NULL, TFP_FRAME_WAITS_QUEUE },
    { "selectors", NULL, TFP_FRAME_POLLS },              { "multiprocessing/connection", NULL, TFP_FRAME_POLLS },
    { "multiprocessing/queues", NULL, TFP_FRAME_WAITS_QUEUE },
    { "multiprocessing/synchronize", NULL, TFP_FRAME_WAITS_LOCK },
    { "multiprocessing/popen_fork", NULL, TFP_FRAME_WAITS_LOCK },
    { "concurrent/futures/_base", NULL, TFP_FRAME_WAITS_LOCK },
    { "concurrent/futures/thread", NULL, TFP_FRAME_WAITS_LOCK },
    { "concurrent/futures/process", NULL, TFP_FRAME_WAITS_LOCK },
};
/* clang-format on */

static bool is(tfp_str s, const char *text) { return tfp_str_eq(s, tfp_str_of(text)); }

static tfp_str from(tfp_str s, size_t at) { return (tfp_str){ s.data + at, s.size - at }; }

static tfp_frame_wait built_in(tfp_str name, tfp_str of, bool method)
{
    for (size_t i = 0; i < sizeof built_ins / sizeof *built_ins; i++) {
        const wait_name *w = &built_ins[i];
        if (!is(name, w->name) || !w->of == method) continue;
        if (!method || tfp_str_has(of, tfp_str_of(w->of))) return w->wait;
    }
    return TFP_FRAME_WORKS;
}

/* "<built-in method acquire of _thread.lock object at 0x7f>", "<built-in function sleep>", "<method 'acquire' of '_thread.lock'
 * objects>". */
static tfp_frame_wait built_in_of(tfp_str text)
{
    static const char *const begins[] = { "<built-in method ", "<built-in function ", "<method '" };
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        tfp_str begin = tfp_str_of(begins[i]);
        if (!tfp_str_begins(text, begin)) continue;
        tfp_str name = from(text, begin.size), of = { "", 0 };
        size_t end = tfp_str_find(name, TFP_STR(" of ")), close = 0;
        while (close < name.size && name.data[close] != '>' && name.data[close] != ' ' && name.data[close] != '\'')
            close++;
        if (end != SIZE_MAX) of = from(name, end + 4);
        name.size = close;
        /* functions of modules are built-in methods, too: "sleep of module object at 0x7f" */
        bool method = i != 1 && of.size && !tfp_str_begins(of, TFP_STR("module "));
        return built_in(name, of, method);
    }
    return TFP_FRAME_WORKS;
}

static tfp_frame_wait module_of(tfp_str file)
{
    tfp_str py = TFP_STR(".py");
    if (!tfp_str_ends(file, py)) return TFP_FRAME_WORKS;
    file.size -= py.size;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        tfp_str name = tfp_str_of(modules[i].name);
        size_t n = name.size;
        bool same = file.size >= n;
        for (size_t k = 0; same && k < n; k++) {
            char c = file.data[file.size - n + k];
            same = (c == '\\' ? '/' : c) == name.data[k];
        }
        if (!same) continue;
        char before = file.size == n ? '/' : file.data[file.size - n - 1];
        /* threading.py and queue.py of a user's package are no modules of Python */
        tfp_str folder = { file.data, file.size == n ? 0 : file.size - n };
        bool pythons = !folder.size || tfp_str_has(folder, TFP_STR("python")) || tfp_str_has(folder, TFP_STR("Lib"));
        if ((before == '/' || before == '\\') && pythons) return modules[i].wait;
    }
    return TFP_FRAME_WORKS;
}

/* "FILE(LINE): FUNCTION", "$FILE:LINE FUNCTION" or "FILE:LINE:FUNCTION"; false: it is another name. */
static bool parts_of(tfp_str text, tfp_python_frame *out)
{
    if (text.size && *text.data == '$') text = from(text, 1);
    for (size_t i = 1; i + 1 < text.size; i++) {
        size_t at = i + 1;
        if (text.data[i] != ':') continue;
        while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9') at++;
        if (at == i + 1) continue;
        *out = (tfp_python_frame){ .file = { text.data, i }, .function = from(text, at < text.size ? at + 1 : at) };
        return true;
    }
    return tfp_python_frame_of(text, out);
}

/* Whether a function runs a thread's own function, which may be one without a frame: that is work. */
static bool runs_thread(tfp_str function)
{
    return is(function, "_bootstrap") || is(function, "_bootstrap_inner") || is(function, "run");
}

static tfp_frame_wait native_of(tfp_str text)
{
    size_t size = 0;
    while (text.size && *text.data == '_' && text.size > 2 && text.data[1] == '_') text = from(text, 2);
    while (size < text.size && text.data[size] != '(' && text.data[size] != '@' && text.data[size] != ' ') size++;
    text.size = size;
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++) {
        tfp_str name = tfp_str_of(natives[i].name);
        while (name.size > 2 && name.data[0] == '_' && name.data[1] == '_') name = from(name, 2);
        if (tfp_str_eq(text, name)) return natives[i].wait;
    }
    return TFP_FRAME_WORKS;
}

tfp_frame_wait tfp_frame_waits(tfp_str name)
{
    tfp_python_frame f;
    if (tfp_str_begins(name, TFP_STR("<"))) return built_in_of(name);
    if (tfp_str_begins(name, TFP_STR("$<"))) return built_in_of(from(name, 1));
    if (parts_of(name, &f)) return runs_thread(f.function) ? TFP_FRAME_WORKS : module_of(f.file);
    if (tfp_str_begins(name, TFP_STR("$"))) { /* "$time sleep" */
        size_t blank = tfp_str_find(name, TFP_STR(" "));
        if (blank == SIZE_MAX) return TFP_FRAME_WORKS;
        tfp_str module = { name.data + 1, blank - 1 }, function = from(name, blank + 1);
        size_t dot = function.size;
        while (dot && function.data[dot - 1] != '.') dot--;
        tfp_frame_wait wait = built_in(from(function, dot), TFP_STR(""), false);
        if (is(module, "builtins")) return TFP_FRAME_WORKS;
        return wait ? wait : built_in(from(function, dot), (tfp_str){ name.data, name.size }, true);
    }
    return native_of(name);
}

const char *tfp_frame_wait_word(tfp_frame_wait wait)
{
    static const char *const words[] = { "", "lock", "queue", "sleep", "poll" };
    return words[wait];
}
