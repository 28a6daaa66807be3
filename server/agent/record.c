// SPDX-License-Identifier: Apache-2.0
/* server/agent/record.c: answers another machine's tfprof, for `tfprof agent --listen`: with the table of jobs, and with
 * recordings. A child makes the recording, one at a time, in a private folder that is removed afterwards; its files are sent as
 * the child writes them. When the client disconnects the child ends, and with it the recordings in the jobs. */
#include "agent.h"

#include "data/live.h"
#include "http/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTINGS_MOST 24
#define SEND_SECONDS 300 /* longest time for sending everything that was recorded */
#define SETTLE_MS 15000  /* longest wait for the shared start time */
#define SHARED "shared"  /* the setting that makes a recording wait for it */

/* ---- parameters ---- */

typedef struct setting {
    const char *name, *value;
} setting;

typedef struct question {
    char text[GATE_LINE + 1];
    setting all[SETTINGS_MOST];
    size_t count;
} question;

static const char *const formats[] = { "text", "json", "jsonl", "csv", "md", NULL };
static const char *const others[] = { "job", "format", SHARED, NULL };

/* The setting of a recording that another machine may set, or NULL. */
static const tfp_live_setting *remote_setting(const char *name)
{
    const tfp_live_setting *s;
    for (size_t i = 0; (s = tfp_live_setting_at(i)); i++)
        if (s->remote && strcmp(s->name, name) == 0) return s;
    return NULL;
}

static bool is_among(const char *const *list, const char *text)
{
    for (; *list; list++)
        if (strcmp(*list, text) == 0) return true;
    return false;
}

bool agent_is_plain(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@+";
    return strlen(text) < 256 && !text[strspn(text, letters)];
}

/* Parses NAME=VALUE&...; values have no percent encoding. A setting may occur once, a selector several times. */
static bool parse(const char *head, size_t skip, question *q)
{
    size_t size = strcspn(head + skip, " ");
    if (size >= sizeof q->text) return false;
    memcpy(q->text, head + skip, size);
    q->text[size] = '\0';
    q->count = 0;
    char *at = strchr(q->text, '?');
    if (!at) return true;
    *at++ = '\0';
    for (char *next; at; at = next) {
        next = strchr(at, '&');
        if (next) *next++ = '\0';
        char *value = strchr(at, '=');
        if (!value || q->count == SETTINGS_MOST) return false;
        *value++ = '\0';
        if (!agent_is_plain(at) || !agent_is_plain(value)) return false;
        for (size_t i = 0; i < q->count && strcmp(at, "job") != 0; i++)
            if (strcmp(q->all[i].name, at) == 0) return false;
        q->all[q->count++] = (setting){ at, value };
    }
    return true;
}

static const char *value_of(const question *q, const char *name, const char *without)
{
    for (size_t i = 0; i < q->count; i++)
        if (strcmp(q->all[i].name, name) == 0) return q->all[i].value;
    return without;
}

/* ---- the child ---- */

static bool send_text(int fd, const char *kind, int status, const char *data, size_t size)
{
    char line[64];
    snprintf(line, sizeof line, "%s %d %zu\n", kind, status, size);
    return live_write_all(fd, line, strlen(line)) && live_write_all(fd, data, size);
}

/* State of the child's reports while it records. */
typedef struct telling {
    int out, control;
    int64_t waits_ms;  /* a recording that has not ended by then waits for another one */
    int64_t settle_ms; /* end of the wait for the start time; 0: it was not requested yet */
} telling;

/* Whether the client has disconnected. */
static int is_unread(void *ctx, const tfp_report *columns, const char *text, const char *json)
{
    telling *t = ctx;
    struct pollfd p = { t->out, 0, 0 };
    (void)columns, (void)text, (void)json;
    if (t->waits_ms && now_ms() > t->waits_ms) {
        t->waits_ms = 0;
        if (!live_write_all(t->out, "waits\n", 6)) return 1;
    }
    return poll(&p, 1, 0) > 0 && (p.revents & POLLERR);
}

/* Everything is ready to record: the client, which may wait for other machines, is asked for the start time. */
static int64_t shared_start(void *ctx)
{
    telling *t = ctx;
    int64_t now = now_ms(), at = 0;
    if (!t->settle_ms) {
        t->settle_ms = now + SETTLE_MS;
        if (!live_write_all(t->out, "ready\n", 6)) return -1;
    }
    ssize_t n = read(t->control, &at, sizeof at);
    if (n == (ssize_t)sizeof at) return at;
    return n == 0 || now > t->settle_ms ? -1 : 0;
}

