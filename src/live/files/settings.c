// SPDX-License-Identifier: Apache-2.0
/* live/files/settings.c: the settings of run and capture, checked. */
#include "live/files/run.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>

void tfp_live_wish_start(tfp_live_wish *w)
{
    *w = (tfp_live_wish){
        .ms = 500, .parallel = 8, .host_level = 2, .max_bytes = (int64_t)512 << 20, .wait = 10, .timeout = 30
    };
}

void tfp_live_wish_free(tfp_live_wish *w)
{
    free(w->dir);
    free(w->every);
    free(w->at_step);
    *w = (tfp_live_wish){ .dir = NULL };
}

/* ---- settings ---- */

static tfp_status wrong(const char *name, const char *value, const char *what, tfp_error *err)
{
    char option[32];
    snprintf(option, sizeof option, "%s", name);
    for (char *c = option; *c; c++)
        if (*c == '_') *c = '-';
    return tfp_fail(err, TFP_BADARG, "--%s '%s': %s", option, value, what);
}

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

static const struct number {
    const char *name;
    size_t offset;
    int64_t least, most;
} numbers[] = {
    { "ms", offsetof(tfp_live_wish, ms), 1, 60000 },
    { "steps", offsetof(tfp_live_wish, steps), 1, 1000000 },
    { "parallel", offsetof(tfp_live_wish, parallel), 1, 1000 },
    { "host_level", offsetof(tfp_live_wish, host_level), 0, 3 },
    { "python_level", offsetof(tfp_live_wish, python_level), 0, 1 },
};

static const struct flag {
    const char *name;
    size_t offset;
} flags[] = { { "attach", offsetof(tfp_live_wish, attach) }, { "keep_agent", offsetof(tfp_live_wish, keep_agent) },
              { "align", offsetof(tfp_live_wish, align) },   { "all", offsetof(tfp_live_wish, all) },
              { "cuda", offsetof(tfp_live_wish, cuda) },     { "snapshot", offsetof(tfp_live_wish, snapshot) } };

static tfp_status set_number(tfp_live_wish *w, const struct number *n, const char *value, tfp_error *err)
{
    char what[64];
    int64_t x;
    snprintf(what, sizeof what, "not between %lld and %lld", (long long)n->least, (long long)n->most);
    if (!tfp_parse_int64(tfp_str_of(value), &x) || x < n->least || x > n->most) return wrong(n->name, value, what, err);
    *(int64_t *)((char *)w + n->offset) = x;
    return TFP_OK;
}

static tfp_status set_seconds(double *out, const char *name, const char *value, tfp_error *err)
{
    char *end;
    double x = strtod(value, &end);
    if (end == value || *end || !(x >= 0 && x <= 86400))
        return wrong(name, value, "not between 0 and 86400 seconds", err);
    *out = x;
    return TFP_OK;
}

static tfp_status set_text(char **out, const char *value, tfp_error *err)
{
    char *copy = strdup(value);
    if (!copy) return tfp_nomem(err);
    free(*out);
    *out = copy;
    return TFP_OK;
}

tfp_status tfp_live_wish_set(tfp_live_wish *w, const char *name, const char *value, tfp_error *err)
{
    const char *v = value ? value : "";
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0) return set_number(w, &numbers[i], v, err);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (strcmp(name, flags[i].name) != 0) continue;
        *(bool *)((char *)w + flags[i].offset) = true;
        return TFP_OK;
    }
    if (strcmp(name, "wait") == 0) return set_seconds(&w->wait, name, v, err);
    if (strcmp(name, "timeout") == 0) return set_seconds(&w->timeout, name, v, err);
    if (strcmp(name, "dir") == 0) return *v ? set_text(&w->dir, v, err) : wrong(name, v, "no folder is named", err);
    if (strcmp(name, "every") == 0)
        return is_every(v) ? set_text(&w->every, v, err) : wrong(name, v, "neither steps (10) nor seconds (10s)", err);
    if (strcmp(name, "at_step") == 0)
        return is_step_list(v) ? set_text(&w->at_step, v, err) : wrong(name, v, "no steps such as 10 or 10,200", err);
    if (strcmp(name, "on_signal") == 0)
        return (w->signal = signal_of(v)) ? TFP_OK : wrong(name, v, "no signal such as USR2", err);
    if (strcmp(name, "via") == 0) {
        w->kineto = strcmp(v, "kineto") == 0;
        return w->kineto ? TFP_OK : wrong(name, v, "only kineto can be named", err);
    }
    if (strcmp(name, "recorder") == 0) {
        bool start = strcmp(v, "start") == 0, stop = strcmp(v, "stop") == 0;
        w->recorder = start ? TFP_RECORDER_STARTS : stop ? TFP_RECORDER_STOPS : TFP_RECORDER_STAYS;
        return start || stop ? TFP_OK : wrong(name, v, "neither start nor stop", err);
    }
    if (strcmp(name, "max_bytes") == 0)
        return parse_bytes(v, &w->max_bytes) ? TFP_OK : wrong(name, v, "no size such as 100MiB", err);
    return TFP_NOTFOUND;
}
