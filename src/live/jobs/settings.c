// SPDX-License-Identifier: Apache-2.0
/* live/jobs/settings.c: the settings of running jobs, a row each. tfp_live_new takes their defaults from here, and
 * tfp_live_set checks values against them. */
#include "live/jobs/top.h"

#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

typedef enum setting_kind {
    SWITCH, /* takes no value */
    WHOLE,  /* int64_t */
    REAL,   /* double */
    BYTES,  /* int64_t: a size such as 512MiB */
    TEXT,   /* char *, checked by the row's function */
    SIGNAL, /* int64_t */
    WORD,   /* int64_t: the place of the value among the words of the row, from 1 */
    USER,   /* int64_t */
    COLUMN  /* a column of `top` */
} setting_kind;

typedef struct setting {
    tfp_live_setting shown;
    setting_kind kind;
    size_t to;                           /* offset in tfp_live */
    bool (*is_right)(const char *value); /* of a TEXT */
    const char *wanted; /* of what is no number: what is wrong with other values; of a number: its unit */
    const char *const *words;
} setting;

static bool is_folder(const char *v) { return *v != 0; }

/* "N steps", or "Ns" for seconds. */
static bool is_every(const char *v)
{
    size_t digits = strspn(v, "0123456789");
    if (!digits || digits > 9 || strtol(v, NULL, 10) <= 0) return false;
    return !v[digits] || strcmp(v + digits, "s") == 0;
}

static bool is_step_list(const char *v)
{
    for (;;) {
        size_t digits = strspn(v, "0123456789");
        if (!digits || digits > 15) return false;
        v += digits;
        if (!*v) return true;
        if (*v++ != ',') return false;
    }
}