/* A number that the client gave, or the setting's default; 0 for what tfp_live_set will refuse. */
static double number_of(const question *q, const char *name)
{
    const tfp_live_setting *s = remote_setting(name);
    double x = strtod(value_of(q, name, s->initial), NULL);
    return x >= s->least && x <= s->most ? x : 0;
}

static tfp_status capture(const question *q, const char *folder, bool commands, telling *t, answer *report, int *end,
                          tfp_error *err)
{
    const char *selectors[SETTINGS_MOST];
    size_t count = 0;
    tfp_report *r = NULL;
    tfp_live *l = tfp_live_new();
    tfp_status s = l ? tfp_live_set(l, "dir", folder, err) : TFP_NOMEM;
    if (!s && !commands) s = tfp_live_set(l, "no_commands", NULL, err);
    if (!s && value_of(q, SHARED, NULL)) tfp_live_on_start(l, shared_start, t);
    double seconds = number_of(q, "timeout");
    if (!value_of(q, "steps", NULL) || value_of(q, "ms", NULL)) seconds += number_of(q, "ms") / 1e3;
    t->waits_ms = now_ms() + (int64_t)(seconds * 1e3);
    for (size_t i = 0; i < q->count && !s; i++) {
        const setting *x = &q->all[i];
        if (strcmp(x->name, "job") == 0)
            selectors[count++] = x->value;
        else if (remote_setting(x->name))
            s = tfp_live_set(l, x->name, *x->value ? x->value : NULL, err);
    }
    if (!s) s = tfp_live_capture(l, selectors, count, NULL, is_unread, t, end, &r, err);
    if (!s) s = tfp_report_write(r, value_of(q, "format", "text"), answer_write, report, err);
    tfp_report_free(r);
    tfp_live_free(l);
    return s;
}

static void work(const question *q, int folder, bool commands, int out, int control)
{
    answer report = { .status = ANSWER_OK };
    char results[64];
    int end = TFP_CAPTURE_ALL;
    tfp_error *err = tfp_error_new();
    snprintf(results, sizeof results, "/proc/self/fd/%d", folder);
    double most = number_of(q, "timeout") + number_of(q, "wait") + number_of(q, "ms") / 1e3;
    alarm((most < 86400 ? (unsigned)most : 86400) + SEND_SECONDS);
    telling t = { .out = out, .control = control };
    tfp_status s = capture(q, results, commands, &t, &report, &end, err);
    const char *why = tfp_error_message(err);
    if (s || answer_failed(&report) || report.size > ARCHIVE_TEXT_MOST)
        _exit(send_text(out, "failed", s == TFP_BADARG ? 2 : 1, why, strlen(why)) && live_write_all(out, "end\n", 4)
                  ? 0
                  : 1);
    _exit(send_text(out, "report", end, report.data, report.size) && agent_folder_send(out, folder) ? 0 : 1);
}

/* ---- the agent's side ---- */

static void close_control(recorder *r)
{
    if (r->child && r->control >= 0) close(r->control);
    r->control = -1;
}

void recorder_reap(recorder *r, bool now)
{
    if (!r->child) return;
    if (now) kill(r->child, SIGTERM);
    pid_t got;
    while ((got = waitpid(r->child, NULL, now ? 0 : WNOHANG)) < 0 && errno == EINTR) {}
    if (got == 0) return;
    agent_folder_remove(r->folder, r->folder_fd);
    close_control(r);
    r->child = 0;
}

enum { KEPT_OUT = 3, KEPT_CONTROL, KEPT_FOLDER, KEPT_END }; /* numbers of the child's descriptors */

/* Closes all descriptors except these and the standard ones. */
static bool keep_only(int out, int control, int folder)
{
    int high[] = { out, control, folder };
    bool ok = true;
    for (int i = 0; i < 3; i++) ok = ok && (high[i] = fcntl(high[i], F_DUPFD_CLOEXEC, KEPT_END)) >= 0;
    for (int i = 0; i < 3; i++) ok = ok && dup3(high[i], KEPT_OUT + i, O_CLOEXEC) >= 0;
    if (ok) syscall(SYS_close_range, KEPT_END, ~0u, 0);
    return ok;
}

