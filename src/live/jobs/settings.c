// SPDX-License-Identifier: Apache-2.0
/* live/jobs/settings.c: the settings of running jobs, a row each. tfp_live_new takes their defaults from here, and tfp_live_set checks values
 * against them. */
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
    const char *name;
    setting_kind kind;
    size_t to;           /* offset in tfp_live */
    const char *initial; /* NULL: none */
    double least, most;
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
static bool parse_bytes(const char *v, int64_t *out)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = { { "", 1 },          { "B", 1 },         { "KB", 1000 },     { "MB", 1000000 }, { "GB", 1000000000 },
                  { "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { "K", 1 << 10 },  { "M", 1 << 20 },
                  { "G", 1 << 30 } };
    size_t digits = strspn(v, "0123456789");
    int64_t n;
    if (!tfp_parse_int64((tfp_str){ v, digits }, &n) || n <= 0) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(v + digits, units[i].name) != 0) continue;
        *out = tfp_mul(n, units[i].bytes, NULL);
        return true;
    }
    return false;
}

#define TO(field) offsetof(tfp_live, field)

static const char *const recorders[] = { "start", "stop", NULL }, *const ways[] = { "kineto", NULL };

/* clang-format off */
static const setting settings[] = {
    { "python",       SWITCH, TO(jobs.select.python) },
    { "processes",    SWITCH, TO(jobs.select.apart) },
    { "all_threads",  SWITCH, TO(all_threads) },
    { "no_commands",  SWITCH, TO(no_commands) },
    { "sort",         COLUMN, TO(sort) },
    { "user",         USER,   TO(jobs.select.user) },
    /* of stacks */
    { "seconds",      REAL,   TO(stacks.seconds),    "1",      0.01, 86400 },
    { "rate",         REAL,   TO(stacks.rate),       "100",    1, 1000 },
    { "once",         SWITCH, TO(stacks.once) },
    { "idle",         SWITCH, TO(stacks.idle) },
    { "gil",          SWITCH, TO(stacks.gil) },
    { "locals",       SWITCH, TO(stacks.locals) },
    { "native",       SWITCH, TO(stacks.native) },
    { "subprocesses", SWITCH, TO(stacks.children) },
    /* of run and capture */
    { "dir",          TEXT,   TO(wish.dir),          NULL,     0, 0, is_folder, "no folder is named" },
    { "ms",           WHOLE,  TO(wish.ms),           "500",    1, 60000 },
    { "steps",        WHOLE,  TO(wish.steps),        NULL,     1, 1000000 },
    { "python_level", WHOLE,  TO(wish.python_level), "0",      0, 1 },
    { "max_bytes",    BYTES,  TO(wish.max_bytes),    "512MiB", 0, 0, NULL, "no size such as 100MiB" },
    /* of run */
    { "every",        TEXT,   TO(wish.every),        NULL,     0, 0, is_every, "neither steps (10) nor seconds (10s)" },
    { "at_step",      TEXT,   TO(wish.at_step),      NULL,     0, 0, is_step_list, "no steps such as 10 or 10,200" },
    { "on_signal",    SIGNAL, TO(wish.signal),       NULL,     0, 0, NULL, "no signal such as USR2" },
    { "cuda",         SWITCH, TO(wish.cuda) },
    /* of capture */
    { "parallel",     WHOLE,  TO(wish.parallel),     "8",      1, 1000 },
    { "wait",         REAL,   TO(wish.wait),         "10",     0, 86400, NULL, "seconds" },
    { "timeout",      REAL,   TO(wish.timeout),      "30",     0, 86400, NULL, "seconds" },
    { "host_level",   WHOLE,  TO(wish.host_level),   "2",      0, 3 },
    { "attach",       SWITCH, TO(wish.attach) },
    { "keep_agent",   SWITCH, TO(wish.keep_agent) },
    { "align",        SWITCH, TO(wish.align) },
    { "all",          SWITCH, TO(wish.all) },
    { "snapshot",     SWITCH, TO(wish.snapshot) },
    { "recorder",     WORD,   TO(wish.recorder),     NULL,     0, 0, NULL, "neither start nor stop", recorders },
    { "via",          WORD,   TO(wish.via),          NULL,     0, 0, NULL, "only kineto can be named", ways },
};
/* clang-format on */

static tfp_status wrong(const setting *s, const char *value, const char *what, tfp_error *err)
{
    char option[32];
    snprintf(option, sizeof option, "%s", s->name);
    for (char *c = option; *c; c++)
        if (*c == '_') *c = '-';
    return tfp_fail(err, TFP_BADARG, "--%s '%s': %s", option, value, what);
}

static tfp_status out_of_range(const setting *s, const char *value, tfp_error *err)
{
    char what[96];
    snprintf(what, sizeof what, "not between %.15g and %.15g%s%s", s->least, s->most, s->wanted ? " " : "",
             s->wanted ? s->wanted : "");
    return wrong(s, value, what, err);
}

static bool parse_real(const setting *s, const char *value, double *out)
{
    char *end;
    *out = strtod(value, &end);
    return end != value && !*end && *out >= s->least && *out <= s->most;
}

static bool parse_whole(const setting *s, const char *value, int64_t *out)
{
    return tfp_parse_int64(tfp_str_of(value), out) && (double)*out >= s->least && (double)*out <= s->most;
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
    const tfp_row_column *column;
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
    case BYTES: return parse_bytes(value, to) ? TFP_OK : wrong(s, value, s->wanted, err);
    case TEXT: return s->is_right(value) ? set_text(to, value, err) : wrong(s, value, s->wanted, err);
    case SIGNAL: return (*(int64_t *)to = signal_of(value)) ? TFP_OK : wrong(s, value, s->wanted, err);
    case WORD: return (*(int64_t *)to = word_of(s->words, value)) ? TFP_OK : wrong(s, value, s->wanted, err);
    case USER:
        if (!parse_user(value, &whole)) return tfp_fail(err, TFP_BADARG, "--user: no user '%s'", value);
        *(int64_t *)to = whole;
        return TFP_OK;
    case COLUMN:
        if (!(column = tfp_top_column(value))) return tfp_fail(err, TFP_BADARG, "--sort: no column '%s'", value);
        *(const tfp_row_column **)to = column;
        return TFP_OK;
    }
    return TFP_OK;
}

void tfp_live_settings_start(tfp_live *l)
{
    l->jobs.select.user = -1;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (settings[i].initial) set(l, &settings[i], settings[i].initial, NULL);
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
        if (strcmp(name, settings[i].name) == 0) return set(l, &settings[i], value ? value : "", err);
    return tfp_fail(err, TFP_BADARG, "no setting '%s'", name);
}