static int64_t signal_of(const char *v)
{
    /* glibc has sigabbrev_np only since 2.32, and other C libraries lack it. */
    static const char *const names[32] = {
        [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",     [SIGTRAP] = "TRAP",
        [SIGABRT] = "ABRT", [SIGBUS] = "BUS",       [SIGFPE] = "FPE",   [SIGKILL] = "KILL",   [SIGUSR1] = "USR1",
        [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",     [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",   [SIGTERM] = "TERM",
        [SIGCHLD] = "CHLD", [SIGSTKFLT] = "STKFLT", [SIGCONT] = "CONT", [SIGSTOP] = "STOP",   [SIGTSTP] = "TSTP",
        [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",   [SIGXFSZ] = "XFSZ",
        [SIGPROF] = "PROF", [SIGVTALRM] = "VTALRM", [SIGPWR] = "PWR",   [SIGWINCH] = "WINCH", [SIGSYS] = "SYS",
        [SIGPOLL] = "POLL",
    };
    int64_t n;
    if (strncmp(v, "SIG", 3) == 0) v += 3;
    for (int i = 1; i < 32; i++)
        if (names[i] && strcmp(names[i], v) == 0) return i;
    return tfp_parse_int64(tfp_str_of(v), &n) && n > 0 && n < 32 ? n : 0;
}

/* 512, 512MiB, 1GB */
int64_t tfp_live_bytes(const char *size)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = { { "", 1 },          { "B", 1 },         { "KB", 1000 },     { "MB", 1000000 }, { "GB", 1000000000 },
                  { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "K", 1 << 10 },  { "M", 1 << 20 },
                  { "G", 1 << 30 } };
    size_t digits = size ? strspn(size, "0123456789") : 0;
    int64_t n;
    if (!digits || !tfp_parse_int64((tfp_str){ size, digits }, &n) || n <= 0) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(size + digits, units[i].name) == 0) return tfp_mul(n, units[i].bytes, NULL);
    return 0;
}

#define TO(field) offsetof(tfp_live, field)

static const char *const recorders[] = { "start", "stop", NULL }, *const ways[] = { "kineto", NULL };

/* clang-format off */
static const setting settings[] = {
    { { "python",       "top",         NULL,           NULL,     0, 0, "show every CPython too" }, SWITCH, TO(jobs.select.python) },
    { { "processes",    "top",         NULL,           NULL,     0, 0, "show each process of a framework by itself" }, SWITCH, TO(jobs.select.apart) },
    { { "all_threads",  "",            NULL,           NULL,     0, 0, "every sample reads the state of every thread, even if that takes long" }, SWITCH, TO(all_threads) },
    { { "no_commands",  "",            NULL,           NULL,     0, 0, "tables omit command lines and messages that may contain file names" }, SWITCH, TO(no_commands) },
    { { "sort",         "top",         "COLUMN",       NULL,     0, 0, "order by this column instead of cpu; for views the same as -order_by" }, COLUMN, TO(sort) },
    { { "user",         "agent capture top", "NAME",   NULL,     0, 0, "this user's jobs only" }, USER, TO(jobs.select.user) },
    { { "seconds",      "stacks",      "SECONDS",      "1",      0.01, 86400, "how long to sample" }, REAL, TO(stacks.seconds) },
    { { "rate",         "stacks",      "HZ",           "100",    1, 1000, "samples a second" }, REAL, TO(stacks.rate) },
    { { "once",         "stacks",      NULL,           NULL,     0, 0, "stacks: read every thread once" }, SWITCH, TO(stacks.once) },
    { { "idle",         "stacks",      NULL,           NULL,     0, 0, "count threads that wait too" }, SWITCH, TO(stacks.idle) },
    { { "gil",          "stacks",      NULL,           NULL,     0, 0, "count only threads that hold the interpreter's lock (GIL), and say how often it was held" }, SWITCH, TO(stacks.gil) },
    { { "locals",       "stacks",      NULL,           NULL,     0, 0, "with --once: show the local variables of every frame" }, SWITCH, TO(stacks.locals) },
    { { "native",       "stacks",      NULL,           NULL,     0, 0, "also show functions of C and C++, under the Python functions that called them" }, SWITCH, TO(stacks.native) },
    { { "subprocesses", "stacks",      NULL,           NULL,     0, 0, "also sample the processes that it started" }, SWITCH, TO(stacks.children) },
    { { "dir",          "run",         "DIR",          NULL,     0, 0, "the folder for recordings, by default named by date and time; run: a new or empty one" }, TEXT, TO(settings.dir), is_folder, "no folder is named" },
    { { "ms",           "capture run", "MILLISECONDS", "500",    1, 60000, "length of a recording", .remote = 1 }, WHOLE, TO(settings.ms) },
    { { "steps",        "capture run", "N",            NULL,     1, 1000000, "how many steps to record; run: per recording, 1 by default; capture: instead of --ms", .remote = 1 }, WHOLE, TO(settings.steps) },
    { { "python_level", "capture run", "0|1",          "0",      0, 1, "1: also trace calls of Python functions and, in PyTorch, shapes of operators; captures of graphs need this", .remote = 1 }, WHOLE, TO(settings.python_level) },
    { { "max_bytes",    "capture run", "BYTES",        "512MiB", 0, 0, "limit of the bytes that are recorded of a process", .remote = 1 }, BYTES, TO(settings.max_bytes), NULL, "no size such as 100MiB" },
    { { "max_rate",     "run",         "N",            "200000", 0, 1000000000, "with --cuda: the most activities a second and process; the rest of such a second is left out; 0: no limit" }, WHOLE, TO(settings.max_rate) },
    { { "every",        "run",         "N|Ns",         NULL,     0, 0, "record every N-th step (optimizer steps of torch, session runs of TensorFlow 1), or a window every N seconds; with --cuda a window of CUPTI" }, TEXT, TO(settings.every), is_every, "neither steps (10) nor seconds (10s)" },
    { { "at_step",      "run",         "N,...",        NULL,     0, 0, "record these steps" }, TEXT, TO(settings.at_step), is_step_list, "no steps such as 10 or 10,200" },
    { { "on_signal",    "run",         "SIGNAL",       NULL,     0, 0, "record for --ms whenever tfprof, or a process of the command, gets this signal, such as USR2" }, SIGNAL, TO(settings.signal), NULL, "no signal such as USR2" },
    { { "cuda",         "run",         NULL,           NULL,     0, 0, "record what CUDA does in every process of the command: kernels, copies and calls of its runtime, by CUPTI" }, SWITCH, TO(settings.cuda) },
    { { "parallel",     "capture",     "N",            "8",      1, 1000, "how many recordings run at a time", .remote = 1 }, WHOLE, TO(settings.parallel) },
    { { "wait",         "capture",     "SECONDS",      "10",     0, 86400, "how long to wait for the end of another session in a process", .remote = 1 }, REAL, TO(settings.wait), NULL, "seconds" },
    { { "timeout",      "capture",     "SECONDS",      "30",     0, 86400, "limit of the time for an answer, in addition to the recording", .remote = 1 }, REAL, TO(settings.timeout), NULL, "seconds" },
    { { "host_level",   "capture",     "0..3",         "2",      0, 3, "how detailed the trace of the host is; TensorFlow's agents ignore it", .remote = 1 }, WHOLE, TO(settings.host_level) },
    { { "attach",       "capture",     NULL,           NULL,     0, 0, "start an agent in processes that tfprof run did not start; it leaves after the recording", .remote = 1 }, SWITCH, TO(settings.attach) },
    { { "keep_agent",   "capture",     NULL,           NULL,     0, 0, "leave the agents that --attach started in their processes" }, SWITCH, TO(settings.keep_agent) },
    { { "align",        "capture",     NULL,           NULL,     0, 0, "let all recordings begin at the same time", .remote = 1 }, SWITCH, TO(settings.align) },
    { { "all",          "capture",     NULL,           NULL,     0, 0, "all of your jobs; for root the jobs of all users", .remote = 1 }, SWITCH, TO(settings.all) },
    { { "snapshot",     "capture",     NULL,           NULL,     0, 0, "get what a profiler server's recorder has so far, without waiting; the recorder continues" }, SWITCH, TO(settings.snapshot) },
    { { "recorder",     "capture",     "start|stop",   NULL,     0, 0, "start or stop a continuous recording in a profiler server, for --snapshot; meanwhile the server makes no other recording" }, WORD, TO(settings.recorder), NULL, "neither start nor stop", recorders },
    { { "via",          "capture",     "kineto",       NULL,     0, 0, "kineto: let PyTorch record by itself, in processes that were started with KINETO_USE_DAEMON=1" }, WORD, TO(settings.via), NULL, "only kineto can be named", ways },
};
/* clang-format on */

static tfp_status wrong(const setting *s, const char *value, const char *what, tfp_error *err)
{
    char option[32];
    snprintf(option, sizeof option, "%s", s->shown.name);
    for (char *c = option; *c; c++)
        if (*c == '_') *c = '-';
    return tfp_fail(err, TFP_BADARG, "--%s '%s': %s", option, value, what);
}

static tfp_status out_of_range(const setting *s, const char *value, tfp_error *err)
{
    char what[96];
    snprintf(what, sizeof what, "not between %.15g and %.15g%s%s", s->shown.least, s->shown.most, s->wanted ? " " : "",
             s->wanted ? s->wanted : "");
    return wrong(s, value, what, err);
}

static bool parse_real(const setting *s, const char *value, double *out)
{
    char *end;
    *out = strtod(value, &end);
    return end != value && !*end && *out >= s->shown.least && *out <= s->shown.most;
}

static bool parse_whole(const setting *s, const char *value, int64_t *out)
{
    return tfp_parse_int64(tfp_str_of(value), out) && (double)*out >= s->shown.least && (double)*out <= s->shown.most;
}

static int64_t word_of(const char *const *words, const char *value)
{
    for (int64_t i = 0; words[i]; i++)
        if (strcmp(words[i], value) == 0) return i + 1;
    return 0;
}

static bool parse_user(const char *value, int64_t *out)
{
    struct passwd *found;
    if (tfp_parse_int64(tfp_str_of(value), out) && *out >= 0) return true;
    if (!(found = getpwnam(value))) return false;
    *out = found->pw_uid;
    return true;
}

static tfp_status set_text(char **out, const char *value, tfp_error *err)
{
    char *copy = strdup(value);
    if (!copy) return tfp_nomem(err);
    free(*out);
    *out = copy;
    return TFP_OK;
}

static tfp_status set(tfp_live *l, const setting *s, const char *value, tfp_error *err)
{
    void *to = (char *)l + s->to;
    const tfp_table_column *column;
    int64_t whole;
    double real;
    switch (s->kind) {
    case SWITCH: *(bool *)to = true; return TFP_OK;
    case WHOLE:
        if (!parse_whole(s, value, &whole)) return out_of_range(s, value, err);
        *(int64_t *)to = whole;
        return TFP_OK;
    case REAL:
        if (!parse_real(s, value, &real)) return out_of_range(s, value, err);
        *(double *)to = real;
        return TFP_OK;
    case BYTES:
        return (whole = tfp_live_bytes(value)) ? (*(int64_t *)to = whole, TFP_OK) : wrong(s, value, s->wanted, err);
    case TEXT: return s->is_right(value) ? set_text(to, value, err) : wrong(s, value, s->wanted, err);
    case SIGNAL: return (*(int64_t *)to = signal_of(value)) ? TFP_OK : wrong(s, value, s->wanted, err);
    case WORD: return (*(int64_t *)to = word_of(s->words, value)) ? TFP_OK : wrong(s, value, s->wanted, err);
    case USER:
        if (!parse_user(value, &whole)) return tfp_fail(err, TFP_BADARG, "--user: no user '%s'", value);
        *(int64_t *)to = whole;
        return TFP_OK;
    case COLUMN:
        if (!(column = tfp_top_column(value))) return tfp_fail(err, TFP_BADARG, "--sort: no column '%s'", value);
        *(const tfp_table_column **)to = column;
        return TFP_OK;
    }
    return TFP_OK;
}

void tfp_live_settings_start(tfp_live *l)
{
    l->jobs.select.user = -1;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i].shown.initial) set(l, &settings[i], settings[i].shown.initial, NULL);
}

void tfp_live_settings_free(tfp_live *l)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i].kind == TEXT) free(*(char **)((char *)l + settings[i].to));
}

tfp_status tfp_live_set(tfp_live *l, const char *name, const char *value, tfp_error *err)
{
    tfp_error_clear(err);
    if (!l || !name) return tfp_fail(err, TFP_BADARG, "no setting is named");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(name, settings[i].shown.name) == 0) return set(l, &settings[i], value ? value : "", err);
    return tfp_fail(err, TFP_BADARG, "no setting '%s'", name);
}

const tfp_live_setting *tfp_live_setting_at(size_t i)
{
    return i < sizeof settings / sizeof *settings ? &settings[i].shown : NULL;
}