/* Begins a recording; returns its stream, or -1 with the reason. */
static int begin(recorder *r, const question *q, const char **why)
{
    int ends[2], control[2];
    recorder_reap(r, false);
    *why = "another recording runs";
    if (r->child) return -1;
    *why = "no folder can be made for the recording";
    if ((r->folder_fd = agent_folder_make(r->folder, sizeof r->folder)) < 0) return -1;
    *why = "no process can be started";
    if (pipe2(ends, O_CLOEXEC)) {
        agent_folder_remove(r->folder, r->folder_fd);
        return -1;
    }
    if (pipe2(control, O_CLOEXEC | O_NONBLOCK)) {
        close(ends[0]);
        close(ends[1]);
        agent_folder_remove(r->folder, r->folder_fd);
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        /* the child must not keep connections open that the agent closes */
        if (!keep_only(ends[1], control[0], r->folder_fd)) _exit(1);
        work(q, KEPT_FOLDER, r->commands, KEPT_OUT, KEPT_CONTROL);
    }
    close(ends[1]);
    close(control[0]);
    if (child < 0) {
        close(ends[0]);
        close(control[1]);
        agent_folder_remove(r->folder, r->folder_fd);
        return -1;
    }
    r->child = child;
    r->control = control[1];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return ends[0];
}

static int ask_capture(recorder *r, const question *q, int *stream, const char **why)
{
    bool all = value_of(q, "all", NULL) != NULL, any = value_of(q, "job", NULL) != NULL;
    for (size_t i = 0; i < q->count; i++) {
        const setting *x = &q->all[i];
        const tfp_live_setting *s = remote_setting(x->name);
        *why = "a parameter that a recording does not have";
        if (!s && !is_among(others, x->name)) return 400;
        *why = "a value for a parameter that has none, such as all= and align=";
        if (*x->value && (strcmp(x->name, SHARED) == 0 || (s && !s->value))) return 400;
    }
    *why = "which jobs? job=PID, job=NAME or all=";
    if (all == any) return 400;
    *stream = begin(r, q, why);
    return *stream >= 0 ? 200 : 503;
}

/* Passes the start time to the recording that waits for it. */
static int ask_start(recorder *r, const question *q, const char **why)
{
    const char *value = value_of(q, "at", "");
    size_t digits = strspn(value, "0123456789");
    *why = "at= must be a time in microseconds since 1970";
    if (q->count != 1 || !digits || digits > 18 || value[digits]) return 400;
    int64_t at = strtoll(value, NULL, 10);
    *why = "no recording waits for its start time";
    bool told = r->child && r->control >= 0 && write(r->control, &at, sizeof at) == (ssize_t)sizeof at;
    close_control(r);
    return told ? 200 : 503;
}

static int ask_clock(answer *body)
{
    char text[32];
    snprintf(text, sizeof text, "%lld\n", (long long)unix_micros());
    answer_text(body, text);
    return 200;
}

/* Answers with a current table. Stacks contain file names of the jobs, so they are treated like command lines. */
static int ask_table(recorder *r, bool hang, const question *q, answer *body, const char **why)
{
    tfp_report *top = NULL;
    tfp_error *err = tfp_error_new();
    *why = "a parameter that the list does not have";
    int status = q->count > 1 || (q->count && strcmp(q->all[0].name, "format") != 0) ? 400 : 200;
    if (hang && !r->commands && status == 200)
        *why = "stacks name files of the jobs: the agent shows them with --commands only", status = 403;
    tfp_status s = status != 200 ? TFP_OK : hang ? tfp_live_hang(NULL, 0, NULL, &top, err) : r->look(r->ctx, &top);
    if (!s && status == 200) s = tfp_report_write(top, value_of(q, "format", "text"), answer_write, body, err);
    tfp_report_free(top);
    tfp_error_free(err);
    *why = s ? "the jobs cannot be read" : *why;
    return s ? 503 : status;
}

int recorder_ask(void *ctx, const char *head, answer *body, int *stream, const char **why)
{
    recorder *r = ctx;
    question *q = malloc(sizeof *q);
    bool get = strncmp(head, "GET ", 4) == 0, post = strncmp(head, "POST ", 5) == 0;
    int status = 404;
    *why = "no memory for it";
    if (!q) return 503;
    *why = "the parameters are malformed";
    if (!parse(head, strcspn(head, " ") + 1, q) || !is_among(formats, value_of(q, "format", "text"))) {
        free(q);
        return 400;
    }
    *why = "there are only GET " AGENT_TOP ", GET " AGENT_HANG ", GET " AGENT_CLOCK ", POST " AGENT_CAPTURE
           " and POST " AGENT_START;
    if (get && strcmp(q->text, AGENT_CLOCK) == 0) status = ask_clock(body);
    if (post && strcmp(q->text, AGENT_START) == 0) status = ask_start(r, q, why);
    if (get && strcmp(q->text, AGENT_TOP) == 0) status = ask_table(r, false, q, body, why);
    if (get && strcmp(q->text, AGENT_HANG) == 0) status = ask_table(r, true, q, body, why);
    if (post && strcmp(q->text, AGENT_CAPTURE) == 0) status = ask_capture(r, q, stream, why);
    free(q);
    return status;
}
